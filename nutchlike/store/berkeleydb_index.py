"""BerkeleyDBContentIndex: contents and their owners in a Berkeley DB file."""

from __future__ import annotations

import contextlib
import fcntl
import os
import threading
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any, TypeVar

from nutchlike.store.errors import ContentIndexFailed
from nutchlike.store.file_index import FileContentIndex, KeyValueFile, Transaction

try:
    from berkeleydb import db
except ModuleNotFoundError as error:
    raise ImportError(
        "the package berkeleydb is missing: pip install 'nutchlike[berkeleydb]', which needs the headers of Berkeley "
        "DB (apt install libdb-dev)"
    ) from error

_CACHE = 32 * 1024 * 1024  # bytes
_CHECKPOINT_KB = 16 * 1024  # of log, after which it is put into the file
_IDLE, _INSIDE = b"-", b"+"
T = TypeVar("T")


class BerkeleyDBContentIndex(FileContentIndex):
    """As FileContentIndex says, in a B-tree of 52 bytes a content, beside 55 MB of cache and log.

    A batch of claims costs one write to the log that is not waited for. A power cut may take back the last batches; a
    kill of the process takes back nothing that was answered.
    """

    suffix = "bdb"

    def open_file(self, path: Path, *, is_new: bool) -> KeyValueFile:
        return BerkeleyDBFile(path)


class BerkeleyDBFile:
    """A KeyValueFile, in a folder of its own.

    Berkeley DB cannot tell that a process was killed inside it, and leaves what that held locked. So a lock of the
    system, which ends with its process, lets one process in at a time, and a note says whether one is inside. Who finds
    it there after a kill repairs the file from the log, and counts up the note's number; the others see the number and
    open the file again. Who is alone when it opens the file repairs it, too: the machine may have gone down.
    """

    def __init__(self, path: Path) -> None:
        self.path = path
        self._thread_lock = threading.Lock()
        self._env: Any = None
        self._db: Any = None
        self._repairs = -1  # the note's number when the file was opened
        try:
            path.mkdir(mode=0o700, exist_ok=True)
            self._note = os.open(path / "inside", os.O_RDWR | os.O_CREAT, 0o600)
            self._users = os.open(path / "users", os.O_RDWR | os.O_CREAT, 0o600)
        except OSError as error:
            raise ContentIndexFailed(f"{path} cannot be opened: {error}") from error
        with self._inside():
            pass

    def run(self, work: Callable[[Transaction], T], *, writes: bool) -> T:
        with self._inside():
            transaction = self._env.txn_begin()
            try:
                result = work(_BerkeleyDBTransaction(self._db, transaction))
            except BaseException:
                transaction.abort()
                raise
            transaction.commit(db.DB_TXN_WRITE_NOSYNC)
            if writes:
                self._env.txn_checkpoint(_CHECKPOINT_KB, 0, 0)
            return result

    def entries(self) -> int:
        with self._inside():
            return int(self._db.stat()["nkeys"])

    def close(self) -> None:
        with self._thread_lock:
            if self._note < 0:
                return
            with self._alone():
                repairs, note = self._read_note()
                is_stale = note == _INSIDE or self._repairs != repairs
                self._write_note(repairs, _INSIDE)
                self._leave(db.DB_NOSYNC if is_stale else 0)
                self._write_note(repairs, note)
            os.close(self._note)
            os.close(self._users)
            self._note = self._users = -1

    @contextlib.contextmanager
    def _inside(self) -> Iterator[None]:
        """Be the one process inside, with the file open and in order; a failure of it leaves the note as it is."""
        with self._thread_lock, self._alone():
            try:
                self._enter()
                try:
                    yield
                except (db.DBError, OSError):
                    raise
                except BaseException:  # of the work, which was undone
                    self._write_note(self._repairs, _IDLE)
                    raise
                self._write_note(self._repairs, _IDLE)
            except (db.DBError, OSError) as error:
                raise ContentIndexFailed(f"{self.path}: {error}") from error

    def _enter(self) -> None:
        repairs, note = self._read_note()
        must_repair = note == _INSIDE
        if self._env is None:
            must_repair = self._is_only_user() or must_repair
        repairs += must_repair
        if self._repairs != repairs:
            self._leave(db.DB_NOSYNC)  # its cache is older than the repaired file
        self._write_note(repairs, _INSIDE)
        if self._env is None:
            self._open(repair=must_repair)
            self._repairs = repairs

    @contextlib.contextmanager
    def _alone(self) -> Iterator[None]:
        if self._note < 0:
            raise ContentIndexFailed(f"{self.path} is closed")
        fcntl.flock(self._note, fcntl.LOCK_EX)
        try:
            yield
        finally:
            fcntl.flock(self._note, fcntl.LOCK_UN)

    def _is_only_user(self) -> bool:
        """Join the users; return whether there was none."""
        try:
            fcntl.flock(self._users, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            is_only = False
        else:
            is_only = True
        fcntl.flock(self._users, fcntl.LOCK_SH)
        return is_only

    def _open(self, *, repair: bool) -> None:
        self._env = db.DBEnv()
        self._env.set_cachesize(0, _CACHE)
        self._env.log_set_config(db.DB_LOG_AUTO_REMOVE, 1)
        flags = db.DB_CREATE | db.DB_INIT_MPOOL | db.DB_INIT_LOG | db.DB_INIT_TXN | db.DB_THREAD
        self._env.open(str(self.path), flags | (db.DB_RECOVER if repair else 0), 0o600)
        self._db = db.DB(self._env)
        self._db.open("contents", dbtype=db.DB_BTREE, flags=db.DB_CREATE | db.DB_AUTO_COMMIT | db.DB_THREAD, mode=0o600)

    def _leave(self, flags: int) -> None:
        """Close what is open; DB_NOSYNC writes nothing of its cache."""
        was = self._env, self._db
        self._env = self._db = None
        with contextlib.suppress(db.DBError):
            if was[1] is not None:
                was[1].close(flags)
        with contextlib.suppress(db.DBError):
            if was[0] is not None:
                was[0].close()

    def _read_note(self) -> tuple[int, bytes]:
        """Return how often the file was repaired, and whether a process is inside; nobody is in a new file."""
        note = os.pread(self._note, 32, 0)
        return (int(note[1:]), note[:1]) if note else (0, _IDLE)

    def _write_note(self, repairs: int, state: bytes) -> None:
        os.pwrite(self._note, state + b"%020d" % repairs, 0)


class _BerkeleyDBTransaction:
    def __init__(self, database: Any, transaction: Any) -> None:
        self._db = database
        self._transaction = transaction

    def get(self, key: bytes) -> bytes | None:
        found: bytes | None = self._db.get(key, txn=self._transaction)
        return found

    def put(self, key: bytes, value: bytes) -> None:
        self._db.put(key, value, txn=self._transaction)

    def delete(self, key: bytes) -> None:
        self._db.delete(key, txn=self._transaction)

    def after(self, key: bytes, most: int) -> list[tuple[bytes, bytes]]:
        cursor = self._db.cursor(txn=self._transaction)
        found: list[tuple[bytes, bytes]] = []
        try:
            entry = cursor.set_range(key + b"\0") if key else cursor.first()
            while entry is not None and len(found) < most:
                found.append(entry)
                entry = cursor.next()
        except db.DBNotFoundError:
            pass
        finally:
            cursor.close()
        return found
