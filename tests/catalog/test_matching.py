"""The known truths of fitting servers to a need, on the default catalog."""

from dataclasses import replace

import pytest

from catalog import words
from catalog.matching import Match, match, match_all
from catalog.models import Accelerator, Server, ServerAccelerator, Status
from catalog.node import heat_btu_h, modules_chosen
from catalog.requirement import Requirement, Site

pytestmark = [pytest.mark.usefixtures("default_catalog"), pytest.mark.django_db]

HGX_H100 = Requirement(accelerator="h100-sxm5-80gb", gpus_per_server=8, servers=2, link="nvswitch")
NVL = Requirement(accelerator="h200-nvl-141gb", gpus_per_server=8, link="nvswitch")


def all_of(requirement: Requirement) -> list[Match]:
    answer = match(requirement)
    return [*answer.matches, *answer.near]


def judged(requirement: Requirement, slug: str) -> Match:
    answer = match(requirement, server_id=Server.objects.get(slug=slug).pk)
    return (answer.matches or answer.near)[0]


def test_a_need_for_nvswitch_never_fits_a_pcie_box() -> None:
    answer = match(NVL)
    assert answer.matches == ()
    assert answer.near
    assert all("link" in near.failing for near in answer.near)
    assert all(found.link == "nvswitch" for found in match(HGX_H100).matches)


def test_a_bridge_is_better_than_pcie_and_less_than_a_mesh() -> None:
    pcie = Requirement(accelerator="h100-nvl-94gb", gpus_per_server=2, link="pcie")
    assert {"pcie", "nvlink_bridge"} >= {found.link for found in match(pcie).matches}
    assert {found.link for found in match(replace(pcie, link="nvlink_bridge")).matches} == {"nvlink_bridge"}
    assert match(replace(pcie, link="nvlink_mesh")).matches == ()


def test_an_air_only_rack_never_fits_a_liquid_server() -> None:
    for room in ("air", "contained_aisle", "rear_door"):
        requirement = Requirement(
            accelerator="b200-sxm-180gb", gpus_per_server=8, link="nvswitch", site=Site(cooling=room)
        )
        cooling = dict(Server.objects.values_list("slug", "cooling"))
        assert all(cooling[found.slug] != "direct_to_chip" for found in match(requirement).matches)
        assert "cooling" in judged(requirement, "dell-poweredge-xe9685l").failing


def test_a_liquid_room_fits_a_liquid_server() -> None:
    requirement = Requirement(accelerator="b200-sxm-180gb", gpus_per_server=8, site=Site(cooling="direct_to_chip"))
    assert judged(requirement, "dell-poweredge-xe9685l").failing == ()


@pytest.mark.parametrize(
    "accelerator", ["h100-sxm5-80gb", "h200-sxm5-141gb", "b200-sxm-180gb", "b300-sxm-288gb", "mi300x", "mi325x"]
)
def test_a_rack_of_10_kw_never_fits_eight_accelerators_of_700_w(accelerator: str) -> None:
    requirement = Requirement(accelerator=accelerator, gpus_per_server=8, site=Site(racks=1, rack_w=10_000))
    answer = match(requirement)
    assert answer.matches == ()
    assert "power" in answer.obstacles


def test_f3_a_rack_of_8_kw_is_a_violation_for_dgx_h200() -> None:
    requirement = Requirement(accelerator="h200-sxm5-141gb", gpus_per_server=8, site=Site(racks=1, rack_w=8_000))
    found = judged(requirement, "nvidia-dgx-h200")
    assert found.fit == "does_not_fit"
    assert found.failing == ("power",)
    line = found.line("power")
    assert (line.required, line.offered, line.left, line.fit) == (10_200, 8_000, -2_200, "does_not_fit")


def test_f1_four_dgx_b300_are_no_air_cooled_rack_of_20_kw() -> None:
    four = Requirement(
        accelerator="b300-sxm-288gb",
        gpus_per_server=8,
        servers=4,
        site=Site(racks=1, rack_w=20_000, cooling="contained_aisle"),
    )
    found = judged(four, "nvidia-dgx-b300")
    assert found.failing == ("density", "power")
    assert found.line("power").required == 4 * 19_700
    assert 56_000 <= found.line("density").required <= 60_000
    one = replace(four, servers=1)
    assert judged(one, "nvidia-dgx-b300").line("power").fit == "at_limit"


def test_f4_losing_a_feed_is_a_finding_of_its_own() -> None:
    need = Requirement(accelerator="h100-sxm5-80gb", gpus_per_server=8, site=Site(feeds=2))
    found = judged(need, "dell-poweredge-xe9680")
    assert found.line("psu").fit == "fits"
    assert found.line("psu_feed").fit == "at_limit"
    assert found.line("psu_feed").offered == 3 * 3200
    assert found.fit == "at_limit"
    single = judged(replace(need, site=Site(feeds=1)), "dell-poweredge-xe9680")
    assert "psu_feed" not in {line.code for line in single.lines}


def test_f5_heat_follows_from_the_draw() -> None:
    assert round(heat_btu_h(10_200)) == 34_802
    assert heat_btu_h(4 * 10_200) == pytest.approx(40_800 * 3.412)
    assert judged(HGX_H100, "supermicro-sys-821ge-tnhr").node.heat_btu_h == 34_802


def test_one_feed_of_two_carries_the_rack() -> None:
    need = Requirement(accelerator="h200-sxm5-141gb", gpus_per_server=8, site=Site(feeds=2, feed_w=11_000))
    line = judged(need, "nvidia-dgx-h200").line("feed")
    assert (line.required, line.offered, line.fit) == (10_200, 8_800, "does_not_fit")


def test_rack_units_are_those_of_the_servers_of_one_rack() -> None:
    need = Requirement(accelerator="h100-sxm5-80gb", gpus_per_server=8, servers=3, site=Site(racks=1, free_units=20))
    answer = match(need)
    assert answer.matches
    assert all(
        (found.units is not None and 3 * found.units <= 20) or "units" in found.unknown for found in answer.matches
    )
    assert judged(need, "supermicro-sys-821ge-tnhr").failing == ("units",)
    assert judged(replace(need, site=Site(racks=2, free_units=20)), "supermicro-sys-821ge-tnhr").failing == ()


def test_depth_leaves_room_for_cables() -> None:
    need = Requirement(accelerator="h200-sxm5-141gb", gpus_per_server=8, site=Site(depth_mm=1_000))
    line = judged(need, "nvidia-dgx-h200").line("depth")
    assert (line.required, line.fit) == (897.1 + 150, "does_not_fit")


def test_a_rack_scale_system_is_not_offered_for_one_accelerator() -> None:
    for accelerator in ("gb200-nvl72-gpu", "gb300-nvl72-gpu"):
        forms = dict(Server.objects.values_list("slug", "form"))
        answer = match(Requirement(accelerator=accelerator, gpus_per_server=1))
        assert all(forms[found.slug] != "rack_scale" for found in answer.matches)


def test_what_is_no_longer_sold_is_not_offered() -> None:
    answer = match(replace(HGX_H100, accelerator="a100-sxm4-80gb"))
    assert answer.matches == () or all(
        Server.objects.get(slug=found.slug).status != Status.END_OF_SALE for found in answer.matches
    )
    assert "status" in judged(replace(HGX_H100, accelerator="h100-sxm5-80gb"), "nvidia-dgx-h100").failing


def test_unknown_is_said_and_is_neither_fit_nor_misfit() -> None:
    need = Requirement(accelerator="l40s", gpus_per_server=2, site=Site(depth_mm=1_200))
    server = Server.objects.get(slug="dell-poweredge-r760xa")
    Server.objects.filter(pk=server.pk).update(depth_mm=None)
    found = judged(need, server.slug)
    assert found.line("depth").fit == "not_stated"
    assert found.unknown == ("depth",)
    assert found.failing == ()
    assert "not stated: depth" in words.verdict(found)


def test_what_is_stated_ranks_before_what_is_silent() -> None:
    unknown = [len(found.unknown) for found in match(HGX_H100).matches]
    assert unknown == sorted(unknown)


def test_the_accelerator_itself_ranks_before_one_that_replaces_it() -> None:
    found = match(replace(HGX_H100, site=Site(cooling="air"))).matches
    assert not found[0].is_equivalent
    order = [entry.is_equivalent for entry in found]
    assert order == sorted(order)


def test_a_card_with_less_of_anything_replaces_nothing() -> None:
    need = Requirement(accelerator="h200-sxm5-141gb", gpus_per_server=8)
    assert {found.accelerator for found in all_of(need)} == {"h200-sxm5-141gb"}


def test_makers_are_wanted_and_excluded_by_name_or_slug() -> None:
    dell = match(replace(HGX_H100, vendors=frozenset({"Dell"})))
    assert {found.vendor for found in dell.matches} == {"Dell"}
    others = match(replace(HGX_H100, excluded_vendors=frozenset({"dell", "HPE"})))
    assert not {"Dell", "HPE"} & {found.vendor for found in others.matches}


def test_two_makers_are_among_the_first_five() -> None:
    for accelerator in (
        "h100-sxm5-80gb",
        "b200-sxm-180gb",
        "b300-sxm-288gb",
        "h200-nvl-141gb",
        "rtx-pro-6000-bse",
        "l40s",
        "mi325x",
    ):
        gpus = 4 if accelerator in {"h200-nvl-141gb", "l40s", "rtx-pro-6000-bse"} else 8
        found = match(Requirement(accelerator=accelerator, gpus_per_server=gpus)).matches[:5]
        assert len({entry.vendor for entry in found}) >= 2, accelerator


def test_a_second_maker_moves_up_behind_four_of_the_first() -> None:
    card = Accelerator.objects.get(slug="l4")
    ServerAccelerator.objects.filter(accelerator=card).delete()
    dell = list(Server.objects.filter(vendor__slug="dell", status="current")[:8])
    other = Server.objects.filter(vendor__slug="qct", status="current").first()
    for server in [*dell, other]:
        ServerAccelerator.objects.create(server=server, accelerator=card, min_count=1, max_count=2, link="pcie")
    Server.objects.filter(pk=other.pk).update(units=9, psu_count=None, cooling="")
    found = match(Requirement(accelerator="l4", gpus_per_server=2, site=Site(cooling="air"))).matches
    assert [entry.vendor for entry in found[:5]].count("Dell") == 4
    assert found[4].vendor == "QCT"
    assert found[3].before_next.code in {"fewer_unknown", "fewer_units", "less_power", "less_waste", "fewer_tight"}


def test_the_reason_of_a_rank_is_the_first_difference() -> None:
    found = match(HGX_H100).matches
    why = found[0].before_next
    assert why is not None
    assert words.reason(why)
    if why.code == "fewer_units":
        assert why.this < why.next


def test_a_near_miss_names_the_one_thing() -> None:
    need = Requirement(
        accelerator="h200-sxm5-141gb",
        gpus_per_server=8,
        vendors=frozenset({"NVIDIA"}),
        site=Site(racks=1, rack_w=9_000),
    )
    answer = match(need)
    assert answer.code == "match_near"
    assert answer.near[0].failing == ("power",)
    assert answer.obstacles == ("power",)
    assert words.answer(answer) == "A near miss, because: power of a rack"


def test_no_answer_is_without_a_reason() -> None:
    answer = match(Requirement(accelerator="mtt-s4000", gpus_per_server=8))
    assert (answer.code, answer.obstacles, answer.considered) == ("match_none", ("accelerator",), 0)
    assert words.answer(answer) == "Nothing in the catalog fits, because: accelerator"


def test_an_office_gets_a_tower() -> None:
    need = Requirement(accelerator="rtx-pro-6000-maxq", gpus_per_server=2, site=Site(place="office", cooling="none"))
    forms = dict(Server.objects.values_list("slug", "form"))
    found = match(need).matches
    assert found
    assert {forms[entry.slug] for entry in found} == {"tower"}


def test_growth_needs_slots_that_stay_free() -> None:
    need = Requirement(accelerator="rtx-pro-6000-bse", gpus_per_server=4, growth_slots=4)
    most = {
        pair.server.slug: pair.max_count
        for pair in ServerAccelerator.objects.filter(accelerator__slug=need.accelerator)
    }
    assert all(most[found.slug] >= 8 for found in match(need).matches)


def test_the_node_is_fitted_out_within_its_limits() -> None:
    need = replace(HGX_H100, ram_bytes=2 << 40, cpu_cores=96, storage_bytes=30e12, fabric_ports=8)
    node = judged(need, "hpe-cray-xd670").node
    assert (node.dimms, node.dimm_gib, node.ram_gib) == (16, 128, 2048)
    assert (node.cores_per_cpu, node.cpu_cores) == (48, 96)
    assert (node.drives, node.drive_tb) == (8, 3.84)
    assert node.psu_carried_w == 4 * 3000
    assert node.psu_load == pytest.approx(node.peak_w / 12_000, abs=0.001)
    assert node.psu_load < 1


@pytest.mark.parametrize(
    ("need_gib", "slots", "most_gib", "modules"),
    [
        (2048, 32, 4096, (16, 128)),
        (1000, 24, 6144, (24, 64)),
        (512, 32, 8192, (16, 32)),
        (4096, 32, 4096, (32, 128)),
        (9000, 32, 8192, None),
    ],
)
def test_memory_fills_every_channel(need_gib: int, slots: int, most_gib: int, modules: tuple[int, int] | None) -> None:
    assert modules_chosen(need_gib * 2**30, slots, most_gib) == modules


def test_the_estimate_of_the_draw_meets_the_nameplates() -> None:
    for slug, accelerator, printed in (
        ("nvidia-dgx-a100-640gb", "a100-sxm4-80gb", 6_500), ("nvidia-dgx-h200", "h200-sxm5-141gb", 10_200),
        ("nvidia-dgx-b200", "b200-sxm-180gb", 14_300), ("supermicro-as-5126gs-tnrt2", "rtx-pro-6000-bse", 6_529),
    ):  # fmt: skip
        Server.objects.filter(slug=slug).update(max_power_w=None)
        need = Requirement(accelerator=accelerator, gpus_per_server=8, fabric_ports=2)
        node = judged(need, slug).node
        assert not node.is_peak_stated
        assert node.peak_w == pytest.approx(printed, rel=0.13), slug


def test_several_options_cost_three_queries(django_assert_num_queries: object) -> None:
    needs = [
        HGX_H100,
        NVL,
        Requirement(accelerator="l40s", gpus_per_server=4),
        Requirement(accelerator="mi300x", gpus_per_server=8),
    ]
    with django_assert_num_queries(3):  # type: ignore[operator]  # a fixture of pytest-django
        match_all(needs)
