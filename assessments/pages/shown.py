"""What one reader is shown of one revision: its run, its documents, its stamp, and what they may do."""

from dataclasses import dataclass
from datetime import timedelta

from django.conf import settings

from assessments import selectors, workflow
from assessments.models import Assessment, Document, Inquiry, PublicState, ShareLink, SizingRun
from assessments.pages.heading import Stamp, stamp_of, status_line
from assessments.pages.progress import Progress, progress
from assessments.wording import task_title
from portal.accounts.viewer import Viewer


@dataclass(frozen=True, slots=True, kw_only=True)
class Shown:
    """One revision as a reader may see it."""

    viewer: Viewer
    inquiry: Inquiry
    assessment: Assessment
    run: SizingRun | None
    documents: list[Document]
    revisions: list[Assessment]
    progress: Progress
    stamp: Stamp
    title: str
    status_line: str
    usual: timedelta | None
    verbs: frozenset[str]
    share_links: list[ShareLink]

    @property
    def has_result(self) -> bool:
        return self.run is not None and self.run.result is not None

    @property
    def is_polled(self) -> bool:
        """Whether the page should ask again by itself."""
        return self.inquiry.public_state == PublicState.CALCULATING and not self.progress.is_failed

    @property
    def missing_languages(self) -> list[str]:
        """Languages in which the PDF can still be asked for."""
        made = {document.language for document in self.documents}
        return [code for code in dict(settings.LANGUAGES) if self.documents and code not in made]


def shown(inquiry: Inquiry, assessment: Assessment, viewer: Viewer) -> Shown:
    """Gather what a page about one revision needs."""
    run = selectors.shown_run(assessment, viewer)
    documents = selectors.documents_of(assessment, viewer)
    revisions = Assessment.objects.visible_to(viewer).filter(inquiry=inquiry).order_by("-revision")
    return Shown(
        viewer=viewer,
        inquiry=inquiry,
        assessment=assessment,
        run=run,
        documents=documents,
        revisions=list(revisions),
        progress=progress(inquiry, run, has_document=bool(documents)),
        stamp=stamp_of(inquiry, assessment),
        title=task_title(assessment.intake.task),
        status_line=status_line(inquiry),
        usual=selectors.usual_duration(),
        verbs=frozenset(t.verb for t in workflow.available(inquiry, viewer)),
        share_links=list(
            ShareLink.objects.visible_to(viewer).filter(assessment=assessment, revoked_at=None).order_by("expires_at")
        ),
    )
