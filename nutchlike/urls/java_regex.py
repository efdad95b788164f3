"""Java regular expressions of Nutch's rule files, as patterns of the standard library's ``re``."""

from __future__ import annotations

import re
from dataclasses import dataclass, field, replace

from nutchlike.urls.java_char_class import LINE_ENDS, NAMED_CLASSES, property_class, read_char_class, read_code_point

_NOT_A_LINE_END = f"[^{LINE_ENDS}]"
# Before the end or before a line end that is last; never between the two characters of \r\n
_JAVA_DOLLAR = rf"(?:(?=(?:\r\n|[{LINE_ENDS}])?\Z)(?<!\r(?=\n)))"
_FLAGS = re.compile(r"\(\?([a-zA-Z]*)(?:-([a-zA-Z]*))?([:)])")
_GROUP_NAME = re.compile(r"\(\?<([A-Za-z][A-Za-z0-9]*)>")
_BACK_NAME = re.compile(r"k<([A-Za-z][A-Za-z0-9]*)>")
_QUANTIFIER = re.compile(r"\{\d+(?:,\d*)?\}")
_PLAIN_GROUPS = ("(?:", "(?=", "(?!", "(?<=", "(?<!", "(?>")
_PLAIN_ESCAPES = frozenset("dDwWsSA")
_ESCAPES = {
    "b": r"(?u:\b)",  # Unicode-aware in Java up to JDK 18, unlike \w
    "B": r"(?u:\B)",
    "z": r"\Z",
    "Z": _JAVA_DOLLAR,
    "R": rf"(?:\r\n|[{LINE_ENDS}\x0b\f])",
}


@dataclass(frozen=True, slots=True)
class _Flags:
    """The inline flags in force: ignore case, Unicode case, dot matches all, multi-line."""

    i: bool = False
    u: bool = False
    s: bool = False
    m: bool = False


@dataclass(slots=True)
class _Group:
    """An open group: the flags that hold in it now, and the flag groups that ``(?i)`` and its kind opened."""

    flags: _Flags
    opened: list[str] = field(default_factory=list)


def compile_java_regex(pattern: str) -> re.Pattern[str]:
    """Return ``pattern`` for ``re``'s ``search``, which then finds what Java's ``find`` does.

    Translated: flags in mid-pattern, ``.`` and ``$`` with Java's line ends, ``\\Q..\\E``, ``\\h``, ``\\R``,
    ``\\p{..}``, named groups, unions and intersections of classes. Digits, blanks and word characters are
    ASCII, as in Java.

    Raises ValueError for what Java refuses and for what ``re`` cannot do (``\\G``, ``\\X``, look-behind of
    variable width, the flags x, d and U).
    """
    try:
        return re.compile(_Translation(pattern).result(), re.ASCII)
    except (re.error, OverflowError, RecursionError) as error:
        raise ValueError(f"bad regular expression {pattern!r}: {error}") from None


class _Translation:
    """One pass over one pattern."""

    def __init__(self, pattern: str) -> None:
        self._pattern = pattern
        self._at = 0
        self._out: list[str] = []
        self._groups = [_Group(_Flags())]

    def result(self) -> str:
        while self._at < len(self._pattern):
            self._step()
        if len(self._groups) > 1:
            raise ValueError(f"bad regular expression {self._pattern!r}: a '(' has no ')'")
        self._close_flags(self._groups[0])
        return "".join(self._out)

    def _step(self) -> None:
        character = self._pattern[self._at]
        if character == "\\":
            self._escape()
        elif character == "[":
            text, self._at = read_char_class(self._pattern, self._at)
            self._out.append(text)
        elif character == "(":
            self._open_group()
        elif character == ")":
            self._close_group()
        elif character == "|":
            group = self._groups[-1]
            self._put(")" * len(group.opened) + "|" + "".join(group.opened), 1)
        elif character == ".":
            self._put(r"[\s\S]" if self._groups[-1].flags.s else _NOT_A_LINE_END, 1)
        elif character in "^$":
            multi_line = f"(?m:{character})" if self._groups[-1].flags.m else ""
            self._put(multi_line or ("^" if character == "^" else _JAVA_DOLLAR), 1)
        elif character == "{":
            self._quantifier()
        else:
            self._put(character if character in "*+?" else re.escape(character), 1)

    def _put(self, text: str, consumed: int) -> None:
        self._out.append(text)
        self._at += consumed

    def _fail(self, what: str) -> ValueError:
        return ValueError(f"bad regular expression {self._pattern!r}: {what} at character {self._at + 1}")

    def _quantifier(self) -> None:
        match = _QUANTIFIER.match(self._pattern, self._at)
        if match is None:
            raise self._fail("a '{' that starts no quantifier, write '\\{'")
        self._put(match[0], len(match[0]))

    def _open_group(self) -> None:
        flags = self._groups[-1].flags
        named = _GROUP_NAME.match(self._pattern, self._at)
        inline = _FLAGS.match(self._pattern, self._at)
        plain = next((start for start in _PLAIN_GROUPS if self._pattern.startswith(start, self._at)), None)
        if plain is not None:
            self._put(plain, len(plain))
        elif named is not None:
            self._put(f"(?P<{named[1]}>", len(named[0]))
        elif inline is not None:
            self._set_flags(inline)
            return
        elif self._pattern.startswith("(?", self._at):
            raise self._fail("an unknown kind of group")
        else:
            self._put("(", 1)
        self._groups.append(_Group(flags))

    def _set_flags(self, inline: re.Match[str]) -> None:
        on, off = inline[1], inline[2] or ""
        unknown = set(on + off) - set("iusm")
        if unknown:
            raise self._fail(f"the flag {min(unknown)!r}, known are i, s, m and u")
        group = self._groups[-1]
        flags = replace(group.flags, **(dict.fromkeys(on, True) | dict.fromkeys(off, False)))
        start = f"(?i{'u' if flags.u else 'a'}:" if flags.i else "(?-i:"
        self._put(start, len(inline[0]))
        if inline[3] == ":":
            self._groups.append(_Group(flags))
        else:
            group.flags = flags
            group.opened.append(start)

    def _close_group(self) -> None:
        if len(self._groups) == 1:
            raise self._fail("a ')' without '('")
        self._close_flags(self._groups.pop())
        self._put(")", 1)

    def _close_flags(self, group: _Group) -> None:
        self._out.append(")" * len(group.opened))

    def _escape(self) -> None:
        letter = self._pattern[self._at + 1 : self._at + 2]
        back_name = _BACK_NAME.match(self._pattern, self._at + 1)
        if letter == "Q":
            quoted, _, _ = self._pattern[self._at + 2 :].partition("\\E")
            self._put(re.escape(quoted), len(quoted) + 4)
        elif back_name is not None:
            self._put(f"(?P={back_name[1]})", len(back_name[0]) + 1)
        elif letter in _PLAIN_ESCAPES or (letter and letter in "123456789"):
            self._put(f"\\{letter}", 2)
        elif letter in _ESCAPES:
            self._put(_ESCAPES[letter], 2)
        elif letter in NAMED_CLASSES:
            self._put(f"[{NAMED_CLASSES[letter]}]", 2)
        elif letter and letter in "HV":
            self._put(f"[^{NAMED_CLASSES[letter.lower()]}]", 2)
        elif letter and letter in "pP":
            members, negated, end = property_class(self._pattern, self._at)
            self._put(f"[{'^' if negated else ''}{members}]", end - self._at)
        else:
            character, end = read_code_point(self._pattern, self._at)
            self._put(re.escape(character), end - self._at)
