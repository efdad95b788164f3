"""How fresh the copies of a site stay with each fetch schedule, at the same number of fetches.

Run ``python benchmarks/freshness.py`` from the project's folder (about two minutes); ``--plot FILE`` draws the result.
The site is simulated: each page changes at random moments, at a rate of its own that the benchmark knows and the
schedules do not. So is the clock. The mix of rates is about that of Cho and Garcia-Molina, The evolution of the web
and implications for an incremental crawler, VLDB 2000: 23 % of the pages change daily or more often, 30 % less than
every four months.

All schedules make the same fetches a day. The page that has been due for longest comes next; when none is due, the one
that has waited for most of its interval: a schedule that asks for too little has all of its intervals cut alike.
*Adaptive, tuned* has a least interval of a quarter of the mean one, and no sync_delta; *known rates* has the intervals
that are best where the rates are known. *Fresh* is the part of the time, in its second half, for which a copy is what
the page is; *age* is for how long it has not been, on average over all copies (0 while it is fresh). *Stretch* is how
long pages waited beside how long they were to wait.
"""

from __future__ import annotations

import argparse
import math
import random
import sys
from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path

import numpy as np

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))

from nutchlike.crawldatum import CrawlDatum
from nutchlike.fetch_schedules import (
    AdaptiveFetchSchedule,
    DefaultFetchSchedule,
    EstimatedFetchSchedule,
    FetchSchedule,
    Outcome,
)
from nutchlike.fetch_schedules.change_rate import ChangeRate

DAY = 86_400
MIX = ((0.23, 1 / 3, 1), (0.15, 1, 7), (0.16, 7, 30), (0.16, 30, 120), (0.30, 120, 1200))  # share, days from and to
BUDGETS = (1, 7, 30)  # days in which a page is fetched once, on average
MAX_DAYS = 90  # between two fetches of a page (Nutch's db.fetch.interval.max)
POINTS = 40  # of a plotted line


@dataclass(frozen=True)
class KnownRates:
    """The best intervals for rates that are known, as far as one price for all pages gives them."""

    intervals: dict[str, int]

    @classmethod
    def of(cls, rates: Sequence[float], budget: float) -> KnownRates:
        """Return the intervals that spend as much as one fetch a page in ``budget`` seconds."""
        low, high = 1.0, 1e9
        for _ in range(50):
            price = math.sqrt(low * high)
            intervals = [worth(rate, price) for rate in rates]
            low, high = (price, high) if sum(budget / each for each in intervals) > len(rates) else (low, price)
        return cls({url_of(page): round(interval) for page, interval in enumerate(intervals)})

    def schedule(self, datum: CrawlDatum, *, outcome: Outcome, now: int) -> CrawlDatum:
        interval = self.intervals[datum.url]
        return replace(datum, fetch_time=now + interval, modified_time=now)


def worth(rate: float, price: float) -> float:
    """Return the best interval (seconds) of a page whose changes per second are known."""
    return ChangeRate(1e6, 1e6 / rate).interval_worth(price, least=60, most=MAX_DAYS * DAY)


@dataclass
class Result:
    """``stale`` and ``age`` are sums over all copies, in seconds and seconds squared, of each part of the time."""

    copies: int
    part: float  # seconds
    stale: list[float] = field(default_factory=lambda: [0.0] * POINTS)
    age: list[float] = field(default_factory=lambda: [0.0] * POINTS)
    fetches: int = 0
    waited: float = 0.0  # seconds, from one fetch to the next of a page
    planned: float = 0.0  # the same, as the schedule had it

    def add(self, changed_at: float, fetched_at: float) -> None:
        """A copy was stale from one moment to the other (seconds)."""
        for part in range(int(changed_at / self.part), min(int(fetched_at / self.part) + 1, POINTS)):
            begin = max(changed_at, part * self.part)
            end = min(fetched_at, (part + 1) * self.part)
            if end > begin:
                self.stale[part] += end - begin
                self.age[part] += ((end - changed_at) ** 2 - (begin - changed_at) ** 2) / 2

    def freshness(self, since: int = POINTS // 2) -> float:
        """Return the mean freshness from a part of the time on."""
        return 1 - sum(self.stale[since:]) / (self.copies * self.part * (POINTS - since))

    def days_old(self, since: int = POINTS // 2) -> float:
        """Return the mean age in days from a part of the time on."""
        return sum(self.age[since:]) / (self.copies * self.part * (POINTS - since)) / DAY

    @property
    def line(self) -> list[float]:
        return [1 - stale / (self.copies * self.part) for stale in self.stale]


def url_of(page: int) -> str:
    return f"http://a.test/{page}"


def mixed_rates(pages: int, rng: random.Random) -> list[float]:
    """Return changes per second of each page."""
    shares, bounds = [share for share, *_ in MIX], [(low, high) for _, low, high in MIX]
    days = [math.exp(rng.uniform(*map(math.log, pair))) for pair in rng.choices(bounds, shares, k=pages)]
    return [1 / (each * DAY) for each in days]


def replay(
    schedules: Sequence[FetchSchedule], rates: Sequence[Sequence[float]], *, budget: int, years: float, seed: int
) -> Result:
    """Fetch a page each ``budget / pages`` seconds, as the schedule says, for some years.

    ``rates`` has the rates of the first part of the time, of the second and so on; ``schedules`` likewise, or one.
    """
    rng, pages = random.Random(seed), len(rates[0])
    step, end = budget / pages, years * 365 * DAY
    result = Result(pages, end / POINTS)
    records = [CrawlDatum(url_of(page), fetch_interval=budget) for page in range(pages)]
    fetched_at = np.array(rng.sample(range(-budget, 0), pages), dtype=float)
    planned = np.full(pages, float(budget))
    changes_at = [math.inf] * pages
    for slot in range(1, int(end / step)):
        now = int(slot * step)
        era = min(int(now / end * len(rates)), len(rates) - 1)
        page = int(np.argmin(fetched_at + planned))
        if fetched_at[page] + planned[page] > now:
            page = int(np.argmax((now - fetched_at) / planned))
        record, changed_at = records[page], changes_at[page]
        outcome = Outcome.SUCCESS if changed_at < now else Outcome.NOTMODIFIED
        if record.modified_time == 0:
            outcome = Outcome.UNKNOWN
            result.add(0, now)  # there was no copy
        else:
            result.add(min(changed_at, now), now)
            result.waited += now - fetched_at[page]
            result.planned += planned[page]
        result.fetches += 1
        records[page] = schedules[min(era, len(schedules) - 1)].schedule(record, outcome=outcome, now=now)
        fetched_at[page], planned[page] = now, max(records[page].fetch_time - now, 1)
        changes_at[page] = now + rng.expovariate(rates[era][page])
    for changed_at in changes_at:
        result.add(min(changed_at, end), end)
    return result


def compare(rates: Sequence[Sequence[float]], *, budget: int, years: float, seed: int) -> dict[str, Result]:
    """Return the result of each schedule for one fetch a page in ``budget`` seconds."""
    limits = {"default_interval": budget, "max_interval": MAX_DAYS * DAY}
    contestants: dict[str, list[FetchSchedule]] = {
        "fixed": [DefaultFetchSchedule(**limits)],
        "adaptive (Nutch)": [AdaptiveFetchSchedule(**limits, strict=True)],
        "adaptive, tuned": [AdaptiveFetchSchedule(**limits, min_interval=budget / 4, sync_delta=False)],
        "estimated": [EstimatedFetchSchedule(**limits)],
        "known rates": [KnownRates.of(some, budget) for some in rates],
    }
    return {
        name: replay(schedules, rates, budget=budget, years=years, seed=seed) for name, schedules in contestants.items()
    }


def show(title: str, results: dict[str, Result]) -> None:
    print(f"\n{title}\n{'':18}{'fresh':>9}{'age, days':>11}{'stretch':>9}{'fetches':>10}")
    for name, result in results.items():
        stretch = result.waited / result.planned
        print(
            f"{name:18}{result.freshness():9.1%}{result.days_old():11.2f}{stretch:9.2f}{result.fetches:10,}", flush=True
        )


def main() -> None:
    parser = argparse.ArgumentParser(description="Freshness and age of a simulated site at equal numbers of fetches")
    parser.add_argument("--pages", type=int, default=600)
    parser.add_argument("--years", type=float, default=4.0, help="of the simulated clock, at most")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--plot", type=Path, metavar="FILE", help="PNG file to draw")
    options = parser.parse_args()
    rng = random.Random(options.seed)
    rates = mixed_rates(options.pages, rng)
    print(f"{options.pages} pages, seed {options.seed}")
    steady = {}
    for days in BUDGETS:
        years = min(options.years, days * 0.4)  # some 150 fetches a page at most
        steady[days] = compare([rates], budget=days * DAY, years=years, seed=options.seed)
        show(f"each page once in {days} days on average, for {years:g} years", steady[days])
    dealt = rng.sample(rates, len(rates))
    shifted = compare([rates, dealt], budget=7 * DAY, years=min(options.years, 2.8), seed=options.seed)
    show("once in 7 days, and halfway each page gets the rate of another", shifted)
    if options.plot:
        from freshness_plot import draw

        draw(options.plot, steady, shifted)


if __name__ == "__main__":
    main()
