"""The shared robots.txt on a real server."""

from __future__ import annotations

import random
import subprocess
from threading import Barrier, Thread

import pytest
import redis
from stores import KEYS, NOW, scripts_of

from nutchlike.store.robots_cache import BODY_MAX, RobotsCache, StoredRobots
from nutchlike.store.worker import worker_name

SITE = "http://a.test:8080"


def cache_of(client: redis.Redis, worker: str) -> RobotsCache:
    return RobotsCache(KEYS, scripts_of(client, KEYS), worker=worker, keep_seconds=100.0)


@pytest.fixture
def cache(redis_client: redis.Redis) -> RobotsCache:
    return cache_of(redis_client, "w1")


def test_what_one_worker_puts_all_others_get(redis_client: redis.Redis, cache: RobotsCache) -> None:
    robots = StoredRobots(NOW, 200, b"User-agent: *\nDisallow: /\n")
    cache.put(SITE, robots)
    assert cache_of(redis_client, "w2").get(SITE, now=NOW + 99) == robots


def test_a_site_is_its_scheme_and_port_too(cache: RobotsCache) -> None:
    cache.put(SITE, StoredRobots(NOW, 404))
    assert cache.get("https://a.test:8080", now=NOW) is None
    assert cache.get("http://a.test", now=NOW) is None


def test_what_is_too_old_does_not_count(cache: RobotsCache) -> None:
    cache.put(SITE, StoredRobots(NOW, 200))
    assert cache.get(SITE, now=NOW + 100) is None


def test_failures_in_a_row_are_known_until_somebody_asks_again(cache: RobotsCache) -> None:
    cache.put(SITE, StoredRobots(NOW, 503, failures=2, failing_since=NOW - 50))
    known = cache.get(SITE, now=NOW + 1000)
    assert known is not None
    assert (known.failures, known.failing_since) == (2, NOW - 50)


def test_only_the_first_500_kib_count(cache: RobotsCache) -> None:
    body = random.Random(1).randbytes(BODY_MAX) + b"more"
    cache.put(SITE, StoredRobots(NOW, 200, body))
    known = cache.get(SITE, now=NOW)
    assert known is not None
    assert known.body == body[: 500 * 1024]


def test_one_of_many_workers_asks(redis_client: redis.Redis) -> None:
    asked: list[bool] = []
    together = Barrier(8)

    def work(worker: str) -> None:
        mine = cache_of(redis_client, worker)
        together.wait()
        asked.append(mine.ask(SITE, now=NOW, seconds=60.0))

    threads = [Thread(target=work, args=(f"w{i}",)) for i in range(8)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert sorted(asked) == [False] * 7 + [True]


def test_when_the_one_who_asks_is_silent_another_may_ask_later(redis_client: redis.Redis, cache: RobotsCache) -> None:
    other = cache_of(redis_client, "w2")
    assert cache.ask(SITE, now=NOW, seconds=60.0)
    assert not other.ask(SITE, now=NOW + 59, seconds=60.0)
    assert other.ask(SITE, now=NOW + 60, seconds=60.0)
    assert not cache.ask(SITE, now=NOW + 61, seconds=60.0)


def test_when_the_one_who_asks_is_killed_on_this_machine_another_may_ask_at_once(redis_client: redis.Redis) -> None:
    with subprocess.Popen(["true"]) as gone:
        machine = worker_name().rpartition("/")[0].rpartition("/")[0]
    assert cache_of(redis_client, f"{machine}/{gone.pid}/1").ask(SITE, now=NOW, seconds=60.0)
    heirs = [cache_of(redis_client, worker).ask(SITE, now=NOW + 1, seconds=60.0) for worker in ("w1", "w2")]
    assert heirs == [True, False]


def test_one_that_asked_and_got_no_answer_may_ask_again(cache: RobotsCache) -> None:
    assert cache.ask(SITE, now=NOW, seconds=60.0)
    assert cache.ask(SITE, now=NOW + 1, seconds=60.0)


def test_after_an_answer_the_next_one_may_ask_at_once(cache: RobotsCache) -> None:
    assert cache.ask(SITE, now=NOW, seconds=60.0)
    cache.put(SITE, StoredRobots(NOW, 503, failures=1))
    assert cache.ask(SITE, now=NOW + 1, seconds=60.0)


def test_what_another_version_wrote_is_fetched_again(redis_client: redis.Redis, cache: RobotsCache) -> None:
    redis_client.hset(KEYS.partitions[0].name("robots"), SITE, b"\xffwhatever")
    assert cache.get(SITE, now=NOW) is None
