"""Every Redis key of a crawl: name, type, fields and writer; a table in code.

``{0}`` is the partition's hash tag, so that all keys of one partition live on one cluster node.
A *family* is the beginning of many keys: the rest (host number, bucket number) is appended by the script.
Scripts get all names of a partition as KEYS, in the order of ``PARTITION_KEYS``.
"""

from __future__ import annotations

import zlib
from dataclasses import dataclass

from nutchlike.urls.identity import host_key
from nutchlike.urls.registered_domain import registered_domain


@dataclass(frozen=True, slots=True)
class KeySpec:
    """One row of the table: the key's last part, its Redis type, what it holds, which scripts write it."""

    name: str
    type: str
    holds: str
    written_by: str


PARTITION_KEYS = (
    KeySpec("r:", "family of hash", "per bucket of a host: url id (8 bytes) -> record (codec.py)", "all"),
    KeySpec("q:", "family of zset", "per host: bucket -> rank of its best new URL that waits, or more", "all"),
    KeySpec("a:", "family of zset", "per host: the same of URLs that were taken up before", "all"),
    KeySpec("hosts", "hash", "host number -> counters, clock, name (host_records.py)", "all"),
    KeySpec("host_numbers", "hash", "queue (host, domain or address) -> host number", "all"),
    KeySpec("sites", "hash", "scheme://authority -> site number, blank, host number", "all"),
    KeySpec("site_names", "hash", "site number -> scheme://authority", "all"),
    KeySpec("metadata", "hash", "handle -> JSON object of str", "inject, complete, receive, move, purge"),
    KeySpec("requests", "hash", "handle -> stored request (JSON)", "inject, complete, receive, move, purge"),
    KeySpec(
        "totals",
        "hash",
        "known, virtual, residue, pool, balance, distributed, injected, taken, credit, divided_at: floats as text; "
        "per_host, host_max, window, link_times: limits of the last lease; ranked_at: handed_out of all at the last "
        "LinkRank",
        "inject, lease, complete, receive, share_out, release, move, purge, set_scores, claim_ranking",
    ),
    KeySpec("counts", "hash", "db_status number, waiting, due, dead, done -> URLs; repaired, handed_out", "all"),
    KeySpec("ready", "zset", "host number -> rank of its best new URL; hosts that may be asked now", "all"),
    KeySpec("ready_again", "zset", "host number -> rank of its best URL that was taken up before", "all"),
    KeySpec("blocked", "zset", "host number -> epoch seconds from which it may be asked", "all"),
    KeySpec("leases", "zset", "handle -> deadline, epoch seconds", "lease, renew, complete, release, bury"),
    KeySpec("lease_info", "hash", "handle -> worker that holds the lease", "lease, complete, release, bury"),
    KeySpec("due", "zset", "host number, bucket (4 bytes each) -> epoch seconds of its first due page, or less", "all"),
    KeySpec("dead", "hash", "handle -> reason; dead letters", "lease, release, bury, requeue, inject, move, purge"),
    KeySpec("signatures", "hash", "dedup key -> record key of the owner", "claim_signature, hand_over_signature"),
    KeySpec("out:", "family of list", "per other partition: messages to it (receive.lua)", "complete, share_out"),
    KeySpec("out_heads", "hash", "other partition -> messages to it that have been delivered", "delivered"),
    KeySpec("inbox", "hash", "other partition -> messages of it that have been taken", "receive"),
    KeySpec("robots", "hash", "site -> robots.txt (robots_cache.py)", "RobotsCache"),
    KeySpec("robots_asked", "hash", "site -> epoch seconds until it is asked, worker", "ask_robots, RobotsCache"),
    KeySpec(
        "links",
        "hash",
        "handle -> url ids (8 bytes each) of the page's outlinks (webgraph.py)",
        "complete, move, purge",
    ),
    KeySpec("anchors", "hash", "handle -> texts of these links: JSON list, zlib", "complete, move, purge"),
    KeySpec("origins", "hash", "handle -> where the seed stands: list:line", "inject, move, purge"),
    KeySpec(
        "sketches", "hash", "handle -> content, epoch seconds, sketch (sketch_index.py)", "SketchIndex, move, purge"
    ),
    KeySpec("words", "hash", "word -> pages that it stands in, '' -> pages (partition 0 only)", "WordCounts"),
    KeySpec("bands:", "family of hash", "band of a sketch -> record keys of its pages", "claim_bands, leave_bands"),
    KeySpec(
        "filter",
        "hash",
        "of the Bloom filter: kind (module, bits), capacity and error as begun, parts, entries; last: those of the "
        "last part",
        "claim_confirmed, claim_filtered, settle_contents",
    ),
    KeySpec("filter:", "family of string", "per part of the Bloom filter: its bits (lib/bloom.lua)", "as filter"),
    KeySpec("pending", "hash", "dedup key -> record key that claimed it and is not acknowledged yet", "as filter"),
    KeySpec(
        "copies",
        "hash",
        "handle of a db_duplicate -> record key of the page that is kept",
        "mark_duplicates, mark_orphans, complete, inject, move, purge",
    ),
)


@dataclass(frozen=True, slots=True)
class PartitionKeys:
    """The key names of one partition of one crawl."""

    crawl_id: str
    partition: int = 0

    @property
    def prefix(self) -> str:
        return f"nutch:{self.crawl_id}:{{{self.partition}}}:"

    @property
    def pattern(self) -> str:
        """What matches the names of all keys, for SCAN."""
        return "".join(f"\\{c}" if c in "*?[]^\\" else c for c in self.prefix) + "*"

    def name(self, key: str) -> str:
        """Return the full name of the key whose row is called ``key``; KeyError when there is none."""
        if all(spec.name != key for spec in PARTITION_KEYS):
            raise KeyError(key)
        return self.prefix + key

    def bucket(self, host: int, number: int) -> str:
        """Return the name of the ``number``-th bucket of a host's records."""
        return f"{self.name('r:')}{host}:{number}"

    def all(self) -> list[str]:
        """Return all names in the order in which scripts expect them as KEYS."""
        return [self.prefix + spec.name for spec in PARTITION_KEYS]


class CrawlKeys:
    """The key names of a crawl, whose URLs are spread over ``partitions`` by their registered domains."""

    def __init__(self, crawl_id: str, partitions: int = 1) -> None:
        self.crawl_id = crawl_id
        self.partitions = [PartitionKeys(crawl_id, number) for number in range(partitions)]

    def __len__(self) -> int:
        return len(self.partitions)

    def partition_of(self, url: str) -> int:
        """Return the partition of a URL; all hosts of a domain share one, so that any queue mode keeps its clocks."""
        if len(self) == 1:
            return 0
        return zlib.crc32(registered_domain(host_key(url)).encode()) % len(self)

    def partition_of_content(self, dedup_key: bytes) -> int:
        """Return the partition that knows who owns a content."""
        return zlib.crc32(dedup_key) % len(self)


def layout_key(crawl_id: str) -> str:
    """Return the name of the hash that says how a crawl is laid out: version, number of partitions, queue mode."""
    return f"nutch:{crawl_id}:{{0}}:layout"


def record_key(partition: int, handle: bytes) -> bytes:
    """Return what stands for a record in the whole crawl: partition (2 bytes), host number (4), url id (8)."""
    return partition.to_bytes(2, "big") + handle


def partition_and_handle(key: bytes) -> tuple[int, bytes]:
    """Return the partition of a record key, and the handle that scripts know the record by."""
    return int.from_bytes(key[:2], "big"), key[2:]
