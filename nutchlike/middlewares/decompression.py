"""Unpacks bodies, also those whose labels are wrong: what is cut or damaged is no page."""

from __future__ import annotations

import sys
import zlib
from typing import Self

from scrapy import Request
from scrapy.crawler import Crawler
from scrapy.downloadermiddlewares.httpcompression import HttpCompressionMiddleware
from scrapy.exceptions import IgnoreRequest
from scrapy.http import Response
from scrapy.responsetypes import responsetypes

from nutchlike.parsing.content import is_html, is_labelled_html
from nutchlike.parsing.unpack import GZIP_MAGIC, unpacked, without_gzip

try:  # what Scrapy unpacks by
    import brotli
except ImportError:
    import brotlicffi as brotli
if sys.version_info >= (3, 14):
    from compression import zstd
else:
    from backports import zstd

GZIP_CODINGS = {b"gzip", b"x-gzip"}
_ISIZE_BYTES = 4  # at the end of gzip: the length of what was packed, modulo 2**32 (RFC 1952, 2.3.1)


class BrokenBody(Exception):
    """A body that cannot be unpacked to its end. The page counts as failed: it is tried again later."""


class DecompressionMiddleware(HttpCompressionMiddleware):
    """Scrapy's own, its settings and stats included, with a defined end for what servers do wrong.

    - A body that is not packed, whatever Content-Encoding says, is taken as it is.
    - What breaks off or is damaged raises BrokenBody; Scrapy would take the part before for the page.
    - A body labelled as HTML that is gzip still, packed twice or without a Content-Encoding, is unpacked.
    """

    def __init__(self, crawler: Crawler) -> None:
        super().__init__(crawler=crawler)
        self._crawler = crawler
        self._size_max = crawler.settings.getint("DOWNLOAD_MAXSIZE")

    @classmethod
    def from_crawler(cls, crawler: Crawler) -> Self:
        """Return the middleware; NotConfigured without COMPRESSION_ENABLED."""
        super().from_crawler(crawler)
        return cls(crawler)

    def process_response(self, request: Request, response: Response) -> Response:  # type: ignore[override]  # no spider
        """Return the response with its body unpacked; BrokenBody, saying why, when it cannot be."""
        if request.method == "HEAD":
            return response
        coding = response.headers.get("Content-Encoding")
        if coding is not None:
            response = self._decoded(request, response, coding.strip().lower())
        if response.body.startswith(GZIP_MAGIC) and is_labelled_html(_content_type(response)):
            self._count("packed_twice" if coding is not None else "packed_unsaid")
            return _with_body(response, self._unpacked(response))
        return response

    def _decoded(self, request: Request, response: Response, coding: bytes) -> Response:
        """Return the response without its Content-Encoding, of which ``coding`` is the last header."""
        packed = response.body
        if coding in GZIP_CODINGS and not packed.startswith(GZIP_MAGIC):
            return self._plain(response)
        try:
            decoded = super().process_response(request, response)
        except IgnoreRequest:
            raise
        except Exception as error:  # noqa: BLE001  # each codec has its own
            if is_html("", packed):
                return self._plain(response)
            self._count("broken")
            raise BrokenBody(f"Content-Encoding {coding.decode('latin-1')} cannot be undone: {error}") from None
        assert isinstance(decoded, Response)
        if packed and _breaks_off(coding, packed, len(decoded.body)):
            self._count("broken")
            raise BrokenBody(f"its {coding.decode('latin-1')} breaks off, or is damaged")
        return decoded

    def _plain(self, response: Response) -> Response:
        """Return a response whose Content-Encoding is not true."""
        self._count("not_packed")
        return _with_body(response, response.body)

    def _unpacked(self, response: Response) -> bytes:
        most = max(self._size_max, len(response.body)) if self._size_max else 1 << 62
        try:
            return b"".join(unpacked([response.body], most=most))
        except ValueError as error:
            self._count("broken")
            raise BrokenBody(str(error)) from None

    def _count(self, what: str) -> None:
        self._crawler.stats.inc_value(f"nutch/bodies/{what}")


def _content_type(response: Response) -> str:
    return (response.headers.get("Content-Type") or b"").decode("latin-1")


def _with_body(response: Response, body: bytes) -> Response:
    """Return ``response`` with a body that is not packed, as the class that fits it."""
    headers = response.headers.copy()
    headers.pop("Content-Encoding", None)
    kind = responsetypes.from_args(headers=headers, url=response.url, body=body)
    return response.replace(cls=kind, headers=headers, body=body)


def _breaks_off(coding: bytes, packed: bytes, size: int) -> bool:
    """Return whether a body that gave ``size`` bytes, few enough to be held twice, was not whole."""
    if coding in GZIP_CODINGS:
        return _gzip_breaks_off(packed, size)
    if coding == b"br":
        unbrotli = brotli.Decompressor()
        unbrotli.process(packed)
        return not unbrotli.is_finished()
    if coding == b"zstd":
        unzstd = zstd.ZstdDecompressor()
        unzstd.decompress(packed)
        return not unzstd.eof
    if coding == b"deflate":
        inflate = zlib.decompressobj()
        try:
            inflate.decompress(packed)
        except zlib.error:  # without the header of zlib, as some servers have it
            inflate = zlib.decompressobj(wbits=-zlib.MAX_WBITS)
            inflate.decompress(packed)
        return not inflate.eof
    return False


def _gzip_breaks_off(packed: bytes, size: int) -> bool:
    # only what may be broken is unpacked again: padding behind it, or several members, are no damage
    if int.from_bytes(packed[-_ISIZE_BYTES:], "little") == size & 0xFFFFFFFF:
        return False
    try:
        for _ in without_gzip([packed]):
            pass
    except ValueError:
        return True
    return False
