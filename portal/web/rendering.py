"""How forms become HTML: one template for a field, one for a form."""

from django.forms.renderers import TemplatesSetting


class FormRenderer(TemplatesSetting):
    """Django's renderer with our own field and form; both live among the components."""

    form_template_name = "components/form.html"
    field_template_name = "components/field.html"
