"""A small real HTTP server on loopback, and crawls of it in processes of their own."""

from __future__ import annotations

import json
import os
import subprocess
import sys
import time
from collections import Counter
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from threading import Lock, Thread
from typing import Any

PROJECT = Path(__file__).resolve().parents[1]
WORDS = "alpha bravo charlie delta echo foxtrot golf hotel india juliett kilo lima mike november oscar papa".split()


def text_of(name: str, words: int = 150) -> str:
    """Return a text that no other name has: enough words that pages are told apart."""
    return " ".join(f"{WORDS[i % len(WORDS)]}{name.strip('/').replace('/', '')}{i % 37}" for i in range(words))


def html(name: str, links: list[str], *, text: str | None = None, head: str = "") -> bytes:
    """Return a page called ``name`` with ``links``."""
    anchors = "".join(f'<p><a href="{link}">{link}</a></p>' for link in links)
    body = text_of(name) if text is None else text
    return f"<html><head><title>{name}</title>{head}</head><body><p>{body}</p>{anchors}</body></html>".encode()


@dataclass
class Answer:
    """What the server sends. ``wait`` is seconds before it does.

    ``cut_at`` is after how many bytes of the body it hangs up, though it has promised all; below 0 it does so without
    a word.
    """

    body: bytes = b""
    status: int = 200
    headers: dict[str, str] = field(default_factory=lambda: {"Content-Type": "text/html; charset=utf-8"})
    wait: float = 0.0
    cut_at: int | None = None


class _Server(ThreadingHTTPServer):
    request_queue_size = 128  # of a connection that finds the queue full, the client hears a second later


class Web:
    """A site on loopback. ``pages`` maps a path to an Answer or a function of the request's headers."""

    def __init__(self, pages: dict[str, Answer | Callable[[Any], Answer]], host: str = "127.0.0.1") -> None:
        self.pages = pages
        self.requests: list[tuple[float, str]] = []
        self._lock = Lock()
        web = self

        class Handler(BaseHTTPRequestHandler):
            protocol_version = "HTTP/1.1"
            wbufsize = 1 << 16  # head and body leave together, else the client's delayed ACK costs 40 ms

            def do_GET(self) -> None:
                self.rfile.read(int(self.headers.get("Content-Length", 0)))
                with web._lock:
                    web.requests.append((time.monotonic(), self.path))
                answer = web.pages.get(self.path, Answer(b"not here", 404))
                if callable(answer):
                    answer = answer(self)
                time.sleep(answer.wait)
                if answer.cut_at is not None:
                    self.close_connection = True
                    if answer.cut_at < 0:
                        return
                self.send_response(answer.status)
                for name, value in answer.headers.items():
                    self.send_header(name, value)
                self.send_header("Content-Length", str(len(answer.body)))
                self.end_headers()
                if self.command != "HEAD":
                    self.wfile.write(answer.body[: answer.cut_at])

            do_HEAD = do_GET  # noqa: N815  # the name that http.server calls
            do_POST = do_GET  # noqa: N815  # the name that http.server calls

            def log_message(self, *args: object) -> None:
                """Keep quiet."""

        self._server = _Server((host, 0), Handler)
        self.url = f"http://{host}:{self._server.server_address[1]}"
        Thread(target=self._server.serve_forever, daemon=True).start()

    def close(self) -> None:
        self._server.shutdown()
        self._server.server_close()

    def count(self) -> Counter[str]:
        """Return how often each path was asked for, robots.txt aside."""
        with self._lock:
            return Counter(path for _, path in self.requests if path != "/robots.txt")

    def wait_for(self, condition: Callable[[Counter[str]], bool], *, seconds: float = 30.0) -> None:
        """Wait until ``condition`` holds for what was asked for; AssertionError after ``seconds``."""
        deadline = time.monotonic() + seconds
        while not condition(self.count()):
            assert time.monotonic() < deadline, f"only asked for {self.count()}"
            time.sleep(0.02)


@contextmanager
def serve(pages: dict[str, Answer | Callable[[Any], Answer]], host: str = "127.0.0.1") -> Iterator[Web]:
    """Run a site for the length of a test."""
    web = Web(pages, host)
    try:
        yield web
    finally:
        web.close()


def tree(pages: int, *, fan_out: int = 5, wait: float = 0.0) -> dict[str, Answer | Callable[[Any], Answer]]:
    """Return a site of ``pages`` pages, each linking to ``fan_out`` later ones, home, and itself."""
    site: dict[str, Answer | Callable[[Any], Answer]] = {}
    for i in range(pages):
        links = [f"/{child}" for child in range(i * fan_out + 1, min(i * fan_out + fan_out + 1, pages))]
        path = "/" if i == 0 else f"/{i}"
        site[path] = Answer(html(path or "home", [*links, "/", "#top"]), wait=wait)
    return site


@dataclass
class Crawl:
    """A finished ``scrapy crawl``."""

    code: int
    log: str
    items: list[dict[str, Any]]

    @property
    def urls(self) -> list[str]:
        return [item["url"] for item in self.items]


@dataclass
class Project:
    """A project folder of a test: its embedded store, feed and environment.

    ``settings`` are given with ``-s``. The defaults make a crawl of loopback fast.
    """

    folder: Path
    settings: dict[str, Any] = field(default_factory=dict)

    def start(
        self, *arguments: str, spider: str = "site", feed: str = "pages.jsonl", **settings: Any
    ) -> subprocess.Popen[str]:
        """Start ``scrapy crawl`` and return its process."""
        options = {"DOWNLOAD_DELAY": 0, "CONCURRENT_REQUESTS_PER_DOMAIN": 8, "RETRY_TIMES": 1}
        options["NUTCH_FETCHER_EXCEPTIONS_PER_QUEUE_DELAY"] = 0
        options |= self.settings | settings
        command = [sys.executable, "-m", "scrapy", "crawl", spider, "-o", str(self.folder / feed)]
        for argument in arguments:
            command += ["-a", argument]
        return self._run(command, options)

    def crawl(self, *arguments: str, timeout: float = 120.0, **settings: Any) -> Crawl:
        """Run ``scrapy crawl`` to its end."""
        process = self.start(*arguments, **settings)
        _, log = process.communicate(timeout=timeout)
        return Crawl(process.returncode, log, self.items())

    def command(self, *arguments: str) -> tuple[int, str, str]:
        """Run another ``scrapy`` command; return code, standard output, standard error."""
        process = self._run([sys.executable, "-m", "scrapy", *arguments], dict(self.settings))
        out, err = process.communicate(timeout=60)
        return process.returncode, out, err

    def items(self, feed: str = "pages.jsonl") -> list[dict[str, Any]]:
        """Return what the feed holds by now; a line that is just being written does not count."""
        path = self.folder / feed
        text = path.read_text(encoding="utf-8") if path.exists() else ""
        return [json.loads(line) for line in text.split("\n")[:-1]]

    def _run(self, command: list[str], options: dict[str, Any]) -> subprocess.Popen[str]:
        options = {"NUTCH_DATA_DIR": self.folder / "store"} | options
        for name, value in options.items():
            command += ["-s", f"{name}={value}"]
        # the environment must not bring in another project or store
        environment = {k: v for k, v in os.environ.items() if not k.startswith(("SCRAPY_", "REDIS_"))}
        environment["PYTHONPATH"] = os.pathsep.join([str(PROJECT), str(PROJECT / "tests")])
        return subprocess.Popen(
            command, cwd=PROJECT, env=environment, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True
        )
