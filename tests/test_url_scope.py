"""Which links stay on their page's site."""

from __future__ import annotations

import pytest

from nutchlike.urls.ignore_exempt_rules import IgnoreExemptRules
from nutchlike.urls.scope import LinkScope

BY_HOST = LinkScope("byHost")


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
    assert BY_HOST.accepts("http://a.test/x", to_url) is expected
    assert BY_HOST.accepts(to_url, "http://a.test/x") is expected


def test_two_texts_without_a_host_are_external_to_each_other() -> None:
    assert BY_HOST.accepts("", "") is False


@pytest.mark.parametrize(
    ("to_url", "expected"),
    [
        # the same registered domain
        ("http://a.co.uk/", True),
        ("https://shop.a.co.uk:8443/", True),
        # another domain under one public suffix
        ("http://b.co.uk/", False),
        # no host at all
        ("", False),
    ],
)
def test_by_domain_the_hosts_of_one_registered_domain_are_one_site(to_url: str, expected: bool) -> None:
    assert LinkScope("byDomain").accepts("http://www.a.co.uk/x", to_url) is expected


def test_a_link_that_a_rule_exempts_is_followed() -> None:
    scope = LinkScope("byHost", exempt=IgnoreExemptRules("+^http://cdn\\.test/\n"))
    assert scope.accepts("http://a.test/", "http://cdn.test/x")
    assert not scope.accepts("http://a.test/", "http://b.test/x")


def test_without_a_mode_every_link_is_followed() -> None:
    assert LinkScope(None).accepts("http://a.test/", "http://b.test/")


def test_an_unknown_mode_is_refused_with_the_ones_that_there_are() -> None:
    with pytest.raises(ValueError, match="must be byHost or byDomain, got 'byIp'"):
        LinkScope("byIp")
