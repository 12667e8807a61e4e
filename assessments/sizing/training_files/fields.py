"""Collecting a partial task from a training configuration, and what of it was not used."""

from collections.abc import Mapping
from typing import Any

from assessments.sizing.architectures.errors import ConfigError
from assessments.sizing.architectures.fields import Fields
from assessments.sizing.architectures.presets import find_preset

OPEN = ("auto", "", "none", "null")

OPTIMIZERS = {
    "adamw": "adamw", "adam": "adamw", "fusedadam": "adamw", "adamw_torch": "adamw", "adamw_torch_fused": "adamw",
    "adamw_hf": "adamw", "adamw_apex_fused": "adamw", "torch.optim.adamw": "adamw", "paged_adamw_32bit": "adamw",
    "paged_adamw": "adamw", "adamw_8bit": "adamw_8bit", "adamw_bnb_8bit": "adamw_8bit",
    "adamw_torch_8bit": "adamw_8bit", "bitsandbytes.optim.adamw8bit": "adamw_8bit",
    "torchao.optim.adamw8bit": "adamw_8bit", "paged_adamw_8bit": "paged_adamw_8bit",
    "bitsandbytes.optim.pagedadamw8bit": "paged_adamw_8bit", "bitsandbytes.optim.pagedadamw": "adamw",
    "adafactor": "adafactor", "lion": "lion", "lion_32bit": "lion", "lion_pytorch": "lion", "sgd": "sgd",
    "torch.optim.sgd": "sgd", "muon": "muon",
}  # fmt: skip
FLASH = {
    "flash_attention_2": True, "flash_attention_3": True, "fa2": True, "fa3": True, "sdpa": True, "eager": False,
    "disabled": False, "flex_attention": True, "xformers": True,
}  # fmt: skip
ATTENTION_NAMES = ("q_proj", "k_proj", "v_proj", "o_proj", "output_proj", "query", "key", "value", "qkv", "wqkv", "wo")
MLP_NAMES = ("gate_proj", "up_proj", "down_proj", "w1", "w2", "w3", "fc1", "fc2", "dense", "mlp")


class TrainingFields(Fields):
    """Checked reading where "auto", empty text and null leave an answer open."""

    def raw(self, *names: str) -> Any:
        """The first of these keys that says something, else None; what was looked at counts as used."""
        for name in names:
            value = self.data.get(name)
            if value is not None:
                self.read[name] = value
            if value is not None and not (isinstance(value, str) and value.strip().lower() in OPEN):
                return value
        return None

    def section(self, name: str) -> "TrainingFields":
        """A nested object, empty when the key is absent or not an object."""
        value = self.data.get(name)
        child = TrainingFields(value if isinstance(value, Mapping) else {}, self._key(name))
        if isinstance(value, Mapping):
            self.read[name] = child
        return child

    def unused(self) -> tuple[str, ...]:
        """Keys that nothing looked at, nested ones with dots, in the order of the file."""
        left: list[str] = []
        for key, value in self.data.items():
            child = self.read.get(key)
            if isinstance(child, TrainingFields):
                left += child.unused()
            elif key not in self.read and value is not None:
                left.append(self._key(str(key)))
        return tuple(left)


class PartialTask:
    """The scenario that a file describes, filled answer by answer."""

    def __init__(self, stack: str) -> None:
        self.scenario: dict[str, dict[str, Any]] = {
            "strategy": {},
            "model": {},
            "dataset": {},
            "recipe": {"stack": stack},
        }

    def put(self, section: str, name: str, value: Any) -> None:
        """Set one answer unless it is open."""
        if value is not None:
            self.scenario[section][name] = value

    def layout(self, name: str, value: Any) -> None:
        """Set one figure of the layout unless it is open."""
        if value is not None:
            self.scenario["recipe"].setdefault("layout", {})[name] = value

    def as_task(self) -> dict[str, Any]:
        """A partial task: one scenario with the sections that have an answer."""
        return {"scenarios": [{name: section for name, section in self.scenario.items() if section}]}


def put_model(task: PartialTask, fields: TrainingFields, *names: str) -> None:
    """The model by its hub name; a name that is not in the list stays unused."""
    for name in names:
        value = fields.data.get(name)
        if isinstance(value, str) and value:
            slug = find_preset(value)
            if slug is not None:
                fields.read[name] = value
                task.put("model", "preset", slug)
            return


def put_optimizer(task: PartialTask, fields: TrainingFields, *names: str) -> None:
    """The optimizer; one that is not known stays unused."""
    for name in names:
        value = fields.data.get(name)
        if isinstance(value, str):
            known = OPTIMIZERS.get(value.strip().lower())
            if known is not None:
                fields.read[name] = value
                task.put("recipe", "optimizer", known)
            return


def put_precision(task: PartialTask, fields: TrainingFields) -> None:
    """bf16, fp16 or fp8 from switches; "auto" leaves it open, but Axolotl's bf16: auto means bf16 where it can."""
    for name in ("fp8", "bf16", "fp16"):
        value = fields.data.get(name)
        if isinstance(value, bool):
            fields.read[name] = value
            if value:
                task.put("recipe", "precision", name)
                return


def put_attention(task: PartialTask, fields: TrainingFields, *names: str) -> None:
    """Whether attention is fused."""
    value = fields.raw(*names)
    if isinstance(value, bool):
        task.put("recipe", "flash_attention", value)
    elif isinstance(value, str):
        known = FLASH.get(value.strip().lower())
        task.put("recipe", "flash_attention", True if known is None and "flash" in value.lower() else known)


def put_targets(lora: dict[str, Any], value: Any) -> None:
    """Which matrices get adapters: attention, MLP or both."""
    names = [value] if isinstance(value, str) else value
    if not isinstance(names, list):
        return
    text = [str(n).lower() for n in names[:100]]
    if any(n in {"all", "all-linear"} for n in text):
        lora["targets"] = ["attention", "mlp"]
        return
    flat = [part.strip() for n in text for part in n.split(",")]
    targets = []
    if any(any(known in n for known in ATTENTION_NAMES) for n in flat):
        targets.append("attention")
    if any(any(known in n for known in MLP_NAMES) for n in flat):
        targets.append("mlp")
    if targets:
        lora["targets"] = targets


def positive(fields: TrainingFields, *names: str) -> int | None:
    """A whole number above zero; -1 and absence mean open. Raises ConfigError for text instead of a number."""
    value = fields.raw(*names)
    if value is None or value == -1:
        return None
    return fields.checked(value, names[0], least=1, most=10**9)


def share(fields: TrainingFields, name: str) -> float | None:
    """A number between 0 and 1."""
    value = fields.raw(name)
    return None if value is None else fields.number(name, default=0.0, most=1.0)


def epochs(fields: TrainingFields, *names: str) -> float | None:
    """Passes over the data."""
    value = fields.raw(*names)
    if value is None or (isinstance(value, int | float) and not isinstance(value, bool) and value <= 0):
        return None
    return fields.number(*names, default=1.0, most=1e6)


def refuse(label: str) -> ConfigError:
    """The error for a file of a program that is recognised and not read."""
    return ConfigError("config_format_refused", format=label)
