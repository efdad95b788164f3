"""Character classes and single characters of Java regular expressions, as sets of code points."""

from __future__ import annotations

import re
import sys
from dataclasses import dataclass

from nutchlike.urls.code_points import (
    NONE,
    CodePoints,
    ascii_case_folded,
    characters,
    complement,
    intersection,
    unicode_case_folded,
    union,
)
from nutchlike.urls.java_properties import property_members

_DIGITS: CodePoints = ((0x30, 0x39),)
_BLANKS = " \t\xa0\u1680\u180e\u2000\u2001\u2002\u2003\u2004\u2005\u2006\u2007\u2008\u2009\u200a\u202f\u205f\u3000"
_NAMED: dict[str, CodePoints] = {
    "d": _DIGITS,
    "w": union(_DIGITS, ((0x41, 0x5A), (0x5F, 0x5F), (0x61, 0x7A))),
    "s": characters(" \t\n\x0b\f\r"),
    "h": characters(_BLANKS),
    "v": characters("\n\x0b\f\r\x85\u2028\u2029"),
}
_PROPERTY = re.compile(r"\\[pP](?:\{([^}]*)\}|([^{]))")
_CHARACTER_ESCAPE = re.compile(r"\\(?:x([0-9A-Fa-f]{2})|x\{([0-9A-Fa-f]+)\}|u([0-9A-Fa-f]{4})|0([0-3]?[0-7]{1,2}))")
_LOW_SURROGATE = re.compile(r"\\u([Dd][C-Fc-f][0-9A-Fa-f]{2})")
_CONTROL_ESCAPES = {"t": "\t", "n": "\n", "r": "\r", "f": "\f", "a": "\a", "e": "\x1b"}


class UnsupportedJavaRegex(ValueError):
    """The expression is good in Java, and cannot be translated."""


@dataclass(frozen=True, slots=True)
class Flags:
    """The inline flags in force: ignore case, Unicode case, dot matches all, multi-line, Unix lines."""

    i: bool = False
    u: bool = False
    s: bool = False
    m: bool = False
    d: bool = False

    def folded(self, members: CodePoints) -> CodePoints:
        """Return ``members`` and what counts as the same when the case does not."""
        if not self.i:
            return members
        return unicode_case_folded(members) if self.u else ascii_case_folded(members)


def regex_error(pattern: str, at: int, what: str) -> ValueError:
    return ValueError(f"bad regular expression {pattern!r}: {what} at character {at + 1}")


def read_code_point(pattern: str, at: int) -> tuple[int, int]:
    """Return the number of the one character that is written at ``at``, escaped or not, and the place after it.

    Raises ValueError for an escape that stands for no single character.
    """
    character = pattern[at]
    if character != "\\":
        return ord(character), at + 1
    coded = _CHARACTER_ESCAPE.match(pattern, at)
    if coded is not None:
        number = int(coded[4], 8) if coded[4] else int(coded[1] or coded[2] or coded[3], 16)
        if number > sys.maxunicode:
            raise regex_error(pattern, at, "a character beyond Unicode")
        low = _LOW_SURROGATE.match(pattern, coded.end()) if coded[3] and 0xD800 <= number < 0xDC00 else None
        if low is not None:
            return 0x10000 + ((number - 0xD800) << 10) + int(low[1], 16) - 0xDC00, low.end()
        return number, coded.end()
    letter = pattern[at + 1 : at + 2]
    if letter in _CONTROL_ESCAPES:
        return ord(_CONTROL_ESCAPES[letter]), at + 2
    if letter == "c" and at + 2 < len(pattern):
        return ord(pattern[at + 2]) ^ 64, at + 3
    if letter == "N":
        raise UnsupportedJavaRegex(str(regex_error(pattern, at, r"a character by its name, write \x{..}")))
    if not letter or (letter.isascii() and letter.isalnum()):
        raise regex_error(pattern, at, f"the escape '\\{letter}', which is not known here")
    return ord(letter), at + 2


def read_named_class(pattern: str, at: int, flags: Flags) -> tuple[CodePoints, int] | None:
    """Return the members of ``\\d``, ``\\p{..}`` and their kind at ``at`` and the place after it, or ``None``.

    Raises ValueError for a property that is not known.
    """
    letter = pattern[at + 1 : at + 2] if pattern[at] == "\\" else ""
    if letter.lower() in _NAMED:
        members = _NAMED[letter.lower()]
        return (complement(members) if letter.isupper() else members), at + 2
    if letter not in ("p", "P"):
        return None
    match = _PROPERTY.match(pattern, at)
    if match is None:
        raise regex_error(pattern, at, "a property without name")
    try:
        members = property_members(match[2] or match[1], ignore_case=flags.i)
    except ValueError as error:
        raise regex_error(pattern, at, str(error)) from None
    return (complement(members) if letter == "P" else members), match.end()


def read_char_class(pattern: str, at: int, flags: Flags) -> tuple[CodePoints, int]:
    """Return the members of the class that opens at ``at`` and the place after it.

    Raises ValueError for a class without an end or with an unknown escape.
    """
    members, at = _ClassReader(pattern, flags).whole(at)
    return members, at


class _ClassReader:
    """Reads unions (``[a[bc]]``) and intersections (``[a-z&&[^b]]``) in the order in which Java does."""

    def __init__(self, pattern: str, flags: Flags) -> None:
        self._pattern = pattern
        self._flags = flags

    def whole(self, at: int) -> tuple[CodePoints, int]:
        """Read from the ``[`` at ``at`` to behind its ``]``."""
        is_negated = self._pattern.startswith("^", at + 1)
        members, end = self._members(at + 1 + is_negated, start=at)
        return (complement(members) if is_negated else members), end + 1

    def _members(self, at: int, *, start: int) -> tuple[CodePoints, int]:
        """Read up to the ``]`` that closes what opened at ``start``; return its place.

        What is right of ``&&`` is read as a class without brackets, whatever it holds.
        Java takes an ``&&`` with nothing on its right for one thing or another, so it is not supported.
        """
        members: CodePoints | None = None
        while True:
            if at >= len(self._pattern):
                raise regex_error(self._pattern, start, "a '[' without ']'")
            if self._pattern[at] == "]" and members is not None:
                return members, at
            if self._pattern.startswith("&&", at):
                right, at = self._right_of_and(at + 2, start=start)
                if right is None:
                    error = regex_error(self._pattern, at, "an '&&' with nothing on its right")
                    raise error if members is None else UnsupportedJavaRegex(str(error))
                members = right if members is None else intersection(members, right)
                continue
            read, at = self.whole(at) if self._pattern[at] == "[" else self._member(at)
            members = union(members or NONE, read)

    def _right_of_and(self, at: int, *, start: int) -> tuple[CodePoints | None, int]:
        right: CodePoints | None = None
        while at < len(self._pattern) and self._pattern[at] not in "]&":
            if self._pattern[at] == "[":
                read, at = self.whole(at)
            else:
                read, at = self._members(at, start=start)
            right = union(right or NONE, read)
        return right, at

    def _member(self, at: int) -> tuple[CodePoints, int]:
        named = read_named_class(self._pattern, at, self._flags)
        if named is not None:
            return named
        low, after = read_code_point(self._pattern, at)
        high = low
        if self._pattern.startswith("-", after) and self._pattern[after + 1 : after + 2] not in ("", "]", "["):
            high, after = read_code_point(self._pattern, after + 1)
        if high < low:
            raise regex_error(self._pattern, at, "a range that ends before it starts")
        return self._flags.folded(((low, high),)), after
