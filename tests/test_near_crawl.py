"""Near duplicates in a crawl."""

from __future__ import annotations

import json
from hashlib import sha1
from pathlib import Path

import pytest
from web import Answer, Project, html, serve

from nutchlike.store.embedded import EmbeddedServer


def text_of(name: str, words: int) -> str:
    """Return a text of words of letters that no other name has."""
    digests = (sha1(f"{name} {n}".encode()).digest()[:7] for n in range(words))
    return " ".join("".join(chr(97 + byte % 26) for byte in digest) for digest in digests)


MENU = text_of("menu", 60)


def page(title: str, text: str) -> Answer:
    body = html(title, [], text=f"{MENU} {text}")
    return Answer(body.replace(b"<body>", b'<body><a href="/">home</a>'))


def site() -> dict[str, Answer]:
    article = text_of("article", 600).split()
    edited = ["changed" if n % 50 == 7 else word for n, word in enumerate(article)]
    pages = {f"/filler{n}": page(f"filler {n}", text_of(f"filler{n}", 200)) for n in range(10)}
    pages["/x1"] = page("The article", " ".join(article))
    pages["/x2"] = page("The article", " ".join(edited))
    pages["/"] = Answer(html("home", sorted(pages)))
    return pages


@pytest.mark.parametrize("is_on", [True, False])
def test_an_edited_copy_is_dropped_and_names_the_page_that_it_repeats(tmp_path: Path, is_on: bool) -> None:
    settings = {"NUTCH_DEDUP_NEAR": is_on, "NUTCH_DEDUP_NEAR_PAGES_MIN": 4, "NUTCH_DEDUP_NEAR_REPEATED": 4}
    project = Project(tmp_path, settings)
    with serve({**site()}) as web:
        seeds = tmp_path / "seeds.txt"  # the fillers are learned first
        lines = [f"{web.url}{path}\tnutch.score={9 if path.startswith('/f') else 1}" for path in site()]
        seeds.write_text("\n".join(lines), encoding="utf-8")
        crawl = project.crawl(f"seeds={seeds}", CONCURRENT_REQUESTS_PER_DOMAIN=1, NUTCH_LEASE_BATCH=1)
        kept = [url for url in crawl.urls if "/x" in url]
        assert len(kept) == 2 - is_on
        if is_on:
            [copy] = {f"{web.url}/x1", f"{web.url}/x2"} - {*kept}
            facts = json.loads(project.command("explain", "--json", copy)[1])
            assert (facts["db_status"], facts["duplicate_of"]) == ("db_duplicate", kept[0])
            assert "'nutch/dedup/near': 1" in crawl.log
    assert len(crawl.items) == len(site()) - is_on
    assert project.command("fsck")[0] == 0
    EmbeddedServer.attach(tmp_path / "store").detach()


def test_products_that_differ_by_a_number_in_their_titles_are_two(tmp_path: Path) -> None:
    menu = text_of("menu", 320)
    pages = {
        f"/{size}": Answer(html(f"Kettle, {size} litre", [], text=f"{menu} Kettle of {size} litre")) for size in (2, 5)
    }
    project = Project(tmp_path)
    with serve({**pages}) as web:
        seeds = tmp_path / "seeds.txt"
        seeds.write_text(f"{web.url}/2\n{web.url}/5\n", encoding="utf-8")
        assert len(project.crawl(f"seeds={seeds}").items) == 2
    EmbeddedServer.attach(tmp_path / "store").detach()
