"""Explainer: why a URL is where it is, from what the store holds (``scrapy explain``)."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from heapq import nlargest
from typing import Any, cast

from nutchlike.crawldatum import CrawlDatum, DbStatus
from nutchlike.store.codec import QueueEntry, RecordState, UnreadableRecord, queue_entry
from nutchlike.store.content_index import NOBODY_KNOWS, ContentIndex
from nutchlike.store.crawldb import CrawlDb
from nutchlike.store.duplicates import Duplicates
from nutchlike.store.host_records import StoredHost, chunks, decode_host, read_hosts, read_record, read_records
from nutchlike.store.keys import CrawlKeys, PartitionKeys, partition_and_handle
from nutchlike.store.nodes import Client
from nutchlike.store.scripts import Scripts
from nutchlike.store.signature_index import SignatureIndex
from nutchlike.store.webgraph import Inlink, WebGraph

SHOWN = 10  # contributors
_REDIRECTS = {DbStatus.DB_REDIR_TEMP, DbStatus.DB_REDIR_PERM}


@dataclass(frozen=True, slots=True)
class Contributor:
    """A page that links to the URL: what it has paid for that in all its fetches, and the text of the link."""

    url: str
    paid: float
    anchor: str


@dataclass(frozen=True, slots=True)
class Place:
    """How many waiting URLs rank higher than one that waits itself, among those that are new as it is, or not.

    ``host_ahead`` of the ``host_waiting`` of its own host do. ``hosts_ahead`` other hosts have such a URL, as their
    queues say: the ranks there may be too high, never too low. ``all_ahead`` in the whole crawl do, ``None`` = not
    counted.
    """

    host_ahead: int
    host_waiting: int
    hosts_ahead: int
    all_ahead: int | None


@dataclass(frozen=True, slots=True)
class Wait:
    """What a URL waits for: ``until`` when (epoch seconds, ``None`` when no time is set)."""

    reason: str
    until: float | None = None


@dataclass(frozen=True, slots=True)
class Explanation:
    """What is known of a known URL.

    ``origin`` is the line of the seed list, "" when links made it known. ``importance`` is the part of all cash ever
    spent (or spent within adaptive OPIC's window) that this page spent. ``contributors`` are those that paid most of
    ``inlinks``; both ``None`` when there is no web graph. ``place`` is ``None`` for a URL that does not wait.
    ``content_owner`` is the URL of the page that owns its content, "" when the index does not know whose it is,
    ``None`` when it has none; ``duplicate_of`` that of the page that is kept instead of it, "" likewise, ``None`` for
    one that is no duplicate.
    """

    datum: CrawlDatum
    state: RecordState
    origin: str
    importance: float
    inlinks: int | None
    contributors: list[Contributor] | None
    place: Place | None
    wait: Wait
    content_owner: str | None
    duplicate_of: str | None


class Explainer:
    """Looks a URL up in every part of the store. A running crawl may change what it finds from one look to the next."""

    def __init__(
        self,
        keys: CrawlKeys,
        scripts: Scripts,
        client: Client,
        crawldb: CrawlDb,
        webgraph: WebGraph,
        duplicates: Duplicates,
        *,
        contents: ContentIndex | None = None,
    ) -> None:
        """``contents`` has the pages' contents (default: a Redis set)."""
        self._contents = contents or SignatureIndex(keys, scripts)
        self._keys = keys
        self._scripts = scripts
        self._client = client
        self._crawldb = crawldb
        self._webgraph = webgraph
        self._duplicates = duplicates

    def explain(self, url: str, *, all_max: int, exact: bool, now: float) -> Explanation | None:
        """Return what is known of a normalized URL, ``None`` when it is not known.

        ``all_max`` is how many URLs the crawl may ever take up (-1 = all). Costs a look at each record of its host, one
        at each host, and one at each list of the web graph; ``exact`` one at each record. Raises UnreadableRecord.
        """
        key, datum = self._crawldb.key_of(url), self._crawldb.get(url)
        if key is None or datum is None:
            return None
        partition, handle = partition_and_handle(key)
        keys = self._keys.partitions[partition]
        entry = queue_entry(read_record(self._client, keys, handle) or b"")
        host = self._host(keys, int.from_bytes(handle[:4], "big"))
        place = self._place(partition, host, entry, exact=exact) if entry.state is RecordState.WAITING else None
        has_graph = self._webgraph.pages_with_links() > 0
        inlinks, contributors = self._contributors(url) if has_graph else (None, None)
        owner = self._content_owner(datum)
        return Explanation(
            datum=datum,
            state=entry.state,
            origin=self._crawldb.origin_of(key),
            importance=self._importance(datum),
            inlinks=inlinks,
            contributors=contributors,
            place=place,
            wait=self._wait(keys, handle, datum, entry, host, place, all_max=all_max, now=now),
            content_owner=owner,
            duplicate_of=self._kept_copy(key, datum, owner),
        )

    def sites(self) -> Iterator[str]:
        """Yield scheme://authority of all sites that have a known URL, or had one."""
        for keys in self._keys.partitions:
            for site in self._client.hscan_iter(keys.name("sites"), count=1000):
                yield site[0].decode()

    def fetched_pages(self) -> Iterator[tuple[int, str]]:
        """Yield depth (links from the nearest seed) and URL of each page that was fetched."""
        for record in self._crawldb.records():
            if isinstance(record, CrawlDatum) and record.db_status is not DbStatus.DB_UNFETCHED:
                yield record.depth, record.url

    def _place(self, partition: int, host: StoredHost, entry: QueueEntry, *, exact: bool) -> Place:
        rank = entry.rank + self._total(self._keys.partitions[partition], "virtual")
        own = list(self._entries_of_host(partition, host))
        return Place(
            host_ahead=sum(_comes_before(other, entry, entry.rank) for other in own),
            host_waiting=sum(other.state is RecordState.WAITING for other in own),
            hosts_ahead=self._hosts_ahead(entry, rank, (partition, host.number)),
            all_ahead=self._all_ahead(entry, rank) if exact else None,
        )

    def _entries_of_host(self, partition: int, host: StoredHost) -> Iterator[QueueEntry]:
        keys = self._keys.partitions[partition]
        for some in chunks(range(host.buckets), 256):
            buckets = self._scripts.ask([(partition, ("HGETALL", keys.bucket(host.number, i))) for i in some])
            for records in buckets:
                yield from _entries(records.values())

    def _hosts_ahead(self, entry: QueueEntry, rank: float, own: tuple[int, int]) -> int:
        ahead = 0
        for number, keys in enumerate(self._keys.partitions):
            virtual, family = self._total(keys, "virtual"), keys.name("q:" if entry.is_new else "a:")
            waiting = (host.number for host in read_hosts(self._client, keys) if host.waiting)
            for some in chunks((host for host in waiting if (number, host) != own), 500):
                best = [(number, ("ZREVRANGE", f"{family}{host}", 0, 0, "WITHSCORES")) for host in some]
                ahead += sum(bool(top) and _score(top) + virtual > rank for top in self._scripts.ask(best))
        return ahead

    def _all_ahead(self, entry: QueueEntry, rank: float) -> int:
        ahead = 0
        for number, keys in enumerate(self._keys.partitions):
            bound = rank - self._total(keys, "virtual")
            records = (raw for _, raw in read_records(self._client, self._scripts, number, keys))
            ahead += sum(_comes_before(other, entry, bound) for other in _entries(records))
        return ahead

    def _wait(
        self,
        keys: PartitionKeys,
        handle: bytes,
        datum: CrawlDatum,
        entry: QueueEntry,
        host: StoredHost,
        place: Place | None,
        *,
        all_max: int,
        now: float,
    ) -> Wait:
        if entry.state is RecordState.LEASED:
            worker = cast("bytes | None", self._client.hget(keys.name("lease_info"), cast("Any", handle))) or b"nobody"
            until = self._client.zscore(keys.name("leases"), handle)
            if until is not None and until < now:
                return Wait(f"the next crawl: worker {worker.decode()} was ended with it, and its lease ended", until)
            return Wait(f"the fetch by worker {worker.decode()}, whose lease ends", until)
        if entry.state is RecordState.DUE_LATER:
            again = f"its next try after {datum.retries} failures" if datum.retries else "its next fetch"
            is_due = datum.fetch_time <= now
            return Wait(f"{again}, {'by the next crawl: it has been due since' if is_due else 'due'}", datum.fetch_time)
        if entry.state is RecordState.DEAD_LETTER:
            reason = cast("bytes | None", self._client.hget(keys.name("dead"), cast("Any", handle))) or b"reason lost"
            return Wait(f"scrapy deadletters --requeue: it is a dead letter, {reason.decode(errors='replace')}")
        if entry.state is RecordState.DONE or place is None:
            return Wait("nothing: it was requested, and is not fetched again")
        return self._wait_for_turn(keys, entry, host, place, all_max=all_max, now=now)

    def _wait_for_turn(
        self, keys: PartitionKeys, entry: QueueEntry, host: StoredHost, place: Place, *, all_max: int, now: float
    ) -> Wait:
        taken = sum(int(self._total(each, "taken")) for each in self._keys.partitions)
        per_host, host_max = int(self._total(keys, "per_host") or 1), int(self._total(keys, "host_max", -1))
        if entry.is_new and 0 <= all_max <= taken:
            return Wait(f"a larger NUTCH_GENERATE_TOP_N: {taken} URLs were taken up, {all_max} may be")
        if entry.is_new and 0 <= host_max <= host.taken:
            return Wait(f"a larger NUTCH_GENERATE_MAX_COUNT: {host.taken} URLs of {host.name} were taken up")
        if host.clock > now:
            return Wait(f"{host.name}, which may not be asked: {_why_blocked(host, now)}; it may again", host.clock)
        if host.active >= per_host:
            return Wait(f"the end of another fetch: {host.active} pages of {host.name} are leased, {per_host} may be")
        if not self._client.exists(f"{keys.name('q:' if entry.is_new else 'a:')}{host.number}"):
            return Wait("scrapy fsck --repair: it is in no queue")
        if place.host_ahead:
            return Wait(f"its turn: {place.host_ahead} URLs of its host rank higher")
        if place.hosts_ahead:
            return Wait(f"its turn: it is the best of its host, {place.hosts_ahead} other hosts may have a better URL")
        return Wait("nothing: it is the next one")

    def _contributors(self, url: str) -> tuple[int, list[Contributor]]:
        number = 0

        def paid() -> Iterator[Contributor]:
            nonlocal number
            for inlink in self._webgraph.inlinks(url):
                number += 1
                yield Contributor(inlink.source.url, _paid(inlink), inlink.anchor)

        most = nlargest(SHOWN, paid(), key=lambda contributor: contributor.paid)
        return number, most

    def _importance(self, datum: CrawlDatum) -> float:
        totals = [
            [self._total(keys, name) for name in ("distributed", "injected", "balance", "window")]
            for keys in self._keys.partitions
        ]
        distributed, injected, balance = (sum(row[i] for row in totals) for i in range(3))
        window = max(row[3] for row in totals)
        whole = window * (injected - balance) if window else distributed
        return datum.history / whole if whole > 0 else 0.0

    def _content_owner(self, datum: CrawlDatum) -> str | None:
        if not datum.dedup_key:
            return None
        [owner] = self._contents.owners_of([datum.dedup_key])
        if owner is None:
            return None
        return "" if owner == NOBODY_KNOWS else self._crawldb.url_of(owner)

    def _kept_copy(self, key: bytes, datum: CrawlDatum, owner: str | None) -> str | None:
        """Return whose duplicate a page is: as the one who marked it says, else it was dropped for the owner."""
        if datum.db_status is not DbStatus.DB_DUPLICATE:
            return None
        kept = self._duplicates.kept_instead_of(key)
        if kept:
            return self._crawldb.url_of(kept)
        return owner if owner != datum.url else None  # it keeps its own content until its next fetch

    def _host(self, keys: PartitionKeys, number: int) -> StoredHost:
        return decode_host(number, cast("bytes | None", self._client.hget(keys.name("hosts"), str(number))) or b"")

    def _total(self, keys: PartitionKeys, name: str, default: float = 0.0) -> float:
        value = cast("bytes | None", self._client.hget(keys.name("totals"), name))
        return float(value) if value is not None else default


def _entries(records: Any) -> Iterator[QueueEntry]:
    for raw in records:
        try:
            yield queue_entry(raw)
        except UnreadableRecord:
            continue


def _comes_before(other: QueueEntry, entry: QueueEntry, bound: float) -> bool:
    return other.state is RecordState.WAITING and other.is_new == entry.is_new and other.rank > bound


def _score(top: list[Any]) -> float:
    """Return the score in an answer to ZREVRANGE, which a client may give as a pair."""
    return float(top[0][1] if isinstance(top[0], tuple | list) else top[1])


def _paid(inlink: Inlink) -> float:
    """Return what a page has paid to one of its links in all its fetches, as far as its links were those of today."""
    source = inlink.source
    return source.history / (inlink.outlinks if source.db_status in _REDIRECTS else inlink.outlinks + 1)


def _why_blocked(host: StoredHost, now: float) -> str:
    if host.held_until > now:
        return f"it failed ({host.failures} in a row), or asked to be left alone"
    if host.delay >= 0:
        return f"its robots.txt asks for {host.delay:g} s between two requests"
    return "the delay between two requests is not over"
