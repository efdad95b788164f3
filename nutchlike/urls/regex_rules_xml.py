"""Reads the XML of Nutch's regex-normalize.xml, and of it only what Nutch reads."""

from __future__ import annotations

from dataclasses import dataclass
from xml.parsers import expat

_RULE_DEPTH = 2  # <regex-normalize><regex>
_FIELD_DEPTH = 3  # <regex-normalize><regex><pattern>


@dataclass(frozen=True, slots=True)
class RegexRule:
    """A pattern and its substitution, both as written; ``line`` is where the pattern's tag opens."""

    pattern: str
    substitution: str
    line: int


@dataclass(frozen=True, slots=True)
class RegexRules:
    """The rules of a file, in order, and what was wrong with it: pairs of line and text.

    ``is_whole`` is false when the text stopped being XML somewhere.
    """

    rules: tuple[RegexRule, ...]
    problems: tuple[tuple[int, str], ...]
    is_whole: bool


def read_regex_rules(text: str) -> RegexRules:
    """Return the rules of ``text``; those before the place where it stops being XML, if it does.

    Of ``<pattern>`` and ``<substitution>`` the first child node counts: a comment inside cuts the text off.
    Blanks count. The names of the two outer elements do not matter, but are reported. No entity may be
    declared: nothing is ever expanded or fetched.
    """
    reader = _Reader()
    try:
        reader.parser.Parse(text, True)
    except (expat.ExpatError, UnicodeEncodeError, _Refused) as error:
        reader.report(f"not well-formed XML of rules, they end here: {error}")
        return RegexRules(tuple(reader.rules), tuple(reader.problems), is_whole=False)
    return RegexRules(tuple(reader.rules), tuple(reader.problems), is_whole=True)


class _Refused(ValueError):
    """XML that is well-formed and not taken."""


class _Reader:
    """What the parser tells, gathered rule by rule."""

    def __init__(self) -> None:
        self.rules: list[RegexRule] = []
        self.problems: list[tuple[int, str]] = []
        self._depth = 0
        self._pattern: str | None = None
        self._substitution: str | None = None
        self._line = 0
        self._text: str | None = None  # of the field's first child node, which a comment has none of
        self._has_child = self._text_is_over = False
        self.parser = expat.ParserCreate("utf-8")
        self.parser.buffer_text = True
        self.parser.StartElementHandler = self._start
        self.parser.EndElementHandler = self._end
        self.parser.CharacterDataHandler = self._characters
        self.parser.StartCdataSectionHandler = self._start_cdata
        self.parser.EndCdataSectionHandler = self._next_child
        self.parser.CommentHandler = self._other_child
        self.parser.ProcessingInstructionHandler = self._other_child
        self.parser.EntityDeclHandler = self._refuse_entity

    def report(self, problem: str) -> None:
        self.problems.append((self.parser.CurrentLineNumber, problem))

    def _refuse_entity(self, name: str, *_: object) -> None:
        raise _Refused(f"it declares the entity {name!r}, write the text itself")

    def _start(self, tag: str, _attributes: dict[str, str]) -> None:
        self._other_child()
        self._depth += 1
        expected = {1: "regex-normalize", _RULE_DEPTH: "regex"}.get(self._depth, tag)
        if tag != expected:
            self.report(f"an element <{tag}>, right is <{expected}>")
        if self._depth == _RULE_DEPTH:
            self._pattern = self._substitution = None
        elif self._depth == _FIELD_DEPTH:
            self._text, self._has_child, self._text_is_over = None, False, False
            if tag == "pattern":
                self._line = self.parser.CurrentLineNumber

    def _end(self, tag: str) -> None:
        if self._depth == _FIELD_DEPTH:
            self._end_field(tag)
        elif self._depth == _RULE_DEPTH and self._pattern is not None and self._substitution is not None:
            self.rules.append(RegexRule(self._pattern, self._substitution, self._line))
        self._depth -= 1

    def _end_field(self, tag: str) -> None:
        if not self._has_child:
            self._substitution = ""
        elif tag in ("pattern", "substitution") and self._text is None:
            self.report(f"a <{tag}> that does not begin with text")
        elif tag == "pattern":
            self._pattern = self._text
        elif tag == "substitution":
            self._substitution = self._text

    def _characters(self, text: str) -> None:
        if self._depth == _FIELD_DEPTH and not self._text_is_over:
            self._text = (self._text or "") + text
            self._has_child = True

    def _start_cdata(self) -> None:
        self._next_child()
        self._characters("")

    def _next_child(self) -> None:
        if self._depth == _FIELD_DEPTH:
            self._text_is_over = self._has_child

    def _other_child(self, *_: object) -> None:
        if self._depth == _FIELD_DEPTH:
            self._has_child = self._text_is_over = True
