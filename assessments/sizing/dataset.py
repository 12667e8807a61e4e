"""The data of a scenario, closed: tokens of a cycle, bytes as stored, and what reading and decoding must deliver."""

from __future__ import annotations

from dataclasses import dataclass

from assessments.sizing.answers import UNKNOWN
from assessments.sizing.assumptions import Assumptions, closed, span_of_answer
from assessments.sizing.defaults import DEFAULTS, default
from assessments.sizing.modelling import TEXT, ResolvedModel
from assessments.sizing.quantity import Span, combined, exactly
from assessments.sizing.questions import Dataset, Scenario

PACKED_SAMPLES_PER_FILE = 1000.0  # host-model: shards divide opens by 100 to 1,000
CPU_REFERENCE_TOKENS = 4096.0  # the sample of cpu_samples_s_text_pretokenized


@dataclass(frozen=True, slots=True, kw_only=True)
class Feed:
    """What one scenario reads.

    cycle_tokens: tokens (samples for networks without tokens) of a whole cycle, every pass counted
    tokens_per_sample: tokens that one stored sample yields; cpu_rate: host constant in units per second and vCPU,
    cpu_units: units of that constant in one sample
    """

    cycle_tokens: Span
    pass_tokens: Span
    tokens_per_sample: float
    epochs: Span
    samples: Span
    sample_bytes: Span
    dataset_bytes: Span
    files_per_sample: float
    profile: str
    augmentation: str
    cpu_rate: str
    cpu_floor: str
    cpu_units: float
    location: str
    location_read: Span
    location_iops: Span
    copies: Span
    growth_per_year: float
    tokens_code: str


def feed_of(scenario: Scenario, path: str, method: str, model: ResolvedModel, taken: Assumptions) -> Feed:
    """Close the third parameter."""
    data, where = scenario.dataset, f"{path}.dataset"
    profile = _profile(data, model)
    epochs = _epochs(data, method, model, where, taken)
    sequence = model.sequence_tokens[1]
    reads_text = model.family in TEXT and not set(model.inputs) & {"image", "audio", "video"}
    if reads_text:
        tokens, code = _text_tokens(data, method, model, where, taken)
        per_sample = sequence
        samples = tokens.scaled(1 / per_sample)
        sample_bytes = default("token_bytes").scaled(per_sample)
        stored = span_of_answer(data.bytes) or tokens.times(_bytes_per_token(data))
    else:
        sample_bytes = _sample_bytes(data, profile, where, taken)
        samples = _samples(data, sample_bytes, where, taken)
        given = span_of_answer(data.tokens)
        tokens, code = (given, "answered") if given is not None else (samples.scaled(sequence), "samples")
        per_sample = sequence
        stored = span_of_answer(data.bytes) or samples.times(sample_bytes)
    if code == "tokens_of_params":
        epochs = exactly(1.0)  # the budget of tokens is the whole cycle
    rate, floor, units = _cpu(profile, data.augmentation, model)
    location = taken.choice(f"{where}.location", data.location, "network_storage", "location_network")
    read, iops = _location(data, location)
    regenerated = data.augmentation == "regenerated"
    copies = span_of_answer(data.copies)
    return Feed(
        cycle_tokens=combined(tokens.typical * epochs.typical, [tokens, epochs]).at_least(1.0),
        pass_tokens=tokens,
        tokens_per_sample=per_sample,
        epochs=epochs,
        samples=samples,
        sample_bytes=sample_bytes,
        dataset_bytes=stored,
        files_per_sample=1.0 / PACKED_SAMPLES_PER_FILE
        if profile in ("continuous_text", "table")
        else max(model.images, 1.0),
        profile=profile,
        augmentation=data.augmentation
        if isinstance(data.augmentation, str) and data.augmentation != UNKNOWN
        else "light",
        cpu_rate=rate,
        cpu_floor=floor,
        cpu_units=units,
        location=location,
        location_read=read,
        location_iops=iops,
        copies=copies if copies is not None else Span(2.0, 2.0, 3.0) if regenerated else Span(1.0, 1.0, 2.0),
        growth_per_year=closed(data.growth_per_year) or 0.0,
        tokens_code=code,
    )


def _text_tokens(data: Dataset, method: str, model: ResolvedModel, path: str, taken: Assumptions) -> tuple[Span, str]:
    answer = span_of_answer(data.tokens)
    if answer is not None:
        if answer.low < answer.high:
            taken.ranges[f"{path}.tokens"] = answer
        return answer, "answered"
    stored, samples = span_of_answer(data.bytes), span_of_answer(data.samples)
    if stored is not None and stored.high > 0:
        rate = _bytes_per_token(data)
        tokens, code = stored.at_least(1.0).over(rate), "tokens_of_bytes"
        params = {"bytes": stored.typical, "rate": rate.typical}
        source = DEFAULTS[f"bytes_per_token.{_language(data)}"].source
    elif samples is not None:
        fill, code = default("sample_fill"), "tokens_of_samples"
        tokens = samples.times(fill).times(Span(*model.sequence_tokens))
        params = {"samples": samples.typical, "rate": fill.typical * model.sequence_tokens[1]}
        source = DEFAULTS["sample_fill"].source
    elif method == "from_scratch":
        ratio, code = default("tokens_per_param.scratch"), "tokens_of_params"
        tokens = model.params.times(ratio)
        params = {"params": model.params.typical, "rate": ratio.typical}
        source = DEFAULTS["tokens_per_param.scratch"].source
    else:
        tokens, code = default("tokens.fine_tune"), "tokens_usual"
        params, source = {}, DEFAULTS["tokens.fine_tune"].source
    taken.note(f"{path}.tokens", tokens.typical, code, source, **params)
    taken.ranges[f"{path}.tokens"] = tokens
    return tokens, code


def _language(data: Dataset) -> str:
    return data.text_language if isinstance(data.text_language, str) and data.text_language != UNKNOWN else "other"


def _bytes_per_token(data: Dataset) -> Span:
    return default(f"bytes_per_token.{_language(data)}")


def _profile(data: Dataset, model: ResolvedModel) -> str:
    if isinstance(data.profile, str) and data.profile != UNKNOWN:
        return data.profile
    if isinstance(data.profile, tuple):
        return data.profile[0]
    if "video" in model.inputs or model.family == "video_diffusion":
        return "video"
    if model.family == "speech" or model.inputs == ("audio",):
        return "audio"
    if model.family in ("tabular_net", "recommender", "trees"):
        return "table"
    if model.family in TEXT:
        return "continuous_text"
    return "large_images" if model.image_px > 1000 else "small_files"


def _epochs(data: Dataset, method: str, model: ResolvedModel, path: str, taken: Assumptions) -> Span:
    scratch = "scratch" if method == "from_scratch" else "tuning"
    if model.family in TEXT:
        name = f"epochs.text_{scratch}"
    elif model.family in ("vision", "detection", "segmentation"):
        name = f"epochs.vision_{scratch}"
    else:
        name = "epochs.other"
    return taken.number(f"{path}.epochs", data.epochs, name, "epochs_usual")


def _sample_bytes(data: Dataset, profile: str, path: str, taken: Assumptions) -> Span:
    answer = span_of_answer(data.sample_bytes)
    stored, samples = span_of_answer(data.bytes), span_of_answer(data.samples)
    if answer is None and stored is not None and samples is not None and stored.low > 0:
        return stored.over(samples).at_least(1.0)
    name = "small_files" if profile == "continuous_text" else profile
    return taken.number(f"{path}.sample_bytes", data.sample_bytes, f"sample_bytes.{name}", "sample_bytes_usual")


def _samples(data: Dataset, sample_bytes: Span, path: str, taken: Assumptions) -> Span:
    answer = span_of_answer(data.samples)
    if answer is not None:
        return answer
    stored, hours = span_of_answer(data.bytes), span_of_answer(data.hours)
    if hours is not None and hours.high > 0:
        seconds = default("audio.s")
        samples = hours.scaled(3600).over(seconds).at_least(1.0)
        taken.note(
            f"{path}.samples", samples.typical, "samples_of_hours", DEFAULTS["audio.s"].source, rate=seconds.typical
        )
    elif stored is not None and stored.high > 0:
        samples = stored.over(sample_bytes).at_least(1.0)
        taken.note(f"{path}.samples", samples.typical, "samples_of_bytes", rate=sample_bytes.typical)
    else:
        samples = default("samples.vision")
        taken.note(f"{path}.samples", samples.typical, "samples_usual", DEFAULTS["samples.vision"].source)
    taken.ranges[f"{path}.samples"] = samples
    return samples


def _cpu(profile: str, augmentation: object, model: ResolvedModel) -> tuple[str, str, float]:
    """Host constant of the decoding rate, of the floor of cores, and units of it in one sample."""
    heavy = augmentation in ("heavy", "regenerated")
    if profile == "video":
        size = "256p" if model.image_px <= 400 else "720p" if model.image_px <= 1300 else "1080p"
        return f"cpu_clip16_{size}", "cpu_floor_cores_heavy", max(model.frames, 1.0) / 16
    if profile == "audio":
        name = "cpu_audio_resample" if heavy else "cpu_audio_logmel"
        return name, "cpu_floor_cores_image", max(model.audio_s, 1.0)
    if profile in ("small_files", "large_images"):
        size = "224" if model.image_px <= 336 else "512" if model.image_px <= 768 else "1024"
        plain = "cpu_jpeg_224_pillow" if size == "224" else f"cpu_jpeg_{size}"
        floor = "cpu_floor_cores_heavy" if heavy else "cpu_floor_cores_image"
        return f"cpu_heavy_aug_{size}" if heavy else plain, floor, max(model.images, 1.0)
    return "cpu_samples_s_text_pretokenized", "cpu_floor_cores_text", model.sequence_tokens[1] / CPU_REFERENCE_TOKENS


def _location(data: Dataset, location: str) -> tuple[Span, Span]:
    """What the place where the data lies delivers: bytes per second and opens per second."""
    speed, opens = span_of_answer(data.location_gbit_s), span_of_answer(data.location_iops)
    if location == "local_nvme":
        read, iops = default("drive.read_bytes_s"), default("drive.iops")
    elif location == "local_disk":
        read, iops = default("location.disk_read_bytes_s"), default("location.disk_iops")
    elif location == "parallel_fs":
        read, iops = default("location.parallel_read_bytes_s"), default("location.parallel_iops")
    elif location in ("object_storage", "cloud"):
        read, iops = default("location.object_read_bytes_s"), default("location.object_iops")
    else:
        read, iops = default("location.network_gbit_s").scaled(0.93e9 / 8), default("location.network_iops")
    if speed is not None and location not in ("local_nvme", "local_disk"):
        read = speed.scaled(0.93e9 / 8)  # nic_efficiency of the host constants
    return read, opens if opens is not None else iops
