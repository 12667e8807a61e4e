"""From rows to the plain data that a document is made of."""

from __future__ import annotations

from typing import Literal, cast

from django.conf import settings
from django.urls import reverse
from django.utils import timezone

from assessments.documents import DocumentContext
from assessments.documents.context import Adjusted, Approval, PickedServer, Remark, Requirement, Seller
from assessments.models import Adjustment, Assessment, ServerChoice, SizingRun
from assessments.selectors import in_force
from portal.accounts.models import PortalSettings

type Language = Literal["ru", "en"]


def document_context(run: SizingRun, *, kind: str, language: str) -> DocumentContext:
    """Everything the PDF of a finished run prints, in one language.

    An approved document carries the approval, picks, remarks and adjustments; an automatic one none of them.
    """
    assessment = run.assessment
    inquiry = assessment.inquiry
    if run.result is None or run.finished_at is None:
        raise ValueError(f"Run {run.pk} has no result yet; size it before rendering.")
    seller = PortalSettings.load()
    is_approved = kind == "approved"
    return DocumentContext(
        result=run.result,
        task=run.task,
        language=cast("Language", language),
        number=inquiry.number,
        revision=assessment.revision,
        made_at=run.finished_at,
        input_sha256=run.input_sha256,
        organization=inquiry.organization.name,
        business_task=assessment.intake.context.get("business_task", ""),
        status="approved" if is_approved else "automatic",
        approval=_approval(assessment) if is_approved else None,
        seller=Seller(
            name=seller.seller_name,
            contacts="\n".join(seller.contacts),
            legal=seller.legal_text_ru if language == "ru" else seller.legal_text_en,
        ),
        check_url=settings.SITE_URL + reverse("web:check"),
        servers=tuple(_picked(choice) for choice in assessment.server_choices.select_related("server__vendor"))
        if is_approved
        else (),
        remarks=_remarks(assessment) if is_approved else (),
        adjustments=_adjustments(assessment) if is_approved else (),
    )


def _approval(assessment: Assessment) -> Approval:
    if assessment.approved_by is None or assessment.approved_at is None:
        raise ValueError(f"Assessment {assessment.pk} is not approved.")
    name = assessment.approved_by.name or assessment.approved_by.email
    return Approval(name=name, on=timezone.localdate(assessment.approved_at))


def _picked(choice: ServerChoice) -> PickedServer:
    """A pick as it was at approval: the specification that was kept, not the server of today."""
    specification = choice.specification or {}
    return PickedServer(
        option=choice.option_key,
        name=specification.get("name"),
        vendor=specification.get("vendor", ""),
        quantity=choice.quantity,
        fit=choice.fit.get("fit", "fits"),
        reason=choice.reason or choice.reason_if_unfit,
        requirements=tuple(
            Requirement(
                code=line["code"],
                required=line.get("required"),
                offered=line.get("offered"),
                left=line.get("left"),
                unit=line.get("unit", "count"),
                fit=line.get("fit", "not_stated"),
            )
            for line in choice.fit.get("lines", ())
        ),
    )


def _remarks(assessment: Assessment) -> tuple[Remark, ...]:
    texts = {"summary": assessment.summary} | assessment.remarks
    return tuple(
        Remark(section=section, text=text, language=assessment.language)
        for section, text in texts.items()
        if text.strip()
    )


def _adjustments(assessment: Assessment) -> tuple[Adjusted, ...]:
    return tuple(
        Adjusted(
            kind=cast("Literal['answer', 'knob', 'option', 'text']", row.kind),
            target=row.target,
            before=row.before,
            after=row.after,
            reason=row.reason,
            author=str(row.author),
        )
        for row in in_force(assessment.adjustments.select_related("author"))
        if row.kind != Adjustment.Kind.TEXT
    )
