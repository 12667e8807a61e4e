"""The two exact ways to say which model: its name from the list, or its config.json."""

from typing import Any

from django.core.exceptions import ValidationError
from django.utils.translation import gettext as _

from assessments.intake.fields import WordsField
from assessments.intake.import_messages import message
from assessments.intake.importers import ImportFailed, config_from_text
from assessments.intake.spoken import spoken
from assessments.sizing.architectures import PRESETS, ConfigError, ModelShape, find_preset, preset, read_model_config


class PresetField(WordsField):
    """A model of the list, by slug or as people write it: “Llama 3.1 8B”."""

    def answer(self, raw: Any, *, unit: str, is_unknown: bool) -> str | None:
        """The slug."""
        if not raw:
            return None
        slug = find_preset(raw)
        if slug is None:
            raise ValidationError(
                _("“%(name)s” is not listed: attach its config.json") % {"name": raw}, code="unknown_preset"
            )
        return slug

    def spoken(self, value: Any) -> str:
        """Its name."""
        return PRESETS[value].name

    def read_back(self, value: Any) -> str:
        """What the list knows about it."""
        return f"{PRESETS[value].name}. {shape_text(preset(value))}"


class ConfigField(WordsField):
    """The text of a config.json."""

    def answer(self, raw: Any, *, unit: str, is_unknown: bool) -> dict[str, Any] | None:
        """The configuration."""
        if not raw:
            return None
        try:
            config = config_from_text(raw)
            read_model_config(config)
        except ImportFailed as error:
            raise ValidationError(str(error), code=error.code) from None
        except ConfigError as error:
            raise ValidationError(message(error.code, error.params), code=error.code) from None
        return config

    def spoken(self, value: Any) -> str:
        """The shape, in words."""
        return shape_text(read_model_config(value))

    def read_back(self, value: Any) -> str:
        """The shape, in words."""
        return self.spoken(value)


def shape_text(shape: ModelShape) -> str:
    """What was understood of a model."""
    return _("Read as %(params)s, layers: %(layers)s, width: %(hidden)s, longest context: %(context)s") % {
        "params": spoken(round(shape.total_params, -6), "params"),
        "layers": spoken(shape.layers, "count"),
        "hidden": spoken(shape.hidden, "count"),
        "context": spoken(shape.max_context, "context") if shape.max_context else "–",
    }
