"""Deleting an account: texts, files and names go everywhere, numbers, states and hashes stay, others keep theirs."""

import json
from datetime import timedelta

import pytest
from django.core.files.base import ContentFile
from django.core.files.storage import default_storage
from django.core.management import CommandError, call_command
from django.test import Client
from django.urls import reverse
from django.utils import timezone

from assessments.models import (
    Adjustment,
    Assessment,
    Document,
    Draft,
    Event,
    Inquiry,
    Intake,
    Message,
    ShareLink,
    SizingRun,
)
from assessments.models.immutable import ImmutableError
from assessments.services.erasure import (
    NotErasable,
    StillAtWork,
    account_erase,
    account_plan,
    erase_files,
    retention,
)
from portal.accounts.models import ApiToken, Invitation, Membership, Organization, PortalSettings, User, token_hash
from portal.outbox.mail import mail_add
from portal.outbox.models import OutboxMessage
from tests.factories import (
    TASK,
    AssessmentFactory,
    DraftFactory,
    InquiryFactory,
    IntakeFactory,
    MembershipFactory,
    OrganizationFactory,
    ServerChoiceFactory,
    customer,
    engineer,
    viewer_of,
)

pytestmark = pytest.mark.django_db

SECRET = "Ромашка"
"""A word that stands in everything a customer wrote, and nowhere after it was erased."""


class Scene:
    """A customer alone in an organisation, with one approved request and every kind of row that hangs on it."""

    def __init__(self) -> None:
        self.organization = OrganizationFactory(name=f"{SECRET} Ltd")
        self.user = customer(self.organization, email="anna@romashka.example", name=f"Anna {SECRET}", language="en")
        staff = engineer()
        draft = DraftFactory(
            owner=self.user,
            token_sha256=token_hash("x"),
            submitted_at=timezone.now(),
            answers={"business": {"purpose": SECRET}},
        )
        self.inquiry = InquiryFactory(
            organization=self.organization, contact=self.user, state="needs_info", search_text=SECRET.casefold()
        )
        self.intake = IntakeFactory(
            inquiry=self.inquiry,
            draft=draft,
            author=self.user,
            answers={"business": {"purpose": SECRET}},
            context={
                "business_task": SECRET,
                "email": self.user.email,
                "consent": {"version": "1", "at": "2026-11-30"},
            },
        )
        self.assessment = AssessmentFactory(intake=self.intake, sized=True)
        Adjustment.objects.create(
            assessment=self.assessment,
            kind="text",
            target="summary",
            before=SECRET,
            after=SECRET,
            reason=SECRET,
            author=staff,
        )
        ServerChoiceFactory(assessment=self.assessment, reason=SECRET, internal_note=SECRET, author=staff)
        self.document = Document(
            assessment=self.assessment, run=self.assessment.run, kind="approved", language="en",
            pages=1, size=4, sha256="a" * 64, result_sha256="b" * 64,
        )  # fmt: skip
        self.document.file.save("approved-en.pdf", ContentFile(b"%PDF"), save=False)
        self.document.save()
        self.file = self.document.file.name
        message = Message.objects.create(inquiry=self.inquiry, author=self.user, audience="customer", body=SECRET)
        message.file.save("table.csv", ContentFile(b"a;b"))
        self.attachment = message.file.name
        Event.objects.create(
            inquiry=self.inquiry,
            sequence=1,
            verb="ask",
            actor_kind="user",
            actor=staff,
            reason=SECRET,
            after="needs_info",
        )
        ShareLink.objects.create(
            assessment=self.assessment, token_sha256=token_hash("share"), expires_at=timezone.now() + timedelta(days=7)
        )
        ApiToken.issue(organization=self.organization, name=SECRET, scopes=["read"])
        Assessment.objects.filter(pk=self.assessment.pk).update(
            status="approved", summary=SECRET, approved_at=timezone.now(), result_sha256="c" * 64
        )
        mail_add(to=[self.user.email], subject="x", text=SECRET)


@pytest.fixture
def scene() -> Scene:
    return Scene()


def everything() -> str:
    """Every row of every table that may hold a person's words, as text."""
    models = [
        User, User.history.model, Organization, Organization.history.model, Membership, ApiToken, Invitation, Draft,
        Inquiry, Intake, Assessment, Adjustment, Document, Message, Event, ShareLink, SizingRun, OutboxMessage,
    ]  # fmt: skip
    rows = [list(model._default_manager.values()) for model in models]
    rows.append(list(Assessment.server_choices.rel.related_model.objects.values()))
    return json.dumps(rows, default=str, ensure_ascii=False).casefold()


def test_no_word_of_the_person_is_left_in_any_table(scene):
    assert SECRET.casefold() in everything()
    account_erase(scene.user)
    left = everything()
    assert SECRET.casefold() not in left
    assert "anna" not in left


def test_numbers_states_and_hashes_stay(scene):
    account_erase(scene.user)
    inquiry = Inquiry.objects.get()
    assert inquiry.number == scene.inquiry.number
    assert inquiry.state == "withdrawn"
    assert list(Event.objects.values_list("verb", flat=True)) == ["ask", "withdraw", "erase"]
    document = Document.objects.get()
    assert (document.sha256, document.result_sha256, document.file.name) == ("a" * 64, "b" * 64, "")
    assert Intake.objects.get().task == TASK
    assert Intake.objects.get().context == {"consent": {"version": "1", "at": "2026-11-30"}}
    assessment = Assessment.objects.get()
    assert (assessment.status, assessment.result_sha256) == ("approved", "c" * 64)
    assert SizingRun.objects.get().result == scene.assessment.run.result


def test_files_leave_the_storage_by_a_task(scene):
    account_erase(scene.user)
    assert default_storage.exists(scene.file)
    message = OutboxMessage.objects.get(name="assessments.erase_files")
    erase_files(**message.payload, outbox_id=message.pk)
    assert not default_storage.exists(scene.file)
    assert not default_storage.exists(scene.attachment)


def test_a_document_that_was_just_being_made_goes_too(scene):
    run = scene.assessment.run
    rendering = OutboxMessage.objects.create(
        name="assessments.render_document",
        unique_key=f"render:{run.pk}:automatic:en",
        next_try_at=timezone.now(),
        leased_until=timezone.now() + timedelta(seconds=15),
    )
    account_erase(scene.user)
    message = OutboxMessage.objects.get(name="assessments.erase_files")
    with pytest.raises(StillAtWork):
        erase_files(**message.payload, outbox_id=message.pk)
    late = Document(assessment=scene.assessment, run=run, kind="automatic", language="en", pages=1, size=4)
    late.file.save("automatic-en.pdf", ContentFile(b"%PDF"), save=False)
    late.save()
    name = late.file.name
    rendering.delete()
    erase_files(**message.payload, outbox_id=message.pk)
    assert not default_storage.exists(name)
    assert set(Document.objects.values_list("file", flat=True)) == {""}


def test_a_queued_run_of_an_erased_request_is_not_started(scene):
    OutboxMessage.objects.create(
        name="assessments.run_sizing", unique_key=f"size:{scene.assessment.run.pk}", next_try_at=timezone.now()
    )
    account_erase(scene.user)
    assert not OutboxMessage.objects.filter(name="assessments.run_sizing").exists()


def test_the_person_cannot_sign_in_and_the_share_link_is_dead(scene, client):
    browser = Client()
    browser.force_login(scene.user)
    account_erase(scene.user)
    assert browser.get(reverse("web:profile")).status_code == 302
    assert client.get(reverse("pages:shared", args=["share"])).status_code == 404
    client.post(reverse("account_login"), {"email": scene.user.email})
    assert User.objects.filter(email=scene.user.email).count() == 1
    assert User.objects.get(email=scene.user.email).pk != scene.user.pk


def test_staff_get_404_for_the_erased_document(scene):
    account_erase(scene.user)
    client = Client()
    client.force_login(engineer())
    address = reverse("pages:document", args=[scene.inquiry.number, "approved", "en"])
    assert client.get(address).status_code == 404


def test_rows_are_as_immutable_as_before_after_an_erasure(scene):
    account_erase(scene.user)
    with pytest.raises(ImmutableError):
        Intake.objects.update(revision=7)


@pytest.mark.postgresql
def test_the_database_refuses_changes_again_after_an_erasure(scene):
    from django.db import DatabaseError, connection, transaction

    account_erase(scene.user)
    for statement in (
        "UPDATE assessments_event SET verb = 'approve'",
        "UPDATE assessments_assessment SET summary = 'x'",
        "DELETE FROM assessments_document",
    ):
        with pytest.raises(DatabaseError, match="never change"), transaction.atomic(), connection.cursor() as cursor:
            cursor.execute(statement)


def test_what_belongs_to_colleagues_stays_with_them_without_the_name(scene):
    colleague = MembershipFactory(organization=scene.organization, role="owner").user
    account_erase(scene.user)
    inquiry = Inquiry.objects.get()
    assert (inquiry.state, inquiry.contact) == ("needs_info", colleague)
    intake = Intake.objects.get()
    assert intake.context == {"business_task": SECRET, "consent": {"version": "1", "at": "2026-11-30"}}
    assert intake.answers == {"business": {"purpose": SECRET}}
    assert Message.objects.get().body == SECRET
    assert str(Message.objects.get().author) == "–"
    assert default_storage.exists(scene.file)
    assert "anna" not in everything()
    assert ApiToken.objects.count() == 1


def test_the_last_owner_hands_over_first(scene):
    MembershipFactory(organization=scene.organization, role="member")
    before = everything()
    with pytest.raises(NotErasable, match="needs an owner"):
        account_erase(scene.user)
    assert everything() == before


def test_staff_do_not_delete_themselves():
    with pytest.raises(NotErasable):
        account_erase(engineer())


def test_the_page_says_what_goes_and_asks_for_the_address(scene):
    client = Client(headers={"accept-language": "en"})
    client.force_login(scene.user)
    page = client.get(reverse("web:profile_delete")).content.decode()
    assert f"{SECRET} Ltd, to which nobody else belongs" in page
    assert "a released document must remain verifiable" in page
    refused = client.post(reverse("web:profile_delete"), {"email": "other@example.org"})
    assert "This is not the address of your account." in refused.content.decode()
    assert Inquiry.objects.get().state == "needs_info"
    done = client.post(reverse("web:profile_delete"), {"email": " Anna@Romashka.example "}, follow=True)
    assert done.redirect_chain == [(reverse("web:start"), 302)]
    assert "Your account and what belonged to it are deleted." in done.content.decode()
    assert account_plan(User.objects.get(pk=scene.user.pk)).requests == 0


def test_the_export_holds_what_a_person_gave_and_got_and_no_internal_notes(scene):
    Message.objects.create(inquiry=scene.inquiry, author=engineer(), audience="internal", body="margin is thin")
    DraftFactory(owner=scene.user, answers={"model": {"params": "7b"}})
    customer(email="stranger@example.org")
    client = Client()
    client.force_login(scene.user)
    response = client.get(reverse("web:profile_export"))
    assert response["Content-Disposition"] == 'attachment; filename="sizewright-my-data.json"'
    data = json.loads(response.content)
    assert data["person"]["email"] == scene.user.email
    assert data["organizations"][0]["name"] == f"{SECRET} Ltd"
    assert data["drafts"][0]["answers"] == {"model": {"params": "7b"}}
    request = data["requests"][0]
    assert request["revisions"][0]["context"]["business_task"] == SECRET
    assert request["results"][0]["result"]["schema"] == "result/1"
    assert [message["text"] for message in request["conversation"]] == [SECRET]
    assert "stranger@example.org" not in response.content.decode()


def test_requests_are_erased_when_the_settings_keep_them_no_longer(scene, time_machine):
    settings = PortalSettings.load()
    settings.retention_days = 30
    settings.save()
    open_one = InquiryFactory(organization=scene.organization, state="in_review", search_text=SECRET)
    Event.objects.create(inquiry=open_one, sequence=1, verb="finish", actor_kind="system")
    assert retention() == 0
    time_machine.move_to(timezone.now() + timedelta(days=31))
    assert retention() == 1
    assert retention() == 0
    assert Intake.objects.get().answers is None
    open_one.refresh_from_db()
    assert open_one.search_text == SECRET
    assert User.objects.get(pk=scene.user.pk).email == scene.user.email


def test_the_command_says_before_it_does(scene, capsys):
    call_command("erase", "--request", scene.inquiry.number)
    assert capsys.readouterr().out == f"Would erase (repeat with --yes): 1 requests {scene.inquiry.number}\n"
    assert Message.objects.get().body == SECRET
    call_command("erase", "--request", scene.inquiry.number, "--yes")
    assert Message.objects.get().body == "–"
    with pytest.raises(CommandError, match="no account"):
        call_command("erase", "--account", "nobody@example.org", "--yes")
    call_command("erase", "--account", scene.user.email, "--yes")
    assert viewer_of(scene.user).organizations == frozenset()
