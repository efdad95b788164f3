"""IgnoreExemptRules: external links that are followed all the same (Nutch: urlfilter-ignoreexempt)."""

from __future__ import annotations

from typing import Self

from nutchlike.contracts import SettingsReader
from nutchlike.urls.regex_filter import RegexURLFilter
from nutchlike.urls.rule_text import UNNAMED, configured_rules


class IgnoreExemptRules:
    """Says which links to other hosts NUTCH_DB_IGNORE_EXTERNAL_LINKS does not hold for.

    ``rules`` has the form of RegexURLFilter's: the first expression that is found in the target decides, ``+``
    exempts the link, ``-`` does not, and without a match it is not exempt. The page that has the link does not
    matter, as in Nutch.

    Raises ValueError with ``source:line`` for a bad rule.
    """

    def __init__(self, rules: str, *, source: str = UNNAMED, strict: bool = False) -> None:
        self._targets = RegexURLFilter(rules, source=source, strict=strict)

    @classmethod
    def from_settings(cls, settings: SettingsReader) -> Self:
        """Return the rules that NUTCH_DB_IGNORE_EXTERNAL_EXEMPTIONS_RULES or, without it, ..._FILE describes.

        Raises ValueError for bad rules, and for a file that is missing, naming the places tried.
        """
        prefix = "NUTCH_DB_IGNORE_EXTERNAL_EXEMPTIONS"
        rules, source = configured_rules(settings, prefix, may_be_missing=False)
        return cls(rules, source=source, strict=settings.getbool("NUTCH_STRICT"))

    def is_exempt(self, from_url: str, to_url: str) -> bool:
        """Tell whether the link from ``from_url`` to ``to_url`` is followed although it leaves the host."""
        return self._targets.filter(to_url) is not None

    def explain(self, from_url: str, to_url: str) -> tuple[bool, str]:
        """Return whether the link is exempt, and the rule that says so: ``source:line``."""
        return self._targets.explain(to_url)
