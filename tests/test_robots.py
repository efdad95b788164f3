"""robots.txt end to end: asked for once, obeyed by all, under the clock of its host."""

from __future__ import annotations

import gzip
import signal
import time
from collections import Counter
from collections.abc import Callable
from itertools import pairwise
from pathlib import Path
from typing import Any

import pytest
import redis
from store_users import eventually
from test_politeness import LATE, stat
from web import Answer, Project, Web, html, serve, tree

from nutchlike.store.embedded import EmbeddedServer
from nutchlike.store.keys import PartitionKeys
from nutchlike.store.robots_cache import BODY_MAX

PLAIN = {"Content-Type": "text/plain"}


def robots(text: str | bytes, status: int = 200, wait: float = 0.0) -> dict[str, Answer | Callable[[Any], Answer]]:
    body = text if isinstance(text, bytes) else text.encode()
    return {"/robots.txt": Answer(body, status, headers=dict(PLAIN), wait=wait)}


def moved(to: str) -> Answer:
    return Answer(b"", 301, headers={"Location": to})


def all_requests(web: Web) -> Counter[str]:
    return Counter(path for _, path in web.requests)


def gaps(web: Web) -> list[float]:
    return [later - earlier for (earlier, _), (later, _) in pairwise(web.requests)]


@pytest.fixture
def project(tmp_path: Path) -> Project:
    return Project(tmp_path)


def test_workers_that_need_it_together_ask_for_it_once(project: Project) -> None:
    with serve(tree(30, wait=0.02) | robots("User-agent: *\nDisallow: /29\n", wait=1.0)) as web:
        processes = [project.start(f"url={web.url}/", feed=f"{worker}.jsonl") for worker in range(3)]
        logs = [process.communicate(timeout=60)[1] for process in processes]
        assert [process.returncode for process in processes] == [0, 0, 0], logs
        assert all_requests(web)["/robots.txt"] == 1
        allowed = {path for path in web.pages if path not in {"/robots.txt", "/29"}}
        assert web.count() == dict.fromkeys(allowed, 1)


def test_it_counts_for_the_next_run_too(project: Project) -> None:
    with serve(tree(2) | robots("User-agent: *\nDisallow: /1\n")) as web:
        project.crawl(f"url={web.url}/")
        crawl = project.crawl(f"url={web.url}/", NUTCH_DB_INJECTOR_OVERWRITE=True)
        assert all_requests(web) == {"/robots.txt": 1, "/": 2}
    assert stat(crawl, "robots/shared") == 1


def test_it_is_asked_for_again_when_it_is_too_old(project: Project) -> None:
    with serve(tree(1) | robots("")) as web:
        for _ in range(2):
            project.crawl(f"url={web.url}/", NUTCH_DB_INJECTOR_OVERWRITE=True, NUTCH_ROBOTS_CACHE_SECONDS=1)
            assert eventually(lambda: time.monotonic() > web.requests[-1][0] + 1.0)
        assert all_requests(web) == {"/robots.txt": 2, "/": 2}


@pytest.mark.parametrize("parser", ["ProtegoRobotParser", "PythonRobotParser"])
def test_rules_hold_in_a_file_that_is_no_utf_8(project: Project, parser: str) -> None:
    with serve(tree(3) | robots(b"\xef\xbb\xbfUser-agent: *\n# Stra\xdfe\nDisallow: /1\n")) as web:
        project.crawl(f"url={web.url}/", ROBOTSTXT_PARSER=f"scrapy.robotstxt.{parser}")
        assert web.count() == {"/": 1, "/2": 1}


@pytest.mark.parametrize("name", ["ROBOTSTXT_USER_AGENT", "USER_AGENT"])
def test_the_rules_of_the_agent_that_the_settings_name_hold(project: Project, name: str) -> None:
    rules = "User-agent: *\nDisallow: /\n\nUser-Agent: MYBOT\nDisallow: /1\n"
    with serve(tree(3) | robots(rules)) as web:
        project.crawl(f"url={web.url}/", **{name: "mybot"})
        assert web.count() == {"/": 1, "/2": 1}


def test_scrapys_signal_stats_and_request_meta_keep_working(project: Project) -> None:
    project.settings["SPIDER_MODULES"] = "general_spiders"
    with serve(
        {"/1": Answer(html("1", [])), "/2": Answer(html("2", []))} | robots("User-agent: *\nDisallow: /\n")
    ) as web:
        process = project.start(f"site={web.url}", spider="robots")
        _, log = process.communicate(timeout=60)
        items = project.items()
        assert web.count() == {"/2": 1}
    assert {"parsed": f"{web.url}/1", "allowed": False} in items
    assert {"page": f"{web.url}/2"} in items
    for name in ("forbidden", "request_count", "response_count", "response_status_count/200"):
        assert f"'robotstxt/{name}': 1" in log


def test_nothing_is_asked_for_when_it_is_not_obeyed(project: Project) -> None:
    with serve(tree(2) | robots("User-agent: *\nDisallow: /\n")) as web:
        project.crawl(f"url={web.url}/", ROBOTSTXT_OBEY=False)
        assert all_requests(web) == {"/": 1, "/1": 1}


def test_a_redirected_one_counts_for_the_host_that_was_asked_and_each_hop_waits_for_its_clock(project: Project) -> None:
    project.settings |= {"DOWNLOAD_DELAY": 0.5, "CONCURRENT_REQUESTS_PER_DOMAIN": 1}
    other_pages = tree(2) | {"/rules": Answer(b"User-agent: *\nDisallow: /1\n", headers=dict(PLAIN))}
    with serve(other_pages, "127.0.0.2") as other:
        hops = {"/robots.txt": moved("/r1"), "/r1": moved("/r2"), "/r2": moved("/r3"), "/r3": moved("/r4")}
        with serve(tree(3) | hops | {"/r4": moved(f"{other.url}/rules")}) as web:
            project.crawl(f"url={web.url}/")
            assert all_requests(web) == dict.fromkeys([*hops, "/r4", "/", "/2"], 1)
            assert min(gaps(web)) > 0.5 - LATE
        project.crawl(f"url={other.url}/")
        assert all_requests(other) == dict.fromkeys(["/rules", "/robots.txt", "/", "/1"], 1)


def test_one_that_redirects_for_ever_forbids_nothing(project: Project) -> None:
    with serve(tree(2) | {"/robots.txt": moved("/robots.txt")}) as web:
        project.crawl(f"url={web.url}/")
        assert all_requests(web) == {"/robots.txt": 6, "/": 1, "/1": 1}


@pytest.mark.parametrize("location", ["http://[", "ftp://127.0.0.1/robots.txt", ""])
def test_one_that_redirects_to_nowhere_forbids_nothing(project: Project, location: str) -> None:
    with serve(tree(2) | {"/robots.txt": moved(location)}) as web:
        project.crawl(f"url={web.url}/")
        assert web.count() == {"/": 1, "/1": 1}


@pytest.mark.parametrize("headers", [PLAIN, PLAIN | {"Content-Encoding": "gzip"}])
def test_rules_hold_in_gzip_whatever_the_header_says(project: Project, headers: dict[str, str]) -> None:
    body = gzip.compress(b"User-agent: *\nDisallow: /1\n")
    with serve(tree(3) | {"/robots.txt": Answer(body, headers=headers)}) as web:
        project.crawl(f"url={web.url}/")
        assert web.count() == {"/": 1, "/2": 1}


def test_of_one_that_is_too_long_the_lines_that_fit_count(project: Project) -> None:
    start = b"User-agent: *\nDisallow: /1\n"
    rest = b"#" * (BODY_MAX - len(start) - len(b"\nDisallow: /")) + b"\nDisallow: /no\nDisallow: /2\n"
    with serve(tree(3) | robots(start + rest)) as web:
        project.crawl(f"url={web.url}/")
        assert web.count() == {"/": 1, "/2": 1}


@pytest.mark.parametrize("status", [401, 403, 404, 410])
def test_one_that_is_not_there_forbids_nothing(project: Project, status: int) -> None:
    with serve(tree(2) | robots("User-agent: *\nDisallow: /\n", status)) as web:
        project.crawl(f"url={web.url}/")
        assert all_requests(web) == {"/robots.txt": 1, "/": 1, "/1": 1}


@pytest.mark.parametrize("status", [429, 503])
def test_while_it_fails_its_host_is_left_alone_and_others_go_on(project: Project, status: int) -> None:
    seeds = project.folder / "seeds.txt"
    with serve(tree(2) | robots("", status)) as web, serve(tree(3), "127.0.0.2") as other:
        seeds.write_text(f"{web.url}/\n{other.url}/\n", encoding="utf-8")
        crawl = project.crawl(f"seeds={seeds}", timeout=60)
        assert crawl.code == 0, crawl.log
        assert all_requests(web) == {"/robots.txt": 1}
        assert len(crawl.items) == 3
        record = project.command("readdb", f"{web.url}/")[1]
        assert '"db_status": "db_unfetched"' in record
        assert '"retries": 0' in record
        project.crawl(f"seeds={seeds}")  # the next run knows
        assert all_requests(web) == {"/robots.txt": 1}
    assert stat(crawl, "robots/deferred") == 1
    assert f"No request to the host of {web.url}/ for 300 s: robots.txt: HTTP {status}" in crawl.log


def test_a_host_that_cannot_be_reached_is_left_alone(project: Project) -> None:
    crawl = project.crawl("url=http://127.0.0.1:1/", timeout=60)
    assert crawl.code == 0
    assert "No request to the host of http://127.0.0.1:1/ for 300 s: robots.txt: no answer" in crawl.log
    assert "waiting 1" in crawl.log


def test_a_redirect_to_where_nobody_answers_leaves_the_host_that_was_asked_alone(project: Project) -> None:
    with serve(tree(2) | {"/robots.txt": moved("http://127.0.0.2:1/robots.txt")}) as web:
        crawl = project.crawl(f"url={web.url}/", timeout=60)
        assert all_requests(web) == {"/robots.txt": 1}
    assert f"No request to the host of {web.url}/ for 300 s: robots.txt: no answer" in crawl.log
    assert ", when the first host may be asked again" in crawl.log


def test_when_it_is_there_again_the_pages_are_fetched(project: Project) -> None:
    tries = iter(range(10))

    def flaky(_: Any) -> Answer:
        return Answer(b"", 503) if next(tries) < 2 else Answer(b"User-agent: *\nDisallow: /1\n", headers=dict(PLAIN))

    with serve(tree(3) | {"/robots.txt": flaky}) as web:
        crawl = project.crawl(f"url={web.url}/", NUTCH_HTTP_ROBOTS_503_DEFER_VISITS_DELAY=700)
        assert all_requests(web) == {"/robots.txt": 3, "/": 1, "/2": 1}
        assert min(gaps(web)[:2]) > 0.6
    assert stat(crawl, "completion/retry") == 0


def test_after_so_many_times_in_a_row_the_page_fails_and_the_host_is_held_for_a_day(project: Project) -> None:
    limits = {"NUTCH_HTTP_ROBOTS_503_DEFER_VISITS_DELAY": 300, "NUTCH_HTTP_ROBOTS_503_DEFER_VISITS_RETRIES": 2}
    project.settings |= {"CONCURRENT_REQUESTS_PER_DOMAIN": 1}
    seeds = project.folder / "seeds.txt"
    with serve(tree(2) | robots("", 503)) as web:
        seeds.write_text(f"{web.url}/\tnutch.score=9\n{web.url}/1\n", encoding="utf-8")
        crawl = project.crawl(f"seeds={seeds}", **limits)
        assert crawl.code == 0, crawl.log
        assert all_requests(web) == {"/robots.txt": 3}
        assert '"retries": 1' in project.command("readdb", f"{web.url}/")[1]
        assert '"retries": 0' in project.command("readdb", f"{web.url}/1")[1]
    assert stat(crawl, "completion/retry") == 1
    assert "for 86400 s: robots.txt: HTTP 503" in crawl.log


def test_one_that_has_failed_for_very_long_allows_all(project: Project) -> None:
    limits = {"NUTCH_HTTP_ROBOTS_503_DEFER_VISITS_DELAY": 600, "NUTCH_ROBOTS_UNREACHABLE_MAX": 1}
    with serve(tree(2) | robots("", 503)) as web:
        crawl = project.crawl(f"url={web.url}/", **limits)
        assert all_requests(web) == {"/robots.txt": 3, "/": 1, "/1": 1}
        assert web.requests[3][0] - web.requests[0][0] > 1.0
    assert stat(crawl, "robots/unreachable_allowed") == 1
    assert stat(crawl, "robots/deferred") == 2


def test_without_deferring_a_host_whose_robots_txt_fails_is_crawled(project: Project) -> None:
    with serve(tree(2) | robots("", 503)) as web:
        project.crawl(f"url={web.url}/", NUTCH_HTTP_ROBOTS_503_DEFER_VISITS=False)
        assert all_requests(web) == {"/robots.txt": 1, "/": 1, "/1": 1}


@pytest.mark.parametrize(
    ("asked", "settings", "gap"),
    [
        ("1.5", {}, 1.5),
        # less than our own delay, or nothing that can be read
        ("0", {}, 0.5),
        ("abc", {}, 0.5),
        # a site that allows more than we would do by ourselves
        ("0.1", {"NUTCH_FETCHER_MIN_CRAWL_DELAY": 0.8}, 0.8),
        # more than this crawl waits for, but it is told to wait
        ("1.5", {"NUTCH_FETCHER_MAX_CRAWL_DELAY": -1}, 1.5),
    ],
)
def test_a_crawl_delay_is_kept(project: Project, asked: str, settings: dict[str, Any], gap: float) -> None:
    project.settings |= {"DOWNLOAD_DELAY": 0.5, "CONCURRENT_REQUESTS_PER_DOMAIN": 1}
    with serve(tree(3) | robots(f"User-agent: *\nCrawl-delay: {asked}\n")) as web:
        assert len(project.crawl(f"url={web.url}/", **settings).items) == 3
        assert gap - LATE < min(gaps(web)) < gap + 0.4


def test_a_site_that_asks_for_too_long_a_delay_is_not_fetched_and_holds_up_no_other(project: Project) -> None:
    seeds = project.folder / "seeds.txt"
    with serve(tree(2) | robots("User-agent: *\nCrawl-delay: 86400\n")) as web, serve(tree(5), "127.0.0.2") as other:
        seeds.write_text(f"{web.url}/\n{web.url}/1\n{other.url}/\n", encoding="utf-8")
        crawl = project.crawl(f"seeds={seeds}", timeout=60)
        assert crawl.code == 0, crawl.log
        assert all_requests(web) == {"/robots.txt": 1}
        assert len(crawl.items) == 5
        assert '"db_status": "db_gone"' in project.command("readdb", f"{web.url}/")[1]
    assert stat(crawl, "robots/delay_too_long") == 2


def test_a_crawl_that_waits_as_long_as_asked_ends_when_only_such_hosts_are_left(project: Project) -> None:
    with serve(tree(3) | robots("User-agent: *\nCrawl-delay: 86400\n")) as web:
        crawl = project.crawl(f"url={web.url}/", timeout=60, NUTCH_FETCHER_MAX_CRAWL_DELAY=-1)
        assert crawl.code == 0
        assert all_requests(web) == {"/robots.txt": 1}
    assert "waiting 1" in crawl.log


def test_pages_that_wait_for_it_when_the_crawl_is_told_to_end_are_not_put_off(
    project: Project, redis_server: EmbeddedServer, redis_client: redis.Redis
) -> None:
    project.settings["REDIS_URL"] = f"unix://{redis_server.socket_path}"
    seeds = project.folder / "seeds.txt"
    with serve(tree(6)) as web:
        urls = {f"{web.url}{path}" for path in web.pages}
        seeds.write_text("\n".join(urls), encoding="utf-8")
        asked = PartitionKeys("site").name("robots_asked")
        redis_client.hset(asked, web.url, f"{time.time() + 8!r} a worker elsewhere that has been killed")
        process = project.start(f"seeds={seeds}")
        assert eventually(lambda: redis_client.zcard(PartitionKeys("site").name("leases")) == 6)
        process.send_signal(signal.SIGINT)
        _, log = process.communicate(timeout=60)
        assert "Traceback" not in log
        crawl = project.crawl()
        assert crawl.code == 0
        assert set(crawl.urls) == urls
