"""The newcomer's sample request."""

import pytest
from django.core.management import CommandError, call_command

from assessments.models import Inquiry
from portal.accounts.demo import demo_ensure

pytestmark = pytest.mark.django_db


def test_it_is_made_once(loaded_catalog, settings, capsys):
    settings.DEBUG = True
    demo_ensure()
    call_command("sample_request")
    call_command("sample_request")
    assert Inquiry.objects.get().number in capsys.readouterr().out


def test_it_is_refused_outside_debug(settings):
    settings.DEBUG = False
    with pytest.raises(CommandError):
        call_command("sample_request")
