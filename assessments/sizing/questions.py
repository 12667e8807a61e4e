"""The questions of task/1 as frozen models: every answer may be open, absent and null mean the same."""

from __future__ import annotations

from typing import Annotated, Any

from pydantic import BaseModel, BeforeValidator, ConfigDict

from assessments.sizing.answers import (
    OpenChoice,
    OpenNumber,
    Unknown,
    choice,
    choices,
    flag,
    number,
    plain_number,
    rows,
    text,
    texts,
)

SCHEMA = "task/1"
METHODS = ("from_scratch", "full", "lora", "qlora", "frozen", "inference")
OBJECTIVES = ("loss", "dpo", "grpo", "distill")
FAMILIES = (
    "decoder", "encoder", "encoder_decoder", "vision", "detection", "segmentation", "two_tower", "vision_language",
    "diffusion", "video_diffusion", "speech", "state_space", "gan", "trees", "tabular_net", "recommender", "graph",
    "other",
)  # fmt: skip
ROLES = ("vision_tower", "projector", "language_model", "text_encoder", "vae")
PROFILES = ("continuous_text", "small_files", "large_images", "video", "audio", "table")
LOCATIONS = ("local_nvme", "local_disk", "network_storage", "parallel_fs", "object_storage", "cloud")
OPTIMIZERS = ("adamw", "adamw_8bit", "paged_adamw_8bit", "adafactor", "lion", "muon", "sgd")
STACKS = (
    "hf",
    "torchtune",
    "litgpt",
    "axolotl",
    "llamafactory",
    "torchtitan",
    "megatron",
    "deepspeed",
    "nemo",
    "diffusers",
    "other",
)
COOLING = ("none", "air", "contained_aisle", "rear_door", "direct_to_chip", "immersion")
FORBIDDEN = (
    "qlora", "lora", "8bit_optimizer", "offload", "fp8", "recompute", "tp", "pp", "cp", "ep", "zero3", "chunked_loss",
    "packing",
)  # fmt: skip
LINKS = ("nvswitch", "nvlink_mesh", "nvlink_bridge", "xgmi", "pcie", "roce", "hccs")
FABRIC_SPEED = number(1, 10_000)
YEAR_H = 8766.0


class Answers(BaseModel):
    """Part of a task: frozen, no unknown key; absent and null mean the same."""

    model_config = ConfigDict(extra="forbid", frozen=True, protected_namespaces=())


class Continuous(Answers):
    """Training again and again on fresh data."""

    every_days: Annotated[OpenNumber, number(0.01, 3660)] = None
    data_share: Annotated[OpenNumber, number(0, 1)] = None


class Lora(Answers):
    """Adapters."""

    rank: Annotated[OpenNumber, number(1, 4096, whole=True)] = None
    targets: Annotated[OpenChoice, choices("attention", "mlp")] = None
    dropout: Annotated[OpenNumber, number(0, 1)] = None


class OtherModel(Answers):
    """A model beside the trained one."""

    preset: Annotated[str | None, text()] = None
    params: Annotated[OpenNumber, number(1e3, 1e14)] = None


class Rollout(Answers):
    """Sampling during reinforcement learning."""

    generations: Annotated[OpenNumber, number(1, 1024, whole=True)] = None
    tokens: Annotated[OpenNumber, number(1, 1e7)] = None
    engine: Annotated[OpenChoice, choice("beside", "separate")] = None


class Serving(Answers):
    """Use of the ready model; another sizing."""

    users: Annotated[OpenNumber, number(0, 1e9)] = None


class Strategy(Answers):
    """Parameter 1."""

    method: Annotated[OpenChoice, choice(*METHODS)] = None
    objective: Annotated[OpenChoice, choice(*OBJECTIVES)] = None
    own_architecture: Annotated[bool | Unknown | None, flag(may_be_unknown=True)] = None
    continuous: Continuous | None = None
    lora: Lora | None = None
    frozen_parts: Annotated[OpenChoice, choices(*ROLES)] = None
    reference_model: Annotated[bool | Unknown | None, flag(may_be_unknown=True)] = None
    teacher: OtherModel | None = None
    rollout: Rollout | None = None
    serving: Serving | None = None


class Component(Answers):
    """A network of a model that has several."""

    role: Annotated[OpenChoice, choice(*ROLES)] = None
    preset: Annotated[str | None, text()] = None
    params: Annotated[OpenNumber, number(1e3, 1e14)] = None
    frozen: Annotated[bool | Unknown | None, flag(may_be_unknown=True)] = None


def _public(config: Any) -> Any:
    """A configuration without private keys: they hold paths of somebody's disk, not dimensions."""
    return (
        {key: value for key, value in config.items() if not key.startswith("_")} if isinstance(config, dict) else config
    )


class Model(Answers):
    """Parameter 2; of preset, config, shape, params, class the first given wins."""

    preset: Annotated[str | None, text()] = None
    config: Annotated[dict[str, Any] | None, BeforeValidator(_public)] = None
    shape: dict[str, Any] | None = None
    params: Annotated[OpenNumber, number(1e3, 1e14)] = None
    active_params: Annotated[OpenNumber, number(1e3, 1e14)] = None
    trainable_params: Annotated[OpenNumber, number(0, 1e14)] = None
    class_: Annotated[OpenChoice, choice("small", "medium", "large")] = None
    family: Annotated[OpenChoice, choice(*FAMILIES)] = None
    components: Annotated[tuple[Component, ...], rows(12)] = ()
    inputs: Annotated[OpenChoice, choices("text", "image", "audio", "video", "tabular")] = None
    context_tokens: Annotated[OpenNumber, number(1, 1e8, whole=True)] = None
    image_width_px: Annotated[OpenNumber, number(1, 100_000, whole=True)] = None
    image_height_px: Annotated[OpenNumber, number(1, 100_000, whole=True)] = None
    images_per_sample: Annotated[OpenNumber, number(0, 10_000, whole=True)] = None
    frames: Annotated[OpenNumber, number(1, 1e6, whole=True)] = None
    audio_s: Annotated[OpenNumber, number(0.001, 1e6)] = None

    model_config = ConfigDict(alias_generator=lambda name: name.removesuffix("_"))


class Dataset(Answers):
    """Parameter 3."""

    bytes: Annotated[OpenNumber, number(0, 1e19)] = None
    tokens: Annotated[OpenNumber, number(1, 1e17)] = None
    samples: Annotated[OpenNumber, number(1, 1e15)] = None
    sample_bytes: Annotated[OpenNumber, number(1, 1e15)] = None
    text_language: Annotated[OpenChoice, choice("en", "ru", "code", "other")] = None
    epochs: Annotated[OpenNumber, number(0.001, 1e6)] = None
    profile: Annotated[OpenChoice, choice(*PROFILES)] = None
    hours: Annotated[OpenNumber, number(0, 1e9)] = None
    features: Annotated[OpenNumber, number(1, 1e7, whole=True)] = None
    rounds: Annotated[OpenNumber, number(1, 1e7, whole=True)] = None
    augmentation: Annotated[OpenChoice, choice("none", "light", "heavy", "regenerated")] = None
    growth_per_year: Annotated[OpenNumber, number(0, 100)] = None
    location: Annotated[OpenChoice, choice(*LOCATIONS)] = None
    location_gbit_s: Annotated[OpenNumber, FABRIC_SPEED] = None
    location_iops: Annotated[OpenNumber, number(1, 1e10)] = None
    copies: Annotated[OpenNumber, number(1, 100, whole=True)] = None


class Cycle(Answers):
    """Parameter 4."""

    wanted_h: Annotated[OpenNumber, number(0.01, 10 * YEAR_H)] = None
    latest_h: Annotated[OpenNumber, number(0.01, 10 * YEAR_H)] = None
    months_acceptable: Annotated[bool | Unknown | None, flag(may_be_unknown=True)] = None


class GivenLayout(Answers):
    """A layout that the customer is bound to."""

    tp: Annotated[float | None, plain_number(1, 64, whole=True)] = None
    pp: Annotated[float | None, plain_number(1, 128, whole=True)] = None
    cp: Annotated[float | None, plain_number(1, 64, whole=True)] = None
    ep: Annotated[float | None, plain_number(1, 256, whole=True)] = None
    sharding: Annotated[OpenChoice, choice("none", "zero1", "zero2", "zero3", "hybrid")] = None
    offload: Annotated[OpenChoice, choice("none", "optimizer", "parameters", "nvme")] = None


class Recipe(Answers):
    """How the training is done."""

    precision: Annotated[OpenChoice, choice("bf16", "fp16", "fp8", "fp32")] = None
    optimizer: Annotated[OpenChoice, choice(*OPTIMIZERS)] = None
    gradient_dtype: Annotated[OpenChoice, choice("bf16", "fp16", "fp32")] = None
    global_batch: Annotated[OpenNumber, number(1, 1e8, whole=True)] = None
    micro_batch: Annotated[OpenNumber, number(1, 1e6, whole=True)] = None
    recompute: Annotated[OpenChoice, choice("none", "selective", "full")] = None
    flash_attention: Annotated[bool | Unknown | None, flag(may_be_unknown=True)] = None
    loss: Annotated[OpenChoice, choice("eager", "chunked", "fused")] = None
    packing: Annotated[bool | Unknown | None, flag(may_be_unknown=True)] = None
    stack: Annotated[OpenChoice, choice(*STACKS)] = None
    tuned: Annotated[bool | Unknown | None, flag(may_be_unknown=True)] = None
    layout: GivenLayout | None = None
    forbidden: Annotated[OpenChoice, choices(*FORBIDDEN)] = None


class Scenario(Answers):
    """One training with its data and time."""

    name: Annotated[str | None, text()] = None
    after: Annotated[float | None, plain_number(0, 100, whole=True)] = None
    runs_per_quarter: Annotated[OpenNumber, number(0, 1e5)] = None
    runs_in_all: Annotated[OpenNumber, number(0, 1e6)] = None
    strategy: Strategy = Strategy()
    model: Model = Model()
    dataset: Dataset = Dataset()
    cycle: Cycle = Cycle()
    recipe: Recipe = Recipe()


class Planned(Answers):
    """What will come to the platform."""

    in_months: Annotated[OpenNumber, number(0, 240)] = None
    scenario: Annotated[float | None, plain_number(0, 100, whole=True)] = None
    times: Annotated[OpenNumber, number(0.01, 1000)] = None


class Horizon(Answers):
    """Parameter 5."""

    use: Annotated[OpenChoice, choice("one_off", "platform")] = None
    years: Annotated[OpenNumber, number(0, 20)] = None
    operation: Annotated[OpenChoice, choice("one_team", "shared", "service")] = None
    planned: Annotated[tuple[Planned, ...], rows(12)] = ()


class SiteFabric(Answers):
    """The network that is there already."""

    kind: Annotated[OpenChoice, choice("infiniband", "roce", "ethernet")] = None
    ports: Annotated[OpenNumber, number(0, 10_000, whole=True)] = None
    gbit_s: Annotated[OpenNumber, FABRIC_SPEED] = None


class Facility(Answers):
    """Where the servers will stand."""

    place: Annotated[OpenChoice, choice("office", "server_room", "datacentre")] = None
    racks: Annotated[OpenNumber, number(0, 10_000, whole=True)] = None
    rack_kw: Annotated[OpenNumber, number(0, 1000)] = None
    feeds: Annotated[OpenNumber, number(0, 16, whole=True)] = None
    feed_kw: Annotated[OpenNumber, number(0, 1000)] = None
    cooling: Annotated[OpenChoice, choice(*COOLING)] = None
    cooling_kw: Annotated[OpenNumber, number(0, 1000)] = None
    free_units: Annotated[OpenNumber, number(0, 100)] = None
    depth_mm: Annotated[OpenNumber, number(100, 3000)] = None
    load_kg: Annotated[OpenNumber, number(0, 10_000)] = None
    inlet_c: Annotated[OpenNumber, number(-20, 60)] = None
    fabric: SiteFabric | None = None


class Preferences(Answers):
    """Wishes and bans."""

    vendors: Annotated[tuple[str, ...], texts(40)] = ()
    excluded_vendors: Annotated[tuple[str, ...], texts(40)] = ()
    accelerators: Annotated[tuple[str, ...], texts(100)] = ()
    max_servers: Annotated[OpenNumber, number(1, 10_000, whole=True)] = None


class Hardware(Answers):
    """Machines that the customer has or asks about."""

    accelerator: Annotated[str | None, text()] = None
    memory_bytes: Annotated[OpenNumber, number(1e8, 1e14)] = None
    gpus: Annotated[OpenNumber, number(1, 100_000, whole=True)] = None
    servers: Annotated[OpenNumber, number(1, 20_000, whole=True)] = None
    link: Annotated[OpenChoice, choice(*LINKS)] = None
    fabric: SiteFabric | None = None
    cpu_cores: Annotated[OpenNumber, number(1, 10_000, whole=True)] = None
    ram_bytes: Annotated[OpenNumber, number(1e8, 1e15)] = None
    owned: Annotated[bool | Unknown | None, flag(may_be_unknown=True)] = None


class Measured(Answers):
    """One step that the customer measured."""

    scenario: Annotated[float | None, plain_number(0, 100, whole=True)] = None
    accelerator: Annotated[str | None, text()] = None
    gpus: Annotated[float | None, plain_number(1, 100_000, whole=True)] = None
    seq_len: Annotated[float | None, plain_number(1, 1e8, whole=True)] = None
    micro_batch: Annotated[float | None, plain_number(1, 1e6, whole=True)] = None
    recipe: Recipe | None = None
    peak_gib: Annotated[float | None, plain_number(0.01, 1e5)] = None
    peak_metric: Annotated[OpenChoice, choice("active", "allocated", "reserved", "process")] = None
    tokens_per_s: Annotated[float | None, plain_number(1e-3, 1e12)] = None
    step_s: Annotated[float | None, plain_number(1e-6, 1e7)] = None
