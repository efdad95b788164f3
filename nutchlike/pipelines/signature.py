"""Sets ``item.signature``, and the key under which the page claims its content."""

from __future__ import annotations

from typing import Any

from scrapy.crawler import Crawler

from nutchlike.items import PageItem
from nutchlike.plugins import build_plugin
from nutchlike.signatures.dedup_key import dedup_key, short_digest
from nutchlike.signatures.signature import Signature
from nutchlike.signatures.text_profile import TextProfileSignature
from nutchlike.wiring import scheduler_of


class SignaturePipeline:
    """Computes NUTCH_SIGNATURE_CLASS over the item's text (the response body where there is no text)."""

    def __init__(self, crawler: Crawler) -> None:
        self._crawler = crawler
        self._signature: Signature = build_plugin(crawler.settings, "NUTCH_SIGNATURE_CLASS")

    @classmethod
    def from_crawler(cls, crawler: Crawler) -> SignaturePipeline:
        return cls(crawler)

    def process_item(self, item: Any) -> Any:
        if not isinstance(item, PageItem):
            return item
        page = scheduler_of(self._crawler).completion.page_of_item(item)
        content = page.content if page is not None else b""
        signature = self._signature.calculate(text=item.text, content=content, url=item.url)
        item.signature = signature.hex()
        if page is not None:
            page.signature = signature
            page.key = self._key(item, content)
        return item

    def _key(self, item: PageItem, content: bytes) -> bytes:
        """Return the key under which the page claims its content: what the chosen signature says, with care for
        TextProfile, which takes short and flat texts for one."""
        if isinstance(self._signature, TextProfileSignature):
            return dedup_key(item.text, content=content, url=item.url, signature=self._signature)
        return short_digest(b"s", bytes.fromhex(item.signature))
