"""Retry-After: seconds, dates, and whatever else servers send."""

from __future__ import annotations

from email.utils import formatdate

import pytest
from hypothesis import given
from hypothesis import strategies as st

from nutchlike.retry_after import LONGEST, parse_retry_after

NOW = 784_111_777.0  # Sun, 06 Nov 1994 08:49:37 GMT

CASES = [
    # seconds
    (b"7", 7.0),
    ("0", 0.0),
    (" 120 ", 120.0),
    ("1.5", 1.5),
    # the three forms of an HTTP date, an hour from now
    ("Sun, 06 Nov 1994 09:49:37 GMT", 3600.0),
    ("Sunday, 06-Nov-94 09:49:37 GMT", 3600.0),
    ("Sun Nov  6 09:49:37 1994", 3600.0),
    # another zone, which no server should send
    ("Sun, 06 Nov 1994 10:49:37 +0100", 3600.0),
    # over already
    ("Sun, 06 Nov 1994 08:00:00 GMT", 0.0),
    # for ever
    ("9" * 5000, LONGEST),
    ("Fri, 31 Dec 9999 23:59:59 GMT", LONGEST),
    # nothing that says when
    (None, None),
    (b"", None),
    ("-5", None),
    ("soon", None),
    ("1e3", None),
    ("nan", None),
    ("٣", None),
    ("Sun, 99 Nov 1994 99:99:99 GMT", None),
    ("Sun, 06 Nov 99999999999 08:49:37 GMT", None),
]


@pytest.mark.parametrize(("value", "seconds"), CASES)
def test_what_a_server_says_is_understood_or_nothing(value: bytes | str | None, seconds: float | None) -> None:
    assert parse_retry_after(value, now=NOW) == seconds


@given(st.binary() | st.text() | st.from_regex(r"[A-Z][a-z]{2}, \d+ [A-Z][a-z]{2} \d+ \d+:\d+:\d+ [-+A-Z0-9]*"))
def test_no_header_raises_or_asks_for_less_than_nothing(value: bytes | str) -> None:
    seconds = parse_retry_after(value, now=NOW)
    assert seconds is None or 0.0 <= seconds <= LONGEST


@given(st.integers(min_value=0, max_value=10**8))
def test_a_date_asks_for_the_seconds_until_then(seconds: int) -> None:
    assert parse_retry_after(formatdate(NOW + seconds, usegmt=True), now=NOW) == seconds
