"""The identity of a URL: its id, its two halves, its host key."""

from __future__ import annotations

import mmh3
import pytest
from hypothesis import given
from hypothesis import strategies as st

from nutchlike.urls.identity import host_key, split_url, url_id


def test_the_id_is_the_first_half_of_murmurhash3_over_utf8() -> None:
    # The reference value of MurmurHash3 x64 128 for this text, first half
    assert mmh3.hash64("http://a.test/", signed=False)[0].to_bytes(8, "little") == url_id("http://a.test/")
    assert mmh3.hash_bytes("http://b\u00fccher.test/".encode())[:8] == url_id("http://b\u00fccher.test/")
    assert url_id("") == bytes(8)


@pytest.mark.parametrize(
    ("one", "other"),
    [
        # The order of parameters counts, repeated ones too
        ("http://a.test/P?a=1&b=2", "http://a.test/P?b=2&a=1"),
        ("http://a.test/P?a=1&b=2&b=3", "http://a.test/P?b=3&a=1&b=2"),
        # The case of a path counts
        ("http://a.test/P?a=1&b=2", "http://a.test/p?a=1&b=2"),
        # An empty value is not the lack of a query
        ("http://a.test/P?x=", "http://a.test/P"),
        ("http://a.test/P?", "http://a.test/P"),
    ],
)
def test_different_normalized_urls_have_different_ids(one: str, other: str) -> None:
    assert url_id(one) != url_id(other)


def test_a_url_with_a_lone_surrogate_has_no_id() -> None:
    with pytest.raises(ValueError):
        url_id("http://a.test/\ud83d")


@given(st.text(st.characters(exclude_categories=["Cs"])))
def test_every_text_has_an_id_of_eight_bytes_and_always_the_same(text: str) -> None:
    assert len(url_id(text)) == 8
    assert url_id(text) == url_id(text)


@pytest.mark.parametrize(
    ("url", "halves"),
    [
        ("http://a.test/", ("http://a.test", "/")),
        ("https://a.test:8080/b/c?d=/e", ("https://a.test:8080", "/b/c?d=/e")),
        ("http://[2001:db8::1]/x", ("http://[2001:db8::1]", "/x")),
        ("http://a.test/?u=http://b.test/", ("http://a.test", "/?u=http://b.test/")),
    ],
)
def test_a_url_is_split_before_its_path(url: str, halves: tuple[str, str]) -> None:
    assert split_url(url) == halves
    assert "".join(halves) == url


@pytest.mark.parametrize("text", ["", "a.test/x", "http://a.test", "://a.test/", "http:/x"])
def test_a_text_that_is_no_normalized_url_is_not_split(text: str) -> None:
    with pytest.raises(ValueError, match="no normalized URL"):
        split_url(text)


@pytest.mark.parametrize(
    ("url", "host"),
    [
        # Case, port, user info and scheme do not count; www. does
        ("http://a.test/", "a.test"),
        ("https://u:p@A.Test:8080/x?y", "a.test"),
        ("http://www.a.test/", "www.a.test"),
        # Without a path
        ("http://a.test?x", "a.test"),
        ("http://a.test#x@y", "a.test"),
        # Address literals
        ("http://[2001:DB8::1]:80/", "2001:db8::1"),
        ("http://127.0.0.1:8000/", "127.0.0.1"),
    ],
)
def test_the_host_key_is_the_lower_case_host_without_port(url: str, host: str) -> None:
    assert host_key(url) == host


@pytest.mark.parametrize("text", ["", "a.test", "http:///x", "http://:80/", "http://u@/", "mailto:a@b.test"])
def test_a_text_without_a_host_has_no_host_key(text: str) -> None:
    with pytest.raises(ValueError, match="right is 'http://host/path'"):
        host_key(text)
