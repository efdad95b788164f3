"""QuerystringURLNormalizer: one order for the parameters of a query (Nutch: urlnormalizer-querystring)."""

from __future__ import annotations

from typing import Self

from nutchlike.contracts import SettingsReader
from nutchlike.urls.url_parts import port_suffix, url_parts


class QuerystringURLNormalizer:
    """Sorts the parameters of a query by UTF-16 units, so that ``?b=1&a=2`` and ``?a=2&b=1`` are one page.

    The parts between ``&`` are sorted as they stand, so repeated keys go by their values. Empty parts at the
    end vanish, others come first. A URL with a query loses its user info; one without is left alone. Switch
    it on only for sites whose servers do not care for the order.
    """

    @classmethod
    def from_settings(cls, settings: SettingsReader) -> Self:
        """Return the normalizer; no setting changes it."""
        return cls()

    def normalize(self, url: str) -> str:
        """Return ``url`` with its query sorted; ValueError when it is no URL."""
        parts = url_parts(url)
        if parts.query is None:
            return url
        pairs = parts.query.rstrip("&").split("&")
        pairs.sort(key=_utf16)
        fragment = "" if parts.ref is None else f"#{parts.ref}"
        return f"{parts.protocol}://{parts.host}{port_suffix(parts)}{parts.path}?{'&'.join(pairs)}{fragment}"


def _utf16(text: str) -> bytes:
    return text.encode("utf-16-be", "surrogatepass")
