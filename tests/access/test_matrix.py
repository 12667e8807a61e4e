"""Every address × every reader: one table of answers, and none may be missing from it."""

import hashlib
import re
from collections.abc import Iterator
from datetime import timedelta
from pathlib import Path

import pytest
from django.core.files.base import ContentFile
from django.test import Client
from django.urls import URLPattern, URLResolver, get_resolver, reverse
from django.utils import timezone

from assessments.models import Document, Message, ShareLink
from catalog.models import Accelerator, Fabric, Server
from portal.accounts.models import ApiToken, Organization, User, token_hash
from portal.outbox import heartbeat
from tests.factories import (
    AssessmentFactory,
    DraftFactory,
    approver,
    catalog_keeper,
    customer,
    engineer,
    manager,
)

pytestmark = pytest.mark.django_db

READERS = (
    "anonymous",
    "draft_cookie",
    "share_link",
    "stranger_token",
    "stranger",
    "member",
    "engineer",
    "approver",
    "manager",
    "catalog_keeper",
)
TABLE = Path(__file__).with_name("matrix.txt")
DRAFT_TOKEN, SHARE_TOKEN = "draft-of-this-browser", "share-of-this-assessment"


def names(resolver: URLResolver | None = None, prefix: str = "") -> Iterator[tuple[str, URLPattern]]:
    """Every named address of the portal, namespaces in front."""
    for pattern in (resolver or get_resolver()).url_patterns:
        if isinstance(pattern, URLResolver):
            yield from names(pattern, f"{prefix}{pattern.namespace}:" if pattern.namespace else prefix)
        elif pattern.name:
            yield prefix + pattern.name, pattern


class World:
    """One request with everything that hangs on it, and a person of every kind."""

    def __init__(self) -> None:
        heartbeat.beat()
        organization = Organization.objects.create(name="Owner")
        self.people: dict[str, User | None] = {
            "anonymous": None,
            "draft_cookie": None,
            "share_link": None,
            "stranger_token": None,
            "stranger": customer(),
            "member": customer(organization=organization),
            "engineer": engineer(),
            "approver": approver(),
            "manager": manager(),
            "catalog_keeper": catalog_keeper(),
        }
        self.assessment = AssessmentFactory(
            sized=True, intake__inquiry__organization=organization, intake__inquiry__state="in_review"
        )
        self.inquiry = self.assessment.inquiry
        self.draft = DraftFactory(token_sha256=token_hash(DRAFT_TOKEN))
        document = Document(
            assessment=self.assessment,
            run=self.assessment.run,
            kind="automatic",
            language="en",
            pages=1,
            size=4,
            sha256=hashlib.sha256(b"%PDF").hexdigest(),
        )
        document.file.save("automatic-en.pdf", ContentFile(b"%PDF"), save=False)
        document.save()
        self.message = Message.objects.create(inquiry=self.inquiry, audience="customer", body="See the file.")
        self.message.file.save("table.csv", ContentFile(b"a;b"))
        self.link = ShareLink.objects.create(
            assessment=self.assessment,
            token_sha256=token_hash(SHARE_TOKEN),
            expires_at=timezone.now() + timedelta(days=7),
        )
        _token, self.secret = ApiToken.issue(
            organization=Organization.objects.create(name="Other"), name="crm", scopes=["read", "submit"]
        )

    def arguments(self, name: str, pattern: URLPattern) -> dict[str, object]:
        """Values for the parts of an address: those of the one request."""
        known: dict[str, object] = {
            "draft_id": self.draft.pk,
            "key": "strategy",
            "signed": "nothing",
            "number": self.inquiry.number,
            "revision": 1,
            "message_id": self.message.pk,
            "link_id": self.link.pk,
            "organization_id": 0,
            "invitation_id": 0,
            "membership_id": 0,
            "raw": SHARE_TOKEN,
            "kind": "automatic",
            "language": "en",
            "object_id": self.message.pk if "_message_" in name else self.inquiry.pk,
        }
        wanted = set(pattern.pattern.converters) | set(re.findall(r"\?P<(\w+)>", str(pattern.pattern)))
        return {name: known[name] for name in wanted if name in known}

    def client(self, reader: str) -> Client:
        """A browser or program of one reader."""
        client = Client()
        user = self.people[reader]
        if user is not None:
            client.force_login(user)
        if reader == "draft_cookie":
            client.cookies["sizewright_draft"] = DRAFT_TOKEN
        if reader == "stranger_token":
            client.defaults["HTTP_AUTHORIZATION"] = f"Bearer {self.secret}"
        if reader == "share_link":
            client.get(reverse("pages:shared", args=[SHARE_TOKEN]))
        return client


def catalog_slug(name: str) -> str:
    """A slug of the kind of catalog entry that an address shows."""
    model = Accelerator if "accelerator" in name else Fabric if "fabric" in name else Server
    return model.objects.order_by("slug").first().slug


def measured(world: World) -> list[str]:
    """One line per address: its name and the status for every reader, by GET."""
    clients = {reader: world.client(reader) for reader in READERS}
    lines = []
    for name, pattern in sorted(names(), key=lambda pair: pair[0]):
        if name.startswith("admin:") and not name.startswith(("admin:index", "admin:assessments_")):
            continue  # Django's own pages of plain tables: `test_admin.py` of each room
        arguments = world.arguments(name, pattern)
        if "slug" in pattern.pattern.converters or "?P<slug>" in str(pattern.pattern):
            arguments["slug"] = catalog_slug(name)
        address = reverse(name, kwargs=arguments)
        statuses = [str(clients[reader].get(address).status_code) for reader in READERS]
        line = f"{name:45} {' '.join(statuses)}"
        if line not in lines:
            lines.append(line)
    return lines


def test_every_address_answers_every_reader_as_the_table_says(loaded_catalog):
    expected = TABLE.read_text().splitlines()
    header = f"{'address':45} {' '.join(READERS)}"
    assert [header, *measured(World())] == expected


OUTSIDERS = ("anonymous", "draft_cookie", "share_link", "stranger_token", "stranger", "catalog_keeper")
ON_THE_REQUEST = ("pages:", "api:inquiry", "admin:assessments_inquiry_")
OWN_OR_PUBLIC = ("pages:draft", "pages:step", "pages:submit", "pages:shared", "pages:requests", "api:inquiry-list")


def test_reading_every_address_changes_nothing(loaded_catalog):
    world = World()
    measured(world)
    world.inquiry.refresh_from_db()
    assert (world.inquiry.state, world.inquiry.assignee, world.inquiry.version) == ("in_review", None, 0)
    assert not world.inquiry.events.exists()
    assert world.inquiry.messages.count() == 1


def test_outsiders_change_nothing_by_posting_to_any_address_of_the_request(loaded_catalog):
    world = World()
    clients = {reader: world.client(reader) for reader in OUTSIDERS}
    tried = 0
    for name, pattern in names():
        if not name.startswith(ON_THE_REQUEST) or name.startswith(OWN_OR_PUBLIC):
            continue
        address = reverse(name, kwargs=world.arguments(name, pattern))
        body = {"reason": "x", "body": "x", "days": "7", "language": "en", "_form_submitted": "on"}
        for reader, client in clients.items():
            status = client.post(address, body).status_code
            assert status in {302, 401, 403, 404, 405}, (name, reader, status)
            tried += 1
    assert tried > 150
    world.inquiry.refresh_from_db()
    assert (world.inquiry.state, world.inquiry.assignee, world.inquiry.version) == ("in_review", None, 0)
    assert not world.inquiry.events.exists()
    assert world.inquiry.messages.count() == 1
    assert ShareLink.objects.filter(revoked_at=None).count() == 1
