"""robots.txt as the parsers that Scrapy offers can read it, whatever bytes a site sent."""

from __future__ import annotations

import codecs
import re
from urllib.parse import quote, urljoin

from nutchlike.parsing.unpack import CHUNK_BYTES, GZIP_MAGIC, unpacked

_BOMS = ((codecs.BOM_UTF8, "utf-8"), (codecs.BOM_UTF16_LE, "utf-16-le"), (codecs.BOM_UTF16_BE, "utf-16-be"))
_ESCAPED = re.compile("[\udc80-\udcff]")  # how surrogateescape shows a byte that is no UTF-8

# What Python's splitlines takes for the end of a line; in a robots.txt only CR and LF are (RFC 9309, 2.2).
_NO_LINE_ENDS = re.compile("[\x0b\x0c\x1c-\x1e\x85\u2028\u2029]")
_SITEMAP = re.compile(r"[ \t]*site-?map[ \t]*:[ \t]*([^\s#]+)", re.IGNORECASE)


def part_that_counts(body: bytes, *, most: int) -> bytes:
    """Return the first ``most`` bytes of ``body`` up to the end of a line, without gzip; never raises.

    Half a line would say something else: of ``Disallow: /private`` the first 11 bytes forbid the whole site.
    Of gzip that is damaged the part before counts. Source: RFC 9309, 2.5.
    """
    if body.startswith(GZIP_MAGIC):
        body = _unpacked_part(body, most=most)
    if len(body) <= most:
        return body
    return body[: max(body.rfind(b"\n", 0, most), body.rfind(b"\r", 0, most)) + 1]


def _unpacked_part(body: bytes, *, most: int) -> bytes:
    part = bytearray()
    try:
        for piece in unpacked([body], most=max(len(body), most + CHUNK_BYTES)):
            part += piece
            if len(part) > most:
                break
    except ValueError:
        pass
    return bytes(part)


def as_utf8(body: bytes) -> bytes:
    """Return ``body`` in UTF-8 without a byte order mark and NULs; never raises.

    A byte that is no UTF-8 becomes ``%XX``, as it stands in the URLs of a site in another encoding: a rule with such a
    path goes on to match, and all other lines count. So does a character that only Python takes for the end of a line.
    """
    for mark, encoding in _BOMS:
        if body.startswith(mark):
            text = body[len(mark) :].decode(encoding, "surrogateescape" if encoding == "utf-8" else "replace")
            break
    else:
        text = body.decode("utf-8", "surrogateescape")
    text = _NO_LINE_ENDS.sub(lambda sign: quote(sign[0]), text.replace("\0", ""))
    return _ESCAPED.sub(lambda byte: f"%{ord(byte[0]) - 0xDC00:02X}", text).encode("utf-8", "replace")


def listed_sitemaps(body: bytes, *, url: str) -> list[str]:
    """Return the sitemaps that ``body``, the robots.txt of ``url``, names, each once, in its order; never raises.

    They belong to no group and count for all agents. They should be complete; what is not is relative to ``url``.
    Source: RFC 9309, 2.2.4; sitemaps.org, "Specifying the Sitemap location in your robots.txt file".
    """
    named: dict[str, None] = {}
    for line in re.split(r"[\r\n]+", as_utf8(body).decode("utf-8")):
        if found := _SITEMAP.match(line):
            try:
                sitemap = urljoin(url, found[1])
            except ValueError:
                continue
            if sitemap.lower().startswith(("http://", "https://")):
                named[sitemap] = None
    return list(named)
