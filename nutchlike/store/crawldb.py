"""CrawlDb: all records of a crawl; injection, look-up, counts, and the check of its invariants."""

from __future__ import annotations

import struct
from collections import Counter
from collections.abc import Callable, Collection, Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import Any, Literal, cast

from nutchlike.crawldatum import SCORE_MAX, CrawlDatum, DbStatus
from nutchlike.store.codec import UnreadableRecord, decode_record, encode_metadata, next_id, site_number
from nutchlike.store.content_index import ContentIndex
from nutchlike.store.errors import CrawlGone
from nutchlike.store.host_records import chunks, read_record, read_records
from nutchlike.store.keys import CrawlKeys, PartitionKeys, layout_key, partition_and_handle, record_key
from nutchlike.store.layout import forget
from nutchlike.store.nodes import Client, Command
from nutchlike.store.scripts import Scripts, checked
from nutchlike.store.signature_index import SignatureIndex
from nutchlike.store.stored_url import StoredURL
from nutchlike.urls.identity import split_url, url_id

SCORES = 500  # records whose scores are set with one call
Merge = Literal["keep", "update", "overwrite", "credit"]


@dataclass(frozen=True, slots=True)
class Seed:
    """A seed as it enters the CrawlDb: normalized URL, cash, interval in seconds, metadata.

    ``score_given`` and ``interval_given`` tell whether the seed list named them: only then an update changes them.
    ``origin`` is where the seed stands: ``list:line``. ``changed_at``: a known page that was last fetched before that
    (epoch seconds) is due at once, whatever else becomes of it.
    """

    url: str
    score: float
    fetch_interval: int
    metadata: dict[str, str]
    score_given: bool = False
    interval_given: bool = False
    origin: str = ""
    changed_at: int = 0


@dataclass(frozen=True, slots=True)
class CrawlDbCounts:
    """How many URLs are in which state: known = waiting + leased + due + dead + done.

    ``done`` are requests that are not fetched again; ``repaired`` counts records whose cash was no finite number.
    """

    known: int
    waiting: int
    leased: int
    due: int
    dead: int
    done: int
    repaired: int
    by_status: dict[DbStatus, int]


class CrawlDb:
    """The records of a crawl.

    ``queue_of`` names the queue (host, domain) of a host; ``contents`` has the pages' contents (default: a Redis set).
    """

    def __init__(
        self,
        client: Client,
        keys: CrawlKeys,
        scripts: Scripts,
        *,
        queue_of: Callable[[str], str],
        contents: ContentIndex | None = None,
    ) -> None:
        self._client = client
        self._contents = contents or SignatureIndex(keys, scripts)
        self._keys = keys
        self._scripts = scripts
        self._queue_of = queue_of

    def inject(self, seeds: Sequence[Seed], *, merge: Merge, now: float) -> tuple[int, int]:
        """Make seeds known; return how many were new, and how many known ones were changed.

        A known URL is kept as it is, or updated (score, interval, metadata; status and signature stay), overwritten
        (a new unfetched record), or credited (it gets the cash of the seed). Atomic per call and partition: keep a call
        to some hundred seeds.

        Raises ValueError for a score that is negative, not finite or above SCORE_MAX.
        """
        by_partition: dict[int, list[Any]] = {}
        for seed in seeds:
            if not 0 <= seed.score <= SCORE_MAX:
                raise ValueError(f"score of {seed.url} must be between 0 and {SCORE_MAX:g}, got {seed.score!r}")
            url = StoredURL.plain(seed.url, metadata=encode_metadata(seed.metadata))
            args = by_partition.setdefault(self._keys.partition_of(seed.url), [repr(now), merge])
            args += url.injected(
                self._queue_of,
                cash=seed.score,
                fetch_interval=seed.fetch_interval,
                score_given=seed.score_given,
                interval_given=seed.interval_given,
                origin=seed.origin,
                changed_at=seed.changed_at,
            )
        replies = self._scripts.run_safely([(p, "inject", args) for p, args in by_partition.items()])
        return sum(int(created) for created, _ in replies), sum(int(changed) for _, changed in replies)

    def set_scores(self, scores: Iterable[tuple[bytes, float]], *, now: float) -> int:
        """Give records, named by their keys, new scores, and return how many were there; status and history stay.

        A score becomes the page's cash, and what that adds to or takes from all cash counts as injected. Atomic per
        partition and SCORES records. Raises ValueError for a score that is negative, not finite or above SCORE_MAX.
        """
        found = 0
        for some in chunks(scores, SCORES):
            by_partition: dict[int, list[Any]] = {}
            for key, score in some:
                if not 0 <= score <= SCORE_MAX:
                    raise ValueError(f"score of {key.hex()} must be between 0 and {SCORE_MAX:g}, got {score!r}")
                partition, handle = partition_and_handle(key)
                by_partition.setdefault(partition, [repr(now)]).extend((handle, repr(score)))
            calls = [(partition, "set_scores", args) for partition, args in by_partition.items()]
            found += sum(map(int, checked(self._scripts.run_all(calls))))
        return found

    def get(self, url: str) -> CrawlDatum | None:
        """Return the record of a normalized URL, or ``None`` when it is not known.

        Raises UnreadableRecord.
        """
        found = self._find(url)
        return found[1] if found is not None else None

    def key_of(self, url: str) -> bytes | None:
        """Return the record key of a normalized URL, or ``None`` when it is not known."""
        found = self._find(url)
        return found[0] if found is not None else None

    def url_of(self, key: bytes) -> str | None:
        """Return the URL of a record key, or ``None`` when it is not known, or is none (NOBODY_KNOWS)."""
        if not key:
            return None
        partition, handle = partition_and_handle(key)
        if partition >= len(self._keys):
            return None
        raw = read_record(self._client, self._keys.partitions[partition], handle)
        return None if raw is None else self._decode(self._keys.partitions[partition], handle, raw, virtual=0.0).url

    def origin_of(self, key: bytes) -> str:
        """Return where the seed stands that made a record known, ``list:line``; "" for a URL that no list names."""
        partition, handle = partition_and_handle(key)
        origin = self._client.hget(self._keys.partitions[partition].name("origins"), cast("Any", handle))
        return (cast("bytes | None", origin) or b"").decode()

    def move(self, url: str, to: str | None, *, now: float) -> bool:
        """Give the record of ``url`` to the normalized URL ``to``, or forget it (``None``); False when it is leased.

        When ``to`` is known, its own record stays and gets the cash. A forgotten page takes its cash with it, as if it
        had never been injected. A page that moves to another partition arrives there as a seed: it is fetched anew.
        """
        found = self._find(url)
        if found is None:
            return False
        key, datum = found
        partition, handle = partition_and_handle(key)
        if self._client.hexists(self._keys.partitions[partition].name("lease_info"), handle):
            return False
        if datum.dedup_key:  # first, so that a kill leaves no content with an owner that is gone
            self._contents.hand_over_all([(datum.dedup_key, key, None)])
        source = StoredURL.plain(url).place(self._queue_of)
        if to is not None and self._keys.partition_of(to) != partition:
            cash = min(max(datum.score, 0.0), SCORE_MAX)
            seed = Seed(to, cash, datum.fetch_interval, dict(datum.metadata), origin=self.origin_of(key))
            self.inject([seed], merge="credit", now=now)
            to = None
        target = StoredURL.plain(to).place(self._queue_of) if to is not None else ["", "", "", ""]
        has_moved = bool(self._scripts.run(partition, "move", repr(now), *source, *target))
        holder = url if not has_moved else to
        if datum.dedup_key and holder is not None and (new_key := self.key_of(holder)) is not None:
            self._contents.claim_all([(new_key, datum.dedup_key, None)])
            self._contents.settle_all([(new_key, datum.dedup_key)])
        return has_moved

    def records(self) -> Iterator[CrawlDatum | UnreadableRecord]:
        """Yield every record, or why it cannot be read, in no order; in small steps, so a crawl may go on meanwhile."""
        for number, keys in enumerate(self._keys.partitions):
            virtual = self._total(keys, "virtual")
            for handle, raw in read_records(self._client, self._scripts, number, keys):
                try:
                    yield self._decode(keys, handle, raw, virtual=virtual)
                except UnreadableRecord as error:
                    yield error

    def counts(self) -> CrawlDbCounts:
        """Return how many URLs are in which state, from counters: it costs the same for any number of URLs."""
        counters: Counter[str] = Counter()
        commands: list[tuple[int, Command]] = []
        for number, keys in enumerate(self._keys.partitions):
            commands += [
                (number, ("HGETALL", keys.name("counts"))),
                (number, ("HGET", keys.name("totals"), "known")),
                (number, ("ZCARD", keys.name("leases"))),
            ]
        answers = self._scripts.ask(commands)
        for values in answers[::3]:
            counters.update({name.decode(): int(value) for name, value in values.items()})
        known, leased = sum(int(float(n or 0)) for n in answers[1::3]), sum(answers[2::3])
        return CrawlDbCounts(
            known=known,
            waiting=counters["waiting"],
            leased=leased,
            due=counters["due"],
            dead=counters["dead"],
            done=counters["done"],
            repaired=counters["repaired"],
            by_status={status: counters[str(int(status))] for status in DbStatus if counters[str(int(status))]},
        )

    def check_presence(self) -> None:
        """Raise CrawlGone when the store has lost the crawl since it was opened."""
        if not self._client.exists(layout_key(self._keys.crawl_id)):
            raise CrawlGone(
                f"crawl {self._keys.crawl_id!r} is not in Redis any more: it was emptied (FLUSHALL), or restarted "
                "without a file of its data (appendonly, save), or has evicted keys for want of memory; "
                "bring its data back, or begin anew with the seeds"
            )

    def dead_letters(self) -> list[tuple[str, str]]:
        """Return the URLs that are not handed out any more, each with the reason; requests of one URL count singly.

        In place of the URL of a record that cannot be read stands its key in hex.
        """
        return [(url, reason) for _, url, reason in self._dead()]

    def requeue(self, urls: Collection[str] | None, *, now: float) -> int:
        """Let dead letters wait again, with no lost lease counted; ``None`` means all. Return how many do.

        One whose record cannot be read stays what it is.
        """
        back = 0
        for chunk in chunks((key for key, url, _ in self._dead() if urls is None or url in urls), 500):
            places = map(partition_and_handle, chunk)
            calls = [(partition, "requeue", [repr(now), handle]) for partition, handle in places]
            back += sum(map(int, checked(self._scripts.run_all(calls))))
        return back

    def clear(self) -> None:
        """Forget the whole crawl."""
        forget(self._client, self._keys)

    def _find(self, url: str) -> tuple[bytes, CrawlDatum] | None:
        partition = self._keys.partition_of(url)
        keys = self._keys.partitions[partition]
        site, path = split_url(url)
        listed = cast("bytes | None", self._client.hget(keys.name("sites"), site))
        if listed is None:
            return None
        number, host = map(int, listed.split())
        key = url_id(url)
        while (raw := read_record(self._client, keys, handle := struct.pack(">I", host) + key)) is not None:
            datum = self._decode(keys, handle, raw, virtual=self._total(keys, "virtual"))
            if datum.url == url:
                return record_key(partition, handle), datum
            key = next_id(key, number, path)
        return None

    def _dead(self) -> Iterator[tuple[bytes, str, str]]:
        """Yield record key, URL and reason of each dead letter."""
        for number, keys in enumerate(self._keys.partitions):
            for handle, reason in cast("dict[bytes, bytes]", self._client.hgetall(keys.name("dead"))).items():
                key = record_key(number, handle)
                yield key, self._name_of(key), reason.decode(errors="replace")

    def _name_of(self, key: bytes) -> str:
        try:
            return self.url_of(key) or key.hex()
        except UnreadableRecord:
            return key.hex()

    def _decode(self, keys: PartitionKeys, handle: bytes, raw: bytes, *, virtual: float) -> CrawlDatum:
        where = f"record {handle.hex()} of {keys.prefix}"
        try:
            site = cast("bytes | None", self._client.hget(keys.name("site_names"), str(site_number(raw)))) or b""
        except UnreadableRecord as error:
            raise UnreadableRecord(f"{where}: {error}") from error
        metadata = cast("bytes | None", self._client.hget(keys.name("metadata"), handle)) or b""
        return decode_record(raw, key=where, site=site.decode(), metadata=metadata, virtual=virtual)

    def _total(self, keys: PartitionKeys, name: str) -> float:
        return float(cast("bytes | None", self._client.hget(keys.name("totals"), name)) or 0)
