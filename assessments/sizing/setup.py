"""What the physics takes and gives: scenario, recipe, layout, setup, estimate."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field, fields
from typing import Literal, Self

import numpy as np
from numpy.typing import NDArray

from assessments.sizing.architectures.shape import ModelShape

type Floats = NDArray[np.float64]
type Ints = NDArray[np.int64]
type Range = tuple[float, float, float]  # low, typical, high

type Method = Literal["from_scratch", "full", "lora", "qlora", "frozen", "inference"]
type Precision = Literal["fp32", "tf32", "bf16", "fp16", "fp8", "fp4"]
type Optimizer = Literal[
    "adamw", "adamw_bf16", "adamw_8bit", "paged_adamw_8bit", "adamw_4bit", "adafactor", "lion", "sgd", "muon", "none"
]
type Loss = Literal["eager", "chunked", "fused"]
type Notion = Literal["active", "allocated", "reserved", "process"]

SHARDINGS = ("none", "zero1", "zero2", "zero3", "hybrid")  # hybrid = full shard inside a server, replicas across
OFFLOADS = ("none", "optimizer", "parameters", "nvme")  # parameters = optimizer and weights in host RAM
RECOMPUTES = ("none", "selective", "alternate", "full", "full_offload")  # per operator, every second layer, all layers
MOMENTS = ("loss", "backward", "step")
RANKS = ("any", "first_stage", "last_stage")


@dataclass(frozen=True, slots=True, kw_only=True)
class Accelerator:
    """One kind of card as the catalog knows it; None = unknown.

    memory_bytes: what the driver shows; bandwidth_bytes_s: memory bandwidth
    peak_flops: dense peak by precision [FLOP/s]
    link_bytes_s: card-to-card link beyond PCIe, both directions summed, per card
    link_domain: cards that the link joins all-to-all
    """

    slug: str
    vendor: str = ""
    name: str = ""
    architecture: str = ""
    form_factor: str = ""
    memory_bytes: float
    bandwidth_bytes_s: float | None = None
    peak_flops: dict[str, float | None] = field(default_factory=dict, hash=False)
    link: str | None = None
    link_bytes_s: float | None = None
    link_domain: int = 1
    pcie_gen: int | None = None
    pcie_lanes: int | None = None
    tdp_w: float | None = None
    cooling: str | None = None
    mig_max: int | None = None
    status: str = "current"
    source: str | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Fabric:
    """One port of the network between servers; gbit_s is the line rate of one port."""

    slug: str
    name: str = ""
    kind: str = "infiniband"
    gbit_s: float
    rdma: bool = True


@dataclass(frozen=True, slots=True, kw_only=True)
class Component:
    """A part beside the main model: vision tower, text encoder, reference, teacher.

    tokens_per_sample: tokens (patches, frames) that it processes per sample of the main model
    passes: forward-equivalents per sample that it costs (1 = frozen forward, 3 = trained)
    """

    shape: ModelShape
    role: str = "reference"
    frozen: bool = True
    weight_bytes: float = 2.0
    tokens_per_sample: float | None = None
    sharded: bool = True


@dataclass(frozen=True, slots=True, kw_only=True)
class Scenario:
    """One training task as the physics sees it.

    sequence_tokens: tokens of one sequence after padding or packing; for models without tokens, 1 per sample
    cycle_tokens: tokens (or samples where the shape has no tokens) of one cycle, epochs included, low/typical/high
    global_batch: sequences per optimizer step; None = free, the layout decides
    sequences_per_sample: 2 for pairs (DPO)
    trainable_params: of the base model, where not all; under LoRA those trained in full beside the adapters
    rollout_tokens: generated tokens per trained token (GRPO), 0 otherwise
    shape_known: False when the shape was taken from the nearest public model
    attention_bias: position biases inside the attention (ALiBi, relative): slower kernels
    """

    shape: ModelShape
    method: Method = "full"
    objective: str = "loss"
    sequence_tokens: float = 4096.0
    cycle_tokens: Range = (1e9, 1e9, 1e9)
    global_batch: float | None = None
    trainable_params: float | None = None
    components: tuple[Component, ...] = ()
    sequences_per_sample: float = 1.0
    rollout_tokens: float = 0.0
    shape_known: bool = True
    attention_bias: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class Recipe:
    """How numbers are kept and kernels chosen.

    weights: "mixed" = 16-bit weights and fp32 master, "amp" = fp32 weights under autocast, "pure" = all states in
        the 16-bit type, "fp32"
    quant_bits: width of frozen quantized linear layers (4.127 = NF4 with double quantization), None = not quantized
    unquantized_bytes: frozen tensors that are not quantized; 4 where the loader casts them to fp32
    gradient_bytes: 4 when gradients are accumulated in fp32
    lora_targets: roles ("attention", "mlp", "mixer") or names of matrices ("q", "v", "gate" …)
    deepspeed: sharding is done by DeepSpeed, whose buckets stay allocated
    assumed: names of the fields (also of Layout) that nobody stated; they only widen ranges
    """

    precision: Precision = "bf16"
    weights: Literal["mixed", "amp", "pure", "fp32"] = "mixed"
    optimizer: Optimizer = "adamw"
    gradient_bytes: float = 2.0
    stack: str = "unknown"
    tuned: bool | None = None
    loss: Loss = "eager"
    flash_attention: bool = True
    compiled: bool = False
    fused_optimizer: bool = False
    optimizer_in_backward: bool = False
    packing: bool = True
    lora_rank: float = 0.0
    lora_targets: frozenset[str] = frozenset({"attention", "mlp"})
    lora_dropout: bool = False
    deepspeed: bool = False
    quant_bits: float | None = None
    unquantized_bytes: float = 2.0
    assumed: frozenset[str] = frozenset()


@dataclass(frozen=True, slots=True, kw_only=True)
class Layout:
    """How the work is split; sharding, offload and recompute are members of the tuples above."""

    tp: int = 1
    pp: int = 1
    virtual_stages: int = 1
    cp: int = 1
    ep: int = 1
    sharding: str = "none"
    offload: str = "none"
    recompute: str = "none"
    micro_batch: float = 1.0
    sequence_parallel: bool = True


@dataclass(frozen=True, slots=True, kw_only=True)
class Setup:
    """One complete machine and layout.

    gpus: cards in all; servers: machines; link: nvswitch | nvlink_mesh | nvlink_bridge | xgmi | pcie | pcie_no_p2p |
    roce | hccs; fabric_ports: network ports per server that carry training traffic
    """

    accelerator: Accelerator
    gpus: int
    servers: int = 1
    link: str = "pcie"
    fabric: Fabric | None = None
    fabric_ports: int = 0
    recipe: Recipe = field(default_factory=Recipe)
    layout: Layout = field(default_factory=Layout)
    accumulation: float | None = None  # micro-steps per optimizer step; None = from the global batch
    notion: Notion = "process"


@dataclass(frozen=True, slots=True, kw_only=True)
class SetupArrays:
    """Many setups, struct of arrays of length n; the tables hold each distinct thing once, the arrays index them.

    sharding, offload, recompute: indices into SHARDINGS, OFFLOADS, RECOMPUTES
    accumulation: micro-steps per optimizer step, nan = from the scenario's global batch
    """

    accelerators: tuple[Accelerator, ...]
    recipes: tuple[Recipe, ...]
    links: tuple[str, ...]
    fabrics: tuple[Fabric | None, ...]
    accelerator: Ints
    recipe: Ints
    link: Ints
    fabric: Ints
    fabric_ports: Floats
    gpus: Floats
    servers: Floats
    tp: Floats
    pp: Floats
    virtual_stages: Floats
    cp: Floats
    ep: Floats
    sharding: Ints
    offload: Ints
    recompute: Ints
    micro_batch: Floats
    accumulation: Floats
    sequence_parallel: NDArray[np.bool_]

    def __len__(self) -> int:
        return len(self.gpus)

    @classmethod
    def of(cls, setups: Sequence[Setup]) -> Self:
        """Arrays of given setups, in their order."""
        accelerators, accelerator = _indexed([s.accelerator for s in setups])
        recipes, recipe = _indexed([s.recipe for s in setups])
        links, link = _indexed([s.link for s in setups])
        fabrics, fabric = _indexed([s.fabric for s in setups])

        def floats(values: Sequence[float]) -> Floats:
            return np.array(values, dtype=np.float64)

        layouts = [s.layout for s in setups]
        return cls(
            accelerators=accelerators,
            recipes=recipes,
            links=links,
            fabrics=fabrics,
            accelerator=accelerator,
            recipe=recipe,
            link=link,
            fabric=fabric,
            fabric_ports=floats([s.fabric_ports for s in setups]),
            gpus=floats([s.gpus for s in setups]),
            servers=floats([s.servers for s in setups]),
            tp=floats([x.tp for x in layouts]),
            pp=floats([x.pp for x in layouts]),
            virtual_stages=floats([x.virtual_stages for x in layouts]),
            cp=floats([x.cp for x in layouts]),
            ep=floats([x.ep for x in layouts]),
            sharding=np.array([SHARDINGS.index(x.sharding) for x in layouts]),
            offload=np.array([OFFLOADS.index(x.offload) for x in layouts]),
            recompute=np.array([RECOMPUTES.index(x.recompute) for x in layouts]),
            micro_batch=floats([x.micro_batch for x in layouts]),
            accumulation=floats([np.nan if s.accumulation is None else s.accumulation for s in setups]),
            sequence_parallel=np.array([x.sequence_parallel for x in layouts], dtype=bool),
        )

    def setup(self, i: int) -> Setup:
        """The i-th setup as one object."""
        accumulation = float(self.accumulation[i])
        return Setup(
            accelerator=self.accelerators[int(self.accelerator[i])],
            gpus=int(self.gpus[i]),
            servers=int(self.servers[i]),
            link=self.links[int(self.link[i])],
            fabric=self.fabrics[int(self.fabric[i])],
            fabric_ports=int(self.fabric_ports[i]),
            recipe=self.recipes[int(self.recipe[i])],
            layout=Layout(
                tp=int(self.tp[i]),
                pp=int(self.pp[i]),
                virtual_stages=int(self.virtual_stages[i]),
                cp=int(self.cp[i]),
                ep=int(self.ep[i]),
                sharding=SHARDINGS[int(self.sharding[i])],
                offload=OFFLOADS[int(self.offload[i])],
                recompute=RECOMPUTES[int(self.recompute[i])],
                micro_batch=float(self.micro_batch[i]),
                sequence_parallel=bool(self.sequence_parallel[i]),
            ),
            accumulation=None if np.isnan(accumulation) else accumulation,
        )


def _indexed[T](values: Sequence[T]) -> tuple[tuple[T, ...], Ints]:
    """Distinct values in order of appearance, and the index of each value among them."""
    distinct: list[T] = []
    seen: dict[T, int] = {}
    index = np.empty(len(values), dtype=np.int64)
    for i, value in enumerate(values):
        if value not in seen:
            seen[value] = len(distinct)
            distinct.append(value)
        index[i] = seen[value]
    return tuple(distinct), index


@dataclass(frozen=True, slots=True, kw_only=True)
class MemoryOf[T]:
    """Memory of the fullest rank at its fullest moment [bytes]; T is float or an array.

    The six parts sum to typical, which is the whole process (what the driver shows).
    moment, rank: indices into MOMENTS and RANKS. allocated and reserved: the framework's own counters.
    From params_per_rank on: intermediates that explain the parts.
    """

    weights: T
    gradients: T
    optimizer: T
    activations: T
    logits: T
    overhead: T
    low: T
    typical: T
    high: T
    allocated: T
    reserved: T
    moment: T
    rank: T
    params_per_rank: T
    trainable_per_rank: T
    weight_bytes_per_param: T
    gradient_bytes_per_param: T
    optimizer_bytes_per_param: T
    gathered: T
    weight_shards: T
    gradient_shards: T
    optimizer_shards: T
    step_temporaries: T
    tokens_per_rank: T
    layers_per_stage: T
    microbatches_in_flight: T
    saved_per_token_layer: T
    recomputed_layer: T
    attention_scratch: T
    logit_bytes_per_token: T
    fragmentation: T
    context: T
    communication_buffers: T


@dataclass(frozen=True, slots=True, kw_only=True)
class StepOf[T]:
    """Time of one optimizer step [s], in its exposed parts that sum to step; T is float or an array.

    Parts of the compute are totals over all micro-steps of one step. tokens_per_s_gpu low <= typical <= high.
    """

    step: T
    step_low: T
    step_high: T
    gemm: T
    attention: T
    elementwise: T
    logits: T
    launch: T
    recompute: T
    tp_exposed: T
    dp_exposed: T
    ep_exposed: T
    cp_exposed: T
    pp_exposed: T
    bubble: T
    optimizer: T
    offload: T
    tokens_per_step: T
    accumulation: T
    data_parallel: T
    tokens_per_s_gpu: T
    tokens_per_s_gpu_low: T
    tokens_per_s_gpu_high: T
    gemm_flops_per_token: T
    attention_flops_per_token: T
    flops_per_token: T
    peak_flops: T
    gemm_share: T
    attention_share: T
    mfu: T
    dp_bytes: T
    tp_bytes: T
    ep_bytes: T
    link_bytes_s: T
    fabric_bytes_s: T


@dataclass(frozen=True, slots=True, kw_only=True)
class EstimateOf[T]:
    """What the engine says of one setup (T = float) or of many (T = array)."""

    memory: MemoryOf[T]
    time: StepOf[T]


type Estimate = EstimateOf[float]
type EstimateArrays = EstimateOf[Floats]


def estimate_at(many: EstimateArrays, i: int) -> Estimate:
    """The i-th of many estimates."""

    def memory_at(value: MemoryOf[Floats]) -> MemoryOf[float]:
        return MemoryOf(**{f.name: float(getattr(value, f.name)[i]) for f in fields(value)})

    def step_at(value: StepOf[Floats]) -> StepOf[float]:
        return StepOf(**{f.name: float(getattr(value, f.name)[i]) for f in fields(value)})

    return EstimateOf(memory=memory_at(many.memory), time=step_at(many.time))


@dataclass(frozen=True, slots=True, kw_only=True)
class Measurement:
    """What somebody measured on a setup they have; the engine anchors on it.

    peak_bytes in the given notion; step_s or tokens_per_s_gpu, None = not measured
    """

    scenario: Scenario
    setup: Setup
    peak_bytes: float | None = None
    notion: Notion = "process"
    tokens_per_s_gpu: float | None = None
    step_s: float | None = None
