"""People, organisations, tokens and the business settings on the review desk."""

from typing import Any, ClassVar

from allauth.account.models import EmailAddress
from allauth.mfa.models import Authenticator
from allauth.socialaccount.models import SocialAccount, SocialApp, SocialToken
from django import forms
from django.contrib import admin, messages
from django.contrib.auth.admin import GroupAdmin as DjangoGroupAdmin
from django.contrib.auth.admin import UserAdmin as DjangoUserAdmin
from django.contrib.auth.models import Group
from django.db.models import F
from django.http import HttpRequest
from django.utils.translation import gettext_lazy as _
from simple_history.admin import SimpleHistoryAdmin
from unfold.admin import ModelAdmin, TabularInline
from unfold.forms import AdminPasswordChangeForm

from portal.accounts.http import reader_of
from portal.accounts.models import ApiToken, Invitation, Membership, Organization, PortalSettings, User, token_hash

for model in (EmailAddress, Authenticator, SocialAccount, SocialApp, SocialToken, Group):
    admin.site.unregister(model)


class ScopedAdmin(ModelAdmin):
    """Lists and opens only what the reader may see."""

    def get_queryset(self, request: HttpRequest) -> Any:
        return super().get_queryset(request).visible_to(reader_of(request))


@admin.register(Group)
class GroupAdmin(DjangoGroupAdmin, ModelAdmin):
    """The staff's roles."""


class MembershipInline(TabularInline):
    """Who belongs to an organisation."""

    model = Membership
    extra = 0
    autocomplete_fields: ClassVar = ["user", "organization"]


class UserAddForm(forms.ModelForm):  # type: ignore[type-arg]  # not a generic at run time
    """A new person; a password is set afterwards, for staff only."""

    class Meta:
        model = User
        fields = ("email", "name", "language", "is_staff")


@admin.register(User)
class UserAdmin(SimpleHistoryAdmin, DjangoUserAdmin, ScopedAdmin):  # type: ignore[type-arg]  # not a generic at run time
    """People; changing somebody's roles ends their sessions."""

    add_form = UserAddForm
    change_password_form = AdminPasswordChangeForm
    list_display = ("email", "name", "is_staff", "is_active", "last_login", "created_at")
    list_filter = ("is_staff", "is_active", "groups")
    search_fields = ("email", "name")
    ordering = ("email",)
    readonly_fields = ("last_login", "created_at")
    filter_horizontal = ("groups",)
    inlines: ClassVar = [MembershipInline]
    add_fieldsets = ((None, {"fields": ("email", "name", "language", "is_staff")}),)
    fieldsets = (
        (None, {"fields": ("email", "password", "name", "language", "time_zone")}),
        (_("Rights"), {"fields": ("is_active", "is_staff", "is_superuser", "groups")}),
        (_("Times"), {"fields": ("last_login", "created_at")}),
    )

    def save_model(self, request: HttpRequest, obj: User, form: Any, change: bool) -> None:
        if not change:
            obj.set_unusable_password()
        super().save_model(request, obj, form, change)

    def save_related(self, request: HttpRequest, form: Any, formsets: Any, change: bool) -> None:
        before = set(form.instance.groups.values_list("pk", flat=True))
        super().save_related(request, form, formsets, change)
        if change and before != set(form.instance.groups.values_list("pk", flat=True)):
            User.objects.filter(pk=form.instance.pk).update(session_epoch=F("session_epoch") + 1)


@admin.register(Organization)
class OrganizationAdmin(SimpleHistoryAdmin, ScopedAdmin):
    """Customers' organisations."""

    list_display = ("name", "founded_by", "created_at")
    list_filter = ("founded_by",)
    search_fields = ("name",)
    inlines: ClassVar = [MembershipInline]


@admin.register(Invitation)
class InvitationAdmin(ScopedAdmin):
    """Open invitations, to look at; they are made by an organisation's owner."""

    list_display = ("email", "organization", "expires_at", "accepted_at")
    list_select_related = ("organization",)

    def has_add_permission(self, request: HttpRequest) -> bool:
        return False

    def has_change_permission(self, request: HttpRequest, obj: Invitation | None = None) -> bool:
        return False


@admin.register(ApiToken)
class ApiTokenAdmin(ScopedAdmin):
    """Tokens: the secret is shown once, when the token is made."""

    list_display = ("name", "organization", "prefix", "last_used_at", "revoked_at")
    list_select_related = ("organization",)
    readonly_fields = ("prefix", "last_used_at")
    autocomplete_fields = ("organization",)

    def save_model(self, request: HttpRequest, obj: ApiToken, form: Any, change: bool) -> None:
        if not change:
            raw = ApiToken.new_secret()
            obj.prefix, obj.sha256 = raw[:8], token_hash(raw)
            messages.success(request, _("The token, shown once: %(token)s") % {"token": raw})
        super().save_model(request, obj, form, change)


@admin.register(PortalSettings)
class PortalSettingsAdmin(SimpleHistoryAdmin, ScopedAdmin):
    """The one row of what the business decides."""

    fieldsets = (
        (
            _("Seller"),
            {
                "fields": (
                    "seller_name",
                    "seller_logo",
                    "contact_email",
                    "contact_phone",
                    "contact_address",
                    "answer_promise",
                )
            },
        ),
        (_("Legal"), {"fields": ("legal_text_ru", "legal_text_en", "consent_version", "retention_days")}),
        (_("Work"), {"fields": ("calendar", "targets", "four_eyes")}),
    )

    def has_add_permission(self, request: HttpRequest) -> bool:
        return super().has_add_permission(request) and not PortalSettings.objects.exists()

    def has_delete_permission(self, request: HttpRequest, obj: PortalSettings | None = None) -> bool:
        return False
