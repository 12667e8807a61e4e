"""Formulas in words, one sentence per formula code of the engine."""

from django.utils.translation import gettext_lazy as _

from assessments.wording.text import Words

FORMULAS: dict[str, Words] = {
    "arithmetic": _("Arithmetic of the inputs."),
}
