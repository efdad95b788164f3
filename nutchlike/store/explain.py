"""Explainer: why a URL is where it is, from what the store holds (``scrapy explain``)."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from heapq import nlargest
from typing import Any, cast

from nutchlike.crawldatum import CrawlDatum, DbStatus
from nutchlike.store.codec import QueueEntry, RecordState, queue_entry
from nutchlike.store.content_index import NOBODY_KNOWS, ContentIndex
from nutchlike.store.crawldb import CrawlDb
from nutchlike.store.duplicates import Duplicates
from nutchlike.store.host_records import StoredHost, decode_host, read_record
from nutchlike.store.keys import CrawlKeys, PartitionKeys, partition_and_handle
from nutchlike.store.nodes import Client
from nutchlike.store.queue_places import Place, QueuePlaces
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
        self._client = client
        self._crawldb = crawldb
        self._webgraph = webgraph
        self._duplicates = duplicates
        self._places = QueuePlaces(keys, scripts, client)

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
        place = self._places.find(partition, host, entry, exact=exact) if entry.state is RecordState.WAITING else None
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
