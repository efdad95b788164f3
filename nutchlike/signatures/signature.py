"""The contract of a signature: the digest by which two fetches are known to hold the same content."""

from __future__ import annotations

from typing import Protocol, Self

from nutchlike.contracts import SettingsReader


class Signature(Protocol):
    """Computes the digest of a page's content (Nutch: ``crawl.Signature``)."""

    @classmethod
    def from_settings(cls, settings: SettingsReader) -> Self:
        """Return the signature that ``settings`` describes; ValueError for a setting out of range."""
        ...

    def calculate(self, *, text: str, content: bytes, url: str) -> bytes:
        """Return the digest of one page.

        ``text`` is the page's visible text ("" when it has none), ``content`` the body as it was received (b"" when
        nothing came), ``url`` the page's address, which is digested when there is nothing else.
        """
        ...
