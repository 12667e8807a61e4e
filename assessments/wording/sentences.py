"""Shorter sentences: repairs, how to find out, warnings and errors of the intake."""

from django.utils.translation import gettext_lazy as _
from django.utils.translation import pgettext_lazy

from assessments.wording.text import Words

REPAIRS: dict[str, Words] = {
    "longer_time": pgettext_lazy("repair", "time %(to)s"),
    "shorter_context": pgettext_lazy("repair", "context %(to)s"),
    "more_nodes": pgettext_lazy("repair", "%(n_nodes)s"),
    "more_power": pgettext_lazy("repair", "a rack of %(to)s"),
    "liquid": pgettext_lazy("repair", "liquid cooling"),
    "lora": "LoRA",
    "qlora": "QLoRA",
    "smaller_model": pgettext_lazy("repair", "a model up to %(to)s"),
}

# how to find an open answer out
HOW: dict[str, Words] = {
    "run_tokenizer": _("Run the tokenizer on one per cent of the files"),
    "decide_epochs": _("Decide how many passes you will make"),
    "measure_step": _("Measure one step on a GPU you have, or run a trial of 100 steps"),
    "name_stack": _("Name the framework that will be used"),
    "attach_config": _("Attach the model’s config.json"),
    "measure_lengths": _("Take the length of 99 per cent of your samples"),
    "count_samples": _("Count the samples"),
    "ask_site": _("Ask those who run the room"),
    "decide": _("Decide this with the team"),
}

# soft warnings of the intake: they never block
WARNINGS: dict[str, Words] = {
    "context_above_model": _(
        "The context is longer than the model knows. %(model)s stops at %(limit)s, you gave %(given)s."
    ),
    "scratch_small_data": _(
        "Little data for training from scratch. %(tokens)s for %(params)s; 20 per parameter is usual. "
        "Is fine-tuning meant?"
    ),
    "time_too_short": _("This time takes a cluster. %(wanted)s means about %(n_gpus)s."),
    "bytes_per_token": _(
        "Volume and tokens do not match. That is %(rate)s per token; 3–8 bytes are usual. Check the units."
    ),
    "own_with_lora": _("LoRA needs a ready model. Add a scenario “from scratch”."),
    "network_checkpoint": _("A checkpoint takes about %(time)s over this network. We plan local NVMe."),
    "feed_below_rack": _("The feed is weaker than the rack. %(usable)s sustained, %(rack)s given."),
    "cooling_below_power": _("Cooling is below power. We use %(cooling)s."),
    "exclusions_empty": _("The exclusions leave no card of %(memory)s. Take one vendor back."),
}

ERRORS: dict[str, Words] = {
    "required": _("Answer or tick “Don’t know”"),
    "not_a_number": _("Enter a number, for example %(example)s"),
    "not_whole": _("Enter a whole number; you gave %(given)s"),
    "suffix_unknown": _("“%(suffix)s” is not known; use %(allowed)s"),
    "out_of_range": _("From %(low)s to %(high)s; you gave %(given)s"),
    "range_reversed": _("The lower end %(low)s is above the upper end %(high)s"),
    "latest_before_wanted": _("The latest time is before the wanted one: change either"),
    "active_above_total": _("More active parameters than in total"),
    "unknown_key": _("%(path)s is not in %(schema)s"),
    "unknown_accelerator": _("The card “%(name)s” is not in the catalog"),
    "unknown_preset": _("“%(name)s” is not listed: attach its config.json"),
    "not_json": _("The file cannot be read, line %(line)s"),
    "yaml_unsafe": _("YAML tags and references are not read, line %(line)s"),
    "file_too_large": _("The file is %(size)s, the limit is %(limit)s"),
    "file_kind": _("We take %(allowed)s"),
    "email_invalid": _("Check the address: name@example.com"),
    "consent_missing": _("We cannot process the request without consent"),
    "not_one_of": _("“%(given)s” is not one of: %(allowed)s"),
    "wrong_shape": _("Expected here: %(expected)s"),
    "too_long": _("At most %(limit)s characters; you gave %(given)s"),
    "too_many": _("At most %(limit)s entries; you gave %(given)s"),
}
