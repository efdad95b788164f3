"""What is said about a Redis URL or server that cannot be used."""

from __future__ import annotations

import pytest
import redis

from nutchlike.store.connection import check_client, check_redis_url, hide_password
from nutchlike.store.errors import StoreUnavailable

REFUSED = [
    # a password that must be percent-encoded: redis-py would take "ss" for the host
    ("redis://:p@ss/w0rd@h:6379/0", "percent-encode"),
    # a database that is no number: redis-py would take database 0
    ("redis://h:6379/notanint", "must be a number"),
    # schemes that are not supported
    ("redis+sentinel://a:26379/m", "must begin with"),
    ("redis+cluster://a:7000", "must begin with"),
    ("localhost:6379", "must begin with"),
    # a port that is none
    ("redis://h:99999/0", "port"),
    ("redis://h:abc/0", "port"),
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
    ],
)
def test_a_good_url_passes(url: str) -> None:
    check_redis_url(url)


@pytest.mark.parametrize("url", ["redis://u:p@secret@h/0", "redis://:p@secret/w0rd@h:6379/x", "redis://:secret@h/x"])
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
        check_client(redis.Redis(host="127.0.0.1", port=1))
