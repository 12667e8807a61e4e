"""Codes and numbers of the engine in Russian and English, by Django's active language. The one place with sentences."""

from assessments.wording.amounts import amount, counted, likely, number_in, of_total, quantity, shown_unit, typical
from assessments.wording.answers import answer, unit_of
from assessments.wording.counts import plural
from assessments.wording.labels import (
    CASES,
    FITS,
    MOMENTS,
    ORIGINS,
    PARTS,
    RESOURCES,
    accelerator_name,
    accelerator_title,
    fabric_name,
    label_of,
    machine_of,
    option_letter,
    option_name,
    path_of,
    severity_label,
    subject_of,
    technique_name,
    value_label,
)
from assessments.wording.numbers import NBSP, decimal, to_sum
from assessments.wording.speech import FINDINGS, SENTENCES, finding, repair_of, say, verdict
from assessments.wording.techniques import TECHNIQUES
from assessments.wording.text import Spoken, Technique
from assessments.wording.titles import model_name, preset_name, task_title
from assessments.wording.values import ASPECTS
from assessments.wording.verdicts import VERDICTS

__all__ = [
    "ASPECTS",
    "CASES",
    "FINDINGS",
    "FITS",
    "MOMENTS",
    "NBSP",
    "ORIGINS",
    "PARTS",
    "RESOURCES",
    "SENTENCES",
    "TECHNIQUES",
    "VERDICTS",
    "Spoken",
    "Technique",
    "accelerator_name",
    "accelerator_title",
    "amount",
    "answer",
    "counted",
    "decimal",
    "fabric_name",
    "finding",
    "label_of",
    "likely",
    "machine_of",
    "model_name",
    "number_in",
    "of_total",
    "option_letter",
    "option_name",
    "path_of",
    "plural",
    "preset_name",
    "quantity",
    "repair_of",
    "say",
    "severity_label",
    "shown_unit",
    "subject_of",
    "task_title",
    "technique_name",
    "to_sum",
    "typical",
    "unit_of",
    "value_label",
    "verdict",
]
