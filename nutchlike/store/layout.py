"""How a crawl is laid out in the store: what is fixed when it begins, since every URL's place depends on it."""

from __future__ import annotations

from functools import partial
from typing import cast

from nutchlike.store.keys import CrawlKeys, PartitionKeys, layout_key
from nutchlike.store.nodes import Client
from nutchlike.urls.queue_key import BY_IP

PARTITIONS_MAX = 1024
LAYOUT_VERSION = 3  # raised whenever a crawl that an older nutchlike has begun could not be gone on with


def find_layout(client: Client, crawl_id: str, *, partitions: int | None, default: int, queue_mode: str) -> CrawlKeys:
    """Return the keys of a crawl as it was begun; of one that was not, as this process would begin it.

    ``partitions`` is what this process wants, ``None`` = as the crawl has it, or else ``default``.
    Raises ValueError when the crawl was begun otherwise, or by a version of nutchlike that stored it otherwise, and for
    queues by address in several partitions: which partition a URL is in must not depend on its address, but an address
    has one clock.
    """
    _refuse_other_versions(client, crawl_id)
    if queue_mode == BY_IP:
        if (partitions or 1) > 1:
            raise ValueError(f"NUTCH_FETCHER_QUEUE_MODE {BY_IP} needs NUTCH_PARTITIONS = 1, got {partitions}")
        default = 1
    have, mode = cast("list[bytes | None]", client.hmget(layout_key(crawl_id), "partitions", "queue_mode"))
    advice = "SCHEDULER_FLUSH_ON_START=True begins it anew, NUTCH_CRAWL_ID names another one"
    if partitions is not None and have is not None and partitions != int(have):
        raise ValueError(f"NUTCH_PARTITIONS is {partitions}, crawl {crawl_id!r} was begun with {int(have)}: {advice}")
    if mode is not None and mode.decode() != queue_mode:
        raise ValueError(
            f"NUTCH_FETCHER_QUEUE_MODE is {queue_mode}, crawl {crawl_id!r} was begun with {mode.decode()}: {advice}"
        )
    return CrawlKeys(crawl_id, int(have or partitions or default))


def agree_on_layout(
    client: Client, crawl_id: str, *, partitions: int | None, default: int, queue_mode: str
) -> CrawlKeys:
    """As ``find_layout``, and begin the crawl: its first process decides on the layout."""
    find = partial(find_layout, client, crawl_id, partitions=partitions, default=default, queue_mode=queue_mode)
    name, keys = layout_key(crawl_id), find()
    client.hsetnx(name, "version", LAYOUT_VERSION)  # first: a crawl that has anything else has this too
    client.hsetnx(name, "partitions", len(keys))
    client.hsetnx(name, "queue_mode", queue_mode)
    return find()


def _refuse_other_versions(client: Client, crawl_id: str) -> None:
    name = layout_key(crawl_id)
    if not (client.exists(name) or client.hexists(PartitionKeys(crawl_id).name("totals"), "known")):
        return  # it is not begun yet
    version = int(cast("bytes | None", client.hget(name, "version")) or 1)
    if version != LAYOUT_VERSION:
        raise ValueError(
            f"crawl {crawl_id!r} was begun by {'an older' if version < LAYOUT_VERSION else 'a newer'} version of "
            f"nutchlike and cannot be gone on with by this one (its layout is {version}, {LAYOUT_VERSION} is needed): "
            "use that version, or begin anew with SCHEDULER_FLUSH_ON_START=True, or another crawl with NUTCH_CRAWL_ID"
        )


def keys_of(client: Client, crawl_id: str) -> CrawlKeys:
    """Return the keys of a crawl as it was begun; those of one partition when it never was."""
    have = cast("bytes | None", client.hget(layout_key(crawl_id), "partitions"))
    return CrawlKeys(crawl_id, int(have or 1))


def forget(client: Client, crawl: CrawlKeys) -> None:
    """Remove all keys of a crawl, its layout too."""
    for keys in crawl.partitions:
        names: list[bytes] = []
        for found in client.scan_iter(match=keys.pattern, count=1000):
            names.append(found)
            if len(names) == 1000:
                client.unlink(*names)
                names.clear()
        if names:
            client.unlink(*names)
