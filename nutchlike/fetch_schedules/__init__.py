"""When a page is fetched again: one schedule a file, named as in Nutch."""

from nutchlike.fetch_schedules.adaptive_schedule import AdaptiveFetchSchedule
from nutchlike.fetch_schedules.default_schedule import DefaultFetchSchedule
from nutchlike.fetch_schedules.estimated_schedule import EstimatedFetchSchedule
from nutchlike.fetch_schedules.fetch_schedule import FetchSchedule, Outcome
from nutchlike.fetch_schedules.mime_schedule import MimeAdaptiveFetchSchedule

__all__ = [
    "AdaptiveFetchSchedule",
    "DefaultFetchSchedule",
    "EstimatedFetchSchedule",
    "FetchSchedule",
    "MimeAdaptiveFetchSchedule",
    "Outcome",
]
