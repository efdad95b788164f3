"""ContentSigner: what a page is known by, as the settings have it, for crawls and commands alike."""

from __future__ import annotations

from dataclasses import replace

from scrapy.settings import BaseSettings

from nutchlike.checked_settings import get_group_mode
from nutchlike.deduplication import grouped_key
from nutchlike.plugins import build_plugin
from nutchlike.signatures.signature import Signature
from nutchlike.signatures.signed_content import SignedContent, sign


class ContentSigner:
    """Signs pages by NUTCH_SIGNATURE_CLASS; their keys differ where their groups do."""

    def __init__(self, settings: BaseSettings) -> None:
        """Raise ValueError, naming setting and value, for one that cannot be used."""
        self.signature: Signature = build_plugin(settings, "NUTCH_SIGNATURE_CLASS")
        self._group_mode = get_group_mode(settings)

    def sign(self, *, text: str, content: bytes, url: str) -> SignedContent:
        """Return what one page is known by; the arguments are those of ``Signature.calculate``."""
        signed = sign(self.signature, text=text, content=content, url=url)
        return replace(signed, key=grouped_key(signed.key, url, self._group_mode))
