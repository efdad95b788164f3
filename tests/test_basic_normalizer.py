"""BasicURLNormalizer: field cases, Nutch's recorded results, and the laws that hold for every text."""

from __future__ import annotations

import pytest
from hypothesis import example, given
from hypothesis import strategies as st
from scrapy.settings import Settings
from vectors import vector_rows

from nutchlike.urls.normalizers import BasicURLNormalizer

# Rows of Nutch where our default gives another result, by the reason. All of them hold with strict=True.
DIFFERENT_BY_DEFAULT = {
    "only http, https and ftp are crawled, not file: and jar:": """
        0057 0075 0414 0415 0417 0418 0419 0421 0424 0425 0426 0427 0428 0431 0432 0433 0436
        1105 1107 1109 1113 1116 1118 1119""",
    "a URL without a host (or without '//') cannot be fetched": """
        0059 0061 0141 0142 0143 0144 0145 0146 0147 0157 0158 0159 0164 0165 0453 0501 0502 0504 0823""",
    "a negative port is no port": "0115",
    "the last @ ends the user info, as in browsers; Nutch drops the host": "0140",
    "a file name that starts with two dots keeps them": "0213 0214",
    "dot segments go before a query too": "0218",
    "dot segments go beside a backslash too": "0484",
    "a host with an empty label cannot be looked up": """
        0311 0312 0314 0317 0799 0802 0803 0809 0810 0811 0812 0819 0821 0822 0824 0826 0827""",
    "a zone means nothing on another machine, and Nutch's result is not read a second time": """
        0335 0495 0829 0830 0831 0832 1136 1137 1138""",
    "bytes that are no UTF-8 make no host": "0385 0793 1037 1038 1039",
    "a delimiter or blank makes no host": """
        0391 0496 0497 1020 1021 1022 1023 1024 1056 1059 1060 1061 1062 1063 1064 1146 1149""",
    "tabs and line ends inside are removed, as in browsers": "0509 0511 0528 0529",
    "every blank at the ends is removed": "0516 0517 0519 0520 0521 0522",
    "a lone surrogate in a path becomes the replacement character": "0524",
    "a lone surrogate makes no host": "0525 1152 1154",
    "a label has at most 63 octets": "0538 0539 0541 1157 1159 1162 1164",
}


def normalize(url: str) -> str | None:
    """Return the default normalizer's result, ``None`` for a rejected URL."""
    try:
        return BasicURLNormalizer().normalize(url)
    except ValueError:
        return None


def from_vector(row: dict, *, strict: bool) -> str | None:
    """Return what the normalizer of a vector row's Nutch properties makes of its URL."""
    names = {name: "NUTCH_" + name.upper().replace(".", "_").replace("-", "_") for name in row["conf"]}
    settings = Settings({names[name]: value for name, value in row["conf"].items()} | {"NUTCH_STRICT": strict})
    try:
        return BasicURLNormalizer.from_settings(settings).normalize(row["url"])
    except ValueError:
        return None


@pytest.mark.parametrize(
    ("url", "expected"),
    [
        # Only unreserved characters are decoded, hex digits are upper-cased, stray percent signs escaped
        ("http://a.test/100%25", "http://a.test/100%25"),
        ("http://a.test/a%3Bb", "http://a.test/a%3Bb"),
        ("http://a.test/a%2fb", "http://a.test/a%2Fb"),
        ("http://a.test/%7Euser", "http://a.test/~user"),
        ("http://a.test/%41", "http://a.test/A"),
        ("http://a.test/p%zz%7", "http://a.test/p%25zz%257"),
        ("http://a.test/%4%31", "http://a.test/%2541"),
        ("http://a.test/%2541", "http://a.test/%2541"),
        # Default and empty ports go, others stay, what is no port is rejected
        ("http://a.test:80/", "http://a.test/"),
        ("https://a.test:443/x", "https://a.test/x"),
        ("https://a.test:/x", "https://a.test/x"),
        ("http://a.test:443/", "http://a.test:443/"),
        ("http://a.test:08080/", "http://a.test:8080/"),
        ("http://a.test:99999/", None),
        ("http://a.test:abc/", None),
        ("http://a.test:+80/", None),
        ("http://a.test:٨٠/", None),
        # A host without a name, or with an empty label
        ("https://www.a.test./x", "https://www.a.test./x"),
        ("http://./", None),
        ("http://a..test/", None),
        ("http://.a.test/", None),
        # Legal-in-practice host names
        ("http://i❤.test/", "http://i❤.test/"),
        ("http://my_host.test/", "http://my_host.test/"),
        ("http://hg--69.test/", "http://hg--69.test/"),
        (f"http://{'a' * 63}.test/", f"http://{'a' * 63}.test/"),
        (f"http://{'a' * 64}.test/", None),
        (f"http://{'é' * 64}.test/", None),
        (f"http://{'a.' * 127}test/", None),
        # IPv6 literals
        ("http://[2001:DB8::1]:80/a/../b", "http://[2001:db8::1]/b"),
        ("http://user@[::1]:8080/", "http://[::1]:8080/"),
        ("http://[bad", None),
        ("http://a.test]", None),
        ("http://[::1]x/", None),
        ("http://[fe80::1%25eth0]/", None),
        # Characters that need an escape get one; blanks at the ends and line ends inside go
        (
            '\u00a0\u200bhttp://a.test/a b|{{c\t}}"^`\n<>[x]\u200b\u00a0',
            "http://a.test/a%20b%7C%7B%7Bc%7D%7D%22%5E%60%3C%3E%5Bx%5D",
        ),
        ("\ufeffhttp://a.test/ü?ü\r\n", "http://a.test/%C3%BC?%C3%BC"),
        ("http://a.test/\ud83d", "http://a.test/%EF%BF%BD"),
        # Dot and empty segments; nothing is above the root
        ("http://a.test/d/../../../x", "http://a.test/x"),
        ("http://a.test/d/./y", "http://a.test/d/y"),
        ("http://a.test/d/..", "http://a.test/"),
        ("http://a.test/../..b", "http://a.test/..b"),
        ("http://a.test/..?x=/../y//z", "http://a.test/?x=/../y//z"),
        ("http://a.test//a///b//", "http://a.test/a/b/"),
        ("http://a.test/a/%2e%2E/b", "http://a.test/b"),
        # Case and parameters: the scheme and the host have no case, all else counts
        ("HTTP://A.Test/P?a=1&b=2", "http://a.test/P?a=1&b=2"),
        ("http://a.test/p?a=1&b=2", "http://a.test/p?a=1&b=2"),
        ("http://a.test/P?b=2&a=1", "http://a.test/P?b=2&a=1"),
        ("http://a.test/P?b=3&a=1&b=2", "http://a.test/P?b=3&a=1&b=2"),
        ("http://a.test/P?x=", "http://a.test/P?x="),
        ("http://a.test?x", "http://a.test/?x"),
        ("http://a.test#top", "http://a.test/"),
        # User info: dropped for the web, kept for ftp; the last @ ends it
        ("http://u:p@a.test/", "http://a.test/"),
        ("http://a@b@c.test/", "http://c.test/"),
        ("ftp://u:p@a.test:21/x", "ftp://u:p@a.test/x"),
        # No URL, or none for a web crawler
        ("", None),
        ("www.a.test/x", None),
        ("//b.test/", None),
        ("c.test:8080", None),
        ("javascript:void(0)", None),
        ("mailto:a@b.test", None),
        ("file:///etc/passwd", None),
        ("http:///x", None),
        ("http://user@/x", None),
        ("http://a b.test/", None),
        ("http://a%2fb.test/", None),
        ("http://%ff.test/", None),
        ("http://\ud83d.test/", None),
    ],
)
def test_a_url_has_one_spelling_or_is_rejected(url: str, expected: str | None) -> None:
    assert normalize(url) == expected


@pytest.mark.parametrize(
    ("url", "message"),
    [
        ("http://a.test:99999/", "bad port '99999', right is a number up to 65535"),
        ("http:///x", "no host, right is 'http://host/path'"),
        ("http://a..test/", "the host 'a..test' has an empty label (a dot too many)"),
        ("www.a.test", "no http, https or ftp URL: 'www.a.test', right is 'http://host/path'"),
    ],
)
def test_a_rejection_says_what_was_seen_and_what_would_be_right(url: str, message: str) -> None:
    with pytest.raises(ValueError) as raised:
        BasicURLNormalizer().normalize(url)
    assert str(raised.value) == message


def test_the_root_dot_goes_when_trimming_is_on() -> None:
    normalizer = BasicURLNormalizer(trim_trailing_dot=True)
    assert normalizer.normalize("https://www.a.test./x") == normalizer.normalize("https://www.a.test/x")
    assert BasicURLNormalizer().normalize("https://www.a.test./x") == "https://www.a.test./x"


@pytest.mark.parametrize(
    ("host_idn", "idna2008", "url", "expected"),
    [
        ("toAscii", False, "http://straße.test/", "http://strasse.test/"),
        ("toAscii", True, "http://straße.test/", "http://xn--strae-oqa.test/"),
        ("toAscii", True, "http://i❤.test/", "http://xn--i-7iq.test/"),
        ("toUnicode", False, "http://xn--bcher-kva.test/", "http://bücher.test/"),
        ("toUnicode", True, "http://xn--strae-oqa.test/", "http://straße.test/"),
        ("", False, "http://xn--bcher-kva.test/", "http://xn--bcher-kva.test/"),
    ],
)
def test_a_host_gets_the_form_that_is_asked_for(host_idn: str, idna2008: bool, url: str, expected: str) -> None:
    assert BasicURLNormalizer(host_idn=host_idn, idna2008=idna2008).normalize(url) == expected


def test_an_unknown_host_form_is_refused_and_the_setting_named() -> None:
    with pytest.raises(ValueError, match=r"NUTCH_URLNORMALIZER_BASIC_HOST_IDN: .*got 'punycode'"):
        BasicURLNormalizer.from_settings(Settings({"NUTCH_URLNORMALIZER_BASIC_HOST_IDN": "punycode"}))


@pytest.mark.parametrize("strict", [False, True])
@pytest.mark.parametrize("host_idn", ["", "toAscii", "toUnicode"])
def test_a_huge_host_is_rejected_before_it_costs_time(host_idn: str, strict: bool) -> None:
    # 100,000 different characters in one label would keep a quadratic punycode encoder busy for minutes
    label = "".join(chr(0x10000 + number) for number in range(100_000))
    normalizer = BasicURLNormalizer(host_idn=host_idn, strict=strict)
    if strict and host_idn != "toAscii":
        assert normalizer.normalize(f"http://{label}/") == f"http://{label.lower()}/"
    else:
        with pytest.raises(ValueError, match="octets are allowed"):
            normalizer.normalize(f"http://{label}/")


def test_strict_results_are_those_of_nutch() -> None:
    rows = vector_rows("urlnormalizer_basic.jsonl")
    results = [(row["id"], row["url"], from_vector(row, strict=True)) for row in rows]
    assert results == [(row["id"], row["url"], row["expected"]) for row in rows]


def test_default_results_differ_from_nutch_in_the_rows_that_have_a_reason_and_in_no_other() -> None:
    rows = vector_rows("urlnormalizer_basic.jsonl")
    differing = {row["id"] for row in rows if from_vector(row, strict=False) != row["expected"]}
    explained = {f"norm-basic-{number}" for numbers in DIFFERENT_BY_DEFAULT.values() for number in numbers.split()}
    assert differing == explained


NORMALIZERS = [
    BasicURLNormalizer(host_idn=host_idn, idna2008=idna2008, trim_trailing_dot=trim)
    for host_idn in ("", "toAscii", "toUnicode")
    for idna2008 in (False, True)
    for trim in (False, True)
]
ANY_TEXT = st.text(st.characters(exclude_categories=()))
# Texts that look like URLs, so that the properties reach past the scheme
URL_TEXT = st.builds(
    "{}{}{}{}{}".format,
    st.sampled_from(["http://", "HTTPS://", "ftp://", " url:http://", "http:", "\u00a0https://u:p@"]),
    st.one_of(
        st.sampled_from(
            ["a.test", "A.Test.", "xn--bcher-kva.de", "b\u00fccher.de", "[::1]", "a%2eb", "%41\u0130", "a..b"]
        ),
        st.text(max_size=8),
        ANY_TEXT,
    ),
    st.sampled_from(["", ":80", ":", ":08080", ":99999"]),
    st.lists(
        st.sampled_from(["/", "..", ".", "a", "%2e", "%", "%4", "31", "\u00e9", "\ud83d", "\\", "b c"]), max_size=12
    ).map(lambda parts: "/" + "".join(parts)),
    st.one_of(st.just(""), ANY_TEXT.map(lambda text: f"?{text}"), st.just("#x?y")),
)


@given(st.one_of(ANY_TEXT, URL_TEXT), st.sampled_from(NORMALIZERS))
@example("http://a.test/%4%31", NORMALIZERS[0])
@example("http://a.test/a\t/../%2e%2\ne/b", NORMALIZERS[0])
@example("http://xn--a-ecp.test/", NORMALIZERS[-1])
def test_normalizing_twice_is_normalizing_once_and_nothing_but_value_error_is_raised(
    url: str, normalizer: BasicURLNormalizer
) -> None:
    try:
        once = normalizer.normalize(url)
    except ValueError:
        return
    assert normalizer.normalize(once) == once
    assert once.partition("://")[2].partition("/")[2].isascii()
    once.encode("utf-8")


@given(URL_TEXT)
def test_a_clean_url_takes_the_short_way_to_the_same_result(url: str) -> None:
    once = normalize(url)
    if once is not None:
        assert normalize(f"{once}#fragment") == once  # the fragment bars the short way


@given(st.one_of(ANY_TEXT, URL_TEXT), st.sampled_from(["", "toAscii", "toUnicode"]), st.booleans())
def test_strict_normalizing_raises_nothing_but_value_error(url: str, host_idn: str, idna2008: bool) -> None:
    try:
        result = BasicURLNormalizer(host_idn=host_idn, idna2008=idna2008, strict=True).normalize(url)
    except ValueError:
        return
    assert isinstance(result, str)
