"""Fixtures that several test files share: a real Redis server, a real cluster of them, a reactor."""

from __future__ import annotations

import asyncio
from collections.abc import Iterator
from pathlib import Path

import pytest
import redis
from cluster import Cluster, cluster
from download_handlers import running_reactor
from hypothesis import settings
from stores import Store, open_store

from nutchlike.store.embedded import EmbeddedServer
from nutchlike.store.keys import CrawlKeys
from nutchlike.store.nodes import Client
from nutchlike.store.server_process import is_served

# How long an example takes says more about the machine than about the code.
settings.register_profile("nutchlike", deadline=None)
settings.load_profile("nutchlike")


@pytest.fixture(scope="session")
def redis_server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[EmbeddedServer]:
    """A private server for this test session, on a unix socket; gone at its end."""
    with EmbeddedServer.attach(tmp_path_factory.mktemp("redis")) as server:
        yield server


@pytest.fixture
def redis_client(redis_server: EmbeddedServer) -> Iterator[redis.Redis]:
    """A client of the session's server, whose databases are all empty; answers are bytes."""
    client = redis_server.client()
    client.flushall()
    yield client
    client.close()


@pytest.fixture(scope="session")
def redis_cluster(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Cluster]:
    """Three masters without replicas for this test session; gone at its end. Tests that break nodes make their own."""
    folder = tmp_path_factory.mktemp("cluster")
    with cluster(folder) as made:
        yield made


@pytest.fixture
def cluster_client(redis_cluster: Cluster) -> Iterator[redis.RedisCluster]:
    """A client of the session's cluster, whose nodes are all empty and know no script; answers are bytes."""
    redis_cluster.flush()
    client = redis_cluster.client()
    yield client
    client.close()


@pytest.fixture(params=["server", "cluster"])
def any_client(request: pytest.FixtureRequest) -> Client:
    """A client of one server, and then of a cluster: for tests of what must work alike on both."""
    client: Client = request.getfixturevalue("redis_client" if request.param == "server" else "cluster_client")
    return client


@pytest.fixture(params=["one partition", "four partitions", "cluster"])
def store(request: pytest.FixtureRequest) -> Store:
    """An empty store: the whole store suite runs on one partition, on four, and on four spread over a cluster."""
    client: Client = request.getfixturevalue("cluster_client" if request.param == "cluster" else "redis_client")
    return open_store(client, keys=CrawlKeys("site", 1 if request.param == "one partition" else 4))


@pytest.fixture
def store_folder(tmp_path: Path) -> Iterator[Path]:
    """Where a test may have an embedded store (not there yet); a test that leaves its server running fails."""
    folder = tmp_path / "store"
    yield folder
    assert not is_served(folder)


@pytest.fixture(scope="session")
def reactor_loop() -> Iterator[asyncio.AbstractEventLoop]:
    """The loop of Twisted's asyncio reactor, which works whenever the loop runs."""
    with running_reactor() as loop:
        yield loop
