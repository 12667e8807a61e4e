"""The catalog as the engine gets it, and its frozen versions."""

import pytest

from catalog.models import Accelerator, CatalogVersion, CatalogVersionIsImmutable, Server
from catalog.snapshot import current_version, fingerprint, snapshot

pytestmark = [pytest.mark.usefixtures("default_catalog"), pytest.mark.django_db]


def test_figures_are_in_base_units_and_unknown_is_null() -> None:
    cards = {card["slug"]: card for card in snapshot()["accelerators"]}
    h100 = cards["h100-sxm5-80gb"]
    assert h100["memory_bytes"] == 81_559 * 2**20
    assert h100["bandwidth_bytes_s"] == 3_350 * 10**9
    assert h100["peak_flops"] == {
        "fp32": 67 * 10**12, "tf32": 494_500_000_000_000, "bf16": 989 * 10**12, "fp16": 989 * 10**12, "fp8": 1979 *
        10**12, "fp4": None,
    }  # fmt: skip
    assert (h100["link"], h100["link_bytes_s"], h100["link_domain"]) == ("nvlink", 900 * 10**9, 8)
    assert cards["l40s"]["link"] is None


def test_a_platform_is_one_server_with_one_accelerator() -> None:
    platforms = [p for p in snapshot()["platforms"] if p["slug"] == "nvidia-dgx-h200"]
    assert platforms == [
        {
            "slug": "nvidia-dgx-h200", "vendor": "NVIDIA", "name": "DGX H200", "accelerator": "h200-sxm5-141gb",
            "counts": [8], "link": "nvswitch", "form": "rack", "units": 8, "depth_mm": 897.1, "weight_kg": 130.45,
            "psu_count": 6, "psu_w": 3300, "psu_redundant": 2, "max_power_w": 10200, "cooling": "air", "inlet_c_max":
            30.0, "cpu_sockets": 2, "cpu_cores_max": 112, "ram_slots": 32, "ram_max_bytes": 2048 * 2**30, "nvme_bays":
            8, "fabric_slots": 8, "status": "current",
        }
    ]  # fmt: skip


def test_three_queries_whatever_the_size(django_assert_num_queries: object) -> None:
    with django_assert_num_queries(3):  # type: ignore[operator]  # a fixture of pytest-django
        snapshot()


def test_the_fingerprint_follows_the_figures_only() -> None:
    first = snapshot()
    assert snapshot() == first
    assert first["sha256"] == fingerprint(
        {key: value for key, value in first.items() if key not in {"label", "sha256"}}
    )
    server = Server.objects.get(slug="nvidia-dgx-h200")
    server.max_power_w = 11_300
    server.save()
    assert snapshot()["sha256"] != first["sha256"]


def test_a_version_is_made_once_per_state() -> None:
    first = current_version()
    assert current_version() == first
    Accelerator.objects.filter(slug="l4").update(tdp_w=75)
    second = current_version()
    assert second.sha256 != first.sha256
    Accelerator.objects.filter(slug="l4").update(tdp_w=72)
    assert current_version() == first


def test_a_version_never_changes() -> None:
    version = current_version()
    version.label = "2020-01"
    with pytest.raises(CatalogVersionIsImmutable):
        version.save()
    with pytest.raises(CatalogVersionIsImmutable):
        version.delete()
    assert CatalogVersion.objects.get(pk=version.pk).label != "2020-01"


def test_editing_a_server_leaves_old_versions_alone() -> None:
    version = current_version()
    Server.objects.filter(slug="nvidia-dgx-h200").update(status="end_of_sale")
    kept = CatalogVersion.objects.get(pk=version.pk).snapshot
    assert next(p["status"] for p in kept["platforms"] if p["slug"] == "nvidia-dgx-h200") == "current"


def test_the_specification_keeps_figures_and_their_sources() -> None:
    kept = Server.objects.get(slug="nvidia-dgx-h200").specification()
    assert (kept["vendor"], kept["name"], kept["max_power_w"]) == ("NVIDIA", "DGX H200", 10200)
    assert kept["sources"]["max_power_w"]
    assert kept["accelerators"] == [{"accelerator": "h200-sxm5-141gb", "counts": [8], "link": "nvswitch"}]
