"""Notes what each page of a crawl links to, as its spider has it: before any rule or pipeline drops something."""

from __future__ import annotations

import json
from collections.abc import AsyncIterator
from pathlib import Path
from typing import Any, NamedTuple

from itemadapter import ItemAdapter
from scrapy.crawler import Crawler
from scrapy.http import HtmlResponse, Response

FILE_SETTING = "FOUND_LINKS_FILE"


class Page(NamedTuple):
    """A page that a spider has read: whether Scrapy takes its answer for HTML, and its links as they are."""

    is_html: bool
    links: set[str]


class FoundLinks:
    """A spider middleware for spiders whose items have their page's links in a field ``outlinks``."""

    def __init__(self, file: Path) -> None:
        self._file = file.open("w", encoding="utf-8", buffering=1)

    @classmethod
    def from_crawler(cls, crawler: Crawler) -> FoundLinks:
        return cls(Path(crawler.settings[FILE_SETTING]))

    async def process_spider_output(self, response: Response, result: AsyncIterator[Any]) -> AsyncIterator[Any]:
        """Write a line for each item."""
        async for output in result:
            if ItemAdapter.is_item(output):
                outlinks = list(ItemAdapter(output)["outlinks"])
                self._file.write(json.dumps([response.url, isinstance(response, HtmlResponse), outlinks]) + "\n")
            yield output


def found_links(file: Path) -> dict[str, Page]:
    """Return the pages that were noted, by URL."""
    pages: dict[str, Page] = {}
    for line in file.read_text(encoding="utf-8").splitlines():
        url, is_html, outlinks = json.loads(line)
        pages.setdefault(url, Page(is_html, set())).links.update(outlinks)
    return pages
