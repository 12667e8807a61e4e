"""Steps of the review desk: each opens a dialog and calls one service."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any

from django.contrib import messages
from django.http import HttpRequest, HttpResponse
from django.shortcuts import render
from django.urls import reverse
from django.utils.translation import gettext_lazy as _
from unfold.decorators import action
from unfold.enums import ActionVariant

from assessments import workflow
from assessments.models import Inquiry, Message
from assessments.review.forms import (
    ApproveDialog,
    AssignDialog,
    ConfirmDialog,
    DeskDialog,
    MessageDialog,
    NoteDialog,
    PublicReasonDialog,
    QuestionDialog,
    ReasonDialog,
    ServerDialog,
    SummaryDialog,
)
from assessments.services import inquiries, reviews
from assessments.services.messages import message_post, question_take_back
from portal.accounts.http import reader_of

if TYPE_CHECKING:
    from django.utils.functional import _StrPromise


def cached_inquiry(request: HttpRequest, object_id: str | int | None) -> Inquiry | None:
    """The request that a page of the desk is about, read once per HTTP request."""
    kept: dict[str, Inquiry | None] = vars(request).setdefault("desk_inquiries", {})
    key = str(object_id)
    if key not in kept:
        visible = Inquiry.objects.visible_to(reader_of(request)).select_related("organization", "assignee", "contact")
        kept[key] = visible.filter(pk=int(key)).first() if key.isdigit() else None
    return kept[key]


class ReviewActions:
    """The verbs of the desk; `has_…_permission` asks the same table that the transitions obey."""

    def _carried_out(
        self,
        request: HttpRequest,
        verb: str,
        form: DeskDialog,
        object_id: str,
        step: Callable[[], Any],
        *,
        done: _StrPromise | str,
    ) -> HttpResponse:
        """Take a step, say what came of it and go back to the page; a refusal stands in the dialog, nothing is lost."""
        try:
            step()
        except workflow.WorkflowError as refusal:
            form.add_error(None, str(refusal))
            if isinstance(refusal, workflow.Conflict):
                form.show_theirs()
            dialog = getattr(self, verb).dialog
            context = {"dialog": dialog, "form": form, "form_submit_text": dialog.get("form_submit_text", "")}
            return render(request, "unfold/helpers/dialog.html", context)
        messages.success(request, str(done))
        address = reverse("admin:assessments_inquiry_change", args=[object_id])
        return HttpResponse(headers={"HX-Redirect": address})

    def _offers(self, request: HttpRequest, verb: str, object_id: str | int | None) -> bool:
        """Whether the page shows the step; one that was shown and is taken late is refused in words, not by a 403."""
        inquiry, reader = cached_inquiry(request, object_id), reader_of(request)
        if inquiry is None:
            return False
        transition = workflow.TRANSITIONS[verb]
        is_taken = request.resolver_match is not None and request.method == "POST"
        return transition.may(reader, inquiry) if is_taken else transition in workflow.available(inquiry, reader)

    def has_review_permission(self, request: HttpRequest, object_id: str | None = None) -> bool:
        return self._offers(request, "ask", object_id)

    def has_approve_permission(self, request: HttpRequest, object_id: str | None = None) -> bool:
        return self._offers(request, "approve", object_id)

    def has_release_permission(self, request: HttpRequest, object_id: str | None = None) -> bool:
        return self._offers(request, "release", object_id)

    def has_reject_permission(self, request: HttpRequest, object_id: str | None = None) -> bool:
        return self._offers(request, "reject", object_id)

    def has_reopen_permission(self, request: HttpRequest, object_id: str | None = None) -> bool:
        return self._offers(request, "reopen", object_id)

    def has_retry_permission(self, request: HttpRequest, object_id: str | None = None) -> bool:
        return self._offers(request, "retry", object_id)

    def has_answer_permission(self, request: HttpRequest, object_id: str | None = None) -> bool:
        return self._offers(request, "answer", object_id)

    def has_propose_permission(self, request: HttpRequest, object_id: str | None = None) -> bool:
        return self._offers(request, "propose", object_id)

    def has_close_permission(self, request: HttpRequest, object_id: str | None = None) -> bool:
        return self._offers(request, "win", object_id)

    def has_take_permission(self, request: HttpRequest, object_id: str | None = None) -> bool:
        return reader_of(request).has_perm("assessments.review_inquiry")

    def has_write_permission(self, request: HttpRequest, object_id: str | None = None) -> bool:
        reader = reader_of(request)
        return reader.has_perm("assessments.review_inquiry") or reader.has_perm("assessments.manage_pipeline")

    def has_assign_permission(self, request: HttpRequest, object_id: str | None = None) -> bool:
        return reader_of(request).has_perm("assessments.manage_pipeline")

    @action(
        description=_("Take"),
        permissions=["take"],
        dialog={"title": _("Take this request"), "form_class": ConfirmDialog, "form_submit_text": _("Take")},
    )
    def take(self, request: HttpRequest, form: ConfirmDialog, object_id: str) -> HttpResponse:
        return self._carried_out(
            request,
            "take",
            form,
            object_id,
            lambda: reviews.inquiry_assign(
                inquiry_id=int(object_id), assignee=reader_of(request).user, by=reader_of(request)
            ),
            done=_("You work on this request now."),
        )

    @action(
        description=_("Give back"),
        permissions=["take"],
        dialog={"title": _("Give this request back to the queue"), "form_class": ConfirmDialog},
    )
    def give_back(self, request: HttpRequest, form: ConfirmDialog, object_id: str) -> HttpResponse:
        return self._carried_out(
            request,
            "give_back",
            form,
            object_id,
            lambda: reviews.inquiry_assign(inquiry_id=int(object_id), assignee=None, by=reader_of(request)),
            done=_("The request is in the queue again."),
        )

    @action(
        description=_("Assign"),
        permissions=["assign"],
        dialog={"title": _("Who works on this request"), "form_class": AssignDialog},
    )
    def assign(self, request: HttpRequest, form: AssignDialog, object_id: str) -> HttpResponse:
        return self._carried_out(
            request,
            "assign",
            form,
            object_id,
            lambda: reviews.inquiry_assign(
                inquiry_id=int(object_id), assignee=form.cleaned_data["assignee"], by=reader_of(request)
            ),
            done=_("Assigned."),
        )

    @action(
        description=_("Ask the customer"),
        permissions=["review"],
        dialog={"title": _("Ask the customer"), "form_class": QuestionDialog, "form_submit_text": _("Send")},
    )
    def ask(self, request: HttpRequest, form: QuestionDialog, object_id: str) -> HttpResponse:
        return self._carried_out(
            request,
            "ask",
            form,
            object_id,
            lambda: reviews.inquiry_ask(
                inquiry_id=int(object_id),
                question=form.cleaned_data["question"],
                path=form.cleaned_data["path"],
                by=reader_of(request),
            ),
            done=_("The question is on its way; the clock stands still."),
        )

    @action(
        description=_("Take the question back"),
        permissions=["answer"],
        dialog={"title": _("Take the question back"), "form_class": ReasonDialog},
    )
    def take_back(self, request: HttpRequest, form: ReasonDialog, object_id: str) -> HttpResponse:
        return self._carried_out(
            request,
            "take_back",
            form,
            object_id,
            lambda: question_take_back(
                inquiry_id=int(object_id), reason=form.cleaned_data["reason"], by=reader_of(request)
            ),
            done=_("The request is in review again."),
        )

    @action(
        description=_("Write to the customer"),
        permissions=["write"],
        dialog={"title": _("Write to the customer"), "form_class": MessageDialog, "form_submit_text": _("Send")},
    )
    def write(self, request: HttpRequest, form: MessageDialog, object_id: str) -> HttpResponse:
        return self._carried_out(
            request,
            "write",
            form,
            object_id,
            lambda: message_post(inquiry_id=int(object_id), body=form.cleaned_data["body"], by=reader_of(request)),
            done=_("The message is on its way."),
        )

    @action(
        description=_("Internal note"),
        permissions=["write"],
        dialog={"title": _("A note that never leaves the staff"), "form_class": NoteDialog},
    )
    def note(self, request: HttpRequest, form: NoteDialog, object_id: str) -> HttpResponse:
        return self._carried_out(
            request,
            "note",
            form,
            object_id,
            lambda: message_post(
                inquiry_id=int(object_id),
                body=form.cleaned_data["body"],
                by=reader_of(request),
                audience=Message.Audience.INTERNAL,
            ),
            done=_("The note is kept."),
        )

    @action(
        description=_("Size with the present engine and catalog"),
        permissions=["review"],
        dialog={
            "title": _("Size anew with the present engine, calibration and catalog"),
            "form_class": ConfirmDialog,
            "form_submit_text": _("Size anew"),
        },
    )
    def resize(self, request: HttpRequest, form: ConfirmDialog, object_id: str) -> HttpResponse:
        return self._carried_out(
            request,
            "resize",
            form,
            object_id,
            lambda: reviews.assessment_resize(inquiry_id=int(object_id), seen=form.version_seen, by=reader_of(request)),
            done=_("The sizing runs again; the page shows what moved."),
        )

    @action(
        description=_("Choose a server"),
        permissions=["review"],
        dialog={"title": _("Server of the catalog for an option"), "form_class": ServerDialog},
    )
    def choose_server(self, request: HttpRequest, form: ServerDialog, object_id: str) -> HttpResponse:
        return self._carried_out(
            request,
            "choose_server",
            form,
            object_id,
            lambda: reviews.server_choose(
                inquiry_id=int(object_id),
                option_key=form.cleaned_data["option"],
                server=form.chosen_server(),
                quantity=form.cleaned_data["quantity"],
                reason=form.cleaned_data["reason"],
                internal_note=form.cleaned_data["internal_note"],
                seen=form.version_seen,
                by=reader_of(request),
            ),
            done=_("The choice is kept."),
        )

    @action(
        description=_("Write the summary"),
        permissions=["review"],
        dialog={"title": _("Summary for the customer"), "form_class": SummaryDialog, "form_submit_text": _("Save")},
    )
    def summarise(self, request: HttpRequest, form: SummaryDialog, object_id: str) -> HttpResponse:
        return self._carried_out(
            request,
            "summarise",
            form,
            object_id,
            lambda: reviews.assessment_describe(
                inquiry_id=int(object_id),
                summary=form.cleaned_data["summary"],
                remarks=form.remarks(),
                seen=form.version_seen,
                by=reader_of(request),
            ),
            done=_("The summary is kept."),
        )

    @action(
        description=_("Approve"),
        permissions=["approve"],
        variant=ActionVariant.PRIMARY,
        dialog={
            "title": _("Approve this assessment? It becomes final; a change makes a new revision."),
            "form_class": ApproveDialog,
            "form_submit_text": _("Approve"),
        },
    )
    def approve(self, request: HttpRequest, form: ApproveDialog, object_id: str) -> HttpResponse:
        return self._carried_out(
            request,
            "approve",
            form,
            object_id,
            lambda: reviews.assessment_approve(
                inquiry_id=int(object_id),
                seen=form.version_seen,
                by=reader_of(request),
                reason=form.cleaned_data["reason"],
                checklist=form.checklist(),
            ),
            done=_("Approved; the documents are being made."),
        )

    @action(
        description=_("Release to the customer"),
        permissions=["release"],
        variant=ActionVariant.PRIMARY,
        dialog={"title": _("Show the approved assessment to the customer"), "form_class": ConfirmDialog},
    )
    def release(self, request: HttpRequest, form: ConfirmDialog, object_id: str) -> HttpResponse:
        return self._carried_out(
            request,
            "release",
            form,
            object_id,
            lambda: reviews.assessment_release(inquiry_id=int(object_id), by=reader_of(request)),
            done=_("Released; the customer gets a mail."),
        )

    @action(
        description=_("Reject"),
        permissions=["reject"],
        variant=ActionVariant.DANGER,
        dialog={"title": _("Reject this request"), "form_class": PublicReasonDialog, "form_submit_text": _("Reject")},
    )
    def reject(self, request: HttpRequest, form: PublicReasonDialog, object_id: str) -> HttpResponse:
        return self._carried_out(
            request,
            "reject",
            form,
            object_id,
            lambda: reviews.inquiry_reject(
                inquiry_id=int(object_id), reason=form.cleaned_data["reason"], by=reader_of(request)
            ),
            done=_("Rejected; the customer gets a mail."),
        )

    @action(
        description=_("Reopen"),
        permissions=["reopen"],
        dialog={"title": _("Reopen: a new revision on the same answers"), "form_class": ReasonDialog},
    )
    def reopen(self, request: HttpRequest, form: ReasonDialog, object_id: str) -> HttpResponse:
        return self._carried_out(
            request,
            "reopen",
            form,
            object_id,
            lambda: reviews.inquiry_reopen(
                inquiry_id=int(object_id), reason=form.cleaned_data["reason"], by=reader_of(request)
            ),
            done=_("A new revision is open."),
        )

    @action(
        description=_("Size again"),
        permissions=["retry"],
        dialog={"title": _("Size this request again"), "form_class": ConfirmDialog},
    )
    def retry(self, request: HttpRequest, form: ConfirmDialog, object_id: str) -> HttpResponse:
        return self._carried_out(
            request,
            "retry",
            form,
            object_id,
            lambda: inquiries.inquiry_retry(inquiry_id=int(object_id), by=reader_of(request)),
            done=_("The request is in the queue again."),
        )

    @action(
        description=_("Make a proposal"),
        permissions=["propose"],
        dialog={"title": _("A proposal is being made"), "form_class": ConfirmDialog},
    )
    def propose(self, request: HttpRequest, form: ConfirmDialog, object_id: str) -> HttpResponse:
        return self._carried_out(
            request,
            "propose",
            form,
            object_id,
            lambda: workflow.propose(int(object_id), by=reader_of(request)),
            done=_("Noted."),
        )

    @action(
        description=_("Won"),
        permissions=["close"],
        dialog={"title": _("The customer bought"), "form_class": ConfirmDialog},
    )
    def win(self, request: HttpRequest, form: ConfirmDialog, object_id: str) -> HttpResponse:
        return self._carried_out(
            request,
            "win",
            form,
            object_id,
            lambda: workflow.win(int(object_id), by=reader_of(request)),
            done=_("Noted."),
        )

    @action(
        description=_("Lost"),
        permissions=["close"],
        dialog={"title": _("The customer did not buy"), "form_class": ReasonDialog},
    )
    def lose(self, request: HttpRequest, form: ReasonDialog, object_id: str) -> HttpResponse:
        return self._carried_out(
            request,
            "lose",
            form,
            object_id,
            lambda: workflow.lose(int(object_id), by=reader_of(request), reason=form.cleaned_data["reason"]),
            done=_("Noted."),
        )
