"""``scrapy signature``: what files and pages are known by, and which page of a crawl has the same content."""

from __future__ import annotations

import hashlib
import json
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from web import PROJECT, Answer, Project, Web, html, serve, text_of

ARTICLE = html("article", [])
PROFILE = "cat 2\ndog 2"
SHORT = b"<p>Cat dog cat, dog cat. Bird</p>"


def signed(project: Project, *sources: str) -> list[dict[str, Any]]:
    code, out, err = project.command("signature", "--json", *sources)
    assert code == 0, err
    return [json.loads(line) for line in out.splitlines()]


@pytest.fixture(scope="module")
def crawled(tmp_path_factory: pytest.TempPathFactory) -> Iterator[tuple[Project, Web]]:
    """A crawl of two pages that is over."""
    project = Project(tmp_path_factory.mktemp("signature"))
    pages: dict[str, Any] = {"/": Answer(html("home", ["/article"])), "/article": Answer(ARTICLE)}
    pages |= {
        "/moved": Answer(b"", 301, {"Location": "/article"}),
        "/robots.txt": Answer(b"User-agent: *\nDisallow: /no"),
    }
    pages |= {"/text": Answer(text_of("x").encode(), headers={"Content-Type": "text/plain"})}
    with serve(pages) as web:
        assert len(project.crawl(f"url={web.url}/").items) == 2
        yield project, web


def test_a_page_has_the_signature_that_the_crawl_gave_it_and_is_its_own_nearest_page(
    crawled: tuple[Project, Web],
) -> None:
    project, web = crawled
    [item] = [item for item in project.items() if item["url"] == f"{web.url}/article"]
    record = json.loads(project.command("readdb", f"{web.url}/article")[1])
    for source in ("/article", "/moved"):
        [facts] = signed(project, web.url + source)
        assert facts["url"] == facts["nearest_page"] == f"{web.url}/article"
        assert (facts["signature"], facts["dedup_key"]) == (item["signature"], record["dedup_key"])


def test_a_file_with_the_same_content_names_the_known_page(crawled: tuple[Project, Web]) -> None:
    project, web = crawled
    page, other = project.folder / "saved.html", project.folder / "other.html"
    page.write_bytes(ARTICLE.replace(b"<p>", b"<p class=printed>\n"))
    other.write_bytes(html("other", []))
    same, different = signed(project, str(page), str(other))
    assert (same["nearest_page"], same["likeness"]) == (f"{web.url}/article", "same content")
    assert (different["crawl_found"], different["nearest_page"]) == (True, None)
    out = project.command("signature", str(page), str(other))[1]
    assert f"nearest known page: {web.url}/article (same content)\n" in out
    assert "\n\nsource: " in out
    assert "nearest known page: none\n" in out


def test_the_crawl_is_left_as_it_is(crawled: tuple[Project, Web]) -> None:
    project, web = crawled
    before = project.command("readdb", "--dump")[1]
    feed = project.items()
    signed(project, f"{web.url}/text")
    assert project.command("readdb", "--dump")[1] == before
    assert project.items() == feed


def test_a_page_that_is_no_html_has_no_text_as_in_a_crawl(crawled: tuple[Project, Web]) -> None:
    project, web = crawled
    [facts] = signed(project, f"{web.url}/text")
    assert facts["signature"] == hashlib.md5(text_of("x").encode()).hexdigest()
    assert facts["profile"] is None


@pytest.mark.parametrize(
    ("path", "reason"),
    [("/missing", "HTTP status 404"), ("/no", "Forbidden by robots.txt"), ("http://127.0.0.1:1/", "refused")],
)
def test_what_cannot_be_fetched_is_said_with_code_1_and_the_rest_is_shown(
    crawled: tuple[Project, Web], path: str, reason: str
) -> None:
    project, web = crawled
    url = path if path.startswith("http") else web.url + path
    code, out, err = project.command("signature", url, f"{web.url}/article", "-s", "RETRY_ENABLED=False")
    assert code == 1
    [line] = [line for line in err.splitlines() if line.startswith(f"{url}: cannot be fetched: ")]
    assert reason in line
    assert out.startswith(f"source: {web.url}/article\n")


def test_pages_of_one_host_are_fetched_with_the_delay_of_the_settings(crawled: tuple[Project, Web]) -> None:
    project, web = crawled
    asked = len(web.requests)
    signed(project, f"{web.url}/article", f"{web.url}/", "-s", "DOWNLOAD_DELAY=0.5")
    times = [moment for moment, path in web.requests[asked:] if path != "/robots.txt"]
    assert len(times) == 2
    assert times[1] - times[0] >= 0.45


def test_signature_key_and_profile_need_no_crawl_and_make_no_store(tmp_path: Path) -> None:
    page = tmp_path / "page.html"
    page.write_bytes(SHORT)
    project = Project(tmp_path)
    code, out, _ = project.command("signature", str(page))
    lines = out.splitlines()
    assert code == 0
    assert lines[0] == f"source: {page}"
    assert lines[1] == f"signature: {hashlib.md5(PROFILE.encode()).hexdigest()} (TextProfileSignature)"
    assert lines[2].startswith("dedup key: ")
    assert lines[3:] == ["nearest known page: no crawl was found", "profile: 2 words", "\tcat 2", "\tdog 2"]
    assert not (tmp_path / "store").exists()


def test_a_store_that_does_not_answer_is_no_crawl(tmp_path: Path) -> None:
    page = tmp_path / "page.html"
    page.write_bytes(SHORT)
    code, out, err = Project(tmp_path, {"REDIS_URL": "redis://127.0.0.1:1"}).command("signature", str(page))
    assert (code, "nearest known page: no crawl was found" in out) == (0, True)
    assert "127.0.0.1:1" in err


def test_a_file_that_is_no_html_is_its_own_text_and_a_binary_one_has_none(tmp_path: Path) -> None:
    text, picture = tmp_path / "a.txt", tmp_path / "a.png"
    text.write_text("Cat dog cat,\n  dog cat. <b>Bird</b>", encoding="utf-16")
    picture.write_bytes(b"\x89PNG\r\n\x1a\nrest")
    of_text, of_picture = signed(Project(tmp_path), str(text), str(picture))
    assert of_text["signature"] == hashlib.md5(PROFILE.encode()).hexdigest()
    assert of_picture["signature"] == hashlib.md5(picture.read_bytes()).hexdigest()
    assert of_picture["profile"] is None


def test_other_signatures_are_shown_by_their_names_and_have_no_profile(tmp_path: Path) -> None:
    page = tmp_path / "page.html"
    page.write_bytes(SHORT)
    project = Project(tmp_path, {"NUTCH_SIGNATURE_CLASS": "nutchlike.signatures.md5.MD5Signature"})
    [facts] = signed(project, str(page))
    assert facts["signature"] == hashlib.md5(SHORT).hexdigest()
    assert (facts["signature_class"], facts["profile"]) == ("MD5Signature", None)


def test_standard_input_is_read_for_a_dash(tmp_path: Path) -> None:
    command = [sys.executable, "-m", "scrapy", "signature", "-", "-s", f"NUTCH_DATA_DIR={tmp_path / 'store'}"]
    done = subprocess.run(command, cwd=PROJECT, input=SHORT, capture_output=True, check=True, timeout=60)
    assert f"signature: {hashlib.md5(PROFILE.encode()).hexdigest()} ".encode() in done.stdout


@pytest.mark.parametrize(
    ("arguments", "code", "message"),
    [
        ([], 2, "give files, URLs, or - for standard input"),
        (["no-such-file"], 1, "no-such-file: cannot be read: No such file or directory"),
        (["x", "--spider", "other"], 2, "no spider 'other'"),
        (["x", "-s", "NUTCH_SIGNATURE_CLASS=no.such"], 2, "NUTCH_SIGNATURE_CLASS: cannot build 'no.such'"),
    ],
)
def test_bad_usage_is_named(tmp_path: Path, arguments: list[str], code: int, message: str) -> None:
    done, out, err = Project(tmp_path).command("signature", *arguments)
    assert (done, out) == (code, "")
    assert message in err
