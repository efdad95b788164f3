"""AutomatonURLFilter: the first expression that describes the whole URL decides (Nutch: urlfilter-automaton)."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Self

from nutchlike.contracts import SettingsReader
from nutchlike.urls.brics_automaton import BricsAutomaton
from nutchlike.urls.registered_domain import registered_domain
from nutchlike.urls.rule_text import NO_RULE, UNNAMED, configured_rules, numbered_lines
from nutchlike.urls.url_parts import url_parts


@dataclass(frozen=True, slots=True)
class _Rule:
    """One rule; ``host`` is the section that it stands in, ``None`` outside of any."""

    accepts: bool
    automaton: BricsAutomaton
    host: str | None
    line: int


class AutomatonURLFilter:
    """Accepts or rejects a URL by the first rule that describes all of it; no rule, no entry.

    The lines of ``rules`` are those of RegexURLFilter, the expressions those of dk.brics.automaton, complement
    ``~`` and intersection ``&`` included: see ``brics_syntax``. A match takes time that grows with the URL only,
    whatever the expression. ``source`` is what reasons and errors call the text.

    A byte order mark, and trailing blanks without a backslash before them, do not count. In Nutch the one is an
    error, the others are part of the expression; ``strict`` gives Nutch's way.

    Raises ValueError with ``source:line`` for a line that is no rule and for a bad expression.
    """

    def __init__(self, rules: str, *, source: str = UNNAMED, strict: bool = False) -> None:
        self._source = source
        self._rules = tuple(_parsed(rules, source, strict))
        self._has_sections = any(rule.host is not None for rule in self._rules)

    @classmethod
    def from_settings(cls, settings: SettingsReader) -> Self:
        """Return the filter that NUTCH_URLFILTER_AUTOMATON_RULES or, without it, ..._FILE describes.

        Raises ValueError for bad rules, and for a file that is missing or empty, naming the places tried.
        """
        rules, source = configured_rules(settings, "NUTCH_URLFILTER_AUTOMATON", may_be_missing=False)
        return cls(rules, source=source, strict=settings.getbool("NUTCH_STRICT"))

    def filter(self, url: str) -> str | None:
        """Return ``url`` when a rule accepts it, else ``None``."""
        rule = self._deciding_rule(url)
        return url if rule is not None and rule.accepts else None

    def explain(self, url: str) -> tuple[bool, str]:
        """Return whether ``url`` is accepted, and the rule that says so: ``source:line`` or ``no rule matched``."""
        rule = self._deciding_rule(url)
        return (False, NO_RULE) if rule is None else (rule.accepts, f"{self._source}:{rule.line}")

    def _deciding_rule(self, url: str) -> _Rule | None:
        sections = _sections_of(url) if self._has_sections else ()
        for rule in self._rules:
            if (rule.host is None or rule.host in sections) and rule.automaton.accepts(url):
                return rule
        return None


def _sections_of(url: str) -> tuple[str, ...]:
    try:
        host = url_parts(url).host.lower()
    except ValueError:
        return ()
    return (host, registered_domain(host))


def _parsed(rules: str, source: str, strict: bool) -> Iterator[_Rule]:
    host: str | None = None
    for number, line in numbered_lines(rules, source=source, strict=strict):
        sign, rest = line[:1], line[1:] if strict else _without_trailing_blanks(line[1:])
        if sign in ("", "#", " "):
            continue
        if sign == ">":
            host = rest.strip()
        elif sign == "<":
            host = None
        elif sign in "+-":
            try:
                yield _Rule(sign == "+", BricsAutomaton(rest), host, number)
            except ValueError as error:
                raise ValueError(f"{source}:{number}: {error}") from None
        else:
            raise ValueError(
                f"{source}:{number}: a rule starts with '+' or '-', a comment with '#', got {line[:100]!r}"
            )


def _without_trailing_blanks(text: str) -> str:
    bare = text.rstrip(" \t")
    backslashes = len(bare) - len(bare.rstrip("\\"))
    return text[: len(bare) + 1] if backslashes % 2 else bare
