"""EstimatedFetchSchedule: each page when a fetch of it is worth as much as one of any other page."""

from __future__ import annotations

import math
from dataclasses import replace
from typing import Any

from nutchlike import default_settings
from nutchlike.contracts import SettingsReader
from nutchlike.crawldatum import CrawlDatum
from nutchlike.fetch_schedules.abstract_schedule import RETRY_DELAY
from nutchlike.fetch_schedules.adaptive_schedule import AdaptiveFetchSchedule, change_of
from nutchlike.fetch_schedules.change_rate import ChangeRate
from nutchlike.fetch_schedules.fetch_schedule import CHANGES_METADATA, Outcome

_PRIOR_SHAPE = 0.2  # below 1: rates of pages differ by orders of magnitude, and most pages hardly ever change
_STEP, _STEP_MOST = 0.01, 0.05  # by what part a page raises the price, and lowers it, at most
_PRICE_LEAST, _PRICE_MOST = 1e-6, 1e12  # seconds


class EstimatedFetchSchedule(AdaptiveFetchSchedule):
    """Estimates how often each page changes, and spends fetches where they keep most copies fresh.

    The budget is that of DefaultFetchSchedule: on average a page is fetched once in ``default_interval``. Of each page
    only its ChangeRate is kept, in its metadata, and of all pages one number, the price: the seconds of freshness that
    a fetch must bring. A page is due when its next fetch brings that. Each fetch moves the price: up when the page is
    due sooner than after ``default_interval``, down when later, so that the mean comes to that. Each page also keeps
    the price of its last fetch, from which a new worker begins.

    A page that changes much faster than it can be fetched is fetched seldom, for its copy is stale anyhow: freshness
    is had from the others. Intervals stay between ``min_interval`` and ``max_interval``, or in the range that
    ``host_intervals`` names. A seed's own interval counts until a second fetch, a fixed one for ever. Of what a fetch
    has told, 1/``memory`` is forgotten with each further one, since rates change.

    Raises ValueError as AdaptiveFetchSchedule does, and for a ``memory`` below 1.
    Source: the rule that one price serves all pages best is that of Cho and Garcia-Molina, see ChangeRate.
    """

    def __init__(
        self,
        *arguments: int,
        memory: float = default_settings.NUTCH_DB_FETCH_SCHEDULE_ESTIMATED_MEMORY,
        **more: Any,
    ) -> None:
        """Take those of AdaptiveFetchSchedule, too; its rates and ``sync_delta`` do not count."""
        super().__init__(*arguments, **more)
        if not 1 <= memory < math.inf:
            raise ValueError(f"NUTCH_DB_FETCH_SCHEDULE_ESTIMATED_MEMORY must be >= 1 fetch, got {memory!r}")
        self.kept = 1 - 1 / memory
        self.prior = ChangeRate(_PRIOR_SHAPE, _PRIOR_SHAPE * self.default_interval)
        self._price: float | None = None  # None: no page was seen yet

    @classmethod
    def _arguments(cls, settings: SettingsReader) -> dict[str, Any]:
        name = "NUTCH_DB_FETCH_SCHEDULE_ESTIMATED_MEMORY"
        return {**super()._arguments(settings), "memory": settings.getfloat(name, getattr(default_settings, name))}

    def _fetched(self, datum: CrawlDatum, outcome: Outcome, now: int) -> CrawlDatum:
        change = change_of(datum, outcome)
        modified_time = self._modified_time(datum, change, now)
        fixed = self._fixed_interval(datum)
        if fixed is not None:
            return self._after_fixed(datum, fixed, modified_time, now)
        rate, price = _remembered(datum)
        if self._price is None:
            self._price = price or self.prior.gain(self.default_interval)
        has_evidence = change in (Outcome.SUCCESS, Outcome.NOTMODIFIED)
        if has_evidence:
            rate = (rate or self.prior).faded(self.prior, self.kept)
            rate = rate.after(changed=change is Outcome.SUCCESS, elapsed=_elapsed(datum, now))
        interval = self._interval(datum, rate)
        metadata = datum.metadata
        if rate is not None:
            metadata = {**metadata, CHANGES_METADATA: f"{rate.shape:.4g} {rate.span:.4g} {self._price:.4g}"}
        self._price = self._moved(self._price, interval)
        return replace(
            datum,
            fetch_time=now + interval,
            modified_time=modified_time,
            fetch_interval=interval,
            metadata=metadata,
        )

    def _moved(self, price: float, interval: int) -> float:
        """Return the price after a page with this interval: it rests where the mean interval is the default."""
        step = min(_STEP, _STEP_MOST * self.default_interval / self.max_interval)
        return min(max(price * math.exp(step * (1 - interval / self.default_interval)), _PRICE_LEAST), _PRICE_MOST)

    def _interval(self, datum: CrawlDatum, rate: ChangeRate | None) -> int:
        bounds = self._hosts.interval_of(datum.url)
        least, most = (bounds.least, bounds.most) if bounds else (self.range.least, self.range.most)
        if bounds is None:
            most = max(least, min(most, self.max_interval))
        if rate is None and datum.fetch_interval != self.default_interval:
            return round(min(max(datum.fetch_interval, least), most))
        assert self._price is not None
        return round((rate or self.prior).interval_worth(self._price, least=least, most=most))


def _elapsed(datum: CrawlDatum, now: int) -> float:
    """Return the seconds since the last fetch that brought the page, as far as the record tells."""
    return float(max(1, now - datum.fetch_time + datum.fetch_interval + datum.retries * RETRY_DELAY))


def _remembered(datum: CrawlDatum) -> tuple[ChangeRate | None, float | None]:
    """Return what is known of a page's changes, and the price at its last fetch; ``None`` for nothing usable."""
    try:
        shape, span, price = map(float, datum.metadata[CHANGES_METADATA].split())
    except (KeyError, ValueError):
        return None, None
    if not (0 < shape < math.inf and 0 < span < math.inf and _PRICE_LEAST <= price <= _PRICE_MOST):
        return None, None
    return ChangeRate(shape, span), price
