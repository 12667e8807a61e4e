"""What programs are told when something went wrong."""

from typing import Any

from rest_framework.exceptions import ValidationError
from rest_framework.response import Response
from rest_framework.views import exception_handler


def problem_details(error: Exception, context: dict[str, Any]) -> Response | None:
    """DRF's exception handler: RFC 9457 problem details, with the errors of fields by their path."""
    response = exception_handler(error, context)
    if response is None:
        return None
    body: dict[str, Any] = {"status": response.status_code, "title": response.status_text}
    if isinstance(error, ValidationError):
        body["errors"] = response.data
    elif isinstance(response.data, dict) and "detail" in response.data:
        body["detail"] = str(response.data["detail"])
        body["code"] = getattr(response.data["detail"], "code", "error")
    response.data = body
    response.content_type = "application/problem+json"
    return response
