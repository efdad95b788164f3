"""OrphanJob: marks the pages that nothing links to any more, over all records (Nutch: updatedb with scoring-orphan)."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace

from nutchlike.crawldatum import DbStatus
from nutchlike.delivered import deletion, is_delivered
from nutchlike.items import DeletedItem
from nutchlike.scoring.chain import ScoringChain
from nutchlike.store.codec import RecordState
from nutchlike.store.gone_pages import PAGES, GonePages, Orphan, Tally
from nutchlike.store.host_records import chunks
from nutchlike.store.record_reader import Found

JUDGED = frozenset(DbStatus) - {DbStatus.DB_UNFETCHED}
MARKED = {DbStatus.DB_GONE, DbStatus.DB_ORPHAN}


class Marked(Tally):
    """Pages by the statuses that they got, or would get."""

    what = "pages that no link leads to"
    then = "that decides, too"


class OrphanJob:
    """Looks at each record of a crawl, which may go on meanwhile, and judges it by when a link to it was last seen.

    A page that was never had is left alone: it waits for its first fetch, which judges it. ``deleted`` hears of pages
    that came out of the crawl before. A page that is marked and has a signature still is one of which nobody heard: a
    run that was killed is gone on with by the next.
    """

    def __init__(
        self,
        scoring: ScoringChain,
        *,
        tell: Callable[[str], object] = lambda text: None,
        deleted: Callable[[Sequence[DeletedItem]], object] | None = None,
    ) -> None:
        """Raise ValueError when no filter judges pages by their links."""
        if not scoring.needs_link_times:
            raise ValueError(
                "no filter of NUTCH_SCORING_FILTERS says which pages are orphans: "
                "nutchlike.scoring.orphan.OrphanScoringFilter does, in the crawl too"
            )
        self._scoring = scoring
        self._tell = tell
        self._deleted = deleted

    def count(self, store: GonePages, *, now: float) -> Marked:
        """Return what ``run`` would do; nothing is changed."""
        pages = Counter[DbStatus]()
        left = 0
        for orphan in self._orphans(store, now):
            if orphan.page.state is RecordState.LEASED:
                left += 1
            elif orphan.db_status is not orphan.page.datum.db_status:
                pages[orphan.db_status] += 1
        return Marked(pages, left)

    def run(self, store: GonePages, *, now: float) -> Marked:
        """Mark all orphans; RedisError when the store fails: those marked by then stay so."""
        pages = Counter[DbStatus]()
        left = 0
        for some in chunks(self._orphans(store, now), PAGES):
            new = [orphan for orphan in some if orphan.db_status is not orphan.page.datum.db_status]
            unheard = [orphan.page for orphan in some if orphan.db_status is orphan.page.datum.db_status]
            marked = store.mark(new, now=now)
            left += len(new) - len(marked)
            if self._deleted is not None:
                before = {orphan.page.key: orphan.page for orphan in new}
                came_out = _came_out(store, [before[page.key] for page in marked])
                told = [page for page in marked if page.key in came_out] + unheard
                items = (deletion(page.datum, http_status=None, now=int(now)) for page in told)
                self._deleted([item for item in items if item is not None])
            store.give_up_contents([*marked, *unheard], now=now)
            pages.update(page.datum.db_status for page in marked)
            self._tell(f"{pages.total()} orphans marked")
        return Marked(pages, left)

    def _orphans(self, store: GonePages, now: float) -> Iterator[Orphan]:
        """Yield the pages to be marked, and those that a killed run has marked and no more."""
        for page in store.pages(JUDGED):
            status = self._scoring.orphaned_score(page.datum, now=int(now)).db_status
            is_unheard = status in MARKED and page.datum.signature is not None
            if status is not page.datum.db_status or (is_unheard and page.state is not RecordState.LEASED):
                yield Orphan(page, status)


def _came_out(store: GonePages, pages: Sequence[Found]) -> set[bytes]:
    """Return the record keys of those pages whose last items were the pages themselves."""
    return {
        page.key
        for page, metadata in zip(pages, store.metadata(pages), strict=True)
        if is_delivered(replace(page.datum, metadata=metadata))
    }
