"""The service clock: working hours in the seller's time zone, standing still while the customer is asked."""

from datetime import UTC, date, datetime, timedelta
from zoneinfo import ZoneInfo

from assessments.sla import Calendar

MOSCOW = ZoneInfo("Europe/Moscow")
CALENDAR = Calendar(zone=MOSCOW)


def moscow(*parts: int) -> datetime:
    return datetime(*parts, tzinfo=MOSCOW)


def test_four_hours_from_friday_evening_are_monday_noon():
    friday = datetime(2026, 11, 27, 14, 50, tzinfo=UTC)  # 17:50 in Moscow
    assert CALENDAR.add(friday, timedelta(hours=4)) == moscow(2026, 11, 30, 12, 50)


def test_a_holiday_is_skipped():
    calendar = Calendar(zone=MOSCOW, holidays=frozenset({date(2026, 11, 30)}))
    assert calendar.add(moscow(2026, 11, 27, 17, 50), timedelta(hours=4)) == moscow(2026, 12, 1, 12, 50)


def test_open_time_between_two_moments_leaves_nights_and_weekends_out():
    assert CALENDAR.between(moscow(2026, 11, 27, 17, 0), moscow(2026, 11, 30, 10, 0)) == timedelta(hours=2)


def test_adding_open_time_is_the_inverse_of_counting_it():
    start = moscow(2026, 12, 1, 11, 20)
    for hours in (0.5, 4, 9, 30, 100):
        end = CALENDAR.add(start, timedelta(hours=hours))
        assert CALENDAR.between(start, end) == timedelta(hours=hours)
