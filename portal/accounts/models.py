"""People, their organisations and tokens, and the one row of business settings."""

import hashlib
import secrets
from datetime import date, time
from typing import TYPE_CHECKING, Any, ClassVar, Self
from zoneinfo import ZoneInfo, ZoneInfoNotFoundError

from django.conf import settings
from django.contrib.auth.base_user import AbstractBaseUser, BaseUserManager
from django.contrib.auth.models import PermissionsMixin
from django.core.exceptions import ValidationError
from django.db import models
from django.db.models import Q
from django.db.models.functions import Lower
from django.http import HttpRequest
from django.utils import timezone
from django.utils.crypto import salted_hmac
from django.utils.translation import gettext_lazy as _
from simple_history.models import HistoricalRecords

if TYPE_CHECKING:
    from portal.accounts.viewer import Viewer


def history_user(request: HttpRequest | None = None, **_kwargs: Any) -> "User | None":
    """Who changed a row, for its history; nobody where a program acts with a token."""
    user = getattr(request, "user", None)
    return user if isinstance(user, User) else None


def token_hash(raw: str) -> str:
    """What is kept of a secret that we hand out: SHA-256 in hexadecimal."""
    return hashlib.sha256(raw.encode()).hexdigest()


class UserQuerySet(models.QuerySet["User"]):
    """People."""

    def visible_to(self, viewer: "Viewer") -> Self:
        """Themselves and the people of their organisations; staff see everyone."""
        if viewer.sees_all:
            return self
        own = Q(pk=viewer.user.pk) if viewer.user else Q(pk__in=())
        return self.filter(own | Q(memberships__organization__in=viewer.organizations)).distinct()


class UserManager(BaseUserManager.from_queryset(UserQuerySet)):  # type: ignore[misc]  # a class made at run time
    """Makes people; an address is kept without surrounding space and case-folded."""

    def create_user(self, email: str, password: str | None = None, **fields: Any) -> "User":
        """A person; without a password they sign in by a code."""
        user: User = self.model(email=email, **fields)
        user.set_password(password)
        user.save(using=self._db)
        return user

    def create_superuser(self, email: str, password: str | None = None, **fields: Any) -> "User":
        """A member of staff with every permission."""
        return self.create_user(email, password, is_staff=True, is_superuser=True, **fields)

    def get_by_natural_key(self, username: str | None) -> "User":
        user: User = self.get(email=folded(username or ""))
        return user


def folded(email: str) -> str:
    """The one spelling under which an address is kept and compared."""
    return email.strip().casefold()


class User(AbstractBaseUser, PermissionsMixin):
    """A person, known by their e-mail address."""

    email = models.EmailField(_("e-mail"), max_length=254, unique=True)
    name = models.CharField(_("name"), max_length=150, blank=True)
    language = models.CharField(_("language"), max_length=5, blank=True, choices=[("ru", "Русский"), ("en", "English")])
    time_zone = models.CharField(_("time zone"), max_length=64, blank=True)
    is_staff = models.BooleanField(_("staff"), default=False, help_text=_("May open the review desk."))
    is_active = models.BooleanField(_("active"), default=True)
    session_epoch = models.PositiveIntegerField(default=0, editable=False)
    created_at = models.DateTimeField(_("created"), default=timezone.now, editable=False)

    objects: ClassVar[UserManager] = UserManager()
    history = HistoricalRecords(get_user=history_user, excluded_fields=["password", "last_login", "session_epoch"])

    USERNAME_FIELD = "email"
    EMAIL_FIELD = "email"

    class Meta:
        verbose_name = _("user")
        verbose_name_plural = _("users")
        constraints = [models.UniqueConstraint(Lower("email"), name="user_email_folded")]

    def __str__(self) -> str:
        return self.name or self.email

    def clean(self) -> None:
        super().clean()
        self.email = folded(self.email)

    def save(self, *args: Any, **kwargs: Any) -> None:
        self.email = folded(self.email)
        super().save(*args, **kwargs)

    def get_full_name(self) -> str:
        return self.name or self.email

    def get_short_name(self) -> str:
        return self.name or self.email

    def get_session_auth_hash(self) -> str:
        """Sessions end when the password, the staff flag or the epoch (a change of roles) changes."""
        return salted_hmac(
            "portal.accounts.session", f"{self.password}:{self.is_staff}:{self.session_epoch}", algorithm="sha256"
        ).hexdigest()


class OrganizationQuerySet(models.QuerySet["Organization"]):
    """Organisations."""

    def visible_to(self, viewer: "Viewer") -> Self:
        """Those the reader belongs to; staff see all."""
        return self if viewer.sees_all else self.filter(pk__in=viewer.organizations)


class Organization(models.Model):
    """A customer's company or team; requests belong to it."""

    class FoundedBy(models.TextChoices):
        SIGNUP = "signup", _("sign-in of a new address")
        INVITATION = "invitation", _("invitation")
        STAFF = "staff", _("staff")

    name = models.CharField(_("name"), max_length=200)
    founded_by = models.CharField(_("founded by"), max_length=10, choices=FoundedBy, default=FoundedBy.SIGNUP)
    created_at = models.DateTimeField(_("created"), auto_now_add=True)

    objects = OrganizationQuerySet.as_manager()
    history = HistoricalRecords(get_user=history_user)

    class Meta:
        verbose_name = _("organisation")
        verbose_name_plural = _("organisations")
        ordering = ["name"]

    def __str__(self) -> str:
        return self.name


class MembershipQuerySet(models.QuerySet["Membership"]):
    """Who belongs where."""

    def visible_to(self, viewer: "Viewer") -> Self:
        """Memberships of the reader's organisations; staff see all."""
        return self if viewer.sees_all else self.filter(organization__in=viewer.organizations)


class Membership(models.Model):
    """A person in an organisation."""

    class Role(models.TextChoices):
        OWNER = "owner", _("Owner")
        MEMBER = "member", _("Member")

    user = models.ForeignKey(User, verbose_name=_("user"), on_delete=models.CASCADE, related_name="memberships")
    organization = models.ForeignKey(
        Organization, verbose_name=_("organisation"), on_delete=models.CASCADE, related_name="memberships"
    )
    role = models.CharField(_("role"), max_length=10, choices=Role, default=Role.MEMBER)
    created_at = models.DateTimeField(_("created"), auto_now_add=True)

    objects = MembershipQuerySet.as_manager()

    class Meta:
        verbose_name = _("membership")
        verbose_name_plural = _("memberships")
        constraints = [models.UniqueConstraint(fields=["user", "organization"], name="membership_once")]

    def __str__(self) -> str:
        return f"{self.user} – {self.organization}"


class InvitationQuerySet(models.QuerySet["Invitation"]):
    """Open invitations."""

    def visible_to(self, viewer: "Viewer") -> Self:
        """Invitations into the reader's organisations; staff see all."""
        return self if viewer.sees_all else self.filter(organization__in=viewer.organizations)


class Invitation(models.Model):
    """The right of one address to join an organisation, until it expires."""

    organization = models.ForeignKey(
        Organization, verbose_name=_("organisation"), on_delete=models.CASCADE, related_name="invitations"
    )
    email = models.EmailField(_("e-mail"), max_length=254)
    invited_by = models.ForeignKey(
        User, verbose_name=_("invited by"), on_delete=models.SET_NULL, null=True, blank=True, related_name="+"
    )
    token_sha256 = models.CharField(max_length=64, unique=True, editable=False)
    expires_at = models.DateTimeField(_("expires"))
    accepted_at = models.DateTimeField(_("accepted"), null=True, blank=True)
    created_at = models.DateTimeField(_("created"), auto_now_add=True)

    objects = InvitationQuerySet.as_manager()

    class Meta:
        verbose_name = _("invitation")
        verbose_name_plural = _("invitations")

    def __str__(self) -> str:
        return f"{self.email} → {self.organization}"

    def save(self, *args: Any, **kwargs: Any) -> None:
        self.email = folded(self.email)
        super().save(*args, **kwargs)


class ApiTokenQuerySet(models.QuerySet["ApiToken"]):
    """Tokens of scripts and CRMs."""

    def visible_to(self, viewer: "Viewer") -> Self:
        """Tokens of the reader's organisations; staff see all."""
        return self if viewer.sees_all else self.filter(organization__in=viewer.organizations)

    def by_secret(self, raw: str) -> "ApiToken | None":
        """The token in force that belongs to a secret."""
        return self.filter(sha256=token_hash(raw), revoked_at=None).select_related("organization").first()


class ApiToken(models.Model):
    """A secret by which a program acts for one organisation, or for the seller's integration."""

    organization = models.ForeignKey(
        Organization,
        verbose_name=_("organisation"),
        on_delete=models.CASCADE,
        null=True,
        blank=True,
        related_name="api_tokens",
        help_text=_("Empty: the seller's own integration, which reads every request."),
    )
    name = models.CharField(_("name"), max_length=100)
    prefix = models.CharField(_("begins with"), max_length=12, editable=False)
    sha256 = models.CharField(max_length=64, unique=True, editable=False)
    scopes = models.JSONField(_("scopes"), default=list, blank=True, help_text=_("read, submit"))
    last_used_at = models.DateTimeField(_("last used"), null=True, blank=True, editable=False)
    revoked_at = models.DateTimeField(_("revoked"), null=True, blank=True)
    created_at = models.DateTimeField(_("created"), auto_now_add=True)

    objects = ApiTokenQuerySet.as_manager()

    class Meta:
        verbose_name = _("API token")
        verbose_name_plural = _("API tokens")

    def __str__(self) -> str:
        return f"{self.name} ({self.prefix}…)"

    @staticmethod
    def new_secret() -> str:
        """A secret of 256 random bits that scanners of leaked keys can tell by its beginning."""
        return f"sw_{secrets.token_urlsafe(32)}"

    @classmethod
    def issue(cls, *, organization: Organization | None, name: str, scopes: list[str]) -> tuple["ApiToken", str]:
        """Make a token; the secret is returned once and kept as a hash only."""
        raw = cls.new_secret()
        token = cls.objects.create(
            organization=organization, name=name, prefix=raw[:8], sha256=token_hash(raw), scopes=scopes
        )
        return token, raw


def default_calendar() -> dict[str, Any]:
    """Working hours by which promised times are counted."""
    return {
        "time_zone": "Europe/Moscow",
        "weekdays": [0, 1, 2, 3, 4],
        "opens": "09:00",
        "closes": "18:00",
        "holidays": [],
    }


def calendar_check(calendar: dict[str, Any]) -> None:
    """Raise ValueError or TypeError for working hours by which no time can be counted."""
    ZoneInfo(calendar["time_zone"])
    if time.fromisoformat(calendar["opens"]) >= time.fromisoformat(calendar["closes"]):
        raise ValueError("opens >= closes")
    weekdays = set(calendar["weekdays"])
    if not weekdays or not weekdays <= set(range(7)):
        raise ValueError("weekdays: 0 to 6, at least one")
    for day in calendar["holidays"]:
        date.fromisoformat(day)


def default_targets() -> dict[str, Any]:
    """Working hours until the engineer's answer, by priority."""
    return {"normal": 8, "high": 4}


class PortalSettingsQuerySet(models.QuerySet["PortalSettings"]):
    """The one row."""

    def visible_to(self, viewer: "Viewer") -> Self:
        """Staff edit it in the admin; pages show parts of it to everyone."""
        return self if viewer.sees_all else self.none()


class PortalSettings(models.Model):
    """What the business decides; one row, with history."""

    seller_name = models.CharField(_("seller's name"), max_length=200, default="Sizewright")
    seller_logo = models.ImageField(_("logo"), upload_to="seller/", blank=True)
    contact_email = models.EmailField(_("contact e-mail"), blank=True)
    contact_phone = models.CharField(_("contact telephone"), max_length=50, blank=True)
    contact_address = models.CharField(_("contact address"), max_length=300, blank=True)
    answer_promise = models.CharField(
        _("promised answer"),
        max_length=100,
        blank=True,
        help_text=_("As the customer reads it, for example “1 working day”."),
    )
    legal_text_ru = models.TextField(_("legal text, Russian"), blank=True)
    legal_text_en = models.TextField(_("legal text, English"), blank=True)
    consent_version = models.CharField(_("version of the consent"), max_length=20, default="1")
    calendar = models.JSONField(_("working calendar"), default=default_calendar)
    targets = models.JSONField(_("targets, working hours"), default=default_targets)
    four_eyes = models.BooleanField(
        _("four eyes"), default=False, help_text=_("Whoever adjusted an assessment may not approve it.")
    )
    retention_days = models.PositiveIntegerField(_("closed requests are kept, days"), default=1095)
    created_at = models.DateTimeField(_("created"), auto_now_add=True)

    objects = PortalSettingsQuerySet.as_manager()
    history = HistoricalRecords(get_user=history_user)

    class Meta:
        verbose_name = _("portal settings")
        verbose_name_plural = _("portal settings")
        constraints = [models.CheckConstraint(condition=Q(pk=1), name="portal_settings_one_row")]

    def __str__(self) -> str:
        return str(_("portal settings"))

    @classmethod
    def load(cls) -> "PortalSettings":
        """The row; made with its defaults on first use."""
        row, _created = cls.objects.get_or_create(pk=1)
        return row

    @property
    def check_url(self) -> str:
        """Where the reader of a document checks that it is ours."""
        return f"{settings.SITE_URL}/check/"

    @property
    def contacts(self) -> list[str]:
        """The seller's contacts that are filled in, in the order in which pages show them."""
        return [value for value in (self.contact_email, self.contact_phone, self.contact_address) if value]

    def clean(self) -> None:
        missing = set(default_calendar()) - set(self.calendar)
        if missing:
            raise ValidationError(
                {"calendar": _("The calendar lacks: %(keys)s.") % {"keys": ", ".join(sorted(missing))}}
            )
        try:
            calendar_check(self.calendar)
        except (ValueError, TypeError, ZoneInfoNotFoundError) as error:
            raise ValidationError(
                {"calendar": _("The calendar cannot be read: %(error)s") % {"error": error}}
            ) from error
        if not all(isinstance(hours, int | float) and 0 < hours <= 1000 for hours in self.targets.values()):
            raise ValidationError({"targets": _("Targets are working hours, more than 0 and at most 1,000.")})
