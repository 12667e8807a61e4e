"""Parameter 4: how long one full run may take."""

from django.utils.translation import gettext_lazy as _

from assessments.intake.fields import AmountField, OptionField
from assessments.intake.forms.base import StepForm
from assessments.intake.questions import Ask


class CycleForm(StepForm):
    """Times and how often."""

    wanted = AmountField(
        ask=Ask(
            path="cycle.wanted_h",
            why=_("It yields the GPU count"),
            becomes=_("GPU count, link"),
            is_needed=True,
            assumed=_("We show time against GPU count."),
        ),
        label=_("Wanted time"),
        help_text=_("One full run."),
        kind="hours",
        low=0.01,
        high=87_660,
        example=_("14 days"),
    )
    latest = AmountField(
        ask=Ask(
            path="cycle.latest_h",
            why=_("The bound of the economical option"),
            becomes=_("option A"),
            assumed=_("We show time against GPU count."),
        ),
        label=_("Latest time"),
        help_text=_("Longer makes no sense."),
        kind="hours",
        low=0.01,
        high=87_660,
        example=_("28 days"),
    )
    months = OptionField(
        ask=Ask(
            path="cycle.months_acceptable",
            why=_("It opens options with fewer cards"),
            becomes=_("option A"),
            assumed=_("We assume that they are not."),
        ),
        label=_("Are months acceptable"),
        options=(("yes", _("Yes")), ("no", _("No"))),
    )
    runs_per_quarter = AmountField(
        ask=Ask(
            path="runs_per_quarter",
            why=_("Utilisation decides: buy or rent"),
            becomes=_("utilisation"),
            assumed=_("We assume %(value)s full runs."),
            default="runs.quarter",
        ),
        label=_("Runs per quarter"),
        help_text=_("Trial runs included."),
        kind="count",
        low=0,
        high=100_000,
        example="3",
    )
