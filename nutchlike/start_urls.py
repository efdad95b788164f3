"""StartUrlsExtension: takes the seeds that others push to scrapy-redis's start-URL key while the crawl runs."""

from __future__ import annotations

import codecs
import json
import logging
import time
from collections.abc import Callable, Iterator
from dataclasses import replace
from typing import Any, cast

import redis
from scrapy import Spider, signals
from scrapy.crawler import Crawler
from scrapy.exceptions import DontCloseSpider
from scrapy.utils.asyncio import create_looping_call
from scrapy_redis import defaults
from scrapy_redis.spiders import RedisMixin

from nutchlike.checked_settings import get_bool
from nutchlike.injector import BATCH, Injector, InjectorCounts, Line, build_injector
from nutchlike.seeds import FIXED_INTERVAL_KEY, INTERVAL_KEY, SCORE_KEY, SeedReject
from nutchlike.solo_task import SoloTask
from nutchlike.store.nodes import Client
from nutchlike.store.scripts import Scripts
from nutchlike.wiring import scheduler_of

logger = logging.getLogger(__name__)
POLL_SECONDS = 1.0
RESERVED = (SCORE_KEY, INTERVAL_KEY, FIXED_INTERVAL_KEY)


class StartURLs:
    """The entries of one key: a list (first in, first out), a set, or a sorted set (highest score first).

    An entry is removed when it was used, not when it is read: a worker that is killed between the two loses nothing,
    and two workers that read the same one inject the same seed.
    """

    def __init__(self, client: Client, key: str, *, kind: str) -> None:
        self._client = client
        self._key = key
        self._read: Callable[[int], Any]
        self._drop: Callable[[list[bytes]], Any]
        if kind == "set":
            self._read = lambda most: client.srandmember(key, most)
            self._drop = lambda entries: client.srem(key, *entries)
        elif kind == "zset":
            self._read = lambda most: client.zrevrange(key, 0, most - 1)
            self._drop = lambda entries: client.zrem(key, *entries)
        else:
            self._read = lambda most: client.lrange(key, 0, most - 1)
            scripts = Scripts(client, [[key]])
            self._drop = lambda entries: scripts.run(0, "drop_entries", *entries)

    def read(self, most: int) -> list[bytes]:
        """Return the next entries, at most ``most``; they stay."""
        return cast("list[bytes]", self._read(most))

    def drop(self, entries: list[bytes]) -> None:
        """Remove what ``read`` returned; entries that another worker has removed are no matter."""
        if entries:
            self._drop(entries)


class StartUrlsExtension:
    """Looks once a second for entries in REDIS_START_URLS_KEY, in the embedded store too, and injects them.

    An entry is a seed line, or scrapy-redis's JSON object with ``url`` and ``meta``. A spider that is scrapy-redis's
    own reads the key by itself.
    """

    def __init__(self, crawler: Crawler, *, injector: Injector, key: str, kind: str, encoding: str) -> None:
        self._crawler = crawler
        self._injector = injector
        self._key = key
        self._kind = kind
        self._encoding = encoding
        self._entries: StartURLs | None = None
        self._taken = 0
        self._is_failing = False
        self._is_used_up = False  # seen when the crawl had nothing else to do
        self._draining = SoloTask(self._drain)
        self._last_look = SoloTask(self._look_when_idle)
        self._poll = create_looping_call(self._look)
        crawler.signals.connect(self._spider_opened, signals.spider_opened)
        crawler.signals.connect(self._spider_idle, signals.spider_idle)
        crawler.signals.connect(self._spider_closed, signals.spider_closed)

    @classmethod
    def from_crawler(cls, crawler: Crawler) -> StartUrlsExtension:
        settings = crawler.settings
        key = settings.get("REDIS_START_URLS_KEY") or defaults.START_URLS_KEY
        try:
            key % {"name": "site"}
        except (KeyError, ValueError, TypeError) as error:
            raise ValueError(f"REDIS_START_URLS_KEY must be like {defaults.START_URLS_KEY!r}, got {key!r}") from error
        encoding = settings.get("REDIS_ENCODING") or defaults.REDIS_ENCODING
        try:
            codecs.lookup(encoding)
        except LookupError as error:
            raise ValueError(f"REDIS_ENCODING must name an encoding such as utf-8, got {encoding!r}") from error
        as_set = get_bool(settings, "REDIS_START_URLS_AS_SET")
        as_zset = get_bool(settings, "REDIS_START_URLS_AS_ZSET")
        return cls(
            crawler,
            injector=build_injector(settings, tell=logger.warning),
            key=key,
            kind="set" if as_set else "zset" if as_zset else "list",
            encoding=encoding,
        )

    async def _spider_opened(self, spider: Spider) -> None:
        try:
            client = scheduler_of(self._crawler).store.client
        except RuntimeError:
            return  # the store was never there, the crawl ends
        if isinstance(spider, RedisMixin):
            return
        self._key = self._key % {"name": spider.name}
        self._entries = StartURLs(client, self._key, kind=self._kind)
        while await self._take() and not self._injector.counts.usable:
            pass  # what is rejected must not hide a seed behind it: without one the crawl ends at once
        self._poll.start(POLL_SECONDS, now=True)

    def _spider_idle(self) -> None:
        """Let the crawl end only after a look that was begun when it had nothing else to do, and that found nothing."""
        if self._entries is None or self._is_used_up:
            self._is_used_up = False
            return
        self._last_look.start()
        raise DontCloseSpider

    def _spider_closed(self) -> None:
        self._entries = None
        if self._poll.running:
            self._poll.stop()

    def _look(self) -> None:
        if not self._last_look.is_running:
            self._draining.start()

    async def _look_when_idle(self) -> None:
        await self._draining.finished()
        self._is_used_up = not await self._take()
        scheduler_of(self._crawler).wake_up()

    async def _drain(self) -> None:
        while await self._take() == BATCH:
            pass  # the engine works while the store is asked

    async def _take(self) -> int:
        """Inject one batch; return how many entries there were."""
        if (source := self._entries) is None:
            return 0
        calls = scheduler_of(self._crawler).calls
        try:
            entries = await calls.run(lambda: source.read(BATCH))
            change = await self._inject(entries) if entries else InjectorCounts()
            if entries:
                await calls.run(lambda: source.drop(entries))
        except redis.RedisError as error:
            self._failed(error)
            return 0
        self._is_failing = False
        if change.usable:
            scheduler_of(self._crawler).look_again()
        return len(entries)

    async def _inject(self, entries: list[bytes]) -> InjectorCounts:
        scheduler, rejected = scheduler_of(self._crawler), self._injector.counts.rejected
        lines = [line for number, entry in enumerate(entries, self._taken + 1) for line in self._lines(entry, number)]
        seeds = self._injector.judge(lines)
        crawldb = scheduler.store.crawldb
        change = await scheduler.calls.run(lambda: self._injector.put(seeds, crawldb, now=time.time()))
        change.rejected = self._injector.counts.rejected - rejected
        self._taken += len(entries)
        for what in ("injected", "known", "updated", "rejected"):
            self._crawler.stats.inc_value(f"nutch/start_urls/{what}", getattr(change, what))
        logger.info("Took %d entries of %s: %s", len(entries), self._key, str(change))
        return change

    def _lines(self, entry: bytes, number: int) -> Iterator[Line]:
        """Yield the seeds of one entry, or why it gives none; ``number`` counts the entries that this worker took."""
        try:
            text = entry.decode(self._encoding).strip()
            if not text:
                raise ValueError("the entry is empty")
            url, metadata = parse_entry(text) if text.startswith("{") else (text, {})
        except ValueError as error:
            shown = entry[:200].decode(errors="replace")
            yield SeedReject(self._key, number, shown, f"{error}: {shown}")
            return
        lines = list(self._injector.parse([url], source=self._key))
        for line in lines or [SeedReject(self._key, number, text, f"a comment is no seed: {text[:200]}")]:
            if isinstance(line, SeedReject):
                yield replace(line, line=number)
            else:
                warnings = tuple(replace(warning, line=number) for warning in line.warnings)
                yield replace(line, line=number, warnings=warnings, metadata=metadata | line.metadata)

    def _failed(self, error: redis.RedisError) -> None:
        """Say once that the key cannot be read; a store that is away as a whole is the scheduler's affair."""
        if not self._is_failing:
            hint = "; REDIS_START_URLS_AS_SET and REDIS_START_URLS_AS_ZSET say what the key is"
            logger.error(
                "Start URLs: %s (a %s) cannot be read: %s%s",
                self._key,
                self._kind,
                error,
                hint if "WRONGTYPE" in str(error) else "",
            )
        self._is_failing = True


def parse_entry(text: str) -> tuple[str, dict[str, str]]:
    """Return the seed line and the other metadata of a JSON entry ``{"url": …, "meta": {…}}``.

    The line holds the URL and the keys that seed lines reserve (``nutch.score``, …). Numbers in ``meta`` become text.
    What a seed cannot have (other values, other fields such as ``method``) is left out, with a warning.

    Raises ValueError for what is no JSON object with such a ``url``.
    """
    try:
        entry = json.loads(text)
    except (ValueError, RecursionError) as error:
        raise ValueError(f"no JSON: {error}") from error
    url = entry.pop("url", None)
    if not isinstance(url, str) or not url.strip():
        raise ValueError(f'"url" must be a text, got {url!r}')
    if any(character < " " for character in url.strip()):
        raise ValueError(f'"url" must have no control characters, got {url[:200]!r}')
    meta = entry.pop("meta", None) or {}
    if not isinstance(meta, dict):
        raise ValueError(f'"meta" must be an object, got {meta!r}')
    json.dumps([url, meta], ensure_ascii=False).encode()  # ValueError for half a surrogate pair, which is no text
    if str(entry.pop("method", "GET")).upper() != "GET":
        entry["method"] = None
    kept = {name: _as_text(value) for name, value in meta.items()}
    lost = [*entry, *(f"meta.{name}" for name, value in kept.items() if value is None)]
    if lost:
        logger.warning("Start URL %s: a seed has no %s; ignored", url[:200], ", ".join(lost))
    metadata = {name: value for name, value in kept.items() if value is not None}
    reserved = [f"{name}={metadata.pop(name)}" for name in RESERVED if name in metadata]
    return "\t".join([url.strip(), *reserved]), metadata


def _as_text(value: Any) -> str | None:
    if isinstance(value, str):
        return value
    if isinstance(value, int | float) and not isinstance(value, bool):
        return json.dumps(value)
    return None
