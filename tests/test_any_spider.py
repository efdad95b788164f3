"""The scheduler serves any spider: what its requests are comes through, or is refused loudly."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
import stores
from general_spiders import General
from scrapy import Request
from web import Answer, Crawl, Project, html, serve, tree

from nutchlike.request_codec import encode_request
from nutchlike.store.embedded import EmbeddedServer
from nutchlike.store.layout import agree_on_layout
from nutchlike.store.stored_url import StoredURL
from nutchlike.urls.queue_key import BY_HOST

PATHS = ("/", "/one", "/three", "/raises", "/target", "/same", "/never", "/lambda", "/selector")


@pytest.fixture
def project(tmp_path: Path) -> Iterator[Project]:
    yield Project(tmp_path, {"SPIDER_MODULES": "general_spiders"})
    EmbeddedServer.attach(tmp_path / "store").detach()


def general_site() -> dict[str, Any]:
    tries = iter(range(10))
    site: dict[str, Any] = {path: Answer(html(path, [])) for path in PATHS}
    site |= {
        "/form": Answer(b"form"),
        "/moved": Answer(b"", 302, headers={"Location": "/target"}),
        "/flaky": lambda request: Answer(b"later" if next(tries) < 2 else b"now"),
    }
    return site


def crawl_general(project: Project) -> Crawl:
    with serve(general_site()) as web:
        return project.crawl(f"site={web.url}", spider="general")


def test_what_a_spider_asks_for_is_fetched_as_it_asked(project: Project) -> None:
    crawl = crawl_general(project)
    assert crawl.code == 0, crawl.log
    said = sorted(map(str, crawl.items))
    # typed arguments of a callback
    assert "{'one': ['2026-01-02', 'tuple', True]}" in said
    # meta and priority
    assert "{'three': [\"{3: 'x'}\", -3]}" in said
    # method and body; two bodies are two requests
    assert "{'form': ['POST', 'q=1']}" in said
    assert "{'form': ['POST', 'q=2']}" in said
    # a redirect keeps callback and meta
    assert "{'moved': ['target', [1, 2], 1]}" in said
    # an error handler of the spider's own
    assert "{'failed': 404}" in said
    # requests that must not be filtered do not collapse
    assert said.count("{'same': 1}") == 3
    # a retry that a callback asks for
    assert "{'flaky': 'now'}" in said


def test_a_request_that_cannot_be_stored_is_refused_with_its_url_and_the_others_go_on(project: Project) -> None:
    crawl = crawl_general(project)
    assert "/lambda" in crawl.log
    assert "/selector" in crawl.log
    assert "'nutch/scheduler/refused': 2" in crawl.log
    assert {"page"} == {key for item in crawl.items for key in item if "page" in item}
    assert any("one" in item for item in crawl.items)


def test_an_exception_in_a_callback_ends_in_a_retry_and_stores_no_links(project: Project) -> None:
    with serve(general_site()) as web:
        project.crawl(f"site={web.url}", spider="general")
        assert "/never" not in web.count()
        _, out, _ = project.command("readdb", "--spider", "general", f"{web.url}/raises")
        _, stats, _ = project.command("readdb", "--spider", "general", "--stats", "--cash")
    assert '"db_status": "db_unfetched"' in out
    assert '"retries": 1' in out
    assert "leased\t0" in stats
    assert "waiting\t0" in stats
    assert float(stats.rsplit("\t", 1)[1]) < 1e-9


def test_dropped_and_failed_items_and_ignored_responses_end_in_a_defined_state(tmp_path: Path) -> None:
    project = Project(
        tmp_path,
        {
            "ITEM_PIPELINES": '{"general_spiders.Dropper": 900}',
            "DOWNLOADER_MIDDLEWARES": '{"general_spiders.Swallow": 10}',
        },
    )
    with serve(tree(5)) as web:
        crawl = project.crawl(f"url={web.url}/")
        state = {i: project.command("readdb", f"{web.url}/{i}")[1] for i in range(1, 5)}
        _, stats, _ = project.command("readdb", "--stats")
    assert sorted(crawl.urls) == [f"{web.url}/", f"{web.url}/4"]
    assert '"db_fetched"' in state[1]  # the page is done, its item was not wanted
    assert '"db_unfetched"' in state[2]  # the item was not kept: once more, later
    assert '"retries": 1' in state[2]
    assert '"db_gone"' in state[3]
    assert "leased\t0" in stats


def put_stored_request(project: Project, url: str, request: bytes) -> None:
    """Store a request as an earlier version of the spider might have left it."""
    with EmbeddedServer.attach(project.folder / "store") as server:
        keys = agree_on_layout(server.client(), "general", partitions=None, default=1, queue_mode=BY_HOST)
        frontier = stores.frontier(server.client(), worker="earlier", keys=keys)
        frontier.add([StoredURL(url, b"stored--", request=request, priority=1000)], cash=9.0, now=1.0)


@pytest.mark.parametrize(
    ("request_bytes", "said"),
    [
        # bytes that were never a request
        (bytes.fromhex("8004676172"), "Dead letter"),
        # a pickle: must not be loaded, whatever it holds
        (b"cos\nsystem\n(S'exit 1'\ntR.", "Dead letter"),
    ],
)
def test_a_stored_request_that_cannot_be_read_becomes_a_dead_letter(
    project: Project, request_bytes: bytes, said: str
) -> None:
    with serve(general_site()) as web:
        put_stored_request(project, f"{web.url}/old", request_bytes)
        crawl = project.crawl(f"site={web.url}", spider="general")
        _, stats, _ = project.command("readdb", "--spider", "general", "--stats")
    assert crawl.code == 0
    assert said in crawl.log
    assert "'nutch/scheduler/dead_letters': 1" in crawl.log
    assert "dead letters\t1" in stats
    assert {"page": f"{web.url}/"} in crawl.items


def test_a_callback_that_the_spider_has_no_more_makes_a_dead_letter_with_its_name(project: Project) -> None:
    class Earlier(General):
        def parse_item(self, response: object) -> None:
            """A callback that the spider had once."""

    with serve(general_site()) as web:
        spider = Earlier(site=web.url)
        put_stored_request(
            project, f"{web.url}/old", encode_request(Request(f"{web.url}/old", spider.parse_item), spider=spider)
        )
        crawl = project.crawl(f"site={web.url}", spider="general")
    assert crawl.code == 0
    assert "parse_item" in crawl.log
    assert "'nutch/scheduler/dead_letters': 1" in crawl.log


def test_a_client_that_would_decode_records_is_refused_at_the_start(project: Project, redis_client: Any) -> None:
    path = redis_client.connection_pool.connection_kwargs["path"]
    crawl = project.crawl(
        "site=http://127.0.0.1:1",
        spider="general",
        REDIS_URL=f"unix://{path}",
        REDIS_PARAMS='{"decode_responses": true}',
    )
    assert crawl.code == 1
    assert "decode_responses must be False" in crawl.log


def test_another_scheduler_with_our_middlewares_is_named_at_the_start(project: Project) -> None:
    options = {"SPIDER_MODULES": "nutchlike.spiders", "SCHEDULER": "scrapy.core.scheduler.Scheduler"}
    crawl = project.crawl("url=http://127.0.0.1:1/", **options)
    assert crawl.code == 1
    assert "SCHEDULER must be nutchlike.scheduler.Scheduler" in crawl.log


def test_odd_requests_of_a_spider_neither_stop_nor_hang_the_crawl(project: Project) -> None:
    site = general_site() | {"/gone": Answer(b"", 404)}
    with serve(site) as web:
        crawl = project.crawl(f"site={web.url}", spider="noslash", timeout=60)
    assert crawl.code == 0, crawl.log
    said = sorted(map(str, crawl.items))
    # a start URL without a path
    assert str({"page": web.url}) in said or str({"page": f"{web.url}/"}) in said
    # HEAD and GET of one URL are two requests
    assert str({"head": f"{web.url}/one"}) in said
    assert str({"get": f"{web.url}/one"}) in said
    # what an error handler asks for in place of a page that is gone
    assert str({"get": f"{web.url}/three"}) in said
    # what has no host cannot wait in a host's queue
    assert "Refused" in crawl.log
    assert "data:text/html,hi" in crawl.log


def test_a_crawl_spider_follows_its_rules(project: Project) -> None:
    with serve(tree(12)) as web:
        crawl = project.crawl(f"site={web.url}", spider="links")
    assert sorted(item["link"] for item in crawl.items) == sorted(web.url + path for path in web.pages)


def test_a_page_that_failed_after_it_claimed_its_content_leaves_it_to_a_copy(tmp_path: Path) -> None:
    project = Project(tmp_path, {"ITEM_PIPELINES": '{"general_spiders.FailOnce": 900}', "NUTCH_LEASE_BATCH": 1})
    same = html("same", [])
    pages = {"/": Answer(html("home", ["/a"])), "/a": Answer(same), "/b": Answer(same)}
    with serve(pages) as web:
        project.crawl(f"url={web.url}/")
        crawl = project.crawl(f"url={web.url}/b")
    assert f"{web.url}/b" in crawl.urls


def test_a_page_that_a_middleware_left_behind_does_not_hold_up_the_end(tmp_path: Path) -> None:
    project = Project(tmp_path, {"DOWNLOADER_MIDDLEWARES": '{"general_spiders.Fresh": 10}', "NUTCH_LEASE_SECONDS": 3})
    with serve(tree(3) | {"/1?fresh=1": Answer(html("fresh", []))}) as web:
        crawl = project.crawl(f"url={web.url}/", timeout=60)
        state = project.command("readdb", f"{web.url}/1")[1]
    assert crawl.code == 0
    assert f"{web.url}/1?fresh=1" in crawl.urls
    assert "was left behind" in crawl.log
    assert '"db_unfetched"' in state


@pytest.mark.parametrize(
    "arguments",
    [
        ("shell", "URL", "-c", "response.status"),
        ("fetch", "URL", "--nolog"),
        ("parse", "--spider", "site", "URL"),
    ],
)
def test_scrapys_tools_for_one_page_work_and_leave_the_store_alone(tmp_path: Path, arguments: tuple[str, ...]) -> None:
    project = Project(tmp_path)
    with serve({"/": Answer(html("home", []))}) as web:
        code, out, err = project.command(*[argument.replace("URL", f"{web.url}/") for argument in arguments])
    assert code == 0, err
    assert "200" in out or "home" in out
    assert not (tmp_path / "store").exists()
