"""The ``site`` spider: fetches pages, gives each as a PageItem, follows their links."""

from __future__ import annotations

import time
from collections.abc import AsyncIterator, Iterator, Set
from typing import Any, Self

from scrapy import Spider
from scrapy.crawler import Crawler
from scrapy.http import Response
from scrapy.settings import BaseSettings

from nutchlike.checked_settings import get_words, kept_anchor_length, robots_directives
from nutchlike.items import PageItem
from nutchlike.page import Page, page_of
from nutchlike.parsing.content import media_type
from nutchlike.parsing.directives import RobotsDirectives
from nutchlike.parsing.link_header import canonical_of_headers
from nutchlike.parsing.page import parse_page

# They look at the requests that a callback yields, and SiteSpider's yields none. (RefererMiddleware does so, too, but
# redirects need it.)
IDLE_MIDDLEWARES = (
    "scrapy.spidermiddlewares.start.StartSpiderMiddleware",
    "scrapy.spidermiddlewares.urllength.UrlLengthMiddleware",
    "scrapy.spidermiddlewares.depth.DepthMiddleware",
    "scrapy.spidermiddlewares.metacopy.MetaCopyDetectionMiddleware",
)


class SiteSpider(Spider):
    """``scrapy crawl site -a seeds=seeds/urls.txt``, ``-a sitemaps=https://…``, or ``-a url=https://…``.

    Without seeds it goes on where it was.
    """

    name = "site"
    needs_seeds = True
    rels_not_followed: frozenset[str] = frozenset()
    robots_directives = RobotsDirectives()
    anchor_length = 0  # characters of a link's text that the web graph keeps

    @classmethod
    def update_settings(cls, settings: BaseSettings) -> None:
        """Switch off the middlewares of Scrapy that have nothing to do; a subclass may give them work."""
        super().update_settings(settings)
        if cls is SiteSpider:
            chosen = settings["SPIDER_MIDDLEWARES"].copy()
            for name in IDLE_MIDDLEWARES:
                chosen.setdefault(name, None, priority="addon")
            settings.set("SPIDER_MIDDLEWARES", chosen, priority="spider")

    @classmethod
    def from_crawler(cls, crawler: Crawler, *args: Any, **kwargs: Any) -> Self:
        """Return the spider; ValueError for settings of links that cannot be used."""
        spider = super().from_crawler(crawler, *args, **kwargs)
        spider.rels_not_followed = frozenset(get_words(crawler.settings, "NUTCH_LINKS_NOT_FOLLOWED"))
        spider.anchor_length = kept_anchor_length(crawler.settings)
        spider.robots_directives = robots_directives(crawler.settings)
        return spider

    async def start(self) -> AsyncIterator[Any]:
        """Start with nothing: seeds come from the injector, everything else from the frontier."""
        return
        yield

    def parse(self, response: Response) -> Iterator[PageItem]:
        """Yield the page; one that is no HTML has no text and no links."""
        page = page_of(response)
        content_type = (response.headers.get("Content-Type") or b"").decode("latin-1")
        item = PageItem(
            url=page.url if page is not None else response.url,
            http_status=response.status,
            content_type=media_type(content_type),
            fetch_time=int(time.time()),
            score=page.lease.datum.score if page is not None else 0.0,
            depth=page.lease.datum.depth if page is not None else 0,
            metadata=page.metadata if page is not None else {},
            repr_url=page.repr_url if page is not None else None,
        )
        parsed = parse_page(
            response.body,
            url=response.url,
            content_type=content_type,
            anchor_length=self.anchor_length,
            robots_names=self.robots_directives.meta_names,
        )
        headers = [value.decode("latin-1") for value in response.headers.getlist("X-Robots-Tag")]
        directives = self.robots_directives.read(parsed.robots if parsed is not None else (), headers)
        if parsed is not None:
            item.title, item.text, item.canonical = parsed.title, parsed.text, parsed.canonical
            if "nofollow" not in directives:
                item.outlinks = [link.url for link in parsed.outlinks if not link.rel & self.rels_not_followed]
                if parsed.refresh is not None:  # later than what is a redirect
                    item.outlinks.append(parsed.refresh)
            if page is not None:
                page.links, page.text, page.main_text = parsed.outlinks, parsed.text, parsed.main_text
        if item.canonical is None:
            item.canonical = canonical_of_headers(response.headers.getlist("Link"), url=response.url)
        if directives:
            self._obey(directives, item, page)
        yield item

    def _obey(self, directives: Set[str], item: PageItem, page: Page | None) -> None:
        """Say what a page asks for where others act on it, and count it."""
        item.noarchive = "noarchive" in directives
        if "noindex" in directives:
            if self.robots_directives.strict:
                item.title = item.text = ""
            elif page is not None:
                page.is_noindex = True
        for directive in directives - {"noindex"}:
            self.crawler.stats.inc_value(f"nutch/directives/{directive}")
