"""Whether a link stays on the site of its page."""

from __future__ import annotations

from collections.abc import Callable
from typing import Self

from nutchlike.contracts import SettingsReader
from nutchlike.urls.identity import host_key
from nutchlike.urls.ignore_exempt_rules import IgnoreExemptRules
from nutchlike.urls.registered_domain import registered_domain


def domain_key(url: str) -> str:
    """Return the registered domain of a URL's host, ``a.co.uk`` for ``www.a.co.uk``; ValueError without a host."""
    return registered_domain(host_key(url))


SITE_KEYS: dict[str, Callable[[str], str]] = {"byHost": host_key, "byDomain": domain_key}


class LinkScope:
    """Says which links are followed: those that stay on their page's site, and those that a rule exempts.

    ``mode`` is ``byHost`` (the same host, whatever its case, scheme, port and user info) or ``byDomain`` (the
    same registered domain); ``None`` lets every link pass. A URL without a host is external to all.

    Raises ValueError for another mode. Source: Nutch's db.ignore.external.links and its mode.
    """

    def __init__(self, mode: str | None, *, exempt: IgnoreExemptRules | None = None) -> None:
        if mode is not None and mode not in SITE_KEYS:
            raise ValueError(f"NUTCH_DB_IGNORE_EXTERNAL_LINKS_MODE must be {' or '.join(SITE_KEYS)}, got {mode!r}")
        self._site = SITE_KEYS[mode] if mode is not None else None
        self._exempt = exempt

    @classmethod
    def from_settings(cls, settings: SettingsReader) -> Self:
        """Return the scope that NUTCH_DB_IGNORE_EXTERNAL_LINKS, its mode and its exemptions describe."""
        if not settings.getbool("NUTCH_DB_IGNORE_EXTERNAL_LINKS"):
            return cls(None)
        mode = settings.get("NUTCH_DB_IGNORE_EXTERNAL_LINKS_MODE")
        return cls(mode, exempt=IgnoreExemptRules.from_settings(settings))

    def accepts(self, from_url: str, to_url: str) -> bool:
        """Tell whether the link from ``from_url`` to ``to_url``, both normalized, is followed."""
        if self._site is None:
            return True
        try:
            if self._site(from_url) == self._site(to_url):
                return True
        except ValueError:
            return False
        return self._exempt is not None and self._exempt.is_exempt(from_url, to_url)
