"""Context: the place, the rack and what is there already."""

from django.utils.translation import gettext_lazy as _
from django.utils.translation import pgettext_lazy

from assessments.intake.fields import AmountField, OptionField, WordsField
from assessments.intake.forms.base import StepForm
from assessments.intake.questions import Ask

SHOWN_AS_REQUIREMENT = _("We show what the rack must offer.")
CHASSIS = _("chassis, place")


class FacilityForm(StepForm):
    """Power, cooling, space, network; machines that exist."""

    groups = (
        (
            _("Depth, load, air, network"),
            ("depth_mm", "load_kg", "inlet_c", "fabric_kind", "fabric_gbit_s", "fabric_ports"),
        ),
        (_("GPU servers that you already have"), ("own_accelerator", "own_gpus", "own_servers")),
    )

    place = OptionField(
        ask=Ask(
            path="facility.place",
            why=_("An office has neither the power nor the noise limits of a rack server"),
            becomes=_("chassis"),
        ),
        label=_("Where it will stand"),
        options=(("office", _("Office")), ("server_room", _("Server room")), ("datacentre", _("Data centre"))),
    )
    rack_kw = AmountField(
        ask=Ask(
            path="facility.rack_kw",
            why=_("The limit met most often"),
            becomes=_("GPUs per rack"),
            assumed=SHOWN_AS_REQUIREMENT,
        ),
        label=_("Power per rack"),
        help_text=_("Permitted, not the breaker’s rating."),
        kind="kw",
        low=0,
        high=1000,
        example=_("15 kW"),
    )
    racks = AmountField(
        ask=Ask(
            path="facility.racks",
            why=_("Several racks share a large option"),
            becomes=_("GPUs per rack"),
            assumed=_("We assume one rack."),
        ),
        label=_("Racks available"),
        kind="count",
        low=0,
        high=10_000,
        example="1",
        is_whole=True,
    )
    feeds = AmountField(
        ask=Ask(
            path="facility.feeds",
            why=_("One must carry everything"),
            becomes=_("power supplies"),
            assumed=_("We assume two feeds, each carrying everything."),
        ),
        label=_("Power feeds"),
        kind="count",
        unit=pgettext_lazy("unit", "feeds"),
        low=0,
        high=16,
        example="2",
        is_whole=True,
    )
    feed_kw = AmountField(
        ask=Ask(
            path="facility.feed_kw",
            why=_("One must carry everything"),
            becomes=_("power supplies"),
            assumed=_("We assume that each feed carries the whole rack."),
        ),
        label=_("Power of one feed"),
        kind="kw",
        low=0,
        high=1000,
        example=_("16 kW"),
    )
    cooling = OptionField(
        ask=Ask(
            path="facility.cooling",
            why=_("Heat equals consumption"),
            becomes=_("air, liquid"),
            assumed=_("We assume air."),
        ),
        label=_("Cooling"),
        options=(
            ("none", pgettext_lazy("cooling", "None")),
            ("air", pgettext_lazy("cooling", "Air")),
            ("contained_aisle", _("Contained aisle")),
            ("rear_door", _("Rear-door heat exchanger")),
            ("direct_to_chip", _("Direct-to-chip liquid")),
            ("immersion", _("Immersion")),
        ),
    )
    cooling_kw = AmountField(
        ask=Ask(
            path="facility.cooling_kw",
            why=_("Heat equals consumption"),
            becomes=_("air, liquid"),
            assumed=SHOWN_AS_REQUIREMENT,
        ),
        label=_("Heat removed per rack"),
        kind="kw",
        low=0,
        high=1000,
        example=_("15 kW"),
    )
    free_units = AmountField(
        ask=Ask(
            path="facility.free_units",
            why=_("An 8-GPU HGX takes 4–10 U"),
            becomes=CHASSIS,
            assumed=SHOWN_AS_REQUIREMENT,
        ),
        label=_("Free units"),
        help_text=_("Contiguous."),
        kind="units",
        unit="U",
        low=0,
        high=100,
        example="12",
    )
    depth_mm = AmountField(
        ask=Ask(
            path="facility.depth_mm",
            why=_("The server’s depth plus 150 mm of cabling"),
            becomes=CHASSIS,
            assumed=_("We assume 1,000 mm: as in most older racks."),
        ),
        label=_("Usable depth"),
        kind="mm",
        unit=pgettext_lazy("unit", "mm"),
        low=100,
        high=3000,
        example="1 000",
    )
    load_kg = AmountField(
        ask=Ask(
            path="facility.load_kg",
            why=_("An 8-GPU HGX weighs 100–150 kg"),
            becomes=CHASSIS,
            assumed=SHOWN_AS_REQUIREMENT,
        ),
        label=_("Permitted load"),
        help_text=_("Of the rack or the floor, what is still free."),
        kind="kg",
        unit=pgettext_lazy("unit", "kg"),
        low=0,
        high=10_000,
        example="500",
    )
    inlet_c = AmountField(
        ask=Ask(
            path="facility.inlet_c",
            why=_("Some servers allow only 25–30 °C"),
            becomes=_("server model"),
            assumed=SHOWN_AS_REQUIREMENT,
        ),
        label=_("Inlet air"),
        help_text=_("Warmest of the year."),
        kind="celsius",
        unit="°C",
        low=-20,
        high=60,
        example="24",
    )
    fabric_kind = OptionField(
        ask=Ask(
            path="facility.fabric.kind",
            why=_("Without RDMA nodes wait for each other"),
            becomes=_("ports, NICs"),
            assumed=SHOWN_AS_REQUIREMENT,
        ),
        label=_("Fabric in place"),
        options=(("ethernet", "Ethernet"), ("roce", "Ethernet, RoCE"), ("infiniband", "InfiniBand")),
    )
    fabric_gbit_s = AmountField(
        ask=Ask(
            path="facility.fabric.gbit_s",
            why=_("Without RDMA nodes wait for each other"),
            becomes=_("ports, NICs"),
            assumed=SHOWN_AS_REQUIREMENT,
        ),
        label=_("Speed of one port"),
        kind="gbit_s",
        unit=pgettext_lazy("unit", "Gbit/s"),
        low=1,
        high=10_000,
        example="100",
    )
    fabric_ports = AmountField(
        ask=Ask(
            path="facility.fabric.ports",
            why=_("Every GPU node takes one port or more"),
            becomes=_("ports, NICs"),
            assumed=SHOWN_AS_REQUIREMENT,
        ),
        label=_("Free ports"),
        kind="count",
        low=0,
        high=10_000,
        example="8",
        is_whole=True,
    )
    own_accelerator = WordsField(
        ask=Ask(
            path="hardware.accelerator",
            why=_("It may turn out that nothing has to be bought"),
            becomes=_("set of options"),
        ),
        label=_("Card"),
        help_text=_("Start typing: A100, H100, L40S."),
        suggestions="accelerators",
    )
    own_gpus = AmountField(
        ask=Ask(
            path="hardware.gpus",
            why=_("It may turn out that nothing has to be bought"),
            becomes=_("set of options"),
            assumed=_("We assume 8."),
        ),
        label=_("Cards in one server"),
        kind="count",
        low=1,
        high=100_000,
        example="8",
        is_whole=True,
    )
    own_servers = AmountField(
        ask=Ask(
            path="hardware.servers",
            why=_("It may turn out that nothing has to be bought"),
            becomes=_("set of options"),
            assumed=_("We assume one."),
        ),
        label=_("Servers"),
        kind="count",
        low=1,
        high=20_000,
        example="1",
        is_whole=True,
    )
