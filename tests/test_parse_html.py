"""What parse_html reads from a page."""

from __future__ import annotations

import time

import pytest
from hypothesis import given
from hypothesis import strategies as st

from nutchlike.parsing.html import Outlink, ParsedPage, parse_html


def parsed(html: str, url: str = "http://h.test/foo/bar") -> ParsedPage:
    return parse_html(html.encode(), url=url, encoding="utf-8")


def links_of(html: str, url: str = "http://h.test/foo/bar") -> list[str]:
    return [outlink.url for outlink in parsed(html, url).outlinks]


# HTML 157: base.
@pytest.mark.parametrize(
    ("base", "expected"),
    [
        ("", "http://h.test/foo/page.php"),
        ('<base href="/">', "http://h.test/page.php"),
        ('<base href="/one/"><base href="/two/">', "http://h.test/one/page.php"),
        ('<base><base target=_top><base href="/one/">', "http://h.test/one/page.php"),
        ('<base href="http://other.test/d/e">', "http://other.test/d/page.php"),
        ('<base href="//other.test">', "http://other.test/page.php"),
        ('<base href="../x/">', "http://h.test/x/page.php"),
        # A base that is none.
        ('<base href="">', "http://h.test/foo/page.php"),
        ('<base href="data:,x">', "http://h.test/foo/page.php"),
        ('<base href="http://[broken/">', "http://h.test/foo/page.php"),
        ('<template><base href="/no/"></template>', "http://h.test/foo/page.php"),
        ('<!-- <base href="/no/"> -->', "http://h.test/foo/page.php"),
    ],
)
def test_links_are_resolved_against_the_first_base_that_has_an_href(base: str, expected: str) -> None:
    assert links_of(f'{base}<a href="page.php">x</a>') == [expected]


# HTML 158: meta refresh.
@pytest.mark.parametrize(
    ("html", "expected"),
    [
        ("<meta content='0;url=x.html' http-equiv=refresh>", "http://h.test/foo/x.html"),
        ("<META HTTP-EQUIV=Refresh CONTENT='5; URL=x.html'>", "http://h.test/foo/x.html"),
        ("<base href=/a/b/><meta http-equiv=refresh content='0;url=x.html'>", "http://h.test/a/b/x.html"),
        ("""<meta http-equiv=refresh content='0;URL="../q"'>""", "http://h.test/q"),
        ("""<meta http-equiv=refresh content="0;URL='../q'">""", "http://h.test/q"),
        ("<meta http-equiv=refresh content='0.5, x.html'>", "http://h.test/foo/x.html"),
        ("<meta http-equiv=refresh content='0 url = x?url=1;2#f'>", "http://h.test/foo/x?url=1;2"),
        ("<meta http-equiv=refresh content='0;url=/1'><meta http-equiv=refresh content='0;url=/2'>", "http://h.test/1"),
        # No other document, no refresh, or nobody asked for it.
        ("<meta http-equiv=refresh content=30>", None),
        ("<meta http-equiv=refresh content='30;'>", None),
        ("<meta http-equiv=refresh content='soon;url=x'>", None),
        ("<meta http-equiv=refresh content='0;url=javascript:go()'>", None),
        ("<meta http-equiv=refresh>", None),
        ("<!-- <meta http-equiv=refresh content='0;url=x.html'> -->", None),
        ("<noscript><meta http-equiv=refresh content='0;url=x.html'></noscript>", None),
        ("<script>'<meta http-equiv=refresh content=\"0;url=x.html\">'</script>", None),
    ],
)
def test_a_meta_refresh_names_the_next_page(html: str, expected: str | None) -> None:
    assert parsed(html).refresh == expected


# HTML 160: what stands in href.
@pytest.mark.parametrize(
    ("href", "expected"),
    [
        (" http://b.test/ ", "http://b.test/"),
        ("\n/ok\t2 ", "http://h.test/ok2"),
        ("HTTPS://b.test/x", "https://b.test/x"),
        ("//b.test/x", "http://b.test/x"),
        ("/a b?c d", "http://h.test/a b?c d"),
        ("x#fragment", "http://h.test/foo/x"),
        ("?q=1", "http://h.test/foo/bar?q=1"),
        ("http:x", "http://h.test/foo/x"),
        (".", "http://h.test/foo/"),
        ("./x", "http://h.test/foo/x"),
        ("../../../x", "http://h.test/x"),
        ("/a/./b/../c/..", "http://h.test/a/"),
        ("x?y=/../z", "http://h.test/foo/x?y=/../z"),
        ("a//b", "http://h.test/foo/a//b"),
        (r"\a\b?c\d", "http://h.test/a/b?c\\d"),
        ("ftp://f.test/", "ftp://f.test/"),
        ("http://bücher.test/é", "http://bücher.test/é"),
        ("&amp;x", "http://h.test/foo/&x"),
    ],
)
def test_a_reference_is_resolved_as_browsers_do(href: str, expected: str) -> None:
    assert links_of(f'<a href="{href}">x</a>') == [expected]


@pytest.mark.parametrize(
    ("encoding", "query"),
    [
        ("cp1251", "%EF%EE?%E9"),
        ("cp932", "%84%81%84%80?%84z"),  # a second byte may be an ASCII letter
        ("cp1252", "%26%231087%3B%26%231086%3B?%26%231081%3B"),  # it has none of these: browsers send a reference
        ("utf-8", "по?й"),
        ("utf-16-le", "по?й"),  # servers get UTF-8 from such pages
    ],
)
def test_a_query_is_in_the_encoding_of_its_page_as_browsers_send_it(encoding: str, query: str) -> None:
    html = '<a href="d/&#1103;?&#1087;&#1086;?&#1081;#&#1099;">x</a>'  # d/я?по?й#ы
    page = parse_html(html.encode(encoding), url="http://h.test/", encoding=encoding)
    assert [link.url for link in page.outlinks] == [f"http://h.test/d/я?{query}"]


NO_LINKS = (
    # The page itself.
    *("", " ", "#", "#top"),
    # Nothing that can be fetched.
    *("javascript:go()", " JavaScript:go()", "java\nscript:go()", "mailto:x@y.test", "tel:1", "data:text/html,x"),
    *("whatsapp://send?text=x", "about:blank"),
    # No host, or one that cannot be.
    *("http://", "http:///x", "https:x", "http://[::1", "http://a]b/", "http://\u2100.test/"),
)


@pytest.mark.parametrize("href", NO_LINKS)
def test_what_is_no_link_to_a_document_is_left_out_alone(href: str) -> None:
    html = f'<a href="/before">1</a><a href="{href}">2</a><a>3</a><a href>4</a><a href="/after">5</a>'
    assert links_of(html) == ["http://h.test/before", "http://h.test/after"]


@pytest.mark.parametrize("lead", ["", "\n  ", "\ufffd"])
def test_a_data_link_of_a_megabyte_leaves_no_trace(lead: str) -> None:
    page = parsed(f'<a href="{lead}data:text/plain,{"x" * 1_000_000}">y</a><a href="/z">z</a>')
    kept = [outlink.url for outlink in page.outlinks if len(outlink.url) < 100]
    assert kept == ["http://h.test/z"]
    assert lead == "\ufffd" or len(page.outlinks) == 1


def test_a_page_whose_own_url_is_none_has_its_absolute_links() -> None:
    assert links_of('<a href="/x">1</a><a href="http://b.test/">2</a>', url="about:blank") == ["http://b.test/"]


def test_outlinks_are_those_of_a_area_frame_and_iframe_in_document_order() -> None:
    html = """<link rel=next href=/no><img src=/no><script src=/no></script><form action=/no></form>
        <a href=/1>one</a><map><area href=/2></map><iframe src=/3>inside</iframe>
        <noscript><a href=/4>four</a></noscript><p hidden><a href=/5>five</a></p><svg><a href=/6>six</a></svg>"""
    assert links_of(html) == [f"http://h.test/{number}" for number in range(1, 7)]
    assert links_of("<frameset><frame src=/1><frame src=/2></frameset>") == ["http://h.test/1", "http://h.test/2"]


def test_the_first_of_several_links_to_one_url_stands_for_all() -> None:
    page = parsed('<a href="x#a">first</a><a rel="nofollow" href="./x">second</a><a href=y rel="UGC NoFollow">y</a>')
    assert page.outlinks == (
        Outlink("http://h.test/foo/x", "first"),
        Outlink("http://h.test/foo/y", "y", frozenset({"nofollow", "ugc"})),
    )


def test_an_anchor_is_the_text_of_the_link() -> None:
    html = "<a href=/x><style>p{}</style><h3>New\n kettle</h3><p>from <b>1.7</b> litres</p></a>"
    assert parsed(html).outlinks[0].anchor == "New kettle from 1.7 litres"


# What parts words and what does not.
@pytest.mark.parametrize(
    ("html", "expected"),
    [
        ("<p>one<p>two<div>three</div>four<br>five", "one two three four five"),
        ("<ul><li>a<li>b</ul><table><tr><td>1<td>2<tr><td>3</table>", "a b 1 2 3"),
        ("<h1>Head</h1>text<hr>more<select><option>x<option>y</select>", "Head text more x y"),
        ("un<b>believ</b>able <i>x</i><sup>2</sup> su<wbr>per", "unbelievable x2 super"),
        ("<a href=/d>dog</a>s <span>c<em>a</em></span>ts", "dogs cats"),
        ("<nav><a href=/1>Home</a><a href=/2>Shop</a></nav>", "Home Shop"),
        ("<a href=/1><div>one</div><div>two</div></a>", "one two"),
        ("hel<!-- -->lo<!----> wor<!-- -->ld", "hello world"),
        ("  white \n\t space &nbsp;\u2003 collapsed  ", "white space collapsed"),
        ("&lt;b&gt; &amp; &eacute;", "<b> & é"),
    ],
)
def test_blocks_part_words_and_inline_elements_do_not(html: str, expected: str) -> None:
    assert parsed(html).text == expected


@pytest.mark.parametrize(
    "unseen",
    [
        "<script>x</script>",
        "<style>x</style>",
        "<noscript>x</noscript>",
        "<template><p>x</p></template>",
        "<!-- x -->",
        "<p hidden>x</p>",
        "<p style='color: red; DISPLAY:NONE'>x</p>",
        "<p style='display: none'>x<b>y</b></p>",
        "<p style='visibility: hidden'>x</p>",
        "<iframe>x</iframe>",
        "<dialog>x</dialog>",
        "<video>x</video>",
        "<svg><title>x</title></svg>",
        "<title>x</title>",
        "<input type=hidden value=x>",
    ],
)
def test_what_a_reader_does_not_see_is_no_text(unseen: str) -> None:
    assert parsed(f"<body>a {unseen} b").text == "a b"


def test_content_that_a_search_in_the_page_finds_is_text() -> None:
    assert parsed("<div hidden=until-found>a</div><details>b</details><dialog open>c</dialog>").text == "a b c"


def test_a_page_that_a_script_uncovers_has_text() -> None:
    assert parsed("<html style='visibility:hidden'><body style='display:none'><p>a").text == "a"


def test_the_title_is_the_first_title_of_the_document() -> None:
    assert parsed("<title> A\n title &amp; more </title><title>second</title>").title == "A title & more"
    assert parsed("<svg><title>an icon</title></svg>").title == ""


@pytest.mark.parametrize(
    ("html", "robots"),
    [
        ("", ()),
        ('<META NAME="ROBOTS" CONTENT="NOINDEX,NOFOLLOW">', ("NOINDEX,NOFOLLOW",)),
        ('<meta content=" NoFollow , noarchive" name=" Robots ">', (" NoFollow , noarchive",)),
        ("<meta name=robots content=index><p><meta name=robots content=nofollow>", ("index", "nofollow")),
        ("<meta name=MyBot content=none><meta name=otherbot content=noindex>", ("none",)),
        ("<meta name=robots><meta name=description content='noindex'>", ()),
        ("<!-- <meta name=robots content=none> -->", ()),
    ],
)
def test_metas_that_speak_to_robots_are_found_in_any_case(html: str, robots: tuple[str, ...]) -> None:
    page = parse_html(
        html.encode(), url="http://h.test/", encoding="utf-8", robots_names=frozenset({"robots", "mybot"})
    )
    assert page.robots == robots


@pytest.mark.parametrize(
    ("html", "expected"),
    [
        ("<link rel=canonical href=/c>", "http://h.test/c"),
        ("<LINK REL='alternate CANONICAL' HREF=' c#x '>", "http://h.test/foo/c"),
        ("<base href=http://o.test/><link rel=canonical href=c>", "http://o.test/c"),
        ("<link rel=canonical href=''><link rel=canonical href=/2>", "http://h.test/2"),
        ("<link rel=next href=/c>", None),
        ("<link rel=canonical>", None),
        # What readers write is no head
        ("<p>a comment <link rel=canonical href=/c></p>", None),
    ],
)
def test_the_canonical_url_is_the_first_that_is_one(html: str, expected: str | None) -> None:
    assert parsed(html).canonical == expected


def test_bytes_that_do_not_fit_the_encoding_become_replacement_characters() -> None:
    assert parse_html(b"<p>n\xe9 et", url="http://h.test/", encoding="utf-8").text == "n\ufffd et"


def test_an_unknown_encoding_is_named_in_the_error() -> None:
    with pytest.raises(ValueError, match=r"encoding must be .* got 'utf8mb4'"):
        parse_html(b"x", url="http://h.test/", encoding="utf8mb4")


# Markup of broken templates, for which a parser that follows the standard takes minutes and gigabytes.
@pytest.mark.parametrize(
    "html",
    [
        "".join(f"<font color={number}>x<p>" for number in range(10_000)),
        "".join(f"<b id={number}>x" for number in range(400)) + "<p>x" * 50_000,
        "<div>x" * 60_000,
        "<ol><li>x" * 30_000,
        "<b " * 100_000,
        "<noscript>" * 20_000 + "<meta http-equiv=refresh content='0;url=/x'>" * 5_000,
        "x<!-- -->" * 50_000,
        "<p " + "".join(f"a{number}=1 " for number in range(100_000)) + ">",
        "<p " + "".join(f"a{number}='<i>' " for number in range(100_000)) + ">",
        "<p " + "".join(f'a{number} = "<q b" ' for number in range(50_000)) + ">",
        "</p " + "".join(f"a{number} " for number in range(400_000)) + ">",
        "".join(f"<html a{number}>" for number in range(60_000)),
        "".join(f"<x{number}></x{number}>" for number in range(150_000)),
        "".join(f"<i a{number}>x</i>" for number in range(150_000)),
        "<b>" + "<div>" * 40_000 + "</b>" * 40_000,
        "<div>" * 4_000 + "</p>" * 500_000,
        "".join(f"<object><a href=/n{number}>" for number in range(4_900)) + "x<br>" * 20_000,
        "<div>" * 4_000 + "<meta http-equiv=refresh content=''>" * 20_000,
    ],
    ids=[
        *("font", "b", "div", "li", "no end", "noscript", "comments"),
        *("attributes", "attributes with tags in them", "attributes with tags without end", "attributes of an end tag"),
        *("attributes of html", "names of tags", "names of attributes", "ends", "ends of p", "links in links"),
        "meta in depth",
    ],
)
def test_degenerate_markup_does_not_hold_up_the_crawl(html: str) -> None:
    started = time.perf_counter()
    page = parsed(f"<title>t</title><a href=/1>1</a>{html}<a href=/2>2</a>")
    assert time.perf_counter() - started < 3
    assert page.title == "t"
    assert page.outlinks[0].url == "http://h.test/1"


def test_a_page_of_unclosed_elements_keeps_its_words_links_and_directives() -> None:
    page = parsed(
        "<meta name=robots content=noindex>"
        + "<div class=x>wo<b>r</b>d " * 6_000
        + "<a href=/2>last</a><script>1</script>"
    )
    assert page.text.split() == ["word"] * 6_000 + ["last"]
    assert [outlink.url for outlink in page.outlinks] == ["http://h.test/2"]
    assert page.robots == ("noindex",)


PIECES = (
    *("<a href=x>", "</a>", "<b>", "<table>", "<td>", "<svg>", "<template>", "<title>", "<script>", "</p>", "<select>"),
    *("<frameset>", "<body hidden>", "<noscript>", "<plaintext>", "<dialog>", "<wbr>", "<!-- -->", "<!--", "-->"),
    *("<base href=", "<meta http-equiv=refresh content=", "<iframe src='http://[' ", "'0;url=", "'", '"', ">", "x "),
    *("&#0;", "\x00"),
)
MARKUP = st.lists(st.sampled_from(PIECES), max_size=40).map("".join)


@given(st.binary() | MARKUP.map(str.encode), st.sampled_from(["utf-8", "cp1252", "utf-16-le", "gb18030", "iso2022_jp"]))
def test_any_bytes_are_a_page(body: bytes, encoding: str) -> None:
    page = parse_html(body, url="http://h.test/foo/bar", encoding=encoding)
    assert page.text == " ".join(page.text.split())
    assert all(outlink.url.startswith(("http://", "https://", "ftp://", "file://")) for outlink in page.outlinks)


@given(st.text(), st.text())
def test_any_reference_and_any_address_of_a_page_are_borne(href: str, url: str) -> None:
    body = f'<base href="{href}"><a href="{href}">x'.encode("utf-8", "replace")
    assert len(parse_html(body, url=url, encoding="utf-8").outlinks) <= 1


@pytest.mark.parametrize("other", ["x", "./x#part", "http://h.test/foo/x"])
def test_a_link_has_the_rel_that_all_links_to_its_url_have(other: str) -> None:
    with_both = f'<a rel="nofollow ugc" href=x>a</a><a rel="ugc" href="{other}">b</a>'
    assert parsed(with_both).outlinks == (Outlink("http://h.test/foo/x", "a", frozenset({"ugc"})),)
    assert parsed(with_both + '<a href="x">c</a>').outlinks == (Outlink("http://h.test/foo/x", "a"),)
