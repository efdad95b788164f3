"""PrefixURLFilter: accepts URLs that begin with one of many texts (Nutch: urlfilter-prefix)."""

from __future__ import annotations

from typing import Self

from nutchlike.contracts import SettingsReader
from nutchlike.urls.rule_text import NO_RULE, UNNAMED, configured_rules, numbered_lines


class PrefixURLFilter:
    """Accepts a URL that begins with a line of ``rules``, and no other.

    Lines that start with ``#`` or a space, and empty ones, are comments. Rules without a prefix reject
    everything. The time for one URL depends on how many lengths the prefixes have, not on how many they are.
    ``source`` is what reasons call the text; ``rules`` is ``None`` when there is no rule file.

    A byte order mark and trailing blanks do not count, and a missing file is an error. In Nutch they are part
    of a prefix, and a missing file rejects everything; ``strict`` gives that.

    Raises ValueError for missing rules unless ``strict``.
    """

    def __init__(self, rules: str | None, *, source: str = UNNAMED, strict: bool = False) -> None:
        self._source = source
        self._lines: dict[str, int] = {}  # prefix -> its line
        for number, line in numbered_lines(rules, source=source, strict=strict):
            prefix = line if strict else line.rstrip(" \t")
            if prefix and prefix[0] not in "# ":
                self._lines.setdefault(prefix, number)
        self._lengths = sorted({len(prefix) for prefix in self._lines})

    @classmethod
    def from_settings(cls, settings: SettingsReader) -> Self:
        """Return the filter that NUTCH_URLFILTER_PREFIX_RULES or, without it, NUTCH_URLFILTER_PREFIX_FILE describes.

        Raises ValueError for a file that is missing, naming the places tried; with NUTCH_STRICT it means no rules.
        """
        rules, source = configured_rules(settings, "NUTCH_URLFILTER_PREFIX")
        return cls(rules, source=source, strict=settings.getbool("NUTCH_STRICT"))

    def filter(self, url: str) -> str | None:
        """Return ``url`` when it begins with a prefix, else ``None``."""
        return None if self._line_of(url) is None else url

    def explain(self, url: str) -> tuple[bool, str]:
        """Return whether ``url`` is accepted, and the shortest prefix that fits: ``source:line``."""
        line = self._line_of(url)
        return (False, NO_RULE) if line is None else (True, f"{self._source}:{line}")

    def _line_of(self, url: str) -> int | None:
        for length in self._lengths:
            line = self._lines.get(url[:length])
            if line is not None:
                return line
        return None
