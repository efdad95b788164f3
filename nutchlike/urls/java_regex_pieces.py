"""Parts of a Java regular expression in the words of two engines, and those that take no character."""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import cache
from typing import Self

from nutchlike.urls.code_points import CodePoints, as_ascii_class, as_class, characters
from nutchlike.urls.java_properties import property_members

LINE_ENDS = characters("\n\r\x85\u2028\u2029")
_ANY_LINE_END = as_class(LINE_ENDS)


@dataclass(frozen=True, slots=True)
class Piece:
    """A part of an expression in both engines' words, and how many characters it takes (``None``: no limit).

    ``linear`` is for RE2 and right for texts of ASCII characters without line ends only. It finds something
    wherever ``full`` does; ``is_exact`` tells that it does so nowhere else, ``has_same_places`` that
    the match and its groups are the same too.
    """

    full: str
    linear: str
    shortest: int = 0
    longest: int | None = 0
    is_exact: bool = True
    has_same_places: bool = True

    @classmethod
    def of(cls, members: CodePoints) -> Self:
        return cls(as_class(members), as_ascii_class(members), 1, 1)

    def inside(self, opening: str, linear_opening: str | None = None) -> Piece:
        linear = opening if linear_opening is None else linear_opening
        return replace(self, full=f"{opening}{self.full})", linear=f"{linear}{self.linear})")


TEXT_START = Piece(r"(?:\A)", r"(?:\A)")
_LAST_MATCH_END = Piece(r"(?:\G)", r"(?:\A)", has_same_places=False)
_VERTICAL = characters("\n\r\x0b\f\x85\u2028\u2029")
_LINE_BREAK = Piece(rf"(?:\r\n|{as_class(_VERTICAL)})", as_ascii_class(characters("\x0b\f")), 1, 2)


def line_start(*, unix: bool) -> Piece:
    """Return ``^`` in several lines: never at the end of the text, not even of an empty one."""
    if unix:
        return Piece(r"(?:(?!\Z)(?:\A|(?<=\n)))", r"(?:\A)")
    return Piece(rf"(?:(?!\Z)(?:\A|(?<={_ANY_LINE_END})(?<!\r(?=\n))))", r"(?:\A)")


def line_end(*, unix: bool) -> Piece:
    """Return ``$`` in several lines."""
    if unix:
        return Piece(r"(?:(?=\n)|\Z)", r"(?:\z)")
    return Piece(rf"(?:(?={_ANY_LINE_END})(?<!\r(?=\n))|\Z)", r"(?:\z)")


def text_end(*, unix: bool) -> Piece:
    """Return ``$``: the end, or what is before a last line end; never between the two characters of \\r\\n."""
    if unix:
        return Piece(r"(?:(?=\n?\Z))", r"(?:\z)")
    return Piece(rf"(?:(?=(?:\r\n|{_ANY_LINE_END})?\Z)(?<!\r(?=\n)))", r"(?:\z)")


def escaped_assertion(letter: str, *, unix: bool) -> Piece | None:
    """Return the place (or line break, ``\\R``) that a backslash and ``letter`` stand for, else ``None``."""
    if letter in ("b", "B"):
        return _word_border() if letter == "b" else _no_word_border()
    known = {
        "A": TEXT_START,
        "G": _LAST_MATCH_END,
        "R": _LINE_BREAK,
        "Z": text_end(unix=unix),
        "z": Piece(r"(?:\Z)", r"(?:\z)"),
    }
    return known.get(letter)


@cache
def _word_border() -> Piece:
    before, after = _word_sides()
    return Piece(f"(?:{before}(?!{after})|(?!{before}){after})", r"(?:\b)")


@cache
def _no_word_border() -> Piece:
    before, after = _word_sides()
    return Piece(f"(?:{before}{after}|(?!{before})(?!{after}))", r"(?:\B)")


def _word_sides() -> tuple[str, str]:
    """Return what tells that a word is before a place, and behind it.

    Letters and digits of all scripts count, and a mark behind one of them, as in Java up to JDK 18.
    """
    word = as_class(property_members("LD", ignore_case=False))[1:-1]
    mark = as_class(property_members("Mn", ignore_case=False))[1:-1]
    before = rf"(?<=[{word}_]|[{word}][{mark}]+)"
    return before, rf"(?:(?=[{word}_])|(?<=[{word}][{mark}]*)(?=[{mark}]))"
