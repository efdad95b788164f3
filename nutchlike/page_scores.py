"""PageScores: what a fetched page gives to the pages that it links to, as the scoring filters have it."""

from __future__ import annotations

from dataclasses import replace

from scrapy.settings import BaseSettings

from nutchlike.items import PageItem
from nutchlike.page import Page
from nutchlike.plugins import build_scoring_chain
from nutchlike.scoring.link_rules import same_host
from nutchlike.scoring.scoring_filter import Distribution, Outlink, ScoredPage
from nutchlike.store.codec import decode_metadata, encode_metadata
from nutchlike.store.stored_url import StoredURL


class PageScores:
    """Calls the hooks of NUTCH_SCORING_FILTERS for the pages of a crawl."""

    def __init__(self, settings: BaseSettings) -> None:
        self._chain = build_scoring_chain(settings)

    def describe(self, page: Page, item: PageItem, *, all_count: int) -> None:
        """Give the item its score and metadata, and keep for the page what its links are judged by.

        ``all_count`` counts the links of the page before any rule dropped some.
        """
        datum = page.lease.datum
        scored = ScoredPage(datum=datum, text=item.text, all_count=all_count, surroundings=page.lease.surroundings)
        page.scored = scored = self._chain.pass_metadata(scored)
        item.metadata = {**item.metadata, **scored.parse_metadata}
        item.score = self._chain.indexer_score(datum)

    def distribute(self, page: Page, urls: list[StoredURL]) -> tuple[list[StoredURL], Distribution]:
        """Return the links that count, with the metadata that new pages get, and what each of them gets."""
        datum = page.lease.datum
        scored = page.scored or ScoredPage(datum=datum, surroundings=page.lease.surroundings)
        links = [Outlink(url.url, same_host(page.url, url.url), decode_metadata(url.metadata)) for url in urls]
        distribution = self._chain.distribute(scored, links)
        known = {id(link): url for link, url in zip(links, urls, strict=True)}
        by_url = {link.url: url for link, url in zip(links, urls, strict=True)}
        kept = []
        for link in distribution.outlinks:
            stored = known.get(id(link))
            if stored is None:  # a filter has made it anew, with other metadata
                stored = replace(by_url[link.url], metadata=encode_metadata(link.metadata))
            kept.append(stored)
        return kept, distribution
