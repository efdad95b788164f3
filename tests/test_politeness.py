"""What hosts see of a crawl, end to end: the clock that all workers share, and what makes them keep off."""

from __future__ import annotations

from itertools import pairwise
from pathlib import Path
from threading import Event
from typing import Any

import pytest
from web import Answer, Crawl, Project, html, serve

from benchmarks.politeness import RETRY_AFTER, after_429, most_in_window, one_host, site_of, workers

LATE = 0.1  # seconds that the way from a worker's clock to the server may take longer once than another time


def stat(crawl: Crawl, name: str) -> int:
    """Return a stat from the log of a crawl, 0 when it is not there."""
    _, found, rest = crawl.log.partition(f"'nutch/{name}': ")
    return int(rest.partition(",")[0].rstrip("}")) if found else 0


@pytest.mark.parametrize("workers", [3, 8])
def test_a_host_gets_one_request_a_second_from_all_workers_together(tmp_path: Path, workers: int) -> None:
    times = one_host(workers, tmp_path)
    assert most_in_window(times) in {10, 11}
    # a busy machine may send one late and the next in time, but none beside another
    assert all(later - earlier > 0.5 for earlier, later in pairwise(times))


def test_after_a_429_no_worker_asks_before_the_time_that_the_host_named(tmp_path: Path) -> None:
    told, later = after_429(3, tmp_path, DOWNLOAD_DELAY=0.2)
    assert min(later) - told > RETRY_AFTER - LATE


def test_after_a_429_what_was_leased_before_waits_too(tmp_path: Path) -> None:
    told, later = after_429(3, tmp_path, DOWNLOAD_DELAY=0, CONCURRENT_REQUESTS_PER_DOMAIN=8)
    under_way = [at for at in later if at < told + 0.5]
    assert len(under_way) < 8
    assert min(set(later) - set(under_way)) - told > RETRY_AFTER - LATE


def test_a_host_whose_robots_txt_takes_long_holds_up_no_other(tmp_path: Path) -> None:
    released = Event()

    def robots(_: Any) -> Answer:
        released.wait(60)
        return Answer(b"User-agent: *\nDisallow:")

    with (
        serve(site_of(40) | {"/robots.txt": robots}) as slow,
        serve(site_of(40), "127.0.0.2") as second,
        serve(site_of(40), "localhost") as third,
        workers(tmp_path, 1, *(f"{web.url}/" for web in (slow, second, third)), DOWNLOAD_DELAY=0.1),
    ):
        for web in (second, third):
            web.wait_for(lambda requests: len(requests) == 40)
        assert [path for _, path in slow.requests] == ["/robots.txt"]
        released.set()
        slow.wait_for(lambda requests: len(requests) == 40)


def test_a_page_whose_host_is_held_for_long_gives_up_its_lease_and_the_crawl_ends(tmp_path: Path) -> None:
    busy = Answer(b"", 503, headers={"Retry-After": "120"})
    project = Project(tmp_path, {"CONCURRENT_REQUESTS_PER_DOMAIN": 1, "RETRY_TIMES": 5})
    with (
        serve({"/": busy, "/1": Answer(html("1", []))}) as web,
        serve({"/": Answer(html("other", []))}, "127.0.0.2") as other,
    ):
        seeds = tmp_path / "seeds.txt"
        seeds.write_text(f"{web.url}/\tnutch.score=9\n{web.url}/1\n{other.url}/\n", encoding="utf-8")
        crawl = project.crawl(f"seeds={seeds}", timeout=60)
        assert crawl.code == 0, crawl.log
        assert web.count() == {"/": 1}
        assert crawl.urls == [f"{other.url}/"]
        assert '"retries": 1' in project.command("readdb", f"{web.url}/")[1]
        assert '"retries": 0' in project.command("readdb", f"{web.url}/1")[1]
    assert "No request to the host of" in crawl.log
    assert "waiting 1" in crawl.log
    assert (stat(crawl, "completion/retry"), stat(crawl, "hosts/held"), stat(crawl, "hosts/put_off")) == (1, 1, 1)


def test_a_retry_comes_after_a_pause_that_grows(tmp_path: Path) -> None:
    project = Project(tmp_path, {"RETRY_TIMES": 3, "NUTCH_FETCHER_EXCEPTIONS_PER_QUEUE_DELAY": 0.8})
    with serve({"/": Answer(b"", 503)}) as web:
        crawl = project.crawl(f"url={web.url}/")
        times = [at for at, path in web.requests if path == "/"]
    assert stat(crawl, "completion/retry") == 1
    gaps = [later - earlier for earlier, later in pairwise(times)]
    # jitter takes away up to a half
    assert len(gaps) == 3
    assert all(gap > least for gap, least in zip(gaps, (0.4, 0.8, 1.6), strict=True))


def test_a_host_that_refuses_connections_is_held(tmp_path: Path) -> None:
    project = Project(tmp_path, {"ROBOTSTXT_OBEY": False, "NUTCH_FETCHER_EXCEPTIONS_PER_QUEUE_DELAY": 0.2})
    crawl = project.crawl("url=http://127.0.0.1:1/")
    assert crawl.code == 0
    assert stat(crawl, "hosts/held") == 2  # the request and its retry
    assert stat(crawl, "completion/retry") == 1


def test_by_ip_two_names_of_one_machine_are_one_host(tmp_path: Path) -> None:
    project = Project(tmp_path, {"NUTCH_FETCHER_QUEUE_MODE": "byIP", "DOWNLOAD_DELAY": 0.5})
    project.settings |= {"CONCURRENT_REQUESTS_PER_DOMAIN": 1, "NUTCH_DB_IGNORE_EXTERNAL_LINKS": False}
    with serve({"/": Answer(html("home", []))}, "localhost") as other:
        links = [f"{other.url}/", "/1", "/2", "/3"]
        pages = {"/": Answer(html("home", links))} | {path: Answer(html(path, [])) for path in links[1:]}
        with serve(pages) as web:
            crawl = project.crawl(f"url={web.url}/")
            times = sorted(at for at, _ in [*web.requests, *other.requests])
    assert len(crawl.items) == 5
    assert len(times) == 7  # robots.txt of each site
    assert all(later - earlier > 0.5 - LATE for earlier, later in pairwise(times))


def test_a_host_without_an_address_is_queued_by_its_name(tmp_path: Path) -> None:
    project = Project(tmp_path, {"NUTCH_FETCHER_QUEUE_MODE": "byIP"})
    crawl = project.crawl("url=http://nowhere.invalid/")
    assert crawl.code == 0
    assert "injected 1" in crawl.log
