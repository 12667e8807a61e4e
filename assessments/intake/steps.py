"""The pages of the intake: seven steps, four of them once per scenario, answerable in any order."""

from collections.abc import Iterator
from dataclasses import dataclass

from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy

from assessments.intake.forms import (
    Answers,
    BusinessForm,
    CycleForm,
    DatasetForm,
    FacilityForm,
    HorizonForm,
    ModelForm,
    StepForm,
    StrategyForm,
)
from assessments.intake.questions import Words

MOST_SCENARIOS = 4
PARAMETERS = 5


@dataclass(frozen=True, slots=True, kw_only=True)
class Step:
    """One section of the questionnaire."""

    slug: str
    number: int
    title: Words
    lead: Words
    why: Words
    becomes: Words
    form_class: type[StepForm]
    is_per_scenario: bool = False


STEPS = (
    Step(
        slug="strategy",
        number=1,
        title=gettext_lazy("Training strategy"),
        lead=gettext_lazy("From scratch, full fine-tuning or adapters"),
        why=gettext_lazy(
            "Beside the weights memory holds gradients and optimizer state: of the whole model or of adapters only."
        ),
        becomes=gettext_lazy(
            "Bytes per parameter → GPU memory. From scratch → often several nodes; LoRA → one server or one card."
        ),
        form_class=StrategyForm,
        is_per_scenario=True,
    ),
    Step(
        slug="model",
        number=2,
        title=gettext_lazy("Model"),
        lead=gettext_lazy("A name, a config.json or a parameter count; context or frame size"),
        why=gettext_lazy(
            "The parameter count sets weights, gradients and optimizer state; "
            "activations grow with context and frame size."
        ),
        becomes=gettext_lazy("Memory per GPU → type of card and layout. Too big for one card → the link matters."),
        form_class=ModelForm,
        is_per_scenario=True,
    ),
    Step(
        slug="dataset",
        number=3,
        title=gettext_lazy("Dataset"),
        lead=gettext_lazy("Volume, tokens, passes, where it lives"),
        why=gettext_lazy("GPUs read faster than ordinary storage delivers. When reading lags, the cards wait."),
        becomes=gettext_lazy(
            "Volume and passes → NVMe. Kind of files → IOPS and CPU cores. Tokens → time and GPU count."
        ),
        form_class=DatasetForm,
        is_per_scenario=True,
    ),
    Step(
        slug="cycle",
        number=4,
        title=gettext_lazy("Cycle time"),
        lead=gettext_lazy("Wanted and latest time, runs per quarter"),
        why=gettext_lazy("The same model trains for hours or for weeks. The time decides which hardware."),
        becomes=gettext_lazy("Shorter → more GPUs, a faster link, more kilowatts. Runs → utilisation."),
        form_class=CycleForm,
        is_per_scenario=True,
    ),
    Step(
        slug="horizon",
        number=5,
        title=gettext_lazy("Horizon and operation"),
        lead=gettext_lazy("One-off or a platform, who uses it"),
        why=gettext_lazy(
            "A server bought to the brim is too small in a year; replacing it after 12–18 months rarely pays."
        ),
        becomes=gettext_lazy("Free GPU slots, spare power and cooling, fabric ports, drive bays."),
        form_class=HorizonForm,
    ),
    Step(
        slug="facility",
        number=6,
        title=gettext_lazy("Facility and rack"),
        lead=gettext_lazy("Kilowatts per rack, feeds, cooling, free units"),
        why=gettext_lazy("An 8-GPU NVLink server peaks at 10 kW or more; an ordinary rack often gives less."),
        becomes=gettext_lazy("Power, heat, units, depth and weight rule options out; the gap is shown."),
        form_class=FacilityForm,
    ),
    Step(
        slug="business",
        number=7,
        title=gettext_lazy("Business task and contact"),
        lead=gettext_lazy("What it is for, organisation, wishes"),
        why=gettext_lazy("The engineer checks whether buying makes sense: a workstation or renting may do."),
        becomes=gettext_lazy("Changes no number, only the engineer’s conclusion."),
        form_class=BusinessForm,
    ),
)
BY_SLUG = {step.slug: step for step in STEPS}


@dataclass(frozen=True, slots=True, kw_only=True)
class Page:
    """A step of one scenario; scenario 0 is the first and the only one of steps that are asked once."""

    step: Step
    scenario: int = 0

    @property
    def key(self) -> str:
        """Key of the answers and part of the URL: strategy, strategy-2."""
        return f"{self.step.slug}-{self.scenario + 1}" if self.scenario else self.step.slug

    @property
    def title(self) -> str:
        """Title, with the scenario's number from the second on."""
        if not self.scenario:
            return str(self.step.title)
        return _("%(title)s, scenario %(n)d") % {"title": self.step.title, "n": self.scenario + 1}

    @property
    def place(self) -> str:
        """“Parameter 3 of 5”, or “Context”."""
        if self.step.number > PARAMETERS:
            return _("Context")
        return _("Parameter %(n)d of %(total)d") % {"n": self.step.number, "total": PARAMETERS}

    def form(self, answers: Answers, *, is_checked: bool = True) -> StepForm:
        """The form with what was typed."""
        return self.step.form_class(answers.get(self.key, {}), is_checked=is_checked)

    def is_begun(self, answers: Answers) -> bool:
        """Whether anything has been saved here, an empty form included."""
        return self.key in answers


def scenario_count(answers: Answers) -> int:
    """How many trainings the request holds."""
    count = answers.get("scenarios", {}).get("count", "1")
    return min(max(int(count), 1), MOST_SCENARIOS) if isinstance(count, str) and count.isdecimal() else 1


def pages_of(answers: Answers) -> tuple[Page, ...]:
    """Every page of a request, scenario by scenario, then what is asked once."""
    return (*(page for n in range(scenario_count(answers)) for page in scenario_pages(n)), *common_pages())


def scenario_pages(scenario: int) -> Iterator[Page]:
    """The pages of one training."""
    return (Page(step=step, scenario=scenario) for step in STEPS if step.is_per_scenario)


def common_pages() -> Iterator[Page]:
    """The pages that are asked once."""
    return (Page(step=step) for step in STEPS if not step.is_per_scenario)


def page_of(key: str, answers: Answers) -> Page | None:
    """The page with this key; None if the request has no such page."""
    return next((page for page in pages_of(answers) if page.key == key), None)
