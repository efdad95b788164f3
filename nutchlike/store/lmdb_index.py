"""LMDBContentIndex: contents and their owners in an LMDB file."""

from __future__ import annotations

import threading
from collections.abc import Callable
from itertools import islice
from pathlib import Path
from typing import TypeVar, cast

from nutchlike.store.errors import ContentIndexFailed
from nutchlike.store.file_index import FileContentIndex, KeyValueFile, Transaction

try:
    import lmdb
except ModuleNotFoundError as error:
    raise ImportError("the package lmdb is missing: pip install 'nutchlike[lmdb]'") from error

_MAP_SIZE = 64 * 1024 * 1024  # bytes of address space to begin with; the file takes what it needs
T = TypeVar("T")


class LMDBContentIndex(FileContentIndex):
    """As FileContentIndex says, in a B+ tree that is mapped into memory, 48 bytes a content.

    A batch of claims costs one write to the disk that is waited for, so it is the disk that sets the speed. A power cut
    may take back the last batches; a kill of the process takes back nothing.
    """

    suffix = "lmdb"

    def open_file(self, path: Path, *, is_new: bool) -> KeyValueFile:
        return LMDBFile.shared(path)


class LMDBFile:
    """A KeyValueFile. LMDB locks it between processes, and frees the locks of those that were killed.

    A process must not open a file twice: ``shared`` gives all its users one object.
    """

    _open: dict[Path, LMDBFile] = {}  # noqa: RUF012  # of the whole process, as LMDB wants it
    _opening = threading.Lock()

    def __init__(self, path: Path, *, map_size: int = _MAP_SIZE) -> None:
        self.path = path
        self._users = 0
        self._lock = threading.Lock()  # a map must not be resized while this process has a transaction
        try:
            self._env = lmdb.open(str(path), subdir=False, map_size=map_size, metasync=False, readahead=False)
            self._env.reader_check()  # frees the places of killed readers
        except lmdb.Error as error:
            raise ContentIndexFailed(f"{path} cannot be opened: {error}") from error

    @classmethod
    def shared(cls, path: Path) -> LMDBFile:
        """Return this process's object for the file at ``path``; each user closes it once."""
        with cls._opening:
            file = cls._open.get(path) or cls._open.setdefault(path, cls(path))
            file._users += 1
            return file

    def run(self, work: Callable[[Transaction], T], *, writes: bool) -> T:
        with self._lock:
            while True:
                try:
                    with self._env.begin(write=writes) as transaction:
                        return work(_LMDBTransaction(transaction))
                except lmdb.MapFullError:
                    self._env.set_mapsize(2 * self._env.info()["map_size"])
                except lmdb.MapResizedError:  # by another process
                    self._env.set_mapsize(0)
                except lmdb.Error as error:
                    raise ContentIndexFailed(f"{self.path}: {error}") from error

    def entries(self) -> int:
        return self._env.stat()["entries"]

    def close(self) -> None:
        with self._opening, self._lock:
            self._users -= 1
            if self._users <= 0:
                self._open.pop(self.path, None)
                self._env.close()


class _LMDBTransaction:
    def __init__(self, transaction: lmdb.Transaction) -> None:
        self._transaction = transaction

    def get(self, key: bytes) -> bytes | None:
        return cast("bytes | None", self._transaction.get(key))

    def put(self, key: bytes, value: bytes) -> None:
        self._transaction.put(key, value)

    def delete(self, key: bytes) -> None:
        self._transaction.delete(key)

    def after(self, key: bytes, most: int) -> list[tuple[bytes, bytes]]:
        with self._transaction.cursor() as cursor:
            if not cursor.set_range(key + b"\0"):
                return []
            return cast("list[tuple[bytes, bytes]]", list(islice(cursor.iternext(), most)))
