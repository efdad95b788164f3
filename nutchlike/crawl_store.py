"""CrawlStore: one connection to the store per crawl, and the parts that work on it."""

from __future__ import annotations

import atexit
import logging
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import redis
from redis.backoff import NoBackoff
from redis.retry import Retry
from scrapy.exceptions import NotConfigured
from scrapy.settings import BaseSettings
from scrapy.utils.project import project_data_dir
from scrapy_redis import connection as scrapy_redis_connection

from nutchlike.addresses import Addresses
from nutchlike.checked_settings import get_bool, get_float, get_int
from nutchlike.plugins import build_content_index, build_near_duplicates, build_scoring_chain
from nutchlike.store.check import StoreCheck
from nutchlike.store.cluster_client import connect_cluster, is_cluster_url
from nutchlike.store.compact import keep_hashes_compact
from nutchlike.store.connection import check_client, check_redis_url, hide_password
from nutchlike.store.content_index import ContentIndex, IndexPlace
from nutchlike.store.content_owners import ContentOwners
from nutchlike.store.crawldb import CrawlDb
from nutchlike.store.duplicates import Duplicates
from nutchlike.store.embedded import EmbeddedServer
from nutchlike.store.explain import Explainer
from nutchlike.store.file_index import forget_files
from nutchlike.store.frontier import Frontier
from nutchlike.store.gone_pages import GonePages
from nutchlike.store.host_clocks import HostClocks
from nutchlike.store.keys import CrawlKeys
from nutchlike.store.layout import agree_on_layout, find_layout, forget, keys_of
from nutchlike.store.lease import Limits
from nutchlike.store.nodes import Client
from nutchlike.store.record_reader import RecordReader
from nutchlike.store.refetch import Refetch
from nutchlike.store.robots_cache import RobotsCache
from nutchlike.store.scripts import Scripts
from nutchlike.store.sketch_index import SketchIndex
from nutchlike.store.webgraph import WebGraph
from nutchlike.store.word_counts import WordCounts
from nutchlike.store.worker import worker_name
from nutchlike.urls.identity import host_key
from nutchlike.urls.queue_key import BY_IP, QueueKeys

logger = logging.getLogger(__name__)
CLUSTER_PARTITIONS = 16  # of a crawl on Redis Cluster, unless NUTCH_PARTITIONS says otherwise


@dataclass(frozen=True, slots=True)
class CrawlStore:
    """The store of one crawl. ``close`` leaves it; the last process to leave an embedded store stops its server."""

    client: Client
    crawldb: CrawlDb
    frontier: Frontier
    signatures: ContentIndex
    contents: ContentOwners
    duplicates: Duplicates
    gone: GonePages
    refetch: Refetch
    words: WordCounts
    webgraph: WebGraph
    explainer: Explainer
    check: StoreCheck
    clocks: HostClocks
    robots: RobotsCache
    queues: QueueKeys
    addresses: Addresses
    close: Callable[[], None]

    def clear(self) -> None:
        """Forget the whole crawl, and the contents that it keeps outside of Redis."""
        self.signatures.clear()
        self.crawldb.clear()

    async def locate(self, urls: Iterable[str]) -> None:
        """Find out where the hosts of URLs are that are about to be stored, when queues are made by address."""
        if self.queues.mode == BY_IP:
            await self.addresses.learn(map(_host_of, urls))

    def locate_now(self, urls: Iterable[str]) -> None:
        """Do what ``locate`` does in a command that has nothing else to do meanwhile."""
        if self.queues.mode == BY_IP:
            self.addresses.learn_now(map(_host_of, urls))


def open_store(settings: BaseSettings, *, crawl_id: str, flush: bool = False, begin: bool = True) -> CrawlStore:
    """Connect to REDIS_URL (or REDIS_HOST), or to the embedded store when neither is set.

    ``flush`` forgets the crawl; without ``begin`` one that is not there yet is not laid out, only looked for.

    Raises ValueError for settings that cannot be used, StoreUnavailable when there is no server.
    """
    addresses = Addresses()
    queues = QueueKeys(settings["NUTCH_FETCHER_QUEUE_MODE"], addresses.of)
    client, leave = _connect(settings)
    try:
        client.set_retry(Retry(NoBackoff(), 0))  # a server that does not answer is known after one timeout
        check_client(client)
        # One more try at once for a connection that has gone stale; whoever waits longer must not block the reactor.
        client.set_retry(Retry(NoBackoff(), 1))
        keep_hashes_compact(client)
        crawl_id = settings.get("NUTCH_CRAWL_ID") or crawl_id
        if flush:
            forget_files(client, crawl_id, _data_dir(settings))
            forget(client, keys_of(client, crawl_id))
        keys = (agree_on_layout if begin else find_layout)(
            client,
            crawl_id,
            partitions=get_int(settings, "NUTCH_PARTITIONS") if settings.get("NUTCH_PARTITIONS") is not None else None,
            default=CLUSTER_PARTITIONS if isinstance(client, redis.RedisCluster) else 1,
            queue_mode=queues.mode,
        )
        scripts = Scripts(client, [partition.all() for partition in keys.partitions])
        contents = build_content_index(settings, IndexPlace(keys, scripts, _data_dir(settings), begins=begin))
    except Exception:
        leave()
        raise

    def close() -> None:
        contents.close()
        leave()

    atexit.register(close)  # a crawl that fails to open never gets to close(); leaving twice does nothing
    frontier = Frontier(
        keys,
        scripts,
        worker=worker_name(),
        limits=_limits(settings),
        fetch_interval=get_int(settings, "NUTCH_DB_FETCH_INTERVAL_DEFAULT"),
        queue_of=queues.of,
    )
    crawldb = CrawlDb(client, keys, scripts, queue_of=queues.of, contents=contents)
    webgraph = WebGraph(keys, scripts, client, crawldb)
    duplicates = Duplicates(client, keys, scripts, contents)
    owners = ContentOwners(contents, _sketches(settings, keys, scripts))
    return CrawlStore(
        client=client,
        crawldb=crawldb,
        frontier=frontier,
        signatures=contents,
        contents=owners,
        duplicates=duplicates,
        gone=GonePages(keys, scripts, RecordReader(client, keys, scripts), owners),
        refetch=Refetch(client, keys, scripts),
        words=WordCounts(client, keys, scripts),
        webgraph=webgraph,
        explainer=Explainer(keys, scripts, client, crawldb, webgraph, duplicates, contents=contents),
        check=StoreCheck(client, keys, scripts, contents=contents),
        clocks=HostClocks(
            keys,
            scripts,
            delay=host_delay(settings),
            backoff=get_float(settings, "NUTCH_FETCHER_EXCEPTIONS_PER_QUEUE_DELAY"),
            backoff_max=get_float(settings, "NUTCH_FETCHER_EXCEPTIONS_PER_QUEUE_DELAY_MAX"),
            queue_of=queues.of,
        ),
        robots=RobotsCache(
            keys, scripts, worker=worker_name(), keep_seconds=get_float(settings, "NUTCH_ROBOTS_CACHE_SECONDS")
        ),
        queues=queues,
        addresses=addresses,
        close=close,
    )


def has_store(settings: BaseSettings) -> bool:
    """Return False when no crawl can be there: the embedded store would have to be made first."""
    return bool(settings.get("REDIS_URL") or settings.get("REDIS_HOST")) or _data_dir(settings).is_dir()


def _sketches(settings: BaseSettings, keys: CrawlKeys, scripts: Scripts) -> SketchIndex | None:
    near = build_near_duplicates(settings)
    return SketchIndex(keys, scripts, bands=near.bands, is_near=near.is_near) if near is not None else None


def _limits(settings: BaseSettings) -> Limits:
    scoring = build_scoring_chain(settings)
    return Limits(
        delay=host_delay(settings),
        per_host=get_int(settings, "CONCURRENT_REQUESTS_PER_DOMAIN"),
        host_max=get_int(settings, "NUTCH_GENERATE_MAX_COUNT"),
        all_max=get_int(settings, "NUTCH_GENERATE_TOP_N"),
        lease_seconds=get_float(settings, "NUTCH_LEASE_SECONDS"),
        attempts_max=get_int(settings, "NUTCH_FETCH_ATTEMPTS_MAX"),
        again_share=get_float(settings, "NUTCH_REFETCH_SHARE"),
        host_wait_max=host_wait_max(settings),
        history_window=scoring.history_window,
        keeps_link_times=scoring.needs_link_times,
    )


def _host_of(url: str) -> str:
    """Return the host of a URL, an empty text for one that has none."""
    try:
        return host_key(url)
    except ValueError:  # file:, data:
        return ""


def host_delay(settings: BaseSettings) -> float:
    """Return the seconds between two requests to a host, for all workers together."""
    return get_float(settings, "DOWNLOAD_DELAY")


def host_wait_max(settings: BaseSettings) -> float:
    """Return the seconds for which a host may be held and still keep the crawl going: at least any delay's length."""
    names = ("NUTCH_HOST_WAIT_MAX", "DOWNLOAD_DELAY", "NUTCH_FETCHER_MAX_CRAWL_DELAY")
    return max(get_float(settings, name) for name in names)


def _connect(settings: BaseSettings) -> tuple[Client, Callable[[], None]]:
    url = settings.get("REDIS_URL")
    if url:
        check_redis_url(url)
        logger.info("Store: %s", hide_password(url))
    if url and is_cluster_url(url):
        client: Client = connect_cluster(url, _cluster_params(settings))
        return client, client.close
    if url or settings.get("REDIS_HOST"):
        client = scrapy_redis_connection.from_settings(settings)
        return client, client.close
    server = EmbeddedServer.attach(_data_dir(settings))
    return server.client(), server.detach


def _cluster_params(settings: BaseSettings) -> dict[str, Any]:
    """Return what scrapy-redis would pass on; it knows no clusters."""
    params = dict(settings.getdict("REDIS_PARAMS"))
    for setting, name in (("REDIS_DB", "db"), ("REDIS_ENCODING", "encoding")):
        if settings.get(setting):
            params[name] = settings[setting]
    if get_bool(settings, "REDIS_DECODE_RESPONSES"):
        params["decode_responses"] = True
    return params


def _data_dir(settings: BaseSettings) -> Path:
    """Return the embedded store's folder; under Scrapyd, where no scrapy.cfg is near, it is in the working folder."""
    folder = settings.get("NUTCH_DATA_DIR")
    if folder:
        return Path(folder).expanduser().absolute()
    try:
        return Path(project_data_dir(), "nutch").absolute()
    except NotConfigured:
        return Path(".scrapy", "nutch").absolute()
