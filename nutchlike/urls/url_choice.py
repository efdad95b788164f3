"""URLChoice: which URLs somebody means who names a host or a pattern."""

from __future__ import annotations

import re
from urllib.parse import urlsplit

from nutchlike.urls.identity import host_key
from nutchlike.urls.java_pattern import JavaPattern, SearchTooLong

_HOST = re.compile(r"(?:[\w-]+(?:\.[\w-]+)*\.?|\[[0-9a-f:.]+\])(:[0-9]+)?", re.IGNORECASE)


class URLChoice:
    """All URLs of a host (``example.org``; with a port those of that alone), or those that a Java regular expression
    fits somewhere: what looks like the name of a host is one, and anything else an expression.

    Raises ValueError for an expression that cannot be used.
    """

    def __init__(self, text: str) -> None:
        host = _HOST.fullmatch(text)
        self.is_host = host is not None
        self._port = host[1] if host is not None else None
        self._host = host_key(f"http://{text}/") if host is not None else ""
        self._pattern = JavaPattern(text) if host is None else None

    def has_site(self, site: str) -> bool:
        """Return whether URLs of this scheme://authority may be meant."""
        if not self.is_host:
            return True
        try:
            is_host = host_key(f"{site}/") == self._host
            return is_host and (self._port is None or urlsplit(site).port == int(self._port[1:]))
        except ValueError:
            return False

    def has_url(self, url: str) -> bool:
        """Return whether this URL, of a site that may be, is meant; one that is searched for too long is not."""
        if self._pattern is None:
            return True
        try:
            return self._pattern.found_in(url)
        except SearchTooLong:
            return False
