"""Refusals of the workflow as problem details, beside those that every API of the portal shares."""

from typing import Any

from rest_framework.exceptions import APIException
from rest_framework.response import Response

from assessments.workflow import Conflict, NotAllowed, WorkflowError, WrongState
from portal.rest.problems import problem_details as shared_problem_details


class Refusal(APIException):
    """A step that the workflow refused, in its own words."""

    def __init__(self, refused: WorkflowError) -> None:
        super().__init__(str(refused), code=type(refused).__name__)
        if isinstance(refused, NotAllowed):
            self.status_code = 403
        elif isinstance(refused, (Conflict, WrongState)):
            self.status_code = 409
        else:
            self.status_code = 422


def problem_details(error: Exception, context: dict[str, Any]) -> Response | None:
    """DRF's exception handler: 403, 409 or 422 for what the workflow refuses, RFC 9457 for everything."""
    return shared_problem_details(Refusal(error) if isinstance(error, WorkflowError) else error, context)
