"""Rows that never change after they are written."""

from __future__ import annotations

from typing import Any, Never

from django.db import models


class ImmutableError(TypeError):
    """Somebody tried to change or delete a row that is kept as it was written."""

    def __init__(self, model: type[models.Model]) -> None:
        super().__init__(f"{model.__name__} rows are immutable: write a new one instead of changing or deleting it.")


class ImmutableQuerySet[M: models.Model](models.QuerySet[M]):
    """A queryset without the bulk ways around `save()`."""

    def update(self, **kwargs: Any) -> Never:
        raise ImmutableError(self.model)

    def delete(self) -> Never:
        raise ImmutableError(self.model)

    def bulk_update(self, *args: Any, **kwargs: Any) -> Never:
        raise ImmutableError(self.model)


class ImmutableModel(models.Model):
    """A row that can be inserted and read, nothing else; on PostgreSQL a trigger holds it too."""

    created_at = models.DateTimeField(auto_now_add=True, editable=False)

    class Meta:
        abstract = True

    def save(self, *args: Any, **kwargs: Any) -> None:
        if not self._state.adding:
            raise ImmutableError(type(self))
        super().save(*args, **kwargs)

    def delete(self, *args: Any, **kwargs: Any) -> Never:
        raise ImmutableError(type(self))
