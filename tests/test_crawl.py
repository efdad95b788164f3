"""The main job, end to end: real processes, a real site on loopback, the embedded store."""

from __future__ import annotations

import random
import signal
import subprocess
import sys
from collections.abc import Callable, Iterator
from itertools import pairwise
from pathlib import Path
from typing import Any

import pytest
from web import Answer, Project, html, serve, text_of, tree

from nutchlike.store.embedded import EmbeddedServer
from nutchlike.store.keys import PartitionKeys


@pytest.fixture
def project(tmp_path: Path) -> Iterator[Project]:
    yield Project(tmp_path)
    # whatever a test killed: the last to leave stops the server
    EmbeddedServer.attach(tmp_path / "store").detach()


def test_every_reachable_page_is_fetched_exactly_once(project: Project) -> None:
    with serve(tree(60)) as web:
        crawl = project.crawl(f"url={web.url}/")
        assert crawl.code == 0, crawl.log
        assert web.count() == dict.fromkeys(web.pages, 1)
        assert sorted(crawl.urls) == sorted(web.url + path for path in web.pages)
    assert "Summary (finished): seeds injected 1, rejected 0; pages fetched 60" in crawl.log


def test_a_page_item_says_what_the_page_is(project: Project) -> None:
    head = '<link rel="canonical" href="/canonical"><style>p{}</style><script>hidden()</script>'
    with serve({"/": Answer(html("Home", ["/doc"], head=head)), "/doc": Answer(b"%PDF-1.4", headers={})}) as web:
        seeds = project.folder / "seeds.txt"
        seeds.write_text(f"{web.url}/\tnutch.score=2.5\tlang=en\n", encoding="utf-8")
        items = {item["url"]: item for item in project.crawl(f"seeds={seeds}").items}
    home, doc = items[f"{web.url}/"], items[f"{web.url}/doc"]
    assert (home["title"], home["http_status"], home["content_type"]) == ("Home", 200, "text/html")
    assert (home["score"], home["depth"], home["metadata"]) == (2.5, 0, {"lang": "en"})
    assert home["canonical"] == f"{web.url}/canonical"
    assert text_of("Home")[:20] in home["text"]
    assert "hidden" not in home["text"]
    assert len(home["signature"]) == 32
    assert (doc["text"], doc["depth"], len(doc["signature"])) == ("", 1, 32)


def test_the_crawl_stays_on_the_hosts_of_its_seeds(project: Project) -> None:
    with serve({"/": Answer(html("away", []))}) as other:
        elsewhere = other.url.replace("127.0.0.1", "localhost")
        with serve({"/": Answer(html("/", [f"{elsewhere}/"]))}) as web:
            assert project.crawl(f"url={web.url}/").code == 0
        assert other.requests == []


def test_robots_txt_is_obeyed_and_the_page_is_gone(project: Project) -> None:
    pages = tree(3) | {"/robots.txt": Answer(b"User-agent: *\nDisallow: /1\n", headers={"Content-Type": "text/plain"})}
    with serve(pages) as web:
        project.crawl(f"url={web.url}/")
        assert web.count() == {"/": 1, "/2": 1}
        assert '"db_status": "db_gone"' in project.command("readdb", f"{web.url}/1")[1]


def test_a_host_gets_at_most_one_request_a_second_by_default(project: Project) -> None:
    with serve(tree(4)) as web:
        crawl = project.crawl(f"url={web.url}/", DOWNLOAD_DELAY=1.0, CONCURRENT_REQUESTS_PER_DOMAIN=1)
        assert len(crawl.items) == 4
        times = [at for at, _ in web.requests]
    # the clock is that of the sender; the answer's way is not counted
    assert all(later - earlier > 0.9 for earlier, later in pairwise(times))


def test_a_second_run_with_nothing_due_says_so_and_exits_with_0(project: Project) -> None:
    with serve(tree(3)) as web:
        project.crawl(f"url={web.url}/")
        again = project.crawl(f"url={web.url}/")
        assert again.code == 0
        assert "Nothing to do: 0 of 3 URLs due, next due 20" in again.log
        assert sum(web.count().values()) == 3


def test_a_page_that_is_due_again_is_fetched_again_and_is_no_duplicate_of_itself(project: Project) -> None:
    with serve(tree(1)) as web:
        seeds = project.folder / "seeds.txt"
        seeds.write_text(f"{web.url}/\tnutch.fetchInterval=1\n", encoding="utf-8")
        project.crawl(f"seeds={seeds}")
        web.wait_for(lambda count: count["/"] == 1)
        for _ in range(50):
            if "Nothing to do" not in (log := project.crawl(f"seeds={seeds}").log):
                break
        assert web.count()["/"] == 2
        assert "duplicates dropped 0" in log
        assert '"db_status": "db_notmodified"' in project.command("readdb", f"{web.url}/")[1]


def test_without_a_usable_seed_the_crawl_ends_with_code_1_and_says_why(project: Project) -> None:
    seeds = project.folder / "seeds.txt"
    seeds.write_text("http://a.test/ nutch.score=10\nftp://d.test/\njavascript:void(0)\n", encoding="utf-8")
    crawl = project.crawl(f"seeds={seeds}")
    assert crawl.code == 1
    assert "3 of 3 seeds rejected" in crawl.log
    assert f"{seeds}:1: " in crawl.log
    assert "metadata must be tab separated" in crawl.log
    assert "Traceback" not in crawl.log


def test_seeds_that_the_rules_reject_are_named_with_their_rule(project: Project) -> None:
    rules = project.folder / "rules.txt"
    rules.write_text("+^https://a\\.test/\n", encoding="utf-8")
    seeds = project.folder / "seeds.txt"
    seeds.write_text("http://a.test/\nhttp://b.test/\n", encoding="utf-8")
    crawl = project.crawl(f"seeds={seeds}", NUTCH_URLFILTER_REGEX_FILE=rules)
    assert crawl.code == 1
    assert "2 of 2 seeds rejected" in crawl.log
    assert "no rule matched" in crawl.log


def test_a_missing_seed_file_is_an_error_that_lists_the_places_tried(project: Project) -> None:
    crawl = project.crawl("seeds=nowhere.txt")
    assert crawl.code == 1
    assert "nowhere.txt" in crawl.log
    assert "Traceback" not in crawl.log


def test_a_bad_line_is_reported_and_the_rest_goes_on(project: Project) -> None:
    with serve(tree(2)) as web:
        seeds = project.folder / "seeds.txt"
        seeds.write_text(f"c.test:8080\n{web.url}/\tnoequals\n", encoding="utf-8")
        crawl = project.crawl(f"seeds={seeds}")
    assert crawl.code == 0
    assert len(crawl.items) == 2
    assert f"{seeds}:1" in crawl.log
    assert f"{seeds}:2" in crawl.log


def test_copies_of_a_page_are_dropped_and_their_links_are_followed(project: Project) -> None:
    same = text_of("same")
    pages = {
        "/": Answer(html("home", ["/a", "/b"])),
        "/a": Answer(html("one", ["/from-a"], text=same)),
        "/b": Answer(html("one", ["/from-b"], text=same)),
        "/from-a": Answer(html("from-a", [])),
        "/from-b": Answer(html("from-b", [])),
    }
    # the links' own text is part of the page: hide the difference
    for path in ("/a", "/b"):
        pages[path] = Answer(pages[path].body.replace(f">/from-{path[1]}<".encode(), b">next<"))
    with serve(pages) as web:
        crawl = project.crawl(f"url={web.url}/")
        assert web.count() == dict.fromkeys(pages, 1)
    assert len(crawl.items) == 4
    assert "duplicates dropped 1" in crawl.log


def test_failures_end_in_a_defined_state_and_nothing_stays_leased(project: Project) -> None:
    pages = {
        "/": Answer(html("home", ["/gone", "/500", "/cut", "/loop", "/ok"])),
        "/gone": Answer(b"", 410),
        "/500": Answer(b"", 500),
        "/cut": Answer(html("cut", []), headers={"Content-Type": "text/html", "Transfer-Encoding": "chunked"}),
        "/loop": Answer(b"", 302, headers={"Location": "/loop"}),
        "/ok": Answer(html("ok", [])),
    }
    with serve(pages) as web:
        crawl = project.crawl(f"url={web.url}/", REDIRECT_MAX_TIMES=3)
        _, stats, _ = project.command("readdb", "--stats", "--cash")
        states = {path: project.command("readdb", web.url + path)[1] for path in ("/gone", "/500", "/loop")}
    assert crawl.code == 0
    assert "leased\t0" in stats
    assert "waiting\t0" in stats
    assert float(stats.rsplit("\t", 1)[1]) < 1e-9
    assert '"db_gone"' in states["/gone"]
    assert '"db_unfetched"' in states["/500"]
    assert '"retries": 1' in states["/500"]
    assert '"db_gone"' in states["/loop"]


def test_a_page_that_sends_itself_back_with_a_cookie_is_fetched(project: Project) -> None:
    def start(request: object) -> Answer:
        if "seen=1" in request.headers.get("Cookie", ""):  # type: ignore[attr-defined]  # the handler of http.server
            return Answer(html("start", []))
        return Answer(b"", 302, headers={"Location": "/start", "Set-Cookie": "seen=1"})

    with serve({"/start": start}) as web:
        crawl = project.crawl(f"url={web.url}/start", COOKIES_ENABLED=True)
        assert crawl.urls == [f"{web.url}/start"]
        assert '"db_fetched"' in project.command("readdb", f"{web.url}/start")[1]


def test_a_redirect_passes_cash_and_metadata_on_and_its_target_is_a_page_of_its_own(project: Project) -> None:
    pages = {"/a": Answer(b"", 301, headers={"Location": "/b"}), "/b": Answer(html("b", []))}
    with serve(pages) as web:
        seeds = project.folder / "seeds.txt"
        seeds.write_text(f"{web.url}/a\tnutch.score=2\tlang=en\n", encoding="utf-8")
        crawl = project.crawl(f"seeds={seeds}")
        source = project.command("readdb", f"{web.url}/a")[1]
    assert crawl.urls == [f"{web.url}/b"]
    assert crawl.items[0]["score"] == 2.0
    assert crawl.items[0]["metadata"] == {"lang": "en"}
    assert '"db_redir_perm"' in source
    assert '"history": 2.0' in source


def test_the_target_of_a_redirect_is_fetched_again_when_it_is_due(project: Project) -> None:
    pages = {"/a": Answer(b"", 302, headers={"Location": "/b"}), "/b": Answer(html("b", []))}
    with serve(pages) as web:
        project.settings["NUTCH_DB_FETCH_INTERVAL_DEFAULT"] = 1
        project.crawl(f"url={web.url}/a")
        assert "done\t0" in project.command("readdb", "--stats")[1]
        for _ in range(50):
            if web.count()["/b"] > 1:
                break
            project.crawl()
        assert web.count()["/b"] > 1


def test_a_redirect_out_of_scope_is_not_followed(project: Project) -> None:
    with serve({"/": Answer(html("away", []))}) as other:
        away = other.url.replace("127.0.0.1", "localhost")
        pages = {
            "/": Answer(html("home", ["/out", "/meta"])),
            "/out": Answer(b"", 302, headers={"Location": f"{away}/"}),
            "/meta": Answer(html("meta", [], head=f'<meta http-equiv="refresh" content="0;url={away}/">')),
        }
        with serve(pages) as web:
            project.crawl(f"url={web.url}/")
            for path in ("/out", "/meta"):
                assert '"db_redir_temp"' in project.command("readdb", web.url + path)[1]
        assert other.requests == []


def test_a_redirect_chain_of_exactly_the_limit_is_followed_and_a_longer_one_is_not(project: Project) -> None:
    pages = {f"/{i}": Answer(b"", 302, headers={"Location": f"/{i + 1}"}) for i in range(10)}
    pages["/3"] = Answer(html("three hops", []))
    pages["/9"] = Answer(html("five hops", []))
    with serve(pages) as web:
        crawl = project.crawl(f"url={web.url}/0", REDIRECT_MAX_TIMES=3)
        assert crawl.urls == [f"{web.url}/3"]
        project.crawl(f"url={web.url}/4", REDIRECT_MAX_TIMES=3)
        assert "/8" not in web.count()


def test_a_redirect_circle_ends(project: Project) -> None:
    pages = {"/1": Answer(b"", 302, headers={"Location": "/2"}), "/2": Answer(b"", 302, headers={"Location": "/1"})}
    with serve(pages) as web:
        assert project.crawl(f"url={web.url}/1").code == 0
        assert web.count() == {"/1": 1, "/2": 1}


def killed_crawl(project: Project, web_url: str, after: int, rng: random.Random) -> None:
    """Run a crawl and kill it with SIGKILL at a random moment after ``after`` more items."""
    have = len(project.items())
    process = project.start(f"url={web_url}/")
    try:
        while process.poll() is None and len(project.items()) < have + after:
            rng.random()
        process.send_signal(signal.SIGKILL)
    finally:
        process.communicate()


def test_a_crawl_that_is_killed_again_and_again_fetches_every_page(project: Project) -> None:
    rng = random.Random(2)
    with serve(tree(200, wait=0.01)) as web:
        for after in (5, 30, 60):
            killed_crawl(project, web.url, after, rng)
        crawl = project.crawl(f"url={web.url}/")
        assert crawl.code == 0, crawl.log
        assert set(crawl.urls) == {web.url + path for path in web.pages}
        _, stats, _ = project.command("readdb", "--stats", "--cash")
    assert "known\t200" in stats
    assert "due later\t200" in stats
    assert "injected\t1\n" in stats
    assert float(stats.rsplit("\t", 1)[1]) < 1e-9


def test_the_server_is_gone_when_the_crawl_is(project: Project) -> None:
    with serve(tree(2)) as web:
        project.crawl(f"url={web.url}/")
    found = subprocess.run(["pgrep", "-f", str(project.folder)], capture_output=True, text=True, check=False)
    assert found.stdout == ""


def test_two_interrupts_lose_nothing(project: Project) -> None:
    with serve(tree(40, wait=0.3)) as web:
        process = project.start(f"url={web.url}/")
        web.wait_for(lambda count: sum(count.values()) > 5)
        process.send_signal(signal.SIGINT)
        process.send_signal(signal.SIGINT)
        process.communicate(timeout=60)
        crawl = project.crawl(f"url={web.url}/")
        assert set(crawl.urls) == {web.url + path for path in web.pages}


def test_an_interrupt_gives_back_what_was_not_started(project: Project) -> None:
    with serve(tree(60, wait=0.2)) as web:
        process = project.start(f"url={web.url}/")
        web.wait_for(lambda count: sum(count.values()) > 5)
        process.send_signal(signal.SIGINT)
        process.communicate(timeout=60)
        _, stats, _ = project.command("readdb", "--stats")
    assert "leased\t0" in stats


def test_two_processes_share_one_crawl_and_both_end(project: Project) -> None:
    # together they may ask the host for more than one of them can take, so that there is work for both
    options = {"CONCURRENT_REQUESTS_PER_DOMAIN": 16, "CONCURRENT_REQUESTS": 8, "NUTCH_LEASE_BATCH": 4}
    with serve(tree(300, wait=0.3)) as web:
        first = project.start(f"url={web.url}/", feed="one.jsonl", **options)
        second = project.start(f"url={web.url}/", feed="two.jsonl", **options)
        logs = [process.communicate(timeout=120)[1] for process in (first, second)]
        assert [first.returncode, second.returncode] == [0, 0], logs
        assert web.count() == dict.fromkeys(web.pages, 1)
        one, two = (project.items(feed) for feed in ("one.jsonl", "two.jsonl"))
    assert len(one) + len(two) == 300
    assert one
    assert two


def test_an_idle_worker_stays_while_another_may_still_find_links(project: Project) -> None:
    pages = {"/": Answer(html("home", [f"/{i}" for i in range(10)]), wait=4.0)}
    pages |= {f"/{i}": Answer(html(f"/{i}", []), wait=0.5) for i in range(10)}
    with serve(pages) as web:
        options = {"CONCURRENT_REQUESTS": 1, "NUTCH_LEASE_BATCH": 1}
        first = project.start(f"url={web.url}/", feed="one.jsonl", **options)
        web.wait_for(lambda count: count["/"] == 1)
        second = project.start(f"url={web.url}/", feed="two.jsonl", **options)
        for process in (first, second):
            process.communicate(timeout=60)
        assert web.count() == dict.fromkeys(pages, 1)
        assert project.items("one.jsonl")
        assert project.items("two.jsonl")


def test_queues_that_were_lost_are_rebuilt_at_the_start(project: Project) -> None:
    with serve(tree(4, wait=0.2)) as web:
        process = project.start(f"url={web.url}/", CONCURRENT_REQUESTS=1, NUTCH_LEASE_BATCH=1)
        web.wait_for(lambda count: sum(count.values()) >= 2)
        process.send_signal(signal.SIGINT)
        process.communicate(timeout=60)
        with EmbeddedServer.attach(project.folder / "store") as server:
            server.client().delete(PartitionKeys("site").name("q:") + "1")
        crawl = project.crawl()
        assert "Queues did not match the CrawlDb" in crawl.log
        assert len(crawl.items) == 4


def test_a_damaged_job_folder_is_no_obstacle(project: Project) -> None:
    jobdir = project.folder / "job"
    (jobdir / "requests.queue").mkdir(parents=True)
    (jobdir / "requests.queue" / "p0").write_bytes(b"\x00\x00\x01")
    with serve(tree(3)) as web:
        crawl = project.crawl(f"url={web.url}/", JOBDIR=jobdir)
    assert crawl.code == 0
    assert len(crawl.items) == 3


def test_batches_of_links_that_are_all_known_do_not_stall_the_crawl(project: Project) -> None:
    pages = {f"/{i}": Answer(html(f"/{i}", [f"/{j}" for j in range(40)])) for i in range(40)}
    with serve(pages) as web:
        project.crawl(f"url={web.url}/0")
        times = [at for at, _ in web.requests]
    assert max(later - earlier for earlier, later in pairwise(times)) < 2.0


def test_a_store_that_is_not_there_ends_the_crawl_with_code_1_and_names_it(project: Project) -> None:
    crawl = project.crawl("url=http://127.0.0.1:1/", REDIS_URL="redis://:secret@127.0.0.1:1/0")
    assert crawl.code == 1
    assert "no Redis at 127.0.0.1:1 (REDIS_URL)" in crawl.log
    assert "secret" not in crawl.log
    assert "Traceback" not in crawl.log


def test_listing_spiders_prints_names_only_and_connects_to_nothing(project: Project) -> None:
    project.settings["REDIS_URL"] = "redis://127.0.0.1:1/0"
    assert project.command("list")[:2] == (0, "site\n")


def test_importing_the_settings_needs_no_project_folder(tmp_path: Path) -> None:
    code = "import nutchlike.settings, nutchlike.spiders.site, nutchlike.addon"
    project_root = Path(__file__).resolve().parents[1]
    done = subprocess.run(
        [sys.executable, "-c", code],
        cwd=tmp_path,
        env={"PYTHONPATH": str(project_root)},
        capture_output=True,
        check=False,
    )
    assert (done.returncode, done.stdout, done.stderr) == (0, b"", b"")


def calendar(months: int = 10_000) -> dict[str, Answer | Callable[[Any], Answer]]:
    """Return a site with 30 pages and a calendar whose every month links to the next."""
    site: dict[str, Answer | Callable[[Any], Answer]] = {f"/{i}": Answer(html(f"/{i}", ["/"])) for i in range(30)}
    site |= {f"/cal?m={m}": Answer(html(f"month{m}", [f"/cal?m={m + 1}", "/"])) for m in range(months)}
    return site | {"/": Answer(html("home", ["/cal?m=0", *(f"/{i}" for i in range(30))]))}


def test_an_endless_calendar_does_not_starve_the_other_pages(project: Project) -> None:
    with serve(calendar()) as web:
        crawl = project.crawl(f"url={web.url}/", CLOSESPIDER_PAGECOUNT=100, CONCURRENT_REQUESTS=4, NUTCH_LEASE_BATCH=2)
    # scores alone see to it: a month passes on half of what it got
    assert {f"{web.url}/{i}" for i in range(30)} <= set(crawl.urls)


def test_the_limit_that_ends_an_endless_calendar_is_in_the_log(project: Project) -> None:
    with serve(calendar()) as web:
        crawl = project.crawl(f"url={web.url}/", DEPTH_LIMIT=20)
    assert crawl.code == 0
    assert len(crawl.items) == 1 + 30 + 20
    assert "'nutch/outlinks/too_deep': 2" in crawl.log
