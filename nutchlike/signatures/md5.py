"""MD5 of the raw body: any changed byte makes another signature."""

from __future__ import annotations

import hashlib
from typing import Self

from nutchlike.contracts import SettingsReader


class MD5Signature:
    """The MD5 digest of the body's bytes, or of the URL when the body is empty.

    Source: Nutch ``crawl.MD5Signature``.
    """

    @classmethod
    def from_settings(cls, settings: SettingsReader) -> Self:
        """Return the signature; it has no settings."""
        return cls()

    def calculate(self, *, text: str, content: bytes, url: str) -> bytes:
        """Return 16 bytes; ``text`` plays no part.

        The URL is digested as UTF-8, in which Java writes ``?`` for a lone surrogate.
        """
        return hashlib.md5(content or url.encode("utf-8", "replace"), usedforsecurity=False).digest()
