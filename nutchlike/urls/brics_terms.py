"""Regular languages as terms, with complement and intersection, and their Brzozowski derivatives.

A term is simplified when it is built, so that deriving the same one again and again gives finitely many terms.
Source: Brzozowski, Derivatives of Regular Expressions, JACM 1964; Owens, Reppy, Turon, JFP 2009.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass

MAX_UNIT = 0xFFFF  # a Java char, which is what dk.brics counts as a character


@dataclass(frozen=True, slots=True)
class Chars:
    """One character out of some ranges, both ends included; without a range, no text at all."""

    ranges: tuple[tuple[int, int], ...]


@dataclass(frozen=True, slots=True)
class Sequence:
    """One text of each part after the other; without a part, the empty text."""

    parts: tuple[Term, ...]


@dataclass(frozen=True, slots=True)
class Union:
    """The texts of any member."""

    members: frozenset[Term]


@dataclass(frozen=True, slots=True)
class Intersection:
    """The texts that every member has."""

    members: frozenset[Term]


@dataclass(frozen=True, slots=True)
class Complement:
    """All texts that ``inner`` has not."""

    inner: Term


@dataclass(frozen=True, slots=True)
class Repeat:
    """``least`` to ``most`` texts of ``inner``, one after the other; ``None`` is no limit."""

    inner: Term
    least: int
    most: int | None


Term = Chars | Sequence | Union | Intersection | Complement | Repeat

NOTHING = Chars(())
EMPTY_TEXT = Sequence(())
ANY_CHAR = Chars(((0, MAX_UNIT),))
ANY_TEXT = Repeat(ANY_CHAR, 0, None)


def chars(ranges: Iterable[tuple[int, int]]) -> Chars:
    """Return the characters of all ``ranges``, sorted and joined; a range from high to low holds none."""
    joined: list[tuple[int, int]] = []
    for low, high in sorted(pair for pair in ranges if pair[0] <= pair[1]):
        if joined and low <= joined[-1][1] + 1:
            joined[-1] = (joined[-1][0], max(high, joined[-1][1]))
        else:
            joined.append((low, high))
    return Chars(tuple(joined))


def other_chars(members: Chars) -> Chars:
    """Return all characters that are not in ``members``."""
    borders = [-1, *(border for pair in members.ranges for border in pair), MAX_UNIT + 1]
    return chars((low + 1, high - 1) for low, high in zip(borders[::2], borders[1::2], strict=True))


def literal(text: str) -> Term:
    """Return the language of one text, given in UTF-16 units."""
    return sequence(Chars(((ord(unit), ord(unit)),)) for unit in text)


def sequence(parts: Iterable[Term]) -> Term:
    flat: list[Term] = []
    for part in parts:
        if part == NOTHING:
            return NOTHING
        flat.extend(part.parts if isinstance(part, Sequence) else (part,))
    return flat[0] if len(flat) == 1 else Sequence(tuple(flat))


def union(members: Iterable[Term]) -> Term:
    ranges: list[tuple[int, int]] = []
    kept: set[Term] = set()
    for member in _flat(members, Union):
        if isinstance(member, Chars):
            ranges.extend(member.ranges)
        else:
            kept.add(member)
    if ANY_TEXT in kept:
        return ANY_TEXT
    if ranges or not kept:
        kept.add(chars(ranges))
    return kept.pop() if len(kept) == 1 else Union(frozenset(kept))


def intersection(members: Iterable[Term]) -> Term:
    kept = set(_flat(members, Intersection)) - {ANY_TEXT}
    if NOTHING in kept:
        return NOTHING
    if not kept:
        return ANY_TEXT
    return kept.pop() if len(kept) == 1 else Intersection(frozenset(kept))


def complement(inner: Term) -> Term:
    if isinstance(inner, Complement):
        return inner.inner
    return ANY_TEXT if inner == NOTHING else NOTHING if inner == ANY_TEXT else Complement(inner)


def repeat(inner: Term, least: int, most: int | None) -> Term:
    if most is not None and least > most:
        return NOTHING
    if most == 0 or inner == EMPTY_TEXT:
        return EMPTY_TEXT
    if inner == NOTHING:
        return EMPTY_TEXT if least == 0 else NOTHING
    is_star = isinstance(inner, Repeat) and inner.least == 0 and inner.most is None
    return inner if is_star or (least, most) == (1, 1) else Repeat(inner, least, most)


def has_empty_text(term: Term) -> bool:
    """Tell whether the empty text belongs to ``term``."""
    match term:
        case Chars():
            return False
        case Sequence(parts):
            return all(map(has_empty_text, parts))
        case Union(members):
            return any(map(has_empty_text, members))
        case Intersection(members):
            return all(map(has_empty_text, members))
        case Complement(inner):
            return not has_empty_text(inner)
        case Repeat(inner, least):
            return least == 0 or has_empty_text(inner)


def derivative(term: Term, unit: int) -> Term:
    """Return what may follow the character ``unit``: the rests of all texts of ``term`` that begin with it."""
    match term:
        case Chars(ranges):
            return EMPTY_TEXT if any(low <= unit <= high for low, high in ranges) else NOTHING
        case Sequence(parts):
            return union(_derivatives_of_sequence(parts, unit))
        case Union(members):
            return union(derivative(member, unit) for member in members)
        case Intersection(members):
            return intersection(derivative(member, unit) for member in members)
        case Complement(inner):
            return complement(derivative(inner, unit))
        case Repeat(inner, least, most):
            rest = repeat(inner, max(least - 1, 0), None if most is None else most - 1)
            return sequence((derivative(inner, unit), rest))


def char_ranges(term: Term) -> Iterator[tuple[int, int]]:
    """Yield each range of characters that ``term`` tells from others."""
    match term:
        case Chars(ranges):
            yield from ranges
        case Sequence(parts):
            for part in parts:
                yield from char_ranges(part)
        case Union(members) | Intersection(members):
            for member in members:
                yield from char_ranges(member)
        case Complement(inner) | Repeat(inner):
            yield from char_ranges(inner)


def _derivatives_of_sequence(parts: tuple[Term, ...], unit: int) -> Iterator[Term]:
    for place, part in enumerate(parts):
        yield sequence((derivative(part, unit), *parts[place + 1 :]))
        if not has_empty_text(part):
            return


def _flat(members: Iterable[Term], kind: type[Union] | type[Intersection]) -> Iterator[Term]:
    for member in members:
        if isinstance(member, kind):
            yield from member.members
        else:
            yield member
