"""Seed sources: the files that a ``seeds=`` argument names, opened one after the other and never read whole."""

from __future__ import annotations

import gzip
import io
import logging
import zlib
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from importlib import resources
from importlib.resources.abc import Traversable
from pathlib import Path
from typing import IO, cast

logger = logging.getLogger(__name__)

_BACKUP_SUFFIXES = ("~", ".bak", ".swp")
_PROBED_BYTES = 1024


@dataclass(frozen=True, slots=True)
class SeedSource:
    """One seed file; ``name`` is what messages call it."""

    name: str
    file: Traversable

    def lines(self) -> Iterator[str]:
        """Yield the file's lines as UTF-8 text, each with ``\\n`` for its end; ``.gz`` is unpacked on the way.

        Bytes that are not UTF-8 become U+FFFD. Raises ValueError when the file cannot be read to its end.
        """
        with self._open() as stream:
            yield from io.TextIOWrapper(stream, encoding="utf-8", errors="replace", newline=None)

    def is_text(self) -> bool:
        """Tell whether the file's first bytes hold no NUL; ValueError as for ``lines``."""
        with self._open() as stream:
            return b"\0" not in stream.read(_PROBED_BYTES)

    @contextmanager
    def _open(self) -> Iterator[IO[bytes]]:
        try:
            with self.file.open("rb") as stored:
                if self.file.name.endswith(".gz"):
                    with gzip.open(stored) as unpacked:
                        yield cast(IO[bytes], unpacked)
                else:
                    yield stored
        except (OSError, EOFError, zlib.error) as error:
            raise ValueError(f"seed file {self.name} cannot be read: {error}") from error


def open_seed_sources(spec: str, *, package: str = "nutchlike") -> Iterator[SeedSource]:
    """Return the seed files that ``spec`` names, in its order, ready to be read.

    ``spec`` is a comma-separated list of files and folders. A relative name is looked for in the working folder,
    then among the data files of ``package``, zipped (an egg) or not. Of a folder, the text files are taken in the
    order of their names; sub-folders, hidden files, editor backups and binary files are skipped, with one INFO line
    each. All names are resolved before this returns, so that a wrong one is an error at once.

    Raises ValueError when a name is found nowhere (the message lists the places), or when there is none.
    """
    names = [name.strip() for name in spec.split(",") if name.strip()]
    if not names:
        raise ValueError(f"seeds must name files or folders, separated by commas, got {spec!r}")
    return iter([source for name in names for source in _resolve(name, package)])


def _resolve(name: str, package: str) -> list[SeedSource]:
    places: list[tuple[str, Traversable]] = [(name, Path(name))]
    if not Path(name).is_absolute():
        places.append((f"{package}:{name}", resources.files(package).joinpath(name)))
    for shown, place in places:
        if place.is_file():
            return [SeedSource(shown, place)]
        if place.is_dir():
            return list(_folder_sources(shown, place))
    tried = ", ".join(
        str(place.absolute()) if isinstance(place, Path) else f"{shown} ({place})" for shown, place in places
    )
    raise ValueError(f"no seed file or folder {name!r}; looked for {tried}")


def _folder_sources(shown: str, folder: Traversable) -> Iterator[SeedSource]:
    for entry in sorted(folder.iterdir(), key=lambda entry: entry.name):
        source = SeedSource(f"{shown.rstrip('/')}/{entry.name}", entry)
        reason = _skip_reason(source)
        if reason:
            logger.info("Seed folder %s: skipped %s, it is %s", shown, entry.name, reason)
        else:
            yield source


def _skip_reason(source: SeedSource) -> str | None:
    name = source.file.name
    if source.file.is_dir():
        return "a folder"
    if not source.file.is_file():
        return "no regular file"
    if name.startswith("."):
        return "hidden"
    if name.endswith(_BACKUP_SUFFIXES) or (name.startswith("#") and name.endswith("#")):
        return "an editor's backup"
    if not source.is_text():
        return "binary"
    return None
