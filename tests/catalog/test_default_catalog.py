"""Every row of the default catalog holds to physics and says where its figures stand."""

import pytest
from django.core.management import call_command

from catalog.loading import read_rows
from catalog.models import Accelerator, CatalogVersion, Drive, Fabric, Server, ServerAccelerator, Source, Status

pytestmark = [pytest.mark.usefixtures("default_catalog"), pytest.mark.django_db]

MIB, GB = 1 << 20, 10**9
# The fastest device of an architecture, 16-bit, dense.
HIGHEST_16_BIT_TFLOPS = {
    "pascal": 22,
    "volta": 132,
    "turing": 131,
    "ampere": 312,
    "ada": 366,
    "hopper": 990,
    "blackwell": 2500,
}
# Power supplies that do not carry the printed maximum once the redundant ones are gone, with the reason.
THROTTLING: set[str] = set()


def servers_of_class(**filters: object) -> set[str]:
    pairs = ServerAccelerator.objects.filter(server__status=Status.CURRENT, **filters)
    return {pair.server.slug for pair in pairs.select_related("server")}


def test_the_catalog_is_as_large_as_promised() -> None:
    assert Accelerator.objects.count() >= 70
    assert Server.objects.count() >= 120
    assert Server.objects.values("vendor").distinct().count() >= 20


@pytest.mark.parametrize(
    ("name", "filters"),
    [
        ("workstation or tower", {"server__form": "tower"}),
        ("2-GPU 2U", {"server__form": "rack", "server__units": 2, "min_count__lte": 2, "max_count__gte": 2}),
        ("4-GPU SXM", {"accelerator__form_factor__startswith": "SXM", "max_count": 4}),
        ("8 to 10 PCIe cards", {"server__form": "rack", "link__in": ["pcie", "nvlink_bridge"], "max_count__gte": 8}),
        ("8-GPU NVSwitch, air", {"link": "nvswitch", "max_count": 8, "server__cooling": "air"}),
        ("8-GPU NVSwitch, liquid", {"link": "nvswitch", "max_count": 8, "server__cooling": "direct_to_chip"}),
        ("OAM", {"accelerator__form_factor": "OAM", "max_count": 8}),
        ("rack scale", {"server__form": "rack_scale"}),
    ],
)
def test_every_class_has_three_platforms_of_two_makers_on_sale(name: str, filters: dict[str, object]) -> None:
    slugs = servers_of_class(**filters)
    makers = set(Server.objects.filter(slug__in=slugs).values_list("vendor__slug", flat=True))
    assert len(slugs) >= 3, name
    assert len(makers) >= 2, name


def test_every_figure_names_a_source_that_exists() -> None:
    known = set(Source.objects.values_list("slug", flat=True))
    for model in (Accelerator, Server, Fabric, Drive):
        for row in model.objects.all():
            for figure in model.FIGURES:
                if getattr(row, figure) not in {None, ""}:
                    assert row.sources_of(figure), (row.slug, figure)
                    assert set(row.sources_of(figure)) <= known, (row.slug, figure)


def test_no_unknown_figure_is_written_as_zero() -> None:
    meant = {"mig_max", "psu_redundant", "nvme_bays", "fabric_slots"}
    for model in (Accelerator, Server):
        for row in model.objects.all():
            for figure in set(model.FIGURES) - meant:
                assert getattr(row, figure) != 0, (row.slug, figure)


def test_memory_is_what_a_driver_shows_for_the_label() -> None:
    for card in Accelerator.objects.exclude(memory_mib=None):
        gib = card.memory_mib / 1024
        assert 7 < gib < 450, card.slug
        label = next(
            (float(word.removesuffix("GB")) for word in card.name.replace("(", " ").split() if word.endswith("GB")),
            None,
        )
        if label:
            # A label is decimal or binary gigabytes, less what ECC and the driver keep.
            assert 0.92 * label <= gib <= 1.005 * label, card.slug


@pytest.mark.parametrize(
    ("slug", "mib"),
    [
        ("h200-sxm5-141gb", 143_771),
        ("b200-sxm-180gb", 183_359),
        ("b300-sxm-288gb", 275_040),
        ("h100-sxm5-80gb", 81_559),
        ("mi300x", 196_592),
    ],
)
def test_memory_of_a_job_is_known_to_the_mebibyte(slug: str, mib: int) -> None:
    assert Accelerator.objects.get(slug=slug).memory_mib == mib


def test_peaks_are_dense() -> None:
    for card in Accelerator.objects.exclude(vendor__slug__in=["metax", "moore-threads"]).exclude(
        status=Status.ANNOUNCED
    ):
        half = card.bf16_tflops or card.fp16_tflops
        if half is None:
            continue
        highest = HIGHEST_16_BIT_TFLOPS.get(card.architecture)
        if highest:
            assert half <= highest * 1.001, f"{card.slug}: {half} looks like a figure with sparsity"
        if card.fp8_tflops and card.architecture not in {"gaudi2", "gaudi3"}:
            assert card.fp8_tflops == pytest.approx(2 * half, rel=0.05), card.slug
        if card.tf32_tflops and card.architecture in {"hopper", "ampere"} and not card.name.startswith("GeForce"):
            assert card.tf32_tflops == pytest.approx(half / 2, rel=0.01), card.slug
        if card.fp4_tflops:
            assert card.fp4_tflops / card.fp8_tflops == pytest.approx(
                round(card.fp4_tflops / card.fp8_tflops), abs=0.05
            ), card.slug


@pytest.mark.parametrize(
    ("slug", "multiprocessors", "flop_per_clock", "ghz"),
    [
        ("a100-sxm4-80gb", 108, 2048, 1.41), ("h100-sxm5-80gb", 132, 4096, 1.83), ("b200-sxm-180gb", 148, 8192, 1.86),
        ("l40s", 142, 1024, 2.52), ("mi300x", 304, 2048, 2.1), ("mi355x", 256, 4096, 2.4), ("rtx-4090", 128, 512,
        2.52), ("rtx-5090", 170, 512, 2.407), ("rtx-pro-6000-bse", 188, 1024, 2.43), ("v100-sxm2-16gb", 80, 1024,
        1.53),
    ],
)  # fmt: skip
def test_peaks_follow_from_units_and_clock(slug: str, multiprocessors: int, flop_per_clock: int, ghz: float) -> None:
    card = Accelerator.objects.get(slug=slug)
    half = card.bf16_tflops or card.fp16_tflops
    assert half == pytest.approx(multiprocessors * flop_per_clock * ghz / 1000, rel=0.02)


def test_a_link_has_its_rate_and_no_link_has_none() -> None:
    for card in Accelerator.objects.exclude(status=Status.ANNOUNCED):
        if card.link in {"", "hccs"} or card.slug in {"mi100", "max-1550"}:
            assert card.link or card.link_gb_s is None, card.slug
        else:
            assert card.link_gb_s is not None, card.slug
            assert card.link_gb_s <= 3600, card.slug


def test_draw_per_device_is_in_the_range_of_devices() -> None:
    for card in Accelerator.objects.exclude(tdp_w=None):
        assert 50 <= card.tdp_w <= 1400, card.slug


def test_supplies_carry_what_the_server_draws_also_after_a_failure() -> None:
    for server in Server.objects.exclude(psu_count=None).exclude(psu_w=None):
        assert 500 <= server.psu_w <= 6600, server.slug
        if server.max_power_w:
            assert server.psu_count * server.psu_w >= server.max_power_w, server.slug
            if server.psu_redundant is not None and server.slug not in THROTTLING:
                assert (server.psu_count - server.psu_redundant) * server.psu_w >= server.max_power_w, server.slug
        if server.psu_redundant is not None:
            assert server.psu_redundant < server.psu_count, server.slug


def test_a_full_server_draws_more_than_its_accelerators() -> None:
    for pair in ServerAccelerator.objects.select_related("server", "accelerator"):
        draw, tdp = pair.server.max_power_w, pair.accelerator.tdp_w
        if draw and tdp:
            assert draw > pair.max_count * tdp, str(pair.server)


def test_printed_heat_is_near_the_printed_draw() -> None:
    for server in Server.objects.exclude(heat_btu_h=None).exclude(max_power_w=None):
        # DGX H100 prints 11.3 kW of heat beside 10.2 kW; DGX B300 prints the heat of its average.
        assert 0.7 * server.max_power_w <= server.heat_btu_h / 3.412 <= 1.15 * server.max_power_w, server.slug


def test_bodies_are_of_a_size_that_stands_in_a_rack() -> None:
    for server in Server.objects.all():
        if server.form == "rack_scale":
            assert server.units is None or server.units >= 42, server.slug
        elif server.form == "tower":
            assert server.units is None, server.slug
        else:
            assert server.units is None or 1 <= server.units <= 10, server.slug
            assert server.depth_mm is None or 700 <= server.depth_mm <= 1100, server.slug
            assert server.weight_kg is None or 15 <= server.weight_kg <= 250, server.slug
        assert server.weight_kg is None or server.weight_basis, f"{server.slug}: what does the weight include?"


def test_hosts_are_of_a_size_that_exists() -> None:
    for server in Server.objects.exclude(form="rack_scale"):
        if server.ram_slots and server.ram_max_gib:
            assert server.ram_max_gib / server.ram_slots <= 512, server.slug
        if server.cpu_cores_max and server.cpu_sockets:
            assert server.cpu_cores_max / server.cpu_sockets <= 192, server.slug


def test_boards_come_whole_and_joined_by_their_own_link() -> None:
    for pair in ServerAccelerator.objects.select_related("server", "accelerator"):
        is_board = (
            pair.accelerator.form_factor.startswith(("SXM", "OAM", "NVL72"))
            or pair.accelerator.architecture == "ascend"
        )
        if is_board:
            assert pair.min_count == pair.max_count, str(pair.server)
            # Only the board of Max 1550 has a link that we do not class.
            assert pair.link not in {"pcie", "nvlink_bridge"} or pair.accelerator.slug == "max-1550", str(pair.server)
        if pair.link == "nvswitch":
            assert pair.max_count >= 8, str(pair.server)
        if pair.link == "nvlink_bridge":
            assert pair.accelerator.link == "nvlink", str(pair.server)


def test_measured_accelerators_are_known_and_not_offered() -> None:
    for slug in ("a10g", "v100-sxm2-16gb", "rtx-4070-ti-super", "rtx-3060-12gb", "p100-pcie-16gb", "a100-sxm4-80gb"):
        assert Accelerator.objects.get(slug=slug).status == Status.END_OF_SALE


def test_loading_twice_changes_nothing() -> None:
    before = CatalogVersion.objects.count()
    call_command("load_catalog")
    assert CatalogVersion.objects.count() == before + 1
    histories = Server.history.count()
    call_command("load_catalog")
    assert CatalogVersion.objects.count() == before + 1
    assert Server.history.count() == histories
    assert Server.objects.count() == len(read_rows("servers.csv"))


def test_what_a_keeper_edited_survives_the_next_load() -> None:
    server = Server.objects.get(slug="nvidia-dgx-h200")
    server.max_power_w = 11_300
    server.save()
    call_command("load_catalog")
    server.refresh_from_db()
    assert server.max_power_w == 11_300
    call_command("load_catalog", overwrite=True)
    server.refresh_from_db()
    assert server.max_power_w == 10_200
