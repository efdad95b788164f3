"""FastURLFilter: expressions that are tried on the hosts they are for only (Nutch: urlfilter-fast)."""

from __future__ import annotations

import logging
import re
from collections.abc import Iterator
from typing import NamedTuple, Self

from nutchlike.contracts import SettingsReader
from nutchlike.urls.java_char_class import UnsupportedJavaRegex
from nutchlike.urls.java_pattern import JavaPattern, SearchTooLong
from nutchlike.urls.java_url import JavaURL
from nutchlike.urls.rule_text import NO_RULE, UNNAMED, configured_rules, numbered_lines
from nutchlike.urls.url_parts import java_trim, url_parts, utf16_units

_EVERYWHERE = "."  # the domain whose rules hold for every URL

logger = logging.getLogger(__name__)

_BLANKS = re.compile(r"[ \t\n\x0b\f\r]+")
_DENY_ALL = re.compile(r"DenyPath(?:Query)?[ \t\n\x0b\f\r]+\.[*?]")
_LENGTH_SETTINGS = {
    "url_max_length": "NUTCH_URLFILTER_FAST_URL_MAX_LENGTH",
    "path_max_length": "NUTCH_URLFILTER_FAST_URL_PATH_MAX_LENGTH",
    "query_max_length": "NUTCH_URLFILTER_FAST_URL_QUERY_MAX_LENGTH",
}


class _Rule(NamedTuple):
    line: int
    pattern: JavaPattern | None  # None denies all
    sees_query: bool

    def denies(self, parts: JavaURL) -> bool:
        """Tell whether the rule denies the URL; raises SearchTooLong."""
        return self.pattern is None or self.pattern.found_in(parts.file if self.sees_query else parts.path)


class FastURLFilter:
    """Rejects URLs by rules for their host, then for its domain and all above, then for every URL.

    ``Host a.test`` begins the rules of one host, ``Domain a.test`` those of that host and all below it,
    ``Domain .`` those of every URL. A rule is ``DenyPath`` or ``DenyPathQuery`` and a Java expression that is
    looked for in the path, or in path and query; it ends at the first blank. ``#`` begins a comment, anywhere.
    ``DenyPath .*`` and ``.?`` deny all. Hosts count as written, so put them in lower case. A rule that cannot
    be read is skipped with a warning. What is no URL is rejected, and so is a URL that an expression takes too
    long for (see ``java_pattern``); what no rule denies is accepted. ``source`` is what reasons call the text.

    The lengths are in UTF-16 units, -1 means no limit.

    A byte order mark does not count unless ``strict``.

    Raises ValueError with ``source:line`` for a ``Host`` or ``Domain`` without a name and for an expression that
    Java takes and we cannot, and for a length below -1 unless ``strict`` (Nutch then rejects everything).
    """

    def __init__(
        self,
        rules: str,
        url_max_length: int = -1,
        path_max_length: int = -1,
        query_max_length: int = -1,
        *,
        source: str = UNNAMED,
        strict: bool = False,
    ) -> None:
        for length in (url_max_length, path_max_length, query_max_length):
            if length < -1 and not strict:
                raise ValueError(f"a maximal length must be at least 0, or -1 for no limit, got {length}")
        self._url_max_length = url_max_length
        self._path_max_length = path_max_length
        self._query_max_length = query_max_length
        self._source = source
        self._hosts: dict[str, list[_Rule]] = {}
        self._domains: dict[str, list[_Rule]] = {}
        self._load(rules, strict)

    @classmethod
    def from_settings(cls, settings: SettingsReader) -> Self:
        """Return the filter that the NUTCH_URLFILTER_FAST_* settings describe.

        NUTCH_URLFILTER_FAST_RULES beats NUTCH_URLFILTER_FAST_FILE. Raises ValueError for a file that is missing,
        naming the places tried, for bad rules, and that names the setting for a bad length.
        """
        rules, source = configured_rules(settings, "NUTCH_URLFILTER_FAST", may_be_missing=False)
        lengths = {argument: _length(settings, name) for argument, name in _LENGTH_SETTINGS.items()}
        return cls(rules, **lengths, source=source, strict=settings.getbool("NUTCH_STRICT"))

    def filter(self, url: str) -> str | None:
        """Return ``url`` unless a rule or a length rejects it, then ``None``."""
        return url if self.explain(url)[0] else None

    def explain(self, url: str) -> tuple[bool, str]:
        """Return whether ``url`` is accepted, and what rejects it: ``source:line``, a length, or what is no URL."""
        if _is_longer(url, self._url_max_length):
            return False, f"longer than {self._url_max_length} characters"
        try:
            parts = url_parts(url)
        except ValueError as error:
            return False, str(error)
        if _is_longer(parts.path, self._path_max_length):
            return False, f"path longer than {self._path_max_length} characters"
        if parts.query is not None and _is_longer(parts.query, self._query_max_length):
            return False, f"query longer than {self._query_max_length} characters"
        for rule in self._rules_for(parts.host):
            try:
                is_denied = rule.denies(parts)
            except SearchTooLong as error:
                return False, str(error)
            if is_denied:
                return False, f"{self._source}:{rule.line}"
        return True, NO_RULE

    def _rules_for(self, host: str) -> Iterator[_Rule]:
        yield from self._hosts.get(host, ())
        yield from self._domains.get(host, ())
        dot = host.find(".")
        while dot != -1:
            yield from self._domains.get(host[dot + 1 :], ())
            dot = host.find(".", dot + 1)
        yield from self._domains.get(_EVERYWHERE, ())

    def _load(self, rules: str, strict: bool) -> None:
        section: list[_Rule] | None = None
        for number, line in numbered_lines(rules, source=self._source, strict=strict):
            text = java_trim(line.partition("#")[0])
            if not text:
                continue
            words = _BLANKS.split(text)
            if text.startswith(("Host", "Domain")):
                if len(words) < 2:
                    raise ValueError(f"{self._source}:{number}: right is 'Host a.test', got {text[:100]!r}")
                sections = self._hosts if text.startswith("Host") else self._domains
                section = sections.setdefault(words[1], [])
            elif section is None:
                logger.warning("%s:%d: rule skipped, it stands before any Host or Domain", self._source, number)
            else:
                rule = self._rule(text, words, number)
                if rule is not None:
                    section.append(rule)

    def _rule(self, text: str, words: list[str], number: int) -> _Rule | None:
        """Return the rule of one line; ``None``, after a warning, for a line that is none."""
        if _DENY_ALL.fullmatch(text):
            return _Rule(number, None, False)
        if not text.startswith("DenyPath") or len(words) < 2:
            logger.warning("%s:%d: skipped, right is 'DenyPath regex', got %r", self._source, number, text[:100])
            return None
        where = f"{self._source}:{number}"
        try:
            return _Rule(number, JavaPattern(words[1], source=where), text.startswith("DenyPathQuery"))
        except UnsupportedJavaRegex as error:
            raise ValueError(f"{where}: {error}") from None
        except ValueError as error:
            logger.warning("%s: rule skipped: %s", where, error)
            return None


def _is_longer(text: str, limit: int) -> bool:
    return limit != -1 and len(utf16_units(text)) > limit


def _length(settings: SettingsReader, name: str) -> int:
    try:
        return settings.getint(name, -1)
    except ValueError:
        raise ValueError(
            f"{name} must be a number of characters, or -1 for no limit, got {settings.get(name)!r}"
        ) from None
