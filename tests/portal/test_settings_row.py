"""The settings row: working hours by which no time can be counted are refused before they hang a submission."""

import pytest
from django.core.exceptions import ValidationError

from portal.accounts.models import PortalSettings, default_calendar

pytestmark = pytest.mark.django_db


@pytest.mark.parametrize(
    "change",
    [
        {"weekdays": []},
        {"weekdays": [7]},
        {"opens": "18:00", "closes": "09:00"},
        {"opens": "nine"},
        {"time_zone": "Europe/Nowhere"},
        {"holidays": ["31.12.2026"]},
    ],
)
def test_a_calendar_that_cannot_be_counted_is_refused(change):
    row = PortalSettings.load()
    row.calendar = default_calendar() | change
    with pytest.raises(ValidationError, match="calendar"):
        row.full_clean()


def test_targets_are_hours():
    row = PortalSettings.load()
    row.targets = {"normal": 0}
    with pytest.raises(ValidationError, match="targets"):
        row.full_clean()


def test_the_row_as_it_is_made_is_valid():
    PortalSettings.load().full_clean()
