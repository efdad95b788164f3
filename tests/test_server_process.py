"""One redis-server process: where it listens, who may come in, how it is set up."""

from __future__ import annotations

import os
import shutil
import stat
import tempfile
from collections.abc import Iterator
from pathlib import Path

import pytest
from store_users import eventually, exists, pid_of, run_id_of

from nutchlike.store.embedded import EmbeddedServer
from nutchlike.store.errors import StoreUnavailable
from nutchlike.store.server_process import LOG_FILE, is_served, socket_path_for


@pytest.fixture
def long_folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Path]:
    """A folder whose path is too long for a socket, with a temporary folder of the test's own."""
    with tempfile.TemporaryDirectory(prefix="nl") as temporary:
        monkeypatch.setattr(tempfile, "tempdir", temporary)
        folder = tmp_path / ("long" * 30) / "store"
        yield folder
        assert not is_served(folder)


def test_the_server_has_no_tcp_port_and_a_folder_of_its_own(store_folder: Path) -> None:
    store_folder.mkdir(mode=0o755)
    with EmbeddedServer.attach(store_folder) as server:
        client = server.client()
        assert client.config_get("port") == {"port": "0"}
        assert client.config_get("tls-port").get("tls-port", "0") == "0"  # a build without TLS does not know it
        assert stat.S_IMODE(server.socket_path.parent.stat().st_mode) == 0o700
        assert stat.S_IMODE(server.socket_path.stat().st_mode) == 0o700
        client.set("page", "private")
        assert all(stat.S_IMODE(file.stat().st_mode) & 0o077 == 0 for file in store_folder.rglob("*.aof"))


def test_a_new_folder_is_open_to_its_owner_alone(store_folder: Path) -> None:
    with EmbeddedServer.attach(store_folder):
        assert stat.S_IMODE(store_folder.stat().st_mode) == 0o700


def test_a_quote_or_blank_in_the_path_does_no_harm(tmp_path: Path) -> None:
    for name in ["my crawl", 'a"b', "a\\n", "ünï", "#1"]:
        with EmbeddedServer.attach(tmp_path / name) as server:
            assert server.client().ping(), name


def test_the_settings_that_the_store_relies_on_are_in_force(store_folder: Path) -> None:
    with EmbeddedServer.attach(store_folder) as server:
        client = server.client()
        for name, value in [
            ("appendonly", "yes"),
            ("appendfsync", "everysec"),
            ("save", ""),
            ("maxmemory-policy", "noeviction"),
            ("hash-max-ziplist-entries", "512"),
            ("hash-max-ziplist-value", "512"),
        ]:
            assert client.config_get(name)[name] == value


def test_a_path_too_long_for_a_socket_gets_a_private_folder_elsewhere(long_folder: Path) -> None:
    with EmbeddedServer.attach(long_folder) as server:
        assert len(os.fsencode(server.socket_path)) < 104
        assert stat.S_IMODE(server.socket_path.parent.stat().st_mode) == 0o700
        server.client().set("page", "kept")
        with EmbeddedServer.attach(long_folder) as other:
            assert run_id_of(other) == run_id_of(server)
    assert not server.socket_path.parent.exists()


def test_another_tmpdir_still_finds_the_running_server(long_folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    with (
        tempfile.TemporaryDirectory(prefix="nl") as elsewhere,
        EmbeddedServer.attach(long_folder) as server,
    ):
        monkeypatch.setattr(tempfile, "tempdir", elsewhere)
        with EmbeddedServer.attach(long_folder) as other:
            assert run_id_of(other) == run_id_of(server)


def test_a_folder_for_the_socket_that_others_may_enter_or_that_is_a_link_is_refused(long_folder: Path) -> None:
    place = socket_path_for(long_folder).parent
    place.mkdir(mode=0o755)
    with pytest.raises(StoreUnavailable, match="mode 0700"):
        EmbeddedServer.attach(long_folder)
    place.rmdir()
    (place.parent / "target").mkdir(mode=0o700)
    place.symlink_to(place.parent / "target")
    with pytest.raises(StoreUnavailable, match="got lrwx"):
        EmbeddedServer.attach(long_folder)


def test_a_file_where_the_folder_should_be_is_a_clear_error(tmp_path: Path) -> None:
    (tmp_path / "store").write_text("")
    with pytest.raises(StoreUnavailable, match="store cannot be used"):
        EmbeddedServer.attach(tmp_path / "store")


def test_a_long_log_is_emptied_at_the_next_start(store_folder: Path) -> None:
    store_folder.mkdir()
    (store_folder / LOG_FILE).write_bytes(b"x" * 10_000_001)
    with EmbeddedServer.attach(store_folder):
        assert 0 < (store_folder / LOG_FILE).stat().st_size < 100_000


def test_a_deleted_folder_is_a_new_store_and_its_old_server_is_stopped(long_folder: Path) -> None:
    old = EmbeddedServer.attach(long_folder)
    pid = pid_of(old)
    old.client().set("page", "old")
    shutil.rmtree(long_folder)
    with EmbeddedServer.attach(long_folder) as new:
        assert eventually(lambda: not exists(pid))
        assert new.client().dbsize() == 0
        old.detach()
        assert new.client().ping()
