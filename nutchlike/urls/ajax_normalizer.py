"""AjaxURLNormalizer: ``#!`` URLs in the form that a server understands (Nutch: urlnormalizer-ajax)."""

from __future__ import annotations

from typing import Self

from nutchlike.contracts import SettingsReader
from nutchlike.urls.java_pattern import JavaPattern, SearchTooLong
from nutchlike.urls.java_url import url_decoded
from nutchlike.urls.url_parts import port_suffix, url_parts

SCOPE_DEFAULT = "default"
SCOPE_INDEXER = "indexer"  # Nutch's name of the step that hands pages to a search engine

_HASH_BANG = "#!"
_PARAMETER = "_escaped_fragment_="
# Bytes that are escaped: up to the space, "#", "%", "&", "+", and all that is no ASCII
_ESCAPED_BYTES = frozenset([*range(0x21), *b"#%&+", *range(0x80, 0x100)])


class AjaxURLNormalizer:
    """Turns ``/#!k=v`` into ``/?_escaped_fragment_=k=v``, which can be fetched; in the scope ``indexer`` back.

    ``scope`` is one of Nutch's names; all but ``indexer`` do the same. On the way back all that follows the
    first ``&`` of the query is taken for the fragment, and the URL loses its user info, as in Nutch. Nutch takes
    what it cuts out for a regular expression, so that ``a*b`` stays in the query too; ``strict`` gives that.
    Source: Google's AJAX crawling scheme of 2009.
    """

    def __init__(self, scope: str = SCOPE_DEFAULT, *, strict: bool = False) -> None:
        self._is_indexer = scope == SCOPE_INDEXER
        self._strict = strict

    @classmethod
    def from_settings(cls, settings: SettingsReader, *, scope: str = SCOPE_DEFAULT) -> Self:
        """Return the normalizer of ``scope``; NUTCH_STRICT is the only setting that it knows."""
        return cls(scope, strict=settings.getbool("NUTCH_STRICT"))

    def normalize(self, url: str) -> str:
        """Return ``url`` in the form of the scope.

        Raises ValueError when ``url`` would change and is no URL, or has the parameter outside of a query.
        """
        if self._is_indexer and _PARAMETER in url:
            return self._with_fragment(url)
        return _with_parameter(url) if _HASH_BANG in url else url

    def _with_fragment(self, url: str) -> str:
        parts = url_parts(url)
        if parts.query is None:
            raise ValueError(f"{_PARAMETER!r} belongs into a query, got {url[:100]!r}")
        first, ampersand, rest = parts.query.partition("&")
        query, pair = (self._without(f"&{rest}", parts.query), rest) if ampersand else ("", first)
        fragment = _decoded(pair.replace(_PARAMETER, "", 1))
        query = f"?{query}" if query else ""
        return f"{parts.protocol}://{parts.host}{port_suffix(parts)}{parts.path}{query}{_HASH_BANG}{fragment}"

    def _without(self, part: str, query: str) -> str:
        if not self._strict:
            return query.removesuffix(part)
        try:
            found = next(JavaPattern(part).matches(query), None)
        except SearchTooLong as error:
            raise ValueError(str(error)) from None
        if found is None:
            return query
        start, end = found.span()
        return query[:start] + query[end:]


def _with_parameter(url: str) -> str:
    separator = "?" if url_parts(url).query is None else "&"
    page, _, fragment = url.partition(_HASH_BANG)
    return f"{page}{separator}{_PARAMETER}{_escaped(fragment)}"


def _escaped(fragment: str) -> str:
    data = fragment.encode("utf-8", "replace")
    return "".join(f"%{byte:02X}" if byte in _ESCAPED_BYTES else chr(byte) for byte in data)


def _decoded(fragment: str) -> str:
    try:
        return url_decoded(fragment)
    except ValueError:
        return fragment
