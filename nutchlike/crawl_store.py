"""CrawlStore: one connection to the store per crawl, and the parts that work on it."""

from __future__ import annotations

import atexit
import logging
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

import redis
from scrapy.exceptions import NotConfigured
from scrapy.settings import BaseSettings
from scrapy.utils.project import project_data_dir
from scrapy_redis import connection as scrapy_redis_connection

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
    except Exception:
        leave()
        raise
    atexit.register(leave)  # a crawl that fails to open never gets to close(); leaving twice does nothing
    keys = PartitionKeys(settings.get("NUTCH_CRAWL_ID") or crawl_id)
    per_host = host_concurrency(settings)
    frontier = Frontier(
        client,
        keys,
        worker=worker_name(),
        delay=host_delay(settings),
        per_host=per_host,
        lease_seconds=settings.getfloat("NUTCH_LEASE_SECONDS"),
        attempts_max=settings.getint("NUTCH_FETCH_ATTEMPTS_MAX"),
        fetch_interval=settings.getint("NUTCH_DB_FETCH_INTERVAL_DEFAULT"),
    )
    return CrawlStore(
        crawldb=CrawlDb(client, keys, per_host=per_host),
        frontier=frontier,
        signatures=SignatureIndex(client, keys),
        close=leave,
    )


def host_delay(settings: BaseSettings) -> float:
    """Return the seconds between two requests to a host: fetcher.server.delay, else Scrapy's DOWNLOAD_DELAY."""
    return _number(settings, "NUTCH_FETCHER_SERVER_DELAY", "DOWNLOAD_DELAY", least=0.0)


def host_concurrency(settings: BaseSettings) -> int:
    """Return how many requests a host gets at once: fetcher.threads.per.queue, else Scrapy's setting per domain."""
    return int(_number(settings, "NUTCH_FETCHER_THREADS_PER_QUEUE", "CONCURRENT_REQUESTS_PER_DOMAIN", least=1.0))


def _number(settings: BaseSettings, name: str, fallback: str, *, least: float) -> float:
    name = name if settings.get(name) is not None else fallback
    try:
        value = settings.getfloat(name)
    except ValueError as error:
        raise ValueError(f"{name} must be a number, got {settings.get(name)!r}") from error
    if not value >= least:
        raise ValueError(f"{name} must be at least {least:g}, got {value:g}")
    return value


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
