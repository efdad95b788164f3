"""PurgeJob: takes the pages out of a crawl that are there no more (Nutch: db.update.purge.404, …purge.orphans)."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Callable, Collection, Iterator, Sequence
from dataclasses import dataclass, replace

from nutchlike.crawldatum import CrawlDatum, DbStatus
from nutchlike.delivered import deletion
from nutchlike.fetch_failure import failure_of
from nutchlike.items import DeletedItem
from nutchlike.scoring.chain import ScoringChain
from nutchlike.store.codec import RecordState
from nutchlike.store.gone_pages import PAGES, GonePages, Tally
from nutchlike.store.host_records import chunks
from nutchlike.store.record_reader import Found
from nutchlike.urls.identity import host_key

Deleted = Callable[[Sequence[DeletedItem]], object]


@dataclass(frozen=True, slots=True)
class Selection:
    """Which pages are meant: those with one of ``statuses``, whose URL and host match, if there is a pattern.

    ``age``: whose last fetch, as far as its interval tells, was so many seconds ago, or more; 0 = whenever.
    """

    statuses: Collection[DbStatus]
    url: re.Pattern[str] | None = None
    host: re.Pattern[str] | None = None
    age: float = 0.0

    def takes(self, datum: CrawlDatum, *, now: float) -> bool:
        """Return whether a page is meant at ``now`` (epoch seconds)."""
        return (
            datum.db_status in self.statuses
            and (not self.age or now - (datum.fetch_time - datum.fetch_interval) >= self.age)
            and (self.url is None or self.url.search(datum.url) is not None)
            and (self.host is None or self.host.search(host_key(datum.url)) is not None)
        )


class Purged(Tally):
    """Pages that were purged, or would be, by their statuses."""

    what = "URLs"
    then = "run it again"


class PurgeJob:
    """Looks at each record of a crawl, which may go on meanwhile; a run that was killed is gone on with by the next.

    An orphan to which a link was seen since is left. ``deleted`` hears of the pages before they are purged.
    ``keeps_cash``: the scores of all other pages stay as they are, as in Nutch; else what is left shares the cash.
    """

    def __init__(
        self,
        selection: Selection,
        scoring: ScoringChain,
        *,
        keeps_cash: bool = False,
        tell: Callable[[str], object] = lambda text: None,
        deleted: Deleted | None = None,
    ) -> None:
        self._selection = selection
        self._scoring = scoring
        self._keeps_cash = keeps_cash
        self._tell = tell
        self._deleted = deleted

    def count(self, store: GonePages, *, now: float) -> Purged:
        """Return what ``run`` would do; nothing is changed."""
        pages = Counter[DbStatus]()
        left = 0
        for page in self._selected(store, now):
            if page.state is RecordState.LEASED:
                left += 1
            else:
                pages[page.datum.db_status] += 1
        return Purged(pages, left)

    def run(self, store: GonePages, *, now: float) -> Purged:
        """Purge all pages that are meant; RedisError when the store fails: those purged by then stay so."""
        pages = Counter[DbStatus]()
        found = 0
        for some in chunks(self._selected(store, now), PAGES):
            found += len(some)
            if self._deleted is not None:
                self._deleted(list(_deletions(store, some, now)))
            pages.update(page.datum.db_status for page in store.purge(some, keeps_cash=self._keeps_cash, now=now))
            self._tell(f"{pages.total()} URLs purged")
        return Purged(pages, found - pages.total())

    def _selected(self, store: GonePages, now: float) -> Iterator[Found]:
        for page in store.pages(self._selection.statuses):
            if self._selection.takes(page.datum, now=now) and not self._is_linked_again(page.datum, now):
                yield page

    def _is_linked_again(self, datum: CrawlDatum, now: float) -> bool:
        if datum.db_status is not DbStatus.DB_ORPHAN or not self._scoring.needs_link_times:
            return False
        as_if = replace(datum, db_status=DbStatus.DB_FETCHED)
        return self._scoring.orphaned_score(as_if, now=int(now)).db_status is DbStatus.DB_FETCHED


def _deletions(store: GonePages, pages: Sequence[Found], now: float) -> Iterator[DeletedItem]:
    for page, metadata in zip(pages, store.metadata(pages), strict=True):
        failure = failure_of(replace(page.datum, metadata=metadata))
        http_status = failure.http_status if failure is not None else None
        item = deletion(page.datum, http_status=http_status, now=int(now))
        if item is not None and page.state is not RecordState.LEASED:
            yield item
