"""What the API takes and gives."""

from __future__ import annotations

from typing import Any

from django.conf import settings
from rest_framework import serializers

from assessments.models import Document, Inquiry
from assessments.workflow import available
from portal.accounts.http import reader_of


class ContextSerializer(serializers.Serializer[dict[str, Any]]):
    """What is not part of the task: free text and people."""

    business_task = serializers.CharField(max_length=8000, required=False, allow_blank=True)
    contact_name = serializers.CharField(max_length=200, required=False, allow_blank=True)
    email = serializers.EmailField(required=False)


class InquiryCreateSerializer(serializers.Serializer[dict[str, Any]]):
    """A new request: a task in the schema `task/1` and its context."""

    task = serializers.JSONField(help_text="task/1, see /api/v1/schemas/task-1.json")
    context = ContextSerializer(required=False)  # type: ignore[assignment]  # the name hides a property of DRF's fields
    language = serializers.ChoiceField(choices=settings.LANGUAGES, default=settings.LANGUAGE_CODE)


class InquirySerializer(serializers.ModelSerializer[Inquiry]):
    """A request as its organisation may see it: the five public words, nothing internal."""

    state = serializers.SerializerMethodField()
    available_actions = serializers.SerializerMethodField()

    class Meta:
        model = Inquiry
        fields = (
            "number",
            "state",
            "language",
            "submitted_at",
            "released_at",
            "available_actions",
        )
        read_only_fields = fields

    def get_state(self, inquiry: Inquiry) -> str:
        viewer = reader_of(self.context["request"])
        return str(inquiry.state if viewer.sees_all else inquiry.public_state)

    def get_available_actions(self, inquiry: Inquiry) -> list[str]:
        return [transition.verb for transition in available(inquiry, reader_of(self.context["request"]))]


class DocumentSerializer(serializers.ModelSerializer[Document]):
    """A PDF that may be downloaded."""

    class Meta:
        model = Document
        fields = ("kind", "language", "sha256", "result_sha256", "pages", "size", "created_at")
        read_only_fields = fields
