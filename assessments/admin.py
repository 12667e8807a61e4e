"""Where Django looks for admin classes; they live in `assessments.review.admin`."""

from assessments.review.admin import InquiryAdmin

__all__ = ["InquiryAdmin"]
