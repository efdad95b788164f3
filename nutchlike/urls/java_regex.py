"""Java regular expressions, translated for a linear-time engine and for one that backtracks."""

from __future__ import annotations

import re
from dataclasses import dataclass, replace

from nutchlike.urls.code_points import ALL, CodePoints, characters, complement
from nutchlike.urls.java_char_class import (
    Flags,
    UnsupportedJavaRegex,
    read_char_class,
    read_code_point,
    read_named_class,
    regex_error,
)
from nutchlike.urls.java_regex_pieces import (
    LINE_ENDS,
    TEXT_START,
    Piece,
    escaped_assertion,
    line_end,
    line_start,
    text_end,
)

_QUANTIFIER = re.compile(r"(?:([*+?])|\{(\d+)(,?)(\d*)\})([?+]?)")
_RANGES = {"*": (0, None), "+": (1, None), "?": (0, 1)}
_FLAGS = re.compile(r"\(\?([a-zA-Z]*)(?:-([a-zA-Z]*))?([:)])")
_GROUP_NAME = re.compile(r"\(\?<([A-Za-z][A-Za-z0-9]*)>")
_BACK_NAME = re.compile(r"\\k<([A-Za-z][A-Za-z0-9]*)>")
_DEEPEST = 100  # groups in groups


@dataclass(frozen=True, slots=True)
class Translation:
    """A whole expression: the piece, the number of its groups, and the groups that have names."""

    piece: Piece
    groups: int
    names: dict[str, int]


def translate_java_regex(pattern: str) -> Translation:
    """Return ``pattern`` in the words of RE2 and of the package ``regex``, the match being that of Java's ``find``.

    Raises ValueError for what Java refuses, and its subclass UnsupportedJavaRegex for what Java has and this
    has not: the flags x and U, ``\\X``, ``\\N{..}``, ``\\b{g}``, and a few rare ones.
    """
    return _Parser(pattern).result()


def without_quotes(pattern: str) -> str:
    """Return ``pattern`` with each ``\\Q..\\E`` spelled out in escaped characters."""
    out: list[str] = []
    at = 0
    while at < len(pattern):
        if pattern.startswith("\\Q", at):
            quoted, _, _ = pattern[at + 2 :].partition("\\E")
            out.extend(f"\\x{{{ord(character):x}}}" for character in quoted)
            at += len(quoted) + 4
        else:
            step = 2 if pattern[at] == "\\" else 1
            out.append(pattern[at : at + step])
            at += step
    return "".join(out)


def _times(length: int | None, repetitions: int | None) -> int | None:
    if length == 0 or repetitions == 0:
        return 0
    return None if length is None or repetitions is None else length * repetitions


class _Parser:
    """One pass over one pattern, by recursive descent."""

    def __init__(self, pattern: str) -> None:
        self._pattern = without_quotes(pattern)
        self._at = 0
        self._depth = 0
        self._flags = Flags()
        self._groups = 0
        self._closed: frozenset[int] = frozenset()  # the groups that may be referred to from here
        self._names: dict[str, int] = {}
        self._has_last_match = False

    def result(self) -> Translation:
        piece = self._alternatives()
        if self._at < len(self._pattern):
            raise self._error("a ')' without '('")
        if self._has_last_match and piece.shortest == 0:
            raise self._unsupported("\\G in an expression that fits nothing at all")
        return Translation(piece, self._groups, self._names)

    def _error(self, what: str) -> ValueError:
        return regex_error(self._pattern, self._at, what)

    def _unsupported(self, what: str) -> UnsupportedJavaRegex:
        return UnsupportedJavaRegex(str(self._error(f"{what}, which is not supported")))

    def _takes(self, text: str) -> bool:
        found = self._pattern.startswith(text, self._at)
        self._at += len(text) if found else 0
        return found

    def _alternatives(self) -> Piece:
        before = self._closed
        branches, closed = [self._sequence()], self._closed
        while self._takes("|"):
            self._closed = before
            branches.append(self._sequence())
            closed |= self._closed
        self._closed = closed
        longest = [branch.longest for branch in branches]
        return Piece(
            "|".join(branch.full for branch in branches),
            "|".join(branch.linear for branch in branches),
            min(branch.shortest for branch in branches),
            None if None in longest else max(filter(None, longest), default=0),
            all(branch.is_exact for branch in branches),
            all(branch.has_same_places for branch in branches),
        )

    def _sequence(self) -> Piece:
        pieces = []
        while self._at < len(self._pattern) and self._pattern[self._at] not in "|)":
            atom = self._atom()
            if atom is not None:
                pieces.append(self._quantified(atom))
        longest = [piece.longest for piece in pieces]
        return Piece(
            "".join(piece.full for piece in pieces),
            "".join(piece.linear for piece in pieces),
            sum(piece.shortest for piece in pieces),
            None if None in longest else sum(filter(None, longest)),
            all(piece.is_exact for piece in pieces),
            all(piece.has_same_places for piece in pieces),
        )

    def _quantified(self, atom: Piece) -> Piece:
        match = _QUANTIFIER.match(self._pattern, self._at)
        if match is None:
            return atom
        if match[1]:
            low, high = _RANGES[match[1]]
        else:
            low = int(match[2])
            high = int(match[4]) if match[4] else None if match[3] else low
            if (match[4] and not match[3]) or (high is not None and high < low):
                raise self._error(f"the repetition {match[0]!r}, which ends before it starts")
        self._at = match.end()
        if self._pattern[self._at : self._at + 1] == "{":
            raise self._unsupported("a repetition of a repetition")
        is_possessive = match[5] == "+"
        loops_over_nothing = atom.shortest == 0 and high != 1
        written = match[0].removesuffix(match[5]) if match[5] else match[0]
        return Piece(
            f"(?:{atom.full}){match[0]}" if atom.longest == 0 else atom.full + match[0],
            atom.linear + (written if is_possessive else match[0]),
            atom.shortest * low,
            _times(atom.longest, high),
            atom.is_exact and not is_possessive,
            atom.has_same_places and not loops_over_nothing,
        )

    def _atom(self) -> Piece | None:
        character = self._pattern[self._at]
        if character == "(":
            return self._group()
        if character == "\\":
            return self._escape()
        if character in "*+?{":
            raise self._error(f"a {character!r} with nothing to repeat, write '\\{character}'")
        if character == "[":
            members, self._at = read_char_class(self._pattern, self._at, self._flags)
            return Piece.of(members)
        self._at += 1
        if character == ".":
            return Piece.of(ALL if self._flags.s else complement(self._line_ends()))
        if character == "^":
            return line_start(unix=self._flags.d) if self._flags.m else TEXT_START
        if character == "$":
            return line_end(unix=self._flags.d) if self._flags.m else text_end(unix=self._flags.d)
        return Piece.of(self._flags.folded(characters(character)))

    def _line_ends(self) -> CodePoints:
        return characters("\n") if self._flags.d else LINE_ENDS

    def _group(self) -> Piece | None:
        named = _GROUP_NAME.match(self._pattern, self._at)
        inline = _FLAGS.match(self._pattern, self._at)
        outer = self._flags
        if named is not None:
            return self._capturing(len(named[0]), named[1])
        if inline is not None:
            return self._flag_group(inline, outer)
        for opening in ("(?=", "(?!", "(?<=", "(?<!"):
            if self._takes(opening):
                return self._look_around(opening, outer)
        if self._takes("(?>"):
            inner = self._rest_of_group(outer).inside("(?>", "(?:")
            return replace(inner, is_exact=False)
        if self._pattern.startswith("(?", self._at):
            raise self._error("an unknown kind of group")
        return self._capturing(1, None)

    def _look_around(self, opening: str, outer: Flags) -> Piece:
        closed, groups = self._closed, self._groups
        inner = self._rest_of_group(outer)
        if "!" in opening:  # Java may leave a group set there, but one cannot rely on it
            self._closed = closed
        if "<" in opening and inner.longest is None:
            raise self._error("a look-behind without a greatest length")
        if "<" in opening and not inner.is_exact:
            raise self._unsupported("a look-behind with possessive, atomic, looking or referring parts")
        if "<" in opening and self._groups > groups and inner.shortest != inner.longest:
            raise self._unsupported("a group in a look-behind of several lengths")
        return Piece(f"{opening}{inner.full})", "(?:)", is_exact=False, has_same_places=False)

    def _capturing(self, opening_length: int, name: str | None) -> Piece:
        self._at += opening_length
        self._groups += 1
        number = self._groups
        if name is not None:
            if name in self._names:
                raise self._error(f"a second group with the name {name!r}")
            self._names[name] = number
        inner = self._rest_of_group(self._flags).inside("(")
        self._closed |= {number}
        return inner

    def _flag_group(self, inline: re.Match[str], outer: Flags) -> Piece | None:
        on, off = inline[1], inline[2] or ""
        unknown = set(on + off) - set("iusmd")
        if unknown & set("xU"):
            raise self._unsupported(f"the flag {min(unknown)!r}")
        if unknown:
            raise self._error(f"the flag {min(unknown)!r}, known are i, s, m, u and d")
        self._at = inline.end()
        self._flags = replace(outer, **(dict.fromkeys(on, True) | dict.fromkeys(off, False)))
        return self._rest_of_group(outer).inside("(?:") if inline[3] == ":" else None

    def _rest_of_group(self, outer: Flags) -> Piece:
        """Read to the ``)``, behind which the flags are again what they were outside."""
        self._depth += 1
        if self._depth > _DEEPEST:
            raise self._unsupported(f"more than {_DEEPEST} groups in one another")
        inner = self._alternatives()
        if not self._takes(")"):
            raise self._error("a '(' without ')'")
        self._depth -= 1
        self._flags = outer
        return inner

    def _escape(self) -> Piece:
        letter = self._pattern[self._at + 1 : self._at + 2]
        if letter and letter in "123456789":
            return self._back_reference(self._reference_number())
        if letter == "k":
            name = _BACK_NAME.match(self._pattern, self._at)
            if name is None or name[1] not in self._names:
                raise self._error("a reference to no group before it")
            self._at = name.end()
            return self._back_reference(self._names[name[1]])
        if letter == "X" or self._pattern.startswith("\\b{", self._at):
            raise self._unsupported(f"\\{letter} for what readers take for one character")
        assertion = escaped_assertion(letter, unix=self._flags.d)
        if assertion is not None:
            self._has_last_match = self._has_last_match or letter == "G"
            self._at += 2
            return assertion
        named = read_named_class(self._pattern, self._at, self._flags)
        if named is not None:
            self._at = named[1]
            return Piece.of(named[0])
        code, self._at = read_code_point(self._pattern, self._at)
        return Piece.of(self._flags.folded(((code, code),)))

    def _reference_number(self) -> int:
        """Read as many digits as still name a group that has begun."""
        self._at += 1
        number = int(self._pattern[self._at])
        self._at += 1
        while self._at < len(self._pattern) and self._pattern[self._at] in "0123456789":
            longer = number * 10 + int(self._pattern[self._at])
            if longer > self._groups:
                break
            number, self._at = longer, self._at + 1
        return number

    def _back_reference(self, number: int) -> Piece:
        if number not in self._closed:
            raise self._unsupported(f"a reference to group {number}, which did not end before, on the way to here")
        if self._flags.i and self._flags.u:
            raise self._unsupported("a reference under the flags i and u")
        opening = "(?i:" if self._flags.i else "(?:"
        any_ascii = r"(?:[\x00-\x7f]*)"
        return Piece(f"{opening}\\{number})", any_ascii, 0, None, is_exact=False, has_same_places=False)
