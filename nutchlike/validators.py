"""Validators: by what a server is asked whether a page has changed (RFC 9110, 8.8 and 13.1)."""

from __future__ import annotations

import re
from email.utils import formatdate, parsedate_to_datetime

ETAG_MAX = 128  # characters; a longer one is not kept, for it would weigh more than the rest of the record
# What was written in the minute before it was fetched may be written again with the same date (8.8.2.2).
_SETTLED_SECONDS = 60
_FIRST_DATE = 31_536_000  # epoch seconds (1971): a server without a clock lives in 1970
_ETAG = re.compile(r'(?:W/)?"[\x21\x23-\x7e\x80-\xff]*"')


def kept_validators(etag: bytes | None, last_modified: bytes | None, *, signed_as: str, now: float) -> bytes:
    """Return what a record keeps of a fetch at ``now`` (epoch seconds): b"" when there is nothing to ask by later.

    ``etag`` and ``last_modified`` are the headers of the answer; what is no entity tag, longer than ETAG_MAX, or no
    HTTP date in its one form of today is dropped, and so is a date that lies ahead, less than a minute back, or in
    1970. ``signed_as`` is a word for how the page's content was signed, four hex digits.

    These are 2 bytes, the date 4 (epoch seconds, 0 = none), and the entity tag the rest.
    """
    tag = (etag or b"").decode("latin-1").strip()
    if len(tag) > ETAG_MAX or not _ETAG.fullmatch(tag):
        tag = ""
    date = _epoch_second((last_modified or b"").decode("latin-1").strip(), now)
    return bytes.fromhex(signed_as) + (date or 0).to_bytes(4, "big") + tag.encode("latin-1") if tag or date else b""


def conditional_headers(kept: bytes, *, signed_as: str) -> dict[str, str]:
    """Return the request headers that ask whether a page has changed, exactly as its server has spelt its validators.

    None when its content was signed in another way: it must be read to be signed anew.
    """
    if kept[:2] != bytes.fromhex(signed_as):
        return {}
    etag, date = spelt_validators(kept)
    headers = {"If-None-Match": etag, "If-Modified-Since": date}
    return {name: value for name, value in headers.items() if value is not None}


def spelt_validators(kept: bytes) -> tuple[str | None, str | None]:
    """Return the entity tag and the HTTP date that a record keeps, ``None`` for what it has not."""
    date, tag = int.from_bytes(kept[2:6], "big"), kept[6:].decode("latin-1")
    return tag if _ETAG.fullmatch(tag) else None, formatdate(date, usegmt=True) if date else None


def _epoch_second(text: str, now: float) -> int | None:
    """Return what an HTTP date stands for, ``None`` unless it can be written again from that, and can be believed."""
    try:
        second = int(parsedate_to_datetime(text).timestamp())
    except (ValueError, TypeError, IndexError, OverflowError):
        return None
    is_exact = formatdate(second, usegmt=True) == text if second >= _FIRST_DATE else False
    return second if is_exact and second <= now - _SETTLED_SECONDS else None
