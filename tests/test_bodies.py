"""Bodies as servers send them: what becomes of a page whose charset, type, packing or length is not as it says."""

from __future__ import annotations

import codecs
import gzip
import hashlib
import json
import zlib
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from socketserver import StreamRequestHandler, ThreadingTCPServer
from threading import Event, Thread
from typing import Any

import pytest
from test_politeness import stat
from web import Answer, Crawl, Project, html, serve

from nutchlike.middlewares.decompression import brotli, zstd

HTML = "text/html"
PDF = b"%PDF-1.4\n%\xe2\xe3 <a href=/no>no</a>"
PNG = b"\x89PNG\r\n\x1a\n\x00\x00\x00\rIHDR"


@pytest.fixture
def project(tmp_path: Path) -> Project:
    return Project(tmp_path)


def crawl_of(project: Project, pages: dict[str, Any], **settings: Any) -> tuple[Crawl, dict[str, Any], dict[str, Any]]:
    """Crawl ``pages`` as seeds; return the crawl, and by path its items and its records."""
    seeds = project.folder / "seeds.txt"
    with serve(pages) as web:
        seeds.write_text("".join(f"{web.url}{path}\n" for path in pages), encoding="utf-8")
        crawl = project.crawl(f"seeds={seeds}", **settings)
        items = {item["url"].removeprefix(web.url): item for item in crawl.items}
        dump = project.command("readdb", "--dump")[1].splitlines()
    records = {record["url"].removeprefix(web.url): record for record in map(json.loads, dump)}
    assert crawl.code == 0
    return crawl, items, records


def answer(body: bytes, content_type: str | None = HTML, **headers: str) -> Answer:
    named = {name.replace("_", "-"): value for name, value in headers.items()}
    return Answer(body, headers=({"Content-Type": content_type} if content_type else {}) | named)


def statuses(records: dict[str, Any]) -> dict[str, tuple[str, int]]:
    return {path: (record["db_status"], record["retries"]) for path, record in records.items()}


# ENC 145, 146, 148, 149
def test_a_crawl_reads_pages_in_their_encodings_whatever_their_labels_say(project: Project) -> None:
    chinese = "<p>朱镕基 {}"
    pages = {
        "/bom": answer(codecs.BOM_UTF8 + "<p>Привет".encode(), "text/html; charset=windows-1251"),
        "/label": answer(chinese.format("1").encode("gbk"), "text/html; charset=gb2312"),
        "/meta": answer(b"<meta charset=gb2312>" + chinese.format("2").encode("gbk")),
        "/wrong": answer(chinese.format("3").encode("gbk"), "text/html; charset=utf-8"),
        "/nonsense": answer("<p>Gruß".encode(), 'text/html; charset="UTF-8";'),
    }
    for size in (900, 5_000, 20_000):
        comment = f"<!--{'x' * size}--><meta charset=gbk>"
        pages[f"/{size}"] = answer(comment.encode() + chinese.format(size).encode("gbk"))
    for label in ("utf8mb4", "", "none", "$charset"):
        pages[f"/label-{label}"] = answer(f"<p>Größe {label}".encode(), f"text/html; charset={label}")
    _, items, records = crawl_of(project, pages)
    assert set(statuses(records).values()) == {("db_fetched", 0)}
    texts = {path: item["text"] for path, item in items.items()}
    assert texts["/bom"] == "Привет"
    assert [texts[path] for path in ("/label", "/meta", "/900", "/5000", "/20000")] == [
        "朱镕基 1",
        "朱镕基 2",
        "朱镕基 900",
        "朱镕基 5000",
        "朱镕基 20000",
    ]
    assert texts["/nonsense"] == "Gruß"
    assert [texts[f"/label-{label}"] for label in ("utf8mb4", "none", "$charset")] == [
        "Größe utf8mb4",
        "Größe none",
        "Größe $charset",
    ]
    assert texts["/wrong"].endswith(" 3")
    assert "\ufffd" in texts["/wrong"]


def test_a_page_whose_header_names_a_wrong_encoding_is_the_same_at_each_fetch(project: Project) -> None:
    with serve({"/": answer("<p>朱镕基".encode("gbk"), "text/html; charset=utf-8")}) as web:
        for _ in range(2):
            project.crawl(f"url={web.url}/", NUTCH_DB_INJECTOR_OVERWRITE=True)
    [one, other] = [item["signature"] for item in project.items()]
    assert one == other


# HTML 157, 158, 160, 161
def test_only_links_to_documents_become_pages_and_base_is_heeded(project: Project) -> None:
    body = """<base><base href="/base/"><base href="/second/"><title>x</title>
        <a href="page.php">1</a> <a href="\n/ok\t2 ">2</a> <a href="">3</a> <a href="#top">4</a>
        <a href="javascript:go()">5</a> <a href="mailto:x@y.test">6</a> <a href="tel:1">7</a>
        <img src="/no.png" srcset="/w=800,q=90/a.jpg 1x, /b.jpg 2x"><a href="data:text/plain,{}">8</a>"""
    crawl, items, records = crawl_of(
        project,
        {
            "/foo/bar": answer(body.replace("{}", "y" * 1_000_000).encode()),
            "/other": answer(b'<base href="http://127.0.0.2:9/"><a href="page">1</a>'),
        },
    )
    assert set(items) == {"/foo/bar", "/other"}
    assert set(records) == {"/foo/bar", "/other", "/base/page.php", "/ok2"}
    assert "yyyyy" not in crawl.log
    assert stat(crawl, "urls/external") == 1


# BODY 163, 164
def test_what_is_no_html_is_a_page_without_text_and_links_known_by_its_bytes(project: Project) -> None:
    pages = {
        "/moved": Answer(b"", 302, {"Location": "/doc"}),
        "/doc": answer(PDF, "application/pdf"),
        "/image": answer(PNG, None),
        "/labelled": answer(PDF + b"2"),
        "/x.html": answer(PDF + b"3", "application/pdf"),
        "/octets": answer(html("page", []), "application/octet-stream"),
        "/octets-2": answer(PNG + b"2", "application/octet-stream"),
    }
    _, items, records = crawl_of(project, pages)
    assert statuses(records) == dict.fromkeys(pages, ("db_fetched", 0)) | {"/moved": ("db_redir_temp", 0)}
    for path in set(pages) - {"/moved", "/octets"}:
        assert (items[path]["title"], items[path]["text"]) == ("", "")
        assert items[path]["signature"] == hashlib.md5(pages[path].body).hexdigest()
    assert items["/octets"]["title"] == "page"


# BODY 166
def test_bodies_that_are_not_packed_as_they_say_are_read_or_tried_again(project: Project) -> None:
    page = {name: html(name, []) for name in ("plain", "deflated", "brotli", "twice", "said-twice", "unsaid", "tail")}
    whole = gzip.compress(html("cut", []), mtime=0)
    pages = {
        "/plain": answer(page["plain"], Content_Encoding="gzip"),
        "/deflated": answer(page["deflated"], Content_Encoding="deflate"),
        "/brotli": answer(page["brotli"], Content_Encoding="br"),
        "/twice": answer(gzip.compress(gzip.compress(page["twice"])), Content_Encoding="gzip"),
        "/said-twice": answer(gzip.compress(gzip.compress(page["said-twice"])), Content_Encoding="gzip, gzip"),
        "/unsaid": answer(gzip.compress(page["unsaid"])),
        "/tail": answer(gzip.compress(page["tail"]) + b"\0" * 9, Content_Encoding="gzip"),
        "/members": answer(gzip.compress(b"<title>members</title>") + gzip.compress(b"x"), Content_Encoding="gzip"),
        "/file": answer(gzip.compress(gzip.compress(b"file")), "application/gzip", Content_Encoding="gzip"),
        "/cut": answer(whole[: len(whole) // 2], Content_Encoding="gzip"),
        "/cut-twice": answer(gzip.compress(whole[: len(whole) // 2]), Content_Encoding="gzip"),
        "/damaged": answer(whole[:40] + b"\xff" * 40 + whole[80:], Content_Encoding="gzip"),
        "/no-deflate": answer(b"\x07\x08\x09 nothing", Content_Encoding="deflate"),
        "/deflate": answer(zlib.compress(html("deflate", [])), Content_Encoding="deflate"),
        "/none": answer(b"", Content_Encoding="br"),
        "/raw": answer(zlib.compress(html("raw", []), wbits=-15), Content_Encoding="deflate"),
        "/br": answer(brotli.compress(html("br", [])), Content_Encoding="br"),
        "/zstd": answer(zstd.compress(html("zstd", [])), Content_Encoding="zstd"),
        "/frames": answer(zstd.compress(html("frames", [])) + zstd.compress(b"<p>more"), Content_Encoding="zstd"),
    }
    cut = html("cut", [], text=" ".join(map(str, range(500))))
    for coding, packed in {
        "br": brotli.compress(cut),
        "zstd": zstd.compress(cut),
        "deflate": zlib.compress(cut),
        "raw": zlib.compress(cut, wbits=-15),
    }.items():
        pages[f"/cut-{coding}"] = answer(
            packed[: len(packed) * 2 // 3], Content_Encoding=coding if coding != "raw" else "deflate"
        )
    crawl, items, records = crawl_of(project, pages)
    failed = {"/cut", "/cut-twice", "/damaged", "/no-deflate"} | {path for path in pages if path.startswith("/cut-")}
    assert statuses(records) == {path: ("db_unfetched", 1) if path in failed else ("db_fetched", 0) for path in pages}
    assert {path: item["title"] for path, item in items.items()} == {
        path: "" if path in {"/file", "/none"} else path[1:] for path in set(pages) - failed
    }
    assert items["/file"]["content_type"] == "application/gzip"
    for coding in ("gzip", "br", "zstd", "deflate"):
        assert f"its {coding} breaks off" in crawl.log
    assert stat(crawl, "bodies/broken") == len(failed)
    assert stat(crawl, "bodies/not_packed") == 3
    assert stat(crawl, "bodies/packed_twice") == 2  # one of them cut
    assert stat(crawl, "bodies/packed_unsaid") == 1


def test_gzip_that_unpacks_to_too_much_is_no_page(project: Project) -> None:
    bomb = gzip.compress(b"<p>" + b"x" * 3_000_000)
    pages = {"/one": answer(bomb, Content_Encoding="gzip"), "/two": answer(bomb)}
    _, items, records = crawl_of(project, pages, DOWNLOAD_MAXSIZE=1_000_000)
    assert items == {}
    assert statuses(records) == {"/one": ("db_gone", 0), "/two": ("db_unfetched", 1)}


# BODY 167
def test_empty_answers_are_pages_without_a_signature_and_no_copies_of_each_other(project: Project) -> None:
    pages = {"/1": answer(b""), "/2": answer(b""), "/3": Answer(b"", 204, headers={}), "/4": answer(b"", None)}
    _, items, records = crawl_of(project, pages)
    assert statuses(records) == dict.fromkeys(pages, ("db_fetched", 0))
    assert {item["signature"] for item in items.values()} == {""}
    assert {(record["signature"], record["dedup_key"]) for record in records.values()} == {(None, None)}


def test_strictly_as_nutch_an_empty_answer_is_known_by_its_url(project: Project) -> None:
    _, items, records = crawl_of(project, {"/1": answer(b"")}, NUTCH_STRICT=True)
    assert (
        items["/1"]["signature"] == records["/1"]["signature"] == hashlib.md5(items["/1"]["url"].encode()).hexdigest()
    )


HEAD = b"HTTP/1.1 200 OK\r\nContent-Type: text/html\r\n"


@contextmanager
def serve_raw(answers: dict[str, list[bytes]]) -> Iterator[tuple[str, Event]]:
    """Serve bytes as they are, piece by piece, then hang up; after an empty piece hold the line until the event."""
    end = Event()

    class Handler(StreamRequestHandler):
        def handle(self) -> None:
            path = self.rfile.readline().split()[1].decode()
            while self.rfile.readline().strip():
                pass
            for piece in answers.get(path, [b"HTTP/1.1 404 no\r\nContent-Length: 0\r\nConnection: close\r\n\r\n"]):
                if not piece:
                    end.wait(30)
                self.wfile.write(piece)

    server = ThreadingTCPServer(("127.0.0.1", 0), Handler)
    server.daemon_threads = True
    Thread(target=server.serve_forever, daemon=True).start()
    try:
        yield f"http://127.0.0.1:{server.server_address[1]}", end
    finally:
        end.set()
        server.shutdown()
        server.server_close()


def test_answers_that_break_off_or_never_end_are_tried_again_and_not_signed(project: Project) -> None:
    answers = {
        "/cut": [HEAD + b"Content-Length: 1000\r\n\r\n" + b"x" * 400],
        "/cut-chunk": [HEAD + b"Transfer-Encoding: chunked\r\n\r\n64\r\n" + b"x" * 40],
        "/endless": [HEAD + b"Transfer-Encoding: chunked\r\n\r\n1\r\nx\r\n", b""],
        "/too-long": [HEAD + b"Transfer-Encoding: chunked\r\n\r\n"] + [b"2710\r\n" + b"x" * 10_000 + b"\r\n"] * 30,
        "/said-too-long": [HEAD + b"Content-Length: 99999999\r\n\r\n", b""],
    }
    seeds = project.folder / "seeds.txt"
    with serve_raw(answers) as (url, _):
        seeds.write_text("".join(f"{url}{path}\n" for path in answers), encoding="utf-8")
        crawl = project.crawl(f"seeds={seeds}", DOWNLOAD_TIMEOUT=3, DOWNLOAD_MAXSIZE=100_000, RETRY_ENABLED=False)
        records = [json.loads(line) for line in project.command("readdb", "--dump")[1].splitlines()]
    assert (crawl.code, crawl.items) == (0, []), crawl.log
    assert {(record["url"].removeprefix(url), record["db_status"], record["retries"]) for record in records} == {
        (path, "db_unfetched", 1) for path in answers
    }
    assert {record["signature"] for record in records} == {None}
