"""The web that crawl.py has crawled: made-up hosts with menus, articles of Zipf words, and some 41 links a page.

A folder of the same form that another program has made will do, too: ``sites/<host>/…`` with the pages, and
``truth.json`` with ``urls``, ``seeds`` and ``edges`` (for each page the numbers of those that it links to).
"""

from __future__ import annotations

import json
import random
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import accumulate
from pathlib import Path
from typing import ClassVar
from urllib.parse import urlsplit

SECTIONS = 8  # of a host; they and its home are the menu
DRAWS_MAX = 5  # for each link that is wanted, where few are left
WORDS = 6_000  # that all texts are made of
SYLLABLES = "ba ce dan dor el fi ga hen in jo ka lu mar ne or pa qui ra sel ti un ver wa xi yo zen".split()
TRUTH = "truth.json"


@dataclass(frozen=True)
class Web:
    """A web on disk. ``links`` has for each URL those of other pages of this web that it links to.

    ``server_options`` are what nginx is told of its files.
    """

    server_options: ClassVar[str] = "default_type text/html; types { text/html html; } charset utf-8;"

    folder: Path
    seeds: tuple[str, ...]
    links: dict[str, frozenset[str]]

    @property
    def hosts(self) -> list[str]:
        return sorted({urlsplit(url).hostname or "" for url in self.links})

    @property
    def port(self) -> int:
        return urlsplit(self.seeds[0]).port or 80

    def file(self, url: str) -> Path:
        """Return the file that holds a page."""
        parts = urlsplit(url)
        path = parts.path + "index.html" if parts.path.endswith("/") else parts.path
        return self.folder / "sites" / (parts.hostname or "") / path.lstrip("/")


def read_web(folder: Path) -> Web:
    """Return the web in ``folder``; ValueError when its hosts are names, which not every client finds on loopback."""
    truth = json.loads((folder / TRUTH).read_text(encoding="utf-8"))
    urls = truth["urls"]
    if names := {host for url in urls if not (host := urlsplit(url).hostname or "").startswith("127.")}:
        raise ValueError(f"hosts must be loopback addresses such as 127.0.1.1, got {min(names)!r}")
    links = {url: frozenset(urls[j] for j in edges) for url, edges in zip(urls, truth["edges"], strict=True)}
    return Web(folder.resolve(), tuple(truth["seeds"]), links)


def make_web(folder: Path, *, pages: int, hosts: int, port: int, seed: int = 1) -> Web:
    """Write a web of ``pages`` pages on 127.0.1.1, 127.0.1.2, …; the first page leads to all others."""
    maker = _Maker(pages, hosts, port, random.Random(seed))
    urls = [maker.url(i) for i in range(pages)]
    edges = [maker.targets(i) for i in range(pages)]
    web = Web(
        folder.resolve(), (urls[0],), {u: frozenset(urls[j] for j in e) for u, e in zip(urls, edges, strict=True)}
    )
    for i, url in enumerate(urls):
        file = web.file(url)
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text(maker.html(i), encoding="utf-8")
    truth = {"urls": urls, "seeds": web.seeds, "edges": edges}
    (folder / TRUTH).write_text(json.dumps(truth), encoding="utf-8")
    return web


class _Maker:
    """Draws the links first, then the texts; all from one seed."""

    def __init__(self, pages: int, hosts: int, port: int, rng: random.Random) -> None:
        if not 1 <= hosts <= pages:
            raise ValueError(f"hosts must be from 1 to the number of pages, {pages}, got {hosts}")
        self._rng = rng
        self._port = port
        self._words = sorted({"".join(rng.choices(SYLLABLES, k=rng.randint(1, 4))) for _ in range(WORDS * 2)})
        rng.shuffle(self._words)
        del self._words[WORDS:]
        self._weights = list(accumulate(1 / (rank + 2) for rank in range(len(self._words))))
        self._host = sorted([*range(hosts), *(int(hosts * rng.random() ** 2) for _ in range(pages - hosts))])
        self._first = [self._host.index(host) for host in range(hosts)]
        self._ends = [*self._first[1:], pages]
        self._titles = [" ".join(self._draw(rng.randint(2, 5))).capitalize() for _ in range(pages)]
        self._content = [self._content_of(i) for i in range(pages)]
        for i in range(1, pages):  # from a page with a smaller number, so that the first leads to all
            host = self._host[i]
            parent = rng.randrange(self._first[host], i) if i > self._first[host] else rng.randrange(i)
            self._content[parent].append(i)

    def _draw(self, number: int) -> list[str]:
        return self._rng.choices(self._words, cum_weights=self._weights, k=number)

    def _content_of(self, i: int) -> list[int]:
        """Draw links: a few pages of a host have most, a quarter goes to other hosts.

        They are as many in a small web as in a large one: one that is drawn again does not count.
        """
        rng, menu = self._rng, set(self._menu(i))
        targets: dict[int, None] = {}
        wanted = min(200, int(17 * rng.paretovariate(2.0)))
        for _ in range(wanted * DRAWS_MAX):
            if len(targets) == wanted:
                break
            host = self._host[i] if rng.random() < 0.75 else self._host[rng.randrange(len(self._host))]
            size = self._ends[host] - self._first[host]
            target = self._first[host] + int(size * rng.random() ** 2)
            if target != i and target not in menu:
                targets[target] = None
        return list(targets)

    def _menu(self, i: int) -> Sequence[int]:
        first, end = self._first[self._host[i]], self._ends[self._host[i]]
        return range(first, min(first + 1 + SECTIONS, end))

    def targets(self, i: int) -> list[int]:
        """Return the pages that page ``i`` links to, itself aside."""
        return sorted({*self._menu(i), *self._content[i]} - {i})

    def _path(self, i: int) -> str:
        place = i - self._first[self._host[i]]
        if place == 0:
            return "/"
        if place <= SECTIONS:
            return f"/s{place}/"
        return f"/s{place % SECTIONS + 1}/{self._titles[i].lower().replace(' ', '-')}-{i}.html"

    def url(self, i: int) -> str:
        host = self._host[i]
        return f"http://127.0.{host // 250 + 1}.{host % 250 + 1}:{self._port}{self._path(i)}"

    def _anchor(self, i: int, target: int) -> str:
        """Return a link: absolute, from the root, or from the page's folder; some with a fragment."""
        kind = self._rng.random()
        if self._host[i] != self._host[target] or kind < 0.15:
            reference = self.url(target)
        elif kind < 0.3 and self._path(i) != "/":
            reference = ".." + self._path(target)
        else:
            reference = self._path(target)
        if kind > 0.95:
            reference += "#more"
        return f'<a href="{reference}">{self._titles[target]}</a>'

    def _paragraphs(self, i: int) -> Iterator[str]:
        """Yield 2 to 8 kB of text, with the links of the content in it."""
        links = iter(self._content[i])
        for _ in range(max(4, min(16, int(self._rng.lognormvariate(2.0, 0.4))))):
            sentences = []
            for _ in range(self._rng.randint(3, 7)):
                sentence = " ".join(self._draw(self._rng.randint(7, 22))).capitalize()
                target = next(links, None)
                sentences.append(sentence + ("." if target is None else f" {self._anchor(i, target)}."))
            yield f"<p>{' '.join(sentences)}</p>"
        yield "<ul>" + "".join(f"<li>{self._anchor(i, target)}</li>" for target in links) + "</ul>"

    def html(self, i: int) -> str:
        """Return page ``i``; called once for each, in order."""
        menu = "<ul>" + "".join(f"<li>{self._anchor(i, target)}</li>" for target in self._menu(i)) + "</ul>"
        title, site = self._titles[i], f"site {self._host[i]}"
        paragraphs = "\n".join(self._paragraphs(i))
        return (
            f'<!DOCTYPE html>\n<html lang="en"><head><meta charset="utf-8"><title>{title} - {site}</title>\n'
            f'<meta name="description" content="{title}"><link rel="stylesheet" href="/site.css">\n'
            f"<style>body {{ margin: auto }}</style><script>window.page = {i};</script></head>\n"
            f"<body><header><nav>{menu}</nav></header>\n<main><h1>{title}</h1>\n{paragraphs}\n</main>\n"
            f"<footer><nav>{menu}</nav><p>&copy; {site}</p></footer></body></html>\n"
        )
