"""When a page is fetched again: one schedule a file, named as in Nutch."""

from nutchlike.fetch_schedules.default_schedule import DefaultFetchSchedule
from nutchlike.fetch_schedules.fetch_schedule import FetchSchedule, Outcome

__all__ = ["DefaultFetchSchedule", "FetchSchedule", "Outcome"]
