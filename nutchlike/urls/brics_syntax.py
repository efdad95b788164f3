"""The expressions of dk.brics.automaton, read with all of its optional syntax as Nutch does."""

from __future__ import annotations

import re

from nutchlike.urls.brics_terms import (
    ANY_CHAR,
    ANY_TEXT,
    EMPTY_TEXT,
    MAX_UNIT,
    NOTHING,
    Chars,
    Term,
    chars,
    complement,
    intersection,
    literal,
    other_chars,
    repeat,
    sequence,
    union,
)

MAX_DEPTH = 40  # parentheses, or operators on one another
_MAX_INT = 2**31 - 1

_COUNTS = re.compile(r"\{([0-9]+)(,?)([0-9]*)\}")
_INTERVAL = re.compile(r"\+?([0-9]+)-\+?([0-9]+)")
_DIGITS = Chars(((ord("0"), ord("9")),))


def parse_brics_regex(pattern: str) -> Term:
    """Return the language of ``pattern``, which is given in UTF-16 units.

    ``~`` is complement, ``&`` intersection, ``@`` any text, ``#`` no text, ``"..."`` a quotation, ``<1-99>`` a
    number; ``.`` is any character, line ends included. ``^``, ``$``, ``\\d`` and the like mean the characters
    themselves, and so does an operator that has nothing to its left.

    Raises ValueError for what dk.brics refuses, for the named automata ``<name>``, of which Nutch has none, and
    for more than 40 levels of nesting.
    """
    return _Parser(pattern).result() if pattern else EMPTY_TEXT


class _Parser:
    """One pass over one pattern, by recursive descent."""

    def __init__(self, pattern: str) -> None:
        self._pattern = pattern
        self._at = 0
        self._depth = 0

    def result(self) -> Term:
        term = self._union()
        if self._at < len(self._pattern):
            raise self._fail("a ')' without '('")
        return term

    def _fail(self, what: str) -> ValueError:
        return ValueError(f"bad automaton expression {self._pattern!r}: {what} at character {self._at + 1}")

    def _peek(self, characters: str) -> bool:
        return self._at < len(self._pattern) and self._pattern[self._at] in characters

    def _take(self, character: str) -> bool:
        if self._peek(character):
            self._at += 1
            return True
        return False

    def _character(self) -> int:
        self._take("\\")
        if self._at == len(self._pattern):
            raise self._fail("something is missing")
        self._at += 1
        return ord(self._pattern[self._at - 1])

    def _union(self) -> Term:
        members = [self._intersection()]
        while self._take("|"):
            members.append(self._intersection())
        return union(members)

    def _intersection(self) -> Term:
        members = [self._sequence()]
        while self._take("&"):
            members.append(self._sequence())
        return intersection(members)

    def _sequence(self) -> Term:
        parts = [self._repeat()]
        while self._at < len(self._pattern) and not self._peek(")|&"):
            parts.append(self._repeat())
        return sequence(parts)

    def _repeat(self) -> Term:
        term = self._complement()
        for _ in range(MAX_DEPTH):
            if self._take("?"):
                term = repeat(term, 0, 1)
            elif self._take("*"):
                term = repeat(term, 0, None)
            elif self._take("+"):
                term = repeat(term, 1, None)
            elif self._peek("{"):
                term = repeat(term, *self._counts())
            else:
                return term
        raise self._fail(f"more than {MAX_DEPTH} operators")

    def _counts(self) -> tuple[int, int | None]:
        match = _COUNTS.match(self._pattern, self._at)
        if match is None or max(len(match[1]), len(match[3])) > 10 or (match[3] and not match[2]):
            raise self._fail("a '{' that starts no count, write '\\{'")
        least = int(match[1])
        most = int(match[3]) if match[3] else None if match[2] else least
        if max(least, most or 0) > _MAX_INT:
            raise self._fail("a count that is too high")
        self._at = match.end()
        return least, most

    def _complement(self) -> Term:
        negations = 0
        while self._take("~"):
            negations += 1
        term = self._char_class() if self._take("[") else self._simple()
        return complement(term) if negations % 2 else term

    def _char_class(self) -> Term:
        negated = self._take("^")
        ranges = [self._char_range()]
        while not self._take("]"):
            ranges.append(self._char_range())
        members = chars(ranges)
        return other_chars(members) if negated else members

    def _char_range(self) -> tuple[int, int]:
        low = self._character()
        if not self._peek("-") or self._pattern.startswith("-]", self._at):
            return low, low
        self._at += 1
        return low, self._character()

    def _simple(self) -> Term:
        if self._take("."):
            return ANY_CHAR
        if self._take("#"):
            return NOTHING
        if self._take("@"):
            return ANY_TEXT
        if self._take('"'):
            return literal(self._up_to('"'))
        if self._take("("):
            return self._group()
        if self._take("<"):
            return self._interval(self._up_to(">"))
        unit = self._character()
        return Chars(((unit, unit),))

    def _group(self) -> Term:
        if self._take(")"):
            return EMPTY_TEXT
        self._depth += 1
        if self._depth > MAX_DEPTH:
            raise self._fail(f"more than {MAX_DEPTH} nested groups")
        term = self._union()
        self._depth -= 1
        if not self._take(")"):
            raise self._fail("a '(' has no ')'")
        return term

    def _up_to(self, end: str) -> str:
        at = self._pattern.find(end, self._at)
        if at == -1:
            raise self._fail(f"no {end!r} follows")
        text = self._pattern[self._at : at]
        self._at = at + 1
        return text

    def _interval(self, text: str) -> Term:
        match = _INTERVAL.fullmatch(text)
        if match is None:
            raise self._fail(f"<{text}> is no interval such as <1-99>")
        first, last = text.split("-")
        low, high = sorted((_int(match[1]), _int(match[2])))
        if high > _MAX_INT:
            raise self._fail(f"a number of <{text}> is too high")
        if len(first) == len(last):
            return _numbers(str(low).zfill(len(first)), str(high).zfill(len(first)))
        return sequence((repeat(literal("0"), 0, None), union(_numbers_of_any_length(low, high))))


def _int(digits: str) -> int:
    significant = digits.lstrip("0")
    return int(significant or "0") if len(significant) <= 10 else MAX_UNIT**3


def _numbers_of_any_length(low: int, high: int) -> list[Term]:
    """Return the decimals of each length between, as one term for each length."""
    terms = []
    for length in range(len(str(low)), len(str(high)) + 1):
        least = max(low, 10 ** (length - 1) if length > 1 else 0)
        terms.append(_numbers(str(least), str(min(high, 10**length - 1))))
    return terms


def _numbers(low: str, high: str) -> Term:
    """Return the digit strings from ``low`` to ``high``, all of the length of both."""
    if not low:
        return EMPTY_TEXT
    if low[0] == high[0]:
        return sequence((literal(low[0]), _numbers(low[1:], high[1:])))
    rest = len(low) - 1
    between = chars([(ord(low[0]) + 1, ord(high[0]) - 1)])
    return union(
        (
            sequence((literal(low[0]), _numbers(low[1:], "9" * rest))),
            sequence((between, repeat(_DIGITS, rest, rest))),
            sequence((literal(high[0]), _numbers("0" * rest, high[1:]))),
        )
    )
