"""Working hours: when a decision is due, and how waiting for the customer moves it."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import date, datetime, time, timedelta
from zoneinfo import ZoneInfo

from assessments.models import Priority
from portal.accounts.models import PortalSettings

_HOURS_TO_DECISION = {"low": 24.0, "normal": 8.0, "high": 4.0}  # working hours; the settings row may say otherwise


@dataclass(frozen=True, slots=True, kw_only=True)
class Calendar:
    """The seller's working week in its own time zone."""

    zone: ZoneInfo
    opens: time = time(9)
    closes: time = time(18)
    weekdays: frozenset[int] = frozenset(range(5))
    holidays: frozenset[date] = frozenset()

    def hours_of(self, day: date) -> tuple[datetime, datetime] | None:
        """Opening and closing moment of a day, or None when it is free."""
        if day.weekday() not in self.weekdays or day in self.holidays:
            return None
        return datetime.combine(day, self.opens, self.zone), datetime.combine(day, self.closes, self.zone)

    def add(self, start: datetime, working: timedelta) -> datetime:
        """The moment when `working` time has passed since `start`, counting open hours only."""
        left, day = working, start.astimezone(self.zone).date()
        while True:
            hours = self.hours_of(day)
            if hours is not None:
                begin = max(start, hours[0])
                if begin < hours[1]:
                    if hours[1] - begin >= left:
                        return begin + left
                    left -= hours[1] - begin
            day += timedelta(days=1)

    def between(self, start: datetime, end: datetime) -> timedelta:
        """Open time between two moments."""
        total, day = timedelta(), start.astimezone(self.zone).date()
        while day <= end.astimezone(self.zone).date():
            hours = self.hours_of(day)
            if hours is not None:
                total += max(timedelta(), min(end, hours[1]) - max(start, hours[0]))
            day += timedelta(days=1)
        return total


def calendar_of(settings: PortalSettings) -> Calendar:
    """The calendar that the settings row describes; what it leaves out is Monday to Friday, 9 to 18."""
    given = settings.calendar
    return Calendar(
        zone=ZoneInfo(given.get("time_zone", "Europe/Moscow")),
        opens=time.fromisoformat(given.get("opens", "09:00")),
        closes=time.fromisoformat(given.get("closes", "18:00")),
        weekdays=frozenset(given.get("weekdays", range(5))),
        holidays=frozenset(date.fromisoformat(day) for day in given.get("holidays", ())),
    )


def decision_due(at: datetime, priority: int) -> datetime:
    """When a request that arrives at `at` has to be decided."""
    settings = PortalSettings.load()
    name = Priority(priority).name.lower()
    hours = float(settings.targets.get(name, _HOURS_TO_DECISION[name]))
    return calendar_of(settings).add(at, timedelta(hours=hours))


def resume(due_at: datetime, *, waited_from: datetime, until: datetime) -> datetime:
    """The due time after the clock stood still between two moments."""
    calendar = calendar_of(PortalSettings.load())
    left = calendar.between(waited_from, due_at)
    return calendar.add(until, left) if due_at > waited_from else due_at
