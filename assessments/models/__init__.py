"""The tables of requests and assessments; every model is named here."""

from assessments.models.assessment import Adjustment, Assessment, ServerChoice
from assessments.models.document import Document
from assessments.models.draft import Draft
from assessments.models.event import Event
from assessments.models.inquiry import PUBLIC_STATE_OF, Inquiry, InquirySequence, Priority, PublicState, State
from assessments.models.intake import Intake
from assessments.models.measured import Measured
from assessments.models.message import Message
from assessments.models.run import SizingRun
from assessments.models.share import ShareLink
from assessments.models.webhook import WebhookDelivery, WebhookEndpoint

__all__ = [
    "PUBLIC_STATE_OF",
    "Adjustment",
    "Assessment",
    "Document",
    "Draft",
    "Event",
    "Inquiry",
    "InquirySequence",
    "Intake",
    "Measured",
    "Message",
    "Priority",
    "PublicState",
    "ServerChoice",
    "ShareLink",
    "SizingRun",
    "State",
    "WebhookDelivery",
    "WebhookEndpoint",
]
