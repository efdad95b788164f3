"""References of a page (``href`` values) made absolute, as a browser reads them."""

from __future__ import annotations

import re
from urllib.parse import quote, urlsplit

# What a crawler can fetch; javascript:, mailto:, tel:, data: and all else is no outlink.
_FETCHED_SCHEMES = frozenset({"http", "https", "ftp", "file"})
_C0_CONTROLS_AND_SPACE = "".join(map(chr, range(0x21)))
_TAB_AND_NEWLINES = {ord("\t"): None, ord("\n"): None, ord("\r"): None}
_SCHEME = re.compile(r"([A-Za-z][A-Za-z0-9+.\-]*):")
# Enough for any scheme that is fetched, so that a data: reference of a megabyte is refused by its first characters.
_SCHEME_CHARACTERS = 64
# What most references are: nothing of them changes but what stands before a path that begins with a slash.
_PLAIN = re.compile(r"(https?://[a-z0-9.\-]+(?::[0-9]+)?)?/(?!/)[!-Z^-~]*")
_NOT_ASCII = re.compile(r"[^\x00-\x7f]+")
_UNICODE = ("utf-8", "utf-16", "utf-32")  # how the codecs begin that need no rewriting
_URL = re.compile(r"(?P<scheme>[A-Za-z][A-Za-z0-9+.\-]*):(?P<authority>//[^/?#]*)?(?P<path>[^?#]*)(?P<query>\?[^#]*)?")


class ReferenceResolver:
    """Makes the references of one page absolute against its base URL (RFC 3986, section 5.2).

    Where browsers are more lenient than the RFC this follows them: white space around a reference, and tabs and line
    breaks inside it, do not count, and ``\\`` is ``/`` before the query.

    ``encoding`` is that of the page, a Python codec: a query is written in it, for that is what the page's server
    expects (WHATWG URL standard, query state). All else of a reference is UTF-8, queries of UTF-16 pages too.
    """

    def __init__(self, base: str, *, encoding: str = "utf-8") -> None:
        self.base = base
        self._query_encoding = None if encoding.startswith(_UNICODE) else encoding
        parts = _URL.match(base)
        self._is_hierarchical = parts is not None and parts["authority"] is not None
        if parts is not None and self._is_hierarchical:
            self._scheme = parts["scheme"].lower()
            self._origin = f"{self._scheme}:{parts['authority']}"
            path = parts["path"] or "/"
            self._document = self._origin + path
            self._folder = path[: path.rindex("/") + 1]

    def absolute(self, reference: str) -> str | None:
        """Return the URL that ``reference`` names, without fragment.

        ``None`` when it names no other document ("" or only a fragment), none that can be fetched (schemes other
        than http, https, ftp and file), no host, or when it is no URL.
        """
        plain = _PLAIN.fullmatch(reference)
        if plain and self._is_hierarchical and "/." not in reference and "#" not in reference:
            return reference if plain[1] else self._origin + reference
        reference = reference.strip(_C0_CONTROLS_AND_SPACE)
        start = reference[:_SCHEME_CHARACTERS]
        scheme = _SCHEME.match(start if start.isprintable() else start.translate(_TAB_AND_NEWLINES))
        if scheme is not None and scheme[1].lower() not in _FETCHED_SCHEMES:
            return None
        if not reference.isprintable():
            reference = reference.translate(_TAB_AND_NEWLINES)
        reference = _with_slashes(reference.partition("#")[0])
        if not reference:
            return None
        if self._query_encoding is not None and not reference.isascii():
            reference = _with_query_in(self._query_encoding, reference)
        if scheme is None:
            return self._relative(reference)
        rest = reference[scheme.end() :]
        if rest.startswith("//"):
            return _valid(scheme[1].lower() + ":" + rest)
        if self._is_hierarchical and scheme[1].lower() == self._scheme and rest:
            return self._relative(rest)
        return None

    def _relative(self, reference: str) -> str | None:
        if not self._is_hierarchical:
            return None
        if reference.startswith("//"):
            return _valid(f"{self._scheme}:{reference}")
        if reference.startswith("?"):
            return self._document + reference
        path, mark, query = reference.partition("?")
        if not path.startswith("/"):
            path = self._folder + path
        if "/." in path:
            path = _without_dot_segments(path)
        return self._origin + path + mark + query


def _with_slashes(reference: str) -> str:
    if "\\" not in reference:
        return reference
    path, mark, query = reference.partition("?")
    return path.replace("\\", "/") + mark + query


def _with_query_in(encoding: str, reference: str) -> str:
    """Return ``reference`` with its query escaped in ``encoding``; what that lacks becomes ``&#1087;``, escaped too."""
    path, mark, query = reference.partition("?")
    escaped = _NOT_ASCII.sub(lambda run: quote(run[0].encode(encoding, "xmlcharrefreplace"), safe=""), query)
    return path + mark + escaped


def _valid(url: str) -> str | None:
    """Return ``url`` with its authority given, or ``None`` when it has no host or one that no URL can have."""
    authority = url.partition("//")[2]
    if not url.startswith("file:") and authority[:1] in ("", "/", "?"):
        return None
    if not url.isascii() or "[" in url or "]" in url:
        try:
            urlsplit(url)
        except ValueError:
            return None
    return url


def _without_dot_segments(path: str) -> str:
    """Return ``path`` (with its leading slash) with ``.`` and ``..`` carried out (RFC 3986, section 5.2.4)."""
    kept: list[str] = []
    segments = path.split("/")[1:]
    for segment in segments:
        if segment == "..":
            del kept[-1:]
        elif segment != ".":
            kept.append(segment)
    if segments[-1] in (".", ".."):
        kept.append("")
    return "/" + "/".join(kept)
