"""Laws of the chain that a crawl has when nothing is set: basic and regex normalizer, regex filter."""

from __future__ import annotations

import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st
from rule_vectors import URLS
from scrapy.settings import Settings

from nutchlike import default_settings
from nutchlike.plugins import build_url_chain
from nutchlike.urls.chain import URLChain
from nutchlike.urls.identity import host_key, split_url, url_id

HOSTS = st.one_of(
    st.sampled_from(
        ["a.test", "A.Test", "a.test.", "b%2Etest", "bücher.test", "xn--bcher-kva.test", "[::1]", "127.0.0.1"]
    ),
    st.text("ab.-_%é:@[]1", max_size=12),
)
PIECES = st.sampled_from(
    "/ // /. /.. /a ; ;sid=1 ;jsessionid=4F ? ?? & && &amp; = a=1 sid=2 PHPSESSID=3 &sid= # #! "
    "%41 %7e %2f %c3%a9 % %zz "
    "\\ é \u00a0 \u200b \ud800 \t \n \r | { } ' ( ) * + , ! .html .pdf .jpg x".split(" ")
)
# URLs of the pieces that normalizers and rules look for, in any order
BUILT = st.builds(
    lambda scheme, host, port, pieces: f"{scheme}://{host}{port}{''.join(pieces)}",
    st.sampled_from(["http", "https", "HTTP", "url:http", "ftp", "file"]),
    HOSTS,
    st.sampled_from(["", ":", ":80", ":443", ":8080", ":99999", ":x"]),
    st.lists(PIECES, max_size=14),
)
ANY_URL = st.one_of(BUILT, URLS, st.text(st.characters(exclude_categories=())))


def default_chain() -> URLChain:
    values = Settings()
    values.setmodule(default_settings)
    return build_url_chain(values)


@pytest.fixture(scope="module")
def chain() -> URLChain:
    return default_chain()


@settings(max_examples=600)
@given(ANY_URL)
@example("http://a.test/x?sid=1&sid=2")
@example("http://a.test/?&amp;sid=1")
@example("http://a.test/;sid=1/..;sid=2/")
@example("http://a.test/%23#")
@example("http://a.test/;sid=1.")
@example("http://a.test/.;sid=1./x")
def test_normalizing_twice_is_normalizing_once(chain: URLChain, url: str) -> None:
    once = chain.normalized(url)
    if once is not None:
        assert chain.normalized(once) == once


@settings(max_examples=400)
@given(ANY_URL)
def test_every_text_gets_a_verdict_and_every_accepted_url_an_identity(chain: URLChain, url: str) -> None:
    verdict = chain.judge(url)
    assert (verdict.url is None) == bool(verdict.reason)
    if verdict.url is not None:
        assert len(url_id(verdict.url)) == 8
        assert "".join(split_url(verdict.url)) == verdict.url
        assert host_key(verdict.url)
        assert verdict.url.isprintable()
        assert "#" not in verdict.url


@settings(max_examples=400)
@given(ANY_URL)
def test_an_accepted_url_is_accepted_as_it_is(chain: URLChain, url: str) -> None:
    accepted = chain.judge(url).url
    if accepted is not None:
        assert chain.judge(accepted).url == accepted


@settings(max_examples=60, deadline=None)
@given(st.lists(ANY_URL, max_size=12))
def test_a_verdict_does_not_depend_on_what_is_remembered(chain: URLChain, urls: list[str]) -> None:
    fresh = default_chain()
    assert [chain.judge(url) for url in urls] == [fresh.judge(url) for url in reversed(urls)][::-1]
    assert [chain.judge(url) for url in urls] == [default_chain().judge(url) for url in urls]


@settings(max_examples=200)
@given(ANY_URL)
def test_a_normalizer_refuses_with_value_error_only(chain: URLChain, url: str) -> None:
    for normalizer in chain._normalizers:
        try:
            url = normalizer.normalize(url)
        except ValueError:
            return
        assert isinstance(url, str)


def test_strict_makes_one_pass_as_nutch_does() -> None:
    url = "http://a.test/.;sid=1/x"
    values = Settings()
    values.setmodule(default_settings)
    assert build_url_chain(values).normalized(url) == "http://a.test/x"
    values["NUTCH_STRICT"] = True
    assert build_url_chain(values).normalized(url) == "http://a.test/./x"
