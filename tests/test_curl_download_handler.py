"""What comes of answers and requests of every kind is the same with our download handler as with Scrapy's own."""

from __future__ import annotations

import asyncio
from collections.abc import Iterator
from typing import Any

import pytest
from download_handlers import HANDLERS, Downloads, outcome, wire
from raw_server import raw_server
from scrapy import Request

OK = b"HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nok"
FOUND = b"HTTP/1.1 200 OK\r\n"
CHUNKED = FOUND + b"Transfer-Encoding: chunked\r\n\r\n"

ANSWERS = {
    # where a body ends
    "with its length": OK,
    "without a body": FOUND + b"Content-Length: 0\r\n\r\n",
    "until the connection ends": FOUND + b"\r\nsome",
    "of HTTP/1.0, until the connection ends": b"HTTP/1.0 200 OK\r\n\r\nsome",
    "of HTTP/1.0, with its length": b"HTTP/1.0 200 OK\r\nContent-Length: 4\r\n\r\nsome",
    "in chunks": CHUNKED + b"3\r\nabc\r\n0\r\n\r\n",
    "in chunks with extensions": CHUNKED + b"3;a=b\r\nabc\r\n0\r\n\r\n",
    "in chunks with a trailer": CHUNKED + b"3\r\nabc\r\n0\r\nX-Trailer: 1\r\n\r\n",
    "in chunks and with a length": CHUNKED[:-2] + b"Content-Length: 3\r\n\r\n3\r\nabc\r\n0\r\n\r\n",
    "compressed, and left so": FOUND + b"Content-Encoding: gzip\r\nContent-Length: 3\r\n\r\nabc",
    "longer than it says": FOUND + b"Content-Length: 1\r\n\r\nok",
    "of many reads": FOUND + b"Content-Length: 300000\r\n\r\n" + b"x" * 300_000,
    # bodies that break off
    "shorter than it says": FOUND + b"Content-Length: 10\r\n\r\nabc",
    "in chunks, one cut off": CHUNKED + b"3\r\nab",
    "in chunks, the last one missing": CHUNKED + b"3\r\nabc\r\n",
    "in chunks, one of no length": CHUNKED + b"zz\r\nabc\r\n0\r\n\r\n",
    # headers
    "with headers twice": FOUND
    + b"X-A: 1\r\nx-a: 2\r\nSet-Cookie: a=b\r\nSet-Cookie: c\r\nContent-Length: 2\r\n\r\nok",
    "with headers of the connection": FOUND + b"Connection: close\r\nKeep-Alive: x\r\nContent-Length: 2\r\n\r\nok",
    "with a type": FOUND + b"Content-Type: text/html; charset=utf-8\r\nContent-Length: 2\r\n\r\nok",
    "with an empty header": FOUND + b"X-A:\r\nContent-Length: 2\r\n\r\nok",
    "with bytes beyond ASCII": FOUND + b"X-A: \xe9\r\nContent-Length: 2\r\n\r\nok",
    "with a line that is no header": FOUND + b"nonsense\r\nContent-Length: 2\r\n\r\nok",
    "with a NUL in a header": FOUND + b"X-A: a\0b\r\nContent-Length: 2\r\n\r\nok",
    "with lines without CR": b"HTTP/1.1 200 OK\nContent-Length: 2\n\nok",
    "with a long header": FOUND + b"X-A: " + b"a" * 15_000 + b"\r\nContent-Length: 2\r\n\r\nok",
    "with 700 headers": FOUND + b"".join(b"X-%d: a\r\n" % i for i in range(700)) + b"Content-Length: 2\r\n\r\nok",
    "with a head that breaks off": FOUND + b"Content-Le",
    # lengths that are none, or two
    "with the same length twice": FOUND + b"Content-Length: 2\r\nContent-Length: 2\r\n\r\nok",
    "with the same length twice in a line": FOUND + b"Content-Length: 2, 2\r\n\r\nok",
    "with two lengths": FOUND + b"Content-Length: 2\r\nContent-Length: 3\r\n\r\nok",
    "with a length of letters": FOUND + b"Content-Length: abc\r\n\r\nok",
    "with a length below 0": FOUND + b"Content-Length: -2\r\n\r\nok",
    "with an empty length": FOUND + b"Content-Length:\r\n\r\nok",
    "with a length beyond all limits": FOUND + b"Content-Length: 99999999999999999999999\r\n\r\nok",
    # statuses
    "100 before it": b"HTTP/1.1 100 Continue\r\n\r\n" + OK,
    "103 before it": b"HTTP/1.1 103 Early Hints\r\nLink: </x>\r\n\r\n" + OK,
    "102 before it, twice": b"HTTP/1.1 102 Processing\r\n\r\n" * 2 + OK,
    "204": b"HTTP/1.1 204 No Content\r\n\r\n",
    "301, not followed": b"HTTP/1.1 301 Moved\r\nLocation: /x\r\nContent-Length: 0\r\n\r\n",
    "304": b"HTTP/1.1 304 Not Modified\r\nETag: x\r\nContent-Length: 10\r\n\r\n",
    "401": b"HTTP/1.1 401 No\r\nWWW-Authenticate: Basic realm=x\r\nContent-Length: 0\r\n\r\n",
    "417": b"HTTP/1.1 417 No\r\nContent-Length: 0\r\n\r\n",
    "500": b"HTTP/1.1 500 Broken\r\nContent-Length: 1\r\n\r\nx",
    "999": b"HTTP/1.1 999 Go away\r\nContent-Length: 1\r\n\r\nx",
    # first lines
    "without a reason": b"HTTP/1.1 200\r\nContent-Length: 2\r\n\r\nok",
    "without a status": b"HTTP/1.1\r\nContent-Length: 2\r\n\r\nok",
    "with a status of letters": b"HTTP/1.1 OK\r\nContent-Length: 2\r\n\r\nok",
    "with two spaces before the status": b"HTTP/1.1  200 OK\r\nContent-Length: 2\r\n\r\nok",
    "after an empty line": b"\r\n" + OK,
    "of HTTP/2, in clear": b"HTTP/2 200 OK\r\nContent-Length: 2\r\n\r\nok",
    "of a radio station": b"ICY 200 OK\r\nContent-Length: 2\r\n\r\nok",
    "of HTTP/0.9": b"<html>hello</html>",
    "of no byte": b"",
}
BROKEN = ["shorter than it says", "in chunks, one cut off", "in chunks, one of no length"]
REQUESTS: dict[str, tuple[str, dict[str, Any]]] = {
    # URLs
    "a fragment": ("/a#b", {}),
    "segments of dots": ("/a/../b/./c", {}),
    "a query without a path": ("?x=1", {}),
    "an empty query": ("/?", {}),
    "escapes, and a query without a path": ("?x=%2f%2F", {}),
    "escapes of both spellings": ("/%7Ea%2fb/é?q=ü&a=b c", {}),
    "empty segments": ("//a//b", {}),
    "signs that should be escaped": ('/a[1]|{}^`"<>\\x', {}),
    # methods and bodies
    "POST": ("/", {"method": "POST", "body": b"abc"}),
    "POST with a type": ("/", {"method": "POST", "body": b"abc", "headers": {"Content-Type": "a/b"}}),
    "POST without a body": ("/", {"method": "POST"}),
    "POST of 2 MB": ("/", {"method": "POST", "body": b"x" * 2_000_000}),
    "PUT with a NUL": ("/", {"method": "PUT", "body": b"a\0b"}),
    "PUT without a body": ("/", {"method": "PUT"}),
    "DELETE": ("/", {"method": "DELETE"}),
    "DELETE with a body": ("/", {"method": "DELETE", "body": b"x"}),
    "PATCH without a body": ("/", {"method": "PATCH"}),
    "OPTIONS": ("/", {"method": "OPTIONS"}),
    "a method of one's own": ("/", {"method": "PROPFIND", "body": b"<x/>"}),
    "GET with a body": ("/", {"body": b"abc"}),
    "a method of two words": ("/", {"method": "GE T"}),
    "a method with headers in it": ("/", {"method": "GET / HTTP/1.1\r\nX: y\r\n\r\n"}),
    # headers
    "headers of many kinds": (
        "/",
        {"headers": {"Accept": "a", "User-Agent": "ua", "X": ["1", "2"], "x-low": "é", "Empty": "", "Cookie": "a=b"}},
    ),
    "another host's name": ("/", {"headers": {"Host": "other.test"}}),
    "header values with lines' ends": ("/", {"headers": {"X": "a\r\nY: b", "Z": "a\nb", "W": "\r\n"}}),
    "a conditional GET": ("/", {"headers": {"If-None-Match": '"x"', "Range": "bytes=0-1"}}),
    "Connection: close": ("/", {"headers": {"Connection": "close"}}),
    "Expect": ("/", {"method": "POST", "body": b"a", "headers": {"Expect": "100-continue"}}),
}


@pytest.fixture
def handlers(reactor_loop: asyncio.AbstractEventLoop) -> Iterator[dict[str, Downloads]]:
    """Both handlers, fresh for each test: none may have learned of the server's port before."""
    made = {name: Downloads(reactor_loop, name, {}) for name in HANDLERS}
    yield made
    for downloads in made.values():
        downloads.close()


def outcomes(handlers: dict[str, Downloads], sent: bytes, *, then: str = "close", **arguments: Any) -> list[Any]:
    """Return what Scrapy's handler makes of an answer, and what ours does."""
    made = []
    for downloads in handlers.values():
        with raw_server(sent, then=then) as server:
            came = outcome(lambda d=downloads, s=server: d.fetch(Request(s.url + "/", **arguments)))
            made.append({**came, "url": came.get("url", "").removeprefix(server.url)})
    return made


@pytest.mark.parametrize("sent", ANSWERS.values(), ids=ANSWERS.keys())
def test_an_answer_becomes_what_scrapy_makes_of_it(handlers: dict[str, Downloads], sent: bytes) -> None:
    scrapys, ours = outcomes(handlers, sent)
    assert ours == scrapys


@pytest.mark.parametrize("name", ["with its length", "204", "304", "without a body", "in chunks"])
def test_a_head_without_a_body_becomes_what_scrapy_makes_of_it(handlers: dict[str, Downloads], name: str) -> None:
    head = ANSWERS[name].partition(b"\r\n\r\n")[0] + b"\r\n\r\n"
    scrapys, ours = outcomes(handlers, head, then="keep", method="HEAD")
    assert ours == scrapys
    assert ours["status"] in (200, 204, 304)


@pytest.mark.parametrize(
    "name",
    ["shorter than it says", "until the connection ends", "in chunks, one cut off", "with a head that breaks off"],
)
def test_a_connection_that_is_reset_has_the_outcome_that_it_has_in_scrapy(
    handlers: dict[str, Downloads], name: str
) -> None:
    scrapys, ours = outcomes(handlers, ANSWERS[name], then="reset")
    assert ours == scrapys


@pytest.mark.parametrize(
    "name",
    ["shorter than it says", "in chunks, one cut off", "in chunks, one of no length", "until the connection ends"],
)
def test_a_broken_body_is_kept_and_flagged_where_that_is_asked_for(handlers: dict[str, Downloads], name: str) -> None:
    scrapys, ours = outcomes(handlers, ANSWERS[name], meta={"download_fail_on_dataloss": False})
    assert ours == scrapys
    assert ours["flags"]


@pytest.mark.parametrize("name", ["of no byte", "with a head that breaks off", "shorter than it says"])
def test_an_answer_that_takes_too_long_is_given_up(handlers: dict[str, Downloads], name: str) -> None:
    scrapys, ours = outcomes(handlers, ANSWERS[name], then="hold", meta={"download_timeout": 0.3})
    assert ours == scrapys == {"raised": "DownloadTimeoutError", "url": ""}


@pytest.mark.parametrize("name", ["of many reads", "until the connection ends"])
@pytest.mark.parametrize(("limit", "is_broken_off"), [(3, True), (299_999, None), (300_000, False)])
def test_a_body_beyond_the_limit_is_broken_off(
    handlers: dict[str, Downloads], name: str, limit: int, is_broken_off: bool | None
) -> None:
    scrapys, ours = outcomes(handlers, ANSWERS[name], meta={"download_maxsize": limit})
    assert ours == scrapys
    if is_broken_off is not None:
        assert (ours.get("raised") == "DownloadCancelledError") is is_broken_off


@pytest.mark.parametrize(("path", "arguments"), REQUESTS.values(), ids=REQUESTS.keys())
def test_a_request_is_sent_as_scrapy_sends_it(
    handlers: dict[str, Downloads], path: str, arguments: dict[str, Any]
) -> None:
    sent = []
    for downloads in handlers.values():
        with raw_server(OK, then="keep") as server:
            came = outcome(lambda d=downloads, s=server: d.fetch(Request(s.url + path, **arguments)))
            lines = [wire(raw.replace(server.address.encode(), b"server")) for raw in server.requests]
            sent.append((came.get("status"), came.get("raised"), came.get("url", "").removeprefix(server.url), lines))
    assert sent[1] == sent[0]


@pytest.mark.parametrize("name", ["X: 1\r\nY", "X Y", "X:", ""])
def test_a_header_whose_name_is_none_is_refused(handlers: dict[str, Downloads], name: str) -> None:
    with raw_server(OK, then="keep") as server:
        for downloads in handlers.values():
            with pytest.raises(ValueError, match=r".+"):
                downloads.fetch(Request(server.url, headers={name: "a"}))
        assert server.requests == []


def test_a_length_that_the_body_does_not_have_is_not_sent(handlers: dict[str, Downloads]) -> None:
    """Scrapy's handler sends it, and the server waits for the rest."""
    with raw_server(OK, then="keep") as server:
        handlers["curl"].fetch(Request(server.url, headers={"Content-Length": "9", "Transfer-Encoding": "chunked"}))
        assert wire(server.requests[0])[1] == [b"Host: " + server.address.encode()]


@pytest.mark.parametrize(
    ("url", "raised"),
    [("http://127.0.0.1:9/", "DownloadConnectionRefusedError"), ("http://nosuch.invalid/", "CannotResolveHostError")],
)
def test_a_server_that_is_not_there_has_scrapys_exception(
    handlers: dict[str, Downloads], url: str, raised: str
) -> None:
    for downloads in handlers.values():
        assert outcome(lambda d=downloads: d.fetch(Request(url))) == {"raised": raised}


def test_a_site_that_libcurl_does_not_understand_is_left_to_scrapy(handlers: dict[str, Downloads]) -> None:
    ours = handlers["curl"]
    with raw_server(ANSWERS["with a line that is no header"]) as server:
        assert ours.fetch(Request(server.url)).body == b"ok"
        assert len(server.requests) == 2
        assert ours.fetch(Request(server.url + "/next")).body == b"ok"
        assert len(server.requests) == 3
    assert ours.crawler.stats is not None
    assert ours.crawler.stats.get_value("nutch/downloads/left_to_scrapy") == 2


def test_a_post_is_not_sent_twice(handlers: dict[str, Downloads]) -> None:
    with raw_server(ANSWERS["with a line that is no header"]) as server:
        came = outcome(lambda: handlers["curl"].fetch(Request(server.url, method="POST", body=b"x")))
        assert came == {"raised": "DownloadFailedError"}
        assert len(server.requests) == 1
