"""DomainDenylistURLFilter: rejects URLs of listed hosts, domains and suffixes (Nutch: urlfilter-domaindenylist)."""

from __future__ import annotations

from typing import Self

from nutchlike.contracts import SettingsReader
from nutchlike.urls.host_list import HostList
from nutchlike.urls.rule_text import NO_RULE, UNNAMED, configured_rules


class DomainDenylistURLFilter:
    """Rejects URLs whose public suffix, registered domain or host is a line of ``rules``, and what is no URL.

    Lines are those of DomainURLFilter. ``source`` is what reasons call the text; ``rules`` is ``None`` when
    there is no rule file.

    A byte order mark does not count, and a missing file is an error. In Nutch the one spoils the first line,
    the other accepts every URL; ``strict`` gives that.

    Raises ValueError for missing rules unless ``strict``.
    """

    def __init__(self, rules: str | None, *, source: str = UNNAMED, strict: bool = False) -> None:
        self._hosts = HostList(rules, source=source, strict=strict)

    @classmethod
    def from_settings(cls, settings: SettingsReader) -> Self:
        """Return the filter that NUTCH_URLFILTER_DOMAINDENYLIST_RULES or, without it, ..._FILE describes.

        Raises ValueError for a file that is missing, naming the places tried; with NUTCH_STRICT it means no rules.
        """
        rules, source = configured_rules(settings, "NUTCH_URLFILTER_DOMAINDENYLIST")
        return cls(rules, source=source, strict=settings.getbool("NUTCH_STRICT"))

    def filter(self, url: str) -> str | None:
        """Return ``url`` when it is a URL and not listed, else ``None``."""
        return url if self.explain(url)[0] else None

    def explain(self, url: str) -> tuple[bool, str]:
        """Return whether ``url`` is accepted, and the most general entry that it falls under: ``source:line``."""
        try:
            entry = self._hosts.entry_of(url)
        except ValueError as error:
            return False, str(error)
        return entry is None, entry or NO_RULE
