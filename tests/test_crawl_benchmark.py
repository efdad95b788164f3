"""The web that benchmarks/crawl.py has crawled, and the server that it brings along."""

from __future__ import annotations

import sys
from pathlib import Path
from urllib.request import urlopen

import pytest

sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "benchmarks"))

from crawl_servers import _own_server, free_port
from crawl_web import Web, make_web, read_web

from nutchlike.parsing.html import parse_html


@pytest.fixture
def web(tmp_path: Path) -> Web:
    return make_web(tmp_path, pages=120, hosts=6, port=free_port())


def test_the_first_page_leads_to_all_others(web: Web) -> None:
    reached, found = set(web.seeds), list(web.seeds)
    while found:
        new = web.links[found.pop()] - reached
        reached |= new
        found += new
    assert reached == web.links.keys()


def test_each_page_has_the_links_that_the_truth_says(web: Web) -> None:
    for url, links in web.links.items():
        parsed = parse_html(web.file(url).read_bytes(), url=url, encoding="utf-8")
        assert {link.url for link in parsed.outlinks} - {url} == links


def test_a_seed_makes_one_web(tmp_path: Path) -> None:
    webs = [
        make_web(tmp_path / str(number), pages=60, hosts=3, port=8000, seed=seed)
        for number, seed in enumerate([1, 1, 2])
    ]
    pages = [[web.file(url).read_bytes() for url in web.links] for web in webs]
    assert pages[0] == pages[1]
    assert pages[0] != pages[2]


def test_a_web_is_read_as_it_was_made(web: Web) -> None:
    assert read_web(web.folder) == web


def test_the_server_that_comes_along_serves_every_page(web: Web) -> None:
    with _own_server(web, wait=0.0):
        for url in web.links:
            with urlopen(url) as answer:
                assert answer.read() == web.file(url).read_bytes()
