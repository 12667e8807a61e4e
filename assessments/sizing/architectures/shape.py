"""The shape of a model: every dimension that memory and compute formulas need, and exact parameter counts."""

from dataclasses import dataclass, field, replace
from typing import Literal, Self

from assessments.sizing.architectures.extent import Grid, Patches

type Role = Literal["attention", "mlp", "expert", "shared_expert", "router", "mixer", "projection"]
type Obtained = Literal["exact", "preset", "nearest"]
type PartRole = Literal["vision_tower", "audio_tower", "projector", "language_model", "text_encoder", "vae"]


@dataclass(frozen=True, slots=True, kw_only=True)
class Assumption:
    """What was taken where the file or the customer said nothing; the wording layer speaks the code."""

    code: str
    params: tuple[tuple[str, str | int | float], ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class Matrix:
    """One linear map of a block; `copies` are stored, `used` of them see a given token.

    Experts: E copies, e used. The text stream of a two-stream diffusion transformer: 1 copy, 0 used, because every
    token, of the picture or of the text, passes exactly one of the two equal sets.
    """

    name: str
    role: Role
    inputs: int
    outputs: int
    bias: bool = False
    copies: int = 1
    used: int = 1

    @property
    def weights(self) -> int:
        """Entries of all copies, biases left out [count]: what a quantizer packs and a matmul multiplies."""
        return self.copies * self.inputs * self.outputs

    @property
    def params(self) -> int:
        """Parameters of all copies [count]."""
        return self.copies * (self.inputs + self.bias) * self.outputs

    @property
    def active_params(self) -> int:
        """Parameters at work [count]: the experts that one token passes, everything else whole."""
        working = self.used if self.role == "expert" else self.copies
        return working * (self.inputs + self.bias) * self.outputs

    @property
    def flops(self) -> int:
        """Forward work on one token [FLOP]: a multiplication and an addition per entry."""
        return 2 * self.used * self.inputs * self.outputs


@dataclass(frozen=True, slots=True, kw_only=True)
class Attention:
    """One attention core: what happens between the projections.

    For MLA heads = kv_heads, key_dim = nope + rope, value_dim its own, latent_dim = kv_rank + rope.
    """

    heads: int
    kv_heads: int
    key_dim: int
    value_dim: int
    window: int | None = None  # tokens a query may look back; None = all
    causal: bool = True
    cross: bool = False  # keys come from the other stack
    linear: bool = False  # no score matrix: work grows linearly with the sequence
    latent_dim: int = 0
    query_rank: int = 0

    @property
    def query_width(self) -> int:
        """Width of all queries of one token [elements]."""
        return self.heads * self.key_dim

    @property
    def output_width(self) -> int:
        """Width of the attention's result before the output projection [elements]."""
        return self.heads * self.value_dim

    @property
    def key_value_width(self) -> int:
        """Width of all keys and values of one token [elements]."""
        return self.kv_heads * (self.key_dim + self.value_dim)

    def keys_seen(self, seq_len: float, *, causal: bool) -> float:
        """Keys that a query meets on average in a sequence of `seq_len` tokens [tokens].

        causal: True when the kernel skips the masked half.
        """
        if self.window is None or self.window >= seq_len:
            return (seq_len + 1) / 2 if causal and self.causal else seq_len
        if causal and self.causal:
            return self.window - self.window * (self.window - 1) / (2 * seq_len)
        return float(self.window)

    def flops(self, seq_len: float, *, causal: bool) -> float:
        """Forward QKᵀ and AV of one token [FLOP]; GQA does not reduce them.

        Valid for full and sliding attention; for linear attention the state update is in the mixer's FLOPs.
        Source: Kaplan et al. 2020, arXiv:2001.08361, table 1 (C = 2·n_ctx·d per matmul and layer).
        """
        if self.linear:
            return 0.0
        return 2.0 * self.heads * (self.key_dim + self.value_dim) * self.keys_seen(seq_len, causal=causal)


@dataclass(frozen=True, slots=True, kw_only=True)
class FeedForward:
    """The MLP of a block as one token sees it; `width` is the sum over the experts that the token passes."""

    width: int
    gated: bool
    experts: int = 0
    experts_per_token: int = 0
    expert_width: int = 0
    shared_width: int = 0

    @property
    def is_moe(self) -> bool:
        """Whether tokens are routed."""
        return self.experts > 0


@dataclass(frozen=True, slots=True, kw_only=True)
class Block:
    """`count` identical layers that follow one another (or alternate with others of the list)."""

    count: int
    hidden: int
    matrices: tuple[Matrix, ...] = ()
    attention: Attention | None = None
    cross: Attention | None = None
    feed_forward: FeedForward | None = None
    vector_params: int = 0  # norms, sinks, convolutions, state matrices of one layer
    mixer_width: int = 0  # inner width of a state-space or linear-attention mixer [elements]
    mixer_flops: int = 0  # forward work of the recurrence and convolution on one token, beside the matrices [FLOP]
    stack: Literal["decoder", "encoder"] = "decoder"

    @property
    def params(self) -> int:
        """Parameters of one layer [count]."""
        return sum(m.params for m in self.matrices) + self.vector_params

    @property
    def active_params(self) -> int:
        """Parameters of one layer that work on one token [count]."""
        return sum(m.active_params for m in self.matrices) + self.vector_params

    @property
    def expert_params(self) -> int:
        """Parameters of the routed experts of one layer [count]: what expert parallelism divides."""
        return sum(m.params for m in self.matrices if m.role == "expert")

    @property
    def matmul_flops(self) -> int:
        """Forward matrix work of one layer on one token [FLOP]."""
        return sum(m.flops for m in self.matrices) + self.mixer_flops

    def width(self, roles: frozenset[str]) -> int:
        """Σ (inputs + outputs) over the stored matrices of these roles in one layer [elements]; × rank = a LoRA."""
        return sum(m.copies * (m.inputs + m.outputs) for m in self.matrices if m.role in roles)


@dataclass(frozen=True, slots=True, kw_only=True)
class Part:
    """A network beside the main one, by its role."""

    role: PartRole
    shape: "ModelShape"
    frozen: bool = False  # the usual way; the task may say otherwise


@dataclass(frozen=True, slots=True, kw_only=True)
class ModelShape:
    """A model as the formulas see it; the main network's blocks, and the parts beside it.

    `parts` belong to the model and to its count (vision tower, projector); `companions` are frozen networks that
    training needs beside it (a diffusion model's text encoder and VAE) and are not counted.
    """

    name: str
    family: str  # one of the task's families: decoder, encoder, vision, diffusion …
    hidden: int
    blocks: tuple[Block, ...]
    vocab: int = 0
    embedding_params: int = 0  # the look-up table of tokens, once
    head_params: int = 0  # the output matrix if it is stored apart; 0 when tied or absent
    head_width: int = 0  # outputs of the head per token (usually the vocabulary); 0 = no token loss
    tied: bool = False
    rest_params: int = 0  # positions, final norms, poolers, stems, convolutions: everything outside the blocks
    max_context: int | None = None
    grid: Grid | None = None
    patches: Patches | None = None
    parts: tuple[Part, ...] = ()
    companions: tuple[Part, ...] = ()
    obtained: Obtained = "exact"
    source: str = ""
    assumptions: tuple[Assumption, ...] = field(default=())

    # ------ counts -------------------------------------------------------------------------------------------------

    @property
    def own_params(self) -> int:
        """Parameters of the main network alone [count]."""
        blocks = sum(b.count * b.params for b in self.blocks)
        return blocks + self.embedding_params + self.head_params + self.rest_params

    @property
    def total_params(self) -> int:
        """Parameters of the model with its parts: what memory holds [count]."""
        return self.own_params + sum(p.shape.total_params for p in self.parts)

    @property
    def active_params(self) -> int:
        """Parameters that work on one token, embedding included as publishers usually do [count]."""
        inactive = sum(b.count * (b.params - b.active_params) for b in self.blocks)
        return self.own_params - inactive + sum(p.shape.active_params for p in self.parts)

    @property
    def expert_params(self) -> int:
        """Parameters of routed experts: what expert parallelism divides [count]."""
        return sum(b.count * b.expert_params for b in self.blocks)

    @property
    def linear_params(self) -> int:
        """Entries of the blocks' matrices, the head and embeddings left out: what QLoRA packs to 4 bits [count]."""
        return sum(b.count * m.weights for b in self.blocks for m in b.matrices if m.role != "router")

    @property
    def largest_block_params(self) -> int:
        """Parameters of the largest layer: what FSDP and ZeRO-3 gather at once [count]."""
        return max((b.params for b in self.blocks), default=0)

    @property
    def largest_block_without_experts(self) -> int:
        """The same when expert parallelism keeps routed experts apart [count]."""
        return max((b.params - b.expert_params for b in self.blocks), default=0)

    @property
    def layers(self) -> int:
        """Layers of the main network, both stacks [count]."""
        return sum(b.count for b in self.blocks)

    # ------ work ---------------------------------------------------------------------------------------------------

    @property
    def block_matmul_params(self) -> float:
        """Matrix entries in the blocks that one token meets; forward FLOPs are twice it [count]."""
        return sum(b.count * b.matmul_flops for b in self.blocks) / 2

    @property
    def head_matmul_params(self) -> int:
        """Matrix entries of the head; it multiplies also when it is tied [count]."""
        return self.head_width * self.hidden

    def attention_flops(self, seq_len: float, *, causal: bool = True) -> float:
        """Forward QKᵀ and AV over all layers on one token of a sequence [FLOP]; windows are obeyed per layer."""
        return sum(
            b.count * core.flops(seq_len, causal=causal) for b in self.blocks for core in (b.attention, b.cross) if core
        )

    def adapter_params(self, rank: int, roles: frozenset[str]) -> int:
        """Parameters of LoRA adapters of this rank on every matrix of these roles [count]: Σ r·(in + out)."""
        return rank * sum(b.count * b.width(roles) for b in self.blocks)

    # ------ the usual dimensions -----------------------------------------------------------------------------------

    @property
    def main_block(self) -> Block | None:
        """The kind of block that most layers are."""
        return max(self.blocks, key=lambda b: b.count, default=None)

    @property
    def is_moe(self) -> bool:
        """Whether some layer routes tokens to experts."""
        return any(b.feed_forward is not None and b.feed_forward.is_moe for b in self.blocks)

    @property
    def ffn_width(self) -> int:
        """MLP width that one token passes, of the widest layer [elements]."""
        return max((b.feed_forward.width for b in self.blocks if b.feed_forward), default=0)

    def assuming(self, *more: Assumption) -> Self:
        """The same shape with further stated assumptions."""
        return replace(self, assumptions=self.assumptions + more)
