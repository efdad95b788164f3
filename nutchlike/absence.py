"""Absence: why a crawl does not know a URL (``scrapy explain``)."""

from __future__ import annotations

from itertools import islice

from scrapy.settings import BaseSettings

from nutchlike.checked_settings import get_bool, get_int, get_words
from nutchlike.crawl_store import CrawlStore
from nutchlike.plugins import SCOPE_OUTLINK, build_url_chain
from nutchlike.urls.scope import LinkScope

NAMED = 3  # pages that a reason names


class Absence:
    """Asks the rules for links first, then what is known. ``normalized`` is what it looks for under a URL."""

    def __init__(self, settings: BaseSettings) -> None:
        """Raise ValueError, naming setting and value, for one that cannot be used."""
        self._chain = build_url_chain(settings, scope=SCOPE_OUTLINK)
        self._scope = LinkScope.from_settings(settings)
        self._depth_limit = get_int(settings, "DEPTH_LIMIT")
        self._links_max = get_int(settings, "NUTCH_DB_MAX_OUTLINKS_PER_PAGE")
        self._rels = get_words(settings, "NUTCH_LINKS_NOT_FOLLOWED")
        self._obeys_meta = "nofollow" in get_words(settings, "NUTCH_META_ROBOTS_OBEY")
        self._is_internal = get_bool(settings, "NUTCH_DB_IGNORE_EXTERNAL_LINKS")

    def normalized(self, url: str) -> str | None:
        """Return the normalized form of ``url``, whatever the filters say; ``None`` when it is no URL."""
        return self._chain.normalized(url)

    def refusal(self, source: str, url: str) -> str | None:
        """Return why a link from the normalized URL ``source`` to ``url`` is not taken, ``None`` when it is."""
        verdict = self._chain.judge(url)
        if verdict.url is None:
            return f"a rule rejects it: {verdict.reason}"
        if not self._scope.accepts(source, verdict.url):
            return "it is an external link: NUTCH_DB_IGNORE_EXTERNAL_LINKS"
        return None

    def reason(self, url: str, store: CrawlStore) -> str:
        """Return why a URL is not known, as far as can be told. Costs a look at each list of the web graph.

        With a DEPTH_LIMIT each record is looked at, too, where nothing else is the reason.
        """
        verdict = self._chain.judge(url)
        if verdict.url is None:
            return f"a rule rejects it: {verdict.reason}"
        if not store.crawldb.counts().known:
            return "the crawl knows no URL"
        if not any(self._scope.accepts(f"{site}/", verdict.url) for site in store.explainer.sites()):
            return "it is an external link: NUTCH_DB_IGNORE_EXTERNAL_LINKS keeps to known sites, and its site is none"
        linking = [link.source.url for link in islice(store.webgraph.inlinks(verdict.url), NAMED)]
        if linking:
            return f"it was forgotten, or is on its way between partitions: {', '.join(linking)} link to it"
        where = self._where_links_end(verdict.url, store)
        if not store.webgraph.pages_with_links():
            return f"no page that was fetched has a link to it that is followed{where}"
        return f"no known page has a link to it that is followed{where}"

    def _where_links_end(self, url: str, store: CrawlStore) -> str:
        """Return which links to ``url`` would not have been followed."""
        limits = []
        if self._rels:
            limits.append(f"links with rel {' or '.join(self._rels)}")
        if self._obeys_meta:
            limits.append("those of a page that says nofollow in meta robots or X-Robots-Tag")
        if self._is_internal:
            limits.append("those from other hosts")
        deep = 0
        for depth, page in store.explainer.fetched_pages() if self._depth_limit else ():
            deep += depth >= self._depth_limit and self._scope.accepts(page, url)
        if deep:
            limits.append(f"those of the {deep} pages of its site that are at DEPTH_LIMIT {self._depth_limit}")
        if self._links_max >= 0:
            limits.append(f"those behind the first {self._links_max} of a page")
        return f": not followed are {', '.join(limits)}" if limits else ""
