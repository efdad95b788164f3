"""Seeds that others push to scrapy-redis's start-URL key, before a crawl and while it runs."""

from __future__ import annotations

import json
import re
import signal
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
import redis
from scrapy.utils.test import get_crawler
from web import Answer, Project, html, serve, tree

from nutchlike.start_urls import StartURLs, parse_entry
from nutchlike.store.embedded import EmbeddedServer
from nutchlike.store.nodes import Client

KEY = "site:start_urls"
PUSH: dict[str, Callable[[Client, list[str]], Any]] = {
    "list": lambda client, entries: client.rpush(KEY, *entries),
    "set": lambda client, entries: client.sadd(KEY, *entries),
    "zset": lambda client, entries: client.zadd(KEY, {entry: n for n, entry in enumerate(entries)}),
}
SETTING = {"list": {}, "set": {"REDIS_START_URLS_AS_SET": True}, "zset": {"REDIS_START_URLS_AS_ZSET": True}}


@pytest.fixture
def project(tmp_path: Path) -> Project:
    return Project(tmp_path)


@pytest.fixture
def client(project: Project) -> Iterator[redis.Redis]:
    """A client of the store that the project's crawls will have."""
    with EmbeddedServer.attach(project.folder / "store") as server:
        yield server.client()


@pytest.mark.parametrize("kind", ["list", "set", "zset"])
def test_a_crawl_that_waits_takes_what_is_pushed_and_goes_on(project: Project, client: redis.Redis, kind: str) -> None:
    pages = {f"/{n}": Answer(html(str(n), [])) for n in range(4)}
    with serve(pages) as web:
        PUSH[kind](client, [f"{web.url}/0"])
        crawl = project.start(SCHEDULER_IDLE_BEFORE_CLOSE=60, **SETTING[kind])
        web.wait_for(lambda count: count["/0"] == 1)
        seed = {"url": f"{web.url}/1", "meta": {"lang": "en", "nutch.fetchInterval": 600}}
        PUSH[kind](client, [json.dumps(seed), f"{web.url}/2\tlang=de"])
        web.wait_for(lambda count: count["/1"] == count["/2"] == 1)
        PUSH[kind](client, [f"{web.url}/3"])
        web.wait_for(lambda count: count["/3"] == 1)
        crawl.send_signal(signal.SIGINT)
        _, log = crawl.communicate(timeout=60)
    assert crawl.returncode == 0, log
    assert client.exists(KEY) == 0
    metadata = {item["url"]: item["metadata"] for item in project.items()}
    assert metadata[f"{web.url}/1"] == {"lang": "en"}
    assert metadata[f"{web.url}/2"] == {"lang": "de"}
    code, out, _ = project.command("readdb", f"{web.url}/1")
    assert (code, json.loads(out)["fetch_interval"]) == (0, 600)


def test_a_crawl_that_knows_nothing_waits_for_the_first_entry(project: Project, client: redis.Redis) -> None:
    with serve(tree(2)) as web:
        crawl = project.start(SCHEDULER_IDLE_BEFORE_CLOSE=60)
        assert crawl.stderr is not None
        assert any("No seeds yet; waiting for some" in line for line in crawl.stderr)
        client.rpush(KEY, f"{web.url}/")
        web.wait_for(lambda count: count["/1"] == 1)
        crawl.send_signal(signal.SIGINT)
        crawl.communicate(timeout=60)
    assert crawl.returncode == 0


def test_the_score_of_an_entry_decides_when_it_is_fetched(project: Project, client: redis.Redis) -> None:
    pages = {f"/{name}": Answer(html(name, [])) for name in "abc"}
    with serve(pages) as web:
        entries = [{"url": f"{web.url}/{name}", "meta": {"nutch.score": n}} for n, name in enumerate("abc", start=1)]
        client.rpush(KEY, *map(json.dumps, entries))
        crawl = project.crawl(CONCURRENT_REQUESTS_PER_DOMAIN=1)
    assert crawl.code == 0
    assert crawl.urls == [f"{web.url}/{name}" for name in "cba"]


def test_a_bad_entry_is_named_and_counted_and_the_rest_goes_on(project: Project, client: redis.Redis) -> None:
    with serve(tree(2)) as web:
        bad = [b"{not json", b'{"meta": {}}', b"ftp://a.test/", b"\xff\xfe", b"", f"{web.url}/x.gif", "# a comment"]
        client.rpush(KEY, *bad, json.dumps({"url": f"{web.url}/", "method": "POST", "body": "x", "meta": {"a": [1]}}))
        crawl = project.crawl()
    assert (crawl.code, len(crawl.items)) == (0, 2)
    assert "'nutch/start_urls/rejected': 7" in crawl.log
    assert "'nutch/start_urls/injected': 1" in crawl.log
    for number, said in enumerate(["no JSON", '"url" must be a text', "only http and https"], start=1):
        assert f"Seed rejected: {KEY}:{number}: {said}" in crawl.log
    assert "a seed has no body, method, meta.a; ignored" in crawl.log
    assert "Traceback" not in crawl.log


def test_a_crawl_does_not_end_before_the_last_entry_is_taken(project: Project, client: redis.Redis) -> None:
    with serve(tree(1)) as web:
        client.rpush(KEY, *[f"http://a.test/{n}.gif" for n in range(2100)], f"{web.url}/")
        crawl = project.crawl()
    assert (crawl.code, crawl.urls) == (0, [f"{web.url}/"])
    assert "'nutch/start_urls/rejected': 2100" in crawl.log
    assert crawl.log.count("Seed rejected") == 20


def test_a_key_of_another_kind_is_an_error_that_says_which_setting_to_change(
    project: Project, client: redis.Redis
) -> None:
    client.sadd(KEY, "http://a.test/")
    with serve(tree(2)) as web:
        crawl = project.crawl(f"url={web.url}/")
    assert (crawl.code, len(crawl.items)) == (0, 2)
    assert crawl.log.count("site:start_urls (a list) cannot be read: ") == 1
    assert "REDIS_START_URLS_AS_SET" in crawl.log
    assert client.smembers(KEY) == {b"http://a.test/"}


@pytest.mark.parametrize("kind", ["list", "set", "zset"])
def test_entries_stay_until_they_were_used(any_client: Client, kind: str) -> None:
    PUSH[kind](any_client, ["a", "b", "c"])
    entries = StartURLs(any_client, KEY, kind=kind)
    taken = entries.read(2)
    assert len(taken) == 2
    assert len(entries.read(10)) == 3
    entries.drop(taken)
    left = entries.read(10)
    assert {*taken, *left} == {b"a", b"b", b"c"}
    assert len(left) == 1
    entries.drop(left)
    entries.drop([])
    assert entries.read(10) == []


@pytest.mark.parametrize("kind", ["list", "set", "zset"])
def test_two_workers_that_read_the_same_entries_drop_no_other(any_client: Client, kind: str) -> None:
    PUSH[kind](any_client, ["a", "b", "c", "d"])
    entries = StartURLs(any_client, KEY, kind=kind)
    taken = entries.read(2)
    entries.drop(taken)
    entries.drop(taken)
    assert {*taken, *entries.read(10)} == {b"a", b"b", b"c", b"d"}


def test_a_list_is_read_from_its_head_and_a_sorted_set_from_its_highest_score(any_client: Client) -> None:
    PUSH["list"](any_client, ["a", "b", "c"])
    assert StartURLs(any_client, KEY, kind="list").read(2) == [b"a", b"b"]
    any_client.delete(KEY)
    PUSH["zset"](any_client, ["a", "b", "c"])
    assert StartURLs(any_client, KEY, kind="zset").read(2) == [b"c", b"b"]


def test_an_entry_that_is_pushed_in_front_meanwhile_is_not_dropped(any_client: Client) -> None:
    PUSH["list"](any_client, ["a", "b"])
    entries = StartURLs(any_client, KEY, kind="list")
    taken = entries.read(2)
    any_client.lpush(KEY, "first")
    entries.drop(taken)
    assert b"first" in entries.read(10)


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ('{"url": "http://a.test/"}', ("http://a.test/", {})),
        ('{"url": " http://a.test/ ", "meta": null, "method": "get"}', ("http://a.test/", {})),
        (
            '{"url": "http://a.test/", "meta": {"a": "x\\ty=\\n", "n": 1.5}}',
            ("http://a.test/", {"a": "x\ty=\n", "n": "1.5"}),
        ),
        (
            '{"url": "http://a.test/", "meta": {"nutch.fetchInterval.fixed": 60, "nutch.score": "2", "a": true}}',
            ("http://a.test/\tnutch.score=2\tnutch.fetchInterval.fixed=60", {}),
        ),
    ],
)
def test_a_json_entry_is_a_seed_line_and_metadata(text: str, expected: tuple[str, dict[str, str]]) -> None:
    assert parse_entry(text) == expected


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("{", "no JSON"),
        ('{"url":' + "[" * 100_000, "no JSON"),
        ('{"url": "http://a.test/", "meta": {"a": "\\ud800"}}', "surrogates not allowed"),
        ('{"meta": {}}', '"url" must be a text, got None'),
        ('{"url": 5}', '"url" must be a text, got 5'),
        ('{"url": "http://a.test/\\nhttp://b.test/"}', "control characters"),
        ('{"url": "http://a.test/", "meta": "x"}', "\"meta\" must be an object, got 'x'"),
    ],
)
def test_what_is_no_entry_is_refused_with_the_reason(text: str, said: str) -> None:
    with pytest.raises(ValueError, match=said):
        parse_entry(text)


@pytest.mark.parametrize(
    ("name", "value"),
    [("REDIS_START_URLS_KEY", "%(spider)s:x"), ("REDIS_ENCODING", "utf-9"), ("REDIS_START_URLS_AS_SET", "perhaps")],
)
def test_a_setting_that_cannot_be_used_is_refused_with_name_and_value(name: str, value: str) -> None:
    with pytest.raises(ValueError, match=f"{name} must .*, got {re.escape(repr(value))}"):
        get_crawler(settings_dict={name: value, "ADDONS": {"nutchlike.addon.NutchlikeAddon": 100}})


def test_a_spider_of_scrapy_redis_reads_its_key_by_itself(project: Project, client: redis.Redis) -> None:
    socket = client.connection_pool.connection_kwargs["path"]
    options = {"SPIDER_MODULES": "start_url_spider", "REDIS_URL": f"unix://{socket}"}
    with serve(tree(1)) as web:
        client.rpush("own:start_urls", json.dumps({"url": f"{web.url}/", "meta": {"job": [1, 2]}}))
        crawl = project.start(spider="own", **options)
        web.wait_for(lambda count: count["/"] == 1)
        crawl.send_signal(signal.SIGINT)
        _, log = crawl.communicate(timeout=60)
    assert crawl.returncode == 0, log
    assert [item["job"] for item in project.items()] == [[1, 2]]
    assert "nutch/start_urls" not in log
