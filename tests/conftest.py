"""Fixtures that several test files share: a real Redis server."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest
import redis
from hypothesis import settings

from nutchlike.store.embedded import EmbeddedServer
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


@pytest.fixture
def store_folder(tmp_path: Path) -> Iterator[Path]:
    """Where a test may have an embedded store (not there yet); a test that leaves its server running fails."""
    folder = tmp_path / "store"
    yield folder
    assert not is_served(folder)
