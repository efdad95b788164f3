"""Sitemaps from a stream of bytes: XML, indexes, lists of URLs, RSS and Atom, each also in gzip."""

from __future__ import annotations

import codecs
import re
from collections.abc import Callable, Collection, Iterable, Iterator
from dataclasses import dataclass
from itertools import chain
from urllib.parse import urlsplit

from nutchlike.parsing.encoding import declared_encoding
from nutchlike.parsing.sitemap_entries import URL_MAX, Listed, entry_of
from nutchlike.parsing.sitemap_xml import SitemapXML
from nutchlike.parsing.unpack import unpacked

PROTOCOL_URLS = 50_000  # entries of one sitemap (sitemaps.org)
PROTOCOL_BYTES = 52_428_800  # bytes of one sitemap, unpacked (sitemaps.org)

_HEAD_BYTES = 1024  # a byte order mark and an XML declaration stand within these
_BLANKS = "\ufeff \t\r\n"
_BOMS = (codecs.BOM_UTF8, codecs.BOM_UTF16_LE, codecs.BOM_UTF16_BE, codecs.BOM_UTF32_LE, codecs.BOM_UTF32_BE)
_NOT_XML = re.compile("[\x00-\x08\x0b\x0c\x0e-\x1f\ud800-\udfff\ufffe\uffff]")  # XML 1.0, 2.2


@dataclass(frozen=True, slots=True)
class SitemapLimits:
    """Where reading a sitemap stops: ``size`` in bytes, packed or not, ``entries`` with those that are refused."""

    size: int = 1 << 30
    entries: int = 5_000_000


def _unheard(text: str) -> None:
    """Tell nobody."""


def read_sitemap(
    chunks: Iterable[bytes],
    *,
    url: str,
    hosts: Collection[str] | None = (),
    limits: SitemapLimits = SitemapLimits(),
    tell: Callable[[str], None] = _unheard,
) -> Iterator[Listed]:
    """Yield the pages and sitemaps that a sitemap lists, in its order, and a reject for each that it may not list.

    ``url`` is where it was had. It may list what is on that host, and on ``hosts``: those whose robots.txt names this
    sitemap (cross submits); ``None`` is any host. What it is, its bytes say: gzip up to two layers deep, XML when it
    begins with ``<``, else one URL a line. Memory does not grow with its length.

    ``tell`` hears of the protocol's own limits (50,000 URLs, 50 MB); beyond them it is read on.

    Raises ValueError, after all that came before, for what is malformed, cut off, hostile, above ``limits``, or no
    sitemap.
    """
    if hosts is not None:
        hosts = {host.lower() for host in hosts} | {(urlsplit(url).hostname or "").lower()}
    texts = _decoded(_measured(unpacked(chunks, most=limits.size), tell))
    first = next(texts, "")
    if not first:
        raise ValueError("it is empty")
    listed = _from_xml(first, texts, url, hosts) if first.startswith("<") else _from_lines(first, texts, hosts)
    for number, one in enumerate(listed, start=1):
        if number > limits.entries:
            raise ValueError(f"it has more than {limits.entries} entries; those before are taken")
        if number == PROTOCOL_URLS + 1:
            tell(f"it has more than the {PROTOCOL_URLS} entries that the protocol allows; they are taken")
        yield one


def _measured(chunks: Iterable[bytes], tell: Callable[[str], None]) -> Iterator[bytes]:
    size = 0
    for chunk in chunks:
        if size <= PROTOCOL_BYTES < size + len(chunk):
            tell(f"it is longer than the {PROTOCOL_BYTES} bytes that the protocol allows; it is read on")
        size += len(chunk)
        yield chunk


def _decoded(chunks: Iterator[bytes]) -> Iterator[str]:
    """Yield the text from its first visible character on, in pieces that are not empty.

    Bytes that mean nothing in the text's encoding become U+FFFD, and so do characters that XML does not allow.
    """
    head, error = _head(chunks)
    decoder = codecs.getincrementaldecoder(_encoding(head))("replace")
    has_begun = False
    for data in chain([head], _then_raise(error) if error else chunks, [b""]):
        text = decoder.decode(data, not data)
        if not has_begun:
            text = text.lstrip(_BLANKS)
        if text:
            has_begun = True
            yield _NOT_XML.sub("\ufffd", text)


def _head(chunks: Iterator[bytes]) -> tuple[bytes, ValueError | None]:
    """Return the first bytes, and the error that ended them: what came before it shall count."""
    head = b""
    try:
        for chunk in chunks:
            head += chunk
            if len(head) >= _HEAD_BYTES:
                break
    except ValueError as error:
        return head, error
    return head, None


def _then_raise(error: ValueError) -> Iterator[bytes]:
    yield from ()
    raise error


def _encoding(head: bytes) -> str:
    """Return the byte order mark's encoding, else that of the XML declaration, else UTF-8.

    A Content-Type is not asked: a sitemap shall be UTF-8, and servers label files that they have not looked into.
    """
    if head.startswith(_BOMS):
        return declared_encoding(head[:4], "")
    if len(head) > 1 and (head[0] == 0) != (head[1] == 0):  # ASCII in two bytes a character
        return "utf-16-be" if head[0] == 0 else "utf-16-le"
    declaration, end, _ = head.lstrip().partition(b"?>")
    if declaration.startswith(b"<?xml") and end:
        return declared_encoding(declaration + end, "")
    return "utf-8"


def _from_xml(first: str, rest: Iterator[str], url: str, hosts: Collection[str] | None) -> Iterator[Listed]:
    xml = SitemapXML(url=url, hosts=hosts)
    try:
        for text in chain([first], rest):
            xml.feed(text)
            yield from xml.take()
        xml.feed("", is_last=True)
    except ValueError:
        yield from xml.take()
        raise
    yield from xml.take()


def _from_lines(first: str, rest: Iterator[str], hosts: Collection[str] | None) -> Iterator[Listed]:
    """Yield an entry for each line; of one without end no more is kept than a URL may have."""
    line = ""
    for text in chain([first], rest):
        if "\ufffd" in text and text.count("\ufffd") * 4 > len(text):
            raise ValueError("it is neither XML nor text")
        *complete, line = re.split("[\r\n]", line + text)
        for one in complete:
            yield from _from_line(one, hosts)
        line = line[: URL_MAX + 1]
    yield from _from_line(line, hosts)


def _from_line(line: str, hosts: Collection[str] | None) -> Iterator[Listed]:
    line = line.strip()
    if line:
        yield entry_of({"loc": line}, hosts=hosts)
