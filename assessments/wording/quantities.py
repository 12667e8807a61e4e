"""Names of the result's quantities, by subject and part (without option and scenario)."""

from django.utils.translation import pgettext_lazy

from assessments.wording.text import Words

QUANTITIES: dict[str, Words] = {}
