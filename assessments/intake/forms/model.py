"""Parameter 2: the model."""

from typing import Any

from django import forms
from django.utils.translation import gettext_lazy as _
from django.utils.translation import pgettext_lazy

from assessments.intake.fields import AmountField, OptionField, OptionsField
from assessments.intake.forms.base import StepForm
from assessments.intake.model_fields import ConfigField, PresetField
from assessments.intake.questions import Ask, only_if

EXACT_SHAPE = _("An exact shape narrows the range")
MEMORY_AND_GPUS = _("memory, GPU count")
LONGEST_CONFIG = 262_144
NEEDED = {"name": "preset", "config": "config_text", "params": "params", "class": "size_class"}


class ModelForm(StepForm):
    """Which model: a name, a config.json, a parameter count or just a class."""

    is_multipart_form = True
    raw_extras = frozenset({"config_name"})
    groups = ((_("MoE and other details"), ("active_params", "images_per_sample")),)

    described_by = OptionField(
        ask=Ask(
            why=EXACT_SHAPE,
            becomes=_("memory, time"),
            is_needed=True,
            assumed=_("We assume a language model of 8 billion parameters."),
        ),
        label=_("What is known about the model"),
        help_text=_("A name, a config.json or its size; the more exact, the narrower the range."),
        options=(
            ("name", _("Its name"), _("Llama, Qwen, Mistral, ViT, Whisper and others from the list")),
            ("config", "config.json", _("A file or pasted text, also of your own model")),
            ("params", _("Parameter count")),
            ("class", _("Only its class"), _("Small, medium or large")),
        ),
    )
    preset = PresetField(
        ask=Ask(path="model.preset", why=EXACT_SHAPE, becomes=_("memory, time"), when=only_if("described_by", "name")),
        label=_("Model"),
        help_text=_("Start typing: llama, qwen, gemma."),
        suggestions="presets",
    )
    config_text = ConfigField(
        ask=Ask(
            path="model.config", why=EXACT_SHAPE, becomes=_("memory, time"), when=only_if("described_by", "config")
        ),
        label=_("Text of config.json"),
        help_text=_("A new file replaces this text."),
        rows=6,
        max_length=LONGEST_CONFIG,
    )
    params = AmountField(
        ask=Ask(
            path="model.params",
            why=_("The main factor of memory"),
            becomes=MEMORY_AND_GPUS,
            when=only_if("described_by", "params"),
            assumed=_("We assume %(value)s: the usual model for fine-tuning."),
            default="params.unknown",
        ),
        label=_("Parameter count"),
        help_text=_("7B, 70 billion, 350M; a MoE such as 8x7B is fine too."),
        kind="params",
        low=1e3,
        high=1e14,
        example=_("7 billion"),
    )
    size_class = OptionField(
        ask=Ask(
            path="model.class",
            why=_("The main factor of memory"),
            becomes=MEMORY_AND_GPUS,
            when=only_if("described_by", "class"),
        ),
        label=_("Class of the model"),
        options=(
            ("small", pgettext_lazy("model class", "Small"), _("Hundreds of millions to a few billion")),
            ("medium", pgettext_lazy("model class", "Medium"), _("Tens of billions")),
            ("large", pgettext_lazy("model class", "Large"), _("Hundreds of billions")),
        ),
    )
    family = OptionField(
        ask=Ask(
            path="model.family",
            why=_("Layers of each kind take memory in their own way"),
            becomes=_("memory, time"),
            when=only_if("described_by", "params", "class"),
            assumed=_("We assume a text decoder."),
        ),
        label=_("Kind of network"),
        options=(
            ("decoder", _("Language model (decoder)")),
            ("encoder", _("Text encoder")),
            ("encoder_decoder", _("Encoder–decoder")),
            ("vision", _("Image classification")),
            ("detection", _("Detection")),
            ("segmentation", _("Segmentation")),
            ("two_tower", _("Image and text, two towers")),
            ("vision_language", _("Language model that sees images")),
            ("diffusion", _("Diffusion, images")),
            ("video_diffusion", _("Diffusion, video")),
            ("speech", _("Speech")),
            ("state_space", _("State space (Mamba)")),
            ("gan", "GAN"),
            ("trees", _("Gradient boosting, trees")),
            ("tabular_net", _("Network on tables")),
            ("recommender", _("Recommender")),
            ("graph", _("Graph network")),
            ("other", pgettext_lazy("kind of network", "Other")),
        ),
        is_long=True,
    )
    inputs = OptionsField(
        ask=Ask(
            path="model.inputs",
            why=_("Images and video load CPU and drives"),
            becomes=_("CPU cores, NVMe"),
            assumed=_("We assume text."),
        ),
        label=_("Type of data"),
        help_text=_("More than one is fine."),
        options=(
            ("text", pgettext_lazy("type of data", "Text")),
            ("image", pgettext_lazy("type of data", "Images")),
            ("audio", pgettext_lazy("type of data", "Audio")),
            ("video", pgettext_lazy("type of data", "Video")),
            ("tabular", pgettext_lazy("type of data", "Tables")),
        ),
    )
    context_tokens = AmountField(
        ask=Ask(
            path="model.context_tokens",
            why=_("Activations grow with it"),
            becomes=_("memory, link"),
            assumed=_("We assume %(value)s. To find out: the length of 99 per cent of your samples."),
            default="context.text",
        ),
        label=_("Context length"),
        help_text=_("The longest sequence in training."),
        kind="context",
        unit=pgettext_lazy("unit", "tokens"),
        low=1,
        high=1e8,
        example="8 192",
        is_whole=True,
    )
    image_width_px = AmountField(
        ask=Ask(
            path="model.image_width_px",
            why=_("Area sets activations and reading"),
            becomes=_("memory, CPU cores"),
            when=only_if("inputs", "image", "video"),
            assumed=_("We assume %(value)s."),
            default="images.width_px",
        ),
        label=_("Frame width"),
        help_text=_("At the model’s input."),
        kind="px",
        unit=pgettext_lazy("unit", "px"),
        low=1,
        high=100_000,
        example="1 024",
        is_whole=True,
    )
    image_height_px = AmountField(
        ask=Ask(
            path="model.image_height_px",
            why=_("Area sets activations and reading"),
            becomes=_("memory, CPU cores"),
            when=only_if("inputs", "image", "video"),
            assumed=_("We assume %(value)s."),
            default="images.width_px",
        ),
        label=_("Frame height"),
        help_text=_("At the model’s input."),
        kind="px",
        unit=pgettext_lazy("unit", "px"),
        low=1,
        high=100_000,
        example="1 024",
        is_whole=True,
    )
    images_per_sample = AmountField(
        ask=Ask(
            path="model.images_per_sample",
            why=_("Every image adds its tokens to the sequence"),
            becomes=_("memory"),
            when=only_if("inputs", "image"),
            assumed=_("We assume one."),
        ),
        label=_("Images per sample"),
        kind="count",
        low=0,
        high=10_000,
        example="1",
        is_whole=True,
    )
    frames = AmountField(
        ask=Ask(
            path="model.frames",
            why=_("Area sets activations and reading"),
            becomes=_("memory, CPU cores"),
            when=only_if("inputs", "video"),
            assumed=_("We assume %(value)s."),
            default="frames",
        ),
        label=_("Frames"),
        help_text=_("In one training sample."),
        kind="count",
        low=1,
        high=1e6,
        example="49",
        is_whole=True,
    )
    audio_s = AmountField(
        ask=Ask(
            path="model.audio_s",
            why=_("Activations grow with it"),
            becomes=_("memory"),
            when=only_if("inputs", "audio"),
            assumed=_("We assume %(value)s."),
            default="audio.s",
        ),
        label=_("Length of a recording"),
        kind="seconds",
        unit=pgettext_lazy("unit", "s"),
        low=0.001,
        high=1e6,
        example="30",
    )
    active_params = AmountField(
        ask=Ask(
            path="model.active_params",
            why=_("Memory follows the total, time the active"),
            becomes=_("time"),
            when=only_if("described_by", "params"),
            assumed=_("We assume a dense model."),
        ),
        label=_("Active parameters (MoE)"),
        help_text=_("For one token."),
        kind="params",
        low=1e3,
        high=1e14,
        example=_("13 billion"),
    )
    config_file = forms.FileField(
        label=_("File config.json"),
        required=False,
        widget=forms.FileInput(attrs={"accept": ".json,application/json"}),
    )

    def clean(self) -> dict[str, Any]:
        """The way of describing that was chosen needs its answer."""
        answers = super().clean()
        name = NEEDED.get(str(answers.get("described_by")), "")
        if name and answers.get(name) is None and name not in self.errors:
            can_say_so = getattr(self.fields[name], "may_be_unknown", False)
            self.add_error(name, _("Answer or tick “Don’t know”") if can_say_so else _("Answer this question"))
        return answers
