"""What a server means by ``Retry-After``."""

from __future__ import annotations

import re
from datetime import UTC
from email.utils import parsedate_to_datetime

BUSY = {429, 503}  # the statuses of a server that will answer later
LONGEST = 10.0 * 365 * 86_400  # seconds; what names more time means "never", and is no number to compute with

_SECONDS = re.compile(r"[0-9]+(?:\.[0-9]+)?")


def parse_retry_after(value: bytes | str | None, *, now: float) -> float | None:
    """Return for how many seconds a server asks to be left alone, ``None`` when it does not say so in a known way.

    ``value`` is the header: seconds (a fraction is understood too) or an HTTP date in one of its three forms. A date
    that has passed gives 0. ``now`` is in epoch seconds. Never negative, never above LONGEST, never raises.
    Source: RFC 9110, 10.2.3 and 5.6.7.
    """
    if value is None:
        return None
    text = (value.decode("latin-1") if isinstance(value, bytes) else value).strip()
    if _SECONDS.fullmatch(text):
        return min(float(text), LONGEST)
    try:
        date = parsedate_to_datetime(text)
        # a date without a zone is in GMT, as all HTTP dates are
        seconds = (date if date.tzinfo else date.replace(tzinfo=UTC)).timestamp() - now
    except (ValueError, TypeError, IndexError, OverflowError):
        return None
    return min(max(seconds, 0.0), LONGEST)
