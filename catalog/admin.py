"""The desk of the catalog keepers."""

from __future__ import annotations

from typing import Any

from django import forms
from django.contrib import admin, messages
from django.db import models
from django.http import HttpRequest, HttpResponse
from django.shortcuts import get_object_or_404, render
from django.urls import URLPattern, path, reverse
from django.utils.translation import gettext as _t
from django.utils.translation import gettext_lazy as _
from django.utils.translation import ngettext
from import_export.admin import ExportMixin
from simple_history.admin import SimpleHistoryAdmin
from unfold.admin import ModelAdmin, TabularInline
from unfold.contrib.import_export.forms import ExportForm
from unfold.decorators import action
from unfold.forms import BaseDialogForm
from unfold.widgets import UnfoldAdminTextareaWidget

from catalog.exporting import FORMATS, RESOURCES
from catalog.importing import import_confirm, import_start
from catalog.models import (
    Accelerator,
    CatalogImport,
    CatalogVersion,
    Drive,
    Fabric,
    Server,
    ServerAccelerator,
    Source,
    Vendor,
)
from catalog.services import server_clone, servers_retire, version_publish
from catalog.sources import sources_from_text, sources_text
from portal.accounts.http import reader_of

LONGEST_PAGE = 50


class SourcesField(forms.CharField):
    """The documents of a row's figures as one line of text."""

    widget = UnfoldAdminTextareaWidget
    default_error_messages = {"unreadable": _("“%(part)s” does not read “figure: document, document”.")}

    def prepare_value(self, value: Any) -> Any:
        """Show the stored form as text."""
        return sources_text(value) if isinstance(value, dict) else value

    def to_python(self, value: Any) -> Any:
        """Read the text."""
        try:
            return value if isinstance(value, dict) else sources_from_text(value or "")
        except ValueError as error:
            raise forms.ValidationError(
                self.error_messages["unreadable"], code="unreadable", params={"part": str(error)}
            ) from error


class CatalogForm(forms.ModelForm):  # type: ignore[type-arg]  # of any row with sources
    """A form that checks the names of documents."""

    sources = SourcesField(
        label=_("Sources"),
        required=False,
        help_text=_("figure: document, document | *: document. The star holds for all other figures."),
    )

    def clean_sources(self) -> dict[str, list[str]]:
        """Every document named is in the list of sources."""
        value: dict[str, list[str]] = self.cleaned_data["sources"]
        named = {slug for slugs in value.values() for slug in slugs}
        unknown = named - set(Source.objects.filter(slug__in=named).values_list("slug", flat=True))
        if unknown:
            raise forms.ValidationError(
                _("These sources are not known: %(slugs)s."), params={"slugs": ", ".join(unknown)}
            )
        return value


class CatalogAdmin(ExportMixin, SimpleHistoryAdmin, ModelAdmin):
    """What all tables share: history, export as CSV and XLSX, lists that stay fast."""

    export_form_class = ExportForm
    formats = FORMATS
    list_per_page = LONGEST_PAGE
    show_full_result_count = False

    def get_export_resource_classes(self, request: HttpRequest) -> list[type]:
        """The one way to write this table."""
        return [RESOURCES[self.model]]

    def get_export_formats(self) -> list[type]:
        """CSV and XLSX."""
        return list(FORMATS)

    def has_export_permission(self, request: HttpRequest) -> bool:
        """A right of its own."""
        return bool(request.user.has_perm("catalog.export_catalog"))


class ServerAcceleratorInline(TabularInline):
    """The accelerators of a server."""

    model = ServerAccelerator
    extra = 0
    autocomplete_fields = ("accelerator",)


class RetireDialog(BaseDialogForm):
    """A confirmation."""


@admin.register(Server)
class ServerAdmin(CatalogAdmin):
    """Servers: search in any case, filters, clone, retire."""

    form = CatalogForm
    inlines = (ServerAcceleratorInline,)
    list_display = ("name", "vendor", "form", "units", "cooling", "max_power_w", "status")
    list_filter = ("status", "form", "cooling", "vendor")
    list_select_related = ("vendor",)
    search_fields = ("search_text",)
    autocomplete_fields = ("vendor",)
    actions_detail = ("clone", "retire")
    actions = ("retire_chosen",)

    def get_search_results(
        self, request: HttpRequest, queryset: models.QuerySet[Server], search_term: str
    ) -> tuple[models.QuerySet[Server], bool]:
        """SQLite folds ASCII only; the stored text is folded, so the words are."""
        found: tuple[models.QuerySet[Server], bool] = super().get_search_results(
            request, queryset, search_term.casefold()
        )
        return found

    def has_clone_permission(self, request: HttpRequest, object_id: str | None = None) -> bool:
        """Who may add a server may copy one."""
        return bool(self.has_add_permission(request))

    @action(
        description=_("Copy"),
        permissions=["clone"],
        dialog={
            "title": _("Copy this server"),
            "description": _("The copy starts as announced; give it its own identifier."),
            "form_class": RetireDialog,
        },
    )
    def clone(self, request: HttpRequest, form: forms.Form, object_id: str) -> HttpResponse:
        """A new server with the same figures, sources and accelerators."""
        copy = server_clone(server_id=int(object_id), by=reader_of(request))
        messages.success(request, _t("Copied as %(slug)s.") % {"slug": copy.slug})
        return HttpResponse(headers={"HX-Redirect": reverse("admin:catalog_server_change", args=[copy.pk])})

    @action(
        description=_("Retire"),
        permissions=["change"],
        dialog={
            "title": _("Retire this server"),
            "description": _("It is offered no longer; old assessments keep it as it was."),
            "form_class": RetireDialog,
        },
    )
    def retire(self, request: HttpRequest, form: forms.Form, object_id: str) -> HttpResponse:
        """End of sale."""
        servers_retire(server_ids=[int(object_id)], by=reader_of(request))
        messages.success(request, _t("Retired."))
        return HttpResponse(headers={"HX-Redirect": reverse("admin:catalog_server_change", args=[object_id])})

    @admin.action(description=_("Retire the chosen servers"), permissions=["change"])
    def retire_chosen(self, request: HttpRequest, queryset: models.QuerySet[Server]) -> None:
        """End of sale for several."""
        count = servers_retire(server_ids=list(queryset.values_list("pk", flat=True)), by=reader_of(request))
        messages.success(request, ngettext("%(n)s server retired.", "%(n)s servers retired.", count) % {"n": count})


@admin.register(Accelerator)
class AcceleratorAdmin(CatalogAdmin):
    """Accelerators."""

    form = CatalogForm
    list_display = ("name", "vendor", "architecture", "memory_mib", "bf16_tflops", "tdp_w", "status")
    list_filter = ("status", "architecture", "vendor")
    list_select_related = ("vendor",)
    search_fields = ("name", "slug")
    autocomplete_fields = ("vendor",)


@admin.register(Vendor)
class VendorAdmin(CatalogAdmin):
    """Makers."""

    list_display = ("name", "country", "website")
    search_fields = ("name", "slug")


@admin.register(Fabric)
class FabricAdmin(CatalogAdmin):
    """Networks between servers."""

    form = CatalogForm
    list_display = ("name", "kind", "gbit_s", "has_rdma", "status")
    list_filter = ("kind", "status")
    search_fields = ("name", "slug")


@admin.register(Drive)
class DriveAdmin(CatalogAdmin):
    """Drives."""

    form = CatalogForm
    list_display = ("name", "kind", "capacity_tb", "read_mb_s", "write_mb_s", "status")
    list_filter = ("kind", "status")
    search_fields = ("name", "slug")


@admin.register(ServerAccelerator)
class ServerAcceleratorAdmin(CatalogAdmin):
    """Which accelerators a server takes, as a list of its own for export."""

    list_display = ("server", "accelerator", "min_count", "max_count", "step", "link")
    list_filter = ("link",)
    list_select_related = ("server__vendor", "accelerator")
    search_fields = ("server__search_text", "accelerator__slug")
    autocomplete_fields = ("server", "accelerator")


@admin.register(Source)
class SourceAdmin(ExportMixin, ModelAdmin):
    """Documents."""

    export_form_class = ExportForm
    list_display = ("document", "section", "kind", "url")
    list_filter = ("kind",)
    search_fields = ("document", "slug")
    list_per_page = LONGEST_PAGE
    show_full_result_count = False
    get_export_resource_classes = CatalogAdmin.get_export_resource_classes
    get_export_formats = CatalogAdmin.get_export_formats
    has_export_permission = CatalogAdmin.has_export_permission


@admin.register(CatalogVersion)
class CatalogVersionAdmin(ModelAdmin):
    """Frozen states; read only."""

    list_display = ("label", "sha256", "created_at")
    fields = ("label", "sha256", "created_at")
    readonly_fields = fields
    actions_list = ("publish",)

    def has_add_permission(self, request: HttpRequest) -> bool:
        """Made by the system and by “publish”."""
        return False

    def has_change_permission(self, request: HttpRequest, obj: CatalogVersion | None = None) -> bool:
        """Never changes."""
        return False

    def has_delete_permission(self, request: HttpRequest, obj: CatalogVersion | None = None) -> bool:
        """Assessments rest on it."""
        return False

    def has_publish_permission(self, request: HttpRequest, object_id: str | None = None) -> bool:
        """A right of its own."""
        return bool(request.user.has_perm("catalog.publish_catalogversion"))

    @action(
        description=_("Freeze the present state"),
        permissions=["publish"],
        dialog={
            "title": _("Freeze the present state"),
            "description": _("New assessments take the present state by themselves; this keeps it under a name."),
            "form_class": RetireDialog,
        },
    )
    def publish(self, request: HttpRequest, form: forms.Form) -> HttpResponse:
        """Keep what the engine would get now."""
        version = version_publish(by=reader_of(request))
        messages.success(request, _t("This is version %(version)s.") % {"version": version})
        return HttpResponse(headers={"HX-Redirect": reverse("admin:catalog_catalogversion_changelist")})


class ImportForm(forms.ModelForm):  # type: ignore[type-arg]  # made by the admin
    """A table and its file."""

    file = forms.FileField(
        label=_("File"),
        help_text=_(
            "CSV (UTF-8 or CP1251, “;” or “,”, decimal comma allowed) or XLSX. Nothing is written before you confirm."
        ),
    )

    class Meta:
        model = CatalogImport
        fields = ("table",)


@admin.register(CatalogImport)
class CatalogImportAdmin(ModelAdmin):
    """Files on their way into the catalog."""

    form = ImportForm
    list_display = ("file_name", "table", "state", "rows", "created", "changed", "author", "created_at")
    list_filter = ("state", "table")
    list_select_related = ("author",)
    list_per_page = LONGEST_PAGE
    actions_detail = ("apply",)
    change_form_before_template = "admin/catalog/import.html"

    def get_queryset(self, request: HttpRequest) -> models.QuerySet[CatalogImport]:
        """Without the files."""
        return CatalogImport.objects.visible_to(reader_of(request)).defer("content")

    def get_fields(self, request: HttpRequest, obj: CatalogImport | None = None) -> tuple[str, ...]:
        """The file once, then what became of it."""
        return ("table", "file") if obj is None else ("table", "file_name", "author", "created_at")

    def get_readonly_fields(self, request: HttpRequest, obj: CatalogImport | None = None) -> tuple[str, ...]:
        """Nothing is edited."""
        return () if obj is None else ("table", "file_name", "author", "created_at")

    def save_model(self, request: HttpRequest, obj: CatalogImport, form: Any, change: bool) -> None:
        """Hand the file to the check in the background."""
        file = form.cleaned_data["file"]
        entry = import_start(table=obj.table, file_name=file.name, content=file.read(), author=reader_of(request).user)
        obj.pk = entry.pk

    def has_view_permission(self, request: HttpRequest, obj: CatalogImport | None = None) -> bool:
        """A right of its own."""
        return bool(request.user.has_perm("catalog.import_catalog"))

    def has_module_permission(self, request: HttpRequest) -> bool:
        """A right of its own."""
        return self.has_view_permission(request)

    def has_add_permission(self, request: HttpRequest) -> bool:
        """A right of its own."""
        return self.has_view_permission(request)

    def has_change_permission(self, request: HttpRequest, obj: CatalogImport | None = None) -> bool:
        """Files are not edited."""
        return False

    def has_delete_permission(self, request: HttpRequest, obj: CatalogImport | None = None) -> bool:
        """They are the history of the catalog."""
        return False

    def has_apply_permission(self, request: HttpRequest, object_id: str) -> bool:
        """Only a checked file can be written."""
        return (
            self.has_view_permission(request)
            and self.get_queryset(request).filter(pk=object_id, state=CatalogImport.State.CHECKED).exists()
        )

    @action(
        description=_("Apply"),
        permissions=["apply"],
        dialog={
            "title": _("Write these rows into the catalog"),
            "description": _("All rows or none; old assessments keep what they have."),
            "form_class": RetireDialog,
        },
    )
    def apply(self, request: HttpRequest, form: forms.Form, object_id: str) -> HttpResponse:
        """Write the checked rows."""
        if import_confirm(int(object_id)):
            messages.success(request, _t("The rows are being written."))
        else:
            messages.error(request, _t("This file is not waiting to be applied any more."))
        return HttpResponse(headers={"HX-Redirect": reverse("admin:catalog_catalogimport_change", args=[object_id])})

    def get_urls(self) -> list[URLPattern]:
        """The part of the page that renews itself."""
        progress = self.admin_site.admin_view(self.progress)
        own = [path("<int:object_id>/progress/", progress, name="catalog_catalogimport_progress")]
        urls: list[URLPattern] = own + super().get_urls()
        return urls

    def progress(self, request: HttpRequest, object_id: int) -> HttpResponse:
        """How far a file is."""
        if not self.has_view_permission(request):
            return HttpResponse(status=403)
        entry = get_object_or_404(self.get_queryset(request), pk=object_id)
        return render(request, "admin/catalog/import_state.html", {"original": entry})
