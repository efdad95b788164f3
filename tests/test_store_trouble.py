"""What a crawl does when its Redis fails in the middle: it waits, and nothing is lost or put off."""

from __future__ import annotations

import signal
import time
from collections.abc import Iterator
from pathlib import Path

import pytest
import redis
from redis_process import Server
from web import Answer, Project, html, serve, text_of, tree

from nutchlike.outage import is_server_trouble


@pytest.fixture
def server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Server]:
    server = Server(tmp_path_factory.mktemp("r"))
    yield server
    server.kill()


@pytest.fixture
def project(tmp_path: Path, server: Server) -> Project:
    return Project(tmp_path, {"REDIS_URL": server.url})


def test_a_server_that_is_killed_and_restarted_costs_no_page(project: Project, server: Server) -> None:
    with serve(tree(150, wait=0.05)) as web:
        process = project.start(f"url={web.url}/")
        web.wait_for(lambda count: sum(count.values()) > 30)
        server.kill()
        time.sleep(1.5)  # the outage itself
        server.start()
        _, log = process.communicate(timeout=90)
        assert process.returncode == 0, log
        assert {item["url"] for item in project.items()} == {web.url + path for path in web.pages}
    assert "The store fails, the crawl waits up to 60 s" in log
    assert "The store answers again" in log
    counts = server.client().hgetall("nutch:site:{0}:counts")
    assert int(counts[b"2"]) == 150  # db_fetched, all of them


def test_a_full_server_is_named_and_the_crawl_goes_on_when_there_is_room(project: Project, server: Server) -> None:
    with serve(tree(60, wait=0.05)) as web:
        process = project.start(f"url={web.url}/")
        web.wait_for(lambda count: sum(count.values()) > 10)
        client = server.client()
        client.config_set("maxmemory", "1")  # less than an empty server needs
        time.sleep(2.5)  # the outage itself
        client.config_set("maxmemory", "0")
        _, log = process.communicate(timeout=90)
        assert process.returncode == 0, log
        assert {item["url"] for item in project.items()} == {web.url + path for path in web.pages}
    assert "raise maxmemory" in log


def test_a_server_that_stays_away_ends_the_crawl_with_code_1_and_loses_nothing(
    project: Project, server: Server
) -> None:
    with serve(tree(60, wait=0.1)) as web:
        process = project.start(f"url={web.url}/", NUTCH_STORE_WAIT_MAX=2)
        web.wait_for(lambda count: sum(count.values()) > 10)
        server.kill()
        started = time.monotonic()
        process.communicate(timeout=90)
        assert process.returncode == 1
        assert time.monotonic() - started < 30
        server.start()
        assert project.crawl(f"url={web.url}/").code == 0
        assert {item["url"] for item in project.items()} == {web.url + path for path in web.pages}


def test_a_server_that_has_lost_the_crawl_does_not_end_it_as_finished(project: Project, server: Server) -> None:
    with serve(tree(60, wait=0.1)) as web:
        process = project.start(f"url={web.url}/", NUTCH_STORE_WAIT_MAX=2)
        web.wait_for(lambda count: sum(count.values()) > 10)
        server.client().flushall()
        _, log = process.communicate(timeout=60)
        assert process.returncode == 1, log
        assert "crawl 'site' is not in Redis any more" in log
        crawl = project.crawl(f"url={web.url}/")
        assert crawl.code == 0
        assert set(crawl.urls) == {web.url + path for path in web.pages}


def test_a_crawl_that_is_not_kept_ends_as_finished_in_all_its_workers(project: Project) -> None:
    project.settings["SCHEDULER_PERSIST"] = False
    with serve(tree(30, wait=0.1)) as web:
        workers = [project.start(f"url={web.url}/", feed=f"{i}.jsonl") for i in range(2)]
        for worker in workers:
            _, log = worker.communicate(timeout=60)
            assert worker.returncode == 0, log


def test_a_crawl_that_is_told_to_end_does_not_wait_for_a_server_that_hangs(project: Project, server: Server) -> None:
    with serve(tree(60, wait=0.1)) as web:
        process = project.start(f"url={web.url}/")
        web.wait_for(lambda count: sum(count.values()) > 10)
        server.process.send_signal(signal.SIGSTOP)  # it takes connections and answers nothing
        try:
            process.send_signal(signal.SIGINT)
            started = time.monotonic()
            _, log = process.communicate(timeout=60)
            assert time.monotonic() - started < 25, log  # one call alone waits 30 s for its socket
        finally:
            server.process.send_signal(signal.SIGCONT)
        assert "a call of the store hangs" in log
        assert project.crawl(f"url={web.url}/", NUTCH_LEASE_SECONDS=3).code == 0
        assert {item["url"] for item in project.items()} == {web.url + path for path in web.pages}


def test_a_feed_that_cannot_be_written_ends_the_crawl_and_its_pages_come_again(tmp_path: Path) -> None:
    project = Project(tmp_path)
    (tmp_path / "full.jsonl").symlink_to("/dev/full")
    with serve(tree(10)) as web:
        process = project.start(f"url={web.url}/", feed="full.jsonl")
        _, log = process.communicate(timeout=60)
        assert process.returncode == 1
        assert "cannot be written" in log
        crawl = project.crawl(f"url={web.url}/")
        assert set(crawl.urls) == {web.url + path for path in web.pages}


def test_seeds_that_are_added_to_a_known_list_are_fetched(tmp_path: Path) -> None:
    project = Project(tmp_path, {"CONCURRENT_REQUESTS_PER_DOMAIN": 32})
    pages = {f"/{i}": Answer(html(f"/{i}", [], text=text_of(str(i), 20))) for i in range(510)}
    seeds = tmp_path / "seeds.txt"
    with serve(pages) as web:
        urls = [web.url + path for path in pages]
        seeds.write_text("\n".join(urls[:500]), encoding="utf-8")
        assert len(project.crawl(f"seeds={seeds}").items) == 500
        seeds.write_text("\n".join(urls), encoding="utf-8")
        assert len(project.crawl(f"seeds={seeds}").items) == 510


def test_a_redirect_after_a_retry_leads_to_one_fetch_of_its_target(tmp_path: Path) -> None:
    tries = iter(range(10))

    def flaky(request: object) -> Answer:
        return Answer(b"", 503) if next(tries) == 0 else Answer(b"", 302, headers={"Location": "/b"})

    project = Project(tmp_path, {"RETRY_TIMES": 2})
    pages = {"/": Answer(html("/", ["/a", "/b"])), "/a": flaky, "/b": Answer(html("/b", []))}
    with serve(pages) as web:
        crawl = project.crawl(f"url={web.url}/")
        assert web.count()["/b"] == 1
        assert sorted(crawl.urls) == [f"{web.url}/", f"{web.url}/b"]


def test_links_beyond_the_depth_limit_are_not_followed(tmp_path: Path) -> None:
    with serve(tree(60)) as web:
        crawl = Project(tmp_path).crawl(f"url={web.url}/", DEPTH_LIMIT=1)
    assert {item["depth"] for item in crawl.items} == {0, 1}
    assert len(crawl.items) == 6


def test_a_refusal_for_want_of_memory_is_no_fault_of_a_page(server: Server) -> None:
    client = server.client()
    client.config_set("maxmemory", "1")
    for call in (
        lambda: client.set("a", "b"),
        lambda: client.eval("return redis.call('SET', 'a', 'b')", 0),
    ):
        with pytest.raises(redis.ResponseError) as refused:
            call()
        assert is_server_trouble(refused.value)


@pytest.mark.parametrize("script", ["return nil + 1", "return redis.call('HSET', 'a')", "error('mine')"])
def test_a_script_that_fails_on_what_it_was_given_is_a_fault_of_the_page(server: Server, script: str) -> None:
    with pytest.raises(redis.ResponseError) as refused:
        server.client().eval(script, 0)
    assert not is_server_trouble(refused.value)


def test_start_requests_that_come_during_an_outage_are_kept(project: Project, server: Server) -> None:
    project.settings["SPIDER_MODULES"] = "general_spiders"
    with serve({f"/{i}": Answer(html(f"/{i}", [])) for i in range(100)}) as web:
        process = project.start(f"site={web.url}", spider="starts")
        web.wait_for(lambda count: sum(count.values()) > 10)
        server.kill()
        time.sleep(2.0)  # the outage itself, in which start() goes on
        server.start()
        _, log = process.communicate(timeout=60)
        assert process.returncode == 0, log
        assert {item["page"] for item in project.items()} == {f"{web.url}/{i}" for i in range(100)}
