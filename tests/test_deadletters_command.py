"""``scrapy deadletters``: what was given up, and how it comes back."""

from __future__ import annotations

from collections.abc import Iterator

import pytest
from stores import KEYS, Store, begin_store, seed
from web import Answer, Project, html, serve

from nutchlike.store.embedded import EmbeddedServer
from nutchlike.store.stored_url import StoredURL

URLS = ["http://a.test/", "http://a.test/b", "http://c.test/"]


@pytest.fixture
def project(tmp_path_factory: pytest.TempPathFactory) -> Project:
    return Project(tmp_path_factory.mktemp("p"))


@pytest.fixture
def store(project: Project) -> Iterator[Store]:
    """The project's store with three dead letters."""
    with EmbeddedServer.attach(project.folder / "store") as server, server.client() as client:
        store = begin_store(client)
        store.inject(*map(seed, URLS))
        for lease in store.lease(3):
            store.frontier.bury(lease.key, "lost 3\tleases", now=1.0)
        yield store


def test_dead_letters_are_listed_with_their_reasons(project: Project, store: Store) -> None:
    code, out, _ = project.command("deadletters")
    assert code == 0
    assert sorted(out.splitlines()) == [f"{url}\tlost 3 leases" for url in URLS]
    assert project.command("deadletters", "--spider", "other")[:2] == (0, "")


def test_all_are_put_back(project: Project, store: Store) -> None:
    assert project.command("deadletters", "--requeue")[:2] == (0, "Put back 3 dead letters\n")
    assert store.crawldb.dead_letters() == []
    assert sorted(store.lease_urls(now=2e9)) == URLS


def test_only_the_named_ones_are_put_back_however_they_are_written(project: Project, store: Store) -> None:
    code, out, _ = project.command("deadletters", "--requeue", "HTTP://A.test:80/", URLS[2])
    assert (code, out) == (0, "Put back 2 dead letters\n")
    assert store.crawldb.dead_letters() == [(URLS[1], "lost 3\tleases")]


def test_a_named_url_that_is_no_dead_letter_makes_exit_code_1_and_the_others_come_back(
    project: Project, store: Store
) -> None:
    code, out, err = project.command("deadletters", "--requeue", "http://a.test/other", URLS[0])
    assert (code, out) == (1, "Put back 1 dead letters\n")
    assert err.endswith("\nhttp://a.test/other: no dead letter\n")


def test_a_record_that_cannot_be_read_stays_dead_and_is_told(project: Project, store: Store) -> None:
    store.client.hset(*store.where(URLS[0]), b"broken")
    code, out, err = project.command("deadletters", "--requeue")
    assert (code, out) == (1, "Put back 2 dead letters\n")
    assert err.endswith("\n1 stay dead: their records cannot be read\n")
    assert [url for url, _ in store.crawldb.dead_letters()] == [
        "0000" + store.client.hkeys(KEYS.partitions[0].name("dead"))[0].hex()
    ]


def test_a_url_without_requeue_is_a_usage_error(project: Project, store: Store) -> None:
    code, _, err = project.command("deadletters", URLS[0])
    assert code == 2
    assert "behind --requeue" in err


def test_a_page_that_was_put_back_is_fetched(project: Project) -> None:
    with serve({"/": Answer(html("/", []))}) as web:
        with EmbeddedServer.attach(project.folder / "store") as server, server.client() as client:
            store = begin_store(client)
            store.inject(seed(f"{web.url}/"))
            store.frontier.bury(store.lease()[0].key, "once", now=1.0)
        assert project.crawl(f"url={web.url}/").items == []
        assert project.command("deadletters", "--requeue")[0] == 0
        assert project.crawl(f"url={web.url}/").urls == [f"{web.url}/"]


def test_two_requests_of_one_url_are_two_dead_letters(project: Project) -> None:
    with EmbeddedServer.attach(project.folder / "store") as server, server.client() as client:
        store = begin_store(client)
        store.frontier.add(
            [StoredURL(URLS[0], name, request=b"{}") for name in (b"aaaaaaaa", b"bbbbbbbb")], cash=1.0, now=1.0
        )
        for lease in store.lease(2):
            store.frontier.bury(lease.key, "odd", now=1.0)
        assert store.crawldb.dead_letters() == [(URLS[0], "odd")] * 2
        assert store.crawldb.requeue([URLS[0]], now=1.0) == 2
