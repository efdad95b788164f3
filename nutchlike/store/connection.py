"""Checks of a Redis URL before anything connects, and of the server that answers."""

from __future__ import annotations

import logging
import re
from typing import Any
from urllib.parse import urlsplit

import redis

from nutchlike.store.cluster_client import CLUSTER_SCHEMES, cluster_nodes, is_cluster_url
from nutchlike.store.errors import StoreUnavailable
from nutchlike.store.nodes import Client

logger = logging.getLogger(__name__)
OLDEST_SERVER = (6, 2)
_SCHEMES = {"redis", "rediss", "unix", *CLUSTER_SCHEMES}


def check_redis_url(url: str) -> None:
    """Raise ValueError when ``url`` would be misread: an unescaped password, a database that is no number.

    The message never shows a password.
    """
    shown = hide_password(url)
    scheme, separator, rest = url.partition("://")
    if "sentinel" in scheme:
        raise ValueError(f"REDIS_URL: Redis Sentinel is not supported, name the master by redis://, got {shown!r}")
    if not separator or scheme not in _SCHEMES:
        raise ValueError(
            "REDIS_URL must begin with redis://, rediss://, unix://, redis+cluster:// or rediss+cluster://, "
            f"got {shown!r}"
        )
    if scheme == "unix":
        return
    authority, path = re.fullmatch(r"([^/?#]*)([^?#]*).*", rest, re.DOTALL).groups()  # type: ignore[union-attr]  # matches any text
    if authority.count("@") > 1 or "@" in path:
        raise ValueError(f"REDIS_URL: percent-encode @ and / in user name and password, got {shown!r}")
    database = path.strip("/")
    if is_cluster_url(url):
        try:
            cluster_nodes(url)
        except ValueError as error:
            raise ValueError(f"REDIS_URL must name nodes like host:port,host:port ({error}), got {shown!r}") from error
        if database not in ("", "0"):
            raise ValueError(f"REDIS_URL: a Redis Cluster has only database 0, got {database!r}")
        return
    try:
        port = urlsplit(url).port
    except ValueError as error:
        hint = "; several nodes are a cluster: use redis+cluster://" if "," in authority else ""
        raise ValueError(f"REDIS_URL: the port must be a number below 65536, got {shown!r}{hint}") from error
    if database and not database.isdigit():
        raise ValueError(f"REDIS_URL: the database after the last / must be a number, got {database!r} (port {port})")


def hide_password(url: str) -> str:
    """Return ``url`` with ``***`` for what stands between the user name and the last ``@``."""
    return re.sub(r"(://[^:@/?#]*:).*@", r"\1***@", url)


def check_client(client: Client) -> None:
    """Raise when a client cannot be used: text-decoding, no answer, a server that is too old; warn of eviction.

    Raises ValueError for REDIS_PARAMS or REDIS_DECODE_RESPONSES that decode replies (records are binary), and for a
    cluster's node that is given as a single server; StoreUnavailable, which names the address, when the server, or a
    cluster's master, cannot be used.
    """
    if isinstance(client, redis.Redis):
        _check_server(client, is_cluster=False)
        return
    masters = client.get_primaries()  # type: ignore[no-untyped-call]  # redis-py's
    for master in masters:
        _check_server(client.get_redis_connection(master), is_cluster=True)
    if not masters:
        raise StoreUnavailable("the Redis Cluster has no master that has slots (REDIS_URL): create it first")


def _check_server(client: redis.Redis, *, is_cluster: bool) -> None:
    options: dict[str, Any] = client.connection_pool.connection_kwargs
    if options.get("decode_responses"):
        raise ValueError("REDIS_PARAMS / REDIS_DECODE_RESPONSES: decode_responses must be False, records are binary")
    where = options.get("path") or f"{options.get('host', 'localhost')}:{options.get('port', 6379)}"
    try:
        said = client.info()
        cluster: dict[str, str] = client.execute_command("CLUSTER INFO") if is_cluster else {}  # type: ignore[no-untyped-call]  # redis-py's
    except redis.RedisError as error:
        raise StoreUnavailable(f"no Redis at {where} (REDIS_URL): {error}") from error
    version = str(said["redis_version"])
    if tuple(int(part) for part in version.split(".")[:2]) < OLDEST_SERVER:
        raise StoreUnavailable(f"Redis at {where} is {version}, at least 6.2 is needed")
    policy = str(said.get("maxmemory_policy"))
    if policy.startswith("allkeys") and said.get("maxmemory"):
        logger.warning(
            "Redis at %s may drop parts of the crawl: set maxmemory-policy noeviction, not %s", where, policy
        )
    if not is_cluster and said.get("cluster_enabled"):
        raise ValueError(f"REDIS_URL: {where} is a node of a Redis Cluster: use redis+cluster://{where}")
    if is_cluster and cluster["cluster_state"] != "ok":
        raise StoreUnavailable(
            f"the Redis Cluster is not ready: {where} has cluster_state {cluster['cluster_state']!r}, 'ok' is needed "
            f"({cluster['cluster_slots_ok']} of 16384 slots are served)"
        )
