"""RegexURLNormalizer: rewrites what regular expressions find (Nutch: urlnormalizer-regex)."""

from __future__ import annotations

import logging
from dataclasses import dataclass
from typing import Self

from nutchlike.contracts import SettingsReader
from nutchlike.urls.java_char_class import UnsupportedJavaRegex
from nutchlike.urls.java_pattern import JavaPattern, PatternSet, SearchTooLong
from nutchlike.urls.java_replacement import JavaReplacement, parse_java_replacement, replace_all
from nutchlike.urls.regex_rules_xml import RegexRule, read_regex_rules
from nutchlike.urls.rule_text import configured_rules, rules_of_file

logger = logging.getLogger(__name__)

_PREFIX = "NUTCH_URLNORMALIZER_REGEX"


@dataclass(frozen=True, slots=True)
class _Rule:
    """``replacement`` is the message when the substitution is bad: Nutch notices at the first match only."""

    pattern: JavaPattern
    replacement: JavaReplacement | str


class RegexURLNormalizer:
    """Replaces each match of each rule, in order, in the URL that the rule before left.

    ``rules`` is the XML of Nutch's regex-normalize.xml, expressions and substitutions being Java's (see
    ``java_pattern``, ``java_replacement``). ``source`` is what messages call it. A rule whose expression Java
    refuses is logged as an error with its line, and left out; the others work. A URL that meets a bad
    substitution is refused. Where the text stops being XML the rules end, with an error; ``strict`` drops those
    before that place too, as Nutch does.

    A search that takes longer than 0.1 s is given up, counted in ``timeouts``, and its rule changes nothing.

    Raises ValueError with ``source:line`` for an expression that Java knows and that cannot be translated.
    """

    def __init__(self, rules: str, *, source: str = "<rules>", strict: bool = False) -> None:
        read = read_regex_rules(rules)
        for line, problem in read.problems:
            logger.error("%s:%d: %s", source, line, problem)
        is_dropped = strict and not read.is_whole
        compiled = [] if is_dropped else [_compiled(rule, f"{source}:{rule.line}") for rule in read.rules]
        self._rules = [rule for rule in compiled if rule is not None]
        self._patterns = PatternSet([rule.pattern for rule in self._rules])

    @classmethod
    def from_settings(cls, settings: SettingsReader, *, scope: str | None = None) -> Self:
        """Return the normalizer that the settings describe, for URLs of the given ``scope``.

        The file of the scope, NUTCH_URLNORMALIZER_REGEX_FILE_<SCOPE>, comes first. Without it
        NUTCH_URLNORMALIZER_REGEX_RULES, the rules themselves, beats NUTCH_URLNORMALIZER_REGEX_FILE.
        Raises ValueError for a file that is missing or empty (naming the places tried) and for bad rules.
        """
        strict = settings.getbool("NUTCH_STRICT")
        setting = f"{_PREFIX}_FILE_{_setting_suffix(scope or '')}"
        name = settings.get(setting) if scope else None
        if not name:
            text, source = configured_rules(settings, _PREFIX)
            return cls(text, source=source, strict=strict)
        text, source = rules_of_file(settings, setting, name)
        return cls(text, source=source, strict=strict)

    @property
    def timeouts(self) -> int:
        """How many searches were given up so far."""
        return sum(rule.pattern.timeouts for rule in self._rules)

    def normalize(self, url: str) -> str:
        """Return ``url`` after all rules; ValueError when one that fits has a bad substitution."""
        candidates = self._patterns.candidates(url)
        for number, rule in enumerate(self._rules):
            if number not in candidates:
                continue
            try:
                replaced = _replaced(rule, url)
            except SearchTooLong:
                continue
            if replaced != url:
                url = replaced
                candidates = self._patterns.candidates(url)
        return url


def _replaced(rule: _Rule, url: str) -> str:
    if isinstance(rule.replacement, JavaReplacement):
        return replace_all(rule.pattern, rule.replacement, url)
    if rule.pattern.found_in(url):
        raise ValueError(rule.replacement)
    return url


def _setting_suffix(scope: str) -> str:
    return scope.upper().replace(".", "_").replace("-", "_")


def _compiled(rule: RegexRule, source: str) -> _Rule | None:
    """Return the rule ready for use, or ``None``, with an error in the log, when its expression is bad."""
    try:
        pattern = JavaPattern(rule.pattern, source=source)
    except UnsupportedJavaRegex as error:
        raise ValueError(f"{source}: {error}") from None
    except ValueError as error:
        logger.error("%s: rule left out: %s", source, error)
        return None
    try:
        return _Rule(pattern, parse_java_replacement(rule.substitution, pattern))
    except ValueError as error:
        logger.error("%s: no URL passes that the rule fits: %s", source, error)
        return _Rule(pattern, f"{source}: {error}")
