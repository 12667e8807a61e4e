"""Which kind each parameter of a sentence is: its unit, or what sort of code. The engine's codes say most of it."""

from assessments.sizing import codes

# parameters of sentences that are not the engine's: catalog matching, questionnaire
OWN: dict[str, dict[str, str]] = {
    "match_near": {"requirement": "resource", "need": "text", "have": "text"},
    "match_unknown": {"fields": "resource"},
    "match_none": {"requirements": "resource"},
    "match_unfit_chosen": {"requirements": "resource"},
    "context_above_model": {"model": "preset"},
    "time_too_short": {"wanted": "h"},
    "network_checkpoint": {"time": "h"},
    "assumed_shape": {"model": "preset"},
    "shape_nearest": {"model": "preset"},
    "value_pinned": {"quantity": "path"},
}
_ENGINE = {
    **{code: params for code, (_severity, params) in codes.FINDINGS.items()},
    **codes.VERDICTS,
    **codes.REPAIRS,
    **codes.ASSUMPTIONS,
    **codes.ERRORS,
}
# bytes that people know as GiB: memory of the GPU and of the host
_GIB_CODES = ("memory_", "ram_", "verdict_", "checkpoint_async", "exclusions_empty")


def kind_of(code: str, name: str) -> str:
    """Kind of a parameter; `text` where nobody told."""
    own = OWN.get(code, {}).get(name)
    if own:
        return own
    if name.startswith("n_"):
        return name.removeprefix("n_")
    kind = _ENGINE.get(code, {}).get(name, "text")
    return "gib" if kind == "bytes" and code.startswith(_GIB_CODES) else kind


def parameters_of(code: str) -> frozenset[str]:
    """Names of the parameters that the engine gives with a code."""
    return frozenset(_ENGINE.get(code, {}))
