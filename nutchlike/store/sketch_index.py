"""SketchIndex: finds the pages whose contents are nearly the same, without a look at all pages."""

from __future__ import annotations

import struct
import zlib
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass

from nutchlike.store.keys import CrawlKeys, partition_and_handle
from nutchlike.store.nodes import Command
from nutchlike.store.scripts import Call, Scripts, checked

PAGES = 8  # of one band at most: the newest
_CONTENT_SIZE = 8
_BUCKETS = 262_144  # hashes that the bands are spread over, so that Redis keeps them compactly: up to 512 bands in each


@dataclass(frozen=True, slots=True)
class Sketched:
    """A page that owns its content: its record key, the dedup key of the content, and the sketch of its text.

    ``since`` is when it claimed the content, epoch seconds.
    """

    key: bytes
    content: bytes
    sketch: bytes
    since: float

    def encoded(self) -> bytes:
        return self.content + struct.pack(">d", self.since) + self.sketch


class SketchIndex:
    """Sketches of the contents that pages own; pages that share a band of their sketches are compared.

    ``bands`` gives the bands of a sketch, some bytes each; ``is_near`` compares two sketches. One without bands is only
    compared with that of a page that has the same dedup key. Pages that come together cost two round trips, and up to
    three more when others share a band with one of them. Memory: 460 bytes a page with six bands and 200,000 pages, 850
    with 20,000, when most hashes of bands have one.
    """

    def __init__(
        self,
        keys: CrawlKeys,
        scripts: Scripts,
        *,
        bands: Callable[[bytes], Sequence[bytes]],
        is_near: Callable[[bytes, bytes], bool],
    ) -> None:
        self._keys = keys
        self._scripts = scripts
        self._bands = bands
        self._is_near = is_near

    def claim_all(self, pages: Sequence[Sketched]) -> list[Sketched | None]:
        """Return for each page the one whose content is nearly the same; ``None`` when there is none: now it is known.

        Of two that come at the same moment one is the first in a crawl with one partition; with several it may be that
        both are, and both are kept; never is none.
        """
        before = self._put(pages)  # first, so that whoever meets a page finds its sketch
        self._leave(old for old, page in zip(before, pages, strict=True) if old and old.sketch != page.sketch)
        met = self._meet(pages)
        candidates = list({key for keys in met for key in keys})
        known = {found.key: found for found in self._sketches(candidates) if found is not None}
        owners: list[Sketched | None] = []
        for page, keys in zip(pages, met, strict=True):
            owner = next((known[key] for key in keys if key in known and self._comes_first(known[key], page)), None)
            owners.append(owner)
            if owner is not None:
                known.pop(page.key, None)  # nobody yields to a page that yields itself
        self._forget([page for page, owner in zip(pages, owners, strict=True) if owner is not None])
        return owners

    def deny_all(self, pairs: Sequence[tuple[bytes, bytes]], *, new: Mapping[bytes, bytes | None]) -> list[bool]:
        """Return for each page (record key) and sketch whether the page has one, and it is of another content.

        ``new`` has the sketches of pages that are about to be claimed.
        """
        found = dict(zip((key for key, _ in pairs), self._sketches([key for key, _ in pairs]), strict=True))
        denied = []
        for key, sketch in pairs:
            page = found[key]
            other = new.get(key, page.sketch if page is not None else None)
            denied.append(other is not None and not self._is_near(other, sketch))
        return denied

    def forget(self, *keys: bytes) -> None:
        """Forget the sketches of pages that have their contents no more."""
        self._forget([found for found in self._sketches(keys) if found is not None])

    def _comes_first(self, other: Sketched, page: Sketched) -> bool:
        if not self._is_near(other.sketch, page.sketch):
            return False
        # bands of several partitions are not looked at in one moment: there time says who was first
        return len(self._keys) == 1 or (other.since, other.key) < (page.since, page.key)

    def _put(self, pages: Sequence[Sketched]) -> list[Sketched | None]:
        """Keep the pages' sketches, and return those that they had before."""
        commands = []
        for page in pages:
            commands += [self._command("HGET", page.key), self._command("HSET", page.key, page.encoded())]
        old = self._scripts.ask(commands)[::2]
        return [_decoded(page.key, raw) if raw else None for page, raw in zip(pages, old, strict=True)]

    def _meet(self, pages: Sequence[Sketched]) -> list[list[bytes]]:
        """Put the pages under their bands, and return the record keys of those that were there before each of them."""
        claims: list[Call] = []
        owners: list[int] = []
        for number, page in enumerate(pages):
            for partition, bands in self._by_partition(page.sketch).items():
                claims.append((partition, "claim_bands", [page.key, PAGES, *bands]))
                owners.append(number)
        met: list[list[bytes]] = [[] for _ in pages]
        for number, reply in zip(owners, checked(self._scripts.run_all(claims)), strict=True):
            met[number] += reply
        return met

    def _forget(self, pages: Sequence[Sketched]) -> None:
        self._leave(pages)
        self._scripts.ask([self._command("HDEL", page.key) for page in pages])

    def _leave(self, pages: Iterable[Sketched]) -> None:
        calls: list[Call] = []
        for page in pages:
            for partition, bands in self._by_partition(page.sketch).items():
                calls.append((partition, "leave_bands", [page.key, *bands]))
        if calls:
            checked(self._scripts.run_all(calls))

    def _sketches(self, keys: Sequence[bytes]) -> list[Sketched | None]:
        answers = self._scripts.ask([self._command("HGET", key) for key in keys])
        return [_decoded(key, raw) if raw else None for key, raw in zip(keys, answers, strict=True)]

    def _command(self, verb: str, key: bytes, *values: bytes) -> tuple[int, Command]:
        """Return a command on the place of a page's sketch."""
        partition, handle = partition_and_handle(key)
        return partition, (verb, self._keys.partitions[partition].name("sketches"), handle, *values)

    def _by_partition(self, sketch: bytes) -> dict[int, list[bytes | int]]:
        found: dict[int, list[bytes | int]] = {}
        for band in self._bands(sketch):
            found.setdefault(self._keys.partition_of_content(band), []).extend((_bucket(band), band))
        return found


def _decoded(key: bytes, raw: bytes) -> Sketched:
    (since,) = struct.unpack_from(">d", raw, _CONTENT_SIZE)
    return Sketched(key, raw[:_CONTENT_SIZE], raw[_CONTENT_SIZE + 8 :], since)


def _bucket(band: bytes) -> int:
    # the higher bits: partition_of_content takes the lower ones of the same digest
    return (zlib.crc32(band) >> 8) % _BUCKETS
