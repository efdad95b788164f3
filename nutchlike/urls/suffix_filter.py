"""SuffixURLFilter: accepts or rejects URLs by how they end (Nutch: urlfilter-suffix)."""

from __future__ import annotations

import logging
import re
from typing import Self

from nutchlike.contracts import SettingsReader
from nutchlike.urls.rule_text import NO_RULE, UNNAMED, configured_rules, numbered_lines
from nutchlike.urls.url_parts import java_trim, url_parts

logger = logging.getLogger(__name__)

_MODE = re.compile(r"[+-][IP]*")


class SuffixURLFilter:
    """Rejects URLs that end in a line of ``rules`` (mode ``+``), or accepts only those (mode ``-``, the default).

    A line that starts with ``+`` or ``-`` sets the mode, the last one holds. A capital ``I`` anywhere in such a
    line, ``+I`` say, makes the case of letters irrelevant, a ``P`` compares with the path in place of the whole
    URL, so that ``.pdf`` finds ``/a.pdf?x=1``; a text that is no URL is then compared whole. So ``+.png`` is no
    suffix: a mode line that holds more than ``I`` and ``P`` is taken as Nutch does, but with a warning. Lines
    are trimmed, ``#`` begins a comment. The time for one URL depends on how many lengths the suffixes have,
    not on how many they are. ``source`` is what reasons and warnings call the text; ``rules`` is ``None`` when
    there is no rule file.

    A byte order mark does not count, and a missing file is an error. In Nutch the one is part of the first
    line, the other rejects everything; ``strict`` gives that.

    Raises ValueError for missing rules unless ``strict``.
    """

    def __init__(self, rules: str | None, *, source: str = UNNAMED, strict: bool = False) -> None:
        self._source = source
        self._accepts_unknown = False
        self._ignores_case = False
        self._from_path = False
        lines: list[tuple[str, int]] = []
        for number, line in numbered_lines(rules, source=source, strict=strict):
            text = java_trim(line)
            if text.startswith(("+", "-")):
                self._set_mode(text, f"{source}:{number}")
            elif text and not text.startswith("#"):
                lines.append((text, number))
        self._lines: dict[str, int] = {}  # suffix -> its line
        for suffix, number in lines:
            self._lines.setdefault(suffix.lower() if self._ignores_case else suffix, number)
        self._lengths = sorted({len(suffix) for suffix in self._lines})

    @classmethod
    def from_settings(cls, settings: SettingsReader) -> Self:
        """Return the filter that NUTCH_URLFILTER_SUFFIX_RULES or, without it, NUTCH_URLFILTER_SUFFIX_FILE describes.

        Raises ValueError for a file that is missing, naming the places tried; with NUTCH_STRICT it means no rules.
        """
        rules, source = configured_rules(settings, "NUTCH_URLFILTER_SUFFIX")
        return cls(rules, source=source, strict=settings.getbool("NUTCH_STRICT"))

    def filter(self, url: str) -> str | None:
        """Return ``url`` when mode and suffixes accept it, else ``None``."""
        return url if (self._line_of(url) is None) == self._accepts_unknown else None

    def explain(self, url: str) -> tuple[bool, str]:
        """Return whether ``url`` is accepted, and the shortest suffix that fits: ``source:line``."""
        line = self._line_of(url)
        reason = NO_RULE if line is None else f"{self._source}:{line}"
        return (line is None) == self._accepts_unknown, reason

    def _set_mode(self, text: str, where: str) -> None:
        if _MODE.fullmatch(text) is None:
            logger.warning("%s: %r sets the mode and is no suffix, as it starts with a sign", where, text[:100])
        self._accepts_unknown = text.startswith("+")
        self._ignores_case = self._ignores_case or "I" in text
        self._from_path = self._from_path or "P" in text

    def _line_of(self, url: str) -> int | None:
        text = url.lower() if self._ignores_case else url
        if self._from_path:
            text = _path_of(text)
        for length in self._lengths:
            if length > len(text):
                break
            line = self._lines.get(text[-length:])
            if line is not None:
                return line
        return None


def _path_of(url: str) -> str:
    try:
        return url_parts(url).path
    except ValueError:
        return url
