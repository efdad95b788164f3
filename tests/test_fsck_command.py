"""``scrapy fsck``: exit codes and what it says, on an idle store and on that of a running crawl."""

from __future__ import annotations

import signal

import pytest
from stores import begin_store, seed
from web import Answer, Project, html, serve, tree

from nutchlike.store.embedded import EmbeddedServer


@pytest.fixture
def project(tmp_path_factory: pytest.TempPathFactory) -> Project:
    return Project(tmp_path_factory.mktemp("p"))


def damage(project: Project) -> None:
    """Make a store with three URLs that wait, and lose their queue."""
    with EmbeddedServer.attach(project.folder / "store") as server, server.client() as client:
        store = begin_store(client)
        store.inject(*(seed(f"http://a.test/{i}") for i in range(3)))
        [(keys, host)] = store.hosts()
        client.delete(f"{keys.name('q:')}{host.number}")


def test_an_empty_store_and_a_finished_crawl_are_clean(project: Project) -> None:
    assert project.command("fsck")[:2] == (0, "0 records: clean, counters and cash add up\n")
    with serve(tree(6)) as web:
        assert project.crawl(f"url={web.url}/").code == 0
    assert project.command("fsck")[:2] == (0, "6 records: clean, counters and cash add up\n")


def test_damage_is_told_and_stays_until_it_is_to_be_repaired(project: Project) -> None:
    damage(project)
    for _ in range(2):
        code, out, _ = project.command("fsck")
        assert code == 4
        assert out.splitlines()[0] == "waits in no queue: 3"
        assert "\thttp://a.test/1" in out.splitlines()
    code, out, _ = project.command("fsck", "--repair")
    assert (code, out.splitlines()[-1]) == (1, "Repaired")
    assert project.command("fsck")[0] == 0


def test_a_running_crawl_is_no_damage(project: Project) -> None:
    with serve(tree(60, wait=1.0)) as web:
        process = project.start(f"url={web.url}/")
        web.wait_for(lambda count: sum(count.values()) > 10)
        code, out, _ = project.command("fsck")
        assert code == 0, out
        assert "URLs are leased: counters" in out
        process.send_signal(signal.SIGINT)
        process.communicate(timeout=60)


def test_a_store_that_cannot_be_reached_is_no_verdict(project: Project) -> None:
    code, _, err = project.command("fsck", "-s", "REDIS_URL=redis://127.0.0.1:1/0")
    assert code == 8
    assert "no Redis at 127.0.0.1:1" in err


def test_a_host_that_leases_to_nobody_hold_up_is_told_by_the_crawl_and_repaired(project: Project) -> None:
    with serve({f"/{i}": Answer(html(f"/{i}", [])) for i in range(3)}) as web:
        with EmbeddedServer.attach(project.folder / "store") as server, server.client() as client:
            store = begin_store(client)
            store.inject(*(seed(web.url + path) for path in web.pages))
            store.lease()
            client.delete(*store.each("leases"), *store.each("lease_info"))
        crawl = project.crawl(CONCURRENT_REQUESTS_PER_DOMAIN=1)
        assert crawl.items == []
        assert "2 URLs wait and are in no queue: run scrapy fsck --repair" in crawl.log
        assert project.command("fsck", "--repair")[0] == 1
        assert len(project.crawl().items) == 3


def test_what_cannot_be_read_is_told_in_a_line_and_not_with_a_traceback(project: Project) -> None:
    with EmbeddedServer.attach(project.folder / "store") as server, server.client() as client:
        [keys] = begin_store(client).keys.partitions
        for name in ("dead", "counts", "signatures"):
            client.set(keys.name(name), "a text")
        for command in (["fsck"], ["readdb", "--stats"], ["deadletters"]):
            code, _, error = project.command(*command)
            assert code == (8 if command == ["fsck"] else 1)
            assert "The store failed: WRONGTYPE" in error
            assert "Traceback" not in error
        client.delete(*map(keys.name, ("dead", "counts", "signatures")))
        client.hset(keys.name("signatures"), b"12345678", b"owner of another layout")
        code, out, error = project.command("fsck")
        assert (code, out.splitlines()[0], "Traceback" in error) == (4, "content of no record: 1", False)
