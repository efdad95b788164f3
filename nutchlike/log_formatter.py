"""LogFormatter: no log record of a page that nobody would see."""

from __future__ import annotations

import logging
from typing import Any, Self

from scrapy import logformatter
from scrapy.crawler import Crawler
from scrapy.http import Request, Response
from scrapy.logformatter import LogFormatterResult
from scrapy.spiders import Spider
from twisted.python.failure import Failure


class LogFormatter(logformatter.LogFormatter):
    """Scrapy's messages; with LOG_LEVEL above DEBUG, none of "Crawled" and "Scraped".

    Scrapy has loggers make records of every level and its handler drop those below LOG_LEVEL: for these two, 2 % of
    what a page costs.
    """

    def __init__(self, *, is_debugging: bool) -> None:
        self._is_debugging = is_debugging

    @classmethod
    def from_crawler(cls, crawler: Crawler) -> Self:
        level = crawler.settings.get("LOG_LEVEL")
        number = level if isinstance(level, int) else logging.getLevelName(str(level).upper())
        return cls(is_debugging=not isinstance(number, int) or number <= logging.DEBUG)

    # The engine logs nothing for None, though Scrapy's types know of no None.
    def crawled(  # type: ignore[override]
        self, request: Request, response: Response, spider: Spider
    ) -> LogFormatterResult | None:
        return super().crawled(request, response, spider) if self._is_debugging else None

    def scraped(  # type: ignore[override]  # as above
        self, item: Any, response: Response | Failure | None, spider: Spider
    ) -> LogFormatterResult | None:
        return super().scraped(item, response, spider) if self._is_debugging else None
