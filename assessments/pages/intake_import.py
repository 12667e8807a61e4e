"""Take a config.json or a training configuration: show what was understood, write it when that is confirmed."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from django.contrib import messages
from django.core.files.uploadedfile import UploadedFile
from django.http import HttpResponse, HttpResponseRedirect
from django.shortcuts import render
from django.urls import reverse
from django.utils.translation import gettext as _
from django.utils.translation import ngettext
from django.views.decorators.http import require_http_methods

from assessments.intake.drafts import answers_add
from assessments.intake.importers import ImportFailed, config_from_text, text_of, training_from_text
from assessments.intake.steps import BY_SLUG
from assessments.intake.task_to_answers import TypedPage, task_to_answers
from assessments.models import Draft
from assessments.pages.intake_draft import open_draft
from assessments.sizing.architectures import ConfigError, read_model_config
from portal.accounts.http import ReaderRequest

MODEL_KEYS = frozenset({"model_type", "architectures", "hidden_size", "num_hidden_layers", "n_layer", "d_model"})


@dataclass(frozen=True, slots=True, kw_only=True)
class Understood:
    """What a file says: typed answers by step, how they read, and what it does not use."""

    answers: Mapping[str, TypedPage]
    lines: tuple[tuple[str, str], ...]
    unused: tuple[str, ...]

    @property
    def used_text(self) -> str:
        """“Read: 5 fields.”"""
        n = len(self.lines)
        return ngettext("Read: %(n)d field.", "Read: %(n)d fields.", n) % {"n": n}


@require_http_methods(["GET", "HEAD", "POST"])
@open_draft
def import_file(request: ReaderRequest, draft: Draft) -> HttpResponse:
    """A file or pasted text, then what was understood, then the answers."""
    context: dict[str, Any] = {"draft": draft, "text": request.POST.get("text", "")}
    if request.method != "POST":
        return render(request, "intake/import.html", context)
    try:
        upload = request.FILES.get("file")
        if isinstance(upload, UploadedFile):
            context["text"] = text_of(upload.read())
        understood = understand(context["text"])
    except ImportFailed as error:
        return render(request, "intake/import.html", {**context, "error": str(error)})
    if request.POST.get("do") != "apply":
        return render(request, "intake/import.html", {**context, "understood": understood})
    answers_add(draft_id=draft.pk, answers=understood.answers, by=request.viewer)
    messages.success(request, _("The answers are written; check them in their sections."))
    return HttpResponseRedirect(reverse("pages:draft", args=[draft.pk]))


def understand(text: str) -> Understood:
    """The answers in a file. Raises ImportFailed with what is wrong with it."""
    task, unused = _model(text) or training_from_text(text)
    answers, without_question = task_to_answers(task)
    lines = []
    for slug, page in answers.items():
        form = BY_SLUG[slug].form_class(page, is_checked=False)
        lines += [(str(field.label), spoken) for name, field, spoken in form.shown() if name != "described_by"]
    return Understood(answers=answers, lines=tuple(lines), unused=(*unused, *without_question))


def _model(text: str) -> tuple[dict[str, Any], tuple[str, ...]] | None:
    """The task of a model's configuration; None if the text is something else."""
    try:
        config = config_from_text(text)
    except ImportFailed:
        return None
    if MODEL_KEYS.isdisjoint(config):
        return None
    try:
        read_model_config(config)
    except ConfigError as error:
        raise ImportFailed(error.code, **error.params) from None
    return {"scenarios": [{"model": {"config": config}}]}, ()
