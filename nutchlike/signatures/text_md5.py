"""MD5 of the visible text: markup may change, every character of the text counts."""

from __future__ import annotations

import hashlib
import re
from typing import Self

from nutchlike.contracts import SettingsReader
from nutchlike.signatures.md5 import MD5Signature

_BEYOND_BMP = re.compile("[\U00010000-\U0010ffff]")


class TextMD5Signature:
    """The MD5 digest of the text, or MD5Signature's answer for a page without text.

    Source: Nutch ``crawl.TextMD5Signature``.
    """

    def __init__(self) -> None:
        self._fallback = MD5Signature()

    @classmethod
    def from_settings(cls, settings: SettingsReader) -> Self:
        """Return the signature; it has no settings."""
        return cls()

    def calculate(self, *, text: str, content: bytes, url: str) -> bytes:
        """Return 16 bytes. A text of white space alone is a text; only "" is none."""
        if not text:
            return self._fallback.calculate(text=text, content=content, url=url)
        return hashlib.md5(_cesu8(text), usedforsecurity=False).digest()


def _cesu8(text: str) -> bytes:
    """Return ``text`` as Hadoop's old ``UTF8`` class writes it: each UTF-16 unit encoded alone.

    A character beyond the BMP takes 6 bytes, a lone surrogate 3.
    """
    return _BEYOND_BMP.sub(_surrogate_pair, text).encode("utf-8", "surrogatepass")


def _surrogate_pair(match: re.Match[str]) -> str:
    offset = ord(match.group()) - 0x10000
    return chr(0xD800 + (offset >> 10)) + chr(0xDC00 + (offset & 0x3FF))
