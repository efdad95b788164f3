"""A crawl whose Redis is 5 ms away, and what it means for the order of pages that the store is asked ahead of time."""

from __future__ import annotations

import time
from collections.abc import Iterator
from pathlib import Path

import pytest
import redis
from delaying_proxy import DelayingProxy, delaying_proxy
from web import Answer, Project, html, serve, tree

from nutchlike.store.embedded import EmbeddedServer
from nutchlike.store.keys import PartitionKeys


@pytest.fixture
def proxy(redis_server: EmbeddedServer, redis_client: redis.Redis) -> Iterator[DelayingProxy]:
    with delaying_proxy(redis_server.socket_path, delay=0.0025) as proxy:
        yield proxy


def test_the_proxy_delays_and_changes_nothing(redis_server: EmbeddedServer, redis_client: redis.Redis) -> None:
    with delaying_proxy(redis_server.socket_path, delay=0.05) as proxy:
        clients = [redis.Redis.from_url(proxy.url) for _ in range(5)]
        started = time.monotonic()
        assert clients[0].ping()
        assert time.monotonic() - started >= 0.1
        long = bytes(range(256)) * 4096  # many chunks
        for number, client in enumerate(clients):
            client.set(f"k{number}", long + b"%d" % number)
        assert [client.get(f"k{number}") for number, client in enumerate(clients)] == [
            long + b"%d" % number for number in range(5)
        ]
        pipeline = clients[0].pipeline(transaction=False)
        for number in range(1000):
            pipeline.echo(str(number))
        assert pipeline.execute() == [b"%d" % number for number in range(1000)]


def test_a_crawl_of_a_far_store_fetches_the_same_pages(tmp_path: Path, proxy: DelayingProxy) -> None:
    with serve(tree(200)) as web:
        crawl = Project(tmp_path, {"REDIS_URL": proxy.url}).crawl(f"url={web.url}/")
        assert crawl.code == 0, crawl.log
        assert web.count() == dict.fromkeys(web.pages, 1)
    assert sorted(crawl.urls) == sorted(web.url + path for path in web.pages)
    assert len(crawl.items) == 200


def test_copies_are_dropped_when_their_claims_go_together(tmp_path: Path, proxy: DelayingProxy) -> None:
    copies = [f"/{n}" for n in range(40)]
    pages: dict[str, Answer] = {"/": Answer(html("home", copies))}
    pages |= {path: Answer(html("copy", [])) for path in copies}
    with serve(pages) as web:  # type: ignore[arg-type]  # a dict of answers is one of answers or functions
        project = Project(tmp_path, {"REDIS_URL": proxy.url, "CONCURRENT_REQUESTS_PER_DOMAIN": 16})
        crawl = project.crawl(f"url={web.url}/")
    assert crawl.code == 0, crawl.log
    assert len(crawl.items) == 2
    assert "'nutch/dedup/dropped': 39" in crawl.log


def test_a_worker_holds_no_more_leases_than_its_batch_beside_its_downloads(
    tmp_path: Path, proxy: DelayingProxy, redis_client: redis.Redis
) -> None:
    pages = {"/": Answer(html("home", [f"/{n}" for n in range(60)]))}
    pages |= {f"/{n}": Answer(html(f"/{n}", []), wait=0.05) for n in range(60)}
    with serve(pages) as web:  # type: ignore[arg-type]  # a dict of answers is one of answers or functions
        settings = {"REDIS_URL": proxy.url, "CONCURRENT_REQUESTS": 2, "CONCURRENT_REQUESTS_PER_DOMAIN": 64}
        process = Project(tmp_path, settings).start(f"url={web.url}/", NUTCH_LEASE_BATCH=4)
        keys, waiting = PartitionKeys("site"), set()
        while process.poll() is None:
            pipe = redis_client.pipeline()
            held, completed = pipe.zcard(keys.name("leases")).hget(keys.name("counts"), "due").execute()
            asked = sum(web.count().values())  # later, so at most too many
            waiting.add(held - (asked - int(completed or 0)))
        _, log = process.communicate()
        assert process.returncode == 0, log
    # of those that the site was not asked for yet: 4 that wait, and 2 on their way to it
    assert 2 <= max(waiting) <= 4 + 2, waiting


def test_a_far_better_url_does_not_wait_behind_those_that_are_leased(tmp_path: Path) -> None:
    seeds = [f"/{n}" for n in range(1000)]
    pages = {path: Answer(html(path, []), wait=0.02) for path in seeds}
    pages |= {"/first": Answer(html("first", ["/hot"]), wait=0.3), "/hot": Answer(html("hot", []))}
    with serve(pages) as web:  # type: ignore[arg-type]  # a dict of answers is one of answers or functions
        lines = [f"{web.url}{path}\tnutch.score=0.1" for path in seeds]
        path = tmp_path / "seeds.txt"
        # a page keeps half of its cash from a single link
        path.write_text("\n".join([f"{web.url}/first\tnutch.score=18", *lines]), encoding="utf-8")
        project = Project(tmp_path, {"CONCURRENT_REQUESTS_PER_DOMAIN": 64, "CONCURRENT_REQUESTS": 2})
        crawl = project.crawl(f"seeds={path}", NUTCH_LEASE_BATCH=16, CLOSESPIDER_PAGECOUNT=60)
        asked = [path for _, path in web.requests]
        answered = next(at for at, path in web.requests if path == "/first") + 0.3
    between = [path for at, path in web.requests[: asked.index("/hot")] if at > answered]
    # two downloads at a time, and one turn of the store until the link is known
    assert len(between) <= 6, crawl.log
