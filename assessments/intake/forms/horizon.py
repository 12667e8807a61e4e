"""Parameter 5: how long the platform serves, and whom."""

from django.utils.translation import gettext_lazy as _
from django.utils.translation import pgettext_lazy

from assessments.intake.fields import AmountField, OptionField
from assessments.intake.forms.base import StepForm
from assessments.intake.questions import Ask, only_if

SLOTS_AND_KILOWATTS = _("slots, kilowatts")


class HorizonForm(StepForm):
    """One-off or platform, its users, and what comes next."""

    use = OptionField(
        ask=Ask(path="horizon.use", why=_("A platform needs headroom"), becomes=_("chassis, slots"), is_needed=True),
        label=_("Purpose"),
        options=(
            ("one_off", _("One-off project"), _("No headroom")),
            ("platform", _("A platform for years"), _("Free slots, spare power and cooling")),
        ),
        may_be_unknown=False,
    )
    years = AmountField(
        ask=Ask(
            path="horizon.years",
            why=_("Headroom is sized for these years"),
            becomes=SLOTS_AND_KILOWATTS,
            when=only_if("use", "platform"),
            assumed=_("We assume 3 years."),
        ),
        label=_("For how many years"),
        kind="years",
        unit=pgettext_lazy("unit", "years"),
        low=0,
        high=20,
        example="3",
    )
    operation = OptionField(
        ask=Ask(
            path="horizon.operation",
            why=_("Sharing needs a queue and isolation"),
            becomes=_("spare nodes, MIG"),
            assumed=_("We assume one team."),
        ),
        label=_("Who uses it"),
        options=(
            ("one_team", _("One team")),
            ("shared", _("Several teams"), _("A queue and quotas")),
            ("service", _("Outside customers"), _("Redundancy and isolation")),
        ),
    )
    planned_in_months = AmountField(
        ask=Ask(
            path="horizon.planned.in_months",
            why=_("Headroom is sized for it, not guessed"),
            becomes=SLOTS_AND_KILOWATTS,
            assumed=_("We assume that nothing larger comes."),
        ),
        label=_("A larger training is planned in"),
        help_text=_("In how many months; leave empty if nothing is planned."),
        kind="months",
        unit=pgettext_lazy("unit", "months"),
        low=0,
        high=240,
        example="12",
    )
    planned_times = AmountField(
        ask=Ask(
            path="horizon.planned.times",
            why=_("Headroom is sized for it, not guessed"),
            becomes=SLOTS_AND_KILOWATTS,
            assumed=_("We assume twice."),
        ),
        label=_("How many times larger"),
        help_text=_("Compared with the training described here."),
        kind="count",
        unit=pgettext_lazy("unit", "times"),
        low=0.01,
        high=1000,
        example="2",
    )
