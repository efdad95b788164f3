"""The registered domain and the public suffix of a host."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st
from vectors import vector_rows

from nutchlike.urls.registered_domain import public_suffix, registered_domain
from nutchlike.urls.url_parts import url_parts


def test_results_are_those_of_nutch() -> None:
    different = []
    for row in vector_rows("urlutil.jsonl"):
        if row["fn"] != "parts":
            continue
        host = domain = suffix = None
        try:
            host = url_parts(row["url"]).host.lower()
            domain, suffix = registered_domain(host), public_suffix(host)
        except ValueError:
            pass
        expected = row["expected"]
        if (host, domain, suffix) != (expected["host"], expected["domain"], expected["suffix"]):
            different.append((row["url"], host, domain, suffix))
    assert different == []


@pytest.mark.parametrize(
    ("host", "domain", "suffix"),
    [
        ("www.a.co.uk", "a.co.uk", "co.uk"),
        ("www.a.co.uk.", "a.co.uk", "co.uk"),
        ("co.uk", "co.uk", "co.uk"),
        # Sold by registries only: what a company rents out is its own domain
        ("me.github.io", "github.io", "io"),
        # Wildcard and exception
        ("a.b.x.ck", "b.x.ck", "*.ck"),
        ("a.www.ck", "www.ck", "!www.ck"),
        # No suffix known
        ("a.b.test", "a.b.test", None),
        ("127.0.0.1", "127.0.0.1", None),
        ("", "", None),
        # The suffix is in punycode, the domain as written
        ("www.食狮.公司.cn", "食狮.公司.cn", "xn--55qx5d.cn"),
    ],
)
def test_the_domain_is_one_level_below_the_public_suffix(host: str, domain: str, suffix: str | None) -> None:
    assert (registered_domain(host), public_suffix(host)) == (domain, suffix)


@given(st.text("ab.é。-", max_size=12))
def test_any_host_has_a_domain_that_it_ends_with(host: str) -> None:
    for name in (f"{host}.co.uk", host):
        assert name.removesuffix(".").endswith(registered_domain(name).removesuffix("."))
