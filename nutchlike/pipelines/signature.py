"""Sets ``item.signature``, and the key under which the page claims its content."""

from __future__ import annotations

from typing import Any

from scrapy.crawler import Crawler

from nutchlike.checked_settings import get_bool
from nutchlike.content_signer import ContentSigner
from nutchlike.items import PageItem
from nutchlike.wiring import scheduler_of


class SignaturePipeline:
    """Computes NUTCH_SIGNATURE_CLASS over the item's text (the response body where there is no text).

    An empty answer has no signature; Nutch (NUTCH_STRICT) signs its URL.
    """

    def __init__(self, crawler: Crawler) -> None:
        self._crawler = crawler
        self._signer = ContentSigner(crawler.settings)
        self._signs_nothing = get_bool(crawler.settings, "NUTCH_STRICT")

    @classmethod
    def from_crawler(cls, crawler: Crawler) -> SignaturePipeline:
        return cls(crawler)

    def process_item(self, item: Any) -> Any:
        if not isinstance(item, PageItem):
            return item
        page = scheduler_of(self._crawler).completion.page_of_item(item)
        content = page.content if page is not None else b""
        if not (item.text or content or self._signs_nothing):
            if page is not None:
                page.is_unsigned = True
            return item
        has_its_text = page is not None and page.text == item.text  # else somebody has changed it since
        signed = self._signer.sign(
            text=item.text,
            title=item.title,
            content=content,
            url=item.url,
            main_text=page.main_text if page is not None and has_its_text else None,
        )
        item.signature = signed.signature.hex()
        if page is not None:
            page.signature, page.key = signed.signature, signed.key
            page.sketch = self._signer.sketch(text=item.text, title=item.title, url=page.url)
        return item
