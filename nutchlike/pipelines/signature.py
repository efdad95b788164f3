"""Sets ``item.signature``, and the key under which the page claims its content."""

from __future__ import annotations

from typing import Any

from scrapy.crawler import Crawler

from nutchlike.items import PageItem
from nutchlike.plugins import build_plugin
from nutchlike.signatures.signature import Signature
from nutchlike.signatures.signed_content import sign
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
        signed = sign(self._signature, text=item.text, content=content, url=item.url)
        item.signature = signed.signature.hex()
        if page is not None:
            page.signature, page.key = signed.signature, signed.key
        return item
