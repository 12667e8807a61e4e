"""How each family of decoders departs from Llama: what its configuration class means but does not write."""

from dataclasses import dataclass
from typing import Literal


@dataclass(frozen=True, slots=True, kw_only=True)
class Dialect:
    """Facts of one `model_type`, from its configuration and modelling classes in `transformers`.

    norm: parameters per channel of one norm – 2 scale and shift, 1 scale, 0 none.
    norms: norms of one layer over the hidden width.
    qkv_bias, out_bias, mlp_bias: biases when the file says nothing.
    bias_reach: what the key `attention_bias` switches.
    qk_norm: norms of queries and keys per head, over their whole width, or on value too.
    positions: extra rows of a learned position table; None = no table.
    """

    tied: bool = False
    gated: bool = True
    norm: int = 1
    norms: int = 2
    qkv_bias: bool = False
    out_bias: bool = False
    mlp_bias: bool = False
    bias_reach: Literal["qkvo", "qkv", "qkv+mlp", "none"] = "qkvo"
    qk_norm: Literal["", "head", "width", "head_each"] = ""
    positions: int | None = None
    embedding_norm: bool = False
    final_norm: bool = True
    head_bias: bool = False
    head_dim: int | None = None
    ffn_multiple: int = 4
    router_bias: bool = False
    sinks: bool = False
    shared_gate: bool = False
    window_every: int | None = None  # every nth layer sees all, the others the window
    windowed: bool = False  # sliding_window holds in every layer
    sparse_by_default: bool = True  # experts in every layer unless the file says which
    expert_width_key: str = "moe_intermediate_size"


LLAMA = Dialect()
LAYER_NORM = Dialect(norm=2, gated=False, qkv_bias=True, out_bias=True, mlp_bias=True)

DIALECTS: dict[str, Dialect] = {
    "llama": LLAMA,
    "mistral": Dialect(windowed=True, bias_reach="none"),
    "ministral": Dialect(windowed=True, bias_reach="none"),
    "ministral3": Dialect(windowed=True, bias_reach="none"),
    "mixtral": Dialect(windowed=True, bias_reach="none"),
    "qwen2": Dialect(qkv_bias=True, bias_reach="none"),
    "qwen2_moe": Dialect(qkv_bias=True, bias_reach="none", shared_gate=True),
    "qwen3": Dialect(qk_norm="head", head_dim=128),
    "qwen3_moe": Dialect(qk_norm="head"),
    "phi": Dialect(norm=2, norms=1, gated=False, qkv_bias=True, out_bias=True, mlp_bias=True, head_bias=True),
    "phi3": Dialect(windowed=True, bias_reach="none"),
    "phimoe": Dialect(norm=2, windowed=True, bias_reach="qkvo"),
    "gemma": Dialect(tied=True, head_dim=256),
    "gemma2": Dialect(tied=True, norms=4, head_dim=256, window_every=2),
    "gemma3_text": Dialect(tied=True, norms=4, qk_norm="head", head_dim=256, window_every=6),
    "gpt2": Dialect(
        tied=True, norm=2, gated=False, qkv_bias=True, out_bias=True, mlp_bias=True, positions=0, bias_reach="none"
    ),
    "gpt_neo": Dialect(
        tied=True, norm=2, gated=False, out_bias=True, mlp_bias=True, positions=0, bias_reach="none", window_every=2
    ),
    "gptj": Dialect(norm=2, norms=1, gated=False, mlp_bias=True, head_bias=True, bias_reach="none"),
    "codegen": Dialect(norm=2, norms=1, gated=False, mlp_bias=True, head_bias=True, bias_reach="none"),
    "gpt_neox": LAYER_NORM,
    "gpt_neox_japanese": Dialect(norm=2, gated=False, tied=True),
    "gpt_bigcode": Dialect(
        tied=True, norm=2, gated=False, qkv_bias=True, out_bias=True, mlp_bias=True, positions=0, bias_reach="none"
    ),
    "bloom": Dialect(tied=True, norm=2, gated=False, qkv_bias=True, out_bias=True, mlp_bias=True, embedding_norm=True),
    "falcon": Dialect(tied=True, norm=2, norms=1, gated=False),
    "mpt": Dialect(tied=True, norm=1, gated=False),
    "opt": Dialect(
        tied=True, norm=2, gated=False, qkv_bias=True, out_bias=True, mlp_bias=True, positions=2, bias_reach="none"
    ),
    "xglm": Dialect(tied=True, norm=2, gated=False, qkv_bias=True, out_bias=True, mlp_bias=True, bias_reach="none"),
    "biogpt": Dialect(
        tied=True, norm=2, gated=False, qkv_bias=True, out_bias=True, mlp_bias=True, positions=2, bias_reach="none"
    ),
    "stablelm": Dialect(norm=2),
    "starcoder2": Dialect(tied=True, norm=2, gated=False, qkv_bias=True, out_bias=True, mlp_bias=True),
    "persimmon": Dialect(
        norm=2, gated=False, qkv_bias=True, out_bias=True, mlp_bias=True, qk_norm="head_each", bias_reach="none"
    ),
    "cohere": Dialect(tied=True, norms=1),
    "cohere2": Dialect(tied=True, norms=1, window_every=4),
    "olmo": Dialect(norm=0),
    "olmo2": Dialect(qk_norm="width"),
    "olmo3": Dialect(qk_norm="width", window_every=4),
    "olmoe": Dialect(qk_norm="width", expert_width_key="intermediate_size"),
    "granite": LLAMA,
    "granitemoe": Dialect(expert_width_key="intermediate_size"),
    "granitemoeshared": Dialect(expert_width_key="intermediate_size"),
    "exaone4": Dialect(qk_norm="head", window_every=4, bias_reach="none"),
    "smollm3": LLAMA,
    "nemotron": Dialect(norm=2, gated=False),
    "nemotron-nas": LLAMA,
    "baichuan": LLAMA,
    "internlm": Dialect(qkv_bias=True, out_bias=True),
    "internlm2": LLAMA,
    "internlm3": Dialect(),
    "xverse": LLAMA,
    "aquila": LLAMA,
    "orion": Dialect(norm=2),
    "yi": LLAMA,
    "chatglm": Dialect(qkv_bias=True, bias_reach="none"),
    "glm": Dialect(qkv_bias=True, bias_reach="qkv", head_dim=128),
    "glm4": Dialect(qkv_bias=False, bias_reach="qkv", norms=4, head_dim=128),
    "glm4_moe": Dialect(bias_reach="qkv", head_dim=128),
    "qwen": Dialect(qkv_bias=True, bias_reach="none"),
    "seed_oss": Dialect(qkv_bias=True, bias_reach="qkv"),
    "apertus": Dialect(gated=False, qk_norm="head"),
    "arcee": Dialect(gated=False),
    "helium": LLAMA,
    "ernie4_5": Dialect(tied=True),
    "ernie4_5_moe": Dialect(tied=True, sparse_by_default=True),
    "hunyuan_v1_dense": Dialect(qk_norm="head"),
    "hunyuan_v1_moe": Dialect(qk_norm="head", expert_width_key="moe_intermediate_size"),
    "dots1": Dialect(qk_norm="head"),
    "gpt_oss": Dialect(
        qkv_bias=True, out_bias=True, mlp_bias=True, router_bias=True, sinks=True, window_every=2, head_dim=64
    ),
    "mllama_text_model": Dialect(bias_reach="none"),
    "llama4_text": Dialect(expert_width_key="intermediate_size"),
    "deepseek": LLAMA,
    "deepseek_v2": LLAMA,
    "deepseek_v3": LLAMA,
    "deepseek_v32": LLAMA,
    "kimi_k2": LLAMA,
    "minicpm3": Dialect(tied=True),
    "minimax_m2": Dialect(qk_norm="width", expert_width_key="intermediate_size"),
    "dbrx": Dialect(norm=1, bias_reach="none"),
    "openmoe": Dialect(tied=True, expert_width_key="intermediate_size"),
    "grok-1": Dialect(tied=True, norms=4, expert_width_key="intermediate_size"),
}

# Other spellings of the same family.
ALIASES = {
    "RefinedWeb": "falcon",
    "RefinedWebModel": "falcon",
    "LLaMAForCausalLM": "llama",
    "gemma3": "gemma3_text",
    "llama4": "llama4_text",
    "mistral3": "mistral",
    "deci": "nemotron-nas",
    "decilm": "nemotron-nas",
    "Yi": "yi",
    "code_llama": "llama",
    "stablelm_epoch": "stablelm",
    "phi-msft": "phi",
    "mixformer-sequential": "phi",
    "grok_1": "grok-1",
    "pangu_embedded": "internlm",
}
