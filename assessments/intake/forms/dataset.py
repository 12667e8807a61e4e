"""Parameter 3: the dataset."""

from django.utils.translation import gettext_lazy as _
from django.utils.translation import pgettext_lazy

from assessments.intake.fields import AmountField, OptionField
from assessments.intake.forms.base import StepForm
from assessments.intake.questions import Ask, only_if

TIME_AND_GPUS = _("time, GPU count")


class DatasetForm(StepForm):
    """What is read, how often, and where it lies."""

    groups = ((_("Samples, growth, copies"), ("samples", "growth_per_year", "copies", "hours", "features")),)

    volume = AmountField(
        ask=Ask(
            path="dataset.bytes",
            why=_("What fits RAM spares the drives"),
            becomes=_("NVMe, RAM"),
            is_needed=True,
            assumed=_("We derive it from the tokens or samples."),
        ),
        label=_("Dataset volume"),
        help_text=_("As stored, one pass."),
        kind="bytes",
        low=0,
        high=1e19,
        example=_("40 GB"),
    )
    tokens = AmountField(
        ask=Ask(
            path="dataset.tokens",
            why=_("Time is proportional to it; Cyrillic takes 5–8 bytes per token, English about 4"),
            becomes=TIME_AND_GPUS,
            assumed=_("We derive it from the volume. To find out: run the tokenizer on one per cent of the files."),
        ),
        label=_("Number of tokens"),
        help_text=_("6.7 billion, 1.5T. It influences the time most."),
        kind="tokens",
        low=1000,
        high=1e17,
        example=_("6.7 billion"),
    )
    text_language = OptionField(
        ask=Ask(
            path="dataset.text_language",
            why=_("Time is proportional to tokens; Cyrillic takes 5–8 bytes per token, English about 4"),
            becomes=TIME_AND_GPUS,
            assumed=_("We assume a mixture and widen the range."),
        ),
        label=_("Language of the text"),
        options=(
            ("ru", _("Russian")),
            ("en", _("English")),
            ("code", _("Program code")),
            ("other", pgettext_lazy("language of the text", "Other")),
        ),
    )
    epochs = AmountField(
        ask=Ask(
            path="dataset.epochs",
            why=_("It multiplies time and reading"),
            becomes=_("time, NVMe"),
            assumed=_("We assume what is usual for this kind of training: 1 from scratch, 2 for fine-tuning."),
        ),
        label=_("Passes per cycle"),
        help_text=_("Epochs; 1–3 for fine-tuning."),
        kind="count",
        unit=pgettext_lazy("unit", "epochs"),
        low=0.001,
        high=1e6,
        example="2",
    )
    profile = OptionField(
        ask=Ask(
            path="dataset.profile",
            why=_("Small files hit IOPS, video hits CPU"),
            becomes=_("drives, CPU cores"),
            assumed=_("We assume what is usual for this type of data."),
        ),
        label=_("Kind of files"),
        options=(
            ("continuous_text", _("Continuous text"), _("JSONL, Parquet, shards")),
            ("small_files", _("Many small files"), _("Images, documents; IOPS matter")),
            ("large_images", _("Large images"), _("Decoding takes cores")),
            ("video", pgettext_lazy("kind of files", "Video"), _("Decoding takes cores")),
            ("audio", pgettext_lazy("kind of files", "Audio"), _("Decoding takes cores")),
            ("table", pgettext_lazy("kind of files", "Tables"), _("CSV, Parquet, a database")),
        ),
    )
    augmentation = OptionField(
        ask=Ask(
            path="dataset.augmentation",
            why=_("Heavy work needs cores or GPU"),
            becomes=_("CPU cores, space"),
            assumed=_("We assume none for text, a light one for images."),
        ),
        label=_("Augmentation"),
        options=(
            ("none", pgettext_lazy("augmentation", "None")),
            ("light", pgettext_lazy("augmentation", "Light"), _("Crop, flip")),
            ("heavy", pgettext_lazy("augmentation", "Heavy"), _("Blur, warps")),
            ("regenerated", _("Regenerated between passes"), _("Needs a second copy")),
        ),
    )
    location = OptionField(
        ask=Ask(
            path="dataset.location",
            why=_("The first pass runs at this speed"),
            becomes=_("NVMe, ports"),
            assumed=_("We assume network storage; local NVMe are sized."),
        ),
        label=_("Where the dataset lives"),
        options=(
            ("local_nvme", _("Local NVMe")),
            ("local_disk", _("Local SATA or SAS drives")),
            ("network_storage", _("Network storage")),
            ("parallel_fs", _("Parallel file system")),
            ("object_storage", _("Object store")),
            ("cloud", _("Cloud")),
        ),
        is_long=True,
    )
    location_gbit_s = AmountField(
        ask=Ask(
            path="dataset.location_gbit_s",
            why=_("The first pass runs at this speed"),
            becomes=_("NVMe, ports"),
            when=only_if("location", "network_storage", "parallel_fs", "object_storage", "cloud"),
            assumed=_("We assume %(value)s."),
            default="location.network_gbit_s",
        ),
        label=_("Network speed"),
        kind="gbit_s",
        unit=pgettext_lazy("unit", "Gbit/s"),
        low=1,
        high=10_000,
        example="10",
    )
    samples = AmountField(
        ask=Ask(
            path="dataset.samples",
            why=_("Time is proportional to it"),
            becomes=TIME_AND_GPUS,
            assumed=_("We derive it from the volume."),
        ),
        label=_("Number of samples"),
        help_text=_("Images, recordings, rows, answer pairs."),
        kind="samples",
        low=1,
        high=1e15,
        example=_("1.2 million"),
    )
    hours = AmountField(
        ask=Ask(
            path="dataset.hours",
            why=_("Time is proportional to it"),
            becomes=TIME_AND_GPUS,
            when=only_if("profile", "audio", "video"),
            assumed=_("We derive it from the volume."),
        ),
        label=_("Hours of audio or video"),
        kind="count",
        unit=pgettext_lazy("unit", "h"),
        low=0,
        high=1e9,
        example="5 000",
    )
    features = AmountField(
        ask=Ask(
            path="dataset.features",
            why=_("Columns times rows is what fits in memory or does not"),
            becomes=_("memory, RAM"),
            when=only_if("profile", "table"),
            assumed=_("We assume %(value)s."),
            default="features",
        ),
        label=_("Columns of the table"),
        kind="count",
        low=1,
        high=1e7,
        example="200",
        is_whole=True,
    )
    growth_per_year = AmountField(
        ask=Ask(
            path="dataset.growth_per_year",
            why=_("Bays cannot be added later"),
            becomes=_("bays, storage"),
            assumed=_("We assume that it does not grow."),
        ),
        label=_("Growth per year"),
        kind="share",
        unit="%",
        low=0,
        high=100,
        example="30",
    )
    copies = AmountField(
        ask=Ask(
            path="dataset.copies",
            why=_("Raw and prepared data lie side by side"),
            becomes=_("NVMe"),
            assumed=_("We assume two full copies."),
        ),
        label=_("Full copies to keep"),
        kind="count",
        low=1,
        high=100,
        example="2",
        is_whole=True,
    )
