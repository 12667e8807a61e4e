"""The staff's roles: which group holds which permission."""

from typing import Any

from django.apps import AppConfig
from django.contrib.auth.models import Group, Permission

ENGINEER = "engineer"
APPROVER = "approver"
CATALOG_KEEPER = "catalog keeper"
MANAGER = "manager"

WORK = [
    "inquiry",
    "intake",
    "assessment",
    "sizingrun",
    "adjustment",
    "serverchoice",
    "document",
    "message",
    "event",
    "measured",
    "sharelink",
]
READ_WORK = [f"assessments.view_{model}" for model in WORK]
READ_CATALOG = [
    f"catalog.view_{model}"
    for model in ("vendor", "accelerator", "server", "serveraccelerator", "fabric", "drive", "source", "catalogversion")
]
KEEP_CATALOG = [
    f"catalog.{verb}_{model}"
    for verb in ("add", "change", "delete")
    for model in ("vendor", "accelerator", "server", "serveraccelerator", "fabric", "drive", "source")
]
READ_PEOPLE = ["accounts.view_organization", "accounts.view_user", "accounts.view_membership"]

ROLES: dict[str, list[str]] = {
    ENGINEER: ["assessments.review_inquiry", *READ_WORK, *READ_CATALOG, *READ_PEOPLE],
    APPROVER: ["assessments.approve_inquiry", *READ_WORK, *READ_CATALOG, *READ_PEOPLE],
    CATALOG_KEEPER: [
        *READ_CATALOG,
        *KEEP_CATALOG,
        "catalog.import_catalog",
        "catalog.export_catalog",
        "catalog.publish_catalogversion",
    ],
    MANAGER: [
        "assessments.manage_pipeline",
        *READ_WORK,
        *READ_CATALOG,
        *READ_PEOPLE,
        "accounts.view_portalsettings",
        "accounts.change_portalsettings",
        "outbox.view_outboxmessage",
        "outbox.change_outboxmessage",
    ],
}


def ensure_groups(apps: Any, schema_editor: Any = None) -> None:
    """Make the groups; called by migrations, with their historical `apps`."""
    for role in ROLES:
        apps.get_model("auth", "Group").objects.get_or_create(name=role)


def grant_permissions(sender: AppConfig, using: str = "default", **_: Any) -> None:
    """Give every role the permissions of the application that was just migrated; nothing is taken away.

    Django makes permission rows after an application's migrations, so this follows post_migrate and not a migration.
    """
    for role, permissions in ROLES.items():
        wanted = [codename for label, _, codename in (p.partition(".") for p in permissions) if label == sender.label]
        if not wanted:
            continue
        group, _created = Group.objects.using(using).get_or_create(name=role)
        group.permissions.add(
            *Permission.objects.using(using).filter(content_type__app_label=sender.label, codename__in=wanted)
        )
