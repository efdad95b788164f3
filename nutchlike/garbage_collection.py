"""GarbageCollectionExtension: has Python look for unreachable cycles less often while a crawl runs."""

from __future__ import annotations

import gc

from scrapy import signals
from scrapy.crawler import Crawler
from scrapy.exceptions import NotConfigured

from nutchlike.checked_settings import get_int


class GarbageCollectionExtension:
    """Leaves out of collections what was there when the spider opened, and begins one at ``threshold`` new objects.

    What a crawl makes of a page is freed by its reference counts: with no collection at all, 5,000 pages left none of
    their responses behind. Python's own threshold of 700 is passed several times a page, for nothing. A process that
    has a higher threshold, or collects nothing, is left as it is.
    """

    def __init__(self, crawler: Crawler, *, threshold: int) -> None:
        self._threshold = threshold
        self._before: tuple[int, int, int] | None = None
        crawler.signals.connect(self._spider_opened, signals.spider_opened)
        crawler.signals.connect(self._spider_closed, signals.spider_closed)

    @classmethod
    def from_crawler(cls, crawler: Crawler) -> GarbageCollectionExtension:
        threshold = get_int(crawler.settings, "NUTCH_GC_THRESHOLD")
        if not threshold:
            raise NotConfigured("NUTCH_GC_THRESHOLD is 0")
        return cls(crawler, threshold=threshold)

    def _spider_opened(self) -> None:
        before = gc.get_threshold()
        if not 0 < before[0] < self._threshold:
            return
        self._before = before
        gc.collect()
        gc.freeze()
        gc.set_threshold(self._threshold, *before[1:])

    def _spider_closed(self) -> None:
        if self._before is not None:
            gc.set_threshold(*self._before)
            gc.unfreeze()
