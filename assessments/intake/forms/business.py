"""Context: what the training is for, who asks, and wishes."""

from django.utils.translation import gettext_lazy as _

from assessments.intake.fields import AmountField, OptionsField, WordsField
from assessments.intake.forms.base import StepForm
from assessments.intake.questions import Ask

VENDORS = (("nvidia", "NVIDIA"), ("amd", "AMD"), ("intel", "Intel"), ("huawei", "Huawei"))


class BusinessForm(StepForm):
    """The words of the request; none of them changes a number."""

    purpose = WordsField(
        ask=Ask(why=_("It shows the engineer what to check"), becomes=_("the engineer’s conclusion")),
        label=_("What it is for"),
        help_text=_("Two or three sentences, no personal data."),
        rows=4,
        max_length=4000,
    )
    organization = WordsField(
        ask=Ask(why=_("It stands on the cover"), becomes=_("the document"), is_needed=True),
        label=_("Organisation"),
        help_text=_("As on the cover."),
        max_length=200,
    )
    contact_name = WordsField(
        ask=Ask(why=_("The engineer knows whom to ask"), becomes=_("the document")),
        label=_("Whom to ask"),
        max_length=120,
    )
    vendors = OptionsField(
        ask=Ask(path="preferences.vendors", why=_("Wishes guide"), becomes=_("catalog ranking")),
        label=_("Preferred vendors of cards"),
        options=VENDORS,
    )
    excluded_vendors = OptionsField(
        ask=Ask(path="preferences.excluded_vendors", why=_("Exclusions bind"), becomes=_("catalog ranking")),
        label=_("Excluded vendors of cards"),
        options=VENDORS,
    )
    max_servers = AmountField(
        ask=Ask(path="preferences.max_servers", why=_("Exclusions bind"), becomes=_("catalog ranking")),
        label=_("Most servers"),
        help_text=_("Leave empty if it does not matter."),
        kind="count",
        low=1,
        high=10_000,
        example="2",
        is_whole=True,
        may_be_unknown=False,
    )
