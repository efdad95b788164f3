"""RegexURLFilter: the first regular expression that fits decides (Nutch: urlfilter-regex)."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Self

from nutchlike.contracts import SettingsReader
from nutchlike.urls.java_pattern import JavaPattern, PatternSet, SearchTooLong
from nutchlike.urls.java_url import parse_java_url
from nutchlike.urls.registered_domain import registered_domain
from nutchlike.urls.rule_text import NO_RULE, UNNAMED, configured_rules, numbered_lines


@dataclass(frozen=True, slots=True)
class _Rule:
    """One rule; ``host`` is the section that it stands in, ``None`` outside of any."""

    accepts: bool
    pattern: JavaPattern
    host: str | None
    line: int


class RegexURLFilter:
    """Accepts or rejects a URL by the first rule whose expression is found in it; no rule, no entry.

    ``rules`` is the text of a rule file: ``+regex`` accepts, ``-regex`` rejects, lines that start with ``#`` or
    a blank and empty lines are comments, ``> host`` up to ``<`` limits the rules between to that host or
    registered domain. Expressions are Java's, see ``java_pattern``. ``source`` is what reasons and errors call
    the text.

    A byte order mark, and trailing blanks without a backslash before them, do not count. In Nutch they do: the
    one as an error, the others as part of an expression that then never matches. ``strict`` gives Nutch's way.

    A search that takes longer than 0.1 s is given up, counted in ``timeouts``, and the URL rejected.

    Raises ValueError with ``source:line`` for a line that is no rule and for a bad expression.
    """

    def __init__(self, rules: str, *, source: str = UNNAMED, strict: bool = False) -> None:
        self._rules = tuple(_parsed(rules, source, strict))
        self._has_sections = any(rule.host is not None for rule in self._rules)
        self._patterns = PatternSet([rule.pattern for rule in self._rules])
        self._source = source

    @property
    def timeouts(self) -> int:
        """How many searches were given up so far; each one rejected a URL."""
        return sum(rule.pattern.timeouts for rule in self._rules)

    @classmethod
    def from_settings(cls, settings: SettingsReader) -> Self:
        """Return the filter that the settings describe.

        NUTCH_URLFILTER_REGEX_RULES, the rules themselves, beats NUTCH_URLFILTER_REGEX_FILE, their file.
        Raises ValueError for a file that is missing or empty (naming the places tried) and for bad rules.
        """
        rules, source = configured_rules(settings, "NUTCH_URLFILTER_REGEX", may_be_missing=False)
        return cls(rules, source=source, strict=settings.getbool("NUTCH_STRICT"))

    def filter(self, url: str) -> str | None:
        """Return ``url`` when a rule accepts it, else ``None``."""
        try:
            rule = self._deciding_rule(url)
        except SearchTooLong:
            return None
        return url if rule is not None and rule.accepts else None

    def explain(self, url: str) -> tuple[bool, str]:
        """Return whether ``url`` is accepted, and the rule that says so: ``source:line`` or ``no rule matched``."""
        try:
            rule = self._deciding_rule(url)
        except SearchTooLong as error:
            return False, str(error)
        return (False, NO_RULE) if rule is None else (rule.accepts, f"{self._source}:{rule.line}")

    def _deciding_rule(self, url: str) -> _Rule | None:
        sections = _sections_of(url) if self._has_sections else ()
        for number in self._patterns.found_in(url):
            rule = self._rules[number]
            if rule.host is None or rule.host in sections:
                return rule
        return None


def _sections_of(url: str) -> tuple[str, ...]:
    """Return the section names that apply to ``url``: its host and its registered domain."""
    try:
        host = parse_java_url(url).host.lower()
    except ValueError:
        return ()
    return (host, registered_domain(host)) if host else (host,)


def _without_trailing_blanks(line: str) -> str:
    bare = line.rstrip(" \t")
    backslashes = len(bare) - len(bare.rstrip("\\"))
    return line[: len(bare) + 1] if backslashes % 2 else bare


def _parsed(rules: str, source: str, strict: bool) -> Iterator[_Rule]:
    host: str | None = None
    for number, read in numbered_lines(rules, source=source, strict=strict):
        line = read if strict else _without_trailing_blanks(read)
        kind, rest = line[:1], line[1:]
        if kind in ("", "#", " "):
            continue
        if kind == ">":
            host = rest.strip()
        elif kind == "<":
            host = None
        elif kind in "+-":
            try:
                pattern = JavaPattern(rest, source=f"{source}:{number}")
            except ValueError as error:
                raise ValueError(f"{source}:{number}: {error}") from None
            yield _Rule(kind == "+", pattern, host, number)
        else:
            raise ValueError(
                f"{source}:{number}: a rule starts with '+' or '-', a comment with '#', got {line[:100]!r}"
            )
