"""Sets of Unicode code points, and how they are written as a character class."""

from __future__ import annotations

import sys
from collections import defaultdict
from collections.abc import Iterable
from functools import cache

# Sorted ranges, both ends included, that neither overlap nor touch
CodePoints = tuple[tuple[int, int], ...]

NONE: CodePoints = ()
ALL: CodePoints = ((0, sys.maxunicode),)
ASCII: CodePoints = ((0, 0x7F),)
_REGEX_FORM = r"\U{:08x}"
_RE2_FORM = r"\x{{{:x}}}"


def code_points(ranges: Iterable[tuple[int, int]]) -> CodePoints:
    """Return the set that holds each of ``ranges``, in any order, overlapping or not."""
    merged: list[tuple[int, int]] = []
    for low, high in sorted(ranges):
        if merged and low <= merged[-1][1] + 1:
            merged[-1] = (merged[-1][0], max(high, merged[-1][1]))
        else:
            merged.append((low, high))
    return tuple(merged)


def characters(text: str) -> CodePoints:
    """Return the set of the characters of ``text``."""
    return code_points((ord(character), ord(character)) for character in text)


def union(*sets: CodePoints) -> CodePoints:
    return code_points(piece for each in sets for piece in each)


def complement(members: CodePoints) -> CodePoints:
    gaps, start = [], 0
    for low, high in members:
        if start < low:
            gaps.append((start, low - 1))
        start = high + 1
    return (*gaps, (start, sys.maxunicode)) if start <= sys.maxunicode else tuple(gaps)


def intersection(*sets: CodePoints) -> CodePoints:
    return complement(union(*map(complement, sets)))


def ascii_case_folded(members: CodePoints) -> CodePoints:
    """Return ``members`` with both cases of each ASCII letter that they hold: Java's flag i alone."""
    upper = intersection(members, ((0x41, 0x5A),))
    lower = intersection(members, ((0x61, 0x7A),))
    return union(
        members,
        tuple((low + 32, high + 32) for low, high in upper),
        tuple((low - 32, high - 32) for low, high in lower),
    )


def unicode_case_folded(members: CodePoints) -> CodePoints:
    """Return ``members`` with all that has the same lower case of the upper case: Java's flags i and u."""
    added = [
        (code, code)
        for group in _case_groups()
        if any(low <= code <= high for code in group for low, high in members)
        for code in group
    ]
    return union(members, tuple(added))


@cache
def _case_groups() -> tuple[tuple[int, ...], ...]:
    groups: dict[int, list[int]] = defaultdict(list)
    for code in range(sys.maxunicode + 1):
        groups[_lower_of_upper(code)].append(code)
    return tuple(tuple(group) for group in groups.values() if len(group) > 1)


def _lower_of_upper(code: int) -> int:
    """Return Java's ``toLowerCase(toUpperCase(code))``: mappings to one character only."""
    upper = chr(code).upper()
    upper = upper if len(upper) == 1 else chr(code)
    lower = "i" if upper == "\u0130" else upper.lower()
    return ord(lower) if len(lower) == 1 else ord(upper)


def as_class(members: CodePoints) -> str:
    """Return ``members`` as a class, or as one character, for the package ``regex``."""
    if len(members) == 1 and members[0][0] == members[0][1]:
        return _written(members[0][0], _REGEX_FORM)
    if members and members[0][0] == 0 and members[-1][1] == sys.maxunicode and members != ALL:
        return f"[^{_ranges(complement(members), _REGEX_FORM)}]"
    return f"[{_ranges(members, _REGEX_FORM)}]" if members else r"[^\U00000000-\U0010ffff]"


def as_ascii_class(members: CodePoints) -> str:
    """Return the ASCII part of ``members`` as a class, or as one character, for RE2."""
    members = intersection(members, ASCII)
    if len(members) == 1 and members[0][0] == members[0][1]:
        return _written(members[0][0], _RE2_FORM)
    return f"[{_ranges(members, _RE2_FORM)}]" if members else r"[^\x00-\x{10ffff}]"


def _ranges(members: CodePoints, form: str) -> str:
    return "".join(
        _written(low, form) if low == high else f"{_written(low, form)}-{_written(high, form)}" for low, high in members
    )


def _written(code: int, form: str) -> str:
    character = chr(code)
    return character if character.isascii() and character.isalnum() else form.format(code)
