"""A client of a Redis Cluster from a URL of our own: ``redis+cluster://user:password@host:port,host:port?option=value``."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any
from urllib.parse import urlsplit

import redis
from redis.backoff import NoBackoff
from redis.cluster import ClusterNode
from redis.exceptions import RedisClusterException
from redis.retry import Retry

from nutchlike.store.errors import StoreUnavailable

CLUSTER_SCHEMES = {"redis+cluster": "redis", "rediss+cluster": "rediss"}  # and redis-py's scheme for one node
# How long a node may take to be reached, or to answer. Shorter than for one server: from a node that hangs its replica
# takes over, and that is found out only by asking again.
ANSWER_SECONDS = 5.0
_DEFAULT_PORT = 6379


class ClusterClient(redis.RedisCluster):
    """redis-py's client of a cluster, whose errors are all RedisErrors."""

    def execute_command(self, *args: Any, **kwargs: Any) -> Any:
        try:
            return super().execute_command(*args, **kwargs)  # type: ignore[no-untyped-call]  # redis-py's
        except RedisClusterException as error:  # no node answers, or none has the slot; its class is no RedisError
            raise redis.ConnectionError(str(error)) from error


def is_cluster_url(url: str) -> bool:
    """Return whether ``url`` names a cluster."""
    return url.partition("://")[0] in CLUSTER_SCHEMES


def cluster_nodes(url: str) -> list[tuple[str, int]]:
    """Return host and port of each node that a cluster's URL names.

    Raises ValueError for a node without a host, or whose port is no number.
    """
    authority = url.partition("://")[2].partition("?")[0].partition("/")[0]
    nodes = []
    for node in authority.rpartition("@")[2].split(","):
        parts = urlsplit(f"//{node}")
        if not parts.hostname:
            raise ValueError(f"a node must look like host:port, got {node!r}")
        nodes.append((parts.hostname, parts.port if parts.port is not None else _DEFAULT_PORT))
    return nodes


def connect_cluster(url: str, params: Mapping[str, Any]) -> ClusterClient:
    """Return a client that knows the cluster's nodes; ``url`` has passed check_redis_url, ``params`` are redis-py's.

    A command that a node does not answer is tried once more, after a look at which nodes there are now.

    Raises ValueError for a database other than 0, StoreUnavailable when no named node answers as a member of a cluster.
    """
    options = {name: value for name, value in params.items() if name not in ("db", "redis_cls", "retry")}
    if int(params.get("db") or 0):
        raise ValueError(f"REDIS_DB / REDIS_PARAMS: a Redis Cluster has only database 0, got {params['db']!r}")
    nodes = cluster_nodes(url)
    scheme, _, rest = url.partition("://")
    authority, mark, query = rest.partition("?")
    credentials, at, _ = authority.rpartition("@")
    host, port = nodes[0]
    host = f"[{host}]" if ":" in host else host
    try:
        return ClusterClient(
            url=f"{CLUSTER_SCHEMES[scheme]}://{credentials}{at}{host}:{port}{mark}{query}",
            startup_nodes=[ClusterNode(*node) for node in nodes[1:]],  # type: ignore[no-untyped-call]  # redis-py's
            retry=Retry(NoBackoff(), 1),
            require_full_coverage=False,  # while a master is replaced, the other partitions can be asked
            **{"socket_connect_timeout": ANSWER_SECONDS, "socket_timeout": ANSWER_SECONDS, **options},
        )
    except RedisClusterException as error:
        where = ", ".join(f"{host}:{port}" for host, port in nodes)
        hint = "; use redis:// for a single server" if "not enabled" in str(error) else ""
        raise StoreUnavailable(f"no Redis Cluster at {where} (REDIS_URL): {error}{hint}") from error
