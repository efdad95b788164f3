"""CrawlDatum <-> stored record, both ways, versioned. ``lua/lib/records.lua`` has the same layout."""

from __future__ import annotations

import hashlib
import json
import struct
from collections.abc import Mapping

from nutchlike.crawldatum import CrawlDatum, DbStatus

VERSION = 1
# version, status, retries, attempts, flags, depth, cash, history, fetch time, modified time, interval, site,
# size of the signatures; behind them stands the path
_HEADER = struct.Struct(">BBBBBBddIIIIB")


class UnreadableRecord(ValueError):
    """A stored record that this version cannot read; the message names its key."""


def decode_record(raw: bytes, *, key: str, site: str, metadata: bytes = b"", virtual: float = 0.0) -> CrawlDatum:
    """Return the CrawlDatum in ``raw``.

    ``site`` is the record's scheme://authority, ``metadata`` its JSON object (empty = none). ``virtual`` is V,
    the cash that every known page has received from the virtual page: cash is stored relative to it.

    Raises UnreadableRecord, which names ``key``.
    """
    if not is_readable(raw):
        raise UnreadableRecord(f"{key}: record must begin with version {VERSION}, got {raw[:8]!r} ({len(raw)} bytes)")
    (_, status, retries, _attempts, _flags, depth, cash, history, fetch_time, modified_time, interval, _site, size) = (
        _HEADER.unpack_from(raw)
    )
    signatures = raw[_HEADER.size : _HEADER.size + size]
    try:
        return CrawlDatum(
            url=site + raw[_HEADER.size + size :].decode(),
            db_status=DbStatus(status),
            fetch_time=fetch_time,
            modified_time=modified_time,
            fetch_interval=interval,
            retries=retries,
            score=cash + virtual,
            history=history,
            depth=depth,
            signature=signatures[1 : 1 + signatures[0]] or None if signatures else None,
            dedup_key=signatures[1 + signatures[0] :] or None if signatures else None,
            metadata=decode_metadata(metadata),
        )
    except ValueError as error:
        raise UnreadableRecord(f"{key}: {error}") from error


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
    return len(raw) >= _HEADER.size and raw[0] == VERSION


def site_number(raw: bytes) -> int:
    """Return the number under which a record's scheme://authority is listed; UnreadableRecord for a broken record."""
    if len(raw) < _HEADER.size:
        raise UnreadableRecord(f"record of {len(raw)} bytes")
    return int(_HEADER.unpack_from(raw)[-2])


def relative_cash(raw: bytes) -> float:
    """Return a record's stored cash: what it has beyond V, the share that every known page got."""
    return float(_HEADER.unpack_from(raw)[6])


def next_id(url_id: bytes, site: int, path: str) -> bytes:
    """Return where a URL is kept when another URL has its id: ``find`` in ``lua/lib/records.lua`` does the same."""
    return hashlib.sha1(url_id + str(site).encode() + path.encode(), usedforsecurity=False).digest()[:8]


def encode_metadata(metadata: Mapping[str, str]) -> bytes:
    """Return metadata as a JSON object, empty when there is none."""
    return json.dumps(dict(metadata), separators=(",", ":")).encode() if metadata else b""


def decode_metadata(data: bytes) -> dict[str, str]:
    """Return the metadata that ``encode_metadata`` stored."""
    return {str(key): str(value) for key, value in json.loads(data).items()} if data else {}
