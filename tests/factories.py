"""Makers of rows for tests; traits are states, never towers of fixtures."""

from __future__ import annotations

import hashlib
from datetime import timedelta
from typing import Any

import factory
from django.contrib.auth.models import Group
from django.utils import timezone
from factory.django import DjangoModelFactory

from assessments.models import (
    Assessment,
    Draft,
    Inquiry,
    InquirySequence,
    Intake,
    ServerChoice,
    SizingRun,
    State,
)
from catalog.models import CatalogVersion
from portal.accounts.models import Membership, Organization, User
from portal.accounts.roles import APPROVER, CATALOG_KEEPER, ENGINEER, MANAGER
from portal.accounts.viewer import Viewer

TASK = {
    "schema": "task/1",
    "scenarios": [
        {
            "name": "first",
            "strategy": {"method": "lora"},
            "model": {"preset": "llama-3.1-8b", "inputs": ["text"], "context_tokens": 4096},
            "dataset": {"tokens": 50_000_000, "epochs": 3, "profile": "continuous_text"},
            "cycle": {"wanted_h": 24, "latest_h": 72},
        }
    ],
    "horizon": {"use": "platform", "years": 3},
    "facility": {"racks": 1, "rack_kw": 15, "cooling": "air"},
}


def result_of(**changes: Any) -> dict[str, Any]:
    """A small result/1 with one option, for tests that are not about the engine."""
    option = {
        "key": "balanced",
        "merged": [],
        "accelerator": "l40s-48gb",
        "gpus": 2,
        "servers": 1,
        "link": "pcie",
        "fabric": None,
        "layout": {},
        "recipe": {},
        "techniques": [],
        "memory": {"moment": "loss", "rank": "first", "parts": [], "total": "balanced.memory.total"},
        "deadline": {"target": "wanted", "sure": True},
        "resources": [],
        "fit": "fits",
        "interconnect": {"profile": 1, "weaker": []},
        "nearest_run": None,
        "requirement": {"accelerator": "l40s-48gb", "gpus_per_server": 2, "servers": 1, "link": "pcie"},
    }
    quantities = {
        "gpus": {
            "v": [1, 2, 2],
            "unit": "gpus",
            "origin": "computed",
            "formula": "envelope",
            "inputs": [],
            "source": "",
        },
        "power": {
            "v": [900, 1100, 1300],
            "unit": "w",
            "origin": "computed",
            "formula": "x",
            "inputs": [],
            "source": "",
        },
        "balanced.memory.total": {
            "v": [18e9, 20e9, 24e9],
            "unit": "bytes",
            "origin": "computed",
            "formula": "x",
            "inputs": [],
            "source": "",
        },
    }
    return {
        "schema": "result/1",
        "verdict": {"class": "workstation", "advice": [], "code": "verdict_workstation", "params": {}},
        "summary": {"gpus": "gpus", "power": "power", "servers": "", "time": "", "memory": "balanced.memory.total"},
        "quantities": quantities,
        "options": [option],
        "findings": [],
        "assumptions": [],
    } | changes


class UserFactory(DjangoModelFactory[User]):
    """A person without rights; a trait gives the role."""

    class Meta:
        model = User
        skip_postgeneration_save = True

    email = factory.Sequence(lambda n: f"person{n}@example.com")
    name = factory.Sequence(lambda n: f"Person {n}")

    class Params:
        staff = factory.Trait(is_staff=True)

    @factory.post_generation
    def roles(self: User, create: bool, extracted: list[str] | None, **_: Any) -> None:  # type: ignore[misc] – factory-boy calls it on the object
        for role in extracted or ():
            self.groups.add(Group.objects.get(name=role))


def engineer(**fields: Any) -> User:
    """An engineer who may not approve."""
    return UserFactory(staff=True, roles=[ENGINEER], **fields)


def approver(**fields: Any) -> User:
    """An engineer who may also approve."""
    return UserFactory(staff=True, roles=[ENGINEER, APPROVER], **fields)


def manager(**fields: Any) -> User:
    """A manager of the pipeline."""
    return UserFactory(staff=True, roles=[MANAGER], **fields)


def catalog_keeper(**fields: Any) -> User:
    """A keeper of the catalog."""
    return UserFactory(staff=True, roles=[CATALOG_KEEPER], **fields)


class OrganizationFactory(DjangoModelFactory[Organization]):
    class Meta:
        model = Organization

    name = factory.Sequence(lambda n: f"Organisation {n}")


class MembershipFactory(DjangoModelFactory[Membership]):
    class Meta:
        model = Membership

    user = factory.SubFactory(UserFactory)
    organization = factory.SubFactory(OrganizationFactory)
    role = Membership.Role.OWNER


def customer(organization: Organization | None = None, **fields: Any) -> User:
    """A customer who belongs to an organisation."""
    user = UserFactory(**fields)
    MembershipFactory(user=user, organization=organization or OrganizationFactory())
    return user


def viewer_of(user: User) -> Viewer:
    """The viewer of a signed-in person, roles read anew."""
    return Viewer.of(User.objects.get(pk=user.pk))


class CatalogVersionFactory(DjangoModelFactory[CatalogVersion]):
    class Meta:
        model = CatalogVersion
        django_get_or_create = ("sha256",)

    label = "2026-11"
    snapshot = factory.LazyFunction(
        lambda: {"schema": "catalog/1", "label": "2026-11", "accelerators": [], "fabrics": [], "platforms": []}
    )
    sha256 = "0" * 64


class DraftFactory(DjangoModelFactory[Draft]):
    class Meta:
        model = Draft

    language = "en"
    expires_at = factory.LazyFunction(lambda: timezone.now() + timedelta(days=90))


class InquiryFactory(DjangoModelFactory[Inquiry]):
    """A request in any state, without passing through the workflow."""

    class Meta:
        model = Inquiry

    organization = factory.SubFactory(OrganizationFactory)
    language = "en"
    state = State.SUBMITTED
    submitted_at = factory.LazyFunction(timezone.now)
    number = factory.LazyFunction(lambda: InquirySequence.next_number(2026))


class IntakeFactory(DjangoModelFactory[Intake]):
    class Meta:
        model = Intake

    inquiry = factory.SubFactory(InquiryFactory)
    revision = 1
    task = factory.LazyFunction(lambda: TASK)
    schema = "task/1"


class AssessmentFactory(DjangoModelFactory[Assessment]):
    """A working assessment; `sized` gives it a finished run."""

    class Meta:
        model = Assessment
        skip_postgeneration_save = True

    intake = factory.SubFactory(IntakeFactory)
    inquiry = factory.SelfAttribute("intake.inquiry")
    revision = 1
    language = "en"

    @factory.post_generation
    def sized(self: Assessment, create: bool, extracted: dict[str, Any] | bool | None, **_: Any) -> None:  # type: ignore[misc] – as above
        if not extracted:
            return
        result = extracted if isinstance(extracted, dict) else result_of()
        run = SizingRunFactory(assessment=self, result=result, finished_at=timezone.now(), step=SizingRun.Step.DONE)
        self.first_run = self.run = run
        self.save(update_fields=["first_run", "run"])


class SizingRunFactory(DjangoModelFactory[SizingRun]):
    class Meta:
        model = SizingRun

    assessment = factory.SubFactory(AssessmentFactory)
    input_sha256 = factory.Sequence(lambda n: hashlib.sha256(str(n).encode()).hexdigest())
    task = factory.LazyFunction(lambda: TASK)
    catalog_version = factory.SubFactory(CatalogVersionFactory)
    engine = "test"
    calibration = "test"


class ServerChoiceFactory(DjangoModelFactory[ServerChoice]):
    class Meta:
        model = ServerChoice

    assessment = factory.SubFactory(AssessmentFactory)
    option_key = "balanced"
    setup = factory.LazyFunction(lambda: {"accelerator": "l40s-48gb", "gpus": 2, "servers": 1, "link": "pcie"})
    reason = "None of the catalog's servers is in stock."
    author = factory.SubFactory(UserFactory)
