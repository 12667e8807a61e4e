"""Names of things: memory parts, resources, options, enum values, answers, quantities."""

import re
from collections.abc import Mapping
from typing import Any

from django.utils.translation import get_language, gettext_lazy, pgettext, pgettext_lazy
from django.utils.translation import gettext as _

from assessments.wording.counts import plural
from assessments.wording.quantities import QUANTITIES
from assessments.wording.techniques import TECHNIQUES
from assessments.wording.text import Words
from assessments.wording.values import VALUES

PARTS: dict[str, Words] = {
    "weights": pgettext_lazy("memory part", "weights"),
    "gradients": pgettext_lazy("memory part", "gradients"),
    "optimizer": pgettext_lazy("memory part", "optimizer"),
    "activations": pgettext_lazy("memory part", "activations"),
    "logits": pgettext_lazy("memory part", "logits"),
    "overhead": pgettext_lazy("memory part", "overhead"),
    "free": pgettext_lazy("memory part", "free"),
    "reserve": pgettext_lazy("memory part", "reserve"),
    "cache": pgettext_lazy("memory part", "KV cache"),
}

RESOURCES: dict[str, Words] = {
    "memory": pgettext_lazy("resource", "GPU memory"),
    "time": pgettext_lazy("resource", "Cycle time"),
    "power": pgettext_lazy("resource", "Rack power"),
    "feed": pgettext_lazy("resource", "Power feed"),
    "heat": pgettext_lazy("resource", "Heat"),
    "cooling": pgettext_lazy("resource", "Kind of cooling"),
    "units": pgettext_lazy("resource", "Rack units"),
    "depth": pgettext_lazy("resource", "Depth"),
    "weight": pgettext_lazy("resource", "Weight"),
    "cpu_cores": pgettext_lazy("resource", "CPU cores"),
    "ram": pgettext_lazy("resource", "Host RAM"),
    "storage": pgettext_lazy("resource", "Storage capacity"),
    "storage_read": pgettext_lazy("resource", "Storage reading"),
    "storage_iops": pgettext_lazy("resource", "Storage operations"),
    "checkpoints": pgettext_lazy("resource", "Space for checkpoints"),
    "checkpoint_write": pgettext_lazy("resource", "Checkpoint writing"),
    "link": pgettext_lazy("resource", "Intra-node link"),
    "fabric": pgettext_lazy("resource", "Fabric between nodes"),
    "growth_slots": pgettext_lazy("resource", "Slots for growth"),
    "inlet": pgettext_lazy("resource", "Inlet air"),
    "accelerator": pgettext_lazy("resource", "GPU model"),
    "racks": pgettext_lazy("resource", "Racks"),
}

FITS: dict[str, Words] = {
    "fits": pgettext_lazy("fit", "Fits"),
    "at_limit": pgettext_lazy("fit", "At the limit"),
    "does_not_fit": pgettext_lazy("fit", "Does not fit"),
    "unknown": pgettext_lazy("fit", "Not checked"),
}

OPTIONS: dict[str, Words] = {
    "economical": pgettext_lazy("option", "Economical"),
    "balanced": pgettext_lazy("option", "Balanced"),
    "growth": pgettext_lazy("option", "Growth"),
}

ORIGINS: dict[str, Words] = {
    "answer": pgettext_lazy("origin", "your answer"),
    "assumption": pgettext_lazy("origin", "assumption"),
    "computed": pgettext_lazy("origin", "computed"),
    "pinned": pgettext_lazy("origin", "set by the engineer"),
}

MOMENTS: dict[str, Words] = {
    "loss": pgettext_lazy("moment", "computing the loss"),
    "backward": pgettext_lazy("moment", "end of the backward pass"),
    "step": pgettext_lazy("moment", "optimizer step"),
    "any": pgettext_lazy("moment", "every GPU"),
    "first_stage": pgettext_lazy("moment", "first pipeline stage"),
    "last_stage": pgettext_lazy("moment", "last pipeline stage"),
}

CASES: dict[str, Words] = {
    "inference": pgettext_lazy("case", "Inference"),
    "qlora": "QLoRA",
    "lora": "LoRA",
    "full": pgettext_lazy("case", "Full fine-tuning"),
}

# whole parts of the task; a question inside is never called by the name of its part
SECTIONS: dict[str, Words] = {
    "": gettext_lazy("Training task"),
    "strategy": gettext_lazy("Training strategy"),
    "model": gettext_lazy("Model"),
    "dataset": gettext_lazy("Dataset"),
    "cycle": gettext_lazy("Cycle time"),
    "recipe": gettext_lazy("Recipe"),
    "horizon": gettext_lazy("Horizon"),
    "facility": gettext_lazy("Facility and rack"),
    "preferences": gettext_lazy("Preferences"),
}

PATHS: dict[str, Words] = {
    "strategy.method": gettext_lazy("Kind of training"),
    "strategy.objective": gettext_lazy("Objective"),
    "strategy.own_architecture": gettext_lazy("Own architecture"),
    "strategy.continuous": gettext_lazy("Repeat on fresh data"),
    "strategy.continuous.every_days": gettext_lazy("Repeated every"),
    "strategy.continuous.data_share": gettext_lazy("Share of the data per repeat"),
    "strategy.lora": gettext_lazy("LoRA rank and layers"),
    "strategy.lora.rank": gettext_lazy("LoRA rank"),
    "strategy.lora.targets": gettext_lazy("LoRA layers"),
    "strategy.lora.dropout": gettext_lazy("LoRA dropout"),
    "strategy.frozen_parts": gettext_lazy("Frozen parts"),
    "strategy.reference_model": gettext_lazy("Reference model"),
    "strategy.teacher": gettext_lazy("Teacher model"),
    "strategy.rollout": gettext_lazy("Sampling of answers"),
    "strategy.rollout.generations": gettext_lazy("Answers per question"),
    "strategy.rollout.tokens": gettext_lazy("Tokens per answer"),
    "strategy.rollout.engine": gettext_lazy("Where answers are sampled"),
    "strategy.serving.users": gettext_lazy("Users served"),
    "model.preset": gettext_lazy("Model"),
    "model.config": gettext_lazy("Model configuration"),
    "model.shape": gettext_lazy("Model dimensions"),
    "model.params": gettext_lazy("Parameter count"),
    "model.active_params": gettext_lazy("Active parameters"),
    "model.trainable_params": gettext_lazy("Trainable parameters"),
    "model.class": gettext_lazy("Class of model"),
    "model.family": gettext_lazy("Family of model"),
    "model.inputs": gettext_lazy("Type of data"),
    "model.components": gettext_lazy("Parts of the model"),
    "model.context_tokens": gettext_lazy("Context length"),
    "model.image_width_px": gettext_lazy("Image width"),
    "model.image_height_px": gettext_lazy("Image height"),
    "model.images_per_sample": gettext_lazy("Images per sample"),
    "model.frames": gettext_lazy("Frames"),
    "model.audio_s": gettext_lazy("Audio per sample"),
    "dataset.bytes": gettext_lazy("Dataset volume"),
    "dataset.tokens": gettext_lazy("Tokens in the dataset"),
    "dataset.samples": gettext_lazy("Samples in the dataset"),
    "dataset.sample_bytes": gettext_lazy("Size of a sample"),
    "dataset.text_language": gettext_lazy("Language of text"),
    "dataset.epochs": gettext_lazy("Passes per cycle"),
    "dataset.profile": gettext_lazy("Kind of files"),
    "dataset.hours": gettext_lazy("Hours of recording"),
    "dataset.features": gettext_lazy("Columns of the table"),
    "dataset.rounds": gettext_lazy("Boosting rounds"),
    "dataset.augmentation": gettext_lazy("Augmentation"),
    "dataset.growth_per_year": gettext_lazy("Growth per year"),
    "dataset.location": gettext_lazy("Where the dataset lives"),
    "dataset.location_gbit_s": gettext_lazy("Network speed to the data"),
    "dataset.location_iops": gettext_lazy("Operations the storage delivers"),
    "dataset.copies": gettext_lazy("Copies of the dataset"),
    "cycle.wanted_h": gettext_lazy("Wanted time"),
    "cycle.latest_h": gettext_lazy("Latest acceptable time"),
    "cycle.months_acceptable": gettext_lazy("Months are acceptable"),
    "runs_per_quarter": gettext_lazy("Runs per quarter"),
    "runs_in_all": gettext_lazy("Runs in all"),
    "recipe.precision": gettext_lazy("Precision"),
    "recipe.optimizer": gettext_lazy("Optimizer"),
    "recipe.gradient_dtype": gettext_lazy("Type of gradients"),
    "recipe.global_batch": gettext_lazy("Global batch"),
    "recipe.micro_batch": gettext_lazy("Micro-batch"),
    "recipe.recompute": gettext_lazy("Activation checkpointing"),
    "recipe.flash_attention": gettext_lazy("Flash attention"),
    "recipe.loss": gettext_lazy("Computation of the loss"),
    "recipe.packing": gettext_lazy("Sequence packing"),
    "recipe.stack": gettext_lazy("Framework"),
    "recipe.tuned": gettext_lazy("Tuned stack"),
    "recipe.layout": gettext_lazy("Layout over GPUs"),
    "recipe.layout.tp": gettext_lazy("Tensor parallelism"),
    "recipe.layout.pp": gettext_lazy("Pipeline parallelism"),
    "recipe.layout.cp": gettext_lazy("Context parallelism"),
    "recipe.layout.ep": gettext_lazy("Expert parallelism"),
    "recipe.layout.sharding": gettext_lazy("Sharding of the state"),
    "recipe.layout.offload": gettext_lazy("Offload to RAM"),
    "recipe.forbidden": gettext_lazy("Not allowed"),
    "horizon.use": gettext_lazy("Purpose"),
    "horizon.years": gettext_lazy("Years of service"),
    "horizon.operation": gettext_lazy("Who uses it"),
    "horizon.planned": gettext_lazy("What comes next"),
    "horizon.planned.in_months": gettext_lazy("What comes next: in how many months"),
    "horizon.planned.scenario": gettext_lazy("What comes next: number of the task"),
    "horizon.planned.times": gettext_lazy("What comes next: times today’s work"),
    "facility.place": gettext_lazy("Place of installation"),
    "facility.racks": gettext_lazy("Racks"),
    "facility.rack_kw": gettext_lazy("Power per rack"),
    "facility.feeds": gettext_lazy("Power feeds"),
    "facility.feed_kw": gettext_lazy("Power of one feed"),
    "facility.cooling": gettext_lazy("Cooling"),
    "facility.cooling_kw": gettext_lazy("Heat removed per rack"),
    "facility.free_units": gettext_lazy("Free rack units"),
    "facility.depth_mm": gettext_lazy("Usable depth"),
    "facility.load_kg": gettext_lazy("Permitted load"),
    "facility.inlet_c": gettext_lazy("Inlet air"),
    "facility.fabric": gettext_lazy("Fabric in place"),
    "facility.fabric.kind": gettext_lazy("Fabric in place: kind"),
    "facility.fabric.ports": gettext_lazy("Fabric in place: free ports"),
    "facility.fabric.gbit_s": gettext_lazy("Fabric in place: speed of a port"),
    "preferences.vendors": gettext_lazy("Preferred vendors"),
    "preferences.excluded_vendors": gettext_lazy("Excluded vendors"),
    "preferences.accelerators": gettext_lazy("Preferred GPUs"),
    "preferences.max_servers": gettext_lazy("Most servers"),
    "hardware": gettext_lazy("Own hardware"),
    "measurements": gettext_lazy("Your measurement"),
    "setup": gettext_lazy("Setup of the option"),
    "setup.gpus": gettext_lazy("GPU count"),
    "setup.servers": gettext_lazy("Server count"),
    "setup.link": gettext_lazy("Intra-node link"),
    "setup.accelerator": gettext_lazy("GPU model"),
}

LETTERS = {"economical": 0, "balanced": 1, "growth": 2}
_SCENARIO_PREFIX = re.compile(r"^scenarios\[(\d+)]\.?")
_OPTION_KEY = re.compile(r"^(economical|balanced|growth|given-\d+|custom-\d+)$")
_SCENARIO_PART = re.compile(r"^s\d+$")


def is_option_key(part: str) -> bool:
    """Whether the first part of an ID names an option."""
    return bool(_OPTION_KEY.match(part))


def subject_of(name: str) -> str:
    """An ID without its option and scenario: balanced.s2.time.cycle → time.cycle."""
    parts = name.split(".")
    if is_option_key(parts[0]):
        parts = parts[1:]
    if parts and _SCENARIO_PART.match(parts[0]):
        parts = parts[1:]
    return ".".join(parts)


def option_letter(key: str) -> str:
    """А Б В in Russian, A B C in English; given and custom hardware by number."""
    letters = "АБВГДЕЖЗ" if (get_language() or "en").startswith("ru") else "ABCDEFGH"
    if key in LETTERS:
        return letters[LETTERS[key]]
    kind, _dash, number = key.partition("-")
    start = 3 if kind == "given" else 5
    place = start + int(number or 1) - 1
    return letters[place] if place < len(letters) else key


def option_name(key: str) -> str:
    """Name of an option in words."""
    if key in OPTIONS:
        return str(OPTIONS[key])
    return pgettext("option", "Your hardware") if key.startswith("given") else pgettext("option", "Engineer’s option")


def path_of(path: str) -> str:
    """A JSON path without the scenario: scenarios[0].model.params → model.params."""
    return _SCENARIO_PREFIX.sub("", path)


def _quantity(subject: str) -> str:
    """Name of a quantity; what owns it (compare_lora, curve…) and a variant behind `_` may be left out."""
    parts = subject.split(".")
    for i in range(len(parts)):
        rest = ".".join(parts[i:])
        if rest in QUANTITIES:
            return str(QUANTITIES[rest])
    head, dot, last = subject.rpartition(".")
    if dot and "_" in last and f"{head}.{last.split('_')[0]}" in QUANTITIES:
        return f"{QUANTITIES[f'{head}.{last.split("_")[0]}']}: {value_label('_'.join(last.split('_')[1:]))}"
    if head == "technique":
        return technique_name(last)
    return ""


def label_of(name: str) -> str:
    """What a quantity ID or a JSON path of the task is called, in the active language."""
    path = path_of(name)
    # a member of a list is called as the list's question asks: horizon.planned[0].times
    plain = re.sub(r"\[\d+]", "", path)
    if plain in PATHS:
        return str(PATHS[plain])
    if plain in SECTIONS and name:
        return str(SECTIONS[plain])
    subject = subject_of(name)
    found = _quantity(subject)
    if found:
        return found
    if subject in PATHS:
        return str(PATHS[subject])
    # longest known beginning: `facility.feeds[1]` and deeper paths are named after their question
    while "." in path or "[" in path:
        path = re.sub(r"(\.[^.\[]+|\[\d+])$", "", path) if not path.startswith("[") else ""
        if path in PATHS:
            return str(PATHS[path])
        if not re.search(r"(\.[^.\[]+|\[\d+])$", path):
            break
    return subject.replace("_", " ").replace(".", ": ")


def technique_name(code: str) -> str:
    """A technique by name; a code we do not know stays readable."""
    known = TECHNIQUES.get(code)
    return str(known.name) if known else code.replace("_", " ")


def value_label(value: str) -> str:
    """An enum value of task or result in words; names (AdamW, FSDP) stay as they are."""
    return str(VALUES[value]) if value in VALUES else value.replace("_", " ")


def severity_label(severity: str, code: str = "") -> str:
    """Word of a severity; a warning is called by what it is about."""
    if severity == "stop":
        return pgettext("fit", "Does not fit")
    if severity == "note":
        return pgettext("severity", "For information")
    if severity == "assumed" or code.startswith("assumed_"):
        return pgettext("severity", "Assumption")
    if code.endswith("_at_limit") or code == "time_wanted_missed":
        return pgettext("fit", "At the limit")
    return _("Take into account")


_TITLED = frozenset({"ada", "ascend", "radeon", "arc", "quadro", "max", "station", "metax", "gpu"})


def accelerator_name(slug: str) -> str:
    """A readable name of an accelerator's slug: h200-sxm5-141gb → H200 SXM5 141 GB."""
    return accelerator_title(" ".join(w.title() if w in _TITLED else w.upper() for w in slug.split("-")))


def accelerator_title(name: str) -> str:
    """The catalog's name as printed: unit of its memory in the language, remarks in brackets left out."""
    short = re.sub(r"\s*\([^)]*\)", "", name)
    return re.sub(r"(\d)\s?GB\b", lambda m: f"{m[1]}\u00a0{pgettext('unit', 'GB')}", short)


def fabric_name(slug: str) -> str:
    """A network between servers: ib-ndr → InfiniBand NDR, eth-25gbe → Ethernet 25 Gbit/s."""
    if slug in VALUES:
        return str(VALUES[slug])
    kind, _dash, rest = slug.partition("-")
    name = {"ib": "InfiniBand", "roce": "RoCE", "eth": "Ethernet"}.get(kind, kind.upper())
    speed = re.fullmatch(r"(\d+)gbe", rest)
    return f"{name} {speed[1]}\u00a0{pgettext('unit', 'Gbit/s')}" if speed else f"{name} {rest.upper()}".strip()


def machine_of(option: Mapping[str, Any]) -> str:
    """GPUs and servers of an option: 16 × H200 SXM5 141 GB, 2 servers."""
    name = option.get("accelerator_name")
    card = accelerator_title(str(name)) if name else accelerator_name(option["accelerator"])
    servers = option.get("servers") or 1
    tail = f", {servers}\u00a0{plural('servers', servers)}" if servers > 1 else ""
    return f"{option['gpus']}\u00a0× {card}{tail}"
