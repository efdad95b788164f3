"""What the store is told of a page that is done: its new record, and what its links get."""

from __future__ import annotations

from dataclasses import replace

from scrapy.crawler import Crawler

from nutchlike.checked_settings import get_bool, get_int
from nutchlike.crawldatum import CrawlDatum, DbStatus
from nutchlike.fetch_schedules.fetch_schedule import Outcome
from nutchlike.page import COPIES_METADATA, Page
from nutchlike.page_scores import PageScores
from nutchlike.recrawl import FETCHED, Recrawl, changed_metadata
from nutchlike.redirect_targets import inheriting
from nutchlike.store.codec import with_metadata
from nutchlike.store.lease import PageDone
from nutchlike.store.stored_url import StoredURL
from nutchlike.store.webgraph import encode_anchors

REDIRECTED = {Outcome.REDIR_PERM, Outcome.REDIR_TEMP}


class Conclusions:
    """Draws them by the fetch schedule and the scoring filters that the settings name."""

    def __init__(self, crawler: Crawler) -> None:
        """Raise ValueError, naming setting and value, when one of these cannot be built."""
        self.scores = PageScores(crawler)
        self._recrawl = Recrawl(crawler.settings)
        self._has_graph = get_bool(crawler.settings, "NUTCH_WEBGRAPH_ENABLED")
        self._copies_followed = get_int(crawler.settings, "NUTCH_DEDUP_COPIES_FOLLOWED")
        self._stats = crawler.stats

    def of(self, page: Page, now: int) -> PageDone:
        """Return a ready page's new state and the division of its cash; ValueError when the store could not hold it."""
        lease, outcome = page.lease, page.outcome
        assert outcome is not None
        datum = self.record(page, now)
        retry = outcome is Outcome.RETRY and datum.db_status is not DbStatus.DB_GONE
        fetched = outcome in FETCHED
        redirected = outcome in REDIRECTED
        outlinks = list(page.outlinks.values()) if fetched or redirected else []
        if outcome is Outcome.DUPLICATE:
            outlinks = self._of_copy(outlinks, lease.datum)
        # a failure says nothing of the page's links, nor does a 304, which comes without a page: it keeps its cash
        has_answer = not retry and (outcome is not Outcome.NOTMODIFIED or page.exhausted)
        cash = lease.datum.score
        if redirected and outlinks:
            outlinks = [inheriting(outlink, page) for outlink in outlinks]
            spent, shares, rest, balance = cash, [cash], 0.0, 0.0
        elif not has_answer:
            spent, shares, rest, balance = 0.0, [], 0.0, 0.0
        else:
            outlinks, given = self.scores.distribute(page, outlinks)
            spent, shares, rest, balance = given.spent, list(given.scores), given.virtual, given.balance
        return PageDone(
            key=lease.key,
            datum=datum,
            due=retry or page.is_recrawled,
            keep_request=retry,
            failed=outcome is Outcome.RETRY,
            spent=spent,
            rest=rest,
            balance=balance,
            outlinks=outlinks,
            shares=shares,
            relinked=self._has_graph and has_answer,
            anchors=encode_anchors([page.anchors.get(o.id, "") for o in outlinks]) if page.anchors else b"",
            metadata=changed_metadata(lease.datum, datum) | ({} if outcome is Outcome.RETRY else page.notes),
        )

    def record(self, page: Page, now: int) -> CrawlDatum:
        """Return the new record of a page that is done at ``now`` (epoch seconds); an orphan has no content."""
        datum = self._recrawl.after(page, now=now)
        if page.outcome not in FETCHED:
            return datum
        judged = self.scores.judge(datum, now=now)
        is_orphan = judged.db_status is not datum.db_status
        return replace(judged, signature=None, dedup_key=None) if is_orphan else judged

    def _of_copy(self, outlinks: list[StoredURL], datum: CrawlDatum) -> list[StoredURL]:
        """Return the links of a page that repeats another's content that are followed.

        An error page that is answered for every URL may have new links for each, without end.
        """
        text = datum.metadata.get(COPIES_METADATA, "")
        copies = 1 + (int(text) if text.isdecimal() else 0)
        if copies > self._copies_followed >= 0:
            self._stats.inc_value("nutch/outlinks/of_copies", len(outlinks))
            return []
        return [replace(url, metadata=with_metadata(url.metadata, {COPIES_METADATA: str(copies)})) for url in outlinks]
