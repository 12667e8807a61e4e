"""What every page shows besides its own content."""

from dataclasses import dataclass

from django.http import HttpRequest
from django.urls import reverse
from django.utils.functional import SimpleLazyObject
from django.utils.translation import get_language

from portal.accounts.models import PortalSettings


@dataclass(frozen=True, slots=True, kw_only=True)
class Seller:
    """Who offers the assessment, as masthead, footer and explanations show it."""

    name: str
    contacts: str
    logo_url: str
    legal_text: str
    consent_version: str
    retention_days: int


def seller() -> Seller:
    """The seller from the portal's settings, with the legal text of the active language."""
    row = PortalSettings.load()
    is_russian = (get_language() or "").startswith("ru")
    return Seller(
        name=row.seller_name if row.seller_name != "Sizewright" else "",
        contacts=", ".join(row.contacts),
        logo_url=reverse("web:seller_logo") if row.seller_logo else "",
        legal_text=row.legal_text_ru if is_russian else row.legal_text_en,
        consent_version=row.consent_version,
        retention_days=row.retention_days,
    )


def shell(_request: HttpRequest) -> dict[str, object]:
    """The seller, read from the database only when a template asks for it."""
    return {"seller": SimpleLazyObject(seller)}
