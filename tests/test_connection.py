"""What is said about a Redis URL or server that cannot be used."""

from __future__ import annotations

import socket
import subprocess
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest
import redis
from cluster import Cluster, cluster, free_port, soon
from redis.backoff import NoBackoff
from redis.retry import Retry
from scrapy.settings import Settings

from nutchlike.crawl_store import open_store
from nutchlike.store.cluster_client import connect_cluster
from nutchlike.store.connection import check_client, check_redis_url, hide_password
from nutchlike.store.errors import StoreUnavailable
from nutchlike.store.server_binary import binary_for


@contextmanager
def single_server(folder: Path) -> Iterator[int]:
    """Run one redis-server that is in no cluster; yields its port."""
    port = free_port()
    program = str(binary_for(folder).path)
    arguments = ["--port", str(port), "--bind", "127.0.0.1", "--dir", str(folder), "--save", ""]
    process = subprocess.Popen([program, *arguments], stdout=subprocess.DEVNULL)

    def answers() -> bool:
        try:
            return bool(redis.Redis(port=port, retry=Retry(NoBackoff(), 0)).ping())
        except redis.ConnectionError:
            return False

    try:
        assert soon(answers)
        yield port
    finally:
        process.kill()
        process.wait()


REFUSED = [
    # a password that must be percent-encoded: redis-py would take "ss" for the host
    ("redis://:p@ss/w0rd@h:6379/0", "percent-encode"),
    # a database that is no number: redis-py would take database 0
    ("redis://h:6379/notanint", "must be a number"),
    # schemes that are not supported
    ("redis+sentinel://a:26379/m", "Redis Sentinel is not supported"),
    ("http://a:7000", "must begin with"),
    ("localhost:6379", "must begin with"),
    # a port that is none
    ("redis://h:99999/0", "port"),
    ("redis://h:abc/0", "port"),
    # a cluster: it has one database; each node has a host, and a port or none
    ("redis+cluster://a:7000/1", "only database 0"),
    ("redis+cluster://a:7000,b:x", "host:port"),
    ("redis+cluster://a:7000,", "host:port"),
    ("redis+cluster://", "host:port"),
    ("redis://a:7000,b:7000", "use redis\\+cluster://"),
]


@pytest.mark.parametrize(("url", "hint"), REFUSED)
def test_a_url_that_would_be_misread_is_refused(url: str, hint: str) -> None:
    with pytest.raises(ValueError, match=hint):
        check_redis_url(url)


@pytest.mark.parametrize(
    "url",
    [
        "redis://:p%40ss%2Fw0rd@h:6379/2",
        "rediss://u:pw@h:6380/1?ssl_cert_reqs=none",
        "redis://localhost",
        "unix:///tmp/redis.sock?db=1",
        "redis+cluster://a:7000,b,[::1]:7002/0",
        "rediss+cluster://u:p%40w@a:7000?ssl_cert_reqs=none",
    ],
)
def test_a_good_url_passes(url: str) -> None:
    check_redis_url(url)


@pytest.mark.parametrize(
    "url",
    [
        "redis://u:p@secret@h/0",
        "redis://:p@secret/w0rd@h:6379/x",
        "redis://:secret@h/x",
        "redis+cluster://:secret@h,k/1",
    ],
)
def test_a_password_is_never_shown(url: str) -> None:
    assert "secret" not in hide_password(url)
    with pytest.raises(ValueError) as refused:
        check_redis_url(url)
    assert "secret" not in str(refused.value)


def test_a_client_that_decodes_text_is_refused(redis_client: redis.Redis) -> None:
    path = redis_client.connection_pool.connection_kwargs["path"]
    with pytest.raises(ValueError, match="decode_responses must be False"):
        check_client(redis.Redis(unix_socket_path=path, decode_responses=True))


def test_a_server_that_is_not_there_is_named() -> None:
    with pytest.raises(StoreUnavailable, match=r"no Redis at 127\.0\.0\.1:1 \(REDIS_URL\)"):
        check_client(redis.Redis(host="127.0.0.1", port=1, retry=Retry(NoBackoff(), 0)))


def test_a_server_that_accepts_and_never_answers_is_given_up_after_one_timeout() -> None:
    with socket.socket() as silent:
        silent.bind(("127.0.0.1", 0))
        silent.listen()
        host, port = silent.getsockname()
        settings = Settings({"REDIS_URL": f"redis://{host}:{port}", "REDIS_PARAMS": {"socket_timeout": 0.5}})
        settings.set("NUTCH_FETCHER_QUEUE_MODE", "byHost")
        started = time.monotonic()
        with pytest.raises(StoreUnavailable, match=rf"no Redis at {host}:{port} \(REDIS_URL\): Timeout"):
            open_store(settings, crawl_id="site")
        assert time.monotonic() - started < 5  # ten times as long with redis-py's ten retries


def test_a_cluster_that_is_not_there_is_named() -> None:
    with pytest.raises(StoreUnavailable, match=r"no Redis Cluster at 127\.0\.0\.1:1, 127\.0\.0\.1:2 \(REDIS_URL\)"):
        connect_cluster("redis+cluster://127.0.0.1:1,127.0.0.1:2", {})


def test_a_single_server_is_no_cluster(tmp_path: Path) -> None:
    with single_server(tmp_path) as port, pytest.raises(StoreUnavailable, match="use redis:// for a single server"):
        connect_cluster(f"redis+cluster://127.0.0.1:{port}", {})


def test_a_node_of_a_cluster_is_no_single_server(redis_cluster: Cluster) -> None:
    node = redis_cluster.nodes[0]
    with pytest.raises(ValueError, match=rf"use redis\+cluster://127\.0\.0\.1:{node.port}"):
        check_client(node.client())


def test_a_cluster_is_reached_by_any_node_that_answers(redis_cluster: Cluster) -> None:
    url = redis_cluster.url.replace("://", "://127.0.0.1:1,")
    with connect_cluster(url, {"db": 0}) as client:
        check_client(client)
        assert len(client.get_primaries()) == 3


def test_user_password_and_options_of_a_cluster_url_reach_every_node(redis_cluster: Cluster) -> None:
    for node in redis_cluster.nodes:
        node.client().acl_setuser("fetcher", enabled=True, passwords=["+p@ss/w"], keys=["*"], categories=["+@all"])
    try:
        url = redis_cluster.url.replace("://", "://fetcher:p%40ss%2Fw@") + "?client_name=crawl"
        with connect_cluster(url, {"socket_timeout": 3}) as client:
            check_client(client)
            for master in client.get_primaries():
                connection = client.get_redis_connection(master)
                assert connection.acl_whoami() == "fetcher"
                assert connection.client_getname() == "crawl"
                assert connection.connection_pool.connection_kwargs["socket_timeout"] == 3
        with pytest.raises(StoreUnavailable) as refused:
            connect_cluster(redis_cluster.url.replace("://", "://fetcher:secret@"), {})
        assert "secret" not in str(refused.value)
    finally:
        for node in redis_cluster.nodes:
            node.client().acl_deluser("fetcher")


def test_a_cluster_has_one_database_and_does_not_decode(redis_cluster: Cluster) -> None:
    with pytest.raises(ValueError, match="only database 0, got 2"):
        connect_cluster(redis_cluster.url, {"db": 2})
    with (
        connect_cluster(redis_cluster.url, {"decode_responses": True}) as client,
        pytest.raises(ValueError, match="decode_responses must be False"),
    ):
        check_client(client)


def test_a_cluster_that_does_not_serve_all_slots_is_refused_with_its_state(tmp_path: Path) -> None:
    with cluster(tmp_path, masters=1) as made:
        made.nodes[0].client().execute_command("CLUSTER DELSLOTS", 7)
        client = connect_cluster(f"redis+cluster://127.0.0.1:{made.nodes[0].port}", {})
        assert soon(lambda: made.nodes[0].ask("CLUSTER INFO")["cluster_state"] == "fail")
        with pytest.raises(StoreUnavailable, match=r"cluster_state 'fail', 'ok' is needed \(16383 of 16384"):
            check_client(client)


def test_a_cluster_whose_nodes_are_all_away_raises_a_redis_error(tmp_path: Path) -> None:
    with cluster(tmp_path, masters=1) as made:
        client = connect_cluster(f"redis+cluster://127.0.0.1:{made.nodes[0].port}", {})
        made.kill_master(0)
        with pytest.raises(redis.RedisError):
            client.get("a")


def test_a_server_that_may_evict_parts_of_a_crawl_is_warned_of(
    redis_client: redis.Redis, caplog: pytest.LogCaptureFixture
) -> None:
    before = {name: redis_client.config_get(name)[name] for name in ("maxmemory", "maxmemory-policy")}
    try:
        for policy, memory, is_risky in (
            ("allkeys-lru", "1gb", True),
            ("allkeys-lru", "0", False),
            ("volatile-lru", "1gb", False),  # the crawl's keys have no time to live
            ("noeviction", "1gb", False),
        ):
            redis_client.config_set("maxmemory", memory)
            redis_client.config_set("maxmemory-policy", policy)
            caplog.clear()
            check_client(redis_client)
            assert ("set maxmemory-policy noeviction" in caplog.text) == is_risky, (policy, memory)
    finally:
        for name, value in before.items():
            redis_client.config_set(name, value)
