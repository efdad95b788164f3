"""DomainURLFilter: accepts URLs of listed hosts, domains and suffixes only (Nutch: urlfilter-domain)."""

from __future__ import annotations

from typing import Self

from nutchlike.contracts import SettingsReader
from nutchlike.urls.host_list import HostList
from nutchlike.urls.rule_text import NO_RULE, UNNAMED, configured_rules


class DomainURLFilter:
    """Accepts URLs whose public suffix, registered domain or host is a line of ``rules``; without a line, all.

    ``com`` accepts all of .com, ``a.co.uk`` that domain with all its hosts, ``www.a.co.uk`` one host. Domains
    are those of the ICANN part of the public suffix list, so github.io is a domain. A text that is no URL is
    rejected, unless there is no line. ``source`` is what reasons call the text; ``rules`` is ``None`` when
    there is no rule file.

    A byte order mark does not count, and a missing file is an error. In Nutch the one spoils the first line,
    the other accepts everything; ``strict`` gives that.

    Raises ValueError for missing rules unless ``strict``.
    """

    def __init__(self, rules: str | None, *, source: str = UNNAMED, strict: bool = False) -> None:
        self._hosts = HostList(rules, source=source, strict=strict)

    @classmethod
    def from_settings(cls, settings: SettingsReader) -> Self:
        """Return the filter that NUTCH_URLFILTER_DOMAIN_RULES or, without it, NUTCH_URLFILTER_DOMAIN_FILE describes.

        Raises ValueError for a file that is missing, naming the places tried; with NUTCH_STRICT it means no rules.
        """
        rules, source = configured_rules(settings, "NUTCH_URLFILTER_DOMAIN")
        return cls(rules, source=source, strict=settings.getbool("NUTCH_STRICT"))

    def filter(self, url: str) -> str | None:
        """Return ``url`` when it is listed or nothing is, else ``None``."""
        return url if self.explain(url)[0] else None

    def explain(self, url: str) -> tuple[bool, str]:
        """Return whether ``url`` is accepted, and the most general entry that it falls under: ``source:line``."""
        if not self._hosts:
            return True, NO_RULE
        try:
            entry = self._hosts.entry_of(url)
        except ValueError as error:
            return False, str(error)
        return entry is not None, entry or NO_RULE
