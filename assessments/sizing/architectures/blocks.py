"""The building blocks of transformers: matrices of attention, latent attention, MLPs and experts."""

from collections.abc import Iterable
from dataclasses import replace

from assessments.sizing.architectures.shape import Attention, Block, FeedForward, Matrix, Role


def attention_matrices(
    hidden: int, attention: Attention, *, qkv_bias: bool = False, out_bias: bool = False, gate: bool = False
) -> tuple[Matrix, ...]:
    """Projections of multi-head, grouped or multi-query attention: h·a·d + 2·h·k·d + a·d·h and biases.

    gate: a second query-sized output that multiplies the result (Qwen3-Next).
    """
    keys = attention.kv_heads * attention.key_dim
    values = attention.kv_heads * attention.value_dim
    query = attention.query_width * (2 if gate else 1)
    return (
        Matrix(name="q", role="attention", inputs=hidden, outputs=query, bias=qkv_bias),
        Matrix(name="k", role="attention", inputs=hidden, outputs=keys, bias=qkv_bias),
        Matrix(name="v", role="attention", inputs=hidden, outputs=values, bias=qkv_bias),
        Matrix(name="o", role="attention", inputs=attention.output_width, outputs=hidden, bias=out_bias),
    )


def latent_attention(
    hidden: int,
    *,
    heads: int,
    query_rank: int,
    key_value_rank: int,
    nope_dim: int,
    rope_dim: int,
    value_dim: int,
    bias: bool = False,
) -> tuple[Attention, tuple[Matrix, ...], int]:
    """Multi-head latent attention: the core, its matrices, and the parameters of its two norms.

    query_rank: 0 when queries are projected in one step.
    Source: DeepSeek-V2, arXiv:2405.04434, section 2.1; DeepseekV3Attention in transformers.
    """
    core = Attention(
        heads=heads,
        kv_heads=heads,
        key_dim=nope_dim + rope_dim,
        value_dim=value_dim,
        latent_dim=key_value_rank + rope_dim,
        query_rank=query_rank,
    )
    if query_rank:
        query: tuple[Matrix, ...] = (
            Matrix(name="q_a", role="attention", inputs=hidden, outputs=query_rank, bias=bias),
            Matrix(name="q_b", role="attention", inputs=query_rank, outputs=core.query_width),
        )
    else:
        query = (Matrix(name="q", role="attention", inputs=hidden, outputs=core.query_width),)
    rest = (
        Matrix(name="kv_a", role="attention", inputs=hidden, outputs=key_value_rank + rope_dim, bias=bias),
        Matrix(name="kv_b", role="attention", inputs=key_value_rank, outputs=heads * (nope_dim + value_dim)),
        Matrix(name="o", role="attention", inputs=core.output_width, outputs=hidden, bias=bias),
    )
    return core, query + rest, query_rank + key_value_rank


def mlp_matrices(
    hidden: int, width: int, *, gated: bool, bias: bool = False, role: Role = "mlp", copies: int = 1, used: int = 1
) -> tuple[Matrix, ...]:
    """A feed-forward network: 2·h·f, or 3·h·f when gated; `copies` experts of which a token passes `used`."""
    up = Matrix(name="up", role=role, inputs=hidden, outputs=width, bias=bias, copies=copies, used=used)
    down = Matrix(name="down", role=role, inputs=width, outputs=hidden, bias=bias, copies=copies, used=used)
    return (replace(up, name="gate"), up, down) if gated else (up, down)


def dense_mlp(hidden: int, width: int, *, gated: bool, bias: bool = False) -> tuple[FeedForward, tuple[Matrix, ...]]:
    """A dense feed-forward network and its matrices."""
    return FeedForward(width=width, gated=gated), mlp_matrices(hidden, width, gated=gated, bias=bias)


def expert_mlp(
    hidden: int,
    *,
    experts: int,
    experts_per_token: int,
    expert_width: int,
    shared_width: int = 0,
    gated: bool = True,
    bias: bool = False,
    router_bias: bool = False,
    shared_gate: bool = False,
) -> tuple[FeedForward, tuple[Matrix, ...]]:
    """A mixture of experts: E experts, shared experts, router h·E; a token passes e experts and the shared ones.

    The width that a token sees is e × the expert's width + the shared width, never the dense width of the file.
    Source: Shazeer et al. 2017, arXiv:1701.06538; DeepSeekMoE, arXiv:2401.06066.
    """
    matrices = mlp_matrices(
        hidden, expert_width, gated=gated, bias=bias, role="expert", copies=experts, used=experts_per_token
    )
    matrices += (Matrix(name="router", role="router", inputs=hidden, outputs=experts, bias=router_bias),)
    if shared_width:
        matrices += mlp_matrices(hidden, shared_width, gated=gated, bias=bias, role="shared_expert")
    if shared_gate:
        matrices += (Matrix(name="shared_gate", role="router", inputs=hidden, outputs=1),)
    feed_forward = FeedForward(
        width=experts_per_token * expert_width + shared_width,
        gated=gated,
        experts=experts,
        experts_per_token=experts_per_token,
        expert_width=expert_width,
        shared_width=shared_width,
    )
    return feed_forward, matrices


def grouped(layers: Iterable[Block]) -> tuple[Block, ...]:
    """Join equal layers: the order of first appearance stays, counts add up."""
    counts: dict[Block, int] = {}
    for layer in layers:
        key = replace(layer, count=1)
        counts[key] = counts.get(key, 0) + layer.count
    return tuple(replace(block, count=count) for block, count in counts.items())
