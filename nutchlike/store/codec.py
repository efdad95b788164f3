"""CrawlDatum <-> stored record, both ways, versioned. ``lua/lib/records.lua`` has the same layout."""

from __future__ import annotations

import hashlib
import json
import struct
from collections.abc import Mapping
from dataclasses import dataclass
from enum import IntEnum

from nutchlike.crawldatum import CrawlDatum, DbStatus

VERSION = 2
COMMON_INTERVAL = 2_592_000  # seconds; a record with this interval does not spell it out
COMMON_SIGNATURE = (16, 8)  # bytes of signature and dedup key; a record with these sizes does not spell them out
_HEADER_SIZE = 19
_FIXED = struct.Struct(">dI")  # cash, fetch time, behind: version and status, state and flags (2), depth, site (3)
# what follows where a flag says so; the path without its first slash comes last
_TAKEN = 8
_HAS_REQUEST, _HAS_INTERVAL, _HAS_HISTORY, _HAS_MODIFIED, _HAS_TROUBLE, _HAS_SIGNATURE = 2, 16, 32, 64, 128, 256
_HAS_CASH_TIME, _HAS_LINKED, _HAS_VALIDATORS = 512, 1024, 2048


class UnreadableRecord(ValueError):
    """A stored record that this version cannot read; the message names its key."""


_FIELD_SIZES = (
    (_HAS_REQUEST, 8),
    (_HAS_INTERVAL, 4),
    (_HAS_HISTORY, 8),
    (_HAS_MODIFIED, 4),
    (_HAS_TROUBLE, 2),
    (_HAS_CASH_TIME, 8),
    (_HAS_LINKED, 4),
)


def decode_record(raw: bytes, *, key: str, site: str, metadata: bytes = b"", virtual: float = 0.0) -> CrawlDatum:
    """Return the CrawlDatum in ``raw``.

    ``site`` is the record's scheme://authority, ``metadata`` its JSON object (empty = none). ``virtual`` is V,
    the cash that every known page has received from the virtual page: cash is stored relative to it.

    Raises UnreadableRecord, which names ``key``.
    """
    if not is_readable(raw):
        raise UnreadableRecord(f"{key}: record must begin with version {VERSION}, got {raw[:8]!r} ({len(raw)} bytes)")
    flags = int.from_bytes(raw[1:3], "big")
    cash, fetch_time = _FIXED.unpack_from(raw, 7)
    fields = _Fields(raw, _HEADER_SIZE)
    try:
        if flags & _HAS_REQUEST:
            fields.take(8)  # priority
        interval = fields.number(4) if flags & _HAS_INTERVAL else COMMON_INTERVAL
        history = struct.unpack(">d", fields.take(8))[0] if flags & _HAS_HISTORY else 0.0
        modified_time = fetch_time - interval if flags & _HAS_HISTORY else 0
        if flags & _HAS_MODIFIED:
            modified_time = fields.number(4)
        retries = fields.take(2)[0] if flags & _HAS_TROUBLE else 0
        if flags & _HAS_CASH_TIME:
            fields.take(8)
        linked_at = fields.number(4) if flags & _HAS_LINKED else 0
        signature, dedup_key = fields.signatures() if flags & _HAS_SIGNATURE else (None, None)
        validators = fields.take(fields.number(1)) if flags & _HAS_VALIDATORS else b""
        return CrawlDatum(
            url=f"{site}/{fields.rest.decode()}",
            db_status=DbStatus(raw[0] % 16),
            fetch_time=fetch_time,
            modified_time=modified_time,
            fetch_interval=interval,
            retries=retries,
            score=cash + virtual,
            history=history,
            depth=raw[3],
            linked_at=linked_at,
            signature=signature,
            dedup_key=dedup_key,
            validators=validators,
            metadata=decode_metadata(metadata),
        )
    except (ValueError, IndexError, struct.error) as error:
        raise UnreadableRecord(f"{key}: {error}") from error


class _Fields:
    """Takes one field after the other from a record."""

    def __init__(self, raw: bytes, start: int) -> None:
        self.rest = raw[start:]

    def take(self, size: int) -> bytes:
        field, self.rest = self.rest[:size], self.rest[size:]
        return field

    def number(self, size: int) -> int:
        return int.from_bytes(self.take(size), "big")

    def signatures(self) -> tuple[bytes | None, bytes | None]:
        """Return signature and dedup key, each ``None`` when it is empty."""
        size = self.number(1)
        if size == 0:
            return self.take(COMMON_SIGNATURE[0]), self.take(COMMON_SIGNATURE[1])
        both = self.take(size)
        return both[1 : 1 + both[0]] or None, both[1 + both[0] :] or None


def encode_signatures(datum: CrawlDatum) -> bytes:
    """Return a datum's signature and dedup key as a record keeps them: length of the first, both; empty for neither.

    Raises ValueError for more than 254 bytes together.
    """
    signature, key = datum.signature or b"", datum.dedup_key or b""
    if len(signature) + len(key) > 254:
        raise ValueError(f"signature and dedup key must have 254 bytes at most, got {len(signature)} and {len(key)}")
    return bytes([len(signature)]) + signature + key if signature or key else b""


def is_readable(raw: bytes) -> bool:
    """Return whether this version can read a stored record."""
    return len(raw) >= _HEADER_SIZE and raw[0] // 16 == VERSION


def priority(raw: bytes) -> float:
    """Return what a readable record's stored request adds to its cash in the queue; 0.0 for a plain page."""
    if not int.from_bytes(raw[1:3], "big") & _HAS_REQUEST:
        return 0.0
    return float(struct.unpack_from(">d", raw, _HEADER_SIZE)[0])


def site_number(raw: bytes) -> int:
    """Return the number under which a record's scheme://authority is listed; UnreadableRecord for a broken record."""
    if not is_readable(raw):
        raise UnreadableRecord(f"record of {len(raw)} bytes")
    return int.from_bytes(raw[4:7], "big")


def url_of(raw: bytes, site: str) -> str:
    """Return the URL of a stored record, whose scheme://authority is ``site``; UnreadableRecord for a broken one."""
    if not is_readable(raw):
        raise UnreadableRecord(f"record of {len(raw)} bytes")
    flags = int.from_bytes(raw[1:3], "big")
    at = _HEADER_SIZE + sum(size for flag, size in _FIELD_SIZES if flags & flag)
    if flags & _HAS_SIGNATURE:
        at += 1 + (raw[at] or sum(COMMON_SIGNATURE))
    if flags & _HAS_VALIDATORS:
        at += 1 + raw[at]
    return f"{site}/{raw[at:].decode()}"


class RecordState(IntEnum):
    """Where a URL is: the state that its record says."""

    WAITING = 1
    LEASED = 2
    DUE_LATER = 3
    DEAD_LETTER = 4
    DONE = 5


@dataclass(frozen=True, slots=True)
class QueueEntry:
    """What a record says of its place in its host's queue: there is one for new URLs, one for those taken up before.

    ``rank`` is the cash relative to V (``decode_record``) and the priority of a stored request.
    """

    state: RecordState
    is_new: bool
    rank: float


def queue_entry(raw: bytes) -> QueueEntry:
    """Return the place of a stored record; UnreadableRecord for a broken one."""
    if not is_readable(raw):
        raise UnreadableRecord(f"record of {len(raw)} bytes")
    flags = int.from_bytes(raw[1:3], "big")
    rank = float(_FIXED.unpack_from(raw, 7)[0]) + priority(raw)
    is_new = raw[0] % 16 == DbStatus.DB_UNFETCHED and not flags & _TAKEN
    return QueueEntry(RecordState(flags >> 12), is_new, rank)


def next_id(url_id: bytes, site: int, path: str) -> bytes:
    """Return where a URL is kept when another URL has its id: ``find`` in ``lua/lib/records.lua`` does the same."""
    return hashlib.sha1(url_id + str(site).encode() + path.encode(), usedforsecurity=False).digest()[:8]


def encode_metadata(metadata: Mapping[str, str | None]) -> bytes:
    """Return metadata as a JSON object, empty when there is none. In a change of it ``None`` takes a name away."""
    return json.dumps(dict(metadata), separators=(",", ":")).encode() if metadata else b""


def with_metadata(data: bytes, more: Mapping[str, str]) -> bytes:
    """Return encoded metadata with ``more`` added to it."""
    return encode_metadata({**decode_metadata(data), **more})


def decode_metadata(data: bytes) -> dict[str, str]:
    """Return the metadata that ``encode_metadata`` stored."""
    return {str(key): str(value) for key, value in json.loads(data).items()} if data else {}
