"""EstimatedFetchSchedule and ChangeRate: what fetches tell of a page's changes, and how a budget is spent by it."""

from __future__ import annotations

import math
import random
from collections.abc import Callable
from dataclasses import replace
from statistics import mean

import pytest
from hypothesis import given
from hypothesis import strategies as st
from scrapy.settings import Settings

from nutchlike.crawldatum import CrawlDatum, DbStatus
from nutchlike.fetch_schedules import EstimatedFetchSchedule, FetchSchedule, Outcome
from nutchlike.fetch_schedules.abstract_schedule import TIME_MAX
from nutchlike.fetch_schedules.change_rate import ChangeRate

NOW = 1_700_000_000
DAY = 86_400
BUDGET = 7 * DAY
PAGE = CrawlDatum("http://a.test/", DbStatus.DB_FETCHED, fetch_time=NOW, modified_time=NOW - DAY, fetch_interval=DAY)
SHAPES = st.floats(0.05, 1e4)
SPANS = st.floats(60.0, 1e9)
SECONDS = st.floats(1.0, 1e9)


def integral(function: Callable[[float], float], most: float, parts: int = 20_000) -> float:
    """Return the integral from 0 to ``most``, by the midpoints of its parts."""
    width = most / parts
    return width * sum(function((part + 0.5) * width) for part in range(parts))


@pytest.mark.parametrize(("shape", "span", "elapsed"), [(0.7, 10.0, 3.0), (2.5, 10.0, 30.0), (6.0, 1.0, 0.2)])
@pytest.mark.parametrize("changed", [True, False])
def test_mean_and_variance_are_those_of_bayes_rule(shape: float, span: float, elapsed: float, changed: bool) -> None:
    def weight(rate: float) -> float:
        likelihood = -math.expm1(-rate * elapsed) if changed else math.exp(-rate * elapsed)
        return rate ** (shape - 1) * math.exp(-rate * span) * likelihood

    most = 60 * shape / span
    total = integral(weight, most)
    wanted_mean = integral(lambda rate: rate * weight(rate), most) / total
    wanted_variance = integral(lambda rate: rate * rate * weight(rate), most) / total - wanted_mean**2
    found = ChangeRate(shape, span).after(changed=changed, elapsed=elapsed)
    assert found.mean == pytest.approx(wanted_mean, rel=0.01)
    assert found.shape / found.span**2 == pytest.approx(wanted_variance, rel=0.02)


@pytest.mark.parametrize("per_day", [0.02, 0.1, 0.5, 2.0])
def test_the_estimate_comes_close_to_the_rate_with_irregular_fetches(per_day: float) -> None:
    rng = random.Random(7)
    found = []
    for _ in range(40):
        rate = ChangeRate(0.2, 0.2 * 30 * DAY)
        for _ in range(200):
            elapsed = rng.choice([0.3, 1.0, 3.0]) / per_day * DAY
            changed = rng.random() < -math.expm1(-per_day / DAY * elapsed)
            rate = rate.after(changed=changed, elapsed=elapsed)
        found.append(rate.mean * DAY / per_day)
    assert mean(found) == pytest.approx(1, abs=0.15)  # what was thought before the first fetch still counts


@pytest.mark.parametrize("x", [0.01, 0.5, 2.0, 20.0])
def test_the_gain_at_a_known_rate_is_that_of_the_paper(x: float) -> None:
    rate = 1 / DAY
    found = ChangeRate(1e6, 1e6 / rate).gain(x / rate)
    assert found == pytest.approx((1 - (1 + x) * math.exp(-x)) / rate, rel=1e-3)


@given(SHAPES, SPANS, SECONDS, SECONDS)
def test_a_longer_interval_never_gains_less(shape: float, span: float, one: float, other: float) -> None:
    rate = ChangeRate(shape, span)
    shorter, longer = sorted((one, other))
    assert rate.gain(shorter) <= rate.gain(longer) * (1 + 1e-6) + 1e-6


@given(SHAPES, SPANS, SECONDS, st.booleans(), st.floats(0, 1))
def test_every_fetch_leaves_a_rate_that_can_be_used(
    shape: float, span: float, elapsed: float, changed: bool, kept: float
) -> None:
    before = ChangeRate(shape, span)
    after = before.after(changed=changed, elapsed=elapsed)
    assert math.isfinite(after.mean)
    assert after.mean > 0
    assert after.mean >= before.mean * (1 - 1e-9) if changed else after.mean <= before.mean
    assert 60 <= after.faded(before, kept).interval_worth(1000.0, least=60, most=1e7) <= 1e7


def visits(schedule: FetchSchedule, outcomes: list[Outcome], datum: CrawlDatum) -> CrawlDatum:
    """Return the record after fetches at the moments at which each was due."""
    for outcome in outcomes:
        datum = schedule.schedule(datum, outcome=outcome, now=datum.fetch_time)
    return datum


NEW = replace(PAGE, db_status=DbStatus.DB_UNFETCHED, modified_time=0, fetch_interval=BUDGET)


def test_a_page_that_never_changes_is_fetched_less_and_less_often() -> None:
    schedule = EstimatedFetchSchedule(BUDGET)
    intervals = [visits(schedule, [Outcome.UNKNOWN, *[Outcome.NOTMODIFIED] * n], NEW).fetch_interval for n in range(5)]
    assert intervals == sorted(intervals)
    assert intervals[-1] > 2 * BUDGET


def test_a_page_that_changes_now_and_then_is_fetched_more_often_than_one_that_does_not() -> None:
    schedule = EstimatedFetchSchedule(BUDGET)
    quiet = visits(schedule, [Outcome.UNKNOWN, *[Outcome.NOTMODIFIED] * 9], NEW)
    lively = visits(schedule, [Outcome.UNKNOWN, *[Outcome.NOTMODIFIED, Outcome.SUCCESS] * 5], NEW)
    assert lively.fetch_interval < quiet.fetch_interval / 2


def test_a_page_that_changes_far_faster_than_it_can_be_fetched_is_left_to_its_fate() -> None:
    found = []
    for per_day in (0.1, 1, 100):  # as 50 changes have told, at a price of a day
        remembered = f"50 {50 / per_day * DAY} {DAY * 0.9}"
        datum = replace(PAGE, metadata={"_changes_": remembered})
        schedule = EstimatedFetchSchedule(BUDGET)
        found.append(schedule.schedule(datum, outcome=Outcome.NOTMODIFIED, now=NOW).fetch_interval)
    assert found[1] < found[0] < found[2] == schedule.max_interval


def test_a_page_without_anything_to_compare_tells_nothing() -> None:
    schedule = EstimatedFetchSchedule(BUDGET)
    for outcome in (Outcome.UNKNOWN, Outcome.REDIR_TEMP, Outcome.REDIR_PERM, Outcome.DUPLICATE):
        assert schedule.schedule(NEW, outcome=outcome, now=NOW).metadata == {}


def test_a_seeds_own_interval_counts_until_the_second_fetch_and_a_fixed_one_for_ever() -> None:
    schedule = EstimatedFetchSchedule(BUDGET)
    own = replace(NEW, fetch_interval=3600)
    assert visits(schedule, [Outcome.UNKNOWN], own).fetch_interval == 3600
    assert visits(schedule, [Outcome.UNKNOWN, Outcome.NOTMODIFIED], own).fetch_interval != 3600
    fixed = replace(own, metadata={"fixedInterval": "3600"})
    assert visits(schedule, [Outcome.UNKNOWN, *[Outcome.NOTMODIFIED] * 9], fixed).fetch_interval == 3600


def test_a_host_keeps_its_bounds() -> None:
    schedule = EstimatedFetchSchedule(BUDGET, host_intervals="a.test 3600 7200")
    assert visits(schedule, [Outcome.UNKNOWN, *[Outcome.NOTMODIFIED] * 9], NEW).fetch_interval == 7200


def test_failed_fetches_in_between_are_part_of_the_time() -> None:
    schedule = EstimatedFetchSchedule(BUDGET)
    plain = visits(EstimatedFetchSchedule(BUDGET), [Outcome.UNKNOWN, Outcome.NOTMODIFIED], NEW)
    failed = visits(schedule, [Outcome.UNKNOWN, Outcome.RETRY, Outcome.RETRY, Outcome.NOTMODIFIED], NEW)
    spans = [float(datum.metadata["_changes_"].split()[1]) for datum in (plain, failed)]
    assert spans[1] - spans[0] == pytest.approx(2 * DAY, rel=0.01)


def test_another_worker_goes_on_with_the_price_that_a_page_remembers() -> None:
    first = EstimatedFetchSchedule(BUDGET)
    page = visits(first, [Outcome.UNKNOWN, *[Outcome.NOTMODIFIED] * 50], NEW)
    [*_, before] = page.metadata["_changes_"].split()
    visits(first, [Outcome.UNKNOWN, *[Outcome.SUCCESS] * 300], NEW)
    second = EstimatedFetchSchedule(BUDGET)
    [*_, after] = visits(second, [Outcome.NOTMODIFIED], page).metadata["_changes_"].split()
    assert after == before


@pytest.mark.parametrize("rates", [(0.0,), (3.0,), (0.5, 0.02), (10.0, 1.0, 0.1, 0.01, 0.001)])
def test_pages_are_fetched_once_in_the_default_interval_on_average(rates: tuple[float, ...]) -> None:
    rng, schedule = random.Random(3), EstimatedFetchSchedule(BUDGET)
    pages = [replace(NEW, url=f"http://a.test/{n}", fetch_time=NOW + rng.randrange(BUDGET)) for n in range(40)]
    fetches, since, until = 0, NOW + 60 * BUDGET, NOW + 160 * BUDGET
    due = {datum.url: (datum, rates[n % len(rates)] / DAY) for n, datum in enumerate(pages)}
    last = dict.fromkeys(due, NOW)
    while (now := min(datum.fetch_time for datum, _ in due.values())) < until:
        for url, (datum, rate) in due.items():
            if datum.fetch_time == now:
                changed = rng.random() < -math.expm1(-rate * (now - last[url]))
                outcome = Outcome.SUCCESS if changed else Outcome.NOTMODIFIED
                due[url], last[url] = (schedule.schedule(datum, outcome=outcome, now=now), rate), now
                fetches += now >= since
    assert fetches / len(pages) * BUDGET / (until - since) == pytest.approx(1, abs=0.15)


@given(
    st.text(max_size=40) | st.from_regex(r"-?[0-9.e+-]{1,9} [0-9a-z.+-]{1,9} [0-9.e+-]{1,9}", fullmatch=True),
    st.integers(-(2**63), 2**63),
    st.integers(0, TIME_MAX),
    st.sampled_from(Outcome),
)
def test_no_record_gives_a_time_that_the_store_cannot_hold(
    remembered: str, interval: int, fetch_time: int, outcome: Outcome
) -> None:
    metadata = {"_changes_": remembered}
    datum = replace(PAGE, fetch_interval=interval, fetch_time=fetch_time, metadata=metadata)
    found = EstimatedFetchSchedule().schedule(datum, outcome=outcome, now=NOW)
    assert NOW < found.fetch_time <= TIME_MAX
    assert 1 <= found.fetch_interval < 2**31


def test_the_schedule_reads_its_settings() -> None:
    settings = Settings({"NUTCH_DB_FETCH_SCHEDULE_ESTIMATED_MEMORY": "5", "NUTCH_DB_FETCH_INTERVAL_DEFAULT": 3600})
    schedule = EstimatedFetchSchedule.from_settings(settings)
    assert (schedule.kept, schedule.default_interval) == (0.8, 3600)
    with pytest.raises(ValueError, match=r"ESTIMATED_MEMORY must be >= 1 fetch, got 0\.5"):
        EstimatedFetchSchedule.from_settings(Settings({"NUTCH_DB_FETCH_SCHEDULE_ESTIMATED_MEMORY": 0.5}))
