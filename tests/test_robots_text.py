"""robots.txt in any bytes: every parser that Scrapy offers and that is installed reads its rules."""

from __future__ import annotations

import codecs
from importlib.util import find_spec
from types import SimpleNamespace
from typing import Any

import pytest
from hypothesis import assume, given
from hypothesis import strategies as st
from scrapy.robotstxt import ProtegoRobotParser, PythonRobotParser, RerpRobotParser, RobotParser

from nutchlike.parsing.robots_text import as_utf8, listed_sitemaps

PARSERS: list[type[RobotParser]] = [ProtegoRobotParser, PythonRobotParser]
if find_spec("robotexclusionrulesparser"):
    PARSERS.append(RerpRobotParser)

RULES = "User-agent: *\nDisallow: /p\n"
CASES = [
    # (robots.txt, URL, agent): none of them may be fetched
    (codecs.BOM_UTF8 + RULES.encode(), "http://a.test/p", "mybot"),
    (codecs.BOM_UTF16_LE + RULES.encode("utf-16-le"), "http://a.test/p", "mybot"),
    (codecs.BOM_UTF16_BE + RULES.encode("utf-16-be"), "http://a.test/p", "mybot"),
    # a comment in Latin-1, and a path in Latin-1 beside it
    (b"# Stra\xdfe\n" + RULES.encode(), "http://a.test/p", "mybot"),
    (RULES.encode() + b"Disallow: /stra\xdfe\n", "http://a.test/p", "mybot"),
    (RULES.encode() + b"Disallow: /stra\xdfe\n", "http://a.test/stra%DFe", "mybot"),
    # UTF-8 is what it should be
    (RULES.encode() + "Disallow: /straße\n".encode(), "http://a.test/stra%C3%9Fe", "mybot"),
    # agents are compared without their case
    (b"User-Agent: MYBOT\nDisallow: /p\n", "http://a.test/p", "mybot"),
    (b"USER-AGENT: mybot\nDISALLOW: /p\n", "http://a.test/p", "MyBot/1.0"),
]


def parsed(parser: type[RobotParser], body: bytes) -> RobotParser:
    crawler: Any = SimpleNamespace(spider=None)
    return parser.from_crawler(crawler, as_utf8(body))


@pytest.mark.parametrize("parser", PARSERS)
@pytest.mark.parametrize(("body", "url", "agent"), CASES)
def test_a_rule_holds_whatever_stands_around_it(parser: type[RobotParser], body: bytes, url: str, agent: str) -> None:
    assert not parsed(parser, body).allowed(url, agent)
    assert parsed(parser, body).allowed("http://a.test/free", agent)


@pytest.mark.parametrize(
    ("value", "seconds"), [("86400", 86400.0), ("0", 0.0), ("1.5", 1.5), ("abc", None), ("-1", None), ("inf", None)]
)
def test_the_default_parser_reads_a_crawl_delay_or_says_that_there_is_none(value: str, seconds: float | None) -> None:
    body = f"User-agent: *\nCrawl-delay: {value}\n".encode()
    assert parsed(ProtegoRobotParser, body).crawl_delay("mybot") == seconds


@given(st.binary())
def test_any_bytes_become_utf_8_and_keep_all_ascii(body: bytes) -> None:
    assume(not body.startswith((codecs.BOM_UTF16_LE, codecs.BOM_UTF16_BE)))  # there ASCII is every other byte
    left = iter(as_utf8(body).decode("utf-8"))
    assert all(chr(byte) in left for byte in body if byte < 0x80)  # in their order


@given(st.sampled_from([codecs.BOM_UTF16_LE, codecs.BOM_UTF16_BE]), st.binary())
def test_broken_utf_16_becomes_utf_8(mark: bytes, body: bytes) -> None:
    encoding = "utf-16-le" if mark == codecs.BOM_UTF16_LE else "utf-16-be"
    assert as_utf8(mark + body).decode("utf-8") == body.decode(encoding, "replace")


@given(st.text().filter(lambda text: not text.startswith("\ufeff")))
def test_utf_8_stays_as_it_is(text: str) -> None:
    assert as_utf8(text.encode()) == text.encode()


def test_the_sitemaps_that_a_robots_txt_names_are_found_in_any_group_and_spelling() -> None:
    body = (
        b"\xef\xbb\xbfSitemap: https://a.test/1.xml\nUser-agent: x\nDisallow: /\n"
        b"  sitemap:https://b.test/2.xml # ours\r\nSITEMAP : /3.xml\rSite-map: https://a.test/1.xml\n"
        b"# Sitemap: https://a.test/no.xml\nNo-Sitemap: https://a.test/\n"
        b"Sitemap:\nSitemap: ftp://a.test/no.xml\nSitemap: http://[\nSitemap: https://a.test/\xdf.xml\n"
    )
    assert listed_sitemaps(body, url="https://a.test/robots.txt") == [
        "https://a.test/1.xml",
        "https://b.test/2.xml",
        "https://a.test/3.xml",
        "https://a.test/%DF.xml",
    ]


@given(
    st.binary()
    | st.lists(st.sampled_from(["sitemap:", "http://", "[", " ", "\n", "x", "\\"])).map("".join).map(str.encode)
)
def test_no_bytes_make_the_search_for_sitemaps_raise(body: bytes) -> None:
    assert all(url.lower().startswith("http") for url in listed_sitemaps(body, url="https://a.test/robots.txt"))
