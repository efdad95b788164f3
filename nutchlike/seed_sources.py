"""Seed sources: the lists that a ``seeds=`` argument names, opened one after the other and never read whole."""

from __future__ import annotations

import gzip
import io
import logging
import re
import sys
import zlib
from collections.abc import Callable, Iterable, Iterator
from contextlib import AbstractContextManager, contextmanager, nullcontext
from dataclasses import dataclass
from functools import partial
from http.client import HTTPException
from importlib import resources
from importlib.resources.abc import Traversable
from pathlib import Path
from typing import IO, cast

from nutchlike.downloads import downloaded
from nutchlike.seeds import SITEMAP_LINE

logger = logging.getLogger(__name__)

STDIN = "-"
DOWNLOAD_MAXSIZE = 1 << 30  # bytes, as they are sent
LINE_MAXSIZE = 1 << 20  # characters; what is longer is no seed list

_BACKUP_SUFFIXES = ("~", ".bak", ".swp")
_PROBED_BYTES = 1024
_GZIP_MAGIC = b"\x1f\x8b"  # RFC 1952, 2.3.1
_REMOTE = re.compile(r"https?://", re.IGNORECASE)


@dataclass(frozen=True, slots=True)
class SeedSource:
    """One seed list; ``name`` is what messages call it. ``packed`` means that what ``open`` gives is gzip."""

    name: str
    open: Callable[[], AbstractContextManager[IO[bytes]]]
    packed: bool = False

    def lines(self) -> Iterator[str]:
        """Yield the list's lines as UTF-8 text, each with ``\\n`` for its end; what is packed is unpacked on the way.

        Bytes that are not UTF-8 become U+FFFD. Blocks while a pipe or a server has nothing to give. Raises ValueError
        when the list cannot be read to its end, or has a line of LINE_MAXSIZE characters.
        """
        with self._opened() as stream:
            text = io.TextIOWrapper(stream, encoding="utf-8", errors="replace", newline=None)
            try:
                while line := text.readline(LINE_MAXSIZE):
                    if len(line) == LINE_MAXSIZE:
                        raise ValueError(f"seed file {self.name} has a line of {LINE_MAXSIZE} characters or more")
                    yield line
            finally:
                text.detach()  # else it would close standard input

    def is_text(self) -> bool:
        """Tell whether the first bytes hold no NUL; ValueError as for ``lines``."""
        with self._opened() as stream:
            return b"\0" not in stream.read(_PROBED_BYTES)

    @contextmanager
    def _opened(self) -> Iterator[IO[bytes]]:
        try:
            with self.open() as stored:
                if self.packed:
                    with gzip.open(stored) as unpacked:
                        yield cast(IO[bytes], unpacked)
                else:
                    yield stored
        except (OSError, EOFError, zlib.error, HTTPException) as error:
            raise ValueError(f"seed file {self.name} cannot be read: {error}") from error


def open_seed_sources(spec: str, *, package: str = "nutchlike") -> Iterator[SeedSource]:
    """Return the seed lists that ``spec``, names with commas between them, means; see ``find_seed_sources``.

    Raises ValueError also when there is no name at all.
    """
    names = [name.strip() for name in spec.split(",") if name.strip()]
    if not names:
        raise ValueError(f"seeds must name files or folders, separated by commas, got {spec!r}")
    return find_seed_sources(names, package=package)


def find_seed_sources(
    names: Iterable[str], *, package: str = "nutchlike", download_maxsize: int = DOWNLOAD_MAXSIZE
) -> Iterator[SeedSource]:
    """Return the seed lists that ``names`` mean, in their order, ready to be read.

    A name is looked for in this order:

    1. ``-`` is standard input;
    2. ``sitemap:http://…`` is a list with this line, which names a sitemap;
    3. ``http://…`` and ``https://…`` are downloaded when their turn comes, gzip or not, at most ``download_maxsize``
       bytes, and read when they are complete;
    4. an absolute path is that file or folder, and nothing else;
    5. a relative one is looked for in the working folder;
    6. then among the data files of ``package``, zipped (an egg) or not.

    A file may be a pipe or a device; ``.gz`` is unpacked. Of a folder, the text files are taken in the order of their
    names; sub-folders, hidden files, editor backups and binary files are skipped, with one INFO line each. All paths
    are resolved before this returns, so that a wrong one is an error at once.

    Raises ValueError when a path is found nowhere; the message lists the places.
    """
    return iter([source for name in names for source in _resolve(name, package, download_maxsize)])


def _resolve(name: str, package: str, download_maxsize: int) -> list[SeedSource]:
    if name == STDIN:
        return [SeedSource("stdin", _open_stdin)]
    if SITEMAP_LINE.match(name):
        return [_sitemap_source(name)]
    if _REMOTE.match(name):
        return [SeedSource(name, partial(_download, name, download_maxsize))]
    places: list[tuple[str, Traversable]] = [(name, Path(name))]
    if not Path(name).is_absolute():
        places.append((f"{package}:{name}", resources.files(package).joinpath(name)))
    for shown, place in places:
        if place.is_dir():
            return list(_folder_sources(shown, place))
        if place.is_file() or (isinstance(place, Path) and place.exists()):
            return [_file_source(shown, place)]
    tried = ", ".join(
        str(place.absolute()) if isinstance(place, Path) else f"{shown} ({place})" for shown, place in places
    )
    raise ValueError(f"no seed file or folder {name!r}; looked for {tried}")


def _file_source(shown: str, file: Traversable) -> SeedSource:
    return SeedSource(shown, lambda: file.open("rb"), packed=file.name.endswith(".gz"))


def _open_stdin() -> AbstractContextManager[IO[bytes]]:
    if sys.stdin is None:
        raise OSError("this process has no standard input")
    return nullcontext(sys.stdin.buffer)


@contextmanager
def _download(url: str, maxsize: int) -> Iterator[IO[bytes]]:
    with downloaded(url, maxsize=maxsize) as download:
        is_packed = download.body.read(len(_GZIP_MAGIC)) == _GZIP_MAGIC
        download.body.seek(0)
        if is_packed:
            with gzip.open(download.body) as unpacked:
                yield cast(IO[bytes], unpacked)
        else:
            yield download.body


def _sitemap_source(name: str) -> SeedSource:
    """Return the seed list whose one line names a sitemap."""
    return SeedSource(name, lambda: nullcontext(io.BytesIO(name.encode("utf-8", "replace"))))


def _folder_sources(shown: str, folder: Traversable) -> Iterator[SeedSource]:
    for entry in sorted(folder.iterdir(), key=lambda entry: entry.name):
        source = _file_source(f"{shown.rstrip('/')}/{entry.name}", entry)
        reason = _skip_reason(entry, source)
        if reason:
            logger.info("Seed folder %s: skipped %s, it is %s", shown, entry.name, reason)
        else:
            yield source


def _skip_reason(file: Traversable, source: SeedSource) -> str | None:
    name = file.name
    if file.is_dir():
        return "a folder"
    if not file.is_file():
        return "no regular file"
    if name.startswith("."):
        return "hidden"
    if name.endswith(_BACKUP_SUFFIXES) or (name.startswith("#") and name.endswith("#")):
        return "an editor's backup"
    if not source.is_text():
        return "binary"
    return None
