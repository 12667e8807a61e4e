"""What the answers became: model, data and horizon as quantities that every option points at."""

from __future__ import annotations

from assessments.sizing.defaults import default
from assessments.sizing.horizon import Outlook
from assessments.sizing.options import trained_params
from assessments.sizing.quantity import Ledger, Origin, Scope, Span
from assessments.sizing.resolve import Case, Resolved

SHARES = (0.0, 0.5)


def task_quantities(ledger: Ledger, resolved: Resolved, outlook: Outlook) -> Span:
    """Store memory.reserve, horizon.factor and per scenario model.* and data.*; returns the reserve."""
    reserve = ledger.add(
        "memory.reserve",
        default("memory.reserve").typical,
        unit="share",
        formula="assumption",
        source="default.memory.reserve",
        origin="assumption",
        bounds=SHARES,
    )
    origin: Origin = "answer" if outlook.is_planned else "assumption"
    ledger.add(
        "horizon.factor",
        outlook.factor,
        unit="ratio",
        formula="horizon.factor",
        source="default.horizon.reserve",
        origin=origin,
    )
    deciding = resolved.deciding
    for case in deciding:
        scope = ledger.scope("", f"s{case.index + 1}" if len(deciding) > 1 else "")
        _model(scope, case, resolved)
        _data(scope, case, resolved)
    return reserve


def _origin(resolved: Resolved, path: str) -> Origin:
    return "assumption" if any(row.path == path for row in resolved.assumptions.rows) else "answer"


def _model(scope: Scope, case: Case, resolved: Resolved) -> None:
    shape, path = case.model.shape, f"{case.prefix}.model"
    origin = _origin(resolved, f"{path}.params")
    source = shape.source or "config.json"
    scope.add(
        "model.params",
        case.model.params,
        unit="params",
        formula="model.params",
        inputs=[shape.name],
        source=source,
        origin=origin,
    )
    scope.add(
        "model.active_params",
        float(shape.active_params),
        unit="params",
        formula="model.active_params",
        inputs=[shape.name],
        source=source,
    )
    scope.add(
        "model.trainable_params",
        trained_params(case),
        unit="params",
        formula="model.trainable_params",
        inputs=[case.method],
    )
    for name, value in (("layers", shape.layers), ("hidden", shape.hidden), ("vocab", shape.head_width)):
        scope.add(
            f"model.{name}", float(value), unit="count", formula="model.shape", inputs=[shape.name], source=source
        )
    low, typical, high = case.model.sequence_tokens
    scope.add(
        "model.sequence_tokens",
        Span(min(low, typical), typical, max(high, typical)),
        unit="tokens",
        formula="model.sequence_tokens",
        origin=_origin(resolved, f"{path}.context_tokens"),
        source="task",
    )


def _data(scope: Scope, case: Case, resolved: Resolved) -> None:
    feed, path = case.feed, f"{case.prefix}.dataset"
    counts_tokens = case.model.shape.vocab > 0 or case.typical.sequence_tokens > 1
    unit = "tokens" if counts_tokens else "samples"
    open_tokens = (
        _origin(resolved, f"{path}.tokens") == "assumption" or _origin(resolved, f"{path}.samples") == "assumption"
    )
    scope.add(
        "data.tokens",
        feed.pass_tokens,
        unit=unit,
        formula="data.tokens",
        inputs=[feed.tokens_code],
        source="task",
        origin="assumption" if open_tokens else "answer",
    )
    scope.add(
        "data.epochs",
        feed.epochs,
        unit="count",
        formula="data.epochs",
        source="task",
        origin=_origin(resolved, f"{path}.epochs"),
    )
    scope.add(
        "data.cycle_tokens", feed.cycle_tokens, unit=unit, formula="product", inputs=["^data.tokens", "^data.epochs"]
    )
    scope.add(
        "data.bytes",
        feed.dataset_bytes,
        unit="bytes",
        formula="data.bytes",
        source="task",
        origin=_origin(resolved, f"{path}.bytes"),
    )
    scope.add(
        "data.sample_bytes",
        feed.sample_bytes,
        unit="bytes",
        formula="data.sample_bytes",
        source="task",
        origin=_origin(resolved, f"{path}.sample_bytes"),
    )
    scope.add(
        "data.copies",
        feed.copies,
        unit="count",
        formula="data.copies",
        source="host.dataset_copies",
        origin=_origin(resolved, f"{path}.copies"),
    )
