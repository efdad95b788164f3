"""``scrapy explain``: the fates of URLs in real crawls, each told right."""

from __future__ import annotations

import json
import signal
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest
from stores import Store, begin_store, seed
from web import Answer, Project, Web, html, serve

from nutchlike.store.embedded import EmbeddedServer
from nutchlike.store.lease import PageDone
from nutchlike.store.stored_url import StoredURL
from nutchlike.urls.identity import url_id

BODY = "one text that two pages have " * 20


def explain(project: Project, *urls: str, options: tuple[str, ...] = ()) -> list[dict[str, Any]]:
    _, out, err = project.command("explain", "--json", *options, *urls)
    facts = [json.loads(line) for line in out.splitlines()]
    assert len(facts) == len(urls), err
    return facts


def site() -> dict[str, Any]:
    home = ["/a", "/b", "/gone", "/broken", "/moved", "/deep", "/pic.gif", "http://elsewhere.test/"]
    return {
        "/": Answer(html("home", home)),
        "/a": Answer(html("a", ["/deep"], text=BODY)),
        "/b": Answer(html("b", ["/deep"], text=BODY), wait=0.5),
        "/broken": Answer(b"no", 500),
        "/moved": Answer(b"", 301, {"Location": "/target"}),
        "/target": Answer(html("target", [])),
        "/deep": Answer(html("deep", ["/deep/2"])),
        "/deep/2": Answer(html("deep/2", ["/deep/3"])),
        "/deep/3": Answer(html("deep/3", [])),
    }


@pytest.fixture(scope="module")
def crawled(tmp_path_factory: pytest.TempPathFactory) -> Iterator[tuple[Project, Web]]:
    """A crawl that has come to its end, three links deep at most."""
    folder = tmp_path_factory.mktemp("explain")
    rules = folder / "rules.txt"
    rules.write_text("# pictures\n-\\.gif$\n+.\n", encoding="utf-8")
    project = Project(folder, {"NUTCH_WEBGRAPH_ENABLED": True, "DEPTH_LIMIT": 2, "NUTCH_URLFILTER_REGEX_FILE": rules})
    with serve(site()) as web:
        (folder / "seeds.txt").write_text(f"# one\n{web.url}/\tnutch.score=8\n", encoding="utf-8")
        assert project.crawl(f"seeds={folder}/seeds.txt").code == 0
        yield project, web


def told(crawled: tuple[Project, Web], path: str) -> dict[str, Any]:
    project, web = crawled
    [facts] = explain(project, path if ":" in path else web.url + path)
    return facts


def test_a_seed_is_known_by_its_list_and_line_and_has_spent_its_cash(crawled: tuple[Project, Web]) -> None:
    facts = told(crawled, "/")
    assert facts["origin"] == f"{crawled[0].folder}/seeds.txt:2"
    assert (facts["state"], facts["db_status"]) == ("due again later", "db_fetched")
    assert facts["history"] >= 8.0
    assert 0 < facts["importance"] < 1
    assert facts["until"] > time.time()


def test_a_link_is_known_by_the_pages_that_paid_for_it(crawled: tuple[Project, Web]) -> None:
    facts, home = told(crawled, "/deep/2"), told(crawled, "/deep")
    assert (facts["origin"], facts["depth"], facts["inlinks"]) == (None, 2, 1)
    [payer] = facts["paid_by"]
    assert payer["url"] == home["url"]
    assert payer["anchor"] == "/deep/2"
    assert payer["paid"] == pytest.approx(home["history"] / 2)


def test_a_page_that_is_gone_is_due_again(crawled: tuple[Project, Web]) -> None:
    facts = told(crawled, "/gone")
    assert (facts["state"], facts["db_status"], facts["signature"]) == ("due again later", "db_gone", None)


def test_a_page_that_fails_waits_for_its_next_try(crawled: tuple[Project, Web]) -> None:
    facts = told(crawled, "/broken")
    assert facts["db_status"] == "db_unfetched"
    assert facts["waits_for"] == "its next try after 1 failures, due"


def test_a_redirect_has_paid_all_that_it_had_to_its_target(crawled: tuple[Project, Web]) -> None:
    source, target = told(crawled, "/moved"), told(crawled, "/target")
    assert source["db_status"] == "db_redir_perm"
    assert [(page["url"], page["paid"]) for page in target["paid_by"]] == [(source["url"], source["history"])]


def test_a_page_that_owns_its_content_says_so(crawled: tuple[Project, Web]) -> None:
    facts = told(crawled, "/a")
    assert facts["content_owner"] == facts["url"]
    assert len(facts["signature"]) == 32


def test_a_duplicate_names_the_page_that_it_repeats(crawled: tuple[Project, Web]) -> None:
    facts = told(crawled, "/b")
    assert facts["db_status"] == "db_duplicate"
    assert facts["content_owner"] == crawled[1].url + "/a"


def test_a_url_that_a_rule_rejects_names_plug_in_file_and_line(crawled: tuple[Project, Web]) -> None:
    facts = told(crawled, "/pic.gif")
    rules = crawled[0].settings["NUTCH_URLFILTER_REGEX_FILE"]
    assert (facts["known"], facts["reason"]) == (False, f"a rule rejects it: RegexURLFilter: {rules}:2")


def test_what_is_no_url_names_the_normalizer(crawled: tuple[Project, Web]) -> None:
    facts = told(crawled, "http://a.test:99999999/")
    assert facts["reason"].startswith("a rule rejects it: BasicURLNormalizer: ")


def test_an_external_link_is_one(crawled: tuple[Project, Web]) -> None:
    assert told(crawled, "http://elsewhere.test/")["reason"].startswith("it is an external link: ")


def test_a_link_that_is_too_deep_may_be_on_the_pages_at_the_limit(crawled: tuple[Project, Web]) -> None:
    reason = told(crawled, "/deep/3")["reason"]
    assert reason.startswith("no known page has a link to it that is followed: not followed are ")
    assert reason.endswith("pages of its site that are at DEPTH_LIMIT 2")


def test_a_url_that_nobody_links_to_is_told_from_one_that_is_too_deep(crawled: tuple[Project, Web]) -> None:
    project, web = crawled
    without_limit = Project(project.folder, project.settings | {"DEPTH_LIMIT": 0})
    [facts] = explain(without_limit, f"{web.url}/nowhere")
    assert facts["reason"] == (
        "no known page has a link to it that is followed: not followed are links with rel nofollow, "
        "those of a page that says nofollow in meta robots or X-Robots-Tag, those from other hosts"
    )


def test_a_url_is_looked_up_as_the_rules_spell_it(crawled: tuple[Project, Web]) -> None:
    facts = told(crawled, "/x/../a#part")
    assert (facts["known"], facts["url"]) == (True, f"{crawled[1].url}/a")


def test_facts_are_lines_of_text_and_the_code_is_1_for_what_is_not_known(crawled: tuple[Project, Web]) -> None:
    project, web = crawled
    code, out, _ = project.command("explain", f"{web.url}/", f"{web.url}/pic.gif")
    lines = out.splitlines()
    assert code == 1  # the second one is not known
    assert lines[0] == f"url: {web.url}/"
    assert lines[1] == "state: due again later, db_fetched"
    assert lines[2].startswith("waits for: its next fetch, due 20")
    assert lines[2].endswith(" UTC")
    assert f"found: seed, {project.folder}/seeds.txt:2" in lines
    assert lines[lines.index("") + 1 :][:2] == [f"url: {web.url}/pic.gif", "state: not known"]
    assert project.command("explain", f"{web.url}/")[0] == 0


@pytest.fixture
def project(tmp_path: Path) -> Project:
    return Project(tmp_path)


@contextmanager
def store_of(project: Project) -> Iterator[Store]:
    """The store of a crawl that a test begins by hand."""
    with EmbeddedServer.attach(project.folder / "store") as server, server.client() as client:
        yield begin_store(client)


def inject(project: Project, *lines: str) -> None:
    path = project.folder / "injected.txt"
    path.write_text("\n".join(lines), encoding="utf-8")
    assert project.command("inject", str(path))[0] == 0


def test_urls_that_wait_know_their_places(project: Project) -> None:
    scores = {"http://a.test/1": 1, "http://a.test/2": 2, "http://b.test/": 3, "http://c.test/": 0.5}
    inject(project, *(f"{url}\tnutch.score={score}" for url, score in scores.items()))
    first, second, third, last = explain(
        project, "http://b.test/", "http://a.test/2", "http://a.test/1", "http://c.test/", options=("--exact",)
    )
    assert first["waits_for"] == "nothing: it is the next one"
    assert second["waits_for"] == "its turn: it is the best of its host, 1 other hosts may have a better URL"
    assert third["waits_for"] == "its turn: 1 URLs of its host rank higher"
    assert [facts["ahead"] for facts in (first, second, third, last)] == [0, 1, 2, 3]
    assert (third["ahead_on_host"], third["waiting_on_host"], third["hosts_ahead"]) == (1, 2, 1)
    assert first["paid_by"] is None
    out = project.command("explain", "http://a.test/1")[1].splitlines()
    assert "place on its host: 2 of 2 that wait" in out
    hint = "no page's links are kept; NUTCH_WEBGRAPH_ENABLED=True keeps those of pages fetched"
    assert f"inlinks: not known, {hint}" in out


def test_a_page_in_progress_names_its_worker_and_its_host_the_limit(project: Project) -> None:
    pages: dict[str, Any] = {"/": Answer(html("home", ["/x", "/y"])), "/x": Answer(html("x", []), wait=8.0)}
    pages["/y"] = Answer(html("y", []), wait=8.0)
    with serve(pages) as web:
        process = project.start(f"url={web.url}/", CONCURRENT_REQUESTS_PER_DOMAIN=1)
        web.wait_for(lambda count: count["/x"] + count["/y"] == 1)
        facts = explain(project, f"{web.url}/x", f"{web.url}/y")
        process.send_signal(signal.SIGINT)
        process.communicate(timeout=60)
    leased, waiting = sorted(facts, key=lambda each: str(each["state"]))
    assert leased["state"] == "leased"
    assert leased["waits_for"].startswith("the fetch by worker ")
    assert leased["until"] > time.time() - 30
    assert waiting["waits_for"] == "the end of another fetch: 1 pages of 127.0.0.1 are leased, 1 may be"


def test_budgets_that_are_spent_are_named(project: Project) -> None:
    with serve({"/": Answer(html("home", ["/x"])), "/x": Answer(html("x", []))}) as web:
        assert project.crawl(f"url={web.url}/", NUTCH_GENERATE_TOP_N=1).code == 0
        [facts] = explain(project, f"{web.url}/x", options=("-s", "NUTCH_GENERATE_TOP_N=1"))
        assert facts["waits_for"] == "a larger NUTCH_GENERATE_TOP_N: 1 URLs were taken up, 1 may be"
        assert project.crawl(NUTCH_GENERATE_MAX_COUNT=1).code == 0
        [facts] = explain(project, f"{web.url}/x")
        assert facts["waits_for"] == "a larger NUTCH_GENERATE_MAX_COUNT: 1 URLs of 127.0.0.1 were taken up"


def test_a_host_that_rests_says_why_and_until_when(project: Project) -> None:
    pages: dict[str, Any] = {"/": Answer(html("home", ["/busy", "/x"])), "/x": Answer(html("x", []))}
    pages["/busy"] = Answer(b"", 503, {"Retry-After": "3600"})
    with serve(pages) as web:
        (project.folder / "seeds.txt").write_text(f"{web.url}/busy\tnutch.score=9\n{web.url}/x\n", encoding="utf-8")
        options = {"CONCURRENT_REQUESTS_PER_DOMAIN": 1, "RETRY_TIMES": 0, "NUTCH_LEASE_BATCH": 1}
        project.crawl(f"seeds={project.folder}/seeds.txt", **options)
        [facts] = explain(project, f"{web.url}/x")
    assert facts["waits_for"].startswith("127.0.0.1, which may not be asked: it failed (1 in a row)")
    assert 3000 < facts["until"] - time.time() <= 3600


def test_a_dead_letter_names_its_reason(project: Project) -> None:
    with store_of(project) as store:
        store.inject(seed("http://a.test/"))
        [lease] = store.lease()
        store.frontier.bury(lease.key, "lost 10 leases", now=time.time())
    [facts] = explain(project, "http://a.test/")
    assert facts["state"] == "dead letter"
    assert "lost 10 leases" in facts["waits_for"]


def test_a_url_that_was_forgotten_is_told_by_the_pages_that_link_to_it(project: Project) -> None:
    project.settings |= {"NUTCH_WEBGRAPH_ENABLED": True}
    with serve({"/": Answer(html("home", ["/gone"]))}) as web:
        assert project.crawl(f"url={web.url}/").code == 0
        (project.folder / "none.txt").write_text(f"{web.url}/\n", encoding="utf-8")
        project.command("inject", str(project.folder / "none.txt"), "-s", "NUTCH_DB_UPDATE_PURGE_404=True")
        [facts] = explain(project, f"{web.url}/gone")
    assert facts["reason"] == f"it was forgotten, or is on its way between partitions: {web.url}/ link to it"


def test_an_empty_crawl_and_one_without_a_graph_say_what_they_do_not_know(project: Project) -> None:
    [facts] = explain(project, "http://a.test/")
    assert facts["reason"] == "the crawl knows no URL"
    inject(project, "http://a.test/")
    [facts] = explain(project, "http://a.test/x")
    assert facts["reason"].startswith("no page that was fetched has a link to it that is followed: not followed are ")


def test_a_request_that_is_not_fetched_again_is_done(project: Project) -> None:
    with store_of(project) as store:
        url = "http://a.test/"
        store.frontier.add([StoredURL(url, url_id(url), request=b"{}")], cash=1.0, now=time.time())
        [lease] = store.lease(now=time.time())
        store.frontier.complete([PageDone(lease.key, lease.datum, due=False)], now=time.time())
    [facts] = explain(project, url)
    assert (facts["state"], facts["waits_for"]) == ("done", "nothing: it was requested, and is not fetched again")


def test_no_url_is_bad_usage(project: Project) -> None:
    code, _, err = project.command("explain")
    assert code == 2
    assert "give URLs" in err
