"""DedupJob: finds and marks the pages of a crawl that repeat others (Nutch: DeduplicationJob)."""

from __future__ import annotations

from array import array
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass

import numpy as np
from scrapy.settings import BaseSettings

from nutchlike.checked_settings import get_bool, get_compare_order, get_group_mode
from nutchlike.crawldatum import CrawlDatum
from nutchlike.deduplication import Copies, Keeper, content_group
from nutchlike.delivered import notes_of_duplicates
from nutchlike.store.duplicates import Content, Decision, Duplicates, content_of
from nutchlike.store.host_records import chunks

STEP = 10_000  # pages from one report to the next
COPIES_AT_ONCE = 200_000  # pages whose contents repeat that one look at the crawl deals with: some 100 MB
DECISIONS = 200  # contents whose duplicates are marked together


@dataclass(frozen=True, slots=True)
class Deduplication:
    """What a run did: pages with content, those of them that are duplicates, and those that could be marked."""

    pages: int
    duplicates: int
    marked: int

    def __str__(self) -> str:
        left = self.duplicates - self.marked
        later = f"; {left} left, for they or the pages to keep are being fetched: run it again" if left else ""
        return f"{self.marked} of {self.pages} pages marked as duplicates, {self.pages - self.marked} kept{later}"


class DedupJob:
    """Looks at the crawl twice or more: which contents occur more than once, then which of their pages are kept.

    So it needs some 20 bytes a page, 100 a content that repeats, and room for COPIES_AT_ONCE pages; a crawl with more
    copies is looked at once more for each so many. A crawl may go on meanwhile. ``tell`` hears how far the work is.

    Pages are compared by ``kind``. Nutch's signature takes short and flat pages for one; the dedup key, under which a
    page claims its content in the crawl, does not.
    """

    def __init__(
        self,
        keeper: Keeper,
        *,
        kind: Content,
        group_mode: str,
        tell: Callable[[str], object],
        notes: Mapping[str, str] | None = None,
    ) -> None:
        """``notes`` come into the metadata of the pages that are marked."""
        self._keeper = keeper
        self._notes = notes
        self._kind: Content = kind
        self._group_mode = group_mode
        self._tell = tell
        self._pages = 0

    @classmethod
    def from_settings(
        cls, settings: BaseSettings, *, tell: Callable[[str], object], by_signature: bool = False
    ) -> DedupJob:
        """Return the job that the settings describe; ValueError, naming setting and value, for one that is no use.

        ``by_signature`` compares Nutch's signatures, as NUTCH_STRICT does.
        """
        strict = get_bool(settings, "NUTCH_STRICT")
        return cls(
            Keeper(get_compare_order(settings), strict=strict),
            kind="signature" if strict or by_signature else "dedup_key",
            group_mode=get_group_mode(settings),
            tell=tell,
            notes=notes_of_duplicates(told=get_bool(settings, "NUTCH_INDEXER_DELETE")),
        )

    def run(self, store: Duplicates, *, now: float) -> Deduplication:
        """Mark all duplicates; RedisError when the store fails: what was marked by then stays, and the rest is found
        by the next run."""
        found = marked = 0
        for decisions in chunks(self.decisions(store), DECISIONS):
            found += sum(len(decision.duplicates) for decision in decisions)
            marked += store.mark(decisions, kind=self._kind, now=now, notes=self._notes)
            self._tell(f"{marked} duplicates marked")
        return Deduplication(self._pages, found, marked)

    def decisions(self, store: Duplicates) -> Iterator[Decision]:
        """Yield which pages are duplicates, and of which, for each content that has some; nothing is changed."""
        repeated = self._repeated(store)
        for some in _slices(repeated):
            found: dict[bytes, Copies[bytes]] = {}
            for key, group, page in self._grouped(store):
                if hash(group) not in some:
                    continue
                if group in found:
                    found[group].add(key, page, self._keeper)
                else:
                    found[group] = Copies(key, page)
            for copies in found.values():
                content = content_of(copies.kept, self._kind)
                if copies.duplicates and content:
                    yield Decision(content, copies.name, copies.duplicates)

    def _repeated(self, store: Duplicates) -> dict[int, int]:
        """Return the hashes of contents that may occur more than once, with the number of their pages.

        Python's own hashes do: they need not hold beyond this process, and what they confuse is told apart later.
        """
        hashes = array("q", (hash(group) for _, group, _ in self._grouped(store)))
        self._pages = len(hashes)
        values, counts = np.unique(np.frombuffer(hashes, np.int64), return_counts=True)
        return dict(zip(values[counts > 1].tolist(), counts[counts > 1].tolist(), strict=True))

    def _grouped(self, store: Duplicates) -> Iterator[tuple[bytes, bytes, CrawlDatum]]:
        """Yield record key, what the page is compared within, and the page."""
        for number, (key, page) in enumerate(store.pages(), 1):
            if number % STEP == 0:
                self._tell(f"{number} pages read")
            content = content_of(page, self._kind)
            if content:
                yield key, content_group(content, page.url, self._group_mode), page


def _slices(repeated: dict[int, int]) -> Iterator[set[int]]:
    """Yield the contents in parts that have COPIES_AT_ONCE pages or some more."""
    some, pages = set[int](), 0
    for content, count in repeated.items():
        some.add(content)
        pages += count
        if pages >= COPIES_AT_ONCE:
            yield some
            some, pages = set(), 0
    if some:
        yield some
