"""Checks of a Redis URL before anything connects, and of the server that answers."""

from __future__ import annotations

import re
from typing import Any
from urllib.parse import urlsplit

import redis

from nutchlike.store.errors import StoreUnavailable

OLDEST_SERVER = (6, 2)
_SCHEMES = {"redis", "rediss", "unix"}


def check_redis_url(url: str) -> None:
    """Raise ValueError when ``url`` would be misread: an unescaped password, a database that is no number.

    The message never shows a password.
    """
    shown = hide_password(url)
    scheme, separator, rest = url.partition("://")
    if not separator or scheme not in _SCHEMES:
        raise ValueError(f"REDIS_URL must begin with redis://, rediss:// or unix://, got {shown!r}")
    if scheme == "unix":
        return
    authority, path = re.fullmatch(r"([^/?#]*)([^?#]*).*", rest, re.DOTALL).groups()  # type: ignore[union-attr]  # matches any text
    if authority.count("@") > 1 or "@" in path:
        raise ValueError(f"REDIS_URL: percent-encode @ and / in user name and password, got {shown!r}")
    try:
        port = urlsplit(url).port
    except ValueError as error:
        raise ValueError(f"REDIS_URL: the port must be a number below 65536, got {shown!r}") from error
    database = urlsplit(url).path.strip("/")
    if database and not database.isdigit():
        raise ValueError(f"REDIS_URL: the database after the last / must be a number, got {database!r} (port {port})")


def hide_password(url: str) -> str:
    """Return ``url`` with ``***`` for what stands between the user name and the last ``@``."""
    return re.sub(r"(://[^:@/?#]*:).*@", r"\1***@", url)


def check_client(client: redis.Redis) -> None:
    """Raise when a client cannot be used: text-decoding, no answer, or a server that is too old.

    Raises ValueError for REDIS_PARAMS or REDIS_DECODE_RESPONSES that decode replies (records are binary), and
    StoreUnavailable, which names the address, when the server cannot be used.
    """
    options: dict[str, Any] = client.connection_pool.connection_kwargs
    if options.get("decode_responses"):
        raise ValueError("REDIS_PARAMS / REDIS_DECODE_RESPONSES: decode_responses must be False, records are binary")
    where = options.get("path") or f"{options.get('host', 'localhost')}:{options.get('port', 6379)}"
    try:
        version = str(client.info("server")["redis_version"])
    except redis.RedisError as error:
        raise StoreUnavailable(f"no Redis at {where} (REDIS_URL): {error}") from error
    if tuple(int(part) for part in version.split(".")[:2]) < OLDEST_SERVER:
        raise StoreUnavailable(f"Redis at {where} is {version}, at least 6.2 is needed")
