"""FileContentIndex: contents and their owners in a key-value file of this machine."""

from __future__ import annotations

import shutil
from abc import ABC, abstractmethod
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from typing import Protocol, Self, TypeVar
from urllib.parse import quote
from uuid import uuid4

from nutchlike.contracts import SettingsReader
from nutchlike.store.content_index import Change, Claim, IndexPlace
from nutchlike.store.errors import ContentIndexFailed
from nutchlike.store.keys import layout_key
from nutchlike.store.nodes import Client

_STEP = 500  # entries that are read with one transaction
_FIELD = "contents "  # of the crawl's layout: with the kind of file, which file it is
T = TypeVar("T")


class Transaction(Protocol):
    """What may be done to a file in one transaction."""

    def get(self, key: bytes) -> bytes | None: ...

    def put(self, key: bytes, value: bytes) -> None: ...

    def delete(self, key: bytes) -> None: ...

    def after(self, key: bytes, most: int) -> list[tuple[bytes, bytes]]:
        """Return up to ``most`` entries, in the order of their keys, that come after ``key`` (b"" = from the first)."""
        ...


class KeyValueFile(Protocol):
    """A file that processes of one machine share; it outlives the kill of any of them.

    Failures rise as ContentIndexFailed.
    """

    path: Path  # of the file, or of the folder with all that belongs to it

    def run(self, work: Callable[[Transaction], T], *, writes: bool) -> T:
        """Return ``work`` of one transaction, which takes place alone and wholly or not at all.

        ``work`` may be called again with another transaction, after the first has been undone.
        """
        ...

    def entries(self) -> int: ...

    def close(self) -> None: ...


class FileContentIndex(ABC):
    """Contents and their owners, in a file of the crawl in the project's data folder: exact, and every owner known.

    Costs no memory in Redis. Only workers of one machine can use it, and must agree on the folder (NUTCH_DATA_DIR):
    workers with files of their own would each keep a copy, and later take it for the other's. So the crawl's layout in
    Redis names its file by a random id, and a worker that finds no such file in its folder refuses to begin. That holds
    too when Redis was emptied: owners of a forgotten crawl claim nothing in a new one. A folder on a network drive is
    not recognized as such; do not use one.

    A class of this kind names its kind of file and how it is opened.
    """

    knows_owners = True
    suffix = ""

    def __init__(self, place: IndexPlace) -> None:
        """Raises ValueError when the crawl has its file elsewhere, ContentIndexFailed when it cannot be opened."""
        self._place = place
        self._file: KeyValueFile | None = None
        if place.begins or self._id() is not None:
            self._opened()

    @classmethod
    def from_settings(cls, settings: SettingsReader, place: IndexPlace) -> Self:
        return cls(place)

    @abstractmethod
    def open_file(self, path: Path, *, is_new: bool) -> KeyValueFile:
        """Return the file at ``path``, made when it ``is_new``."""

    def claim_all(self, claims: Sequence[Claim]) -> list[bytes]:
        """Return the owners for several claims, with one transaction."""

        def work(file: Transaction) -> list[bytes]:
            owners = []
            for key, content, _ in claims:
                owner = file.get(content)
                if owner is None:
                    file.put(content, key)
                owners.append(owner or key)
            return owners

        return self._opened().run(work, writes=True) if claims else []

    def settle_all(self, settled: Sequence[tuple[bytes, bytes]]) -> None:  # noqa: B027  # no kind of file has to
        """Do nothing: an owner is known from its claim on."""

    def hand_over_all(self, changes: Sequence[Change]) -> list[bool]:
        """Give contents from their owners to other pages; False for one that is not that page's, in one transaction."""

        def work(file: Transaction) -> list[bool]:
            return [_hand_over(file, *change) for change in changes]

        return self._opened().run(work, writes=True) if changes else []

    def owners_of(self, contents: Sequence[bytes]) -> list[bytes | None]:
        """Return the record keys of the owners, ``None`` for what nobody owns."""
        if self._file is None:
            return [None] * len(contents)
        return self._file.run(lambda file: [file.get(content) for content in contents], writes=False)

    def owners(self) -> Iterator[tuple[bytes, bytes]]:
        """Yield content and owner of all contents, in the order of the contents."""
        last = b""
        while self._file and (some := self._file.run(lambda file, last=last: file.after(last, _STEP), writes=False)):  # type: ignore[misc]  # mypy cannot infer a lambda with a default
            yield from some
            last = some[-1][0]

    def stats(self) -> dict[str, float]:
        """Return entries, and the bytes of the file."""
        if self._file is None:
            return {"entries": 0, "bytes": 0}
        path = self._file.path
        files = [path] if path.is_file() else list(path.glob("*"))
        return {"entries": self._file.entries(), "bytes": sum(file.stat().st_size for file in files)}

    def clear(self) -> None:
        """Remove the file; the next claim begins another."""
        number = self._id()
        self.close()
        if number is not None:
            self._layout("HDEL", self._field)
            _remove(self._path(number))

    def close(self) -> None:
        if self._file is not None:
            self._file.close()
            self._file = None

    @property
    def _field(self) -> str:
        return _FIELD + self.suffix

    def _opened(self) -> KeyValueFile:
        if self._file is None:
            number = self._id() or self._begin()
            path = self._path(number)
            if not path.exists():
                raise ValueError(
                    f"crawl {self._place.keys.crawl_id!r} has its contents in a file {path.name}, which is not in "
                    f"{path.parent}: it was begun on another machine, or with another NUTCH_DATA_DIR. Workers on "
                    "several machines need an index in Redis (NUTCH_SIGNATURE_STORE_CLASS); "
                    "SCHEDULER_FLUSH_ON_START=True begins the crawl anew"
                )
            self._file = self.open_file(path, is_new=False)
        return self._file

    def _begin(self) -> str:
        """Make a file, and return the id of the one that the crawl has then: another process may have been first."""
        mine = uuid4().hex
        path = self._path(mine)
        try:
            path.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
        except OSError as error:
            raise ContentIndexFailed(f"the folder {path.parent} cannot be used: {error}") from error
        self.open_file(path, is_new=True).close()  # before it is named, so that whoever reads its name finds it
        self._layout("HSETNX", self._field, mine)
        number = self._id()
        if number != mine:
            _remove(path)
        if number is None:
            raise ContentIndexFailed(f"crawl {self._place.keys.crawl_id!r} was forgotten while it began")
        return number

    def _id(self) -> str | None:
        found: bytes | None = self._layout("HGET", self._field)
        return found.decode() if found is not None else None

    def _layout(self, command: str, *arguments: str) -> bytes | None:
        answer: bytes | None
        name = layout_key(self._place.keys.crawl_id)
        [answer] = self._place.scripts.ask([(0, (command, name, *arguments))])
        return answer

    def _path(self, number: str) -> Path:
        return _path(self._place.folder, self._place.keys.crawl_id, number, self.suffix)


def forget_files(client: Client, crawl_id: str, folder: Path) -> None:
    """Remove the files that a crawl's layout names; to be called before that is forgotten."""
    layout: dict[bytes, bytes] = client.hgetall(layout_key(crawl_id))  # type: ignore[assignment]  # redis-py has one type for both kinds of client
    for field, number in layout.items():
        kind, _, suffix = field.decode().partition(" ")
        if kind == _FIELD.strip():
            _remove(_path(folder, crawl_id, number.decode(), suffix))


def _hand_over(file: Transaction, content: bytes, owner: bytes | None, to: bytes | None) -> bool:
    if file.get(content) != owner:
        return False
    if to is None:
        file.delete(content)
    else:
        file.put(content, to)
    return True


def _path(folder: Path, crawl_id: str, number: str, suffix: str) -> Path:
    return folder / f"contents-{quote(crawl_id, safe='')}-{number}.{suffix}"


def _remove(path: Path) -> None:
    if path.is_dir():
        shutil.rmtree(path, ignore_errors=True)
    else:
        path.unlink(missing_ok=True)
        path.with_name(f"{path.name}-lock").unlink(missing_ok=True)
