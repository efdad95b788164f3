"""Validators: by what a server is asked whether a page has changed (RFC 9110, 8.8 and 13.1)."""

from __future__ import annotations

import re
from email.utils import formatdate, parsedate_to_datetime

VALIDATORS_METADATA = "_validators_"  # of a page's last fetch; no item has them, and no redirect passes them on
ETAG_MAX = 128  # characters; a longer one is not kept, for it would weigh more than the rest of the record
# What was written in the minute before it was fetched may be written again with the same date (8.8.2.2).
_SETTLED_SECONDS = 60
_FIRST_DATE = 31_536_000  # epoch seconds (1971): a server without a clock lives in 1970
_ETAG = re.compile(r'(?:W/)?"[\x21\x23-\x7e\x80-\xff]*"')


def kept_validators(etag: bytes | None, last_modified: bytes | None, *, signed_as: str, now: float) -> str:
    """Return what a record keeps of a fetch at ``now`` (epoch seconds): "" when there is nothing to ask by later.

    ``etag`` and ``last_modified`` are the headers of the answer; what is no entity tag, longer than ETAG_MAX, or no
    HTTP date in its one form of today is dropped, and so is a date that lies ahead, less than a minute back, or in
    1970. ``signed_as`` is a word for how the page's content was signed.
    """
    tag = (etag or b"").decode("latin-1").strip()
    if len(tag) > ETAG_MAX or not _ETAG.fullmatch(tag):
        tag = ""
    date = _epoch_second((last_modified or b"").decode("latin-1").strip(), now)
    return f"{signed_as} {date or ''} {tag}" if tag or date else ""


def conditional_headers(kept: str, *, signed_as: str) -> dict[str, str]:
    """Return the request headers that ask whether a page has changed, exactly as its server has spelt its validators.

    None when its content was signed in another way: it must be read to be signed anew.
    """
    word, _, rest = kept.partition(" ")
    date, _, tag = rest.partition(" ")
    headers: dict[str, str] = {}
    if word != signed_as:
        return headers
    if tag:
        headers["If-None-Match"] = tag
    if date.isdecimal():
        headers["If-Modified-Since"] = formatdate(int(date), usegmt=True)
    return headers


def _epoch_second(text: str, now: float) -> int | None:
    """Return what an HTTP date stands for, ``None`` unless it can be written again from that, and can be believed."""
    try:
        second = int(parsedate_to_datetime(text).timestamp())
    except (ValueError, TypeError, IndexError, OverflowError):
        return None
    is_exact = formatdate(second, usegmt=True) == text if second >= _FIRST_DATE else False
    return second if is_exact and second <= now - _SETTLED_SECONDS else None
