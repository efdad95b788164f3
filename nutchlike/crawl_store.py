"""CrawlStore: one connection to the store per crawl, and the parts that work on it."""

from __future__ import annotations

import atexit
import logging
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

import redis
from redis.backoff import NoBackoff
from redis.retry import Retry
from scrapy.exceptions import NotConfigured
from scrapy.settings import BaseSettings
from scrapy.utils.project import project_data_dir
from scrapy_redis import connection as scrapy_redis_connection

from nutchlike.checked_settings import get_float, get_int
from nutchlike.store.connection import check_client, check_redis_url, hide_password
from nutchlike.store.crawldb import CrawlDb
from nutchlike.store.embedded import EmbeddedServer
from nutchlike.store.frontier import Frontier
from nutchlike.store.keys import PartitionKeys
from nutchlike.store.signature_index import SignatureIndex
from nutchlike.store.worker import worker_name

logger = logging.getLogger(__name__)


@dataclass(frozen=True, slots=True)
class CrawlStore:
    """The store of one crawl. ``close`` leaves it; the last process to leave an embedded store stops its server."""

    client: redis.Redis
    crawldb: CrawlDb
    frontier: Frontier
    signatures: SignatureIndex
    close: Callable[[], None]


def open_store(settings: BaseSettings, *, crawl_id: str) -> CrawlStore:
    """Connect to REDIS_URL (or REDIS_HOST), or to the embedded store when neither is set.

    Raises ValueError for settings that cannot be used, StoreUnavailable when there is no server.
    """
    client, leave = _connect(settings)
    try:
        check_client(client)
        # One more try at once for a connection that has gone stale; whoever waits longer must not block the reactor.
        client.set_retry(Retry(NoBackoff(), 1))
    except Exception:
        leave()
        raise
    atexit.register(leave)  # a crawl that fails to open never gets to close(); leaving twice does nothing
    keys = PartitionKeys(settings.get("NUTCH_CRAWL_ID") or crawl_id)
    per_host = get_int(settings, "CONCURRENT_REQUESTS_PER_DOMAIN")
    frontier = Frontier(
        client,
        keys,
        worker=worker_name(),
        delay=host_delay(settings),
        per_host=per_host,
        lease_seconds=get_float(settings, "NUTCH_LEASE_SECONDS"),
        attempts_max=get_int(settings, "NUTCH_FETCH_ATTEMPTS_MAX"),
        fetch_interval=get_int(settings, "NUTCH_DB_FETCH_INTERVAL_DEFAULT"),
    )
    return CrawlStore(
        client=client,
        crawldb=CrawlDb(client, keys, per_host=per_host),
        frontier=frontier,
        signatures=SignatureIndex(client, keys),
        close=leave,
    )


def host_delay(settings: BaseSettings) -> float:
    """Return the seconds between two requests to a host, for all workers together."""
    return get_float(settings, "DOWNLOAD_DELAY")


def _connect(settings: BaseSettings) -> tuple[redis.Redis, Callable[[], None]]:
    url = settings.get("REDIS_URL")
    if url:
        check_redis_url(url)
        logger.info("Store: %s", hide_password(url))
    if url or settings.get("REDIS_HOST"):
        client: redis.Redis = scrapy_redis_connection.from_settings(settings)
        return client, client.close
    server = EmbeddedServer.attach(_data_dir(settings))
    return server.client(), server.detach


def _data_dir(settings: BaseSettings) -> Path:
    """Return the embedded store's folder; under Scrapyd, where no scrapy.cfg is near, it is in the working folder."""
    folder = settings.get("NUTCH_DATA_DIR")
    if folder:
        return Path(folder).expanduser().absolute()
    try:
        return Path(project_data_dir(), "nutch").absolute()
    except NotConfigured:
        return Path(".scrapy", "nutch").absolute()
