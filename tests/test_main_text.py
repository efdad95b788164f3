"""What of a page's text is its main text."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from nutchlike.parsing.html import ParsedPage, parse_html
from nutchlike.parsing.main_text import MAIN_TEXT_MIN

WORDS = "some words of an article that go on until there are enough of them " * (MAIN_TEXT_MIN // 60 + 1)
ARTICLE = WORDS.strip()


def parse(body: str) -> ParsedPage:
    return parse_html(body.encode("utf-8", "surrogatepass"), url="http://a.test/", encoding="utf-8")


@pytest.mark.parametrize(
    "around",
    [
        "<footer>10:11:12</footer>",
        "<nav><a href=/a>One</a> <footer>deep <nav>deeper</nav></footer> menu</nav>",
        "<div role=contentinfo>Generated in 0.01 s</div>",
        "<div ROLE='Navigation'>menu</div>",
        "<p><time>10:11</time></p>",
    ],
)
def test_navigation_footers_and_clocks_are_no_main_text(around: str) -> None:
    assert parse(f"{around}<p>{ARTICLE}</p>{around}").main_text() == ARTICLE


def test_the_datetime_of_a_time_counts_in_place_of_its_words() -> None:
    def main_text(moment: str, words: str) -> str:
        return parse(f"<p>{ARTICLE}<p>Posted <time datetime='{moment}'>{words}</time>, by us").main_text()

    assert main_text("2026-01-02", "an hour ago") == main_text("2026-01-02", "a day ago")
    assert main_text("2026-01-02", "on Friday") != main_text("2026-01-09", "on Friday")
    assert "datetime" not in parse(f"<p>{ARTICLE}<time datetime='2026'>now</time>").text


@pytest.mark.parametrize("body", [f"<nav>{ARTICLE}</nav>", f"<p>Short.</p><footer>{ARTICLE}</footer>", f"<p>{ARTICLE}"])
def test_a_page_that_says_little_beside_its_menu_has_all_of_its_text_as_main_text(body: str) -> None:
    page = parse(body)
    assert page.main_text() == page.text != ""


def test_characters_that_the_marks_are_made_of_do_no_harm() -> None:
    page = parse(f"<nav>menu \ufdd1 \ufdd0</nav><p>{ARTICLE}")
    assert page.main_text() == page.text


TAGS = "nav footer time p b a select svg template table".split()
OTHERS = ["<time datetime=x>", "<div hidden>", "</div>", "<tr>", "<td>", "<body role=navigation>"]
WORDS_AND_BLANKS = ["one", " ", "two ", "\n", ARTICLE]
PIECES = st.sampled_from([f"<{tag}>" for tag in TAGS] + [f"</{tag}>" for tag in TAGS] + OTHERS + WORDS_AND_BLANKS)


@given(st.lists(PIECES, max_size=25))
def test_the_whole_text_is_what_it_is_without_looking_for_a_main_text(pieces: list[str]) -> None:
    html = "".join(pieces)
    with_a_mark = f"<!-- \ufdd0 -->{html}"  # so that no other is put in
    assert parse(html).text == parse(with_a_mark).text
