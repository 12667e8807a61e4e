"""Share links: one revision, read-only, until they expire or are taken back."""

import re

import pytest
import time_machine
from django.test import Client
from django.urls import reverse
from django.utils import timezone

from assessments.models import Assessment, Event, ShareLink
from tests.assessments.pages.scenes import document, signed_in, sized
from tests.factories import customer

pytestmark = pytest.mark.django_db


def shared(assessment: Assessment) -> tuple[Client, str]:
    """A member who made a link, and its path."""
    client = signed_in(assessment.inquiry)
    address = reverse("pages:share", args=[assessment.inquiry.number, assessment.revision])
    html = client.post(address, {"days": "7"}).content.decode()
    found = re.search(r'value="http://testserver(/share/[^"]+/)"', html)
    assert found
    return client, found[1]


def test_whoever_holds_the_link_reads_the_revision_and_its_pdf():
    assessment = sized()
    document(assessment)
    _member, path = shared(assessment)
    response = Client().get(path)
    assert response.status_code == 200
    assert 'id="options"' in response.content.decode()
    assert response["X-Robots-Tag"] == "noindex"
    assert response["Referrer-Policy"] == "no-referrer"
    assert Client().get(f"{path}automatic-en.pdf").status_code == 200
    assert Client().get(f"{path}result.json").status_code == 200


def test_the_link_gives_no_right_anywhere_else():
    assessment = sized()
    _member, path = shared(assessment)
    holder = Client()
    holder.get(path)
    number = assessment.inquiry.number
    assert holder.get(reverse("pages:request", args=[number])).status_code == 404
    assert holder.get(reverse("pages:result_json", args=[number])).status_code == 404
    html = holder.get(path).content.decode()
    assert number in html
    assert "/requests/SW" not in html


def test_a_link_taken_back_or_expired_leads_nowhere():
    assessment = sized()
    member, path = shared(assessment)
    link = ShareLink.objects.get()
    with time_machine.travel(timezone.now() + timezone.timedelta(days=8)):
        assert Client().get(path).status_code == 404
    member.post(reverse("pages:share_revoke", args=[assessment.inquiry.number, link.pk]))
    assert Client().get(path).status_code == 404
    assert list(Event.objects.values_list("verb", flat=True)) == ["share", "unshare"]


def test_strangers_can_neither_make_nor_take_back_links():
    assessment = sized()
    shared(assessment)
    stranger = Client()
    stranger.force_login(customer())
    number, link = assessment.inquiry.number, ShareLink.objects.get()
    assert stranger.post(reverse("pages:share", args=[number, 1]), {"days": "7"}).status_code == 404
    assert stranger.post(reverse("pages:share_revoke", args=[number, link.pk])).status_code == 404
    assert ShareLink.objects.filter(revoked_at=None).count() == 1


def test_the_secret_is_shown_once_and_not_kept():
    assessment = sized()
    member, path = shared(assessment)
    raw = path.removeprefix("/share/").rstrip("/")
    assert raw not in member.get(reverse("pages:request", args=[assessment.inquiry.number])).content.decode()
    assert ShareLink.objects.get().token_sha256 != raw
