"""The characters of Java's ``\\p{..}``: POSIX names, categories, scripts, blocks, java.lang.Character's methods."""

from __future__ import annotations

import re
import sys
from functools import cache
from string import punctuation

import regex  # type: ignore[import-untyped]  # it ships no types

from nutchlike.urls.code_points import ALL, ASCII, CodePoints, characters, code_points, complement, union

_UPPER: CodePoints = ((0x41, 0x5A),)
_LOWER: CodePoints = ((0x61, 0x7A),)
_DIGIT: CodePoints = ((0x30, 0x39),)
_POSIX: dict[str, CodePoints] = {  # ASCII only
    "Lower": _LOWER,
    "Upper": _UPPER,
    "ASCII": ASCII,
    "Alpha": union(_UPPER, _LOWER),
    "Digit": _DIGIT,
    "Alnum": union(_UPPER, _LOWER, _DIGIT),
    "Punct": characters(punctuation),
    "Graph": ((0x21, 0x7E),),
    "Print": ((0x20, 0x7E),),
    "Blank": characters(" \t"),
    "Cntrl": ((0, 0x1F), (0x7F, 0x7F)),
    "XDigit": union(_DIGIT, ((0x41, 0x46), (0x61, 0x66))),
    "Space": characters(" \t\n\x0b\f\r"),
    "L1": ((0, 0xFF),),
    "all": ALL,
}
_NO_BREAK_SPACES = "\u00a0\u2007\u202f"
_CHARACTER_METHODS = {  # as members of a class of the package regex
    "javaLowerCase": r"\p{Lowercase}",
    "javaUpperCase": r"\p{Uppercase}",
    "javaAlphabetic": r"\p{Alphabetic}",
    "javaIdeographic": r"\p{Ideographic}",
    "javaTitleCase": r"\p{Lt}",
    "javaDigit": r"\p{Nd}",
    "javaDefined": r"\P{Cn}",
    "javaLetter": r"\p{L}",
    "javaLetterOrDigit": r"\p{L}\p{Nd}",
    "javaSpaceChar": r"\p{Z}",
    "javaISOControl": r"\p{Cc}",
}
_BINARY = {  # behind Is, in any case
    "ALPHABETIC": r"\p{Alphabetic}",
    "IDEOGRAPHIC": r"\p{Ideographic}",
    "LETTER": r"\p{L}",
    "LOWERCASE": r"\p{Lowercase}",
    "UPPERCASE": r"\p{Uppercase}",
    "TITLECASE": r"\p{Lt}",
    "WHITE_SPACE": r"\p{White_Space}",
    "WHITESPACE": r"\p{White_Space}",
    "CONTROL": r"\p{Cc}",
    "PUNCTUATION": r"\p{P}",
    "DIGIT": r"\p{Nd}",
    "HEX_DIGIT": r"\p{Hex_Digit}\p{Nd}",
    "HEXDIGIT": r"\p{Hex_Digit}\p{Nd}",
    "ASSIGNED": r"\P{Cn}",
    "JOIN_CONTROL": r"\p{Join_Control}",
    "JOINCONTROL": r"\p{Join_Control}",
}
_CATEGORY = re.compile("C[cfosn]?|L[ultmo]?|M[nce]?|N[dlo]?|P[cdseifo]?|S[mcko]?|Z[slp]?")
_CASED = frozenset(["Lu", "Ll", "Lt", "Lower", "Upper"])
_CASED_METHODS = frozenset(["javaLowerCase", "javaUpperCase", "javaTitleCase"])
_CASED_BINARY = frozenset(["LOWERCASE", "UPPERCASE", "TITLECASE"])
_BOTH_CASES = r"\p{Lu}\p{Ll}\p{Lt}"
_NAME = re.compile(r"[A-Za-z0-9_ -]+")


def property_members(name: str, *, ignore_case: bool) -> CodePoints:
    """Return the characters of the property that ``\\p{name}`` names.

    With ``ignore_case`` a property of one case stands for all of them, as in Java. Names of scripts and blocks
    are those of Unicode, behind ``Is`` (or ``sc=``) and ``In`` (or ``blk=``).

    Raises ValueError for a name that is not known.
    """
    kind, has_kind, value = name.partition("=")
    if has_kind:
        kind = kind.lower()
        if kind in ("gc", "general_category") and _CATEGORY.fullmatch(value):
            return _category(value, ignore_case)
        if kind in ("sc", "script", "blk", "block") and _NAME.fullmatch(value):
            return _of_regex(rf"\p{{{'Script' if kind.startswith('sc') else 'Block'}={value}}}")
        raise ValueError("an unknown property")
    if name == "javaWhitespace":
        members = _of_regex(r"\p{Z}")
        return union(((0x09, 0x0D), (0x1C, 0x1F)), complement(union(complement(members), characters(_NO_BREAK_SPACES))))
    if name in _CHARACTER_METHODS:
        return _of_regex(_BOTH_CASES if ignore_case and name in _CASED_METHODS else _CHARACTER_METHODS[name])
    if name.startswith("In"):
        return _of_regex(rf"\p{{Block={name[2:]}}}") if _NAME.fullmatch(name[2:]) else _unknown()
    if not name.startswith("Is"):
        return _category(name, ignore_case)
    bare = name[2:]
    if bare.upper() in _BINARY:
        return _of_regex(_BOTH_CASES if ignore_case and bare.upper() in _CASED_BINARY else _BINARY[bare.upper()])
    if bare in _POSIX or _CATEGORY.fullmatch(bare):
        return _category(bare, ignore_case)
    return _of_regex(rf"\p{{Script={bare}}}") if _NAME.fullmatch(bare) else _unknown()


def _category(name: str, ignore_case: bool) -> CodePoints:
    if ignore_case and name in _CASED:
        return _POSIX["Alpha"] if name in _POSIX else _of_regex(_BOTH_CASES)
    if name in _POSIX:
        return _POSIX[name]
    if name == "LD":
        return _of_regex(r"\p{L}\p{Nd}")
    if name == "LC":
        return _of_regex(_BOTH_CASES)
    return _of_regex(rf"\p{{{name}}}") if _CATEGORY.fullmatch(name) else _unknown()


def _unknown() -> CodePoints:
    raise ValueError("an unknown property")


@cache
def _of_regex(members: str) -> CodePoints:
    try:
        runs = regex.compile(f"[{members}]+").finditer(_every_character())
    except regex.error:
        raise ValueError("an unknown property") from None
    return code_points((run.start(), run.end() - 1) for run in runs)


@cache
def _every_character() -> str:
    """Return all of Unicode, each character at the place of its number."""
    return "".join(map(chr, range(sys.maxunicode + 1)))
