"""The desk of the catalog keepers: rights, lists that stay fast, copy, retire, import with its dry run."""

import pytest
from django.contrib.auth.models import Group
from django.core.files.uploadedfile import SimpleUploadedFile
from django.test import Client

from catalog.importing import import_check
from catalog.matching import match
from catalog.models import CatalogImport, Server
from catalog.requirement import Requirement
from catalog.snapshot import current_version
from portal.accounts.models import User

pytestmark = [pytest.mark.usefixtures("default_catalog"), pytest.mark.django_db]

PAGES = (
    "server",
    "accelerator",
    "vendor",
    "fabric",
    "drive",
    "source",
    "serveraccelerator",
    "catalogversion",
    "catalogimport",
)


@pytest.fixture
def keeper(client: Client) -> Client:
    user = User.objects.create_user(email="keeper@example.com", is_staff=True)
    user.groups.add(Group.objects.get(name="catalog keeper"))
    client.force_login(user)
    return client


@pytest.mark.parametrize("page", PAGES)
def test_a_keeper_sees_every_list(keeper: Client, page: str) -> None:
    assert keeper.get(f"/admin/catalog/{page}/").status_code == 200


@pytest.mark.parametrize("page", PAGES)
def test_others_of_the_staff_may_not_import_or_edit(client: Client, page: str) -> None:
    client.force_login(User.objects.create_user(email="other@example.com", is_staff=True))
    assert client.get(f"/admin/catalog/{page}/add/").status_code in {302, 403}


def test_the_list_of_servers_costs_the_same_queries_whatever_its_length(
    keeper: Client, django_assert_max_num_queries: object
) -> None:
    keeper.get("/admin/catalog/server/")
    with django_assert_max_num_queries(14):  # type: ignore[operator]  # a fixture of pytest-django
        keeper.get("/admin/catalog/server/?q=THINKSYSTEM")


def test_search_finds_cyrillic_in_any_case(keeper: Client) -> None:
    page = keeper.get("/admin/catalog/server/", {"q": "нт КИТ"})
    assert [server.slug for server in page.context["cl"].result_list] == ["ntkit-gpu"]


def test_the_page_of_a_server_opens_and_keeps_its_sources(keeper: Client) -> None:
    server = Server.objects.get(slug="nvidia-dgx-h200")
    page = keeper.get(f"/admin/catalog/server/{server.pk}/change/")
    assert page.status_code == 200
    assert server.sources_line.split(":")[0] in page.content.decode()


def dialog(client: Client, address: str) -> object:
    return client.post(address, {"_form_submitted": "on"}, headers={"hx-request": "true"})


@pytest.mark.parametrize("verb", ["clone", "retire"])
def test_an_address_alone_changes_nothing(keeper: Client, verb: str) -> None:
    server = Server.objects.get(slug="nvidia-dgx-h200")
    keeper.get(f"/admin/catalog/server/{server.pk}/{verb}/")
    server.refresh_from_db()
    assert server.status == "current"
    assert not Server.objects.filter(slug__contains="copy").exists()


def test_a_copy_has_figures_sources_and_accelerators_and_is_not_offered(keeper: Client) -> None:
    server = Server.objects.get(slug="nvidia-dgx-h200")
    dialog(keeper, f"/admin/catalog/server/{server.pk}/clone/")
    copy = Server.objects.get(slug="nvidia-dgx-h200-copy-1")
    assert copy.status == "announced"
    same = {"slug", "status"}
    kept = {name: value for name, value in copy.specification().items() if name not in same}
    assert kept == {name: value for name, value in server.specification().items() if name not in same}


def test_a_retired_server_is_offered_no_longer_and_old_versions_keep_it(keeper: Client) -> None:
    need = Requirement(accelerator="h200-sxm5-141gb", gpus_per_server=8, vendors=frozenset({"nvidia"}))
    assert [found.slug for found in match(need).matches] == ["nvidia-dgx-h200"]
    version = current_version()
    server = Server.objects.get(slug="nvidia-dgx-h200")
    dialog(keeper, f"/admin/catalog/server/{server.pk}/retire/")
    assert match(need).matches == ()
    assert match(need, server_id=server.pk).near[0].failing == ("status",)
    version.refresh_from_db()
    kept = next(p for p in version.snapshot["platforms"] if p["slug"] == "nvidia-dgx-h200")
    assert kept["status"] == "current"
    server.refresh_from_db()
    assert server.history.first().history_change_reason == "retired"


def test_export_gives_the_filtered_rows(keeper: Client) -> None:
    page = keeper.post("/admin/catalog/server/export/?form__exact=rack_scale", {"format": "0", "resource": ""})
    text = page.content.decode("utf-8-sig")
    assert text.startswith("slug;")
    assert len(text.splitlines()) == 1 + Server.objects.filter(form="rack_scale").count()


def test_a_file_shows_its_changes_before_anything_is_written(keeper: Client) -> None:
    file = SimpleUploadedFile("power.csv", b"slug;max_power_w\nnvidia-dgx-h200;11300\n")
    keeper.post("/admin/catalog/catalogimport/add/", {"table": "servers.csv", "file": file})
    entry = CatalogImport.objects.get()
    waiting = keeper.get(f"/admin/catalog/catalogimport/{entry.pk}/change/", headers={"accept-language": "en"})
    assert "is being checked" in waiting.content.decode()
    import_check(entry.pk)
    page = keeper.get(f"/admin/catalog/catalogimport/{entry.pk}/change/", headers={"accept-language": "en"})
    assert "max_power_w: 10200 → 11300" in page.content.decode()
    assert Server.objects.get(slug="nvidia-dgx-h200").max_power_w == 10200
    keeper.get(f"/admin/catalog/catalogimport/{entry.pk}/apply/")
    entry.refresh_from_db()
    assert entry.state == "checked"
    dialog(keeper, f"/admin/catalog/catalogimport/{entry.pk}/apply/")
    entry.refresh_from_db()
    assert entry.state == "applying"


def test_progress_is_seen_while_a_file_is_read(keeper: Client) -> None:
    entry = CatalogImport.objects.create(table="servers.csv", file_name="f.csv", content=b"", rows=10_000, done=2_500)
    page = keeper.get(f"/admin/catalog/catalogimport/{entry.pk}/progress/", headers={"accept-language": "en"})
    text = page.content.decode()
    assert 'hx-trigger="every 2s"' in text
    assert "10,000" in text or "10000" in text
    assert 'value="2500"' in text
