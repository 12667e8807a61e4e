"""Endpoints; each starts from the scoped queryset of the reader."""

from __future__ import annotations

from typing import Any

from django.http import FileResponse
from django.shortcuts import get_object_or_404
from django.utils.translation import gettext as _
from drf_spectacular.types import OpenApiTypes
from drf_spectacular.utils import OpenApiParameter, extend_schema
from rest_framework import permissions
from rest_framework.decorators import action
from rest_framework.exceptions import PermissionDenied, ValidationError
from rest_framework.pagination import CursorPagination
from rest_framework.request import Request
from rest_framework.response import Response
from rest_framework.views import APIView
from rest_framework.viewsets import ReadOnlyModelViewSet

from assessments import wording
from assessments.api.serializers import DocumentSerializer, InquiryCreateSerializer, InquirySerializer
from assessments.intake.submission import Submission
from assessments.models import Document, Inquiry
from assessments.pipeline.runs import catalog_of
from assessments.selectors import documents_of, published_assessment, shown_run
from assessments.services.inquiries import inquiry_create, organization_of
from assessments.sizing import TaskErrors, TrainingTask, parse_task, size
from catalog.snapshot import current_version
from portal.accounts.http import reader_of


class NewestFirst(CursorPagination):
    """Pages that stay stable while new requests arrive."""

    ordering = ("-submitted_at", "-pk")
    page_size = 50
    page_size_query_param = "page_size"
    max_page_size = 200


def checked_task(data: Any) -> TrainingTask:
    """The task of a request body; every error by its JSON path, in the reader's language."""
    try:
        return parse_task(data)
    except TaskErrors as refused:
        raise ValidationError(
            {error.path: [wording.say(error.code, error.params)] for error in refused.errors}
        ) from refused


class EstimateView(APIView):
    """A task in, its sizing out; nothing is stored."""

    permission_classes = (permissions.IsAuthenticated,)

    @extend_schema(request=OpenApiTypes.OBJECT, responses={200: OpenApiTypes.OBJECT})
    def post(self, request: Request) -> Response:
        task = checked_task(request.data)
        version = current_version()
        return Response(size(task, catalog_of(version.pk)).as_result())


class InquiryViewSet(ReadOnlyModelViewSet[Inquiry]):
    """Requests of the token's organisation; the seller's integration reads all."""

    serializer_class = InquirySerializer
    pagination_class = NewestFirst
    lookup_field = "number"
    filterset_fields = ("language",)

    def get_queryset(self) -> Any:
        if getattr(self, "swagger_fake_view", False):
            return Inquiry.objects.none()
        return Inquiry.objects.visible_to(reader_of(self.request))

    @extend_schema(
        request=InquiryCreateSerializer,
        responses={200: InquirySerializer, 201: InquirySerializer},
        parameters=[OpenApiParameter("Idempotency-Key", str, OpenApiParameter.HEADER)],
    )
    def create(self, request: Request) -> Response:
        """Send a task to sizing; the same `Idempotency-Key` returns the same request."""
        body = InquiryCreateSerializer(data=request.data)
        body.is_valid(raise_exception=True)
        task = checked_task(body.validated_data["task"])
        viewer = reader_of(request)
        if viewer.token is not None and (viewer.token.organization is None or "submit" not in viewer.token.scopes):
            raise PermissionDenied(_("This token may not send requests."))
        organization = organization_of(viewer)
        key = request.headers.get("Idempotency-Key", "")[:255] or None
        inquiry, is_new = inquiry_create(
            submission=Submission(task=task.canonical(), context=dict(body.validated_data.get("context", {}))),
            language=body.validated_data["language"],
            by=viewer,
            organization=organization,
            idempotency_key=key,
        )
        return Response(self.get_serializer(inquiry).data, status=201 if is_new else 200)

    @extend_schema(responses={200: OpenApiTypes.OBJECT})
    @action(detail=True)
    def result(self, request: Request, number: str) -> Response:
        """The published result of the newest revision as result/1; 404 before there is one."""
        assessment = published_assessment(self.get_object(), reader_of(request))
        run = shown_run(assessment, reader_of(request)) if assessment else None
        if run is None or run.result is None:
            return Response(status=404)
        return Response(run.result, headers={"ETag": f'"{run.input_sha256}"'})

    @extend_schema(responses=DocumentSerializer(many=True))
    @action(detail=True, pagination_class=None, filterset_fields=())
    def documents(self, request: Request, number: str) -> Response:
        """The PDFs of the newest revision."""
        assessment = published_assessment(self.get_object(), reader_of(request))
        documents = documents_of(assessment, reader_of(request)) if assessment else []
        return Response(DocumentSerializer(documents, many=True).data)

    @extend_schema(responses={(200, "application/pdf"): OpenApiTypes.BINARY})
    @action(detail=True, url_path=r"documents/(?P<kind>automatic|approved)-(?P<language>ru|en)\.pdf")
    def document(self, request: Request, number: str, kind: str, language: str) -> FileResponse:
        """One PDF of the newest revision."""
        assessment = published_assessment(self.get_object(), reader_of(request))
        document = get_object_or_404(
            Document.objects.visible_to(reader_of(request)), assessment=assessment, kind=kind, language=language
        )
        return FileResponse(document.file.open("rb"), content_type="application/pdf", as_attachment=True)
