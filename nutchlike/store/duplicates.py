"""Duplicates: reads the fetched pages of a crawl, and marks those that repeat another (``scrapy dedup``)."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Literal, cast

from nutchlike.crawldatum import CrawlDatum
from nutchlike.deduplication import COMPARED_STATUSES
from nutchlike.store.codec import RecordState, encode_metadata
from nutchlike.store.content_index import ContentIndex
from nutchlike.store.host_records import chunks
from nutchlike.store.keys import CrawlKeys, partition_and_handle
from nutchlike.store.nodes import Client
from nutchlike.store.record_reader import RecordReader
from nutchlike.store.scripts import Scripts, checked

MARKS = 500  # pages marked, or read, with one call
Content = Literal["signature", "dedup_key"]


@dataclass(frozen=True, slots=True)
class Decision:
    """Pages of one content, by their record keys: the one that is kept, and the others, its duplicates."""

    content: bytes
    kept: bytes
    duplicates: Sequence[bytes]


_Settled = tuple[Decision, bytes | None]  # with the dedup key of the page that is kept


def content_of(datum: CrawlDatum, kind: Content) -> bytes | None:
    """Return what a page is compared by; ``None`` for one that takes no part: not fetched, or without content."""
    if datum.db_status not in COMPARED_STATUSES:
        return None
    return datum.signature if kind == "signature" else datum.dedup_key


class Duplicates:
    """The pages of a crawl that repeat others. All work is done in small steps: a crawl may go on meanwhile."""

    def __init__(self, client: Client, keys: CrawlKeys, scripts: Scripts, contents: ContentIndex) -> None:
        self._client = client
        self._keys = keys
        self._scripts = scripts
        self._contents = contents
        self._records = RecordReader(client, keys, scripts)

    def pages(self) -> Iterator[tuple[bytes, CrawlDatum]]:
        """Yield record key and record, without its metadata, of every page that a fetch has left with content.

        A record that cannot be read is none; one that the crawl moves in the store meanwhile may come twice, or not.
        """
        for found in self._records.with_status(COMPARED_STATUSES):
            yield found.key, found.datum

    def urls(self, keys: Iterable[bytes]) -> Iterator[str]:
        """Yield the URLs of record keys, in their order; the key in hex for one that is gone."""
        for some in chunks(keys, MARKS):
            for key, found in zip(some, self._records.read(some), strict=True):
                yield found.datum.url if found else key.hex()

    def kept_instead_of(self, key: bytes) -> bytes | None:
        """Return the record key of the page that is kept instead of a marked one; ``None`` for one not marked."""
        partition, handle = partition_and_handle(key)
        kept = self._client.hget(self._keys.partitions[partition].name("copies"), cast("str", handle))
        return cast("bytes | None", kept)

    def mark(
        self, decisions: Sequence[Decision], *, kind: Content, now: float, notes: Mapping[str, str] | None = None
    ) -> int:
        """Make duplicates db_duplicate, and return how many; each keeps its cash, and what else its record says.

        ``notes`` come into its metadata.

        First each content that a duplicate owned goes to the page that is kept. Nothing is marked where that page is
        leased or has no longer that content: its fetch decides; nor is a duplicate of which the same is true. A few
        hundred decisions should go together.
        """
        firm = self._own(self._settled(decisions, kind), kind)
        marks = ((key, decision) for decision, _ in firm for key in decision.duplicates)
        marked, metadata = 0, encode_metadata(notes or {})
        for some in chunks(marks, MARKS):
            by_partition: dict[int, list[bytes | str]] = {}
            for key, decision in some:
                partition, handle = partition_and_handle(key)
                args = by_partition.setdefault(partition, [repr(now), kind, metadata])
                args += [handle, decision.content, decision.kept]
            calls = [(partition, "mark_duplicates", args) for partition, args in by_partition.items()]
            marked += sum(map(int, checked(self._scripts.run_all(calls))))
        return marked

    def _settled(self, decisions: Sequence[Decision], kind: Content) -> list[_Settled]:
        """Return the decisions whose kept page still has the content and is in no fetch, with its dedup key."""
        settled = []
        for some in chunks(decisions, MARKS):
            pages = self._records.read([decision.kept for decision in some])
            for decision, page in zip(some, pages, strict=True):
                if page is None or page.state is RecordState.LEASED:
                    continue
                if content_of(page.datum, kind) == decision.content:
                    settled.append((decision, page.datum.dedup_key))
        return settled

    def _own(self, settled: Sequence[_Settled], kind: Content) -> list[_Settled]:
        """Let kept pages own their contents where a duplicate did, or nobody; return the decisions that still hold.

        A page that is leased meanwhile may have claimed another content before it was given this one, and would
        never give it up: it is given back.
        """
        keyed = [(decision, key) for decision, key in settled if key]
        owners = self._contents.owners_of([key for _, key in keyed])
        changes = {
            decision.kept: (key, owner, decision.kept)
            for (decision, key), owner in zip(keyed, owners, strict=True)
            if owner is None or owner in decision.duplicates
        }
        if not changes:
            return list(settled)
        done = dict(zip(changes, self._contents.hand_over_all(list(changes.values())), strict=True))
        firm = self._settled([decision for decision, _ in settled], kind)
        holding = {decision.kept for decision, _ in firm}
        back = [(key, kept, owner) for kept, (key, owner, _) in changes.items() if done[kept] and kept not in holding]
        self._contents.hand_over_all(back)
        return firm
