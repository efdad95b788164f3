"""RecordReader: records by their statuses or keys, without their metadata, as jobs over a whole crawl want them."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Sequence
from dataclasses import dataclass
from typing import cast

from nutchlike.crawldatum import CrawlDatum, DbStatus
from nutchlike.store.codec import (
    RecordState,
    UnreadableRecord,
    decode_metadata,
    decode_record,
    queue_entry,
    site_number,
)
from nutchlike.store.host_records import decode_host, read_records
from nutchlike.store.keys import CrawlKeys, partition_and_handle, record_key
from nutchlike.store.nodes import Client
from nutchlike.store.scripts import Scripts


@dataclass(frozen=True, slots=True)
class Found:
    """A record as it was read: its key, what it says but for its metadata, and where its URL is."""

    key: bytes
    datum: CrawlDatum
    state: RecordState


class RecordReader:
    """Reads in small steps, so that a crawl may go on. A record that cannot be read is none."""

    def __init__(self, client: Client, keys: CrawlKeys, scripts: Scripts) -> None:
        self._client = client
        self._keys = keys
        self._scripts = scripts
        self._sites: dict[tuple[int, int], str] = {}

    def with_status(self, statuses: Collection[DbStatus]) -> Iterator[Found]:
        """Yield every record that has one of ``statuses``.

        One that the crawl moves in the store meanwhile may come twice, or not.
        """
        for number, keys in enumerate(self._keys.partitions):
            virtual = self._virtual(number)
            for handle, raw in read_records(self._client, self._scripts, number, keys):
                if raw[:1] and raw[0] % 16 not in statuses:
                    continue  # most pages of a young crawl: decoding takes longer than all else
                found = self._decode(record_key(number, handle), raw, virtual=virtual)
                if found is not None:
                    yield found

    def read(self, keys: Sequence[bytes]) -> list[Found | None]:
        """Return the records of some hundred keys; ``None`` for what cannot be had."""
        places = [partition_and_handle(key) for key in keys]
        names = [self._keys.partitions[partition] for partition, _ in places]
        numbers = [int.from_bytes(handle[:4], "big") for _, handle in places]
        asked = zip(places, names, numbers, strict=True)
        hosts = self._scripts.ask([(place[0], ("HGET", name.name("hosts"), number)) for place, name, number in asked])
        commands = []
        for (partition, handle), name, number, host in zip(places, names, numbers, hosts, strict=True):
            bucket = decode_host(number, host).bucket_of(handle[4:]) if host else 0
            commands.append((partition, ("HGET", name.bucket(number, bucket), handle[4:])))
        found = self._scripts.ask(commands)
        virtual = {partition: self._virtual(partition) for partition, _ in places}
        return [
            self._decode(key, raw, virtual=virtual[partition]) if raw else None
            for key, (partition, _), raw in zip(keys, places, found, strict=True)
        ]

    def metadata(self, keys: Sequence[bytes]) -> list[dict[str, str]]:
        """Return the metadata of some hundred records, with one round trip."""
        commands = []
        for key in keys:
            partition, handle = partition_and_handle(key)
            commands.append((partition, ("HGET", self._keys.partitions[partition].name("metadata"), handle)))
        return [decode_metadata(raw or b"") for raw in self._scripts.ask(commands)]

    def _decode(self, key: bytes, raw: bytes, *, virtual: float) -> Found | None:
        partition, _ = partition_and_handle(key)
        try:
            number = site_number(raw)
            if (partition, number) not in self._sites:
                name = self._client.hget(self._keys.partitions[partition].name("site_names"), str(number))
                self._sites[partition, number] = (cast("bytes | None", name) or b"").decode()
            datum = decode_record(raw, key="", site=self._sites[partition, number], virtual=virtual)
            return Found(key, datum, queue_entry(raw).state)
        except UnreadableRecord:
            return None

    def _virtual(self, partition: int) -> float:
        value = self._client.hget(self._keys.partitions[partition].name("totals"), "virtual")
        return float(cast("bytes | None", value) or 0)
