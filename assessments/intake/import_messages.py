"""What a person reads when a file cannot be taken: one sentence per code."""

from collections.abc import Mapping

from django.utils.functional import Promise
from django.utils.translation import gettext_lazy as _

MESSAGES: dict[str, str | Promise] = {
    "file_too_large": _("The file is too large: %(size)s characters, at most %(limit)s are read."),
    "file_too_deep": _("The file is nested too deeply: more than %(limit)s levels."),
    "file_kind": _("This is not a text file with a JSON object."),
    "file_empty": _("The file is empty."),
    "not_json": _("The file is not complete JSON: the error is in line %(line)s, column %(column)s."),
    "not_yaml": _("The file is neither JSON nor YAML: the error is in line %(line)s, column %(column)s."),
    "yaml_unsafe": _("The YAML file asks for objects of a program or repeats itself too often; it is not read."),
    "config_not_object": _("“%(key)s” must be an object with keys."),
    "config_key_missing": _("The file does not say “%(key)s”, which is needed to count the parameters."),
    "config_key_unknown": _("“%(key)s” is not a dimension that is known here."),
    "config_not_number": _("“%(key)s” must be a whole number; the file says “%(value)s”."),
    "config_not_boolean": _("“%(key)s” must be true or false; the file says “%(value)s”."),
    "config_not_text": _("“%(key)s” must be text; the file says “%(value)s”."),
    "config_not_list": _("“%(key)s” must be a list; the file says “%(value)s”."),
    "config_out_of_range": _("“%(key)s” is %(value)s; a figure between %(low)s and %(high)s is expected."),
    "config_inconsistent": _("“%(key)s” is %(value)s, which does not go together with %(limit)s."),
    "config_format_refused": _("This is a file of %(format)s; such files are not read yet."),
    "config_unknown_format": _("The file does not look like a model's configuration; its first keys are: %(keys)s."),
    "training_unknown_format": _("The file does not look like a training configuration; its first keys are: %(keys)s."),
    "preset_unknown": _("There is no model “%(preset)s” in the list."),
}


def message(code: str, params: Mapping[str, object]) -> str:
    """The sentence of this code in the active language."""
    return str(MESSAGES[code]) % params
