"""``scrapy parsecheck``: what a crawl would make of a page, and that it does make that of it."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from web import Answer, Project, Web, html, serve, text_of

PAGE = """<html><head><base href="/dir/"><title>A  page</title><link rel=canonical href="/canonical">
    <meta name=robots content="noarchive"></head><body><p>Grüße {}</p>
    <a href="one">1</a> <a href="./one#top">1 again</a> <a href="x/../one?">1 once more</a> <a rel=ugc href="/ugc">2</a>
    <a rel=nofollow href="/nofollow">3</a> <a href="http://other.test/">4</a> <a href="/picture.gif">5</a>
    <a href="/page#self">6</a> <a href="mailto:x@y.test">7</a>
    <nav>Menu</nav><footer>10:11:12</footer></body></html>"""
BODY = PAGE.format(text_of("page")).encode("latin-1")


@pytest.fixture(scope="module")
def site(tmp_path_factory: pytest.TempPathFactory) -> Iterator[tuple[Project, Web]]:
    project = Project(tmp_path_factory.mktemp("parsecheck"), {"RETRY_ENABLED": False})
    pages: dict[str, Any] = {
        "/page": Answer(BODY, headers={"Content-Type": "text/html; charset=ISO-8859-1", "X-Robots-Tag": "bot: none"}),
        "/moved": Answer(b"", 301, {"Location": "/page"}),
        "/quiet": Answer(html("quiet", ["/1", "/2"]), headers={"Content-Type": "text/html", "X-Robots-Tag": "NONE"}),
        "/doc": Answer(b"%PDF-1.4", headers={"Content-Type": "application/pdf; x=y", "Link": "</c>; rel=canonical"}),
        "/empty": Answer(b""),
        "/robots.txt": Answer(b"User-agent: *\nDisallow: /no\n"),
    }
    with serve(pages) as web:
        yield project, web


def checked(project: Project, *arguments: str) -> dict[str, Any]:
    code, out, err = project.command("parsecheck", "--json", *arguments)
    assert code == 0, err
    found: dict[str, Any] = json.loads(out)
    return found


def test_a_page_is_shown_with_all_that_a_crawl_would_make_of_it(site: tuple[Project, Web]) -> None:
    project, web = site
    facts = checked(project, f"{web.url}/moved")
    assert (facts["source"], facts["url"], facts["http_status"]) == (f"{web.url}/moved", f"{web.url}/page", 200)
    assert (facts["charset"], facts["charset_source"]) == ("cp1252", "Content-Type")
    assert facts["content_type"] == "text/html; charset=ISO-8859-1"
    assert (facts["title"], facts["canonical"]) == ("A page", f"{web.url}/canonical")
    assert facts["text"].startswith("Grüße ")
    assert facts["text_length"] == len(facts["text"])
    assert facts["directives"] == ["noarchive"]
    links = {link["url"].removeprefix(web.url): (link["kept"], link["reason"]) for link in facts["outlinks"]}
    assert links == {
        "/canonical": (f"{web.url}/canonical", ""),
        "/dir/one": (f"{web.url}/dir/one", ""),
        "/dir/one?": (None, f"a link to {web.url}/dir/one stands before"),
        "/ugc": (f"{web.url}/ugc", ""),
        "/nofollow": (None, "rel nofollow"),
        "http://other.test/": (None, "another site (NUTCH_DB_IGNORE_EXTERNAL_LINKS)"),
        "/picture.gif": (None, links["/picture.gif"][1]),
        "/page": (None, "the page itself"),
    }
    assert links["/picture.gif"][1].startswith("RegexURLFilter: nutchlike/conf/regex-urlfilter.txt:")


def test_what_is_shown_is_what_a_crawl_makes_of_it(tmp_path: Path, site: tuple[Project, Web]) -> None:
    _, web = site
    project = Project(tmp_path, {"NUTCH_STORE_OUTLINKS": True, "NUTCH_DB_MAX_OUTLINKS_PER_PAGE": 2})
    facts = checked(project, f"{web.url}/page")
    assert not (tmp_path / "store").exists()
    project.crawl(f"url={web.url}/page")
    [item] = [item for item in project.items() if item["url"] == f"{web.url}/page"]
    for name in ("title", "text", "canonical", "signature"):
        assert facts[name] == item[name]
    assert [link["kept"] for link in facts["outlinks"] if link["kept"]] == list(dict.fromkeys(item["outlinks"]))
    record = json.loads(project.command("readdb", f"{web.url}/page")[1])
    assert facts["dedup_key"] == record["dedup_key"]


def test_the_facts_are_lines_and_the_links_follow(site: tuple[Project, Web]) -> None:
    project, web = site
    code, out, _ = project.command("parsecheck", f"{web.url}/quiet")
    lines = out.splitlines()
    assert code == 0
    assert lines[:5] == [
        f"source: {web.url}/quiet",
        f"url: {web.url}/quiet",
        "http status: 200",
        "content type: text/html",
        f"bytes: {len(html('quiet', ['/1', '/2']))}",
    ]
    assert "charset: utf-8 (bytes)" in lines
    assert "directives: nofollow, noindex" in lines
    assert lines[-3:] == [
        "outlinks: 2, of which 0 are followed",
        f"\tleft\t{web.url}/1\tthe page says nofollow",
        f"\tleft\t{web.url}/2\tthe page says nofollow",
    ]
    assert text_of("quiet") not in out
    assert f"\t{text_of('quiet')}" in project.command("parsecheck", "--text", f"{web.url}/quiet")[1]


@pytest.mark.parametrize("as_url", [False, True])
def test_a_file_is_read_as_a_page(tmp_path: Path, as_url: bool) -> None:
    path = tmp_path / "page ü.html"
    path.write_bytes("<meta charset=koi8-r><title>Привет</title><a href='other.html'>x</a>".encode("koi8-r"))
    facts = checked(Project(tmp_path), path.as_uri() if as_url else str(path))
    assert (facts["title"], facts["http_status"], facts["url"]) == ("Привет", None, path.as_uri())
    assert (facts["charset"], facts["charset_source"]) == ("koi8-r", "declaration in the page")


def test_an_empty_page_has_no_signature(site: tuple[Project, Web]) -> None:
    project, web = site
    facts = checked(project, f"{web.url}/empty")
    assert (facts["bytes"], facts["signature"], facts["dedup_key"]) == (0, None, None)


def test_what_is_no_html_is_shown_and_said_with_code_1(site: tuple[Project, Web]) -> None:
    project, web = site
    code, out, err = project.command("parsecheck", f"{web.url}/doc")
    assert code == 1
    assert "content type: application/pdf; x=y\n" in out
    assert "charset: none\n" in out
    assert f"canonical: {web.url}/c\n" in out
    assert f"\tfollowed\t{web.url}/c\t{web.url}/c\n" in out
    assert f"{web.url}/doc: is no HTML (application/pdf): a crawl keeps it without title, text and links\n" in err


@pytest.mark.parametrize(
    ("source", "code", "message"),
    [
        ("/missing", 1, "/missing: cannot be fetched: HTTP status 404"),
        ("/no", 1, "/no: cannot be fetched: Forbidden by robots.txt"),
        ("http://127.0.0.1:1/", 1, "http://127.0.0.1:1/: cannot be fetched: "),
        ("gopher://a.test/", 1, "gopher://a.test/: must be an http, https or file URL, or the name of a file"),
        ("no-such-file", 1, "no-such-file: cannot be read: No such file or directory"),
    ],
)
def test_a_page_that_cannot_be_had_is_said(site: tuple[Project, Web], source: str, code: int, message: str) -> None:
    project, web = site
    done, out, err = project.command("parsecheck", web.url + source if source.startswith("/") else source)
    assert (done, out) == (code, "")
    assert message in err


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ([], "give one URL, one file, or - for standard input"),
        (["x", "y"], "give one URL, one file, or - for standard input"),
        (["x", "--spider", "other"], "no spider 'other'"),
        (["x", "-s", "NUTCH_META_ROBOTS_OBEY=noindx"], "NUTCH_META_ROBOTS_OBEY must hold some of noarchive"),
        (["x", "-s", "NUTCH_URL_FILTERS=no.such"], "NUTCH_URL_FILTERS: cannot build 'no.such'"),
    ],
)
def test_bad_usage_is_named(tmp_path: Path, arguments: list[str], message: str) -> None:
    code, out, err = Project(tmp_path).command("parsecheck", *arguments)
    assert (code, out) == (2, "")
    assert message in err
