"""Notes what each page of a crawl links to, as its spider has it: before any rule or pipeline drops something."""

from __future__ import annotations

import json
from collections.abc import AsyncIterator
from pathlib import Path
from typing import Any

from itemadapter import ItemAdapter
from scrapy.crawler import Crawler
from scrapy.http import Response

FILE_SETTING = "FOUND_LINKS_FILE"


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
                self._file.write(json.dumps([response.url, list(ItemAdapter(output)["outlinks"])]) + "\n")
            yield output


def found_links(file: Path) -> dict[str, set[str]]:
    """Return the links that were noted, by page."""
    links: dict[str, set[str]] = {}
    for line in file.read_text(encoding="utf-8").splitlines():
        url, outlinks = json.loads(line)
        links.setdefault(url, set()).update(outlinks)
    return links
