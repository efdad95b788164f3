"""Several workers on one crawl: they end together and not too early, and hosts do not wait for each other."""

from __future__ import annotations

import re
import signal
import subprocess
import time
from pathlib import Path

import pytest
from web import Answer, Project, Web, html, serve, tree

from nutchlike.store.embedded import EmbeddedServer


@pytest.fixture
def project(tmp_path: Path) -> Project:
    return Project(tmp_path)


def end_of(process: subprocess.Popen[str]) -> tuple[float, str, str]:
    """Wait for a crawl's end; return when it was, its reason and its log."""
    _, log = process.communicate(timeout=90)
    reason = re.search(r"'finish_reason': '(\w+)'", log)
    assert reason is not None, log
    return time.monotonic(), reason[1], log


def test_a_worker_with_nothing_to_do_stays_while_another_may_find_links(project: Project) -> None:
    pages = {"/": Answer(html("/", [f"/{i}" for i in range(10)]), wait=6.0)}
    pages |= {f"/{i}": Answer(html(f"/{i}", []), wait=0.5) for i in range(10)}
    with serve({**pages}) as web:
        options = {"CONCURRENT_REQUESTS": 2, "NUTCH_LEASE_BATCH": 1}
        first = project.start(f"url={web.url}/", feed="one.jsonl", **options)
        web.wait_for(lambda count: count["/"] == 1)
        second = project.start(feed="two.jsonl", **options)
        (end_one, reason_one, _), (end_two, reason_two, _) = end_of(first), end_of(second)
        assert web.count() == dict.fromkeys(pages, 1)
        assert project.items("two.jsonl")
        assert reason_one == reason_two == "finished"
        assert abs(end_one - end_two) < 10


def test_a_crawl_without_end_waits_for_pages_that_are_due_again(project: Project) -> None:
    with serve(tree(3)) as web:
        process = project.start(f"url={web.url}/", NUTCH_CRAWL_FOREVER=True, NUTCH_DB_FETCH_INTERVAL_DEFAULT=3)
        web.wait_for(lambda count: min(count[path] for path in web.pages) >= 3, seconds=40)
        process.send_signal(signal.SIGINT)
        _, reason, _ = end_of(process)
        assert reason == "shutdown"


def test_a_crawl_that_waits_asks_the_store_once_a_second(project: Project) -> None:
    with serve(tree(2)) as web, EmbeddedServer.attach(project.folder / "store") as server:
        process = project.start(f"url={web.url}/", NUTCH_CRAWL_FOREVER=True)
        web.wait_for(lambda count: len(count) == 2)
        client = server.client()

        def scripts_run() -> int:
            return int(client.info("commandstats")["cmdstat_evalsha"]["calls"])

        def wait_for_scripts(number: int) -> float:
            deadline = time.monotonic() + 60
            while scripts_run() < number:
                assert time.monotonic() < deadline
                time.sleep(0.05)
            return time.monotonic()

        begun = wait_for_scripts(scripts_run() + 5)  # by then the last page is acknowledged
        ended = wait_for_scripts(scripts_run() + 6)
        process.send_signal(signal.SIGINT)
        assert end_of(process)[1] == "shutdown"
        assert ended - begun > 4


def test_a_worker_waits_for_more_work_as_long_as_it_is_told(project: Project) -> None:
    with serve(tree(2)) as web:
        begun = time.monotonic()
        ended, reason, _ = end_of(project.start(f"url={web.url}/", SCHEDULER_IDLE_BEFORE_CLOSE=6))
        assert reason == "finished"
        assert ended - begun > 6


def test_a_page_budget_holds_over_two_runs_and_the_summary_says_what_is_left(project: Project) -> None:
    with serve(tree(20)) as web:
        budget = {"NUTCH_GENERATE_MAX_COUNT": 5}
        assert len(project.crawl(f"url={web.url}/", **budget).items) == 5
        again = project.crawl(**budget)
        assert again.items == project.items()
        assert sum(web.count().values()) == 5
        assert again.code == 0
        assert "a page budget is spent" in again.log


def slow_and_fast(web: Web) -> list[str]:
    """Return the home pages of one site under ten names of loopback; only the first name is slow (see ``pages``)."""
    port = web.url.rpartition(":")[2]
    return [f"http://127.0.0.{i}:{port}/" for i in range(1, 11)]


def test_a_slow_host_costs_the_others_nothing(project: Project) -> None:
    def page(request: object) -> Answer:
        host = request.headers["Host"]  # type: ignore[attr-defined]  # http.server's handler
        links = [f"/{i}" for i in range(10)]
        return Answer(html(f"{host}{request.path}", links), wait=5.0 if host.startswith("127.0.0.1:") else 0.0)  # type: ignore[attr-defined]

    with serve({"/": page} | {f"/{i}": page for i in range(10)}, "0.0.0.0") as web:
        seeds = project.folder / "seeds.txt"
        seeds.write_text("\n".join(slow_and_fast(web)), encoding="utf-8")
        process = project.start(f"seeds={seeds}", CONCURRENT_REQUESTS=8, CONCURRENT_REQUESTS_PER_DOMAIN=1)
        web.wait_for(lambda count: sum(count.values()) >= 1)
        begun = time.monotonic()
        fast = re.compile(r"http://127\.0\.0\.(?!1:)")

        def fast_pages() -> int:
            return sum(bool(fast.match(item["url"])) for item in project.items())

        deadline = begun + 15  # one page of the slow host takes 5 s, all of them 55 s
        while fast_pages() < 99 and time.monotonic() < deadline:
            time.sleep(0.1)
        assert fast_pages() == 99
        process.send_signal(signal.SIGINT)
        process.communicate(timeout=60)


def test_the_status_shows_what_is_in_flight_and_adds_up(project: Project) -> None:
    pages = {f"/{i}": Answer(html(f"/{i}", []), wait=4.0) for i in range(3)}

    def status() -> dict[str, int]:
        _, out, _ = project.command("readdb", "--stats")
        return {name: int(n) for name, n in (line.split("\t") for line in out.splitlines())}

    with serve({**pages}) as web:
        seeds = project.folder / "seeds.txt"
        seeds.write_text("\n".join(web.url + path for path in pages), encoding="utf-8")
        process = project.start(f"seeds={seeds}")
        web.wait_for(lambda count: sum(count.values()) == 3)
        during = status()
        end_of(process)
        after = status()
    names = ("known", "waiting", "leased", "due later")
    assert [during[name] for name in names] == [3, 0, 3, 0]
    assert [after[name] for name in names] == [3, 0, 0, 3]
