"""Tags with hundreds of attributes, ended before the parser sees them."""

from __future__ import annotations

import re

import pytest
from hypothesis import given
from hypothesis import strategies as st

from nutchlike.parsing.attribute_flood import without_attribute_floods
from nutchlike.parsing.html import parse_html


def attributes(count: int, written: str = "a{}=1") -> str:
    return " ".join(written.format(number) for number in range(count))


# Long, but not for their attributes.
@pytest.mark.parametrize(
    "html",
    [
        f"<p {attributes(400)}>x</p>",
        "<p " + attributes(400, "a{}='>'") + ">x</p>",
        f"<img src='data:image/png;base64,{'x/' * 50_000}'>",
        '<div data-state="' + "<b>a > b</b> " * 5_000 + '">x</div>',
        f"<script>for (i = 0; i<n; i++) {'x = y; ' * 300}</script>",
        "<p>" + "words and 'quoted' ones " * 5_000,
        "<p " + "x " * 5_000,
    ],
    ids=["attributes", "values with >", "data", "markup in a value", "script", "text", "no end"],
)
def test_a_long_tag_of_few_attributes_is_left_as_it_is(html: str) -> None:
    assert without_attribute_floods(html) == html


@pytest.mark.parametrize("written", ["a{}", "a{}=1", "a{}='>'", 'a{}=">"', 'a{} = "<p>"', "a{}=\n'x y'"])
@pytest.mark.parametrize("before", ["", "<!-- <i a=' -->", '<script>i<n; x="</script>', "x " * 3_000])
def test_no_tag_keeps_more_than_500_attributes(written: str, before: str) -> None:
    html = without_attribute_floods(f"{before}<p {attributes(3_000, written)}>x</p>")
    pieces = html.split(" >")
    assert len(pieces) > 1
    assert len(re.findall(r"\ba\d+", pieces[0])) <= 500


def test_a_page_with_an_attribute_flood_keeps_its_title_links_and_text() -> None:
    html = f"<title>t</title><a href=/1>one</a><p id=i {attributes(5_000)}>two</p><a href='/2'>three</a>"
    page = parse_html(html.encode(), url="http://h.test/", encoding="utf-8")
    assert page.title == "t"
    assert [outlink.url for outlink in page.outlinks] == ["http://h.test/1", "http://h.test/2"]
    assert page.text.startswith("one ")
    assert page.text.endswith("two three")


@given(st.text(alphabet="<>ap/ ='\"!-x", max_size=200))
def test_short_pages_are_left_as_they_are(html: str) -> None:
    assert without_attribute_floods(html) == html
