"""Which links stay on their page's site."""

from __future__ import annotations

import pytest

from nutchlike.urls.scope import is_internal


@pytest.mark.parametrize(
    ("to_url", "expected"),
    [
        # The same host, whatever the scheme, port, user info and case
        ("http://a.test/y", True),
        ("https://A.TEST:8443/y", True),
        ("http://u:p@a.test/", True),
        # Another host, a sub-domain included
        ("http://b.test/", False),
        ("http://www.a.test/", False),
        ("http://a.test.evil.test/", False),
        ("http://a.test@evil.test/", False),
        # No host at all
        ("mailto:x@a.test", False),
        ("http:///a.test", False),
        ("", False),
    ],
)
def test_a_link_is_internal_when_its_host_is_the_same(to_url: str, expected: bool) -> None:
    assert is_internal("http://a.test/x", to_url) is expected
    assert is_internal(to_url, "http://a.test/x") is expected


def test_two_texts_without_a_host_are_external_to_each_other() -> None:
    assert is_internal("", "") is False
