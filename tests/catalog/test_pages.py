"""The public catalog: lists, filters, details with their documents, and the API."""

import pytest
from django.test import Client

from catalog.models import Server

pytestmark = [pytest.mark.usefixtures("default_catalog"), pytest.mark.django_db]


def test_everybody_may_read_the_list(client: Client) -> None:
    page = client.get("/catalog/", headers={"accept-language": "en"})
    assert page.status_code == 200
    assert page.context["page"].paginator.count == Server.objects.count()


@pytest.mark.parametrize(
    ("query", "inside", "outside"),
    [
        ("accelerator=h200-sxm5-141gb&gpus=8&cooling=air", "nvidia-dgx-h200", "dell-poweredge-xe9680l"),
        ("units_max=4", "lenovo-sr675-v3", "nvidia-dgx-h200"),
        ("accelerator=l40s&gpus=10", "supermicro-sys-421ge-tnrt", "dell-poweredge-r760xa"),
        ("vendor=dell&form=tower", "dell-precision-7960", "hp-z4-g5"),
        ("q=dgx+H200", "nvidia-dgx-h200", "nvidia-dgx-b200"),
        ("q=НТ кит", "ntkit-gpu", "nvidia-dgx-b200"),
        ("status=end_of_sale", "nvidia-dgx-h100", "nvidia-dgx-h200"),
    ],
)
def test_filters_keep_what_has_all_of_it(client: Client, query: str, inside: str, outside: str) -> None:
    rows = client.get(f"/api/v1/catalog/servers/?{query}&limit=300").json()["results"]
    slugs = {row["slug"] for row in rows}
    assert inside in slugs
    assert outside not in slugs
    assert client.get(f"/catalog/?{query}").context["page"].paginator.count == len(slugs)


def test_a_detail_names_the_document_of_every_figure(client: Client) -> None:
    page = client.get("/catalog/servers/nvidia-dgx-h200/", headers={"accept-language": "en"})
    text = page.content.decode()
    assert "https://docs.nvidia.com/dgx/dgxh100-user-guide/" in text
    for figure in page.context["figures"]:
        assert figure.sources or not figure.value
    assert "10,200" in text


def test_what_is_not_stated_is_said(client: Client) -> None:
    page = client.get("/catalog/servers/gigabyte-g593-zd1/", headers={"accept-language": "en"})
    assert "not stated" in page.content.decode()


def test_numbers_follow_the_language(client: Client) -> None:
    page = client.get("/catalog/servers/nvidia-dgx-h200/", headers={"accept-language": "ru"})
    assert "897,1" in page.content.decode()


def test_an_unknown_server_is_not_found(client: Client) -> None:
    assert client.get("/catalog/servers/none-such/").status_code == 404
    assert client.get("/catalog/accelerators/none-such/").status_code == 404


def test_accelerators_have_their_pages(client: Client) -> None:
    assert client.get("/catalog/accelerators/?q=h200+nvl").context["page"].paginator.count == 1
    page = client.get("/catalog/accelerators/h200-sxm5-141gb/")
    assert {pair.server.slug for pair in page.context["pairs"]} >= {"nvidia-dgx-h200"}


def test_the_number_of_queries_does_not_grow_with_the_list(
    client: Client, django_assert_max_num_queries: object
) -> None:
    with django_assert_max_num_queries(12):  # type: ignore[operator]  # a fixture of pytest-django
        client.get("/catalog/")
    with django_assert_max_num_queries(6):  # type: ignore[operator]  # a fixture of pytest-django
        client.get("/api/v1/catalog/servers/?limit=200")


def test_the_api_gives_figures_sources_and_counts_and_takes_nothing(client: Client) -> None:
    row = client.get("/api/v1/catalog/servers/nvidia-dgx-h200/").json()
    assert row["accelerators"] == [{"accelerator": "h200-sxm5-141gb", "counts": [8], "link": "nvswitch"}]
    assert row["max_power_w"] == 10200
    assert row["sources"]["weight_kg" if "weight_kg" in row["sources"] else "*"]
    assert client.post("/api/v1/catalog/servers/", {}).status_code in {401, 403, 405}
    assert client.get("/api/v1/catalog/fabrics/ib-ndr/").json()["gbit_s"] == 400
    assert client.get("/api/v1/catalog/accelerators/l40s/").json()["memory_mib"] == 46068
