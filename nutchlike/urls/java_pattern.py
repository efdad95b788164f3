"""JavaPattern: finds and replaces what a Java regular expression would, in bounded time."""

from __future__ import annotations

import logging
from collections.abc import Iterator, Sequence
from time import perf_counter
from typing import Protocol, cast

import re2
import regex  # type: ignore[import-untyped]  # it ships no types

from nutchlike.urls.java_char_class import UnsupportedJavaRegex
from nutchlike.urls.java_regex import translate_java_regex

logger = logging.getLogger(__name__)

LONGEST_SEARCH = 0.1  # seconds that the backtracking engine may spend on one text
_LINEAR_MATCHES = 100  # per text; each starts a search of the rest, so many of them would not be linear
_RE2_OPTIONS = re2.Options()
_RE2_OPTIONS.encoding = re2.Options.Encoding.LATIN1
_RE2_OPTIONS.log_errors = False


class SearchTooLong(ValueError):
    """A search took longer than LONGEST_SEARCH and was given up."""


class Match(Protocol):
    """What both engines tell of a match; offsets are characters, -1 for a group that took no part."""

    def start(self) -> int: ...

    def end(self) -> int: ...

    def span(self, group: int = 0) -> tuple[int, int]: ...


def is_plain(text: str) -> bool:
    """Tell whether the linear engine may judge ``text``: ASCII, without line ends, not empty."""
    return text.isascii() and bool(text) and "\n" not in text and "\r" not in text


class JavaPattern:
    """One expression, compiled; ``source`` (file and line) is what messages call it.

    Linear time is spent where RE2 has the means. It has no look-around, back-references, possessive
    quantifiers and atomic groups: of those it only tells which texts cannot fit, and the package ``regex``
    searches the rest, LONGEST_SEARCH at most. That one also searches all texts that are not plain.
    ``timeouts`` counts the searches that were given up; the first one is logged.

    Raises ValueError for what Java refuses, and its subclass UnsupportedJavaRegex for what cannot be translated.
    """

    def __init__(self, pattern: str, *, source: str = "<pattern>") -> None:
        translation = translate_java_regex(pattern)
        self.groups = translation.groups
        self.names = translation.names
        self.timeouts = 0
        self._pattern = pattern
        self._source = source
        piece = translation.piece
        try:
            self._full = regex.compile(piece.full, regex.VERSION0 | regex.ASCII)
        except (regex.error, OverflowError, RecursionError, MemoryError) as error:
            raise UnsupportedJavaRegex(f"regular expression {pattern!r} is too much: {error}") from None
        try:
            self._linear = re2.compile(piece.linear.encode("ascii"), _RE2_OPTIONS)
        except re2.error:  # too large for it, e.g. a{2000}
            self._linear = None
        self.screen: bytes = b"" if self._linear is None else piece.linear.encode("ascii")
        self.is_exact = self._linear is not None and piece.is_exact
        self._has_same_places = self.is_exact and piece.has_same_places

    def found_in(self, text: str) -> bool:
        """Tell whether the expression fits anywhere in ``text``; raises SearchTooLong."""
        return self._may_fit(text) and self.is_confirmed_in(text)

    def is_confirmed_in(self, text: str) -> bool:
        """Tell the same of a ``text`` that ``screen`` let pass; raises SearchTooLong."""
        if self.is_exact and is_plain(text):
            return True
        return self._search_until(perf_counter() + LONGEST_SEARCH, text, 0) is not None

    def _may_fit(self, text: str) -> bool:
        return self._linear is None or not is_plain(text) or self._linear.search(text.encode("ascii")) is not None

    def matches(self, text: str) -> Iterator[Match]:
        """Give each match in ``text``, from left to right, as Java's ``find`` does; raises SearchTooLong.

        Behind an empty match it goes on one character further, unlike Python's ``finditer``.
        """
        start = 0
        if self._has_same_places and is_plain(text):
            encoded = text.encode("ascii")
            for _ in range(_LINEAR_MATCHES):
                match = self._linear.search(encoded, start) if start <= len(text) else None
                if match is None:
                    return
                yield match
                start = match.end() + (match.start() == match.end())
        elif not self._may_fit(text):
            return
        deadline = perf_counter() + LONGEST_SEARCH
        while start <= len(text) and (match := self._search_until(deadline, text, start)) is not None:
            yield match
            start = match.end() + (match.start() == match.end())

    def _search_until(self, deadline: float, text: str, start: int) -> Match | None:
        try:
            return cast("Match | None", self._full.search(text, start, timeout=max(deadline - perf_counter(), 1e-6)))
        except TimeoutError:
            raise self._given_up(text) from None

    def _given_up(self, text: str) -> SearchTooLong:
        self.timeouts += 1
        message = f"{self._source}: {self._pattern!r} took longer than {LONGEST_SEARCH} s"
        if self.timeouts == 1:
            logger.warning("%s on %r (further ones are only counted)", message, text[:200])
        return SearchTooLong(message)


class PatternSet:
    """Several expressions that are looked for in one pass."""

    def __init__(self, patterns: Sequence[JavaPattern]) -> None:
        self._patterns = tuple(patterns)
        self._screens = re2.Set.SearchSet(_RE2_OPTIONS)
        for pattern in self._patterns:
            self._screens.Add(pattern.screen)
        self._screens.Add(b"")  # fits always: without it, RE2 has run out of memory and says nothing
        self._screens.Compile()

    def candidates(self, text: str) -> Sequence[int]:
        """Return the numbers of the expressions that may fit somewhere in ``text``, lowest first: none is left out."""
        passed = self._passed(text)
        return range(len(self._patterns)) if passed is None else passed

    def found_in(self, text: str) -> Iterator[int]:
        """Give the number of each expression that fits somewhere in ``text``, lowest first.

        An expression is searched for when its number is due; that raises SearchTooLong.
        """
        passed = self._passed(text)
        if passed is None:
            return (number for number, pattern in enumerate(self._patterns) if pattern.found_in(text))
        return (number for number in passed if self._patterns[number].is_confirmed_in(text))

    def _passed(self, text: str) -> list[int] | None:
        """Return the numbers that the screens let pass, ``None`` when they cannot tell."""
        numbers = self._screens.Match(text.encode("ascii")) if is_plain(text) else None
        return sorted(numbers)[:-1] if numbers else None
