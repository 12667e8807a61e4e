"""One form for each step of the intake."""

from assessments.intake.forms.base import Answers, Raw, StepForm
from assessments.intake.forms.business import BusinessForm
from assessments.intake.forms.cycle import CycleForm
from assessments.intake.forms.dataset import DatasetForm
from assessments.intake.forms.facility import FacilityForm
from assessments.intake.forms.horizon import HorizonForm
from assessments.intake.forms.model import ModelForm
from assessments.intake.forms.strategy import StrategyForm

__all__ = [
    "Answers",
    "BusinessForm",
    "CycleForm",
    "DatasetForm",
    "FacilityForm",
    "HorizonForm",
    "ModelForm",
    "Raw",
    "StepForm",
    "StrategyForm",
]
