"""Shapes of models: from a preset, a configuration file, explicit dimensions or a bare count."""

from assessments.sizing.architectures.config import config_keys_read, read_model_config
from assessments.sizing.architectures.dimensions import from_dimensions
from assessments.sizing.architectures.errors import ConfigError
from assessments.sizing.architectures.nearest import nearest
from assessments.sizing.architectures.presets import PRESETS, Preset, find_preset, preset, preset_names, preset_slugs
from assessments.sizing.architectures.samples import NetworkWork, SampleSize, sample_work
from assessments.sizing.architectures.shape import Assumption, Attention, Block, FeedForward, Matrix, ModelShape, Part

__all__ = [
    "PRESETS",
    "Assumption",
    "Attention",
    "Block",
    "ConfigError",
    "FeedForward",
    "Matrix",
    "ModelShape",
    "NetworkWork",
    "Part",
    "Preset",
    "SampleSize",
    "config_keys_read",
    "find_preset",
    "from_dimensions",
    "nearest",
    "preset",
    "preset_names",
    "preset_slugs",
    "read_model_config",
    "sample_work",
]
