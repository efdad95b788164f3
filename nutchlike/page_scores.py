"""PageScores: what a fetched page gives to the pages that it links to, as the scoring filters have it."""

from __future__ import annotations

from dataclasses import replace

from scrapy.crawler import Crawler

from nutchlike.crawldatum import CrawlDatum
from nutchlike.items import PageItem
from nutchlike.page import Page
from nutchlike.plugins import build_scoring_chain
from nutchlike.scoring.scoring_filter import Distribution, Outlink, ScoredPage
from nutchlike.store.codec import decode_metadata, encode_metadata
from nutchlike.store.stored_url import StoredURL
from nutchlike.urls.identity import host_key


class PageScores:
    """Calls the hooks of NUTCH_SCORING_FILTERS for the pages of a crawl."""

    def __init__(self, crawler: Crawler) -> None:
        self._chain = build_scoring_chain(crawler.settings)
        self._stats = crawler.stats
        self._repaired = 0

    def describe(self, page: Page, item: PageItem, *, all_count: int) -> None:
        """Give the item its score and metadata, and keep for the page what its links are judged by.

        ``all_count`` counts the links of the page before any rule dropped some.
        """
        datum = page.lease.datum
        scored = ScoredPage(datum=datum, text=item.text, all_count=all_count, surroundings=page.lease.surroundings)
        page.scored = scored = self._chain.pass_metadata(scored)
        item.metadata = {**item.metadata, **scored.parse_metadata}
        item.score = self._chain.indexer_score(datum)

    def judge(self, datum: CrawlDatum, *, now: int) -> CrawlDatum:
        """Return the new record of a page that was fetched: one that nothing links to any more may be an orphan."""
        return self._chain.orphaned_score(datum, now=now) if self._chain.needs_link_times else datum

    def distribute(self, page: Page, urls: list[StoredURL]) -> tuple[list[StoredURL], Distribution]:
        """Return the links that count, with the metadata that new pages get, and what each of them gets."""
        datum = page.lease.datum
        scored = page.scored or ScoredPage(datum=datum, surroundings=page.lease.surroundings)
        own = host_key(page.url)
        links = [
            Outlink(url.url, url.host == own, decode_metadata(url.metadata) if url.metadata else {}, url.id)
            for url in urls
        ]
        distribution = self._chain.distribute(scored, links)
        if len(distribution.outlinks) < len(links):
            self._stats.inc_value("nutch/outlinks/dropped_by_score", len(links) - len(distribution.outlinks))
        if self._chain.repaired > self._repaired:
            self._stats.inc_value("nutch/scores/repaired", self._chain.repaired - self._repaired)
            self._repaired = self._chain.repaired
        if distribution.outlinks is links:
            return urls, distribution
        sent = {url.id: (url, link.metadata) for url, link in zip(urls, links, strict=True)}
        kept = []
        for link in distribution.outlinks:
            url, metadata = sent[link.id]
            kept.append(url if link.metadata == metadata else replace(url, metadata=encode_metadata(link.metadata)))
        return kept, distribution
