"""Structured logs: one line per happening, with the id of the request or task it belongs to."""

import logging.config
import sys
from typing import Any

import structlog

SHARED: list[Any] = [
    structlog.contextvars.merge_contextvars,
    structlog.stdlib.add_logger_name,
    structlog.stdlib.add_log_level,
    structlog.processors.TimeStamper(fmt="iso", utc=True),
]


def dictionary(*, fmt: str, level: str) -> dict[str, Any]:
    """The logging configuration; `fmt` is console (people) or json (machines)."""
    renderer: Any = structlog.processors.JSONRenderer() if fmt == "json" else _console()
    return {
        "version": 1,
        "disable_existing_loggers": False,
        "formatters": {
            "structured": {
                "()": structlog.stdlib.ProcessorFormatter,
                "processors": [
                    structlog.stdlib.ProcessorFormatter.remove_processors_meta,
                    *([structlog.processors.format_exc_info] if fmt == "json" else []),
                    renderer,
                ],
                "foreign_pre_chain": SHARED,
            }
        },
        "handlers": {"stderr": {"class": "logging.StreamHandler", "formatter": "structured"}},
        "root": {"handlers": ["stderr"], "level": "WARNING"},
        "loggers": {
            name: {"handlers": ["stderr"], "level": level, "propagate": False}
            for name in ("portal", "assessments", "catalog", "celery", "django", "gunicorn.error")
        }
        | {
            # WeasyPrint speaks of every page, fontTools of every glyph, Celery of every sweep and twice of every task
            name: {"handlers": ["stderr"], "level": "WARNING", "propagate": False}
            for name in (
                "weasyprint",
                "weasyprint.progress",
                "fontTools",
                "celery.beat",
                "celery.worker.strategy",
                "celery.app.trace",
            )
        },
    }


def _console() -> structlog.dev.ConsoleRenderer:
    """For people: colours on a terminal only, tracebacks without the values of variables, which may be personal."""
    return structlog.dev.ConsoleRenderer(colors=sys.stderr.isatty(), exception_formatter=structlog.dev.plain_traceback)


def configure(config: dict[str, Any]) -> None:
    """Django's LOGGING_CONFIG: the standard library's and structlog's side in one."""
    logging.config.dictConfig(config)
    structlog.configure(
        processors=[
            structlog.stdlib.filter_by_level,
            *SHARED,
            structlog.stdlib.PositionalArgumentsFormatter(),
            structlog.processors.StackInfoRenderer(),
            structlog.stdlib.ProcessorFormatter.wrap_for_formatter,
        ],
        logger_factory=structlog.stdlib.LoggerFactory(),
        wrapper_class=structlog.stdlib.BoundLogger,
        cache_logger_on_first_use=True,
    )
