"""StoreCheck: whether every URL is where its record says, and all counters and cash add up (``scrapy fsck``)."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from typing import Any, cast

from nutchlike.store.content_index import ContentIndex
from nutchlike.store.host_records import StoredHost, chunks, read_hosts, read_record
from nutchlike.store.keys import CrawlKeys, PartitionKeys, partition_and_handle, record_key
from nutchlike.store.nodes import Client
from nutchlike.store.outbox import Outbox
from nutchlike.store.scripts import Scripts, checked
from nutchlike.store.signature_index import SignatureIndex

BUCKETS = 16  # looked over with one call
CASH_ERROR = 1e-9  # relative
SHOWN = 20  # record keys that a finding names


@dataclass(slots=True)
class Finding:
    """One kind of problem: what is wrong, how often, and the first record keys that have it."""

    problem: str
    count: int = 0
    keys: list[bytes] = field(default_factory=list)


@dataclass(frozen=True, slots=True)
class CashAudit:
    """The cash that was injected and the cash that is there; ``error`` is their relative difference."""

    injected: float
    found: float

    @property
    def error(self) -> float:
        return abs(self.found - self.injected) / self.injected if self.injected else abs(self.found)


@dataclass(frozen=True, slots=True)
class Report:
    """What a check found: nothing wrong, when ``findings`` is empty.

    ``was_idle`` says whether nobody worked on the crawl meanwhile; only then counters and cash were compared.
    """

    records: int
    was_idle: bool
    cash: CashAudit
    findings: list[Finding]


class StoreCheck:
    """Looks over a whole crawl in small steps, each atomic, so that a crawl may go on meanwhile."""

    def __init__(
        self, client: Client, keys: CrawlKeys, scripts: Scripts, *, contents: ContentIndex | None = None
    ) -> None:
        """``contents`` has the pages' contents (default: a Redis set)."""
        self._contents = contents or SignatureIndex(keys, scripts)
        self._client = client
        self._keys = keys
        self._scripts = scripts
        self._findings: dict[str, Finding] = {}

    def run(self, *, repair: bool, now: float) -> Report:
        """Check everything; with ``repair`` records are believed, and queues and counters made to fit them."""
        self._findings = {}
        before = self._activity()
        cash, tallies = [], []
        for partition in range(len(self._keys)):
            of_hosts = list(self._check_hosts(partition, repair=repair, now=now))
            cash += [part for _, parts, _ in of_hosts for part in parts]
            tallies.append([(host, tally) for host, _, tally in of_hosts])
            self._check_strays(partition, repair=repair)
        is_idle = before == self._activity() and not any(tally["leased"] for rows in tallies for _, tally in rows)
        if is_idle:
            for partition, rows in enumerate(tallies):
                self._check_counters(partition, rows, repair=repair, now=now)
            self._check_contents(repair=repair)
        audit = self._audit(cash, [sum((t for _, t in rows), Counter()) for rows in tallies])
        if is_idle and audit.error > CASH_ERROR:
            self._found(f"cash: {audit.injected!r} injected, {audit.found!r} found", [b""])
            if repair:  # what is lost goes to all pages with the virtual page's next share
                missing = audit.injected - audit.found
                self._client.hincrbyfloat(self._keys.partitions[0].name("totals"), "residue", missing)
        records = sum(tally["records"] for rows in tallies for _, tally in rows)
        return Report(records=records, was_idle=is_idle, cash=audit, findings=list(self._findings.values()))

    def audit_cash(self) -> CashAudit:
        """Add up all cash, and compare nothing else. Exact only while nothing changes: it reads every record."""
        cash, totals = [], []
        for partition in range(len(self._keys)):
            tally = Counter[str]()
            for _, parts, of_host in self._check_hosts(partition, repair=False, now=0.0):
                cash += parts
                tally.update(of_host)
            totals.append(tally)
        self._findings = {}
        return self._audit(cash, totals)

    def mend_queues(self, *, now: float) -> int:
        """Put hosts where they belong, and URLs back that wait in no queue; return how many URLs those were.

        Costs one look per host while all is well.
        """
        self._findings, mended = {}, 0
        for partition, keys in enumerate(self._keys.partitions):
            hosts = self._client.hlen(keys.name("hosts"))
            calls = [
                (partition, "settle_hosts", [repr(now), first, min(first + 499, hosts)])
                for first in range(1, hosts + 1, 500)
            ]
            lost = {number for reply in checked(self._scripts.run_all(calls)) for number in reply}
            due = int(cast("bytes | None", self._client.hget(keys.name("counts"), "due")) or 0)
            if due and not self._client.exists(keys.name("due")):
                lost = set(range(1, hosts + 1))
            for host in read_hosts(self._client, keys) if lost else ():
                if host.number in lost:
                    _, tally = self._check_host(partition, host, repair=True, now=now)
                    mended += tally["waiting"] + tally["due"]
        return mended

    def _check_hosts(
        self, partition: int, *, repair: bool, now: float
    ) -> Iterator[tuple[StoredHost, list[float], Counter[str]]]:
        for host in read_hosts(self._client, self._keys.partitions[partition]):
            cash, tally = self._check_host(partition, host, repair=repair, now=now)
            yield host, cash, tally

    def _check_host(
        self, partition: int, host: StoredHost, *, repair: bool, now: float
    ) -> tuple[list[float], Counter[str]]:
        calls = [
            (partition, "check", [repr(now), host.number, first, min(first + BUCKETS, host.buckets) - 1, int(repair)])
            for first in range(0, host.buckets, BUCKETS)
        ]
        cash, tally = [], Counter[str]()
        for chunk in chunks(calls, 16):
            for part, counters, problems in checked(self._scripts.run_all(chunk)):
                cash.append(float(part))
                tally.update({name.decode(): n for name, n in _pairs(counters)})
                for problem, handle in _pairs(problems):
                    self._found(problem.decode(), [record_key(partition, handle)])
        return cash, tally

    def _check_strays(self, partition: int, *, repair: bool) -> None:
        keys = self._keys.partitions[partition]
        for name in ("lease_info", "dead", "metadata", "requests", "links", "anchors", "origins", "sketches", "copies"):
            for some in chunks(self._client.hscan_iter(keys.name(name), count=500), 500):
                handles = [handle for handle, _ in some]
                strays = self._scripts.run(partition, "check_strays", name, int(repair), *handles)
                self._found(f"{name} of no record", [record_key(partition, handle) for handle in strays])

    def _check_counters(
        self, partition: int, rows: Sequence[tuple[StoredHost, Counter[str]]], *, repair: bool, now: float
    ) -> None:
        """Compare counters of hosts and of the partition with what was counted."""
        keys = self._keys.partitions[partition]
        for host, tally in rows:
            counted = (tally["records"], tally["waiting"], tally["leased"])
            if counted != (host.records, host.waiting, host.active):
                self._found(f"counters of host {host.name}", [b""])
                if repair:
                    self._scripts.run(partition, "set_counts", repr(now), host.number, *counted)
        total = sum((tally for _, tally in rows), Counter())
        stored = cast("dict[bytes, bytes]", self._client.hgetall(keys.name("counts")))
        names = {"waiting", "due", "dead", "done"} | {name for name in total if name.isdigit()}
        names |= {name.decode() for name in stored if name.isdigit()}
        expected = {name: total[name] for name in names}
        wrong = {name: n for name, n in expected.items() if int(stored.get(name.encode(), 0)) != n}
        # a record that cannot be read has a status that nobody knows
        if total["unreadable"]:
            wrong = {name: n for name, n in wrong.items() if not name.isdigit()}
        known = int(float(cast("bytes | None", self._client.hget(keys.name("totals"), "known")) or 0))
        if known != total["records"]:
            self._found(f"known: {known} counted, {total['records']} records in {keys.prefix}", [b""])
            if repair:
                self._client.hset(keys.name("totals"), "known", str(total["records"]))
        for name, n in wrong.items():
            self._found(f"counter {name}: {int(stored.get(name.encode(), 0))}, should be {n} in {keys.prefix}", [b""])
        if repair and wrong:
            self._client.hset(keys.name("counts"), mapping=cast("Any", wrong))

    def _check_contents(self, *, repair: bool) -> None:
        """Every content whose owner is kept must be owned by a page that is there."""
        for content, owner in self._contents.owners():
            partition, handle = partition_and_handle(owner)
            if partition < len(self._keys) and read_record(self._client, self._keys.partitions[partition], handle):
                continue
            self._found("content of no record", [owner])
            if repair:
                self._contents.hand_over_all([(content, owner, None)])

    def _audit(self, cash: Iterable[float], totals: Sequence[Counter[str]]) -> CashAudit:
        parts, injected = list(cash), 0.0
        for keys, total in zip(self._keys.partitions, totals, strict=True):
            readable = total["records"]
            virtual, residue, balance, injected_here = map(
                float, self._totals(keys, "virtual", "residue", "balance", "injected")
            )
            parts += [readable * virtual, residue, balance]
            injected += injected_here
        parts.append(Outbox(self._keys, self._scripts).cash())
        return CashAudit(injected=injected, found=math.fsum(parts))

    def _totals(self, keys: PartitionKeys, *names: str) -> list[Any]:
        return [value or 0 for value in cast("list[Any]", self._client.hmget(keys.name("totals"), names))]

    def _activity(self) -> list[Any]:
        """Return what changes with every step of a crawl."""
        activity: list[Any] = []
        for keys in self._keys.partitions:
            activity.append(self._client.hget(keys.name("counts"), "handed_out"))
            activity += self._totals(keys, "known", "distributed", "injected")
        return activity

    def _found(self, problem: str, keys: Sequence[bytes]) -> None:
        if keys:
            finding = self._findings.setdefault(problem, Finding(problem))
            finding.count += len(keys)
            finding.keys += [key for key in keys if key][: SHOWN - len(finding.keys)]


def _pairs(flat: Sequence[Any]) -> Iterator[tuple[Any, Any]]:
    return zip(flat[::2], flat[1::2], strict=True)
