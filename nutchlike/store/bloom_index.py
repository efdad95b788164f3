"""BloomContentIndex: contents in a Bloom filter in Redis, with their owners beside it or without."""

from __future__ import annotations

import logging
import math
from collections.abc import Iterator, Sequence
from itertools import starmap
from typing import Any, Self

import redis

from nutchlike.contracts import SettingsReader
from nutchlike.store.content_index import NOBODY_KNOWS, Change, Claim, IndexPlace
from nutchlike.store.keys import CrawlKeys
from nutchlike.store.scripts import Call, Scripts, checked
from nutchlike.store.signature_index import SignatureIndex, scan_hash

logger = logging.getLogger(__name__)
_A_CALL = 500  # claims that one script takes at most


class BloomContentIndex:
    """Contents in a Bloom filter, one in each partition, that grows with the crawl and keeps its stated error.

    ``capacity`` contents are planned for; a filter that is full gets a further part, twice as large and with half the
    error, so that all parts together stay within ``error``. Both are those that the crawl was begun with. With an error
    of 1e-6 a content takes 30 bits, 4.4 bytes all in all; an owner of ``confirm`` 72 more. Where the server has the
    Bloom module when a crawl begins, the filter is the module's.

    ``confirm``: owners are kept in the Redis set, too, and a hit counts only when that has an owner. The index is then
    as exact as the set alone. It takes more memory: the filter saves the look-up of a new content, not its owner. So it
    is of use to a crawl that is to go on without ``confirm`` once its owners are too many.

    Without, the filter is all that is kept once a page is acknowledged. A hit drops a page, wrongly with the stated
    error. The owner is not known, and a filter cannot forget: what its owner gave up (it changed, it is gone) stays
    taken, so no page with that content comes out again, not even the owner when it changes back.

    Several workers may use it; with ``confirm`` False a page that is fetched again must name the content it had before.
    """

    def __init__(self, keys: CrawlKeys, scripts: Scripts, *, capacity: int, error: float, confirm: bool) -> None:
        """Raises ValueError for an ``error`` that is no probability."""
        if not 0 < error < 1:
            raise ValueError(f"NUTCH_SIGNATURE_BLOOM_ERROR must be above 0 and below 1, got {error!r}")
        self.knows_owners = confirm
        self._keys = keys
        self._scripts = scripts
        self._set = SignatureIndex(keys, scripts)
        self._error = error
        per_partition = max(1, math.ceil(capacity / len(keys)))
        self._begun_with = [per_partition, repr(error), int(has_bloom_module(scripts))]

    @classmethod
    def from_settings(cls, settings: SettingsReader, place: IndexPlace) -> Self:
        return cls(
            place.keys,
            place.scripts,
            capacity=settings.getint("NUTCH_SIGNATURE_BLOOM_CAPACITY"),
            error=settings.getfloat("NUTCH_SIGNATURE_BLOOM_ERROR"),
            confirm=settings.getbool("NUTCH_SIGNATURE_BLOOM_CONFIRM"),
        )

    def claim_all(self, claims: Sequence[Claim]) -> list[bytes]:
        """Return the owners for several claims, with one round trip and one script in each partition."""
        rows = [(self._keys.partition_of_content(claim[1]), [claim[0], claim[1], claim[2] or b""]) for claim in claims]
        verb = "claim_confirmed" if self.knows_owners else "claim_filtered"
        return [bytes(reply) for reply in self._run(verb, rows)]

    def settle_all(self, settled: Sequence[tuple[bytes, bytes]]) -> None:
        """Move the claims of acknowledged pages into the filter, and forget their owners."""
        if not self.knows_owners:
            rows = [(self._keys.partition_of_content(content), [key, content]) for key, content in settled]
            checked(self._scripts.run_all([call for call, _ in self._calls("settle_contents", rows)]))

    def hand_over_all(self, changes: Sequence[Change]) -> list[bool]:
        """Give contents from their owners to other pages; without ``confirm`` only those that are not settled."""
        if self.knows_owners:
            return self._set.hand_over_all(changes)
        calls = [
            (self._keys.partition_of_content(content), "hand_over_pending", [content, owner or b"", to or b""])
            for content, owner, to in changes
        ]
        return [bool(reply) for reply in checked(self._scripts.run_all(calls))]

    def owners_of(self, contents: Sequence[bytes]) -> list[bytes | None]:
        """Return the record keys of owners; NOBODY_KNOWS for what is settled without ``confirm``, ``None`` for none."""
        if self.knows_owners:
            return self._set.owners_of(contents)
        calls = [(self._keys.partition_of_content(content), "find_filtered", [content]) for content in contents]
        return [NOBODY_KNOWS if owner == b"" else owner for owner in checked(self._scripts.run_all(calls))]

    def owners(self) -> Iterator[tuple[bytes, bytes]]:
        """Yield content and owner; without ``confirm`` of the claims that are not settled."""
        if self.knows_owners:
            yield from self._set.owners()
            return
        for partition, keys in enumerate(self._keys.partitions):
            yield from scan_hash(self._scripts, partition, keys.name("pending"))

    def stats(self) -> dict[str, float]:
        """Return entries, bytes and stated error of the filter, its parts, and the claims that are not settled."""
        found = {"entries": 0.0, "bytes": 0.0, "error": 0.0, "parts": 0.0, "pending": 0.0}
        for partition, keys in enumerate(self._keys.partitions):
            name = keys.name("filter")
            filter_, pending = self._scripts.ask(
                [(partition, ("HGETALL", name)), (partition, ("HLEN", keys.name("pending")))]
            )
            parts = int(filter_.get(b"parts", 0))
            found["entries"] += int(filter_.get(b"entries", 0))
            found["parts"] = max(found["parts"], parts)
            found["error"] = max(found["error"], float(filter_.get(b"error", self._error)))
            found["pending"] += pending
            is_module = filter_.get(b"kind") == b"module"
            sizes = [
                (partition, ("BF.INFO", f"{name}:{i}", "SIZE") if is_module else ("STRLEN", f"{name}:{i}"))
                for i in range(1 if is_module else parts)
            ]
            found["bytes"] += sum(map(_size, self._scripts.ask(sizes)))
        return found

    def clear(self) -> None:
        for partition, keys in enumerate(self._keys.partitions):
            [parts] = self._scripts.ask([(partition, ("HGET", keys.name("filter"), "parts"))])
            names = [keys.name("filter"), keys.name("pending")]
            names += [f"{keys.name('filter:')}{i}" for i in range(int(parts or 0))]
            self._scripts.ask([(partition, ("UNLINK", *names))])
        self._set.clear()

    def close(self) -> None:
        """Do nothing: the connection is the crawl's."""

    def _run(self, verb: str, rows: Sequence[tuple[int, list[bytes]]]) -> list[Any]:
        """Return the reply to each row (partition, arguments)."""
        calls = self._calls(verb, rows)
        replies: list[Any] = [None] * len(rows)
        for (_, places), reply in zip(calls, checked(self._scripts.run_all([c for c, _ in calls])), strict=True):
            for place, owner in zip(places, reply, strict=True):
                replies[place] = owner
        return replies

    def _calls(self, verb: str, rows: Sequence[tuple[int, list[bytes]]]) -> list[tuple[Call, list[int]]]:
        """Return calls, those of a partition in the order of its rows, each with the places of its rows."""
        places: dict[int, list[int]] = {}
        for place, (partition, _) in enumerate(rows):
            places.setdefault(partition, []).append(place)
        chunks = [
            (partition, some[start : start + _A_CALL])
            for partition, some in places.items()
            for start in range(0, len(some), _A_CALL)
        ]

        def call(partition: int, some: list[int]) -> tuple[Call, list[int]]:
            return (partition, verb, [*self._begun_with, *(arg for place in some for arg in rows[place][1])]), some

        return list(starmap(call, chunks))


def has_bloom_module(scripts: Scripts) -> bool:
    """Return whether the server has the commands of the Bloom module."""
    try:
        [answer] = scripts.ask([(0, ("COMMAND INFO", "BF.RESERVE"))])
    except redis.ResponseError as error:
        logger.info("Bloom filters are kept in plain strings, COMMAND INFO is not allowed: %s", error)
        return False
    return bool(answer) and any(answer)


def _size(answer: Any) -> int:
    """Return the bytes in an answer to STRLEN or to BF.INFO with SIZE, which comes as a list or with its name."""
    if isinstance(answer, dict):
        answer = list(answer.values())
    return int(answer[-1] if isinstance(answer, list) else answer)
