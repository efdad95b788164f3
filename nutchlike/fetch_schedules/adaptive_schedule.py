"""AdaptiveFetchSchedule: pages that change are fetched more often, those that do not less often."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any

from nutchlike import default_settings
from nutchlike.contracts import SettingsReader
from nutchlike.crawldatum import CrawlDatum, DbStatus
from nutchlike.fetch_schedules.abstract_schedule import AbstractFetchSchedule
from nutchlike.fetch_schedules.fetch_schedule import Outcome
from nutchlike.fetch_schedules.host_intervals import HostIntervals, Interval
from nutchlike.java_numbers import INT_MAX, as_int, finite_float32, java_round
from nutchlike.urls.rule_text import UNNAMED, configured_rules

_SETTING = "NUTCH_DB_FETCH_SCHEDULE_ADAPTIVE_"


@dataclass(frozen=True, slots=True)
class Rates:
    """By what part an interval grows when the page has not changed, and shrinks when it has."""

    inc: float
    dec: float


class AdaptiveFetchSchedule(AbstractFetchSchedule):
    """Multiplies a page's interval by 1 + ``inc_rate`` when it has not changed, by 1 - ``dec_rate`` when it has.

    With ``sync_delta`` it tries to meet the page's own rhythm: the interval is at least the time since the last
    change (delta), and the next fetch comes sooner by delta * ``sync_delta_rate``. The interval stays between
    ``min_interval`` and ``max_interval`` (seconds), or in the range that ``host_intervals`` names for the host. A page
    with metadata ``fixedInterval`` keeps that interval, whatever the range. A page that repeats another's content has
    not changed when it did so before.

    Unless ``strict``, what in Nutch puts fetches into the past or the far future is otherwise: a change in the future
    counts as one now, the next fetch comes sooner by a part of the interval at most (Nutch: of a delta that may be
    longer than any interval; a whole division drops it above ``max_interval``) and never before ``min_interval`` has
    passed; a page with a fixed interval notes when it has changed; hosts match in any case.

    Raises ValueError for a rate or an interval out of its bounds, and for a line of ``host_intervals`` that cannot be
    used (``strict``: it is passed over).
    Source: Apache Nutch, AdaptiveFetchSchedule, in single precision as there.
    """

    def __init__(
        self,
        *arguments: int,
        inc_rate: float = default_settings.NUTCH_DB_FETCH_SCHEDULE_ADAPTIVE_INC_RATE,
        dec_rate: float = default_settings.NUTCH_DB_FETCH_SCHEDULE_ADAPTIVE_DEC_RATE,
        min_interval: float = default_settings.NUTCH_DB_FETCH_SCHEDULE_ADAPTIVE_MIN_INTERVAL,
        adaptive_max_interval: float = default_settings.NUTCH_DB_FETCH_SCHEDULE_ADAPTIVE_MAX_INTERVAL,
        sync_delta: bool = default_settings.NUTCH_DB_FETCH_SCHEDULE_ADAPTIVE_SYNC_DELTA,
        sync_delta_rate: float = default_settings.NUTCH_DB_FETCH_SCHEDULE_ADAPTIVE_SYNC_DELTA_RATE,
        host_intervals: str = "",
        host_intervals_source: str = UNNAMED,
        **more: Any,
    ) -> None:
        """Take those of AbstractFetchSchedule, too; ``host_intervals`` are the lines of a file, see HostIntervals."""
        super().__init__(*arguments, **more)
        _check_bounds("INC_RATE", inc_rate, 0, 1000)
        _check_bounds("DEC_RATE", dec_rate, 0, 1)
        _check_bounds("SYNC_DELTA_RATE", sync_delta_rate, 0, 1)
        _check_bounds("MAX_INTERVAL", adaptive_max_interval, 1, INT_MAX)
        _check_bounds("MIN_INTERVAL", min_interval, 1, adaptive_max_interval)
        self.rates = Rates(finite_float32(inc_rate), finite_float32(dec_rate))
        self.range = Interval(finite_float32(min_interval), finite_float32(adaptive_max_interval))
        self.sync_delta = sync_delta
        self.sync_delta_rate = finite_float32(sync_delta_rate)
        self._hosts = HostIntervals(host_intervals, self.range, source=host_intervals_source, strict=self.strict)

    @classmethod
    def _arguments(cls, settings: SettingsReader) -> dict[str, Any]:
        names = ("INC_RATE", "DEC_RATE", "MIN_INTERVAL", "MAX_INTERVAL", "SYNC_DELTA_RATE")
        numbers = {
            name.lower(): settings.getfloat(_SETTING + name, getattr(default_settings, _SETTING + name))
            for name in names
        }
        hosts, source = configured_rules(settings, f"{_SETTING}HOST_INTERVALS")
        return {
            **super()._arguments(settings),
            **{("adaptive_" + name if name == "max_interval" else name): value for name, value in numbers.items()},
            "sync_delta": settings.getbool(
                f"{_SETTING}SYNC_DELTA", default_settings.NUTCH_DB_FETCH_SCHEDULE_ADAPTIVE_SYNC_DELTA
            ),
            "host_intervals": hosts,
            "host_intervals_source": source,
        }

    def _fetched(self, datum: CrawlDatum, outcome: Outcome, now: int) -> CrawlDatum:
        change = change_of(datum, outcome)
        modified_time = self._modified_time(datum, change, now)
        fixed = self._fixed_interval(datum)
        if fixed is not None:
            return self._after_fixed(datum, finite_float32(fixed), modified_time, now)
        interval = finite_float32(datum.fetch_interval or self.default_interval)
        rates = self._rates(datum)
        if change is Outcome.SUCCESS:
            interval = finite_float32(interval * finite_float32(1 - rates.dec))
        elif change is Outcome.NOTMODIFIED:
            interval = finite_float32(interval * finite_float32(1 + rates.inc))
        bounds = self._hosts.interval_of(datum.url) or self.range
        delta = _milliseconds(now) - _milliseconds(modified_time) if self.sync_delta else 0
        if finite_float32(delta) > finite_float32(interval * 1000):
            interval = finite_float32(delta // 1000)
        interval = bounds.limit(interval)
        following = _milliseconds(now) - self._offset(delta, interval, bounds) + java_round(interval * 1000.0)
        if not self.strict:
            following = max(following, _milliseconds(now) + java_round(bounds.least * 1000.0))
        return replace(
            datum, fetch_time=following // 1000, modified_time=modified_time, fetch_interval=as_int(interval)
        )

    def _rates(self, datum: CrawlDatum) -> Rates:
        """Return the rates of a page."""
        return self.rates

    def _modified_time(self, datum: CrawlDatum, change: Outcome, now: int) -> int:
        known = datum.modified_time if datum.modified_time > 0 else now
        if change is Outcome.SUCCESS or change in {Outcome.REDIR_TEMP, Outcome.REDIR_PERM, Outcome.DUPLICATE}:
            return now
        return known if self.strict else min(known, now)

    def _after_fixed(self, datum: CrawlDatum, interval: float, modified_time: int, now: int) -> CrawlDatum:
        following = _milliseconds(now) + java_round(interval * 1000.0)
        return replace(
            datum,
            fetch_time=following // 1000,
            modified_time=datum.modified_time if self.strict else modified_time,
            fetch_interval=as_int(interval),
        )

    def _offset(self, delta: int, interval: float, bounds: Interval) -> int:
        """Return by how many milliseconds the next fetch comes sooner; below 0: later."""
        if not self.strict:
            return java_round(min(delta, interval * 1000.0) * self.sync_delta_rate)
        offset, most = java_round(delta * self.sync_delta_rate), int(bounds.most) * 1000
        return offset // delta * most if delta > 0 and offset > most else offset


def change_of(datum: CrawlDatum, outcome: Outcome) -> Outcome:
    """Return what an answer says of a change: nothing but for SUCCESS and NOTMODIFIED."""
    if outcome is Outcome.DUPLICATE and datum.db_status is DbStatus.DB_DUPLICATE:
        return Outcome.NOTMODIFIED
    return outcome


def _milliseconds(seconds: float) -> int:
    return java_round(seconds * 1000)


def _check_bounds(name: str, value: float, least: float, most: float) -> None:
    if not least <= value <= most:
        raise ValueError(f"{_SETTING}{name} must be from {least:g} to {most:g}, got {value!r}")
