"""Gzip taken off a stream of bytes: by what the bytes are, whatever their label says."""

from __future__ import annotations

import zlib
from collections.abc import Iterable, Iterator
from itertools import chain

CHUNK_BYTES = 1 << 16
_PIECE_BYTES = 1 << 13  # unpacked at once: so much may be lost where the damage is
LAYERS = 2  # a .gz that a server packs once more; nobody packs a third time but to do harm
MEMBERS_MAX = 20_000  # of a gzip file; bgzip makes 16,384 of 1 GiB
GZIP_MAGIC = b"\x1f\x8b"  # RFC 1952, 2.3.1
_GZIP_WBITS = 31


def unpacked(chunks: Iterable[bytes], *, most: int) -> Iterator[bytes]:
    """Yield the bytes of ``chunks`` with up to LAYERS layers of gzip taken off, at most CHUNK_BYTES at a time.

    Only the first two bytes count: neither a name nor a header says whether a layer is there. What follows the last
    member of a gzip file is passed over.

    Raises ValueError, after all bytes that could be had, for gzip that is damaged, cut off, or packed too often, and
    for more than ``most`` bytes, as they come and at each layer: also a bomb that unpacks to nothing ends.
    """
    chunks = _limited(chunks, most)
    for _ in range(LAYERS):
        is_packed, chunks = _looked_at(chunks)
        if not is_packed:
            yield from chunks
            return
        chunks = _limited(without_gzip(chunks), most)
    is_packed, chunks = _looked_at(chunks)
    if is_packed:
        raise ValueError(f"it is packed with gzip more than {LAYERS} times")
    yield from chunks


def _limited(chunks: Iterable[bytes], most: int) -> Iterator[bytes]:
    size = 0
    for chunk in chunks:
        for start in range(0, len(chunk), CHUNK_BYTES):
            piece = chunk[start : start + CHUNK_BYTES]
            size += len(piece)
            if size > most:
                raise ValueError(f"it is longer than {most} bytes; what came before is taken")
            yield piece


def _looked_at(chunks: Iterable[bytes]) -> tuple[bool, Iterator[bytes]]:
    """Return whether ``chunks`` begin as gzip does, and all of them."""
    rest = iter(chunks)
    head = b""
    try:
        while len(head) < len(GZIP_MAGIC):
            head += next(rest)
    except StopIteration:
        pass
    return head.startswith(GZIP_MAGIC), chain([head], rest)


def without_gzip(chunks: Iterable[bytes]) -> Iterator[bytes]:
    """Yield the bytes of ``chunks``, which are gzip, with this one layer taken off, a few KiB at a time.

    Raises ValueError, after all bytes that could be had, for gzip that is damaged or cut off.
    """
    unpacker = zlib.decompressobj(_GZIP_WBITS)
    left, members = b"", 1
    for chunk in chunks:
        left += chunk
        while left:
            if unpacker.eof:
                if len(left) < len(GZIP_MAGIC):
                    break
                if not left.startswith(GZIP_MAGIC):
                    return  # padding
                members += 1
                if members > MEMBERS_MAX:
                    raise ValueError(f"its gzip has more than {MEMBERS_MAX} members")
                unpacker = zlib.decompressobj(_GZIP_WBITS)
            yield _decompressed(unpacker, left)
            left = unpacker.unused_data if unpacker.eof else unpacker.unconsumed_tail
    while not unpacker.eof:  # what the last bytes unpack to beyond one chunk
        if not (more := _decompressed(unpacker, unpacker.unconsumed_tail)):
            raise ValueError("its gzip breaks off")
        yield more


def _decompressed(unpacker: zlib._Decompress, data: bytes) -> bytes:
    try:
        return unpacker.decompress(data, _PIECE_BYTES)
    except zlib.error as error:
        raise ValueError(f"its gzip is damaged: {error}") from error
