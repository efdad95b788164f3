"""The benchmark of fetch schedules: its bookkeeping, and that it compares at equal numbers of fetches."""

from __future__ import annotations

import math
import random
import sys
from pathlib import Path

import pytest

sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "benchmarks"))

from freshness import DAY, KnownRates, compare, mixed_rates, replay

from nutchlike.fetch_schedules import DefaultFetchSchedule


@pytest.mark.parametrize("changes", [0.2, 1.0, 4.0])  # of a page in the time between two fetches
def test_freshness_and_age_of_equal_pages_are_those_of_the_formulas(changes: float) -> None:
    rate = changes / (7 * DAY)
    found = replay([DefaultFetchSchedule(7 * DAY)], [[rate] * 60], budget=7 * DAY, years=6, seed=2)
    fresh = -math.expm1(-changes) / changes
    assert found.freshness() == pytest.approx(fresh, abs=0.01)
    # Cho and Garcia-Molina, Synchronizing a database to improve freshness, SIGMOD 2000
    assert found.days_old() == pytest.approx(7 * (0.5 - 1 / changes + fresh / changes), rel=0.05)


def test_known_rates_spend_the_whole_budget() -> None:
    rates = mixed_rates(50, random.Random(1))
    intervals = KnownRates.of(rates, 7 * DAY).intervals.values()
    assert sum(7 * DAY / interval for interval in intervals) / 50 == pytest.approx(1, rel=0.01)


def test_estimated_rates_keep_more_copies_fresh_with_the_same_fetches() -> None:
    results = compare([mixed_rates(60, random.Random(1))], budget=DAY, years=0.2, seed=1)
    assert len({result.fetches for result in results.values()}) == 1
    fresh = {name: result.freshness() for name, result in results.items()}
    assert fresh["fixed"] + 0.02 < fresh["estimated"] < fresh["known rates"] + 0.02
    assert fresh["adaptive (Nutch)"] + 0.01 < fresh["estimated"]
