"""Connections of our download handler: TLS, proxies, keep-alive, signals' handlers, its end; beside Scrapy's own."""

from __future__ import annotations

import asyncio
import os
import ssl
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
from download_handlers import HANDLERS, Downloads, outcome, wire
from raw_server import raw_server
from scrapy import Request, signals
from scrapy.exceptions import DownloadCancelledError, StopDownload
from tls_files import make_certificate, server_context

OK = b"HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nok"
LONG = b"HTTP/1.1 200 OK\r\nContent-Length: 3000000\r\n\r\n" + b"x" * 3_000_000
REFUSED = b"HTTP/1.1 407 Who are you\r\nContent-Length: 0\r\n\r\n"
MAKES = Callable[..., Downloads]

both = pytest.mark.parametrize("name", HANDLERS)


@pytest.fixture
def downloads(reactor_loop: asyncio.AbstractEventLoop) -> Iterator[MAKES]:
    """Make a handler of that name, with settings."""
    made = []

    def make(name: str, **settings: Any) -> Downloads:
        made.append(Downloads(reactor_loop, name, settings))
        return made[-1]

    yield make
    for one in made:
        one.close()


@pytest.fixture(scope="module")
def certificate(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A file that nobody trusts."""
    return make_certificate(tmp_path_factory.mktemp("tls"))


@both
def test_every_answer_by_tls_has_the_servers_certificate(downloads: MAKES, name: str, certificate: Path) -> None:
    handler = downloads(name)
    with raw_server(OK, then="keep", tls=server_context(certificate)) as server:
        for _ in range(2):
            response = handler.fetch(Request(server.url))
            assert (response.status, response.certificate.getSubject().commonName) == (200, b"127.0.0.1")
        assert server.connections == 1


@both
@pytest.mark.parametrize("trusted", [True, False])
def test_certificates_are_verified_where_that_is_asked_for(
    downloads: MAKES, name: str, certificate: Path, monkeypatch: pytest.MonkeyPatch, trusted: bool
) -> None:
    if trusted:
        monkeypatch.setenv("SSL_CERT_FILE", str(certificate))
    handler = downloads(name, DOWNLOAD_VERIFY_CERTIFICATES=True)
    with raw_server(OK, then="keep", tls=server_context(certificate)) as server:
        came = outcome(lambda: handler.fetch(Request(server.url)))
    assert (came.get("status"), came.get("raised")) == ((200, None) if trusted else (None, "DownloadFailedError"))


@both
@pytest.mark.parametrize(
    ("settings", "version"),
    [
        ({"DOWNLOAD_TLS_MIN_VERSION": "TLSv1.3"}, ssl.TLSVersion.TLSv1_2),
        ({"DOWNLOAD_TLS_MAX_VERSION": "TLSv1.2"}, ssl.TLSVersion.TLSv1_3),
        ({"DOWNLOADER_CLIENT_TLS_CIPHERS": "ECDHE-RSA-AES256-GCM-SHA384"}, ssl.TLSVersion.TLSv1_2),  # the key is EC
    ],
)
def test_a_server_without_common_tls_fails(
    downloads: MAKES, name: str, certificate: Path, settings: dict[str, str], version: ssl.TLSVersion
) -> None:
    context = server_context(certificate)
    context.minimum_version = context.maximum_version = version
    with raw_server(OK, then="keep", tls=context) as server:
        strict = downloads(name, **settings)
        assert outcome(lambda: strict.fetch(Request(server.url))) == {"raised": "DownloadFailedError"}
        assert downloads(name).fetch(Request(server.url)).status == 200


@pytest.mark.parametrize(
    "settings",
    [{"DOWNLOAD_TLS_MIN_VERSION": "1.3"}, {"DOWNLOADER_CLIENT_TLS_CIPHERS": "none of these"}],
)
def test_a_bad_tls_setting_is_named(downloads: MAKES, settings: dict[str, str]) -> None:
    ((setting, value),) = settings.items()
    with pytest.raises(ValueError, match=rf"{setting} must .* got '{value}'"):
        downloads("curl", **settings)


@both
def test_a_page_by_http_is_asked_for_at_the_proxy(downloads: MAKES, name: str) -> None:
    with raw_server(OK, then="keep") as proxy:
        handler = downloads(name)
        for address in (proxy.url, proxy.address):
            meta, headers = {"proxy": address}, {"Proxy-Authorization": "Basic eDp5"}
            assert handler.fetch(Request("http://far.test:81/x%2fy?z#f", meta=meta, headers=headers)).status == 200
        for request in proxy.requests:
            expected = [b"Host: far.test:81", b"Proxy-Authorization: Basic eDp5"]
            assert wire(request) == (b"GET http://far.test:81/x%2fy?z HTTP/1.1", expected, b"")


@both
def test_a_page_by_https_is_asked_for_through_a_tunnel_of_its_credentials(
    downloads: MAKES, name: str, certificate: Path
) -> None:
    """A tunnel that other credentials opened is never taken."""
    with (
        raw_server(OK, then="keep", tls=server_context(certificate)) as server,
        raw_server(OK, then="keep") as proxy,
    ):
        handler = downloads(name)
        for credentials in (b"Basic first", b"Basic first", b"Basic other", b"Basic first"):
            headers = {"Proxy-Authorization": credentials, "X": "1"}
            assert (
                handler.fetch(Request(server.url + "/x%2fy", meta={"proxy": proxy.url}, headers=headers)).status == 200
            )
        host = b"Host: " + server.address.encode()
        connect = b"CONNECT " + server.address.encode() + b" HTTP/1.1"
        assert [wire(request) for request in proxy.requests] == [
            (connect, [host, b"Proxy-Authorization: Basic " + who], b"") for who in (b"first", b"other")
        ]
        assert {wire(request)[:2] == (b"GET /x%2fy HTTP/1.1", [host, b"X: 1"]) for request in server.requests} == {True}


@both
def test_a_proxy_that_is_not_there_or_refuses_has_scrapys_exception(downloads: MAKES, name: str) -> None:
    handler = downloads(name)

    def raised(url: str, proxy: str) -> str:
        return str(outcome(lambda: handler.fetch(Request(url, meta={"proxy": proxy})))["raised"])

    with raw_server(b"", refuses=REFUSED) as proxy:
        assert raised("https://far.test/", proxy.url) == "TunnelError"
    assert raised("https://far.test/", "http://127.0.0.1:9") == "DownloadConnectionRefusedError"
    assert raised("http://far.test/", "http://nosuch.invalid:8080") == "CannotResolveHostError"


def test_the_environment_names_no_proxy_here(downloads: MAKES, monkeypatch: pytest.MonkeyPatch) -> None:
    """Scrapy's HttpProxyMiddleware reads it."""
    for variable in ("http_proxy", "https_proxy", "all_proxy", "ALL_PROXY"):
        monkeypatch.setenv(variable, "http://127.0.0.1:9")
    with raw_server(OK, then="keep") as server:
        assert downloads("curl").fetch(Request(server.url)).status == 200
    monkeypatch.setenv("no_proxy", "*")
    with raw_server(OK, then="keep") as proxy:
        assert downloads("curl").fetch(Request("http://far.test/", meta={"proxy": proxy.url})).status == 200


@both
def test_the_local_address_may_be_chosen(downloads: MAKES, name: str) -> None:
    with raw_server(OK, then="keep") as server:
        handler = downloads(name, DOWNLOAD_BIND_ADDRESS="127.0.0.2")
        handler.fetch(Request(server.url))
        handler.fetch(Request(server.url))
        handler.fetch(Request(server.url, meta={"bindaddress": ("127.0.0.3", 0)}))
        assert server.peers == ["127.0.0.2", "127.0.0.3"]


@both
def test_connections_are_kept_and_a_dead_one_is_replaced(downloads: MAKES, name: str) -> None:
    handler = downloads(name)
    with raw_server(OK, then="keep") as server:
        for _ in range(5):
            assert handler.fetch(Request(server.url)).status == 200
        assert server.connections == 1
    with raw_server(OK, then="close") as server:
        for _ in range(3):
            assert handler.fetch(Request(server.url)).status == 200
        assert server.connections == 3


def test_many_downloads_run_at_once_and_leave_nothing_open(downloads: MAKES) -> None:
    before = len(os.listdir("/proc/self/fd"))
    handler = downloads("curl")
    with raw_server(LONG, then="keep") as server:

        async def fetch_all() -> list[int]:
            requests = [Request(f"{server.url}/{number}", meta={"download_timeout": 20}) for number in range(20)]
            answers = await asyncio.gather(*map(handler.handler.download_request, requests))
            return [len(answer.body) for answer in answers]

        assert handler.run(fetch_all()) == [3_000_000] * 20
        assert 1 < server.connections <= 20
        handler.close()
    assert handler.run(_until(lambda: len(os.listdir("/proc/self/fd")) <= before))


@both
@pytest.mark.parametrize("fail", [True, False])
@pytest.mark.parametrize(("signal", "most"), [(signals.headers_received, 0), (signals.bytes_received, 2_000_000)])
def test_a_signals_handler_may_break_a_download_off(
    downloads: MAKES, name: str, fail: bool, signal: object, most: int
) -> None:
    handler = downloads(name)
    told = []

    def stop(**arguments: Any) -> None:
        told.append(arguments)
        raise StopDownload(fail=fail)

    handler.crawler.signals.connect(stop, signal, weak=False)
    with raw_server(LONG, then="keep") as server:
        request = Request(server.url)
        if fail:
            with pytest.raises(StopDownload) as caught:
                handler.fetch(request)
            response = caught.value.response
        else:
            response = handler.fetch(request)
    assert response is not None
    assert (response.status, response.flags) == (200, ["download_stopped"])
    assert len(response.body) <= most
    assert len(told) == 1
    assert told[0]["request"] is request
    if most:
        assert told[0]["data"] == response.body
    else:
        assert (told[0]["body_length"], told[0]["headers"]["Content-Length"]) == (3_000_000, b"3000000")


@both
def test_an_exception_of_a_signals_handler_breaks_nothing(
    downloads: MAKES, name: str, caplog: pytest.LogCaptureFixture
) -> None:
    handler = downloads(name)

    def fail(**arguments: Any) -> None:
        raise RuntimeError("a handler's fault")

    handler.crawler.signals.connect(fail, signals.headers_received, weak=False)
    with raw_server(OK, then="keep") as server:
        assert handler.fetch(Request(server.url)).body == b"ok"
    assert "a handler's fault" in caplog.text


def test_what_fails_while_an_answer_is_taken_reaches_the_request(
    downloads: MAKES, monkeypatch: pytest.MonkeyPatch
) -> None:
    handler = downloads("curl")

    def fail(*arguments: Any, **named: Any) -> None:
        raise RuntimeError("no signals to-day")

    monkeypatch.setattr(handler.crawler.signals, "send_catch_log", fail)
    with raw_server(OK, then="keep") as server, pytest.raises(RuntimeError, match="no signals to-day"):
        handler.fetch(Request(server.url))


@both
def test_the_latency_is_the_time_until_the_head(downloads: MAKES, name: str) -> None:
    with raw_server(LONG[:1000], then="hold") as server:
        request = Request(server.url, meta={"download_timeout": 0.5})
        assert outcome(lambda: downloads(name).fetch(request)) == {"raised": "DownloadTimeoutError"}
        assert 0 < request.meta["download_latency"] < 0.5


def test_a_cancelled_download_leaves_the_handler_usable(downloads: MAKES) -> None:
    handler = downloads("curl")

    async def cancel() -> None:
        task = asyncio.ensure_future(handler.handler.download_request(Request(server.url)))
        await _until(lambda: bool(server.requests))
        task.cancel()
        with pytest.raises(asyncio.CancelledError):
            await task

    with raw_server(b"", then="hold") as server:
        handler.run(cancel())
    with raw_server(OK, then="keep") as server:
        assert handler.fetch(Request(server.url)).body == b"ok"


def test_a_handler_that_is_closed_cancels_what_runs(downloads: MAKES) -> None:
    handler = downloads("curl")

    async def close() -> None:
        task = asyncio.ensure_future(handler.handler.download_request(Request(server.url)))
        await _until(lambda: bool(server.requests))
        await handler.handler.close()
        with pytest.raises(DownloadCancelledError, match="closed"):
            await task

    with raw_server(b"", then="hold") as server:
        handler.run(close())


async def _until(condition: Callable[[], bool], *, seconds: float = 10.0) -> bool:
    """Wait until ``condition`` holds; AssertionError after ``seconds``."""
    loop = asyncio.get_running_loop()
    deadline = loop.time() + seconds
    while not condition():
        assert loop.time() < deadline
        await asyncio.sleep(0.01)
    return True
