"""The private redis-server: started on demand, shared by real processes, gone when the last one leaves."""

from __future__ import annotations

import random
import signal
import subprocess
import sys
from pathlib import Path

import pytest
import redis
from store_users import ROOT, User, eventually, exists, kill_server, pid_of, run_id_of

from nutchlike.store.embedded import EmbeddedServer
from nutchlike.store.errors import StoreUnavailable
from nutchlike.store.server_process import is_served

COME_AND_GO = """
import random, sys
from pathlib import Path
from nutchlike.store.embedded import EmbeddedServer
rng = random.Random(sys.argv[2])
for _ in range(10):
    with EmbeddedServer.attach(Path(sys.argv[1])) as server:
        client = server.client(retry=None)
        for _ in range(rng.randrange(40)):
            client.incr("visits")
        client.rpush("servers", client.info()["process_id"])
        client.incr("rounds")
"""


def test_attaching_starts_a_server_and_leaving_stops_it(store_folder: Path) -> None:
    server = EmbeddedServer.attach(store_folder)
    pid = pid_of(server)
    assert server.client().ping()
    server.detach()
    assert eventually(lambda: not exists(pid))
    assert not server.socket_path.exists()


def test_leaving_twice_is_no_error_and_stops_nobody_elses_server(store_folder: Path) -> None:
    with EmbeddedServer.attach(store_folder) as first:
        second = EmbeddedServer.attach(store_folder)
        second.detach()
        second.detach()
        assert first.client().ping()


def test_answers_are_bytes_and_calls_have_a_timeout(store_folder: Path) -> None:
    with EmbeddedServer.attach(store_folder) as server:
        client = server.client()
        client.set("page", "text")
        assert client.get("page") == b"text"
        assert client.connection_pool.connection_kwargs["socket_timeout"] == 30
        assert server.client(socket_timeout=3).connection_pool.connection_kwargs["socket_timeout"] == 3


def test_what_was_written_is_there_at_the_next_start(store_folder: Path) -> None:
    with EmbeddedServer.attach(store_folder) as server:
        server.client().zadd("frontier", {"http://a.test/": 0.1 + 0.2})
        first = run_id_of(server)
    with EmbeddedServer.attach(store_folder) as server:
        assert server.client().zscore("frontier", "http://a.test/") == 0.1 + 0.2
        assert run_id_of(server) != first


def test_a_second_process_joins_the_server_of_the_first(store_folder: Path) -> None:
    with EmbeddedServer.attach(store_folder) as server:
        other = User(store_folder)
        assert other.run_id == run_id_of(server)
        other.leave()


def test_the_first_to_leave_stops_nothing_and_the_last_one_stops_the_server(store_folder: Path) -> None:
    server = EmbeddedServer.attach(store_folder)
    pid, run_id = pid_of(server), run_id_of(server)
    other = User(store_folder)
    server.detach()
    with EmbeddedServer.attach(store_folder) as again:
        assert run_id_of(again) == run_id
    assert exists(pid)
    other.leave()
    assert eventually(lambda: not exists(pid))


def test_two_attachments_of_one_process_count_as_two(store_folder: Path) -> None:
    first, second = EmbeddedServer.attach(store_folder), EmbeddedServer.attach(store_folder)
    pid = pid_of(first)
    assert pid_of(second) == pid
    first.detach()
    assert second.client().ping()
    second.detach()
    assert eventually(lambda: not exists(pid))


def test_different_spellings_of_a_folder_mean_one_server(store_folder: Path) -> None:
    with EmbeddedServer.attach(store_folder) as server:
        alias = store_folder.with_name("alias")
        alias.symlink_to(store_folder)
        with EmbeddedServer.attach(alias) as other, EmbeddedServer.attach(store_folder / ".." / "store") as third:
            assert run_id_of(other) == run_id_of(third) == run_id_of(server)


def test_a_process_that_ends_without_leaving_leaves_by_itself(store_folder: Path) -> None:
    user = User(store_folder, then="raise SystemExit(7)")
    assert user.process.wait(timeout=30) == 7
    assert not is_served(store_folder)


def test_a_child_process_that_outlives_its_parent_keeps_no_lock(store_folder: Path) -> None:
    user = User(store_folder, then="import subprocess; subprocess.Popen(['cat'], close_fds=False); print('born')")
    assert user.read_line() == "born"
    user.process.kill()
    user.process.wait()
    with EmbeddedServer.attach(store_folder) as server:
        assert run_id_of(server) == user.run_id
    assert not is_served(store_folder)
    user.leave()


def test_a_forked_child_that_leaves_does_not_leave_for_its_parent(store_folder: Path) -> None:
    user = User(
        store_folder, then="import os\nif os.fork() == 0: server.detach(); os._exit(0)\nos.wait(); print('left')"
    )
    assert user.read_line() == "left"
    with EmbeddedServer.attach(store_folder) as server:
        assert run_id_of(server) == user.run_id
    assert is_served(store_folder)
    user.leave()


def test_processes_that_come_and_go_always_find_a_server_and_leave_none_behind(store_folder: Path) -> None:
    seed = random.randrange(1_000_000)
    users = [
        subprocess.Popen([sys.executable, "-c", COME_AND_GO, store_folder, f"{seed}-{number}"], cwd=ROOT)
        for number in range(8)
    ]
    assert [user.wait(timeout=120) for user in users] == [0] * 8, f"seed {seed}"
    assert not is_served(store_folder)
    with EmbeddedServer.attach(store_folder) as server:
        client = server.client()
        assert client.get("rounds") == b"80"
        pids = {int(pid) for pid in client.lrange("servers", 0, -1)} - {pid_of(server)}
    assert eventually(lambda: not any(exists(pid) for pid in pids))


def test_a_killed_process_leaves_the_server_to_the_next_one(store_folder: Path) -> None:
    user = User(store_folder)
    user.send(signal.SIGKILL)
    with EmbeddedServer.attach(store_folder) as server:
        assert run_id_of(server) == user.run_id
        pid = pid_of(server)
    assert eventually(lambda: not exists(pid))


def test_ctrl_c_of_a_crawl_does_not_reach_the_server(store_folder: Path) -> None:
    user = User(store_folder)
    with EmbeddedServer.attach(store_folder) as server:
        user.send(signal.SIGINT)
        assert user.process.returncode != 0
        assert run_id_of(server) == user.run_id


def test_a_killed_server_is_replaced_with_its_data(store_folder: Path) -> None:
    with EmbeddedServer.attach(store_folder) as server:
        server.client().set("page", "kept")
        first = run_id_of(server)
        kill_server(server)
        assert server.socket_path.exists()
        with EmbeddedServer.attach(store_folder) as again:
            assert run_id_of(again) != first
            assert again.client().get("page") == b"kept"
        assert server.client().get("page") == b"kept"


def newest_aof(folder: Path) -> Path:
    return max(folder.rglob("*.aof"), key=lambda file: file.stat().st_mtime)


def test_attaching_waits_until_a_big_store_is_loaded(store_folder: Path) -> None:
    with EmbeddedServer.attach(store_folder) as server:
        server.client().set("page", "kept")
    with newest_aof(store_folder).open("ab") as log:
        log.writelines(b"*3\r\n$3\r\nSET\r\n$8\r\n%08d\r\n$1\r\nx\r\n" % number for number in range(500_000))
    with EmbeddedServer.attach(store_folder) as server:
        assert server.client(retry=None).dbsize() == 500_001


def test_a_server_that_cannot_load_its_data_fails_with_the_end_of_its_log(store_folder: Path) -> None:
    with EmbeddedServer.attach(store_folder) as server:
        server.client().set("page", "kept")
    with newest_aof(store_folder).open("ab") as log:
        log.write(b"not a command\r\n")
    with pytest.raises(StoreUnavailable, match="Bad file format reading the append only file"):
        EmbeddedServer.attach(store_folder)


def test_a_server_whose_socket_was_deleted_gets_no_second_one_beside_it(store_folder: Path) -> None:
    server = EmbeddedServer.attach(store_folder)
    pid = pid_of(server)
    server.socket_path.unlink()
    with pytest.raises(StoreUnavailable, match=rf"running \(process {pid}\) but has not answered"):
        EmbeddedServer.attach(store_folder, start_timeout=0.2)
    server.detach()
    assert eventually(lambda: not exists(pid))


def test_a_refused_connection_is_rediss_own_error(store_folder: Path) -> None:
    with EmbeddedServer.attach(store_folder) as server:
        pass
    with pytest.raises(redis.ConnectionError):
        server.client(retry=None).ping()
