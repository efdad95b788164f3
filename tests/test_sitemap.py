"""Sitemaps from bytes: every kind, every packing, every way to be wrong, in bounded memory."""

from __future__ import annotations

import gzip
import os
import tracemalloc
import zlib
from collections.abc import Iterable, Iterator
from contextlib import suppress
from datetime import UTC, datetime
from itertools import count, repeat
from typing import Any
from xml.sax.saxutils import escape

import pytest
from hypothesis import given
from hypothesis import strategies as st

from nutchlike.parsing.sitemap import SitemapLimits, read_sitemap
from nutchlike.parsing.sitemap_entries import NEVER, Listed, SitemapEntry, SitemapLink, SitemapReject
from nutchlike.parsing.unpack import CHUNK_BYTES
from nutchlike.parsing.written_dates import read_date

URL = "https://a.test/sitemap.xml"
NAMESPACE = 'xmlns="http://www.sitemaps.org/schemas/sitemap/0.9"'


def read(*chunks: bytes, **options: Any) -> list[Listed]:
    return list(read_sitemap(chunks, url=URL, **options))


def read_till_error(chunks: Iterable[bytes], **options: Any) -> tuple[list[Listed], str]:
    """Return what came before the error, and the error; AssertionError when there is none."""
    listed = []
    try:
        for one in read_sitemap(chunks, url=URL, **options):
            listed.append(one)
    except ValueError as error:
        return listed, str(error)
    raise AssertionError(f"there was no error, only {listed[:10]}")


def urls(listed: Iterable[Listed]) -> list[str]:
    return [one.url for one in listed if isinstance(one, SitemapEntry)]


def urlset(
    *entries: str, declaration: str = '<?xml version="1.0" encoding="UTF-8"?>', namespace: str = NAMESPACE
) -> str:
    return f"{declaration}\n<urlset {namespace}>{''.join(f'<url>{entry}</url>' for entry in entries)}</urlset>"


def locs(*paths: str) -> str:
    return urlset(*(f"<loc>https://a.test/{path}</loc>" for path in paths))


def test_an_entry_gives_all_that_the_protocol_has() -> None:
    text = urlset(
        "<loc> https://a.test/?a=1&amp;b=2\n</loc><lastmod>2024-05-06</lastmod>"
        "<changefreq>Daily</changefreq><priority>0.8</priority>",
        "<priority>1</priority><loc>https://a.test/2</loc>",
    )
    assert read(text.encode()) == [
        SitemapEntry("https://a.test/?a=1&b=2", lastmod=1714953600, changefreq=86400, priority=0.8),
        SitemapEntry("https://a.test/2", priority=1.0),
    ]


@pytest.mark.parametrize(
    ("field", "value", "expected"),
    [
        ("changefreq", "always", 0),
        ("changefreq", " NEVER ", NEVER),
        ("changefreq", "yearly", 31_536_000),
        # what the protocol does not know says nothing
        ("changefreq", "sometimes", None),
        ("changefreq", "", None),
        ("priority", "0.0", 0.0),
        ("priority", " .5 ", 0.5),
        ("priority", "1.1", None),
        ("priority", "-0.5", None),
        ("priority", "0,8", None),
        ("priority", "nan", None),
        ("priority", "1e-1", None),
        ("priority", "high", None),
        ("lastmod", "yesterday", None),
        ("lastmod", "2024-13-01", None),
    ],
)
def test_a_value_is_read_as_the_protocol_says_or_not_at_all(field: str, value: str, expected: object) -> None:
    [entry] = read(urlset(f"<loc>https://a.test/</loc><{field}>{value}</{field}>").encode())
    assert getattr(entry, field) == expected


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        # every form of the W3C note
        ("2024", datetime(2024, 1, 1, tzinfo=UTC)),
        ("2024-05", datetime(2024, 5, 1, tzinfo=UTC)),
        ("2024-05-06", datetime(2024, 5, 6, tzinfo=UTC)),
        ("2024-05-06T07:08Z", datetime(2024, 5, 6, 7, 8, tzinfo=UTC)),
        ("2024-05-06T07:08+02:00", datetime(2024, 5, 6, 5, 8, tzinfo=UTC)),
        ("2024-05-06T07:08:09-05:30", datetime(2024, 5, 6, 12, 38, 9, tzinfo=UTC)),
        ("2024-05-06T07:08:09.75Z", datetime(2024, 5, 6, 7, 8, 9, tzinfo=UTC)),
        # what people write for it
        (" 2024-05-06t07:08:09z ", datetime(2024, 5, 6, 7, 8, 9, tzinfo=UTC)),
        ("2024-05-06 07:08:09", datetime(2024, 5, 6, 7, 8, 9, tzinfo=UTC)),
        ("2024-05-06T07:08:09+0200", datetime(2024, 5, 6, 5, 8, 9, tzinfo=UTC)),
        ("1969-12-31T23:59:59Z", datetime(1969, 12, 31, 23, 59, 59, tzinfo=UTC)),
        # RFC 2822, as in RSS
        ("Mon, 06 May 2024 07:08:09 GMT", datetime(2024, 5, 6, 7, 8, 9, tzinfo=UTC)),
        ("6 May 2024 07:08 -0000", datetime(2024, 5, 6, 7, 8, tzinfo=UTC)),
    ],
)
def test_a_date_becomes_epoch_seconds(text: str, expected: datetime) -> None:
    assert read_date(text) == int(expected.timestamp())


@pytest.mark.parametrize(
    "text",
    [
        "",
        "0000",
        "20240506",
        "2024-5-6",
        "2024-02-30",
        "2024-05-06T24:00Z",
        "2024-05-06T07:08:60Z",
        "2024-05-06T07Z",
        "2024-05-06T07:08+99:00",
        "0001-01-01T00:00+23:59x",
        "٢٠٢٤",
        "06.05.2024",
        "now",
        "Mon, 99 May 2024 07:08:09 GMT",
        "2" * 10_000,
    ],
)
def test_what_is_no_date_is_none(text: str) -> None:
    assert read_date(text) is None


@given(st.text(max_size=80))
def test_no_text_makes_a_date_raise(text: str) -> None:
    assert isinstance(read_date(text), int | None)


@given(st.integers(-(10**9), 10**11))
def test_a_date_that_is_written_is_read_again(seconds: int) -> None:
    assert read_date(datetime.fromtimestamp(seconds, UTC).isoformat()) == seconds


def test_an_index_gives_sitemaps_and_no_pages() -> None:
    text = (
        f"<sitemapindex {NAMESPACE}><sitemap><loc>https://a.test/1.xml.gz</loc><lastmod>2024-05-06</lastmod></sitemap>"
        "<sitemap><loc>https://b.test/2.xml</loc></sitemap><sitemap/></sitemapindex>"
    )
    first, *others = read(text.encode())
    assert first == SitemapLink("https://a.test/1.xml.gz", lastmod=1714953600)
    assert [type(other) for other in others] == [SitemapReject, SitemapReject]


@pytest.mark.parametrize(
    "namespace",
    ["", 'xmlns="http://www.google.com/schemas/sitemap/0.84"', 'xmlns="https://sitemaps.org/typo"', "xmlns=''"],
)
def test_any_namespace_is_accepted(namespace: str) -> None:
    assert urls(read(urlset("<loc>https://a.test/1</loc>", namespace=namespace).encode())) == ["https://a.test/1"]


def test_prefixes_do_not_count_but_places_do() -> None:
    text = (
        "<s:URLSET><s:url><image:image><image:loc>https://a.test/i.png</image:loc></image:image>"
        "<news:news><news:publication_date>2020-01-01</news:publication_date></news:news>"
        "<xhtml:link rel='alternate' hreflang='de' href='https://a.test/de'/>"
        "<s:loc>https://a.test/1</s:loc><video:video><video:priority>0.1</video:priority></video:video></s:url>"
        "<s:loc>https://a.test/stray</s:loc></s:URLSET>"
    )
    assert read(text.encode()) == [SitemapEntry("https://a.test/1")]


def test_text_has_one_url_a_line_whatever_ends_it() -> None:
    body = b"\xef\xbb\xbf\n https://a.test/1 \r\nhttps://a.test/2\r\n\r\nhttps://a.test/3\rhttps://a.test/4"
    assert urls(read(body)) == [f"https://a.test/{n}" for n in (1, 2, 3, 4)]
    assert read(b"https://a.test/1\n# comment\n")[1] == SitemapReject(
        "# comment", "a URL must be complete, from http:// or https:// on"
    )


RSS = (
    '<?xml version="1.0"?><!DOCTYPE rss PUBLIC "-//Netscape//DTD RSS 0.91//EN" "http://x.test/rss-0.91.dtd">'
    '<rss version="2.0"><channel><link>https://a.test/</link><image><url>https://a.test/logo</url></image>'
    "<item><title>a&nbsp;b</title><link>https://a.test/1</link><pubDate>Mon, 06 May 2024 00:00:00 GMT</pubDate></item>"
    "<item><guid>https://a.test/2</guid></item>"
    '<item><guid isPermaLink="false">https://a.test/no</guid></item>'
    "<item><link>https://a.test/caf&eacute;?a&amp;b</link></item>"
    "</channel></rss>"
)


def test_the_items_of_an_rss_feed_are_its_pages() -> None:
    assert read(RSS.encode()) == [
        SitemapEntry("https://a.test/1", lastmod=1714953600),
        SitemapEntry("https://a.test/2"),
        SitemapReject("", "an element 'item' names no URL"),
        SitemapEntry("https://a.test/café?a&b"),
    ]
    rdf = "<rdf:RDF><channel><items/></channel><item><link>https://a.test/1</link><dc:date>2024-05-06</dc:date></item></rdf:RDF>"
    assert read(rdf.encode()) == [SitemapEntry("https://a.test/1", lastmod=1714953600)]


def test_the_entries_of_an_atom_feed_are_its_pages_and_their_links_may_be_relative() -> None:
    text = (
        '<feed xmlns="http://www.w3.org/2005/Atom" xml:base="/blog/"><link href="https://a.test/"/>'
        '<entry><link rel="self" href="no"/><link href="1"/><updated>2024-05-06T02:00:00+02:00</updated></entry>'
        '<entry xml:base="2024/"><link rel="alternate" href="2"/><published>2024-05-06</published>'
        '<source><link href="/no"/><updated>2020-01-01</updated></source>'
        '<content type="xhtml"><div><a href="x"><link href="/no"/></a></div></content></entry></feed>'
    )
    assert read(text.encode()) == [
        SitemapEntry("https://a.test/blog/1", lastmod=1714953600),
        SitemapEntry("https://a.test/blog/2024/2", lastmod=1714953600),
    ]


@pytest.mark.parametrize("pack", [bytes, gzip.compress, lambda body: gzip.compress(gzip.compress(body))])
@pytest.mark.parametrize("body", [locs("1", "2").encode(), b"https://a.test/1\nhttps://a.test/2\n"])
def test_gzip_is_known_by_its_bytes_also_when_it_is_packed_twice(body: bytes, pack: Any) -> None:
    assert urls(read(pack(body))) == ["https://a.test/1", "https://a.test/2"]
    assert urls(read(*(bytes([byte]) for byte in pack(body)))) == ["https://a.test/1", "https://a.test/2"]


def test_gzip_in_several_members_and_with_padding_is_one_file() -> None:
    body = locs("1", "2").encode()
    packed = gzip.compress(body[:50]) + gzip.compress(body[50:])
    for end in (b"", b"\0", b"\0" * 512, b"\x1f"):
        assert urls(read(packed + end)) == ["https://a.test/1", "https://a.test/2"]


def test_gzip_that_is_packed_three_times_is_refused() -> None:
    body = gzip.compress(gzip.compress(gzip.compress(locs("1").encode())))
    assert read_till_error([body]) == ([], "it is packed with gzip more than 2 times")


def test_of_gzip_that_breaks_off_counts_what_was_read_and_the_error_is_told() -> None:
    body = gzip.compress(locs(*(os.urandom(8).hex() for _ in range(1000))).encode())
    listed, error = read_till_error([body[: len(body) // 2]])
    assert 300 < len(urls(listed)) < 700
    assert error == "its gzip breaks off"
    listed, error = read_till_error([body[:-8] + b"\xff" + body[-7:]])  # the checksum
    assert len(urls(listed)) > 800
    assert error.startswith("its gzip is damaged")
    short = gzip.compress(locs("1").encode())[:-4]
    assert read_till_error([short]) == (read(locs("1").encode()), "its gzip breaks off")


@pytest.mark.parametrize(
    ("text", "encoding"),
    [
        (locs("ä"), "utf-8-sig"),
        (urlset("<loc>https://a.test/ä</loc>", declaration=""), "utf-8"),
        (urlset("<loc>https://a.test/ä</loc>", declaration='<?xml version="1.0" encoding="ISO-8859-1"?>'), "latin-1"),
        (urlset("<loc>https://a.test/ä</loc>", declaration='<?xml version="1.0" encoding="utf-16"?>'), "utf-16"),
        (urlset("<loc>https://a.test/ä</loc>", declaration=""), "utf-16-le"),
        (urlset("<loc>https://a.test/ä</loc>", declaration=""), "utf-16-be"),
        (urlset("<loc>https://a.test/ä</loc>", declaration=""), "utf-32"),
        # the declaration is wrong, the byte order mark right
        (urlset("<loc>https://a.test/ä</loc>", declaration='<?xml version="1.0" encoding="big5"?>'), "utf-8-sig"),
        # blanks in front, which XML does not allow
        ("\n \n" + locs("ä"), "utf-8"),
    ],
)
def test_the_encoding_is_that_of_the_mark_or_the_declaration(text: str, encoding: str) -> None:
    assert urls(read(text.encode(encoding))) == ["https://a.test/ä"]


def test_an_encoding_with_two_bytes_a_character_is_read() -> None:
    text = urlset("<loc>https://a.test/中文</loc>", declaration='<?xml version="1.0" encoding="gb2312"?>')
    assert urls(read(text.encode("gb2312"))) == ["https://a.test/中文"]


def test_a_byte_that_means_nothing_spoils_its_entry_only() -> None:
    first, second = read(locs("1", "2").encode().replace(b"/1", b"/\xff"))
    assert isinstance(first, SitemapReject)
    assert urls([second]) == ["https://a.test/2"]
    text = urlset("<loc>https://a.test/1</loc><x>\0\x01</x>", "<loc>https://a.test/2</loc>")
    assert urls(read(text.encode())) == ["https://a.test/1", "https://a.test/2"]


def test_cdata_comments_and_instructions_are_as_xml_says() -> None:
    text = urlset("<!-- <loc>x</loc> --><?x y?><loc>https://a.<![CDATA[test/?a=1&b=2]]></loc>")
    assert urls(read(text.encode())) == ["https://a.test/?a=1&b=2"]


@pytest.mark.parametrize(
    ("url", "reason"),
    [
        ("/1", "complete"),
        ("1.html", "complete"),
        ("//a.test/1", "complete"),
        ("https:///1", "complete"),
        ("ftp://a.test/1", "complete"),
        ("javascript:alert(1)", "complete"),
        ("file:///etc/passwd", "complete"),
        ("https://b.test/1", "its host is none"),
        ("https://a.test.evil.test/", "its host is none"),
        ("https://a.test@evil.test/", "its host is none"),
        ("https://[a.test/", "no URL"),
        ("https://a.test/" + "x" * 5000, "4096 characters"),
        ("", "names no URL"),
    ],
)
def test_what_a_sitemap_may_not_list_is_refused_with_a_reason(url: str, reason: str) -> None:
    good, bad = read(urlset("<loc>https://a.test/</loc>", f"<loc>{escape(url)}</loc>").encode())
    assert isinstance(good, SitemapEntry)
    assert isinstance(bad, SitemapReject)
    assert reason in bad.reason
    assert len(bad.url) <= 200


def test_a_sitemap_speaks_for_another_host_when_that_has_named_it() -> None:
    body = b"https://b.test/1\nhttp://A.test:8080/2\nhttps://c.test/3\n"
    assert urls(read(body)) == ["http://A.test:8080/2"]
    assert urls(read(body, hosts={"B.test"})) == ["https://b.test/1", "http://A.test:8080/2"]
    assert len(urls(read(body, hosts=None))) == 3


@pytest.mark.parametrize(
    ("tail", "said"),
    [
        ("<url><loc>https://a.test/cut", "malformed"),
        ("<url><loc>https://a.test/?a=1&b=2</loc></url></urlset>", "malformed"),
        ("</wrong>", "malformed"),
        ("</urlset><urlset/>", "malformed"),
        ("", "malformed"),
        ("<!DOCTYPE x>", "malformed"),
        ("<a>" * 200, "nested more than 100 deep"),
        ("<a x='" + "y" * 2_000_000 + "'/>", "more than 1048576 bytes"),
        ("<!--" + "y" * 2_000_000 + "-->", "more than 1048576 bytes"),
    ],
)
def test_of_a_malformed_tail_the_error_is_told_and_what_came_before_counts(tail: str, said: str) -> None:
    body = locs("1", "2").removesuffix("</urlset>") + tail
    listed, error = read_till_error([body.encode()])
    assert urls(listed) == ["https://a.test/1", "https://a.test/2"]
    assert said in error


LAUGHS = "".join(f'<!ENTITY l{n + 1} "{f"&l{n};" * 10}">' for n in range(9))


@pytest.mark.parametrize(
    "doctype",
    [
        f'<!DOCTYPE urlset [<!ENTITY l0 "lol">{LAUGHS}]>',
        '<!DOCTYPE urlset [<!ENTITY l9 SYSTEM "file:///etc/passwd">]>',
        '<!DOCTYPE urlset [<!ENTITY % p SYSTEM "http://127.0.0.1:1/x.dtd"> %p;]>',
        f'<!DOCTYPE urlset [<!ATTLIST url x CDATA "{"x" * 100_000}">]>',
    ],
)
def test_a_document_that_declares_anything_is_refused(doctype: str) -> None:
    listed, error = read_till_error([f"{doctype}<urlset><url><loc>https://a.test/&l9;</loc></url></urlset>".encode()])
    assert (listed, "DOCTYPE has declarations" in error) == ([], True)


def test_an_external_dtd_is_never_asked_for() -> None:
    text = '<!DOCTYPE urlset SYSTEM "file:///etc/passwd"><urlset><url><loc>https://a.test/&x;</loc></url></urlset>'
    assert urls(read(text.encode())) == ["https://a.test/&x;"]


@pytest.mark.parametrize(
    ("body", "said"),
    [
        (b"", "it is empty"),
        (b" \n\xef\xbb\xbf\n", "it is empty"),
        (gzip.compress(b"", mtime=0), "it is empty"),
        (b"<!DOCTYPE html><html><body>not found</body></html>", "must be urlset, sitemapindex, rss, rdf:RDF or feed"),
        (b"<!DOCTYPE html><html><br></html>", "must be urlset, sitemapindex, rss, rdf:RDF or feed"),
        (b"%PDF-1.4\n" + bytes(range(256)) * 4, "neither XML nor text"),
        (bytes(1000), "neither XML nor text"),
    ],
)
def test_what_is_no_sitemap_is_an_error(body: bytes, said: str) -> None:
    listed, error = read_till_error([body])
    assert urls(listed) == []
    assert said in error


def test_an_empty_urlset_is_none() -> None:
    assert read(b"<urlset/>") == []


def endless(head: str, each: str) -> Iterator[bytes]:
    yield head.encode()
    for n in count():
        yield each.format(n).encode()


@pytest.mark.parametrize(
    ("head", "each"),
    [
        ("<urlset>", "<url><loc>https://a.test/{}</loc></url>"),
        ("<urlset>", "<!-- {} -->"),
        ("<urlset><url><loc>https://a.test/", "x{}"),
        ("", " "),
        ("https://a.test/", "x{}"),
        ("<urlset><url><loc><![CDATA[", "{}"),
    ],
)
def test_an_endless_stream_ends_at_the_limit(head: str, each: str) -> None:
    _, error = read_till_error(endless(head, each), limits=SitemapLimits(size=100_000))
    assert "longer than 100000 bytes" in error


def nothing_but(head: bytes, block: bytes) -> Iterator[bytes]:
    yield head
    yield from repeat(block * 100)


@pytest.mark.parametrize(
    ("chunks", "said"),
    [
        (repeat(gzip.compress(b"", mtime=0) * 100), "more than 20000 members"),
        # stored blocks of no bytes: an endless stream that unpacks to nothing
        (nothing_but(gzip.compress(b"", mtime=0)[:10], b"\0\0\0\xff\xff"), "longer than 3000000 bytes"),
    ],
)
def test_an_endless_stream_that_unpacks_to_nothing_ends_too(chunks: Iterator[bytes], said: str) -> None:
    listed, error = read_till_error(chunks, limits=SitemapLimits(size=3_000_000))
    assert (listed, said in error) == ([], True)


def bomb(size: int) -> bytes:
    packer = zlib.compressobj(9, wbits=31)
    return b"".join(packer.compress(b" " * 1_000_000) for _ in range(size // 1_000_000)) + packer.flush()


def test_a_gzip_bomb_takes_no_memory_and_ends_at_the_limit() -> None:
    packed = gzip.compress(bomb(60_000_000))
    tracemalloc.start()
    _, error = read_till_error([packed], limits=SitemapLimits(size=20_000_000))
    _, peak = tracemalloc.get_traced_memory()
    tracemalloc.stop()
    assert "longer than 20000000 bytes" in error
    assert peak < 4_000_000


def test_above_the_protocols_limits_it_is_warned_and_read_on_up_to_ours() -> None:
    told: list[str] = []
    body = b"".join(b"https://a.test/%d\n" % n for n in range(50_001))
    assert len(read(body, tell=told.append)) == 50_001
    assert told == ["it has more than the 50000 entries that the protocol allows; they are taken"]
    told.clear()
    padded = [b"<urlset><url><loc>https://a.test/1</loc></url>", *repeat(b" " * 1_000_000, 53), b"</urlset>"]
    assert len(read(*padded, tell=told.append)) == 1
    assert told == ["it is longer than the 52428800 bytes that the protocol allows; it is read on"]
    listed, error = read_till_error([body], limits=SitemapLimits(entries=10))
    assert (len(listed), error) == (10, "it has more than 10 entries; those before are taken")


def test_memory_does_not_grow_with_the_length() -> None:
    def chunks(number: int) -> Iterator[bytes]:
        yield b"<urlset>"
        for n in range(0, number, 100):
            yield "".join(
                f"<url><loc>https://a.test/{m}</loc><priority>0.5</priority></url>" for m in range(n, n + 100)
            ).encode()
        yield b"</urlset>"

    def peak(number: int) -> int:
        tracemalloc.start()
        assert sum(1 for _ in read_sitemap(chunks(number), url=URL)) == number
        _, most = tracemalloc.get_traced_memory()
        tracemalloc.stop()
        return most

    assert peak(8_000) < 1.2 * peak(2_000)


PIECES = st.sampled_from(
    [
        *(
            "<urlset>",
            "</urlset>",
            "<url>",
            "</url>",
            "<loc>",
            "</loc>",
            "https://a.test/",
            "<sitemapindex>",
            "<sitemap>",
        ),
        *("</sitemap>", "<rss>", "<item>", "</item>", "<link href='x'/>", "<link>", "</link>", "<feed>", "<entry>"),
        *("&amp;", "&nbsp;", "&#0;", "&", "<![CDATA[", "]]>", "<!--", "-->", "<!DOCTYPE a>", "<?xml version='1.0'?>"),
        *("\0", "\ufeff", "\n", "ä", "2024", "<a xml:base='http://['>", "<x:loc/>", "<guid isPermaLink='a'>"),
    ]
)


@given(
    st.one_of(st.binary(max_size=300), st.lists(PIECES, max_size=40).map(lambda some: "".join(some).encode())),
    st.booleans(),
)
def test_any_bytes_give_entries_or_a_value_error(body: bytes, is_packed: bool) -> None:
    with suppress(ValueError):
        for one in read_sitemap([gzip.compress(body) if is_packed else body], url=URL):
            assert isinstance(one, SitemapEntry | SitemapLink | SitemapReject)


ENTRIES = st.lists(
    st.builds(
        SitemapEntry,
        st.text(
            st.characters(exclude_categories=["Cs", "Cc", "Z"], exclude_characters="\ufffd\ufffe\uffff"), max_size=50
        ).map(lambda path: f"https://a.test/{path}"),
        lastmod=st.none() | st.integers(-(10**9), 10**10),
        changefreq=st.none(),
        priority=st.none() | st.integers(0, 10).map(lambda tenths: tenths / 10),
    ),
    max_size=20,
)


def written(entry: SitemapEntry) -> str:
    fields = [f"<loc>{escape(entry.url)}</loc>"]
    if entry.lastmod is not None:
        fields.append(f"<lastmod>{datetime.fromtimestamp(entry.lastmod, UTC).isoformat()}</lastmod>")
    if entry.priority is not None:
        fields.append(f"<priority>{entry.priority}</priority>")
    return "".join(fields)


@given(ENTRIES, st.sampled_from(["utf-8", "utf-8-sig", "utf-16"]), st.booleans(), st.integers(1, 200))
def test_a_sitemap_that_is_written_is_read_again_in_pieces_of_any_size(
    entries: list[SitemapEntry], encoding: str, is_packed: bool, size: int
) -> None:
    body = urlset(*map(written, entries), declaration='<?xml version="1.0"?>').encode(encoding)
    body = gzip.compress(body) if is_packed else body
    assert read(*(body[start : start + size] for start in range(0, len(body), size))) == entries


def test_one_piece_of_many_megabytes_is_read_like_small_ones() -> None:
    body = locs(*map(str, range(30_000))).encode()
    assert len(body) > 10 * CHUNK_BYTES
    assert len(read(body)) == len(read(gzip.compress(body))) == 30_000
