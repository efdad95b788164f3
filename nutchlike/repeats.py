"""Repeats: a callback that asks for its own page again, and again."""

from __future__ import annotations

import logging

from scrapy import Request
from scrapy.crawler import Crawler

from nutchlike.checked_settings import get_int
from nutchlike.request_meta import REPEATS

logger = logging.getLogger(__name__)


class Repeats:
    """Lets a page's callback ask for the same page NUTCH_REQUEST_REPEATS_MAX times in a row.

    Such a request has ``dont_filter``, and is stored like any other: a page that never answers as its callback wants
    would keep a crawl going for ever, and the next run, too. The requests count themselves, in their meta.
    """

    def __init__(self, crawler: Crawler) -> None:
        self._crawler = crawler
        self._most = get_int(crawler.settings, "NUTCH_REQUEST_REPEATS_MAX")

    def allows(self, request: Request, *, asked: Request | None) -> bool:
        """Return whether ``request``, which the callback of ``asked`` gives, may be stored, and number it."""
        before = asked.meta.get(REPEATS, 0) if asked is not None else 0
        if asked is None or not request.dont_filter or not self._is_same(request, asked):
            request.meta.pop(REPEATS, None)  # of a copy that is for something else
            return True
        if 0 <= self._most <= before:
            self._crawler.stats.inc_value("nutch/outlinks/repeats")
            logger.warning("%s is not asked for again: that was done %d times in a row", request, before)
            return False
        request.meta[REPEATS] = before + 1
        return True

    def _is_same(self, request: Request, asked: Request) -> bool:
        fingerprint = self._crawler.request_fingerprinter.fingerprint
        return fingerprint(request) == fingerprint(asked)
