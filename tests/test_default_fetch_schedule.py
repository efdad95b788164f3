"""DefaultFetchSchedule: what a fetch's outcome does to a record."""

from __future__ import annotations

from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st
from scrapy.settings import Settings

from nutchlike.crawldatum import CrawlDatum, DbStatus
from nutchlike.fetch_schedules import DefaultFetchSchedule, FetchSchedule, Outcome

NOW = 1_700_000_000
DAY = 86_400
PAGE = CrawlDatum(
    url="http://a.test/",
    db_status=DbStatus.DB_FETCHED,
    fetch_time=NOW - 5,
    modified_time=NOW - 1000,
    fetch_interval=1000,
    retries=2,
    score=0.5,
    history=3.0,
    depth=4,
    signature=b"s",
    metadata={"lang": "en"},
)


@pytest.mark.parametrize(
    ("outcome", "db_status", "modified_time"),
    [
        (Outcome.SUCCESS, DbStatus.DB_FETCHED, NOW),
        (Outcome.UNKNOWN, DbStatus.DB_FETCHED, NOW - 1000),
        (Outcome.NOTMODIFIED, DbStatus.DB_NOTMODIFIED, NOW - 1000),
        (Outcome.REDIR_TEMP, DbStatus.DB_REDIR_TEMP, NOW),
        (Outcome.REDIR_PERM, DbStatus.DB_REDIR_PERM, NOW),
        (Outcome.DUPLICATE, DbStatus.DB_DUPLICATE, NOW),
    ],
)
def test_a_page_that_answered_is_due_after_its_interval(
    outcome: Outcome, db_status: DbStatus, modified_time: int
) -> None:
    assert DefaultFetchSchedule().schedule(PAGE, outcome=outcome, now=NOW) == replace(
        PAGE, db_status=db_status, fetch_time=NOW + 1000, modified_time=modified_time, retries=0
    )


@pytest.mark.parametrize("outcome", [Outcome.NOTMODIFIED, Outcome.UNKNOWN])
def test_a_page_that_was_never_modified_before_counts_as_modified_now(outcome: Outcome) -> None:
    datum = DefaultFetchSchedule().schedule(replace(PAGE, modified_time=0), outcome=outcome, now=NOW)
    assert datum.modified_time == NOW


def test_a_gone_page_is_asked_for_less_often_up_to_nine_tenths_of_the_maximum() -> None:
    schedule = DefaultFetchSchedule(max_interval=3000)
    once = schedule.schedule(PAGE, outcome=Outcome.GONE, now=NOW)
    assert once == replace(PAGE, db_status=DbStatus.DB_GONE, fetch_interval=1500, fetch_time=NOW + 1500)
    twice = schedule.schedule(once, outcome=Outcome.GONE, now=NOW)
    assert twice.fetch_interval == 2250
    thrice = schedule.schedule(twice, outcome=Outcome.GONE, now=NOW)
    assert (thrice.fetch_interval, thrice.fetch_time) == (2700, NOW + 2700)


def test_a_failure_that_may_pass_is_tried_again_a_day_later_until_the_page_is_gone() -> None:
    schedule = DefaultFetchSchedule(retry_max=2)
    datum = replace(PAGE, retries=0)
    first = schedule.schedule(datum, outcome=Outcome.RETRY, now=NOW)
    assert first == replace(datum, db_status=DbStatus.DB_UNFETCHED, retries=1, fetch_time=NOW + DAY)
    second = schedule.schedule(first, outcome=Outcome.RETRY, now=NOW)
    assert (second.db_status, second.retries, second.fetch_interval) == (DbStatus.DB_GONE, 2, 1500)


@pytest.mark.parametrize("interval", [0, -5])
@pytest.mark.parametrize(
    ("outcome", "expected"), [(Outcome.SUCCESS, 60), (Outcome.NOTMODIFIED, 60), (Outcome.GONE, 90), (Outcome.RETRY, 60)]
)
def test_a_page_without_an_interval_gets_the_default(interval: int, outcome: Outcome, expected: int) -> None:
    schedule = DefaultFetchSchedule(default_interval=60)
    datum = schedule.schedule(replace(PAGE, fetch_interval=interval, retries=0), outcome=outcome, now=NOW)
    assert datum.fetch_interval == expected


def test_a_fixed_interval_stays_after_every_outcome() -> None:
    datum = replace(PAGE, fetch_interval=600, metadata={"fixedInterval": "600"})
    for outcome in (Outcome.SUCCESS, Outcome.NOTMODIFIED, Outcome.GONE, Outcome.SUCCESS, Outcome.GONE):
        datum = DefaultFetchSchedule().schedule(datum, outcome=outcome, now=NOW)
        assert (datum.fetch_interval, datum.fetch_time) == (600, NOW + 600)


def test_a_strict_schedule_lengthens_a_fixed_interval_of_a_gone_page_as_nutch_does() -> None:
    datum = replace(PAGE, fetch_interval=600, metadata={"fixedInterval": "600"})
    assert DefaultFetchSchedule(strict=True).schedule(datum, outcome=Outcome.GONE, now=NOW).fetch_interval == 900


def test_a_page_that_fails_for_ever_is_gone_whatever_its_limit() -> None:
    schedule, datum = DefaultFetchSchedule(retry_max=1000), replace(PAGE, retries=254)
    datum = schedule.schedule(datum, outcome=Outcome.RETRY, now=NOW)
    assert (datum.db_status, datum.retries) == (DbStatus.DB_GONE, 255)


@given(st.integers(-(2**31), 2**31 - 1), st.integers(0, 200), st.sampled_from(Outcome))
def test_the_next_fetch_is_never_in_the_past(interval: int, retries: int, outcome: Outcome) -> None:
    datum = replace(PAGE, fetch_interval=interval, retries=retries)
    assert DefaultFetchSchedule().schedule(datum, outcome=outcome, now=NOW).fetch_time > NOW


def test_the_schedule_reads_nutchs_properties() -> None:
    settings = Settings(
        {
            "NUTCH_DB_FETCH_INTERVAL_DEFAULT": "10",
            "NUTCH_DB_FETCH_INTERVAL_MAX": "100",
            "NUTCH_DB_FETCH_RETRY_MAX": "1",
            "NUTCH_STRICT": "True",
        }
    )
    schedule = DefaultFetchSchedule.from_settings(settings)
    found = (schedule.default_interval, schedule.max_interval, schedule.retry_max, schedule.strict)
    assert found == (10, 100, 1, True)


def test_without_settings_the_schedule_has_nutchs_defaults() -> None:
    schedule: FetchSchedule = DefaultFetchSchedule.from_settings(Settings())
    assert vars(schedule) == vars(DefaultFetchSchedule(2_592_000, 7_776_000, 3))


@pytest.mark.parametrize(
    "name", ["NUTCH_DB_FETCH_INTERVAL_DEFAULT", "NUTCH_DB_FETCH_INTERVAL_MAX", "NUTCH_DB_FETCH_RETRY_MAX"]
)
def test_a_setting_out_of_range_is_named(name: str) -> None:
    with pytest.raises(ValueError, match=f"{name} must be >= .*, got -1"):
        DefaultFetchSchedule.from_settings(Settings({name: -1}))
