"""Makes Redis keep the buckets of records in its compact form."""

from __future__ import annotations

import logging
from typing import Any, cast

import redis

from nutchlike.store.nodes import Client

logger = logging.getLogger(__name__)
# Setting, its name before Redis 7, what is needed: fields of a bucket (56 are usual), bytes of a record (a long URL).
_LIMITS = (
    ("hash-max-listpack-entries", "hash-max-ziplist-entries", 512),
    ("hash-max-listpack-value", "hash-max-ziplist-value", 4096),
)


def keep_hashes_compact(client: Client) -> bool:
    """Raise the server's limits for compact hashes where they are lower; return whether they are high enough now.

    A server that does not allow CONFIG keeps its own: then a URL takes about 60 bytes more.
    """
    try:
        for setting, old_name, needed in _LIMITS:
            have = _config(client, setting) or _config(client, old_name)
            for name, value in have.items():
                if int(value) < needed:
                    client.config_set(name, needed, **_everywhere(client))
    except redis.ResponseError as error:
        logger.info("Records take more memory than they need, CONFIG SET is not allowed: %s", error)
        return False
    return True


def _config(client: Client, name: str) -> dict[str, str]:
    """Return a setting's name and lowest value on any server, as text; empty when it is not known."""
    answer: Any = client.config_get(name, **_everywhere(client))
    answers = cast("list[dict[str, str]]", list(answer.values()) if _everywhere(client) else [answer])
    values = [value for one in answers for value in one.values()]
    return {name: min(values, key=int)} if values else {}


def _everywhere(client: Client) -> dict[str, Any]:
    """Return what makes a command of a cluster's client go to all its servers."""
    return {"target_nodes": redis.RedisCluster.ALL_NODES} if isinstance(client, redis.RedisCluster) else {}
