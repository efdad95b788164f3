"""Character classes and single characters of Java regular expressions, as text for ``re``."""

from __future__ import annotations

import re
import sys
import unicodedata
from functools import cache
from string import punctuation

LINE_ENDS = r"\n\r\x85\u2028\u2029"  # what Java's dot does not match
NAMED_CLASSES = {  # members of \h and \v
    "h": r" \t\xa0\u1680\u180e\u2000-\u200a\u202f\u205f\u3000",
    "v": r"\n\x0b\f\r\x85\u2028\u2029",
}

_POSIX = {  # \p{Lower} and so on, ASCII only
    "Lower": "a-z",
    "Upper": "A-Z",
    "ASCII": r"\x00-\x7f",
    "Alpha": "A-Za-z",
    "Digit": "0-9",
    "Alnum": "A-Za-z0-9",
    "Punct": re.escape(punctuation),
    "Graph": r"\x21-\x7e",
    "Print": r"\x20-\x7e",
    "Blank": r" \t",
    "Cntrl": r"\x00-\x1f\x7f",
    "XDigit": "0-9A-Fa-f",
    "Space": r" \t\n\x0b\f\r",
}
_CATEGORY = re.compile("L[ultmo]?|M[nce]?|N[dlo]?|P[cdseifo]?|S[mcko]?|Z[slp]?")  # Unicode general categories
_PROPERTY = re.compile(r"\\[pP](?:\{(?:Is|gc=|general_category=)?(\w+)\}|(\w))")
_CHARACTER_ESCAPE = re.compile(r"\\(?:x([0-9A-Fa-f]{2})|x\{([0-9A-Fa-f]{1,6})\}|u([0-9A-Fa-f]{4})|0([0-3]?[0-7]{1,2}))")
_CONTROL_ESCAPES = {"t": "\t", "n": "\n", "r": "\r", "f": "\f", "a": "\a", "e": "\x1b"}


def read_code_point(pattern: str, at: int) -> tuple[str, int]:
    """Return the one character that is written at ``at``, escaped or not, and the place after it.

    Raises ValueError for an escape that stands for no single character.
    """
    character = pattern[at]
    if character != "\\":
        return character, at + 1
    coded = _CHARACTER_ESCAPE.match(pattern, at)
    if coded is not None:
        number = int(coded[4], 8) if coded[4] else int(coded[1] or coded[2] or coded[3], 16)
        if number > sys.maxunicode:
            raise _error(pattern, at, "a character beyond Unicode")
        return chr(number), coded.end()
    letter = pattern[at + 1 : at + 2]
    if letter in _CONTROL_ESCAPES:
        return _CONTROL_ESCAPES[letter], at + 2
    if letter == "c" and at + 2 < len(pattern):
        return chr(ord(pattern[at + 2]) ^ 64), at + 3
    if not letter or (letter.isascii() and letter.isalnum()):
        raise _error(pattern, at, f"the escape '\\{letter}', which is not supported")
    return letter, at + 2


def property_class(pattern: str, at: int) -> tuple[str, bool, int]:
    """Return the members of the ``\\p{..}`` at ``at``, whether it is negated, and the place after it.

    Raises ValueError for a property that is neither a POSIX name nor a general category.
    """
    match = _PROPERTY.match(pattern, at)
    name = (match[1] or match[2]) if match is not None else ""
    if match is None or (name not in _POSIX and not _CATEGORY.fullmatch(name)):
        raise _error(pattern, at, "an unknown property, known are POSIX names like Alpha and categories like Lu")
    return _POSIX.get(name) or _category_members(name), pattern[at + 1] == "P", match.end()


def read_char_class(pattern: str, at: int) -> tuple[str, int]:
    """Return the class that opens at ``at`` as text that matches one character, and the place after it.

    Unions (``[a[bc]]``) become alternatives and intersections (``[a-z&&[^b]]``) look-aheads.
    Raises ValueError for a class without an end or with an unknown escape.
    """
    start = at
    at += 1
    negated = pattern.startswith("^", at)
    at += negated
    operands: list[str] = []
    members, nested = "", list[str]()
    is_first = True
    while True:
        if at >= len(pattern):
            raise _error(pattern, start, "a '[' without ']'")
        if pattern[at] == "]" and not is_first:
            break
        is_first = False
        if pattern.startswith("&&", at):
            operands.append(_union(members, nested))
            members, nested = "", []
            at += 2
        elif pattern[at] == "[":
            text, at = read_char_class(pattern, at)
            nested.append(text)
        else:
            text, is_nested, at = _read_member(pattern, at)
            if is_nested:
                nested.append(text)
            else:
                members += text
    if members and not nested and not operands:
        return f"[{'^' if negated else ''}{members}]", at + 1
    operands = [operand for operand in [*operands, _union(members, nested)] if operand]
    if not operands:
        raise _error(pattern, start, "a class without members")
    return _intersection(operands, negated), at + 1


def _read_member(pattern: str, at: int) -> tuple[str, bool, int]:
    """Return a member's text, whether it is a class of its own, and the place after it."""
    letter = pattern[at + 1 : at + 2] if pattern[at] == "\\" else ""
    if letter == "Q":
        quoted, _, _ = pattern[at + 2 :].partition("\\E")
        return re.escape(quoted), False, at + len(quoted) + 4
    if letter and letter in "dDwWsS":
        return f"\\{letter}", False, at + 2
    if letter in NAMED_CLASSES:
        return NAMED_CLASSES[letter], False, at + 2
    if letter and letter in "HV":
        return f"[^{NAMED_CLASSES[letter.lower()]}]", True, at + 2
    if letter and letter in "pP":
        members, negated, end = property_class(pattern, at)
        return (f"[^{members}]", True, end) if negated else (members, False, end)
    low, at = read_code_point(pattern, at)
    if pattern.startswith("-", at) and pattern[at + 1 : at + 2] not in ("", "]", "["):
        high, at = read_code_point(pattern, at + 1)
        return f"{re.escape(low)}-{re.escape(high)}", False, at
    return re.escape(low), False, at


def _union(members: str, nested: list[str]) -> str:
    parts = ([f"[{members}]"] if members else []) + nested
    return parts[0] if len(parts) == 1 else f"(?:{'|'.join(parts)})" if parts else ""


def _intersection(operands: list[str], negated: bool) -> str:
    if len(operands) == 1 and not negated:
        return operands[0]
    *conditions, last = operands
    text = "".join(f"(?={condition})" for condition in conditions) + last
    return rf"(?:(?!{text})[\s\S])" if negated else f"(?:{text})"


@cache
def _category_members(name: str) -> str:
    """Return the members of a Unicode general category, or of a whole group of them such as L."""
    ranges: list[list[int]] = []
    for code in range(sys.maxunicode + 1):
        if unicodedata.category(chr(code)).startswith(name):
            if ranges and ranges[-1][1] == code - 1:
                ranges[-1][1] = code
            else:
                ranges.append([code, code])
    return "".join(f"\\U{low:08x}-\\U{high:08x}" for low, high in ranges)


def _error(pattern: str, at: int, what: str) -> ValueError:
    return ValueError(f"bad regular expression {pattern!r}: {what} at character {at + 1}")
