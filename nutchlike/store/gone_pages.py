"""GonePages: takes pages out of a crawl that are there no more, and marks those that nothing links to."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Collection, Iterator, Sequence
from dataclasses import dataclass, replace
from typing import Any, ClassVar

from nutchlike.crawldatum import DbStatus
from nutchlike.store.codec import RecordState
from nutchlike.store.content_owners import ContentOwners
from nutchlike.store.keys import CrawlKeys, partition_and_handle, record_key
from nutchlike.store.record_reader import Found, RecordReader
from nutchlike.store.scripts import Scripts, checked

PAGES = 250  # dealt with by one call: some milliseconds


@dataclass(frozen=True, slots=True)
class Tally:
    """How many pages with each status a job has dealt with, or would, and how many are left, being fetched meanwhile.

    Its text is ``2 WHAT: 2 db_gone; 1 left, for they are being fetched: THEN``.
    """

    what: ClassVar[str]
    then: ClassVar[str]
    pages: Counter[DbStatus]
    left: int

    def __str__(self) -> str:
        parts = ", ".join(f"{n} {status.label}" for status, n in sorted(self.pages.items()) if n)
        later = f"; {self.left} left, for they are being fetched: {self.then}" if self.left else ""
        return f"{self.pages.total()} {self.what}{': ' if parts else ''}{parts}{later}"


@dataclass(frozen=True, slots=True)
class Orphan:
    """A page as it was read, and the status that it gets: db_gone or db_orphan."""

    page: Found
    db_status: DbStatus


class GonePages:
    """Each call is atomic for each partition, and may be repeated: a killed job is run once more.

    Contents go first, and the record that says whose they were last, so that no content ever has an owner that is gone.
    """

    def __init__(self, keys: CrawlKeys, scripts: Scripts, reader: RecordReader, contents: ContentOwners) -> None:
        self._keys = keys
        self._scripts = scripts
        self._reader = reader
        self._contents = contents

    def pages(self, statuses: Collection[DbStatus]) -> Iterator[Found]:
        """Yield the pages with one of ``statuses``, those in progress too."""
        return self._reader.with_status(statuses)

    def metadata(self, pages: Sequence[Found]) -> list[dict[str, str]]:
        """Return the metadata of some hundred pages."""
        return self._reader.metadata([page.key for page in pages])

    def purge(self, pages: Sequence[Found], *, keeps_cash: bool = False, now: float) -> list[Found]:
        """Forget pages that still are as they were read, and return them.

        Their cash is the virtual page's, which spreads it over all that is left, or ``keeps_cash``: then no other
        page's score changes.

        A page in progress stays, and so does one whose status, fetch time or last link is another by now.
        """
        self._free(pages)
        return self._changed(
            "purge",
            [repr(now), len(self._keys), int(keeps_cash)],
            pages,
            lambda page: (page.datum.fetch_time, page.datum.linked_at),
        )

    def mark(self, orphans: Sequence[Orphan], *, now: float) -> list[Found]:
        """Give pages their new statuses, and return those, as they are now, that still were as they were read."""
        status_of = {orphan.page.key: orphan.db_status for orphan in orphans}
        marked = self._changed(
            "mark_orphans",
            [repr(now)],
            [orphan.page for orphan in orphans],
            lambda page: (page.datum.linked_at, int(status_of[page.key])),
        )
        return [replace(page, datum=replace(page.datum, db_status=status_of[page.key])) for page in marked]

    def give_up_contents(self, pages: Sequence[Found], *, now: float) -> None:
        """Let the contents of pages be nobody's, and the pages have no signature, unless they are fetched meanwhile."""
        self._free(pages)
        self._run("forget_contents", [repr(now)], [(page.key, (int(page.datum.db_status),)) for page in pages])

    def _free(self, pages: Sequence[Found]) -> None:
        resting = (page for page in pages if page.state is not RecordState.LEASED)
        self._contents.free_all([(page.key, page.datum.dedup_key) for page in resting if page.datum.dedup_key])

    def _changed(
        self, verb: str, head: list[Any], pages: Sequence[Found], judged_by: Callable[[Found], tuple[int, ...]]
    ) -> list[Found]:
        """Run a script that returns the handles of the pages that it changed; return those."""
        rows = [(page.key, (int(page.datum.db_status), *judged_by(page))) for page in pages]
        by_key = {page.key: page for page in pages}
        replies = self._run(verb, head, rows)
        return [by_key[record_key(partition, handle)] for partition, handles in replies for handle in handles]

    def _run(self, verb: str, head: list[Any], rows: Sequence[tuple[bytes, tuple[int, ...]]]) -> list[tuple[int, Any]]:
        by_partition: dict[int, list[Any]] = {}
        for key, values in rows:
            partition, handle = partition_and_handle(key)
            by_partition.setdefault(partition, [*head]).extend((handle, *values))
        calls = [(partition, verb, args) for partition, args in by_partition.items()]
        return list(zip(by_partition, checked(self._scripts.run_all(calls)), strict=True))
