"""A CrawlSpider whose rule follows all links, for tests that run it in a process of its own."""

from __future__ import annotations

from typing import Any

from scrapy.http import Response
from scrapy.linkextractors import LinkExtractor
from scrapy.spiders import CrawlSpider, Rule


class LinkSpider(CrawlSpider):
    """Follows every link from ``url`` on."""

    name = "links"
    rules = (Rule(LinkExtractor(), callback="parse_page", follow=True),)

    def __init__(self, url: str, **kwargs: Any) -> None:
        super().__init__(**kwargs)
        self.start_urls = [url]

    def parse_page(self, response: Response) -> Any:
        """Yield what an item pipeline can take."""
        yield {"url": response.url}
