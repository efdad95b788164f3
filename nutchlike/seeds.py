"""Seed lines: ``URL<TAB>key=value...`` text to checked records, as Nutch's Injector reads them.

Reserved keys are ``nutch.score`` (OPIC cash), ``nutch.fetchInterval`` (seconds) and ``nutch.fetchInterval.fixed``
(seconds; also kept as metadata ``fixedInterval``). Every other key is metadata of the page. Of a key that
occurs twice on a line the last good value counts; a fixed interval beats a plain one.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field

from nutchlike.crawldatum import SCORE_MAX
from nutchlike.default_settings import NUTCH_DB_FETCH_INTERVAL_DEFAULT, NUTCH_DB_SCORE_INJECTED
from nutchlike.java_numbers import INT_MAX, JAVA_BLANKS, parse_double, parse_float, parse_int

SCORE_KEY = "nutch.score"
INTERVAL_KEY = "nutch.fetchInterval"
FIXED_INTERVAL_KEY = "nutch.fetchInterval.fixed"
FIXED_INTERVAL_METADATA = "fixedInterval"
INTERVAL_MAX = INT_MAX  # seconds; Nutch stores an int

# ``sitemap: https://…``, as robots.txt writes it; a port behind it would make it a host without a scheme
SITEMAP_LINE = re.compile(r"sitemap:(?![0-9])\s*", re.IGNORECASE)
_LINE_END = re.compile(r"\r\n|\n|\r")
_SCHEME = re.compile(r"[A-Za-z][A-Za-z0-9+.-]*(?=:)")
_PORT = re.compile(r":[0-9]+(?:[/?#]|$)")
_CONTROL = re.compile("[\x00-\x1f\x7f]")
_PASTED_BLANKS = "\ufeff\u200b"  # a byte order mark or zero-width space that came along with a pasted URL
_SHOWN_LENGTH = 80


@dataclass(frozen=True, slots=True)
class SeedReject:
    """A line, or a part of one, that was not taken, and why; ``str()`` gives ``source:line: reason``."""

    source: str
    line: int
    text: str
    reason: str

    def __str__(self) -> str:
        return f"{self.source}:{self.line}: {self.reason}"


@dataclass(frozen=True, slots=True)
class SeedRecord:
    """One seed. ``url`` is as written (trimmed, not normalized), ``fetch_interval`` is seconds.

    ``score_given`` and ``interval_given`` tell an explicit value from the default: an update of a known page
    takes only explicit ones. ``is_sitemap``: the URL is no page, but lists pages, to which all else on the line
    belongs. ``changed_at`` (epoch seconds, 0 = unknown): a known page that was last fetched before is due at once.
    ``warnings`` lists the parts of the line that were ignored.
    """

    url: str
    score: float
    fetch_interval: int
    metadata: dict[str, str]
    source: str
    line: int
    score_given: bool = False
    interval_given: bool = False
    is_sitemap: bool = False
    changed_at: int = 0
    warnings: tuple[SeedReject, ...] = ()


@dataclass(frozen=True, slots=True)
class SeedLines:
    """What a whole list of lines gave: seeds, refused lines, and ignored parts of lines that were kept."""

    records: list[SeedRecord] = field(default_factory=list)
    rejects: list[SeedReject] = field(default_factory=list)
    warnings: list[SeedReject] = field(default_factory=list)


@dataclass(slots=True)
class _Draft:
    """A line's values while its entries are read."""

    score: float | None = None
    interval: int | None = None
    fixed: int | None = None
    metadata: dict[str, str] = field(default_factory=dict)
    problems: list[str] = field(default_factory=list)


def parse_seed_lines(
    lines: Iterable[bytes | str] | bytes,
    *,
    source: str = "<seeds>",
    default_score: float = NUTCH_DB_SCORE_INJECTED,
    default_interval: int = NUTCH_DB_FETCH_INTERVAL_DEFAULT,
    strict: bool = False,
) -> SeedLines:
    """Return all seeds, rejects and warnings of ``lines`` at once; see ``iter_seed_lines``."""
    parsed = SeedLines()
    for seed in iter_seed_lines(
        lines, source=source, default_score=default_score, default_interval=default_interval, strict=strict
    ):
        if isinstance(seed, SeedReject):
            parsed.rejects.append(seed)
        else:
            parsed.records.append(seed)
            parsed.warnings.extend(seed.warnings)
    return parsed


def iter_seed_lines(
    lines: Iterable[bytes | str] | bytes,
    *,
    source: str = "<seeds>",
    default_score: float = NUTCH_DB_SCORE_INJECTED,
    default_interval: int = NUTCH_DB_FETCH_INTERVAL_DEFAULT,
    strict: bool = False,
) -> Iterator[SeedRecord | SeedReject]:
    """Yield a record or a reject for each line of ``lines`` that is neither blank nor a comment.

    A whole text may be given instead of its lines. Lines end with ``\\n``, ``\\r\\n`` or ``\\r``; bytes are UTF-8,
    and what is not becomes U+FFFD. ``source`` and a line number (from 1) go into each message.

    By default names and values are trimmed, and what cannot be meant (spaces for tabs, no http(s) scheme, a score
    below 0, an interval that is no number of seconds above 0) is refused or ignored with a reason. ``strict``
    reads as Nutch does: nothing but the URL is trimmed, wrong numbers and entries vanish silently, NaN is a score,
    and any text is a URL until it is normalized. A line ``sitemap: https://…`` names a sitemap either way; Nutch,
    which has a command of its own for these, has no use for such a line.
    Source: Apache Nutch, Injector.InjectMapper and Hadoop's KeyValueTextInputFormat.
    """
    for number, text in enumerate(_split_lines(lines), start=1):
        if number == 1:
            text = text.removeprefix("\ufeff")
        draft = _Draft()
        url = _read_as_nutch(text, draft) if strict else _read(text, draft)
        if not url:
            continue
        shown = text if len(text) <= _SHOWN_LENGTH else text[: _SHOWN_LENGTH - 1] + "…"
        sitemap = SITEMAP_LINE.match(url)
        url = url[sitemap.end() :] if sitemap else url
        problem = _url_problem(url) if sitemap or not strict else None
        if problem:
            yield SeedReject(source, number, shown, problem)
            continue
        yield SeedRecord(
            url=url,
            score=default_score if draft.score is None else draft.score,
            fetch_interval=default_interval if draft.interval is None else draft.interval,
            metadata=draft.metadata,
            source=source,
            line=number,
            score_given=draft.score is not None,
            interval_given=draft.interval is not None,
            is_sitemap=sitemap is not None,
            warnings=tuple(SeedReject(source, number, shown, problem) for problem in draft.problems),
        )


def _split_lines(lines: Iterable[bytes | str] | bytes) -> Iterator[str]:
    """Yield the lines without their ends; an element may hold several, e.g. a file's line of an old Mac."""
    for chunk in [lines] if isinstance(lines, (bytes, str)) else lines:
        parts = _LINE_END.split(chunk.decode("utf-8", "replace") if isinstance(chunk, bytes) else chunk)
        if len(parts) > 1 and not parts[-1]:
            parts.pop()
        yield from parts


def _read(text: str, draft: _Draft) -> str:
    """Fill ``draft`` from one line and return its URL, or "" for a blank line or a comment."""
    fields = [_trim(part) for part in _trim(text).split("\t")]
    if not fields[0] or fields[0].startswith("#"):
        return ""
    for entry in filter(None, fields[1:]):
        name, equals, value = entry.partition("=")
        name, value = _trim(name), _trim(value)
        if not equals or not name:
            draft.problems.append(f"metadata must look like key=value, got {_show(entry)}; ignored")
        elif "\ufffd" in entry or "\0" in entry:
            draft.problems.append(f"metadata must be UTF-8 text, got {_show(entry)}; ignored")
        elif name == SCORE_KEY:
            _read_score(value, draft)
        elif name in (INTERVAL_KEY, FIXED_INTERVAL_KEY):
            _read_interval(name, value, draft)
        else:
            draft.metadata[name] = value
            if name.startswith("nutch."):
                draft.problems.append(f"{_show(name)} is no key that nutchlike knows; kept as metadata")
    if draft.fixed is not None:
        draft.interval = draft.fixed
        draft.metadata[FIXED_INTERVAL_METADATA] = str(draft.fixed)
    return fields[0]


def _read_score(value: str, draft: _Draft) -> None:
    score = parse_double(value)
    if score is not None and 0 <= score <= SCORE_MAX:
        draft.score = score
    else:
        draft.problems.append(f"{SCORE_KEY} must be a number from 0 to {SCORE_MAX:g}, got {_show(value)}; ignored")


def _read_interval(name: str, value: str, draft: _Draft) -> None:
    seconds = parse_int(value) or 0
    if name == FIXED_INTERVAL_KEY and value == "-1":
        draft.problems.append(f"{name}=-1 means that the interval is not fixed; it is ignored")
    elif seconds <= 0:
        draft.problems.append(f"{name} must be whole seconds from 1 to {INTERVAL_MAX}, got {_show(value)}; ignored")
    elif name == FIXED_INTERVAL_KEY:
        draft.fixed = seconds
    else:
        draft.interval = seconds


def _url_problem(url: str) -> str | None:
    """Return why ``url`` is no seed, with a hint, or ``None``."""
    if "\ufffd" in url or _CONTROL.search(url):
        return f"a seed must be UTF-8 text without control characters, got {_show(url)}"
    tokens = url.split()
    for token in tokens[1:]:
        if token.startswith("#"):
            return f"a comment needs a line of its own, got {_show(url)}"
        if "://" in token:
            return f"there must be one URL a line, got {_show(url)}"
        if "=" in token:
            return f"metadata must be tab separated, got spaces in {_show(url)}; a space in a URL is written %20"
    scheme = _SCHEME.match(url)
    after = url[scheme.end() :] if scheme else url
    if scheme is None or _PORT.match(after) or "." in scheme[0]:
        return f"the URL has no scheme; write {_show('http://' + url.lstrip('/'))}"
    if scheme[0].lower() not in ("http", "https"):
        return f"only http and https can be crawled, got scheme {_show(scheme[0])}"
    if not after.startswith("://"):
        return f"the scheme must be followed by //, got {_show(url)}"
    host = re.split(r"[/?#\\]", after[3:], maxsplit=1)[0].rpartition("@")[2]
    if not host or host.startswith(":") or len(host.split()) > 1:
        return f"the URL has no valid host, got {_show(url)}"
    return None


def _trim(text: str) -> str:
    return text.strip().strip(_PASTED_BLANKS).strip()


def _show(text: str) -> str:
    return repr(text if len(text) <= _SHOWN_LENGTH else text[: _SHOWN_LENGTH - 1] + "…")


def _read_as_nutch(text: str, draft: _Draft) -> str:
    """Fill ``draft`` from one line exactly as Nutch does and return its URL, or "" for a line that it skips."""
    key, _, value = text.partition("\t")
    url = key.strip(JAVA_BLANKS)
    if not url or url.startswith("#"):
        return ""
    for entry in value.strip(JAVA_BLANKS).split("\t"):
        name, equals, value = entry.partition("=")
        if not equals:
            continue
        if name == SCORE_KEY:
            score = parse_float(value)
            draft.score = draft.score if score is None else score
        elif name in (INTERVAL_KEY, FIXED_INTERVAL_KEY):
            seconds = parse_int(value)
            if seconds is None or (name == FIXED_INTERVAL_KEY and seconds < 0):
                continue
            draft.interval = seconds
            if name == FIXED_INTERVAL_KEY:
                draft.metadata[FIXED_INTERVAL_METADATA] = str(seconds)
        else:
            draft.metadata[name] = value
    return url
