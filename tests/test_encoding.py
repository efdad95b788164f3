"""Which encoding a body is read in."""

from __future__ import annotations

import codecs
import time

import pytest
from hypothesis import given
from hypothesis import strategies as st

from nutchlike.parsing.encoding import declared_encoding
from nutchlike.parsing.html import parse_html


def text_of(body: bytes, content_type: str = "text/html") -> str:
    return parse_html(body, url="http://a.test/", encoding=declared_encoding(body, content_type)).text


# ENC 145: a byte order mark beats all.
def test_a_byte_order_mark_beats_the_header_and_is_no_part_of_the_text() -> None:
    body = codecs.BOM_UTF8 + "<p>Привет".encode()
    assert declared_encoding(body, "text/html; charset=cp1251") == "utf-8"
    assert text_of(body, "text/html; charset=cp1251") == "Привет"
    assert text_of("\ufeff<p>Привет".encode("utf-16-le"), "text/html; charset=utf-8") == "Привет"


# ENC 146: labels mean what browsers make of them.
@pytest.mark.parametrize("label", ["gb2312", "GBK", "gb18030"])
def test_narrow_chinese_labels_are_read_as_gb18030(label: str) -> None:
    body = "<p>朱镕基".encode("gbk")
    assert text_of(body, f"text/html; charset={label}") == "朱镕基"
    assert text_of(f"<meta charset={label}>".encode() + body) == "朱镕基"


def test_the_header_wins_over_the_bytes_and_the_text_is_the_same_each_time() -> None:
    body = "<p>朱镕基".encode("gbk")
    assert declared_encoding(body, "text/html; charset=utf-8") == "utf-8"
    assert text_of(body, "text/html; charset=utf-8") == text_of(body, "text/html; charset=utf-8")


def test_the_header_wins_over_the_meta_tag() -> None:
    assert declared_encoding(b"<meta charset=koi8-r>", "text/html; charset=windows-1251") == "cp1251"


# ENC 148: long heads.
@pytest.mark.parametrize("size", [0, 900, 5_000, 20_000, 200_000])
@pytest.mark.parametrize(
    "filler",
    ["<!--{}-->", "<script>{}</script>", "<style>{}</style>", "<title>{}</title>", "<link rel=x href='{}'>"],
)
@pytest.mark.parametrize(
    "declaration", ["<meta charset=gbk>", '<META http-equiv="Content-Type" content="text/html; charset=GBK" />']
)
def test_a_meta_tag_far_down_the_head_is_found(size: int, filler: str, declaration: str) -> None:
    body = f"<html><head>{filler.format('x' * size)}{declaration}</head><body>朱镕基".encode("gbk")
    assert text_of(body) == "朱镕基"


@pytest.mark.parametrize(
    "head",
    [
        "<!-- <meta charset=gbk> -->",
        "<script>document.write('<meta charset=gbk>')</script>",
        "</head><body><p><meta charset=gbk>",
        "<meta name=description content='charset=gbk'>",
    ],
)
@pytest.mark.parametrize("filler", ["", "<!--" + "x" * 9_000 + "-->"])
def test_what_is_no_declaration_is_not_taken_for_one(head: str, filler: str) -> None:
    assert declared_encoding(f"<html><head>{filler}{head}<p>é".encode(), "") == "utf-8"


def test_an_xml_declaration_is_heard() -> None:
    assert declared_encoding(b'<?xml version="1.0" encoding="koi8-r"?><html>', "") == "koi8-r"


# ENC 149: names that no browser knows, and Python codecs that no page may name.
@pytest.mark.parametrize(
    "label",
    [
        "utf8mb4",
        "",
        '"UTF-8";',
        "none",
        "$charset",
        "\x00",
        "base64",
        "bz2",
        "rot13",
        "idna",
        "unicode_escape",
        "utf-7",
    ],
)
def test_nonsense_names_are_passed_over(label: str) -> None:
    body = "<p>Gruß".encode()
    assert text_of(body, f"text/html; charset={label}") == "Gruß"
    assert text_of(f"<meta charset={label}>".encode() + body) == "Gruß"


def test_a_nonsense_header_leaves_the_word_to_the_meta_tag() -> None:
    assert declared_encoding(b"<meta charset=koi8-r>", "text/html; charset=none") == "koi8-r"


def test_a_meta_tag_cannot_declare_two_bytes_a_character() -> None:
    assert declared_encoding(b"<meta charset=utf-16>", "") == "utf-8"


@pytest.mark.parametrize(
    ("body", "expected"),
    [
        (b"", "utf-8"),
        (b"ascii", "utf-8"),
        ("né".encode(), "utf-8"),
        ("né".encode()[:-1], "utf-8"),  # cut within the last character
        (b"n\xe9 et", "cp1252"),
        (b"\x93quoted\x94", "cp1252"),
    ],
)
def test_undeclared_bytes_are_utf8_if_they_can_be(body: bytes, expected: str) -> None:
    assert declared_encoding(body, "text/html") == expected


@pytest.mark.parametrize("repeated", [b"<meta charset", b"<meta ", b"<!-- charset", b"<script charset", b"charset"])
def test_a_broken_head_is_searched_in_no_time(repeated: bytes) -> None:
    started = time.perf_counter()
    declared_encoding(repeated * 100_000, "")
    assert time.perf_counter() - started < 5  # minutes, where each place is searched from again


@given(st.binary(), st.text())
def test_the_answer_is_an_encoding_that_decodes_the_body(body: bytes, content_type: str) -> None:
    for header in (content_type, f"text/html; charset={content_type}"):
        assert isinstance(body.decode(declared_encoding(body, header), "replace"), str)
