"""Writes deletions as JSON lines, as a feed of items has them, for commands that no crawl runs beside."""

from __future__ import annotations

import json
import sys
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import asdict
from pathlib import Path
from typing import IO

from nutchlike.items import DeletedItem


class DeletionFeed:
    """Appends to a file; what was written is there before the call returns, whatever becomes of the process."""

    def __init__(self, file: IO[str]) -> None:
        self._file = file

    def write(self, items: Sequence[DeletedItem]) -> None:
        for item in items:
            self._file.write(json.dumps(asdict(item), ensure_ascii=False) + "\n")
        self._file.flush()


@contextmanager
def deletion_feed(path: str) -> Iterator[DeletionFeed]:
    """Give the feed that ends in the file ``path``, "-" = standard output; OSError when it cannot be opened."""
    if path == "-":
        yield DeletionFeed(sys.stdout)
        return
    with Path(path).open("a", encoding="utf-8") as file:
        yield DeletionFeed(file)
