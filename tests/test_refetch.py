"""Pages that are to be fetched again at once: in the store, and in a crawl."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from stores import MONTH, NOW, Store, fetched, seed
from web import Answer, Project, html, serve, tree

from nutchlike.crawldatum import DbStatus
from nutchlike.fetch_schedules import DefaultFetchSchedule
from nutchlike.store.refetch import Refetched
from nutchlike.urls.url_choice import URLChoice

LATER = NOW + 100
A, B = [f"http://a.test/{i}" for i in range(60)], [f"http://b.test/{i}" for i in range(5)]


def refetch(store: Store, text: str, *, interval_max: int = 3 * MONTH, shortened: int = MONTH) -> Refetched:
    choice = URLChoice(text)
    return store.refetch.run(
        has_site=choice.has_site, has_url=choice.has_url, interval_max=interval_max, shortened=shortened, now=LATER
    )


@pytest.fixture
def crawled(store: Store) -> Store:
    """A store all of whose pages were fetched; each has a signature."""
    store.inject(*map(seed, A + B))
    while leases := store.lease(100):
        for lease in leases:
            done = fetched(lease, [A[0]])
            datum = replace(done.datum, signature=b"s" * 16, dedup_key=lease.key[-8:])
            store.frontier.complete([replace(done, datum=datum)], now=NOW)
    store.frontier.deliver(now=NOW + 60)
    assert store.lease(now=LATER) == []
    return store


def all_leased(store: Store) -> list[str]:
    urls: list[str] = []
    while more := store.lease_urls(now=LATER):
        urls += more
    return sorted(urls)


def test_all_pages_of_a_host_are_due_and_no_others(crawled: Store) -> None:
    assert refetch(crawled, "a.test") == Refetched(chosen=60, due=60)
    assert all_leased(crawled) == sorted(A)
    assert crawled.check.run(repair=False, now=LATER).findings == []


def test_a_page_that_is_made_due_is_as_if_it_had_never_been_fetched(crawled: Store) -> None:
    refetch(crawled, r"a\.test/7$")
    before, after = crawled.crawldb.get(A[8]), crawled.crawldb.get(A[7])
    assert before is not None
    assert after is not None
    wanted = DefaultFetchSchedule().force_refetch(replace(after, db_status=DbStatus.DB_FETCHED, retries=3))
    assert replace(after, dedup_key=None) == wanted
    assert (after.signature, after.fetch_time, after.history) == (None, int(LATER), before.history)


def test_a_pattern_is_searched_for_in_the_urls_of_all_hosts(crawled: Store) -> None:
    assert refetch(crawled, "/[34]$").due == 4
    assert all_leased(crawled) == ["http://a.test/3", "http://a.test/4", *B[3:]]


def test_a_long_interval_is_shortened_and_cash_stays_what_it_is(crawled: Store) -> None:
    cash = crawled.check.run(repair=False, now=LATER).cash
    refetch(crawled, "b.test", interval_max=1000, shortened=900)
    datum = crawled.crawldb.get(B[0])
    assert datum is not None
    assert datum.fetch_interval == 900
    assert crawled.check.run(repair=False, now=LATER).cash == cash


def test_pages_that_are_being_fetched_are_left_to_their_workers(crawled: Store) -> None:
    refetch(crawled, "b.test")
    leases = crawled.lease(2, now=LATER)
    assert refetch(crawled, "b.test") == Refetched(chosen=5, waiting=3, leased=2)
    answer = crawled.frontier.complete([fetched(lease, [], now=LATER) for lease in leases], now=LATER)
    assert answer.new == [0, 0]
    assert refetch(crawled, "b.test") == Refetched(chosen=5, due=2, waiting=3)
    assert crawled.check.run(repair=False, now=LATER).findings == []


def test_dead_letters_stay_dead_and_failed_pages_are_tried_at_once(store: Store) -> None:
    store.inject(*map(seed, B))
    dead, failed = store.lease(2)
    store.frontier.bury(dead.key, "odd", now=NOW)
    retry = replace(fetched(failed, []), failed=True)
    datum = replace(retry.datum, db_status=DbStatus.DB_UNFETCHED, retries=2, fetch_time=int(NOW) + 86_400)
    store.frontier.complete([replace(retry, datum=datum)], now=NOW)
    assert refetch(store, "b.test") == Refetched(chosen=5, due=1, waiting=3)
    again = store.crawldb.get(failed.datum.url)
    assert again is not None
    assert (again.retries, len(store.crawldb.dead_letters())) == (0, 1)


def test_a_host_that_is_not_known_has_no_pages(crawled: Store) -> None:
    assert refetch(crawled, "c.test") == refetch(crawled, "test") == refetch(crawled, "a.test:81") == Refetched()


@pytest.mark.parametrize(
    ("text", "is_host", "urls"),
    [
        # hosts: any scheme and case, all ports unless one is named
        ("a.test", True, ["http://a.test/", "https://A.test:8443/x"]),
        ("A.TEST:80", True, ["http://a.test:80/"]),
        ("localhost", True, ["http://localhost:8000/"]),
        ("127.0.0.1:8000", True, ["http://127.0.0.1:8000/"]),
        ("[::1]", True, ["http://[::1]:8000/"]),
        # expressions: found anywhere
        ("http://a.test/", False, ["http://a.test/x"]),
        (r"a\.test/x", False, ["http://a.test/x", "http://b.a.test/xy"]),
        (r"\.pdf$", False, ["http://b.test/1.pdf"]),
        ("/(?!a)b", False, ["http://c.test/b"]),
    ],
)
def test_what_looks_like_a_host_is_one_and_anything_else_an_expression(
    text: str, is_host: bool, urls: list[str]
) -> None:
    choice = URLChoice(text)
    assert choice.is_host == is_host
    for url in urls:
        assert choice.has_site(url[: url.index("/", 8)])
        assert choice.has_url(url)


@pytest.mark.parametrize(
    ("text", "url"), [("a.test", "http://b.a.test/"), ("a.test:80", "http://a.test/"), ("/x", "http://a.test/")]
)
def test_other_urls_are_not_meant(text: str, url: str) -> None:
    choice = URLChoice(text)
    assert not (choice.has_site(url[: url.index("/", 8)]) and choice.has_url(url))


@pytest.fixture
def project(tmp_path: Path) -> Project:
    return Project(tmp_path)


def test_a_second_crawl_says_when_pages_are_due_and_refetch_makes_those_of_one_host_due_now(project: Project) -> None:
    with serve(tree(3), "127.0.0.1") as one, serve({"/": Answer(html("other", []))}, "127.0.0.2") as two:
        seeds = project.folder / "seeds.txt"
        seeds.write_text(f"{one.url}/\n{two.url}/\n")
        project.crawl(f"seeds={seeds}")
        again = project.crawl(f"seeds={seeds}")
        assert "Nothing to do: 0 of 4 URLs due, next due 20" in again.log
        assert (sum(one.count().values()), two.count()["/"]) == (3, 1)
        forced = project.crawl("refetch=127.0.0.1")
        assert (forced.code, sum(one.count().values()), two.count()["/"]) == (0, 6, 1)
        assert "3 of 3 known URLs made due" in forced.log
        assert len(project.items()) == 4 + 3  # they come out though nothing has changed
    assert project.command("fsck")[0] == 0


@pytest.mark.parametrize(
    ("text", "hint"),
    [("unknown.test", "a host of any known URL"), ("x{", "neither a host nor"), ("/x$", "fits any known")],
)
def test_a_crawl_that_has_nothing_of_the_kind_ends_with_an_error(project: Project, text: str, hint: str) -> None:
    with serve(tree(1)) as web:
        project.crawl(f"url={web.url}/")
        crawl: Any = project.crawl(f"refetch={text}")
    assert crawl.code == 1
    assert hint in crawl.log
    assert "Traceback" not in crawl.log
