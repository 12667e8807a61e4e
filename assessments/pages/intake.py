"""The intake: a draft's task list, its steps, and the way to a request."""

from django.http import HttpResponse, HttpResponseRedirect
from django.shortcuts import render
from django.urls import path, reverse
from django.utils.translation import get_language
from django.views.decorators.http import require_http_methods, require_POST, require_safe

from assessments.intake.drafts import draft_create, draft_delete, scenario_add, scenario_remove
from assessments.intake.overview import open_section, sections_of
from assessments.intake.steps import MOST_SCENARIOS, STEPS, Page, scenario_count
from assessments.models import Draft
from assessments.pages.intake_draft import open_draft, remember
from assessments.pages.intake_estimate import estimate
from assessments.pages.intake_import import import_file
from assessments.pages.intake_return import go_on, link
from assessments.pages.intake_steps import step
from assessments.pages.intake_submit import check, submit
from portal.accounts.http import ReaderRequest
from portal.limits import limited


@require_http_methods(["GET", "HEAD", "POST"])
@limited("drafts")
def new(request: ReaderRequest) -> HttpResponse:
    """Begin; no account is needed. A GET, such as a reload of this address, leads to the first page."""
    if request.method != "POST":
        return HttpResponseRedirect(reverse("web:start"))
    draft, token = draft_create(by=request.viewer, language=(get_language() or "ru")[:2])
    response = HttpResponseRedirect(reverse("pages:draft", args=[draft.pk]))
    remember(request, response, token)
    return response


@require_safe
@open_draft
def task_list(request: ReaderRequest, draft: Draft) -> HttpResponse:
    """Seven sections in any order, how far they are, and where to go on."""
    sections = sections_of(draft.answers)
    count = scenario_count(draft.answers)
    scenarios = [[s for s in sections if s.page.step.is_per_scenario and s.page.scenario == n] for n in range(count)]
    common = [s for s in sections if not s.page.step.is_per_scenario]
    parameters = [s for s in common if s.page.step.slug == "horizon"]
    context = {
        "draft": draft,
        "sections": sections,
        "scenarios": scenarios,
        "parameters": parameters,
        "rest": [s for s in common if s not in parameters],
        "n_done": sum(section.is_done for section in sections),
        "n_all": len(sections),
        "next": open_section(sections),
        "can_add": count < MOST_SCENARIOS,
        "last_scenario": count,
    }
    return render(request, "intake/list.html", context)


@require_http_methods(["GET", "HEAD", "POST"])
@open_draft
def delete(request: ReaderRequest, draft: Draft) -> HttpResponse:
    """Ask, then delete at once."""
    if request.method != "POST":
        return render(request, "intake/delete.html", {"draft": draft})
    draft_delete(draft_id=draft.pk, by=request.viewer)
    return render(request, "intake/deleted.html")


@require_POST
@open_draft
def scenario(request: ReaderRequest, draft: Draft) -> HttpResponse:
    """Add a second training that starts as a copy of the last one, or take the last one away."""
    if request.POST.get("do") == "remove":
        scenario_remove(draft_id=draft.pk, by=request.viewer)
    else:
        last = scenario_count(draft.answers) - 1
        added = scenario_add(draft_id=draft.pk, copied=last, by=request.viewer, most=MOST_SCENARIOS)
        if added is not None:
            return HttpResponseRedirect(reverse("pages:step", args=[draft.pk, Page(step=STEPS[0], scenario=added).key]))
    return HttpResponseRedirect(reverse("pages:draft", args=[draft.pk]))


urlpatterns = [
    path("drafts/new/", new, name="draft_new"),
    path("drafts/<uuid:draft_id>/", task_list, name="draft"),
    path("drafts/<uuid:draft_id>/check/", check, name="draft_check"),
    path("drafts/<uuid:draft_id>/submit/", submit, name="submit"),
    path("drafts/<uuid:draft_id>/delete/", delete, name="draft_delete"),
    path("drafts/<uuid:draft_id>/estimate/", estimate, name="draft_estimate"),
    path("drafts/<uuid:draft_id>/import/", import_file, name="draft_import"),
    path("drafts/continue/<str:signed>/", go_on, name="draft_continue"),
    path("drafts/<uuid:draft_id>/link/", link, name="draft_link"),
    path("drafts/<uuid:draft_id>/scenarios/", scenario, name="draft_scenario"),
    path("drafts/<uuid:draft_id>/<slug:key>/", step, name="step"),
]
