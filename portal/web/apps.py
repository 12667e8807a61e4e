"""The project's web face as an application, so that its templates' tags are found."""

from django.apps import AppConfig


class WebConfig(AppConfig):
    """Start page, shell, profile, explanations, errors."""

    name = "portal.web"
    label = "web"
