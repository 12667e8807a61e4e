"""Print what is understood of a model's configuration file."""

import json
from argparse import ArgumentParser
from pathlib import Path
from typing import Any

from django.core.management.base import BaseCommand, CommandError

from assessments.intake.import_messages import message
from assessments.intake.importers import ImportFailed, config_from_text, text_of
from assessments.sizing.architectures import Block, ConfigError, ModelShape, read_model_config


def described(block: Block) -> dict[str, Any]:
    """One group of equal layers, in plain figures."""
    core, mlp = block.attention, block.feed_forward
    return {
        "layers": block.count,
        "stack": block.stack,
        "hidden": block.hidden,
        "params": block.params,
        "active_params": block.active_params,
        "heads": core.heads if core else None,
        "kv_heads": core.kv_heads if core else None,
        "window": core.window if core else None,
        "ffn_width": mlp.width if mlp else None,
        "experts": mlp.experts if mlp else 0,
        "experts_per_token": mlp.experts_per_token if mlp else 0,
    }


def information(shape: ModelShape) -> dict[str, Any]:
    """Counts, groups of layers and assumptions of a model; its parts follow the main network."""
    blocks = [described(block) | {"part": "main"} for block in shape.blocks if block.count]
    for part in shape.parts:
        blocks += [described(block) | {"part": part.role} for block in part.shape.blocks if block.count]
    return {
        "total": shape.total_params,
        "active": shape.active_params,
        "blocks": blocks,
        "assumptions": [{"code": a.code} | dict(a.params) for a in shape.assumptions],
    }


class Command(BaseCommand):
    """`manage.py model_info CONFIG.json [--json]`."""

    help = "Count the parameters of a model from its config.json and say what was assumed."
    requires_system_checks: list[str] = []

    def add_arguments(self, parser: ArgumentParser) -> None:
        """The file, and the form of the answer."""
        parser.add_argument("config", type=Path, help="config.json of a model")
        parser.add_argument("--json", action="store_true", help="print one JSON object and nothing else")

    def handle(self, *args: Any, config: Path, json: bool, **options: Any) -> None:
        """Read, count, print; a file that cannot be read ends with its reason on standard error."""
        try:
            shape = read_model_config(config_from_text(text_of(config.read_bytes())))
        except OSError as error:
            raise CommandError(f"{config}: {error.strerror}") from None
        except ImportFailed as error:
            raise CommandError(f"{config}: {error} [{error.code}]") from None
        except ConfigError as error:
            raise CommandError(f"{config}: {message(error.code, error.params)} [{error.code}]") from None
        answer = information(shape)
        self.stdout.write(as_json(answer) if json else as_text(answer))


def as_json(answer: dict[str, Any]) -> str:
    """One line of JSON."""
    return json.dumps(answer)


def as_text(answer: dict[str, Any]) -> str:
    """The counts and assumptions, a line each."""
    lines = [f"{answer['total']:,} parameters, {answer['active']:,} active"]
    lines += [f"{b['part']}: {b['layers']} layers of {b['params']:,}" for b in answer["blocks"]]
    lines += [" ".join(str(v) for v in a.values()) for a in answer["assumptions"]]
    return "\n".join(lines)
