"""OpicQueue: the order of requests, what is refused or dead, and crawls of plain scrapy-redis with it."""

from __future__ import annotations

import json
import math
import os
import subprocess
import sys
from pathlib import Path
from threading import Thread
from typing import Any

import pytest
import redis
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from itemloaders import ItemLoader
from queue_spider import Queued
from scrapy import Request
from scrapy.http import HtmlResponse
from scrapy.linkextractors import LinkExtractor
from scrapy.utils.test import get_crawler
from web import PROJECT, Answer, html, serve

from nutchlike.opic_queue import SHOWN, OpicQueue, score_of
from nutchlike.store.embedded import EmbeddedServer

UNREADABLE = bytes.fromhex("8004676172")


@pytest.fixture
def queue(redis_client: redis.Redis) -> OpicQueue:
    return OpicQueue(redis_client, get_crawler(Queued)._create_spider(), "%(spider)s:requests")


def scored(score: Any, *, path: str | None = None) -> Request:
    return Request(f"http://a.test/{score if path is None else path}", meta={"nutch.score": score})


def drained(queue: OpicQueue) -> list[Request]:
    requests = []
    while (request := queue.pop()) is not None:
        requests.append(request)
    return requests


def paths(requests: list[Request]) -> list[str]:
    return [request.url.removeprefix("http://a.test/") for request in requests]


def count(queue: OpicQueue, what: str) -> int:
    return int(queue.spider.crawler.stats.get_value(f"nutch/opic_queue/{what}", 0))


def test_the_highest_score_comes_first_and_small_differences_count(queue: OpicQueue) -> None:
    for score in (0.37, 1e-7, 0.38, -0.5, 3e9, 0.0, 2e-7):
        queue.push(scored(score))
    assert [r.meta["nutch.score"] for r in drained(queue)] == [3e9, 0.38, 0.37, 2e-7, 1e-7, 0.0, -0.5]


@settings(suppress_health_check=[HealthCheck.function_scoped_fixture], max_examples=30)
@given(scores=st.lists(st.floats(allow_nan=False, allow_infinity=False) | st.integers(-(10**30), 10**30), max_size=8))
def test_any_finite_scores_are_served_in_falling_order(queue: OpicQueue, scores: list[float]) -> None:
    for score in scores:
        queue.push(scored(score, path="x"))
    assert [r.meta["nutch.score"] for r in drained(queue)] == sorted(scores, key=float, reverse=True)


def test_requests_of_one_score_are_served_in_the_order_in_which_they_came(queue: OpicQueue) -> None:
    names = [str(i) for i in range(300)]  # more than one byte of numbers
    for name in names:
        queue.push(Request(f"http://a.test/{name}"))
    assert paths(drained(queue)) == names


def test_without_a_score_the_priority_counts(queue: OpicQueue) -> None:
    for priority in (-3, 10**400, 0, 7, -(10**400)):
        queue.push(Request("http://a.test/", priority=priority))
    assert [r.priority for r in drained(queue)] == [10**400, 7, 0, -3, -(10**400)]


@pytest.mark.parametrize("score", [math.nan, math.inf, -math.inf, 10**400, "5", True, None, [1]])
def test_what_is_no_finite_number_is_no_score(score: object) -> None:
    assert score_of(Request("http://a.test/", meta={"nutch.score": score}, priority=2)) == 2.0


def test_equal_requests_do_not_collapse(queue: OpicQueue) -> None:
    for _ in range(5):
        queue.push(Request("http://a.test/same", dont_filter=True))
    assert len(queue) == 5
    assert len(drained(queue)) == 5


def test_a_request_comes_back_as_it_was_and_nothing_stored_is_a_pickle(queue: OpicQueue) -> None:
    queue.push(Request("http://a.test/", queue.spider.parse_typed, cb_kwargs={"pair": (1, b"\xff")}, priority=-3))
    [member] = queue.server.zrange(queue.key, 0, -1)
    assert json.loads(member[8:])["callback"] == "parse_typed"
    [request] = drained(queue)
    assert (request.callback, request.cb_kwargs) == (queue.spider.parse_typed, {"pair": (1, b"\xff")})


@pytest.mark.parametrize(
    ("changes", "said"),
    [
        ({"callback": lambda _: None}, "lambda"),
        ({"meta": {"loader": ItemLoader()}}, "loader"),
        ({"meta": {"row": HtmlResponse("http://a.test/", body=b"<p>x").css("p")[0]}}, "row"),
    ],
)
def test_what_cannot_be_stored_is_refused_loudly(
    queue: OpicQueue, changes: dict[str, Any], said: str, caplog: pytest.LogCaptureFixture
) -> None:
    queue.push(Request("http://a.test/odd", **changes))
    assert len(queue) == 0
    assert count(queue, "refused") == 1
    [record] = caplog.records
    assert record.levelname == "ERROR"
    assert "http://a.test/odd" in record.getMessage()
    assert said in record.getMessage()


def test_a_flood_of_refusals_is_counted_and_not_all_of_it_logged(
    queue: OpicQueue, caplog: pytest.LogCaptureFixture
) -> None:
    for _ in range(3 * SHOWN):
        queue.push(Request("http://a.test/", callback=print))
    assert count(queue, "refused") == 3 * SHOWN
    assert len(caplog.records) == SHOWN


def test_the_links_of_a_crawlspider_can_be_stored(queue: OpicQueue) -> None:
    page = HtmlResponse("http://a.test/", body=b"<a href=/b>text</a>", encoding="utf-8")
    [link] = LinkExtractor().extract_links(page)
    queue.push(Request(link.url, meta={"rule": 0, "link_text": link.text}))
    assert [r.meta["link_text"] for r in drained(queue)] == ["text"]


@pytest.mark.parametrize(
    "member",
    [
        UNREADABLE,
        b"",
        b'\0\0\0\0\0\0\0\1{"v":99,"url":"http://a.test/"}',
        b'\0\0\0\0\0\0\0\1{"v":1,"url":"http://a.test/","callback":"gone"}',
    ],
)
def test_an_unreadable_request_is_kept_aside_and_the_next_is_served_at_once(
    queue: OpicQueue, member: bytes, caplog: pytest.LogCaptureFixture
) -> None:
    for name in "abc":
        queue.push(Request(f"http://a.test/{name}"))
    queue.server.zadd(queue.key, {member: -1e18})
    assert paths(drained(queue)) == ["a", "b", "c"]
    assert queue.server.zrange(queue.key + ":dead", 0, -1, withscores=True) == [(member, -1e18)]
    assert count(queue, "dead_letters") == 1
    assert "queued:requests:dead" in caplog.text


def test_clear_forgets_what_waits_and_keeps_dead_letters(queue: OpicQueue) -> None:
    queue.server.zadd(queue.key, {UNREADABLE: 0})
    assert queue.pop() is None
    queue.push(Request("http://a.test/"))
    queue.clear()
    assert len(queue) == 0
    assert queue.server.keys() == [b"queued:requests:dead"]


def test_workers_that_pop_at_once_never_get_the_same_request(queue: OpicQueue, redis_server: EmbeddedServer) -> None:
    for i in range(400):
        queue.push(Request(f"http://a.test/{i}"))
    got: list[list[Request]] = [[] for _ in range(4)]

    def work(mine: list[Request]) -> None:
        with redis_server.client() as client:
            mine += drained(OpicQueue(client, Queued(), "%(spider)s:requests"))

    workers = [Thread(target=work, args=(mine,)) for mine in got]
    for worker in workers:
        worker.start()
    for worker in workers:
        worker.join(timeout=30)
    assert sorted(int(path) for path in paths([request for mine in got for request in mine])) == list(range(400))


def test_a_client_that_decodes_replies_is_refused(redis_server: EmbeddedServer) -> None:
    with redis_server.client(decode_responses=True) as client, pytest.raises(ValueError, match="decode_responses must"):
        OpicQueue(client, Queued(), "key")


def run(redis_server: EmbeddedServer, folder: Path, *arguments: str) -> subprocess.CompletedProcess[str]:
    """Run the spider in a folder that is no project."""
    command = [sys.executable, "-m", "scrapy", "runspider", str(PROJECT / "tests" / "queue_spider.py")]
    command += ["-s", f"REDIS_URL=unix://{redis_server.socket_path}", "-o", "items.jsonl", *arguments]
    environment = {k: v for k, v in os.environ.items() if not k.startswith(("SCRAPY_", "REDIS_"))}
    environment["PYTHONPATH"] = str(PROJECT)
    return subprocess.run(command, cwd=folder, env=environment, capture_output=True, text=True, timeout=60, check=False)


def crawl(redis_server: EmbeddedServer, folder: Path, *arguments: str) -> tuple[str, list[dict[str, Any]]]:
    """Run the spider to its end; return its log and items."""
    done = run(redis_server, folder, *arguments)
    assert done.returncode == 0, done.stderr
    feed = folder / "items.jsonl"
    return done.stderr, [json.loads(line) for line in feed.read_text(encoding="utf-8").splitlines()]


def test_plain_scrapy_redis_crawls_in_the_order_of_scores_past_an_unreadable_request(
    queue: OpicQueue, redis_server: EmbeddedServer, tmp_path: Path
) -> None:
    scores = {"/c": 0.37, "/a": 3e9, "/e": -0.5, "/b": 0.38, "/d": 1e-7}
    with serve({path: Answer(html(path, [])) for path in scores}) as web:
        for path, score in scores.items():
            queue.push(Request(web.url + path, meta={"nutch.score": score}))
        queue.server.zadd(queue.key, {UNREADABLE: -1e18})
        log, items = crawl(redis_server, tmp_path)
        assert [item["page"] for item in items] == [web.url + path for path in sorted(scores)]
    assert "'nutch/opic_queue/dead_letters': 1" in log
    assert queue.server.zrange("queued:requests:dead", 0, -1) == [UNREADABLE]


def test_plain_scrapy_redis_goes_on_after_a_request_that_cannot_be_stored(
    redis_server: EmbeddedServer, redis_client: redis.Redis, tmp_path: Path
) -> None:
    pages = {path: Answer(html(path, [])) for path in ("/", "/first", "/same", "/seen", "/lambda", "/selector")}
    with serve(pages) as web:
        log, items = crawl(redis_server, tmp_path, "-a", f"site={web.url}")
        assert web.count() == {"/": 1, "/first": 1, "/same": 3, "/seen": 1}
        assert {"page": f"{web.url}/first", "is_typed": True} in items
    assert f"request {web.url}/lambda cannot be stored: its callback 'Queued.parse.<locals>.<lambda>' is no" in log
    assert "'nutch/opic_queue/refused': 2" in log
    assert redis_client.keys() == []


def test_plain_scrapy_redis_with_text_replies_is_refused_at_the_start(
    redis_server: EmbeddedServer, tmp_path: Path
) -> None:
    done = run(redis_server, tmp_path, "-s", 'REDIS_PARAMS={"decode_responses": true}')
    assert done.returncode == 1
    assert "decode_responses must be False" in done.stderr
