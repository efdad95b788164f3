"""ContentSigner: what a page is known by, as the settings have it, for crawls and commands alike."""

from __future__ import annotations

from dataclasses import replace

from scrapy.settings import BaseSettings

from nutchlike.checked_settings import get_group_mode
from nutchlike.deduplication import grouped_key
from nutchlike.plugins import build_near_duplicates, build_plugin
from nutchlike.signatures.signature import Signature
from nutchlike.signatures.signed_content import SignedContent, sign
from nutchlike.urls.identity import host_key


class ContentSigner:
    """Signs pages by NUTCH_SIGNATURE_CLASS; their keys differ where their groups do."""

    def __init__(self, settings: BaseSettings) -> None:
        """Raise ValueError, naming setting and value, for one that cannot be used."""
        self.signature: Signature = build_plugin(settings, "NUTCH_SIGNATURE_CLASS")
        self._group_mode = get_group_mode(settings)
        self._near = build_near_duplicates(settings)

    def sign(self, *, text: str, title: str, content: bytes, url: str) -> SignedContent:
        """Return what one page is known by; the arguments are those of ``Signature.calculate``."""
        signed = sign(self.signature, text=text, title=title, content=content, url=url)
        return replace(signed, key=grouped_key(signed.key, url, self._group_mode))

    def sketch(self, *, text: str, title: str, url: str) -> bytes | None:
        """Return the sketch by which a page's near duplicates are found, and learn from it what its host repeats.

        ``None`` when they are not looked for (NUTCH_DEDUP_NEAR), or it can only be compared exactly.
        """
        if self._near is None or not text:
            return None
        sketch = self._near.sketch(text, title=title, host=host_key(url))
        if sketch is None:
            return None
        guard = self._near.guard  # pages of different groups never meet
        return sketch[: guard.start] + grouped_key(sketch[guard], url, self._group_mode) + sketch[guard.stop :]
