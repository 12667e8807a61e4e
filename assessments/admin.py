"""Where Django looks for admin classes; they live in `assessments.review.admin`."""

from assessments.review.admin import EventAdmin, InquiryAdmin, MessageAdmin

__all__ = ["EventAdmin", "InquiryAdmin", "MessageAdmin"]
