"""What the indexes of contents cost, and how often they are wrong, side by side.

Run ``python benchmarks/signature_stores.py`` from the project's folder (eight minutes on a busy machine;
``--contents 10000000`` for more). Each index has a private server of its own, the embedded one. Pages claim contents
that no other has, in batches of 64, and are settled batch by batch, as a crawl does it; a page that gets another owner
is wrong. The indexes take turns, so that a busy machine is busy for all, and speeds are those of the median round. One
that forgets owners is asked again when it is full, by pages with as many new contents, up to a million.
"""

from __future__ import annotations

import argparse
import hashlib
import importlib.util
import sys
import tempfile
from collections.abc import Callable, Iterator, Sequence
from contextlib import ExitStack
from dataclasses import dataclass
from pathlib import Path
from statistics import median
from time import perf_counter

sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "tests"))
sys.path.insert(0, str(Path(__file__).resolve().parents[1]))

from content_indexes import KINDS, build_index
from frontier_contestants import settled_memory
from stores import scripts_of

from nutchlike.store.bloom_index import has_bloom_module
from nutchlike.store.embedded import EmbeddedServer
from nutchlike.store.keys import CrawlKeys

BATCH = 64
STRANGERS_MAX = 1_000_000
ROUNDS = 20
PACKAGES = {"LMDB": "lmdb", "Berkeley DB": "berkeleydb"}


@dataclass(frozen=True, slots=True)
class Measured:
    """Of one index: bytes per content in Redis and in files, contents a second, shares of contents."""

    memory: float
    file: float
    claims: float
    settled: float
    stated_error: float
    wrong: float


ROWS: list[tuple[str, Callable[[Measured], str]]] = [
    ("bytes a content in Redis", lambda m: f"{m.memory:.1f}"),
    ("bytes a content in a file", lambda m: f"{m.file:.1f}"),
    ("claims/s", lambda m: f"{m.claims:,.0f}"),
    ("claims/s, settled too", lambda m: f"{m.settled:,.0f}"),
    ("stated error", lambda m: f"{m.stated_error:.0e}" if m.stated_error else "0"),
    ("false owners", lambda m: f"{m.wrong:.1e}" if m.wrong else "0"),
]


def content_of(number: int) -> bytes:
    """Return the ``number``-th content: 8 bytes of a digest, as dedup_key has it."""
    return hashlib.md5(number.to_bytes(8, "big"), usedforsecurity=False).digest()[:8]


def key_of(number: int) -> bytes:
    """Return the record key of the ``number``-th page."""
    return number.to_bytes(14, "big")


def batches(first: int, count: int) -> Iterator[list[tuple[bytes, bytes]]]:
    """Yield record keys with contents, BATCH at a time."""
    for start in range(first, first + count, BATCH):
        numbers = range(start, min(start + BATCH, first + count))
        yield [(key_of(number), content_of(number)) for number in numbers]


class Contestant:
    """One index on a server of its own."""

    def __init__(self, kind: str, folder: Path, stack: ExitStack) -> None:
        self.kind = kind
        self._client = stack.enter_context(stack.enter_context(EmbeddedServer.attach(folder / "redis")).client())
        self._index = build_index(kind, self._client, folder / "files", keys=CrawlKeys("site"))
        stack.callback(self._index.close)
        self._index.claim_all([(key_of(0), content_of(0), None)])  # scripts are no part of what a content takes
        self._index.clear()
        self._empty = settled_memory(self._client)
        self._claims: list[float] = []  # seconds a content, of each round
        self._settled: list[float] = []
        self._wrong = 0

    def round(self, first: int, count: int) -> None:
        """Claim and settle contents that are new."""
        claiming = settling = 0.0
        for pages in batches(first, count):
            started = perf_counter()
            owners = self._index.claim_all([(key, content, None) for key, content in pages])
            claimed = perf_counter()
            self._index.settle_all(pages)
            settling += perf_counter() - claimed
            claiming += claimed - started
            self._wrong += _wrong(pages, owners)
        self._claims.append(claiming / count)
        self._settled.append((claiming + settling) / count)

    def finish(self, contents: int) -> Measured:
        """Weigh the index; ask one that forgets owners for strangers, now that it is full."""
        stats = self._index.stats()
        memory = settled_memory(self._client) - self._empty
        wrong = self._wrong / contents
        if not self._index.knows_owners:
            strangers = min(contents, STRANGERS_MAX)
            wrong = sum(
                _wrong(pages, self._index.claim_all([(key, content, None) for key, content in pages]))
                for pages in batches(contents, strangers)
            )
            wrong /= strangers
        return Measured(
            memory=memory / contents,
            file=0.0 if "error" in stats else stats.get("bytes", 0.0) / contents,
            claims=1 / median(self._claims),
            settled=1 / median(self._settled),
            stated_error=0.0 if self._index.knows_owners else stats["error"],
            wrong=wrong,
        )


def _wrong(pages: Sequence[tuple[bytes, bytes]], owners: Sequence[bytes]) -> int:
    return sum(owner != key for (key, _), owner in zip(pages, owners, strict=True))


def compare(kinds: Sequence[str], contents: int) -> None:
    """Fill all indexes, taking turns, and print a line for each."""
    with ExitStack() as stack:
        folder = Path(stack.enter_context(tempfile.TemporaryDirectory(prefix="signatures-")))
        contestants = [Contestant(kind, folder / str(number), stack) for number, kind in enumerate(kinds)]
        step = -(-contents // ROUNDS)
        for first in range(0, contents, step):
            for contestant in contestants:
                contestant.round(first, min(step, contents - first))
        print("".ljust(12), *(label for label, _ in ROWS), sep="  ")
        for contestant in contestants:
            found = contestant.finish(contents)
            values = (value(found).rjust(len(label)) for label, value in ROWS)
            print(contestant.kind.ljust(12), *values, sep="  ", flush=True)


def server_in_words() -> str:
    """Return which server the embedded store runs, and what its Bloom filters are made of."""
    with (
        tempfile.TemporaryDirectory(prefix="signatures-") as folder,
        EmbeddedServer.attach(Path(folder)) as server,
        server.client() as client,
    ):
        kind = "the Bloom module" if has_bloom_module(scripts_of(client, CrawlKeys("site"))) else "bits of strings"
        return f"Redis {client.info()['redis_version']}, Bloom filters in {kind}"


def main(arguments: Sequence[str]) -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0] if __doc__ else None)
    parser.add_argument("--contents", type=int, default=1_000_000)
    parser.add_argument("--kinds", default=",".join(KINDS), help=f"of {', '.join(KINDS)}")
    options = parser.parse_args(arguments)
    print(f"{options.contents:,} contents, batches of {BATCH}; {server_in_words()}")
    kinds = []
    for kind in options.kinds.split(","):
        if importlib.util.find_spec(PACKAGES.get(kind, "redis")) is None:
            print(f"{kind}: the package {PACKAGES[kind]} is not installed")
        else:
            kinds.append(kind)
    compare(kinds, options.contents)


if __name__ == "__main__":
    main(sys.argv[1:])
