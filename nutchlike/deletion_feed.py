"""Writes deletions as JSON lines, as a feed of items has them, for commands that no crawl runs beside."""

from __future__ import annotations

import json
import sys
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import asdict
from os import SEEK_END
from pathlib import Path
from typing import IO

from nutchlike.items import DeletedItem


class DeletionFeed:
    """Appends to a file; what was written is there before the call returns, whatever becomes of the process."""

    def __init__(self, file: IO[bytes]) -> None:
        self._file = file

    def write(self, items: Sequence[DeletedItem]) -> None:
        """Write a line for each; OSError when that fails, as of a disk that is full: some lines may be there then."""
        rest = "".join(json.dumps(asdict(item), ensure_ascii=False) + "\n" for item in items).encode()
        while rest:
            rest = rest[self._file.write(rest) :]
        self._file.flush()


@contextmanager
def deletion_feed(path: str) -> Iterator[DeletionFeed]:
    """Give the feed that ends in the file ``path``, "-" = standard output; OSError when it cannot be opened."""
    if path == "-":
        yield DeletionFeed(sys.stdout.buffer)
        return
    with Path(path).open("ab", buffering=0) as file:
        if _ends_within_a_line(Path(path)):
            file.write(b"\n")
        yield DeletionFeed(file)


def _ends_within_a_line(path: Path) -> bool:
    """Return whether the last line of a file was not written to its end, as when the disk was full."""
    if not path.is_file() or not path.stat().st_size:
        return False
    with path.open("rb") as file:
        file.seek(-1, SEEK_END)
        return file.read() != b"\n"
