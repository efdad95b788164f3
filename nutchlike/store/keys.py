"""Every Redis key of a crawl: name, type, fields and writer; a table in code.

``{0}`` is the partition's hash tag, so that all keys of one partition live on one cluster node.
A *family* is the beginning of many keys: the rest (a bucket number, a host) is appended by the script.
Scripts get all names of a partition as KEYS, in the order of ``PARTITION_KEYS``.
"""

from __future__ import annotations

from dataclasses import dataclass

BUCKETS = 1 << 14  # hashes that hold the records; small ones are kept compactly by Redis


@dataclass(frozen=True, slots=True)
class KeySpec:
    """One row of the table: the key's last part, its Redis type, what it holds, which scripts write it."""

    name: str
    type: str
    holds: str
    written_by: str


PARTITION_KEYS = (
    KeySpec("r:", "family of hash", "url id (8 bytes) -> record (codec.py); BUCKETS of them", "all"),
    KeySpec("sites", "hash", "scheme://authority -> site number", "inject, complete"),
    KeySpec("site_names", "hash", "site number -> host, blank, scheme://authority", "inject, complete"),
    KeySpec("metadata", "hash", "url id -> JSON object of str", "inject, complete"),
    KeySpec("requests", "hash", "url id -> priority (8-byte double), stored request (JSON)", "inject, complete"),
    KeySpec(
        "totals", "hash", "known, virtual, residue, distributed, injected: floats as text; per_host", "inject, complete"
    ),
    KeySpec("counts", "hash", "db_status number -> URLs; waiting -> URLs in all queues; repaired -> records", "all"),
    KeySpec("q:", "family of zset", "per host: url id -> rank (cash relative to V, plus Request.priority)", "all"),
    KeySpec("ready", "zset", "host -> rank of its best URL; hosts that may be asked now", "all"),
    KeySpec("blocked", "zset", "host -> epoch seconds from which it may be asked", "all"),
    KeySpec("clocks", "hash", "host -> epoch seconds from which it may be asked", "lease, claim_host"),
    KeySpec("active", "hash", "host -> leased URLs", "lease, complete, release, bury, recount"),
    KeySpec("leases", "zset", "url id -> deadline, epoch seconds", "lease, renew, complete, release, bury"),
    KeySpec("lease_info", "hash", "url id -> worker that holds the lease", "lease, complete, release, bury"),
    KeySpec("due", "zset", "url id -> epoch seconds when it is fetched again", "lease, complete, inject, rebuild"),
    KeySpec("dead", "hash", "url id -> reason; dead letters", "lease, release, bury, inject, rebuild"),
    KeySpec("signatures", "hash", "dedup key -> url id of the owner of the content", "claim_signature, inject, move"),
)


@dataclass(frozen=True, slots=True)
class PartitionKeys:
    """The key names of one partition of one crawl."""

    crawl_id: str
    partition: int = 0

    @property
    def prefix(self) -> str:
        return f"nutch:{self.crawl_id}:{{{self.partition}}}:"

    def name(self, key: str) -> str:
        """Return the full name of the key whose row is called ``key``; KeyError when there is none."""
        if all(spec.name != key for spec in PARTITION_KEYS):
            raise KeyError(key)
        return self.prefix + key

    def bucket(self, number: int) -> str:
        """Return the name of the ``number``-th bucket of records."""
        return f"{self.name('r:')}{number}"

    def bucket_of(self, url_id: bytes) -> str:
        """Return the name of the bucket that holds a URL's record: the first 14 bits of its id number it."""
        return self.bucket((url_id[0] << 6) | (url_id[1] >> 2))

    def queue(self, host: str) -> str:
        """Return the name of a host's queue."""
        return self.name("q:") + host

    def all(self) -> list[str]:
        """Return all names in the order in which scripts expect them as KEYS."""
        return [self.prefix + spec.name for spec in PARTITION_KEYS]
