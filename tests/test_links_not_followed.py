"""Links that a page asks not to be followed, and the settings that say otherwise."""

from __future__ import annotations

from pathlib import Path

import pytest
from web import Answer, Project, serve

PAGES = {
    "/": '<a href="/plain">a</a> <a rel=nofollow href="/nofollow">b</a> <a rel=ugc href="/ugc">c</a>'
    '<a rel=nofollow href="/both">d</a><a href="/both">e</a> <a href="/page">f</a>',
    "/page": '<meta name=robots content=nofollow>page <a href="/of-page">g</a>',
}


@pytest.fixture
def project(tmp_path: Path) -> Project:
    return Project(tmp_path)


@pytest.mark.parametrize(
    ("settings", "fetched"),
    [
        ({}, {"/", "/plain", "/ugc", "/both", "/page"}),
        ({"NUTCH_LINKS_NOT_FOLLOWED": "nofollow,ugc"}, {"/", "/plain", "/both", "/page"}),
        ({"NUTCH_LINKS_NOT_FOLLOWED": ""}, {"/", "/plain", "/nofollow", "/ugc", "/both", "/page"}),
        ({"NUTCH_META_ROBOTS_OBEY": ""}, {"/", "/plain", "/ugc", "/both", "/page", "/of-page"}),
    ],
)
def test_the_settings_say_which_links_are_followed(
    project: Project, settings: dict[str, str], fetched: set[str]
) -> None:
    pages = {path: Answer(path.encode()) for path in ("/plain", "/nofollow", "/ugc", "/both", "/of-page")}
    pages |= {path: Answer(body.encode()) for path, body in PAGES.items()}
    with serve({**pages}) as web:
        project.crawl(f"url={web.url}/", **settings)
        assert set(web.count()) == fetched


def test_a_word_that_means_nothing_ends_the_crawl_at_its_start(project: Project) -> None:
    crawl = project.crawl("url=http://127.0.0.1:1/", NUTCH_LINKS_NOT_FOLLOWED="nofolow")
    assert crawl.code != 0
    assert "NUTCH_LINKS_NOT_FOLLOWED must hold some of nofollow, sponsored, ugc, got 'nofolow'" in crawl.log
