"""Parameter 1: how the model is trained."""

from django.utils.translation import gettext_lazy as _
from django.utils.translation import pgettext_lazy

from assessments.intake.fields import AmountField, OptionField, OptionsField, WordsField
from assessments.intake.forms.base import StepForm
from assessments.intake.questions import Ask, only_if

MEMORY_AND_TIME = _("memory, time")


class StrategyForm(StepForm):
    """Training strategy and, for those who know, the recipe."""

    groups = (
        (
            _("Recipe, if it is already known"),
            ("precision", "optimizer", "global_batch", "micro_batch", "stack", "forbidden"),
        ),
    )

    method = OptionField(
        ask=Ask(
            path="strategy.method",
            why=_("It sets the bytes per parameter: 16–18 with AdamW, about 2 with LoRA"),
            becomes=_("memory, GPU count"),
            is_needed=True,
            assumed=_("We assume full fine-tuning, LoRA shown beside it."),
        ),
        label=_("Kind of training"),
        help_text=_("If in doubt, the heavier one."),
        options=(
            ("from_scratch", _("From scratch"), _("Random weights, the whole corpus")),
            ("full", _("Full fine-tuning"), _("All weights are updated")),
            ("lora", "LoRA", _("Weights are frozen, adapters are trained")),
            ("qlora", "QLoRA", _("The same, weights in 4 bits")),
            ("frozen", _("Some layers"), _("The rest is frozen")),
            ("inference", _("Only serving"), _("We point to another sizing")),
        ),
    )
    objective = OptionField(
        ask=Ask(
            path="strategy.objective",
            why=_("A teacher or a reference model takes memory too, sampling takes time"),
            becomes=MEMORY_AND_TIME,
            assumed=_("We assume an ordinary loss on labelled or plain data."),
        ),
        label=_("What is optimised"),
        help_text=_("Beside the model there may be a teacher, a reference or sampling."),
        options=(
            ("loss", _("An ordinary loss"), _("Next token, class, mask")),
            ("dpo", "DPO", _("On answer pairs, a reference model beside")),
            ("grpo", "GRPO", _("The model’s own answers are scored")),
            ("distill", _("Distillation"), _("A small model learns from a large one")),
        ),
    )
    origin = OptionField(
        ask=Ask(
            path="strategy.own_architecture",
            why=_("A ready model has known layers; your own one may lack fast kernels"),
            becomes=_("width of the range"),
            assumed=_("We assume a ready model."),
        ),
        label=_("Ready model or own architecture"),
        options=(("no", _("A ready model")), ("yes", _("Own architecture"))),
    )
    teacher_preset = WordsField(
        ask=Ask(
            path="strategy.teacher.preset",
            why=_("Its weights lie in memory beside yours"),
            becomes=_("memory"),
            when=only_if("objective", "distill"),
        ),
        label=_("Teacher model"),
        help_text=_("Its name from the list."),
        suggestions="presets",
    )
    rollout_generations = AmountField(
        ask=Ask(
            path="strategy.rollout.generations",
            why=_("Sampling takes most of the time of such training"),
            becomes=_("time"),
            when=only_if("objective", "grpo"),
            assumed=_("We assume 8 answers to each question."),
        ),
        label=_("Answers per question"),
        kind="count",
        unit=pgettext_lazy("unit", "answers"),
        low=1,
        high=1024,
        example="8",
        is_whole=True,
    )
    rollout_tokens = AmountField(
        ask=Ask(
            path="strategy.rollout.tokens",
            why=_("Sampling takes most of the time of such training"),
            becomes=_("time"),
            when=only_if("objective", "grpo"),
            assumed=_("We assume 1,024 tokens."),
        ),
        label=_("Length of an answer"),
        kind="context",
        unit=pgettext_lazy("unit", "tokens"),
        low=1,
        high=1e7,
        example="1 024",
    )
    lora_rank = AmountField(
        ask=Ask(
            path="strategy.lora.rank",
            why=_("Rank and layers set the adapters’ size"),
            becomes=_("memory, checkpoint"),
            when=only_if("method", "lora", "qlora"),
            assumed=_("We assume %(value)s."),
            default="lora.rank",
        ),
        label=_("LoRA rank"),
        help_text=_("Usually 8–64."),
        kind="count",
        low=1,
        high=4096,
        example="16",
        is_whole=True,
    )
    lora_targets = OptionsField(
        ask=Ask(
            path="strategy.lora.targets",
            why=_("Rank and layers set the adapters’ size"),
            becomes=_("memory, checkpoint"),
            when=only_if("method", "lora", "qlora"),
            assumed=_("We assume attention and MLP."),
        ),
        label=_("Layers with adapters"),
        options=(("attention", _("Attention")), ("mlp", "MLP")),
    )
    trainable_params = AmountField(
        ask=Ask(
            path="model.trainable_params",
            why=_("Gradients and optimizer state exist for these parameters only"),
            becomes=_("memory"),
            when=only_if("method", "frozen"),
            assumed=_("We assume a tenth of the model."),
        ),
        label=_("Parameters that are trained"),
        kind="params",
        low=1,
        high=1e14,
        example=_("350 million"),
    )
    repeats = OptionField(
        ask=Ask(
            why=_("We size for the hardest cycle"),
            becomes=_("utilisation, headroom"),
            assumed=_("We assume a single training."),
        ),
        label=_("Repeat on fresh data"),
        options=(("no", _("No, one training")), ("yes", _("Yes, regularly"))),
    )
    every_days = AmountField(
        ask=Ask(
            path="strategy.continuous.every_days",
            why=_("We size for the hardest cycle"),
            becomes=_("utilisation, headroom"),
            when=only_if("repeats", "yes"),
            assumed=_("We assume once in 30 days."),
        ),
        label=_("How often"),
        help_text=_("Once in how many days."),
        kind="count",
        unit=pgettext_lazy("unit", "days"),
        low=0.01,
        high=3660,
        example="30",
    )
    data_share = AmountField(
        ask=Ask(
            path="strategy.continuous.data_share",
            why=_("We size for the hardest cycle"),
            becomes=_("utilisation, headroom"),
            when=only_if("repeats", "yes"),
            assumed=_("We assume a fifth of the data."),
        ),
        label=_("Share of the data"),
        kind="share",
        unit="%",
        low=0,
        high=1,
        example="20",
    )
    precision = OptionField(
        ask=Ask(
            path="recipe.precision",
            why=_("Bytes per number and speed of compute"),
            becomes=MEMORY_AND_TIME,
            assumed=_("We assume bf16, fp16 on cards without it."),
        ),
        label=_("Precision"),
        help_text=_("Usually bf16."),
        options=(
            ("bf16", "bf16", _("The usual choice")),
            ("fp16", "fp16", _("Cards before Ampere")),
            ("fp8", "fp8", _("Ada, Hopper and newer")),
            ("fp32", "fp32", _("Small models")),
        ),
    )
    optimizer = OptionField(
        ask=Ask(
            path="recipe.optimizer",
            why=_("Often the largest part of memory"),
            becomes=_("memory"),
            assumed=_("We assume AdamW: the most common."),
        ),
        label=_("Optimizer"),
        help_text=_("AdamW takes 8–12 bytes per parameter."),
        options=(
            ("adamw", "AdamW"),
            ("adamw_8bit", _("AdamW, 8-bit")),
            ("paged_adamw_8bit", _("AdamW, 8-bit, paged")),
            ("adafactor", "Adafactor"),
            ("lion", "Lion"),
            ("muon", "Muon"),
            ("sgd", "SGD"),
        ),
        is_long=True,
    )
    global_batch = AmountField(
        ask=Ask(
            path="recipe.global_batch",
            why=_("It caps the GPU count"),
            becomes=_("GPU count, memory"),
            assumed=_("We try several and show the choice."),
        ),
        label=_("Global batch"),
        help_text=_("Samples per optimizer step, over all GPUs."),
        kind="count",
        unit=pgettext_lazy("unit", "samples"),
        low=1,
        high=1e8,
        example="128",
        is_whole=True,
    )
    micro_batch = AmountField(
        ask=Ask(
            path="recipe.micro_batch",
            why=_("It sets the activations"),
            becomes=_("GPU count, memory"),
            assumed=_("We try several and show the choice."),
        ),
        label=_("Micro-batch"),
        help_text=_("Samples that one GPU takes at a time."),
        kind="count",
        unit=pgettext_lazy("unit", "samples"),
        low=1,
        high=1e6,
        example="1",
        is_whole=True,
    )
    stack = OptionField(
        ask=Ask(
            path="recipe.stack",
            why=_("One recipe peaks differently across stacks"),
            becomes=_("width of the range"),
            assumed=_("We assume an ordinary PyTorch stack, a wider range."),
        ),
        label=_("Framework"),
        options=(
            ("hf", "Hugging Face Transformers"),
            ("torchtune", "torchtune"),
            ("litgpt", "LitGPT"),
            ("axolotl", "Axolotl"),
            ("llamafactory", "LLaMA-Factory"),
            ("torchtitan", "TorchTitan"),
            ("megatron", "Megatron-LM"),
            ("deepspeed", "DeepSpeed"),
            ("nemo", "NeMo"),
            ("diffusers", "Diffusers"),
            ("other", pgettext_lazy("framework", "Other")),
        ),
        is_long=True,
    )
    forbidden = OptionsField(
        ask=Ask(
            path="recipe.forbidden",
            why=_("We offer nothing that you would refuse"),
            becomes=_("set of options"),
        ),
        label=_("Not allowed"),
        help_text=_("Techniques that do not suit you."),
        options=(
            ("lora", "LoRA"),
            ("qlora", "QLoRA"),
            ("8bit_optimizer", _("8-bit optimizer")),
            ("offload", _("Offload to RAM")),
            ("fp8", _("Training in fp8")),
            ("recompute", _("Activation checkpointing")),
            ("tp", _("Tensor parallelism")),
            ("pp", _("Pipeline parallelism")),
        ),
    )
