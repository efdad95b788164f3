"""Solr's signature: Jenkins' lookup3 over the visible text, 64 bits."""

from __future__ import annotations

import re
import struct
from typing import Self

from nutchlike.contracts import SettingsReader

_BITS_32 = 0xFFFFFFFF
_BITS_64 = 0xFFFFFFFFFFFFFFFF
_HIGH_SURROGATE = re.compile("[\ud800-\udbff]")


class Lookup3Signature:
    """The 64-bit lookup3 hash of the text, or of the body's bytes when there is no text, or else of the URL.

    The text comes first because Solr hashes the strings of a document's fields. A byte of the body counts as one
    character. Arithmetic in Python makes it slow: some 2 million characters a second.

    Source: Solr ``update.processor.Lookup3Signature``.
    """

    @classmethod
    def from_settings(cls, settings: SettingsReader) -> Self:
        """Return the signature; it has no settings."""
        return cls()

    def calculate(self, *, text: str, content: bytes, url: str) -> bytes:
        """Return 8 bytes, most significant first as Solr writes them. A text of white space alone is a text."""
        return lookup3ycs64(text or content.decode("latin-1") or url).to_bytes(8, "big")


def lookup3ycs64(text: str, seed: int = 0) -> int:
    """Return the hash of the characters of ``text``, 0 to 2**64 - 1, with ``seed`` from the same range.

    For several strings the hash of one is the seed of the next. The length has no part in it: ``b`` is the high half,
    and ``c``, taken for a negative number when its first bit is set, is added to it.

    Sources: Bob Jenkins, lookup3.c, 2006 (public domain); Solr ``common.util.Hash.lookup3ycs64``.
    """
    codes = _code_points(text)
    a = b = (0xDEADBEEF + seed) & _BITS_32
    c = (a + (seed >> 32)) & _BITS_32
    if codes:
        last = (len(codes) - 1) // 3 * 3
        for start in range(0, last, 3):
            a, b, c = _mixed(a + codes[start], b + codes[start + 1], c + codes[start + 2])
        rest = [*codes[last:], 0, 0]
        b, c = _finished(a + rest[0], b + rest[1], c + rest[2])
    return ((b << 32) + c - (c >> 31 << 32)) & _BITS_64


def _mixed(a: int, b: int, c: int) -> tuple[int, int, int]:
    """Return lookup3's ``mix`` of three sums, whose six lines are one with the names moved on."""
    c &= _BITS_32
    for bits in (4, 6, 8, 16, 19, 4):
        a, b, c = b, b + c, (a - c & _BITS_32) ^ (c << bits & _BITS_32 | c >> 32 - bits)
    return a & _BITS_32, b & _BITS_32, c


def _finished(a: int, b: int, c: int) -> tuple[int, int]:
    """Return the ``b`` and ``c`` of lookup3's ``final``, whose seven lines are one with the names moved on."""
    a, b, c = a & _BITS_32, b & _BITS_32, c & _BITS_32
    for bits in (14, 11, 25, 16, 4, 14, 24):
        a, b, c = b, (c ^ b) - (b << bits & _BITS_32 | b >> 32 - bits) & _BITS_32, a
    return a, b


def _code_points(text: str) -> list[int]:
    """Return the characters as Java reads them: a high surrogate and whatever UTF-16 unit follows are one."""
    if not _HIGH_SURROGATE.search(text):
        return list(map(ord, text))
    units = text.encode("utf-16-le", "surrogatepass")
    rest = iter(struct.unpack(f"<{len(units) // 2}H", units))
    codes = []
    for unit in rest:
        low = next(rest, None) if 0xD800 <= unit < 0xDC00 else None
        codes.append(unit if low is None else 0x10000 + (unit - 0xD800 << 10) + low - 0xDC00)
    return codes
