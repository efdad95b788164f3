"""robots.txt in any bytes: every parser that Scrapy offers and that is installed reads its rules."""

from __future__ import annotations

import codecs
import gzip
from importlib.util import find_spec
from types import SimpleNamespace
from typing import Any

import pytest
from hypothesis import assume, given
from hypothesis import strategies as st
from scrapy.robotstxt import ProtegoRobotParser, PythonRobotParser, RerpRobotParser, RobotParser

from nutchlike.parsing.robots_text import as_utf8, listed_sitemaps, part_that_counts

PARSERS: list[type[RobotParser]] = [ProtegoRobotParser, PythonRobotParser]
if find_spec("robotexclusionrulesparser"):
    PARSERS.append(RerpRobotParser)

LINE_ENDS = "\x0b\x0c\x1c\x1d\x1e\x85\u2028\u2029"  # in Python, beside CR and LF
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
    # NULs, one by one or as the other half of UTF-16 without a byte order mark
    (b"User-agent: *\0\nDisallow: /p\0\n", "http://a.test/p", "mybot"),
    (RULES.encode("utf-16-le"), "http://a.test/p", "mybot"),
    # a line of 2 MB before it
    (b"User-agent: *\nDisallow: /" + b"x" * 2_000_000 + b"\nDisallow: /p\n", "http://a.test/p", "mybot"),
]


def parsed(parser: type[RobotParser], body: bytes) -> RobotParser:
    crawler: Any = SimpleNamespace(spider=None)
    return parser.from_crawler(crawler, as_utf8(body))


@pytest.mark.parametrize("parser", PARSERS)
@pytest.mark.parametrize(("body", "url", "agent"), CASES)
def test_a_rule_holds_whatever_stands_around_it(parser: type[RobotParser], body: bytes, url: str, agent: str) -> None:
    assert not parsed(parser, body).allowed(url, agent)
    assert parsed(parser, body).allowed("http://a.test/free", agent)


STAR = "User-agent: *\n"
TWO_GROUPS = "User-agent: MyBot\nDisallow: /a\n\nUser-agent: x\nDisallow: /c\n\n"
# RFC 9309 by the default parser: (robots.txt, path, agent, whether it may be fetched)
RFC_9309 = [
    # 2.2.1: the group of the longest name counts alone, groups of one name are one, the star is for those without
    ("User-agent: my\nDisallow: /a\nUser-agent: mybot\nDisallow: /b\n", "/b", "mybot/1.0", False),
    ("User-agent: my\nDisallow: /a\nUser-agent: mybot\nDisallow: /b\n", "/a", "mybot/1.0", True),
    (f"{TWO_GROUPS}User-agent: mybot\nDisallow: /b\n", "/a", "mybot", False),
    (f"{TWO_GROUPS}User-agent: mybot\nDisallow: /b\n", "/b", "mybot", False),
    ("User-agent: x\nUser-agent: mybot\nDisallow: /a\n", "/a", "mybot", False),
    ("User-agent: mybot\nDisallow:\n\nUser-agent: *\nDisallow: /\n", "/a", "mybot", True),
    ("User-agent: mybot\nCrawl-delay: 2\n\nUser-agent: *\nDisallow: /\n", "/a", "mybot", True),
    ("User-agent: bot\nDisallow: /\n", "/a", "mybot", True),
    # 2.2.2: the longest rule wins, allow wins a tie, an empty one says nothing, one before all groups neither
    (f"{STAR}Disallow: /a\nAllow: /a/b\n", "/a/b", "mybot", True),
    (f"{STAR}Allow: /a\nDisallow: /a/b\n", "/a/b", "mybot", False),
    (f"{STAR}Disallow: /a\nAllow: /a\n", "/a", "mybot", True),
    (f"{STAR}Disallow:\n", "/a", "mybot", True),
    (f"Disallow: /a\n{STAR}Disallow: /b\n", "/a", "mybot", True),
    (f"{STAR}Disallow: /\n", "/robots.txt", "mybot", True),
    # 2.2.2: paths are compared with their escapes made alike, but %2F is no slash
    (f"{STAR}Disallow: /%7Ea\n", "/~a", "mybot", False),
    (f"{STAR}Disallow: /~a\n", "/%7ea", "mybot", False),
    (f"{STAR}Disallow: /a%2fb\n", "/a%2Fb", "mybot", False),
    (f"{STAR}Disallow: /a%2fb\n", "/a/b", "mybot", True),
    (f"{STAR}Disallow: /ツ\n", "/%E3%83%84", "mybot", False),
    (f"{STAR}Disallow: /A\n", "/a", "mybot", True),
    # 2.2.3: # * $
    (f"{STAR[:-1]} # all\nDisallow: /a # not this\n", "/a", "mybot", False),
    (f"{STAR}Disallow: /*.pdf$\n", "/x.pdf", "mybot", False),
    (f"{STAR}Disallow: /*.pdf$\n", "/x.pdf?y", "mybot", True),
    (f"{STAR}Disallow: /x?a=*&b\n", "/x?a=1&b", "mybot", False),
    (f"{STAR}Disallow: /\nAllow: /$\n", "/", "mybot", True),
    (f"{STAR}Disallow: /\nAllow: /$\n", "/a", "mybot", False),
    # 2.2.4 and beyond: other lines part no group, nor do empty ones, whatever ends a line
    (f"{STAR}Sitemap: http://a.test/s.xml\nDisallow: /a\n", "/a", "mybot", False),
    (f"{STAR}\n\nColour: blue\nDisallow: /a\n", "/a", "mybot", False),
    ("User-agent: *\rDisallow: /a\rDisallow: /b\r", "/b", "mybot", False),
    # what only Python takes for the end of a line
    (f"{STAR}Disallow: /a\u2028b\n", "/a", "mybot", True),
    (f"{STAR}Disallow: /a\u2028b\n", "/a%E2%80%A8b", "mybot", False),
    # 2.3.1.1: HTML under the name of robots.txt has no rules
    ("<!DOCTYPE html><html><body><p>User-agent: * <p>Disallow: / </body></html>", "/a", "mybot", True),
    # stars that would take a backtracking matcher for ever
    (f"{STAR}Disallow: /{'*a' * 1000}b$\n", "/" + "a" * 3000, "mybot", True),
]


@pytest.mark.parametrize(("text", "path", "agent", "may_be_fetched"), RFC_9309)
def test_the_default_parser_reads_rules_as_rfc_9309_has_them(
    text: str, path: str, agent: str, may_be_fetched: bool
) -> None:
    assert parsed(ProtegoRobotParser, text.encode()).allowed(f"http://a.test{path}", agent) is may_be_fetched


@pytest.mark.parametrize(
    ("body", "part"),
    [
        (b"Disallow: /p\n", b"Disallow: /p\n"),
        (b"Disallow: /p\nDisallow: /q", b"Disallow: /p\n"),
        (b"Disallow: /p\rDisallow: /qq\r", b"Disallow: /p\r"),
        (b"Disallow: /private-and-more", b""),
        (gzip.compress(b"Disallow: /p\n", mtime=0), b"Disallow: /p\n"),
        (gzip.compress(gzip.compress(b"Disallow: /p\n", mtime=0), mtime=0), b"Disallow: /p\n"),
        (gzip.compress(b"Disallow: /p\n" * 1_000_000, mtime=0), b"Disallow: /p\n"),
        (b"\x1f\x8b\x08 no gzip", b""),
    ],
)
def test_what_counts_ends_with_a_line_that_is_whole(body: bytes, part: bytes) -> None:
    assert part_that_counts(body, most=20) == part


def test_of_gzip_that_breaks_off_the_part_before_counts() -> None:
    body = gzip.compress(b"".join(b"Disallow: /%d\n" % number for number in range(20_000)))
    assert part_that_counts(body[: len(body) // 2], most=1 << 20).startswith(b"Disallow: /0\nDisallow: /1\n")


@given(st.binary(), st.integers(0, 50))
def test_the_part_of_any_bytes_is_no_longer_than_it_may_be(body: bytes, most: int) -> None:
    assert len(part_that_counts(body, most=most)) <= most


@pytest.mark.parametrize(
    ("value", "seconds"), [("86400", 86400.0), ("0", 0.0), ("1.5", 1.5), ("abc", None), ("-1", None), ("inf", None)]
)
def test_the_default_parser_reads_a_crawl_delay_or_says_that_there_is_none(value: str, seconds: float | None) -> None:
    body = f"User-agent: *\nCrawl-delay: {value}\n".encode()
    assert parsed(ProtegoRobotParser, body).crawl_delay("mybot") == seconds


@given(st.binary())
def test_any_bytes_become_utf_8_and_keep_all_ascii_but_nuls_and_line_ends(body: bytes) -> None:
    assume(not body.startswith((codecs.BOM_UTF16_LE, codecs.BOM_UTF16_BE)))  # there ASCII is every other byte
    left = iter(as_utf8(body).decode("utf-8"))
    kept = [byte for byte in body if 0 < byte < 0x80 and chr(byte) not in LINE_ENDS]
    assert all(chr(byte) in left for byte in kept)  # in their order


@given(st.sampled_from([codecs.BOM_UTF16_LE, codecs.BOM_UTF16_BE]), st.binary())
def test_broken_utf_16_becomes_utf_8(mark: bytes, body: bytes) -> None:
    encoding = "utf-16-le" if mark == codecs.BOM_UTF16_LE else "utf-16-be"
    text = body.decode(encoding, "replace")
    assume(not set(text) & {*LINE_ENDS, "\0"})
    assert as_utf8(mark + body).decode("utf-8") == text


@given(st.text(st.characters(exclude_characters=f"{LINE_ENDS}\0", codec="utf-8")))
def test_utf_8_stays_as_it_is(text: str) -> None:
    assume(not text.startswith("\ufeff"))
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
