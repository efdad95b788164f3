"""By what servers are asked whether a page has changed."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from nutchlike.validators import ETAG_MAX, conditional_headers, kept_validators

NOW = 1_700_000_000.0
OLD = "Thu, 02 Feb 2017 08:00:42 GMT"


def asked(etag: str | None = None, last_modified: str | None = None, *, now: float = NOW) -> dict[str, str]:
    """Return the headers that ask for a page whose last answer had these."""
    raw = [None if value is None else value.encode("latin-1") for value in (etag, last_modified)]
    return conditional_headers(kept_validators(*raw, signed_as="0a1b", now=now), signed_as="0a1b")


@pytest.mark.parametrize(
    "etag", ['"5e8f1c2a-1f4"', 'W/"weak"', '""', '"a,b"', '"gr\u00fc\u00df"', f'"{"x" * (ETAG_MAX - 2)}"']
)
def test_an_entity_tag_goes_back_as_it_came(etag: str) -> None:
    assert asked(etag) == {"If-None-Match": etag}


@pytest.mark.parametrize(
    "etag",
    ["", "*", "unquoted", '"two" words"', '"a b"', 'w/"small"', '"\x7f"', f'"{"x" * (ETAG_MAX - 1)}"'],
)
def test_what_is_no_entity_tag_or_a_long_one_is_dropped(etag: str) -> None:
    assert asked(etag) == {}


def test_a_date_of_the_server_goes_back_as_it_came() -> None:
    assert asked(last_modified=OLD) == {"If-Modified-Since": OLD}
    assert asked('"a"', OLD) == {"If-None-Match": '"a"', "If-Modified-Since": OLD}


@pytest.mark.parametrize(
    "date",
    [
        # not in GMT, or not in the one form that HTTP has
        "Thu, 02 Feb 2017 08:00:42 UTC",
        "Thu, 02 Feb 2017 08:00:42 +0000",
        "Thursday, 02-Feb-17 08:00:42 GMT",
        "Thu Feb  2 08:00:42 2017",
        "2017-02-02T08:00:42Z",
        "Fri, 02 Feb 2017 08:00:42 GMT",
        # no date
        "0",
        "",
        "-1",
        "1486022442",
        "Thu, 32 Feb 2017 08:00:42 GMT",
        # of a server without a clock
        "Thu, 01 Jan 1970 00:00:00 GMT",
        "Thu, 31 Dec 1970 23:59:59 GMT",
        # ahead, and too fresh to be sure that nothing comes after it with the same date
        "Tue, 14 Nov 2023 22:13:21 GMT",
        "Fri, 01 Jan 2100 00:00:00 GMT",
        "Tue, 14 Nov 2023 22:12:30 GMT",
    ],
)
def test_a_date_that_is_not_valid_or_cannot_be_believed_is_dropped(date: str) -> None:
    assert asked(last_modified=date) == {}
    assert asked('"a"', date) == {"If-None-Match": '"a"'}


def test_a_page_that_was_signed_otherwise_is_asked_for_without_condition() -> None:
    kept = kept_validators(b'"a"', OLD.encode(), signed_as="0a1b", now=NOW)
    assert conditional_headers(kept, signed_as="0a1c") == {}


def test_a_record_keeps_six_bytes_and_the_entity_tag() -> None:
    kept = kept_validators(b'"5e8f1c2a-1f4"', OLD.encode(), signed_as="0a1b", now=NOW)
    assert kept == b"\x0a\x1b" + (1_486_022_442).to_bytes(4, "big") + b'"5e8f1c2a-1f4"'


@given(st.binary(max_size=200), st.binary(max_size=60))
def test_any_bytes_of_a_server_give_headers_that_it_has_sent(etag: bytes, date: bytes) -> None:
    kept = kept_validators(etag, date, signed_as="0a1b", now=NOW)
    assert set(conditional_headers(kept, signed_as="0a1b").values()) <= {
        value.decode("latin-1").strip() for value in (etag, date)
    }


@given(st.binary(max_size=60))
def test_any_bytes_in_a_record_give_headers_or_none(kept: bytes) -> None:
    assert set(conditional_headers(kept, signed_as="0a1b")) <= {"If-None-Match", "If-Modified-Since"}
