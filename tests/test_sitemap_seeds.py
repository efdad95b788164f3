"""Sitemaps as seeds: what becomes of an entry, indexes, loops and limits, and whole crawls."""

from __future__ import annotations

import gzip
import json
import signal
import time
from collections.abc import Callable, Iterator
from datetime import UTC, datetime
from functools import partial
from itertools import pairwise
from pathlib import Path
from typing import Any

import pytest
from scrapy.settings import Settings
from web import Answer, Project, Web, html, serve, tree

from nutchlike.addon import NutchlikeAddon
from nutchlike.checked_settings import check_settings
from nutchlike.downloads import downloaded
from nutchlike.injector import build_injector
from nutchlike.seeds import SeedRecord, SeedReject, parse_seed_lines
from nutchlike.sitemap_seeds import Pauses, SitemapRules, SitemapSeeds

NOW = 1_800_000_000.0
DAY = 86_400
Pages = dict[str, Answer | Callable[[Any], Answer]]


@pytest.fixture
def project(tmp_path: Path) -> Project:
    return Project(tmp_path)


@pytest.fixture
def web() -> Iterator[Web]:
    with serve({}) as web:
        yield web


def urlset(*entries: str) -> Answer:
    return Answer(f"<urlset>{''.join(f'<url>{entry}</url>' for entry in entries)}</urlset>".encode())


def index(*urls: str) -> Answer:
    listed = "".join(f"<sitemap><loc>{url}</loc></sitemap>" for url in urls)
    return Answer(f"<sitemapindex>{listed}</sitemapindex>".encode())


def lines(*urls: str) -> Answer:
    return Answer("\n".join(urls).encode(), headers={"Content-Type": "text/plain"})


def reader(**rules: Any) -> SitemapSeeds:
    return SitemapSeeds(SitemapRules(**rules), download=partial(downloaded, maxsize=1 << 20))


def read(
    seeds: SitemapSeeds, line: str, *, hosts: frozenset[str] = frozenset()
) -> tuple[list[SeedRecord], list[SeedReject]]:
    """Return the seeds and rejects of the sitemap that a seed line names."""
    [named] = parse_seed_lines([line]).records
    assert named.is_sitemap
    found = list(seeds.read(named, hosts=hosts, now=NOW, turns=Pauses()))
    return (
        [one for one in found if isinstance(one, SeedRecord)],
        [one for one in found if isinstance(one, SeedReject)],
    )


def one_entry(web: Web, fields: str, *, line: str = "", **rules: Any) -> SeedRecord:
    web.pages["/s.xml"] = urlset(f"<loc>{web.url}/</loc>{fields}")
    [seed], rejects = read(reader(**rules), f"sitemap:{web.url}/s.xml{line}")
    assert not rejects
    return seed


@pytest.mark.parametrize(
    ("fields", "interval"),
    [
        ("<changefreq>weekly</changefreq>", 7 * DAY),
        # floor and ceiling
        ("<changefreq>always</changefreq>", DAY),
        ("<changefreq>never</changefreq>", 90 * DAY),
        # a tenth of the time since lastmod, unless changefreq says more; NOW is in January 2027
        ("<lastmod>2026-01-15T08:00:00Z</lastmod>", 365 * DAY // 10),
        ("<lastmod>2027-01-14</lastmod>", DAY),
        ("<lastmod>1999</lastmod>", 90 * DAY),
        ("<changefreq>weekly</changefreq><lastmod>1999</lastmod>", 7 * DAY),
    ],
)
def test_changefreq_or_lastmod_becomes_the_fetch_interval(web: Web, fields: str, interval: int) -> None:
    seed = one_entry(web, fields)
    assert seed.interval_given
    assert seed.fetch_interval == interval


@pytest.mark.parametrize("fields", ["", "<changefreq>rarely</changefreq>", "<lastmod>2090</lastmod>"])
def test_what_says_nothing_leaves_the_default(web: Web, fields: str) -> None:
    seed = one_entry(web, fields)
    assert (seed.fetch_interval, seed.interval_given, seed.score, seed.score_given) == (30 * DAY, False, 1.0, False)


@pytest.mark.parametrize(
    ("fields", "line", "rules", "changed_at"),
    [
        ("<lastmod>2027-01-01T00:00:00Z</lastmod><changefreq>never</changefreq>", "", {}, 1_798_761_600),
        # what was fetched less than the least interval ago has time
        ("<lastmod>2027-01-15T07:59:00Z</lastmod>", "", {}, NOW - DAY),
        ("<lastmod>2027-01-15T07:59:00Z</lastmod>", "", {"interval_min": 1}, NOW - 60),
        ("<lastmod>2090</lastmod>", "", {}, 0),
        ("<lastmod>2027-01-01</lastmod>", "\tnutch.fetchInterval.fixed=600", {}, 0),
        ("<lastmod>2027-01-01</lastmod>", "", {"uses_lastmod": False}, 0),
        ("<lastmod>2027-01-01</lastmod>", "", {"makes_due": False}, 0),
        ("<changefreq>hourly</changefreq>", "", {}, 0),
    ],
)
def test_lastmod_says_which_fetches_are_too_old(
    web: Web, fields: str, line: str, rules: dict[str, Any], changed_at: int
) -> None:
    assert one_entry(web, fields, line=line, **rules).changed_at == changed_at


@pytest.mark.parametrize(("priority", "score"), [("0.5", 1.0), ("1.0", 2.0), ("0", 0.0), ("0.1", 0.2)])
def test_priority_is_a_factor_of_the_score(web: Web, priority: str, score: float) -> None:
    seed = one_entry(web, f"<priority>{priority}</priority>")
    assert (seed.score, seed.score_given) == (pytest.approx(score), True)
    seed = one_entry(web, f"<priority>{priority}</priority>", line="\tnutch.score=10")
    assert seed.score == pytest.approx(10 * score)


def test_each_of_the_three_can_be_switched_off(web: Web) -> None:
    fields = "<changefreq>weekly</changefreq><lastmod>2026-01-15T08:00:00Z</lastmod><priority>1</priority>"
    assert one_entry(web, fields, uses_priority=False).score == 1.0
    assert one_entry(web, fields, uses_changefreq=False).fetch_interval == 365 * DAY // 10
    assert not one_entry(web, fields, uses_changefreq=False, uses_lastmod=False).interval_given


def test_what_the_seed_line_says_belongs_to_all_pages(web: Web) -> None:
    seed = one_entry(web, "<changefreq>weekly</changefreq>", line="\tnutch.fetchInterval.fixed=600\tlang=en")
    assert (seed.fetch_interval, seed.interval_given) == (600, True)
    assert seed.metadata == {"fixedInterval": "600", "lang": "en"}
    seed = one_entry(web, "", line="\tnutch.fetchInterval=600")
    assert (seed.fetch_interval, seed.interval_given) == (600, True)
    assert one_entry(web, "<changefreq>weekly</changefreq>", line="\tnutch.fetchInterval=600").fetch_interval == 7 * DAY


def test_the_sitemaps_of_an_index_follow_it_in_its_order_each_once(web: Web) -> None:
    web.pages |= {
        "/index.xml": index(f"{web.url}/inner.xml", f"{web.url}/b.txt", f"{web.url}/index.xml", f"{web.url}/b.txt"),
        "/inner.xml": index(f"{web.url}/a.xml.gz", f"{web.url}/index.xml"),
        "/a.xml.gz": Answer(gzip.compress(urlset(f"<loc>{web.url}/a</loc>").body)),
        "/b.txt": lines(f"{web.url}/b1", f"{web.url}/b2"),
    }
    sitemaps = reader()
    seeds, rejects = read(sitemaps, f"Sitemap: {web.url}/index.xml")
    assert [str(seed.url.removeprefix(web.url)) for seed in seeds] == ["/a", "/b1", "/b2"]
    assert (seeds[-1].source, seeds[-1].line) == (f"{web.url}/b.txt", 2)
    assert not rejects
    assert (sitemaps.counts.read, sitemaps.counts.skipped, sitemaps.counts.urls) == (4, 3, 3)
    assert set(web.count().values()) == {1}


def test_indexes_without_end_are_bounded_in_depth_and_number(web: Web) -> None:
    def deeper(request: Any) -> Answer:
        return index(*(f"{web.url}{request.path}{n}" for n in range(3)))

    for path in ("/i", *(f"/i{'0' * depth}" for depth in range(1, 9))):
        web.pages[path] = deeper
    _, rejects = read(reader(depth_max=2), f"sitemap:{web.url}/i")
    assert "/i000" not in web.count()
    assert any("NUTCH_SITEMAP_DEPTH_MAX" in reject.reason for reject in rejects)
    web.requests.clear()
    sitemaps = reader(depth_max=100, sitemaps_max=6)
    _, rejects = read(sitemaps, f"sitemap:{web.url}/i")
    assert sum(web.count().values()) == 6
    assert any("NUTCH_SITEMAP_COUNT_MAX" in reject.reason for reject in rejects)
    assert sitemaps.counts.skipped


def test_no_more_urls_are_taken_than_allowed(web: Web) -> None:
    web.pages |= {
        "/index.xml": index(f"{web.url}/a.txt", f"{web.url}/b.txt"),
        "/a.txt": lines(*(f"{web.url}/{n}" for n in range(10))),
        "/b.txt": lines(f"{web.url}/b"),
    }
    seeds, rejects = read(reader(urls_max=7), f"sitemap:{web.url}/index.xml")
    assert len(seeds) == 5  # two places are those of the index's own entries
    assert [reject.line for reject in rejects] == [5, 0]
    assert "/b.txt" not in web.count()


def test_a_sitemap_that_fails_is_told_of_and_the_others_count(web: Web) -> None:
    web.pages |= {
        "/index.xml": index(f"{web.url}/missing.xml", f"{web.url}/cut.xml", f"{web.url}/b.txt"),
        "/cut.xml": Answer(f"<urlset><url><loc>{web.url}/a</loc></url><url>".encode()),
        "/b.txt": lines(f"{web.url}/b", "http://b.test/"),
    }
    sitemaps = reader()
    seeds, rejects = read(sitemaps, f"sitemap:{web.url}/index.xml")
    assert [seed.url for seed in seeds] == [f"{web.url}/a", f"{web.url}/b"]
    missing, cut, other = map(str, rejects)
    assert missing == f"{web.url}/missing.xml:0: the sitemap cannot be read at all: HTTP Error 404: Not Found"
    assert cut.startswith(f"{web.url}/cut.xml:1: the sitemap cannot be read after 1 entries: its XML is malformed")
    assert other.startswith(f"{web.url}/b.txt:2: http://b.test/: its host is none")
    assert (sitemaps.counts.read, sitemaps.counts.failed, sitemaps.counts.refused) == (2, 2, 1)


def test_a_sitemap_speaks_for_hosts_that_named_it_or_that_its_own_host_leads_to(web: Web) -> None:
    with serve({}, "127.0.0.2") as other:
        other.pages["/s.txt"] = lines(f"{web.url}/a", f"{other.url}/b", "http://c.test/")
        web.pages["/s.txt"] = Answer(status=301, headers={"Location": f"{other.url}/s.txt"})
        seeds, _ = read(reader(), f"sitemap:{other.url}/s.txt")
        assert [seed.url for seed in seeds] == [f"{other.url}/b"]
        for line, hosts in ((f"sitemap:{other.url}/s.txt", {"127.0.0.1"}), (f"sitemap:{web.url}/s.txt", set())):
            seeds, _ = read(reader(), line, hosts=frozenset(hosts))
            assert [seed.url for seed in seeds] == [f"{web.url}/a", f"{other.url}/b"]
        seeds, _ = read(reader(is_strict=False), f"sitemap:{other.url}/s.txt")
        assert len(seeds) == 3


def test_a_host_that_may_not_be_asked_is_not(web: Web) -> None:
    class Never(Pauses):
        def wait(self, url: str) -> None:
            raise ValueError("its host may not be asked for 99 s")

    [named] = parse_seed_lines([f"sitemap:{web.url}/s.xml"]).records
    [reject] = reader().read(named, now=NOW, turns=Never())
    assert "may not be asked for 99 s" in str(reject)
    assert not web.requests


def busy_at_first(status: int, retry_after: str, then: Answer) -> Callable[[Any], Answer]:
    """Return what answers ``then`` from the second request on."""
    answers = iter([Answer(b"", status, headers={"Retry-After": retry_after})])
    return lambda _: next(answers, then)


@pytest.mark.parametrize("status", [429, 503])
def test_a_busy_server_is_asked_again_when_it_said(web: Web, status: int) -> None:
    web.pages["/s.xml"] = busy_at_first(status, "2", urlset(f"<loc>{web.url}/a</loc>"))
    [seed], rejects = read(reader(), f"sitemap:{web.url}/s.xml")
    assert (seed.url, rejects) == (f"{web.url}/a", [])
    first, second = (at for at, _ in web.requests)
    assert second - first >= 2


def test_a_server_that_stays_busy_or_names_too_long_a_time_is_let_alone(web: Web) -> None:
    web.pages |= {f"/{after}.xml": Answer(b"", 503, headers={"Retry-After": after}) for after in ("1", "3600")}
    sitemaps = reader()
    seeds, [busy] = read(sitemaps, f"sitemap:{web.url}/1.xml")
    assert "HTTP Error 503" in str(busy)
    seeds, [late] = read(sitemaps, f"sitemap:{web.url}/3600.xml")
    assert "may not be asked for 3600 s" in str(late)
    assert not seeds
    assert web.count() == {"/1.xml": 3, "/3600.xml": 1}


def test_the_pages_of_a_host_wait_too_when_its_sitemap_says_so(project: Project, web: Web) -> None:
    web.pages |= {
        "/s.xml": busy_at_first(503, "4", urlset(f"<loc>{web.url}/a</loc>")),
        "/a": Answer(html("a", [])),
        "/b": Answer(html("b", [])),
    }
    seeds = project.folder / "seeds.txt"
    seeds.write_text(f"sitemap:{web.url}/s.xml\n{web.url}/b\n", encoding="utf-8")
    crawl = project.crawl(f"seeds={seeds}")
    assert crawl.code == 0, crawl.log
    assert sorted(crawl.urls) == [f"{web.url}/a", f"{web.url}/b"]
    told, *later = (at for at, path in web.requests if path != "/robots.txt")
    assert min(later) - told > 3.9


def test_a_download_that_drips_is_given_up(web: Web) -> None:
    body = b"x" * 100_000
    web.pages["/s"] = Answer(body)
    with pytest.raises(OSError, match="not complete after 0 s"), downloaded(f"{web.url}/s", maxsize=1 << 20, seconds=0):
        pass
    with downloaded(f"{web.url}/s", maxsize=1 << 20) as whole:
        assert whole.body.read() == body


@pytest.mark.parametrize("place", ["ftp://127.0.0.1:1/x", "file:///etc/passwd"])
def test_a_redirect_leads_to_http_only(web: Web, place: str) -> None:
    web.pages["/s"] = Answer(status=302, headers={"Location": place})
    with pytest.raises(OSError), downloaded(f"{web.url}/s", maxsize=1 << 20):
        pass


@pytest.mark.parametrize("url", ["http://" + "a" * 64 + ".test/", "http://[::1/", "http://127.0.0.1:99999/"])
def test_a_url_that_cannot_be_asked_for_is_an_os_error(url: str) -> None:
    with pytest.raises(OSError), downloaded(url, maxsize=1):
        pass


@pytest.mark.parametrize("strict", [False, True])
def test_a_seed_line_names_a_sitemap(strict: bool) -> None:
    parsed = parse_seed_lines(
        ["sitemap:https://a.test/s.xml\tnutch.score=2", "Sitemap: https://a.test/t.xml", "sitemap:s.xml", "sitemap:"],
        strict=strict,
    )
    assert [(seed.url, seed.score) for seed in parsed.records] == [
        ("https://a.test/s.xml", 2.0),
        ("https://a.test/t.xml", 1.0),
    ]
    assert len(parsed.rejects) == 2


def test_where_sitemaps_are_not_read_a_line_that_names_one_is_rejected() -> None:
    settings = Settings()
    NutchlikeAddon.update_pre_crawler_settings(settings)
    told: list[str] = []
    injector = build_injector(settings, tell=told.append)
    assert injector.judge(injector.parse(["sitemap:https://a.test/s.xml"], source="key")) == []
    [message] = told
    assert "scrapy inject" in message


@pytest.mark.parametrize(
    ("name", "value"),
    [
        ("NUTCH_SITEMAP_SIZE_MAX", 0),
        ("NUTCH_SITEMAP_DEPTH_MAX", -1),
        ("NUTCH_SITEMAP_PRIORITY", "perhaps"),
        ("NUTCH_SITEMAP_INTERVAL_MIN", 10**9),
    ],
)
def test_a_setting_that_cannot_be_used_is_named(name: str, value: object) -> None:
    settings = Settings()
    NutchlikeAddon.update_pre_crawler_settings(settings)
    check_settings(settings)
    settings.set(name, value, priority="cmdline")
    with pytest.raises(ValueError, match=name):
        check_settings(settings)


def test_the_command_injects_a_sitemap_with_its_intervals_and_scores(project: Project, web: Web) -> None:
    web.pages["/s.xml"] = urlset(
        f"<loc>{web.url}/a</loc><changefreq>weekly</changefreq><priority>1.0</priority>", "<loc>http://b.test/</loc>"
    )
    seeds = project.folder / "seeds.txt"
    seeds.write_text(f"# from robots.txt\nSitemap: {web.url}/s.xml\tlang=en\n", encoding="utf-8")
    code, out, err = project.command("inject", "--dry-run", str(seeds))
    assert (code, out) == (0, f"{web.url}/a\tnutch.score=2.0\tnutch.fetchInterval=604800\tlang=en\n")
    assert "1 sitemaps read, 0 failed, 0 passed over: 1 URLs, 1 refused" in err
    code, out, err = project.command("inject", f"sitemap:{web.url}/s.xml")
    assert (code, out) == (0, "Injected 1 new seeds, 0 were known (0 of them changed), 1 rejected\n")
    assert f"{web.url}/s.xml:2: http://b.test/: its host" in err
    record = json.loads(project.command("readdb", f"{web.url}/a")[1])
    assert (record["score"], record["fetch_interval"]) == (2.0, 7 * DAY)
    code, _, err = project.command("inject", f"sitemap:{web.url}/missing.xml")
    assert code == 1
    assert "HTTP Error 404" in err


def test_a_crawl_begins_with_the_sitemaps_that_it_is_given(project: Project, web: Web) -> None:
    web.pages |= {
        "/s.xml": urlset(f"<loc>{web.url}/a</loc>"),
        "/t.txt": lines(f"{web.url}/b"),
        "/u.xml": urlset(f"<loc>{web.url}/c</loc>"),
        **{f"/{name}": Answer(html(name, [])) for name in "abc"},
    }
    seeds = project.folder / "seeds.txt"
    seeds.write_text(f"sitemap:{web.url}/u.xml\n", encoding="utf-8")
    crawl = project.crawl(f"sitemaps={web.url}/s.xml, {web.url}/t.txt", f"seeds={seeds}", DOWNLOAD_DELAY=0.5)
    assert crawl.code == 0, crawl.log
    assert sorted(crawl.urls) == [f"{web.url}/{name}" for name in "abc"]
    assert "'nutch/sitemaps/read': 3" in crawl.log
    assert "'nutch/injector/injected': 3" in crawl.log
    times = [at for at, path in web.requests if path.startswith(("/s", "/t", "/u"))]
    assert min(later - earlier for earlier, later in pairwise(times)) > 0.4  # the host's clock


def test_a_page_that_the_sitemap_calls_newer_than_its_last_fetch_is_fetched_again(project: Project, web: Web) -> None:
    options = {"NUTCH_SITEMAP_INTERVAL_MIN": 1}
    web.pages |= {f"/{name}": Answer(html(name, [])) for name in "ab"}
    web.pages["/s.xml"] = urlset(f"<loc>{web.url}/a</loc><lastmod>2020</lastmod>", f"<loc>{web.url}/b</loc>")
    for _ in range(2):
        assert project.crawl(f"sitemaps={web.url}/s.xml", **options).code == 0
    assert (web.count()["/a"], web.count()["/b"]) == (1, 1)
    record = json.loads(project.command("readdb", f"{web.url}/a")[1])
    changed = record["fetch_time"] - record["fetch_interval"] + 1
    while time.time() < changed + 2:
        time.sleep(0.05)
    lastmod = datetime.fromtimestamp(changed, UTC).isoformat()
    web.pages["/s.xml"] = urlset(*(f"<loc>{web.url}/{path}</loc><lastmod>{lastmod}</lastmod>" for path in "ab"))
    for _ in range(2):
        crawl = project.crawl(f"sitemaps={web.url}/s.xml", **options)
        assert crawl.code == 0, crawl.log
    assert (web.count()["/a"], web.count()["/b"]) == (2, 2)


def test_a_crawl_without_a_usable_entry_ends_with_code_1_and_says_why(project: Project, web: Web) -> None:
    crawl = project.crawl(f"sitemaps={web.url}/missing.xml")
    assert crawl.code == 1
    assert "HTTP Error 404" in crawl.log


def test_auto_takes_what_the_robots_txt_of_the_seeds_names(project: Project, web: Web) -> None:
    with serve({}, "127.0.0.2") as other:
        named = f"User-agent: *\nDisallow: /no\nSitemap: {web.url}/s.xml\nSitemap: {other.url}/shared.txt\n"
        web.pages |= {
            **tree(2),
            "/robots.txt": Answer(named.encode()),
            "/s.xml": urlset(f"<loc>{web.url}/deep</loc>", f"<loc>{web.url}/no</loc>"),
            "/more.txt": lines(f"{web.url}/more"),
            "/more": Answer(html("more", [])),
            "/deep": Answer(html("deep", [])),
            "/no": Answer(html("no", [])),
            "/cross": Answer(html("cross", [])),
        }
        other.pages |= {"/shared.txt": lines(f"{web.url}/cross", "http://c.test/")}
        crawl = project.crawl(f"url={web.url}/", f"sitemaps={web.url}/more.txt,auto")
    assert crawl.code == 0, crawl.log
    assert sorted(crawl.urls) == sorted(f"{web.url}{path}" for path in ("/", "/1", "/deep", "/cross", "/more"))
    assert [path for _, path in web.requests].count("/robots.txt") == 1
    assert "'nutch/sitemaps/read': 3" in crawl.log
    assert "'nutch/sitemaps/refused': 1" in crawl.log


@pytest.mark.parametrize(
    ("arguments", "settings", "said"),
    [
        (["sitemaps=auto"], {"ROBOTSTXT_OBEY": False}, "needs ROBOTSTXT_OBEY=True"),
        (["sitemaps=auto"], {}, "needs seeds"),
    ],
)
def test_auto_says_what_it_needs(
    project: Project, web: Web, arguments: list[str], settings: dict[str, Any], said: str
) -> None:
    web.pages |= tree(1)
    assert project.crawl(f"url={web.url}/").code == 0
    crawl = project.crawl(*arguments, **settings)
    assert crawl.code == 0
    assert said in crawl.log


def test_a_crawl_goes_on_while_a_sitemap_is_awaited_and_can_be_stopped(project: Project, web: Web) -> None:
    web.pages |= {**tree(2), "/s.xml": Answer(b"<urlset/>", wait=120.0)}
    seeds = project.folder / "seeds.txt"
    seeds.write_text(f"{web.url}/\n" * 500, encoding="utf-8")  # a batch of their own
    crawl = project.start(f"seeds={seeds}", f"sitemaps={web.url}/s.xml")
    web.wait_for(lambda count: count["/1"] == 1 and count["/s.xml"] == 1)
    crawl.send_signal(signal.SIGINT)
    _, log = crawl.communicate(timeout=60)
    assert crawl.returncode == 0, log
