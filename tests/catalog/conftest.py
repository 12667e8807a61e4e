"""The default catalog in the tables."""

from collections.abc import Iterator

import pytest
from django.db import transaction
from pytest_django import DjangoDbBlocker

from catalog.loading import load_default


@pytest.fixture(scope="module")
def default_catalog(django_db_setup: None, django_db_blocker: DjangoDbBlocker) -> Iterator[None]:
    """Every row of the default catalog, loaded once for a module; what a test changes is rolled back after it."""
    with django_db_blocker.unblock(), transaction.atomic():
        load_default()
        with django_db_blocker.block():
            yield
        transaction.set_rollback(True)
