"""Every reason for which a configuration is refused, with the kinds of its figures."""

CONFIG_ERRORS: dict[str, dict[str, str]] = {
    "config_not_object": {"key": "text"},
    "config_key_missing": {"key": "text"},
    "config_key_unknown": {"key": "text"},
    "config_not_number": {"key": "text", "value": "text"},
    "config_not_boolean": {"key": "text", "value": "text"},
    "config_not_text": {"key": "text", "value": "text"},
    "config_not_list": {"key": "text", "value": "text"},
    "config_out_of_range": {"key": "text", "value": "count", "low": "count", "high": "count"},
    "config_inconsistent": {"key": "text", "value": "count", "limit": "count"},
    "config_format_refused": {"format": "text"},
    "config_unknown_format": {"keys": "text"},
    "training_unknown_format": {"keys": "text"},
    "preset_unknown": {"preset": "text"},
}
