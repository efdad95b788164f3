"""The servers that crawl.py needs: one for the web, and a Redis that listens on TCP."""

from __future__ import annotations

import asyncio
import os
import shutil
import signal
import subprocess
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from socket import SO_REUSEADDR, SOL_SOCKET, create_connection, socket
from time import monotonic, sleep

from crawl_web import Web

from nutchlike.store.server_binary import binary_for

PROCESSES = 2  # of our own web server
START_SECONDS = 20.0
# ``user`` counts when root runs it, and is then one that may read everybody's folders
NGINX = """\
user root; worker_processes 1; worker_rlimit_nofile 16384; daemon off; pid {run}/pid; error_log {run}/error.log;
events {{ worker_connections 4096; }}
http {{
    access_log off; {options} sendfile on; tcp_nopush on;
    keepalive_timeout 300s; keepalive_requests 10000000; open_file_cache max=8000 inactive=1h; open_file_cache_valid 1h;
    client_body_temp_path {run}/body; proxy_temp_path {run}/proxy; fastcgi_temp_path {run}/fastcgi;
    uwsgi_temp_path {run}/uwsgi; scgi_temp_path {run}/scgi;
    server {{ {listen} root {sites}/$host; index index.html; }}
}}
"""


@dataclass(frozen=True)
class WebServer:
    """A server that runs. ``processes`` are those that do its work."""

    name: str
    processes: tuple[int, ...]

    def cpu(self) -> float:
        """Return the CPU seconds that it has used, 0.0 where the system does not tell (/proc)."""
        return sum(_cpu_of(process) for process in self.processes)


@contextmanager
def serving(web: Web, folder: Path, *, wait: float = 0.0) -> Iterator[WebServer]:
    """Serve ``web``, by nginx when it is on PATH and no answer has to ``wait`` (seconds).

    ``folder`` is for its files. Other users must be able to read the web, for nginx.
    """
    program = shutil.which("nginx")
    server = _own_server(web, wait) if wait or program is None else _nginx(program, web, folder)
    with server as running:
        yield running


@contextmanager
def _nginx(program: str, web: Web, folder: Path) -> Iterator[WebServer]:
    listen = " ".join(f"listen {host}:{web.port} backlog=4096;" for host in web.hosts)
    conf = folder / "nginx.conf"
    text = NGINX.format(run=folder, options=web.server_options, listen=listen, sites=web.folder / "sites")
    conf.write_text(text, encoding="utf-8")
    process = subprocess.Popen([program, "-c", str(conf), "-e", str(folder / "error.log")])
    try:
        _wait_for(web)
        children = subprocess.run(["pgrep", "-P", str(process.pid)], stdout=subprocess.PIPE, text=True, check=False)
        yield WebServer("nginx", tuple(int(pid) for pid in children.stdout.split()))
    finally:
        process.terminate()
        process.wait()


@contextmanager
def _own_server(web: Web, wait: float) -> Iterator[WebServer]:
    """Serve from memory by processes that share their listening sockets."""
    pages = {_request_line(url): web.file(url).read_bytes() for url in web.links}
    sockets = [_listening(host, web.port) for host in web.hosts]
    children = []
    for _ in range(PROCESSES):
        child = os.fork()
        if child == 0:
            signal.signal(signal.SIGTERM, lambda *_: os._exit(0))
            asyncio.run(_serve(sockets, pages, wait))
        children.append(child)
    for listening in sockets:
        listening.close()
    try:
        yield WebServer(f"{PROCESSES} processes of its own", tuple(children))
    finally:
        for child in children:
            os.kill(child, signal.SIGTERM)
            os.waitpid(child, 0)


def _request_line(url: str) -> tuple[bytes, bytes]:
    """Return authority and path of a URL, as a request has them."""
    authority, _, path = url.partition("://")[2].partition("/")
    return authority.encode(), b"/" + path.encode()


async def _serve(sockets: list[socket], pages: dict[tuple[bytes, bytes], bytes], wait: float) -> None:
    loop = asyncio.get_running_loop()
    for listening in sockets:
        await loop.create_server(lambda: _Connection(pages, wait), sock=listening)
    await loop.create_future()


class _Connection(asyncio.Protocol):
    """Answers GET and nothing else, one request after the other, and keeps the connection."""

    def __init__(self, pages: dict[tuple[bytes, bytes], bytes], wait: float) -> None:
        self._pages = pages
        self._wait = wait
        self._received = b""

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        self._transport = transport

    def data_received(self, data: bytes) -> None:
        self._received += data
        while (end := self._received.find(b"\r\n\r\n")) != -1:
            head, self._received = self._received[:end], self._received[end + 4 :]
            line, *fields = head.split(b"\r\n")
            hosts = [field[5:].strip() for field in fields if field[:5].lower() == b"host:"]
            page = self._pages.get((hosts[0], line.split(b" ")[1])) if hosts else None
            if self._wait:
                asyncio.get_running_loop().call_later(self._wait, self._answer, page)
            else:
                self._answer(page)

    def _answer(self, page: bytes | None) -> None:
        status, body = (b"200 OK", page) if page is not None else (b"404 Not Found", b"not here")
        head = b"HTTP/1.1 %b\r\nContent-Type: text/html; charset=utf-8\r\nContent-Length: %d\r\n\r\n"
        assert isinstance(self._transport, asyncio.Transport)
        self._transport.write(head % (status, len(body)) + body)


@contextmanager
def redis_on_tcp(folder: Path) -> Iterator[str]:
    """Run a redis-server that writes its append-only file as the embedded store does; yields its URL."""
    folder.mkdir()
    port = free_port()
    options = ["--port", str(port), "--dir", str(folder), "--save", "", "--appendonly", "yes"]
    process = subprocess.Popen([str(binary_for(folder).path), *options], stdout=subprocess.DEVNULL)
    try:
        _wait_until_open("127.0.0.1", port)
        yield f"redis://127.0.0.1:{port}/0"
    finally:
        process.terminate()
        process.wait()


def free_port() -> int:
    """Return a port that nobody listens on."""
    with socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return int(probe.getsockname()[1])


def _listening(host: str, port: int) -> socket:
    listening = socket()
    listening.setsockopt(SOL_SOCKET, SO_REUSEADDR, 1)
    listening.bind((host, port))
    listening.listen(4096)
    listening.setblocking(False)
    return listening


def _wait_for(web: Web) -> None:
    _wait_until_open(web.hosts[0], web.port)


def _wait_until_open(host: str, port: int) -> None:
    deadline = monotonic() + START_SECONDS
    while True:
        try:
            create_connection((host, port), timeout=1).close()
            return
        except OSError:
            if monotonic() > deadline:
                raise
            sleep(0.02)


def _cpu_of(process: int) -> float:
    try:
        fields = Path(f"/proc/{process}/stat").read_text(encoding="utf-8").rpartition(")")[2].split()
    except OSError:
        return 0.0
    return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")
