"""Template tags of the shell and of form fields."""

from collections.abc import Mapping
from typing import Any

from django import forms, template
from django.forms.boundfield import BoundField, BoundWidget
from django.template import Context
from django.utils.html import format_html
from django.utils.safestring import SafeString
from django.utils.translation import gettext as _

register = template.Library()

COMPANIONS = ("unit", "unknown")


@register.simple_tag(takes_context=True)
def current(context: Context, *names: str) -> SafeString | str:
    """Mark a link of the masthead as the page one is on."""
    match = getattr(context.get("request"), "resolver_match", None)
    return format_html(' aria-current="{}"', "page") if match is not None and match.view_name in names else ""


@register.filter
def companion(field: BoundField, kind: str) -> BoundField | None:
    """The sibling field that is drawn with this one: `<name>_unit` or `<name>_unknown`."""
    name = f"{field.name}_{kind}"
    return field.form[name] if name in field.form.fields else None


@register.filter
def is_companion(field: BoundField) -> bool:
    """True for a field that another one draws beside itself."""
    base, _separator, kind = field.name.rpartition("_")
    return kind in COMPANIONS and base in field.form.fields


@register.filter
def is_single_checkbox(field: BoundField) -> bool:
    """True for one tick box; its label stands to the right of it."""
    return isinstance(field.field.widget, forms.CheckboxInput)


@register.filter
def is_choice_group(field: BoundField) -> bool:
    """True for radio buttons and groups of tick boxes."""
    return isinstance(field.field.widget, forms.RadioSelect)


@register.filter
def choice_hint(field: BoundField, choice: BoundWidget) -> str:
    """The line under an option, from the field's `hints` by value."""
    hints: Mapping[str, str] = getattr(field.field, "hints", {})
    return hints.get(str(choice.data["value"]), "")


@register.filter
def remark(field: BoundField) -> Mapping[str, Any] | None:
    """A remark of the form on this answer; it never blocks."""
    remarks: Mapping[str, Mapping[str, Any]] = getattr(field.form, "remarks", {})
    return remarks.get(field.name)


@register.filter
def with_class(field: BoundField, css_class: str) -> SafeString:
    """The widget with a class; one that the form gave is kept."""
    classes = f"{css_class} {field.field.widget.attrs.get('class', '')}".strip()
    return field.as_widget(attrs={"class": classes})


@register.filter
def unit_select(field: BoundField) -> SafeString:
    """The unit's select, named for those who do not see that it belongs to the input."""
    return field.as_widget(attrs={"aria-label": str(field.label or _("Unit"))})


@register.filter
def focus_id(field: BoundField) -> str:
    """Where the error summary leads: the control, or the first option of a group."""
    return f"{field.auto_id}_0" if field.use_fieldset else field.id_for_label


@register.filter
def lower_first(text: str) -> str:
    """“Введите число” → “введите число”, to follow a colon."""
    text = str(text)
    return text[:1].lower() + text[1:] if text[1:2].islower() or text[1:2] == " " else text
