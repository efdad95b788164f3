"""Dates as sitemaps and feeds write them, in epoch seconds."""

from __future__ import annotations

import re
from datetime import UTC, datetime, timedelta, timezone
from email.utils import parsedate_to_datetime

# W3C-DTF; beyond it a blank for T, small t and z, zones without a colon, and no zone at all (then it is UTC)
_W3C = re.compile(
    r"([0-9]{4})(?:-([0-9]{2})(?:-([0-9]{2})"
    r"(?:[Tt ]([0-9]{2}):([0-9]{2})(?::([0-9]{2})(?:[.,][0-9]+)?)?(?:[Zz]|([+-])([0-9]{2}):?([0-9]{2}))?)?)?)?"
)
_EPOCH = datetime(1970, 1, 1, tzinfo=UTC)
_LENGTH_MAX = 64  # characters; no date is longer


def read_date(text: str) -> int | None:
    """Return the epoch seconds of a W3C date or one of RFC 2822 (RSS), ``None`` for anything else.

    What a date leaves out counts as its least value: ``2024`` is the first second of that year, in UTC. Before 1970
    the answer is negative. Fractions of seconds are cut off.
    Source: W3C NOTE-datetime (the profile of ISO 8601 that sitemaps name), RFC 2822 3.3.
    """
    text = text.strip()
    if len(text) > _LENGTH_MAX:
        return None
    try:
        moment = _w3c(text) if _W3C.fullmatch(text) else parsedate_to_datetime(text)
        if moment.tzinfo is None:  # RFC 2822 says -0000 where the zone is not known
            moment = moment.replace(tzinfo=UTC)
        return (moment - _EPOCH) // timedelta(seconds=1)
    except (ValueError, TypeError, IndexError, OverflowError):  # parsedate_to_datetime raises all of these
        return None


def _w3c(text: str) -> datetime:
    found = _W3C.fullmatch(text)
    assert found is not None
    year, month, day, hour, minute, second, sign, zone_hours, zone_minutes = found.groups()
    zone: timezone = UTC
    if sign:
        offset = timedelta(hours=int(zone_hours), minutes=int(zone_minutes))
        zone = timezone(-offset if sign == "-" else offset)
    return datetime(
        int(year), int(month or 1), int(day or 1), int(hour or 0), int(minute or 0), int(second or 0), 0, zone
    )
