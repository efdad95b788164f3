"""AdaptiveFetchSchedule and MimeAdaptiveFetchSchedule: what differs from Nutch, and what their rules may be."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st
from scrapy.settings import Settings

from nutchlike.checked_settings import check_settings
from nutchlike.crawldatum import CrawlDatum, DbStatus
from nutchlike.fetch_schedules import AdaptiveFetchSchedule, MimeAdaptiveFetchSchedule, Outcome
from nutchlike.fetch_schedules.abstract_schedule import TIME_MAX
from nutchlike.java_numbers import INT_MAX

NOW = 1_700_000_000
DAY = 86_400
PAGE = CrawlDatum(
    url="http://www.a.test/x",
    db_status=DbStatus.DB_FETCHED,
    fetch_time=NOW,
    modified_time=NOW - 1000,
    fetch_interval=DAY,
    signature=b"s",
)
RULES = "NUTCH_DB_FETCH_SCHEDULE_ADAPTIVE_HOST_INTERVALS_RULES"
MIME_RULES = "NUTCH_DB_FETCH_SCHEDULE_MIME_RULES"


def after(*outcomes: Outcome, datum: CrawlDatum = PAGE, schedule: AdaptiveFetchSchedule | None = None) -> CrawlDatum:
    """Return the record after fetches at the moments at which each was due, the first of them now."""
    schedule, now = schedule or AdaptiveFetchSchedule(), NOW
    for outcome in outcomes:
        datum = schedule.schedule(datum, outcome=outcome, now=now)
        now = datum.fetch_time
    return datum


def test_an_interval_begins_to_adapt_at_the_second_fetch() -> None:
    new = replace(PAGE, db_status=DbStatus.DB_UNFETCHED, modified_time=0, signature=None)
    first = after(Outcome.UNKNOWN, datum=new)
    assert (first.fetch_interval, first.fetch_time, first.modified_time) == (DAY, NOW + DAY, NOW)
    grown = [after(*[Outcome.UNKNOWN, *[Outcome.NOTMODIFIED] * n], datum=new).fetch_interval for n in range(4)]
    assert grown == sorted(grown)
    assert len(set(grown)) == 4
    shrunk = [after(*[Outcome.UNKNOWN, *[Outcome.SUCCESS] * n], datum=new).fetch_interval for n in range(4)]
    assert shrunk == [86_400, 69_120, 55_296, 44_237]


@pytest.mark.parametrize(("outcome", "bound"), [(Outcome.NOTMODIFIED, 31_536_000), (Outcome.SUCCESS, 60)])
def test_an_interval_stays_within_its_bounds(outcome: Outcome, bound: int) -> None:
    assert after(*[outcome] * 50).fetch_interval == bound


def test_a_page_unchanged_for_longer_than_any_interval_is_not_due_at_once() -> None:
    old = replace(PAGE, modified_time=NOW - 200 * DAY)
    bounds = {"min_interval": 3600, "adaptive_max_interval": 30 * DAY, "sync_delta_rate": 0.2}
    strict = after(Outcome.NOTMODIFIED, datum=old, schedule=AdaptiveFetchSchedule(strict=True, **bounds))
    assert strict.fetch_time == NOW + 30 * DAY  # 40 days sooner would be the past, so that Nutch takes off none
    just_below = replace(old, modified_time=NOW - 149 * DAY)
    strict = after(Outcome.NOTMODIFIED, datum=just_below, schedule=AdaptiveFetchSchedule(strict=True, **bounds))
    assert strict.fetch_time < NOW + DAY  # and 29.8 days sooner where it does
    for datum in (old, just_below):
        helpful = after(Outcome.NOTMODIFIED, datum=datum, schedule=AdaptiveFetchSchedule(**bounds))
        assert helpful.fetch_time == NOW + 24 * DAY - 1  # a fifth of the interval sooner; single precision
        assert helpful.fetch_interval == 30 * DAY


def test_the_next_fetch_never_comes_before_the_least_interval_has_passed() -> None:
    schedule = AdaptiveFetchSchedule(sync_delta_rate=1.0)
    old = replace(PAGE, modified_time=NOW - 10 * DAY)
    assert after(Outcome.NOTMODIFIED, datum=old, schedule=schedule).fetch_time == NOW + 60
    strict = AdaptiveFetchSchedule(sync_delta_rate=1.0, strict=True)
    assert after(Outcome.NOTMODIFIED, datum=old, schedule=strict).fetch_time == NOW


@pytest.mark.parametrize("outcome", [Outcome.NOTMODIFIED, Outcome.UNKNOWN])
def test_a_change_in_the_future_does_not_put_the_next_fetch_off(outcome: Outcome) -> None:
    datum = after(outcome, datum=replace(PAGE, modified_time=NOW + 1000 * DAY))
    assert datum.fetch_time == NOW + datum.fetch_interval
    assert datum.modified_time == NOW


@pytest.mark.parametrize("outcome", [Outcome.REDIR_TEMP, Outcome.REDIR_PERM])
def test_a_redirect_leaves_the_interval_as_it_is(outcome: Outcome) -> None:
    datum = after(outcome)
    assert (datum.fetch_interval, datum.fetch_time, datum.modified_time) == (DAY, NOW + DAY, NOW)


def test_a_page_that_repeats_another_is_fetched_less_often_from_the_second_time_on() -> None:
    once = after(Outcome.DUPLICATE)
    assert (once.db_status, once.fetch_interval) == (DbStatus.DB_DUPLICATE, DAY)
    assert after(Outcome.DUPLICATE, datum=once).fetch_interval > DAY


@pytest.mark.parametrize("outcome", [Outcome.SUCCESS, Outcome.NOTMODIFIED, Outcome.UNKNOWN])
def test_a_fixed_interval_stays_whatever_the_page_does(outcome: Outcome) -> None:
    datum = after(outcome, datum=replace(PAGE, metadata={"fixedInterval": "30"}))
    assert (datum.fetch_interval, datum.fetch_time) == (30, NOW + 30)


@pytest.mark.parametrize("text", ["", "soon", "nan", "inf", "-inf", "1e999", "0", "-5"])
def test_a_fixed_interval_that_is_none_does_not_count(text: str) -> None:
    assert after(Outcome.UNKNOWN, datum=replace(PAGE, metadata={"fixedInterval": text})).fetch_interval == DAY


HOSTILE = st.one_of(st.integers(-(2**63), 2**63), st.sampled_from([0, 1, -1, 2**31 - 1, 2**32 - 1, NOW]))


@given(HOSTILE, HOSTILE, st.sampled_from(["", "0", "-1", "nan", "1e308", "5"]), st.sampled_from(Outcome), st.booleans())
def test_no_number_gives_a_time_that_the_store_cannot_hold(
    interval: int, modified_time: int, fixed: str, outcome: Outcome, strict: bool
) -> None:
    metadata = {"fixedInterval": fixed} if fixed else {}
    datum = replace(PAGE, fetch_interval=interval, modified_time=modified_time, metadata=metadata)
    found = AdaptiveFetchSchedule(strict=strict).schedule(datum, outcome=outcome, now=NOW)
    assert 0 <= found.fetch_time <= TIME_MAX
    assert found.fetch_interval <= INT_MAX
    if not strict:
        assert found.fetch_time > NOW
        assert found.fetch_interval >= 1
        assert outcome in (Outcome.GONE, Outcome.RETRY) or 0 < found.modified_time <= NOW


def test_a_host_has_the_bounds_that_its_line_names() -> None:
    lines = "# a comment\n\nwww.a.test 100 200\nWWW.B.TEST\tdefault  7200\n"
    for url, least, most in (
        ("http://www.a.test/x", 100, 200),
        ("HTTP://user@WWW.A.TEST:80/x", 100, 200),
        ("http://www.b.test/", 60, 7200),
        ("http://a.test/", 60, 31_536_000),
        ("http://[/", 60, 31_536_000),
    ):
        schedule = AdaptiveFetchSchedule(host_intervals=lines)
        assert after(*[Outcome.SUCCESS] * 40, datum=replace(PAGE, url=url), schedule=schedule).fetch_interval == least
        found = after(*[Outcome.NOTMODIFIED] * 40, datum=replace(PAGE, url=url), schedule=schedule)
        assert found.fetch_interval == most


@pytest.mark.parametrize(
    ("line", "why"),
    [
        ("a.test 100", "right is a host, its least and its most seconds"),
        ("a.test 1 2 3", "right is a host, its least and its most seconds"),
        ("a.test x y", "could not convert string to float"),
        ("a.test nan 100", "must be finite"),
        ("a.test 0 default", "one of the two must not be the default"),
        ("a.test 500 100", "two numbers in order, from 60 to 31536000"),
        ("a.test 10 100", "two numbers in order"),
        ("a.test -5 100", "two numbers in order"),
        ("a.test 100 99999999", "two numbers in order"),
    ],
)
def test_a_line_of_host_intervals_that_cannot_be_used_is_named(line: str, why: str) -> None:
    with pytest.raises(ValueError, match=rf"{RULES}, line 2: .*{why}.*, got '{line}'"):
        AdaptiveFetchSchedule.from_settings(Settings({RULES: f"b.test 100 200\n{line}"}))
    settings = Settings({RULES: f"b.test 100 200\n{line}", "NUTCH_STRICT": True})
    datum = replace(PAGE, url="http://a.test/", modified_time=NOW, fetch_interval=1)
    found = AdaptiveFetchSchedule.from_settings(settings).schedule(datum, outcome=Outcome.SUCCESS, now=NOW)
    assert found.fetch_interval == 60


def test_a_page_has_the_rates_of_its_type() -> None:
    schedule = MimeAdaptiveFetchSchedule(mime_rates="#\ntext/html\t0.5\t0.25\nApplication/PDF\t1.0\t0.0\n")
    for content_type, interval in (
        ("text/html", 150),
        ("Text/HTML ; charset=utf-8", 150),
        ("application/pdf", 200),
        ("image/png", 140),
        ("", 140),
        (None, 140),
    ):
        metadata = {} if content_type is None else {"Content-Type": content_type}
        datum = replace(PAGE, fetch_interval=100, modified_time=NOW, metadata=metadata)
        assert after(Outcome.NOTMODIFIED, datum=datum, schedule=schedule).fetch_interval == interval


@pytest.mark.parametrize("line", ["text/html", "text/html 0.1 0.2", "text/html\tx\t0.2", "a/b\t-1\t0", "a/b\t1\t1.5"])
def test_a_line_of_mime_rates_that_cannot_be_used_is_named(line: str) -> None:
    with pytest.raises(ValueError, match=f"{MIME_RULES}, line 2: right is a type"):
        MimeAdaptiveFetchSchedule.from_settings(Settings({MIME_RULES: f"a/b\t0.1\t0.2\n{line}"}))


def test_both_files_are_found_in_nutchs_conf_folder(tmp_path: Path) -> None:
    (tmp_path / "adaptive-host-specific-intervals.txt").write_text("www.a.test 100 200\n")
    (tmp_path / "adaptive-mimetypes.txt").write_text("text/html\t0.5\t0.25\n")
    schedule = MimeAdaptiveFetchSchedule.from_settings(Settings({"NUTCH_CONF_DIR": str(tmp_path)}))
    datum = replace(PAGE, fetch_interval=110, metadata={"Content-Type": "text/html"}, modified_time=NOW)
    assert after(Outcome.NOTMODIFIED, datum=datum, schedule=schedule).fetch_interval == 165
    assert after(*[Outcome.NOTMODIFIED] * 9, datum=datum, schedule=schedule).fetch_interval == 200


def test_without_settings_the_schedules_have_nutchs_defaults() -> None:
    for name in (AdaptiveFetchSchedule, MimeAdaptiveFetchSchedule):
        found = name.from_settings(Settings())
        rates = (round(found.rates.inc, 6), round(found.rates.dec, 6), round(found.sync_delta_rate, 6))
        assert rates == (0.4, 0.2, 0.3)
        assert (found.range.least, found.range.most, found.sync_delta) == (60, 31_536_000, True)
        assert (found.default_interval, found.max_interval, found.retry_max) == (2_592_000, 7_776_000, 3)


@pytest.mark.parametrize(
    ("name", "value"),
    [
        ("INC_RATE", "-0.1"),
        ("INC_RATE", "nan"),
        ("DEC_RATE", "1.1"),
        ("SYNC_DELTA_RATE", "1.5"),
        ("MIN_INTERVAL", "0"),
        ("MIN_INTERVAL", "40000000"),
        ("MAX_INTERVAL", "1e10"),
        ("MAX_INTERVAL", "inf"),
    ],
)
def test_a_setting_out_of_range_is_named(name: str, value: str) -> None:
    setting = f"NUTCH_DB_FETCH_SCHEDULE_ADAPTIVE_{name}"
    with pytest.raises(ValueError, match=f"{setting} must be from .* to .*, got"):
        AdaptiveFetchSchedule.from_settings(Settings({setting: value}))


@pytest.mark.parametrize("name", ["INC_RATE", "DEC_RATE", "MIN_INTERVAL", "MAX_INTERVAL", "SYNC_DELTA_RATE"])
def test_a_crawl_with_a_setting_that_is_no_number_does_not_begin(name: str) -> None:
    setting = f"NUTCH_DB_FETCH_SCHEDULE_ADAPTIVE_{name}"
    with pytest.raises(ValueError, match=f"{setting} must be a number, got 'often'"):
        check_settings(Settings({"NUTCH_STRICT": False, setting: "often"}))
