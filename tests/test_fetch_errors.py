"""What a fetch's error means for a page, and what its record keeps of it."""

from __future__ import annotations

import pytest
from scrapy.exceptions import IgnoreRequest
from scrapy.http import Response
from scrapy.spidermiddlewares.httperror import HttpError

from nutchlike.crawldatum import CrawlDatum, DbStatus
from nutchlike.fetch_errors import REASON_LENGTH, NotModified, RobotsDenied, outcome_of, reason_of
from nutchlike.fetch_failure import COPY_ONCE, FAILURE_METADATA, NOINDEX, ROBOTS, failure_of
from nutchlike.fetch_schedules import Outcome
from nutchlike.middlewares.decompression import BrokenBody
from nutchlike.middlewares.robots import RobotsUnreachable

RETRY, GONE, NOTMODIFIED = Outcome.RETRY, Outcome.GONE, Outcome.NOTMODIFIED
DAY = 86_400


def answered(status: int) -> HttpError:
    return HttpError(Response("http://a.test/", status=status))


@pytest.mark.parametrize(
    ("error", "outcome", "in_words"),
    [
        (answered(404), GONE, "HTTP 404"),
        (answered(410), GONE, "HTTP 410"),
        # may be others later
        (answered(408), RETRY, "HTTP 408"),
        (answered(429), RETRY, "HTTP 429"),
        (answered(503), RETRY, "HTTP 503"),
        # what a middleware refuses
        (RobotsDenied(ROBOTS, "forbidden"), GONE, "forbidden by robots.txt"),
        (IgnoreRequest("offsite"), GONE, "ignored: offsite"),
        (IgnoreRequest(), GONE, "ignored: by a middleware"),
        # what goes wrong on the way
        (RobotsUnreachable("x"), RETRY, "robots.txt of its site cannot be had"),
        (BrokenBody("its gzip breaks off"), RETRY, "its body is cut or damaged"),
        (TimeoutError(), RETRY, "TimeoutError"),
    ],
)
def test_an_error_says_what_becomes_of_a_page_and_why(error: BaseException, outcome: Outcome, in_words: str) -> None:
    assert outcome_of(error) is outcome
    metadata = {FAILURE_METADATA: reason_of(error)}
    datum = CrawlDatum("http://a.test/", DbStatus.DB_UNFETCHED, fetch_time=9 * DAY, retries=1, metadata=metadata)
    failed = failure_of(datum)
    assert failed is not None
    assert (failed.in_words, failed.at, failed.tries) == (in_words, 8 * DAY, 1)


@pytest.mark.parametrize("error", [answered(304), NotModified("http://a.test/")])
def test_a_page_that_has_not_changed_has_not_failed(error: BaseException) -> None:
    assert (outcome_of(error), reason_of(error)) == (NOTMODIFIED, "")


def test_a_page_that_was_left_behind_is_tried_again() -> None:
    assert (outcome_of(None), reason_of(None)) == (RETRY, "")


def test_a_long_reason_is_cut() -> None:
    assert len(reason_of(IgnoreRequest("x" * 1000))) == REASON_LENGTH


@pytest.mark.parametrize("note", ["", COPY_ONCE, NOINDEX])
def test_notes_on_pages_that_were_had_are_no_failures(note: str) -> None:
    metadata = {FAILURE_METADATA: note}
    assert failure_of(CrawlDatum("http://a.test/", DbStatus.DB_GONE, metadata=metadata)) is None
