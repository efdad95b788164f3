"""HostIntervals: the intervals in which the pages of single hosts stay."""

from __future__ import annotations

import math
import re
from dataclasses import dataclass
from urllib.parse import urlsplit

from nutchlike.java_numbers import finite_float32
from nutchlike.urls.rule_text import UNNAMED, numbered_lines

# What java.net.URI takes for a host: labels of letters, digits and dashes, the last of which begins with a letter, or
# four numbers; and the characters that it finds in no URL.
_JAVA_HOST = re.compile(
    r"(?:[a-z0-9](?:[a-z0-9-]*[a-z0-9])?\.)*[a-z](?:[a-z0-9-]*[a-z0-9])?\.?|\d{1,3}(?:\.\d{1,3}){3}", re.I
)
_JAVA_REFUSES = re.compile(r'[\x00-\x20\x7f"<>\\^`{|}]|%(?![0-9a-fA-F]{2})')


@dataclass(frozen=True, slots=True)
class Interval:
    """The least and the most seconds from one fetch to the next."""

    least: float
    most: float

    def limit(self, interval: float) -> float:
        return min(max(interval, self.least), self.most)


class HostIntervals:
    """Reads Nutch's adaptive-host-specific-intervals.txt: a host, its least and its most seconds a line.

    ``default`` or 0 stands for the bound of all hosts, beyond which none may go. Lines that begin with ``#`` are
    comments. A line that cannot be used is a ValueError that names it; with ``strict`` it is passed over as in Nutch,
    whose hosts only match URLs in small letters that ``java.net.URI`` understands.
    """

    def __init__(self, lines: str, bounds: Interval, *, source: str = UNNAMED, strict: bool = False) -> None:
        self._strict = strict
        self._intervals: dict[str, Interval] = {}
        for number, line in numbered_lines(lines, source=source, strict=strict):
            if not line.strip() or line.startswith("#"):
                continue
            try:
                host, interval = _parsed(line, bounds)
            except ValueError as error:
                if not strict:
                    raise ValueError(f"{source}, line {number}: {error}, got {line!r}") from None
                continue
            self._intervals[host] = interval

    def interval_of(self, url: str) -> Interval | None:
        """Return the interval of the host of ``url``, ``None`` when it has none of its own."""
        if not self._intervals:
            return None
        host = _java_host(url) if self._strict else _host(url)
        return self._intervals.get(host)


def _parsed(line: str, bounds: Interval) -> tuple[str, Interval]:
    parts = line.split()
    if len(parts) != 3:
        raise ValueError("right is a host, its least and its most seconds")
    least, most = (finite_float32(_seconds(part)) for part in parts[1:])
    if not least and not most:
        raise ValueError("one of the two must not be the default")
    interval = Interval(least or bounds.least, most or bounds.most)
    if not bounds.least <= interval.least <= interval.most <= bounds.most:
        raise ValueError(f"right are two numbers in order, from {bounds.least:.10g} to {bounds.most:.10g}")
    return parts[0].lower(), interval


def _seconds(text: str) -> float:
    seconds = 0.0 if text.lower() == "default" else float(text)
    if not math.isfinite(seconds):
        raise ValueError("an interval must be finite")
    return seconds


def _host(url: str) -> str:
    try:
        return urlsplit(url).hostname or ""
    except ValueError:
        return ""


def _java_host(url: str) -> str:
    """Return the host as ``java.net.URI`` has it, "" for none."""
    if _JAVA_REFUSES.search(url):
        return ""
    try:
        authority = urlsplit(url).netloc
    except ValueError:
        return ""
    host = re.sub(r":\d*$", "", authority.rpartition("@")[2])
    return host if _JAVA_HOST.fullmatch(host) else ""
