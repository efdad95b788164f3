"""What is taken for HTML."""

from __future__ import annotations

import time

import pytest
from hypothesis import given
from hypothesis import strategies as st

from nutchlike.parsing.content import is_html, media_type

PAGE = b"<!DOCTYPE html><html><body><p>Hello"
XHTML = (
    b'<?xml version="1.0"?>\n<!DOCTYPE html PUBLIC "-//W3C//DTD XHTML 1.0//EN" "x.dtd">\n<html xmlns="x"><body/></html>'
)
PDF = b"%PDF-1.4\n%\xe2\xe3\n1 0 obj"
PNG = b"\x89PNG\r\n\x1a\n\x00\x00\x00\rIHDR"


@pytest.mark.parametrize(
    ("header", "expected"),
    [
        ("text/html", "text/html"),
        ("Text/HTML; charset=UTF-8", "text/html"),
        ("  text/html ;charset=x", "text/html"),
        ("text/html, text/plain", "text/html"),
        ("", ""),
        (";charset=utf-8", ""),
    ],
)
def test_the_media_type_is_the_header_without_parameters_in_lower_case(header: str, expected: str) -> None:
    assert media_type(header) == expected


@pytest.mark.parametrize(
    ("header", "body"),
    [
        # The label says so.
        ("text/html; charset=utf-8", PAGE),
        ("TEXT/HTML", b"no markup at all"),
        ("text/html", b""),
        ("application/xhtml+xml", XHTML),
        # XHTML under the general label of XML.
        ("text/xml", XHTML),
        ("application/xml", XHTML),
        # BODY 164: the label says nothing, the bytes do.
        ("application/octet-stream", PAGE),
        ("binary/octet-stream", b"\xef\xbb\xbf  <HTML lang=en>"),
        ("", PAGE),
        ("", b"\n<!-- made by hand --><!-- twice -->\n<p>Hello"),
        ("", XHTML),
        ("html", PAGE),
        # UTF-16 has NULs and is text all the same.
        ("text/html", "\ufeff<p>Hello".encode("utf-16-le")),
        ("", "\ufeff<!doctype html>".encode("utf-16-be")),
        # A NUL far down is an author's slip.
        ("text/html", PAGE + b" " * 2000 + b"\x00"),
    ],
)
def test_html_is_found(header: str, body: bytes) -> None:
    assert is_html(header, body)


@pytest.mark.parametrize(
    ("header", "body"),
    [
        # BODY 164: the bytes object to the label.
        ("text/html", PDF),
        ("text/html", b"\r\n" + PDF),
        ("text/html", PNG),
        ("text/html", b"PK\x03\x04" + b"x" * 40),
        ("text/html", b"\x1f\x8b\x08abc"),
        ("application/xhtml+xml", b"abc\x00def"),
        ("application/octet-stream", PAGE + b"\x00"),
        # BODY 163: no label, no HTML.
        ("", PNG),
        ("", PDF),
        ("", b"just words"),
        ("", b""),
        ("", b"<pre-release>1</pre-release>"),
        ("application/octet-stream", b'{"html": "<p>"}'),
        # A label that says something else is believed.
        ("application/pdf", PDF),
        ("application/pdf", PAGE),
        ("text/plain", PAGE),
        ("application/json", b"{}"),
        ("image/svg+xml", b"<svg/>"),
        # XML, but not of HTML.
        ("text/xml", b'<?xml version="1.0"?><rss><channel/></rss>'),
        ("application/xml", b"<htmlish/>"),
    ],
)
def test_everything_else_is_no_html(header: str, body: bytes) -> None:
    assert not is_html(header, body)


def test_a_body_of_comments_is_judged_at_once() -> None:
    started = time.perf_counter()
    assert not is_html("", b"<!---->" * 100_000)
    assert not is_html("text/xml", b"<!---->" * 100_000)
    assert time.perf_counter() - started < 5  # minutes, where each place is searched from again


@given(st.text(), st.binary())
def test_no_answer_of_a_server_raises(header: str, body: bytes) -> None:
    is_html(header, body)
    for label in ("", "text/html", "text/xml"):
        is_html(label, body)
