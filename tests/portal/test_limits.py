"""One address on the net does what costs us work only so often; the answer says so in the reader's language."""

from datetime import timedelta

import pytest
from django.urls import reverse
from django.utils import timezone

from assessments.intake.drafts import drafts_expire
from assessments.intake.tasks import expire_drafts
from assessments.models import Draft
from portal.accounts.models import token_hash
from portal.env import Rate
from tests.factories import DraftFactory, IntakeFactory, customer

pytestmark = [pytest.mark.django_db, pytest.mark.usefixtures("empty_cache")]

TOKEN = "draft-of-this-browser"


@pytest.fixture
def two_an_hour(settings):
    settings.LIMITS = dict.fromkeys(settings.LIMITS, Rate(times=2, seconds=3600))


@pytest.mark.parametrize(("language", "words"), [("en", "Too often"), ("ru", "Слишком часто")])
def test_drafts_beyond_the_rate_are_refused_in_the_readers_language(client, two_an_hour, language, words):
    headers = {"accept-language": language}
    for _ in range(2):
        assert client.post(reverse("pages:draft_new"), headers=headers).status_code == 302
    response = client.post(reverse("pages:draft_new"), headers=headers)
    assert response.status_code == 429
    assert words in response.content.decode()
    assert 1 <= int(response["Retry-After"]) <= 3600
    assert Draft.objects.count() == 2


def test_another_address_is_not_held_up(client, two_an_hour):
    for _ in range(3):
        client.post(reverse("pages:draft_new"))
    response = client.post(reverse("pages:draft_new"), REMOTE_ADDR="192.0.2.7")
    assert response.status_code == 302


def test_the_next_window_is_open_again(client, two_an_hour, time_machine):
    time_machine.move_to("2026-11-30 10:00:00+00:00", tick=False)
    for _ in range(3):
        client.post(reverse("pages:draft_new"))
    time_machine.move_to("2026-11-30 11:00:01+00:00", tick=False)
    assert client.post(reverse("pages:draft_new")).status_code == 302


def test_live_estimates_beyond_the_rate_are_refused_and_saving_goes_on(client, two_an_hour, loaded_catalog):
    draft = DraftFactory(token_sha256=token_hash(TOKEN))
    client.cookies["sizewright_draft"] = TOKEN
    codes = [client.get(reverse("pages:draft_estimate", args=[draft.pk])).status_code for _ in range(3)]
    assert codes == [200, 200, 429]
    assert client.post(reverse("pages:step", args=[draft.pk, "horizon"]), {"years": "3"}).status_code != 429


def test_share_links_cannot_be_guessed_at_leisure(client, two_an_hour):
    codes = [client.get(reverse("pages:shared", args=[f"guess-{n}"])).status_code for n in range(3)]
    assert codes == [404, 404, 429]


def test_an_expired_draft_answers_404_to_its_own_browser_and_owner(client):
    late = timezone.now() - timedelta(seconds=1)
    draft = DraftFactory(token_sha256=token_hash(TOKEN), owner=customer(), expires_at=late)
    client.cookies["sizewright_draft"] = TOKEN
    assert client.get(reverse("pages:draft", args=[draft.pk])).status_code == 404
    client.force_login(draft.owner)
    assert client.get(reverse("pages:draft", args=[draft.pk])).status_code == 404
    assert client.post(reverse("pages:step", args=[draft.pk, "horizon"]), {"years": "3"}).status_code == 404


def test_expired_drafts_go_and_sent_or_young_ones_stay():
    now = timezone.now()
    late, soon = now - timedelta(days=1), now + timedelta(days=1)
    DraftFactory(expires_at=late)
    young = DraftFactory(expires_at=soon)
    sent = DraftFactory(expires_at=late, submitted_at=now)
    referred = DraftFactory(expires_at=late)
    IntakeFactory(draft=referred)
    assert drafts_expire() == 1
    assert set(Draft.objects.values_list("pk", flat=True)) == {young.pk, sent.pk, referred.pk}
    assert expire_drafts() == 0
