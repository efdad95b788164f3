"""Which URLs share a queue, by Nutch's three modes."""

from __future__ import annotations

import pytest

from nutchlike.urls.identity import host_key
from nutchlike.urls.queue_key import BY_DOMAIN, BY_HOST, BY_IP, QueueKeys

ADDRESSES = {"a.test": "192.0.2.1", "b.test": "192.0.2.1", "2001:db8::1": "2001:db8::1"}

CASES = [
    # by host: scheme, port and user do not count, www. does
    (BY_HOST, "http://www.a.example.com/x", "www.a.example.com"),
    (BY_HOST, "https://user@WWW.a.example.com:8443/", "www.a.example.com"),
    (BY_HOST, "http://[2001:db8::1]:80/", "2001:db8::1"),
    # by domain: what its owner registered
    (BY_DOMAIN, "http://www.a.example.com/x", "example.com"),
    (BY_DOMAIN, "http://shop.example.co.uk/x", "example.co.uk"),
    (BY_DOMAIN, "http://192.0.2.1/", "192.0.2.1"),
    # by address: two names of one machine are one queue, an unknown host is its own
    (BY_IP, "http://a.test/", "192.0.2.1"),
    (BY_IP, "http://b.test:8080/", "192.0.2.1"),
    (BY_IP, "http://c.test/", "c.test"),
]


@pytest.mark.parametrize(("mode", "url", "queue"), CASES)
def test_a_url_belongs_to_the_queue_of_its_mode(mode: str, url: str, queue: str) -> None:
    assert QueueKeys(mode, ADDRESSES.get).of(host_key(url)) == queue


def test_no_address_is_asked_for_where_none_is_needed() -> None:
    def never(host: str) -> str:
        raise AssertionError(host)

    assert QueueKeys(BY_HOST, never).of("a.test") == "a.test"
    assert QueueKeys(BY_DOMAIN, never).of("a.test") == "a.test"


def test_another_mode_is_refused_with_the_setting_and_what_there_is() -> None:
    with pytest.raises(
        ValueError, match="NUTCH_FETCHER_QUEUE_MODE must be one of byHost, byDomain, byIP, got 'byPort'"
    ):
        QueueKeys("byPort", ADDRESSES.get)
