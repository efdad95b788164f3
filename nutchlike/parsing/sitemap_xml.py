"""The XML of sitemaps, their indexes, RSS and Atom feeds, read piece by piece.

Expat, with a DOCTYPE's declarations refused: it is fed in pieces and builds no tree, so that memory is bounded by one
tag, and ``CurrentByteIndex`` tells how much it holds back. defusedxml's readers refuse the same declarations, but hold
a tag of any size; lxml's pull parser builds a tree, and how much of an attribute it holds depends on its libxml2.
"""

from __future__ import annotations

import html
from collections.abc import Collection
from urllib.parse import urljoin
from xml.parsers import expat

from nutchlike.parsing.sitemap_entries import URL_MAX, Listed, SitemapReject, entry_of, link_of

DEPTH_MAX = 100  # open elements; XHTML inside feeds needs some
TOKEN_MAX = 1 << 20  # bytes of one tag or comment
_ENTRY_OF_ROOT = {
    # by root element: which elements are entries; an index that has pages, too, gives both
    "urlset": {"url", "sitemap"},
    "sitemapindex": {"url", "sitemap"},
    "rss": {"item"},
    "rdf": {"item"},
    "feed": {"entry"},
}
_FIELDS = {
    "loc": "loc",
    "lastmod": "lastmod",
    "changefreq": "changefreq",
    "priority": "priority",
    # RSS, and Dublin Core in it
    "link": "link",
    "guid": "guid",
    "pubdate": "lastmod",
    "date": "lastmod",
    # Atom
    "updated": "lastmod",
    "published": "published",
}


class SitemapXML:
    """Takes text in pieces, and gives the entries that are complete.

    Only the structure counts: names are compared without prefix and case, namespaces not at all, and a field counts
    when it stands directly in its entry (an image's ``loc`` does not). ``url`` is what relative links of an Atom
    feed are relative to (its xml:base comes first); all other URLs must be complete.
    """

    def __init__(self, *, url: str, hosts: Collection[str] | None) -> None:
        self._hosts = hosts
        self._found: list[Listed] = []
        self._open: list[str] = []
        self._bases = [url]
        self._entries: set[str] = set()
        self._entry_depth = 0  # open elements when the entry began, it included; 0 = outside of any
        self._fields: dict[str, str] = {}
        self._field: str | None = None
        self._text: list[str] = []
        self._text_length = 0
        self._is_permalink = True
        self._fed = 0
        self._parser = self._new_parser()

    def feed(self, text: str, *, is_last: bool = False) -> None:
        """Read on; ValueError for what is malformed, hostile, or no sitemap (``take`` then has what came before)."""
        data = text.encode("utf-8", "replace")
        self._fed += len(data)
        try:
            self._parser.Parse(data, is_last)
        except expat.ExpatError as error:
            raise ValueError(f"its XML is malformed: {error}") from error
        if not is_last and self._fed - max(self._parser.CurrentByteIndex, 0) > TOKEN_MAX:
            raise ValueError(f"it has a tag or comment of more than {TOKEN_MAX} bytes")

    def take(self) -> list[Listed]:
        """Return what was completed since the last call."""
        found, self._found = self._found, []
        return found

    def _new_parser(self) -> expat.XMLParserType:
        parser = expat.ParserCreate("utf-8")  # whatever the declaration says: the text is decoded
        parser.buffer_text = True
        parser.UseForeignDTD(True)  # else a &nbsp; would end the document; no DTD is ever read
        parser.StartDoctypeDeclHandler = self._doctype
        parser.StartElementHandler = self._start
        parser.EndElementHandler = self._end
        parser.CharacterDataHandler = self._characters
        parser.SkippedEntityHandler = self._unknown_entity
        return parser

    def _doctype(self, name: str, system: str | None, public: str | None, has_declarations: int) -> None:
        if has_declarations:
            raise ValueError("its DOCTYPE has declarations of its own, which no sitemap needs and bombs are made of")

    def _start(self, name: str, attributes: dict[str, str]) -> None:
        if len(self._open) >= DEPTH_MAX:
            raise ValueError(f"its elements are nested more than {DEPTH_MAX} deep")
        local = name.rpartition(":")[2].lower()
        if not self._open:
            if local not in _ENTRY_OF_ROOT:
                raise ValueError(f"a sitemap must be urlset, sitemapindex, rss, rdf:RDF or feed, got {name[:100]!r}")
            self._entries = _ENTRY_OF_ROOT[local]
        self._open.append(local)
        self._bases.append(_joined(self._bases[-1], attributes.get("xml:base", "").strip()))
        depth = len(self._open)
        if not self._entry_depth:
            if local in self._entries:
                self._entry_depth, self._fields, self._is_permalink = depth, {}, True
        elif depth == self._entry_depth + 1 and local in _FIELDS:
            self._field, self._text, self._text_length = _FIELDS[local], [], 0
            if local == "link" and attributes.get("rel", "alternate") == "alternate" and "href" in attributes:
                self._fields.setdefault("href", _joined(self._bases[-1], attributes["href"].strip()))
            elif local == "guid":
                self._is_permalink = attributes.get("isPermaLink", "true").strip().lower() == "true"

    def _characters(self, text: str) -> None:
        if self._field is not None and len(self._open) == self._entry_depth + 1 and self._text_length <= URL_MAX:
            self._text.append(text[: URL_MAX + 1])
            self._text_length += len(self._text[-1])

    def _unknown_entity(self, name: str, is_parameter: bool) -> None:
        """Read an entity that nobody declared as HTML does: feeds have &nbsp; and the like."""
        if not is_parameter:
            self._characters(html.unescape(f"&{name};"))

    def _end(self, name: str) -> None:
        depth = len(self._open)
        local = self._open.pop()
        self._bases.pop()
        if self._field is not None and depth == self._entry_depth + 1:
            text = "".join(self._text).strip()
            if text:
                self._fields.setdefault(self._field, text)
            self._field = None
        elif depth == self._entry_depth:
            self._entry_depth = 0
            self._found.append(self._completed(local))

    def _completed(self, entry: str) -> Listed:
        fields = self._fields
        if entry == "sitemap":
            return link_of(fields, hosts=self._hosts)
        if entry == "item":
            guid = fields.get("guid", "") if self._is_permalink else ""
            fields["loc"] = fields.get("link") or guid or fields.get("href", "")
        elif entry == "entry":
            fields["loc"] = fields.get("href", "")
            fields.setdefault("lastmod", fields.get("published", ""))
        if not fields.get("loc"):
            return SitemapReject("", f"an element {entry!r} names no URL")
        return entry_of(fields, hosts=self._hosts)


def _joined(base: str, reference: str) -> str:
    """Return what ``reference`` means at ``base``; as it is written where that cannot be told."""
    if not reference:
        return base
    reference = reference[: URL_MAX + 1]
    try:
        return urljoin(base, reference)
    except ValueError:
        return reference
