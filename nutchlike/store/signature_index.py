"""SignatureIndex: which page owns which content, so that each content is kept once."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Self

from nutchlike.contracts import SettingsReader
from nutchlike.store.content_index import Change, Claim, IndexPlace
from nutchlike.store.keys import CrawlKeys
from nutchlike.store.scripts import Scripts, checked

_STEP = 500  # entries that are read with one call


class SignatureIndex:
    """A Redis set of content keys, each with the record key of the page that owns it.

    Shared by all workers, exact, every owner known: 0 % error. Its cost is memory in Redis, 72 bytes a content.
    """

    knows_owners = True

    def __init__(self, keys: CrawlKeys, scripts: Scripts) -> None:
        self._keys = keys
        self._scripts = scripts

    @classmethod
    def from_settings(cls, settings: SettingsReader, place: IndexPlace) -> Self:
        return cls(place.keys, place.scripts)

    def claim_all(self, claims: Sequence[Claim]) -> list[bytes]:
        """Return the owners for several claims (record key, content, previous content), with one round trip."""
        calls = [(self._keys.partition_of_content(claim[1]), "claim_signature", claim[:2]) for claim in claims]
        return [bytes(reply) for reply in checked(self._scripts.run_all(calls))]

    def settle_all(self, settled: Sequence[tuple[bytes, bytes]]) -> None:
        """Do nothing: an owner is known from its claim on."""

    def hand_over_all(self, changes: Sequence[Change]) -> list[bool]:
        """Give contents from their owners to other pages, with one round trip; False for what is not that page's."""
        calls = [
            (self._keys.partition_of_content(content), "hand_over_signature", [content, owner or b"", to or b""])
            for content, owner, to in changes
        ]
        return [bool(reply) for reply in checked(self._scripts.run_all(calls))]

    def owners_of(self, contents: Sequence[bytes]) -> list[bytes | None]:
        """Return the record keys of the owners, ``None`` for what nobody owns, with one round trip."""
        places = [self._keys.partition_of_content(content) for content in contents]
        asked = zip(places, contents, strict=True)
        return self._scripts.ask([(place, ("HGET", self._name(place), content)) for place, content in asked])

    def owners(self) -> Iterator[tuple[bytes, bytes]]:
        """Yield content and owner of all contents; one that changes meanwhile may come twice."""
        for partition in range(len(self._keys)):
            yield from scan_hash(self._scripts, partition, self._name(partition))

    def stats(self) -> dict[str, float]:
        lengths = self._scripts.ask([(i, ("HLEN", self._name(i))) for i in range(len(self._keys))])
        return {"entries": sum(lengths)}

    def clear(self) -> None:
        self._scripts.ask([(i, ("UNLINK", self._name(i))) for i in range(len(self._keys))])

    def close(self) -> None:
        """Do nothing: the connection is the crawl's."""

    def _name(self, partition: int) -> str:
        return self._keys.partitions[partition].name("signatures")


def scan_hash(scripts: Scripts, partition: int, name: str) -> Iterator[tuple[bytes, bytes]]:
    """Yield fields and values of a hash of one partition, some hundred a call."""
    cursor = 0
    while True:
        [(cursor, found)] = scripts.ask([(partition, ("HSCAN", name, cursor, "COUNT", _STEP))])
        yield from found.items()
        if not cursor:
            return
