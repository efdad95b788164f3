"""The request codec: what comes back is equal in value and type; and which requests are plain."""

from __future__ import annotations

import datetime as dt
import math
from decimal import Decimal
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from scrapy import FormRequest, Spider
from scrapy.http import JsonRequest, Request, XmlRpcRequest
from scrapy.http.request import NO_CALLBACK
from shop_spider import SPIDER, TaggedRequest

from nutchlike.request_codec import decode_request, encode_request, is_plain


def round_trip(request: Request, spider: Spider = SPIDER) -> Request:
    return decode_request(encode_request(request, spider=spider), spider=spider)


def assert_same(found: Any, wanted: Any) -> None:
    """Compare values, their types, and those of everything inside."""
    assert type(found) is type(wanted)
    if isinstance(wanted, dict):
        assert_same(list(dict.items(found)), list(dict.items(wanted)))
    elif isinstance(wanted, (list, tuple)):
        assert len(found) == len(wanted)
        for one, other in zip(found, wanted, strict=True):
            assert_same(one, other)
    elif isinstance(wanted, (set, frozenset)):
        assert sorted(map(describe, found)) == sorted(map(describe, wanted))
    else:
        assert describe(found) == describe(wanted)


def describe(value: Any) -> str:
    """Return a text that differs where values differ, NaN and the sign of zero included."""
    if isinstance(value, (set, frozenset)):
        return f"{type(value)}{sorted(map(describe, value))}"
    if isinstance(value, tuple):
        return f"{type(value)}{[describe(member) for member in value]}"
    return f"{type(value)}{value!r}"


def assert_same_request(found: Request, wanted: Request) -> None:
    assert type(found) is type(wanted)
    for name in type(wanted).attributes:
        assert_same(getattr(found, name), getattr(wanted, name))


def test_every_attribute_comes_back_with_its_types() -> None:
    request = Request(
        "http://a.test/?q=%C3%A9",
        method="PUT",
        headers={"Set-Cookie": ["a=1", "b=2"], "X-Bytes": b"\xff\x00"},
        body=b"\x00\xff",
        cookies=[{"name": "n", "value": "v", "domain": "a.test", "secure": True}],
        meta={"depth": 2, "item": {"t": (1, 2)}},
        encoding="latin-1",
        priority=-3,
        dont_filter=True,
        flags=["cached"],
        cb_kwargs={"d": dt.date(2026, 1, 2), "b": b"\xff", "t": (1, 2), 3: "x"},  # type: ignore[dict-item]  # an int key
        callback=SPIDER.parse_item,
        errback=SPIDER.on_error,
    )
    found = round_trip(request)
    assert_same_request(found, request)
    assert found.headers.getlist("set-cookie") == [b"a=1", b"b=2"]
    assert found.headers.encoding == "latin-1"


def test_a_request_with_nothing_but_a_url_is_short() -> None:
    request = Request("http://a.test/")
    assert_same_request(round_trip(request), request)
    assert encode_request(request, spider=SPIDER) == b'{"v":1,"url":"http://a.test/"}'


def test_defaults_are_not_shared_between_loaded_requests() -> None:
    one, other = (round_trip(Request("http://a.test/")) for _ in range(2))
    one.meta["x"] = one.cb_kwargs["x"] = 1
    one.flags.append("x")
    one.cookies["x"] = "1"  # type: ignore[call-overload]  # a dict here
    assert (other.meta, other.cb_kwargs, other.flags, other.cookies) == ({}, {}, [], {})


@pytest.mark.parametrize(
    "request_",
    [
        FormRequest("http://a.test/", formdata={"a": ["1", "2"], "b": "é"}),
        FormRequest("http://a.test/", method="GET", formdata={"a": "1"}),
        JsonRequest("http://a.test/", data={"k": [1, None]}, dumps_kwargs={"indent": 2}),
        JsonRequest("http://a.test/"),
        XmlRpcRequest("http://a.test/", params=(1, "x"), methodname="m", encoding="latin-1"),
        TaggedRequest("http://a.test/", tag="t"),
    ],
    ids=lambda request: type(request).__name__,
)
def test_request_classes_come_back_as_they_were(request_: Request) -> None:
    assert_same_request(round_trip(request_), request_)


def test_what_was_changed_after_construction_comes_back_changed() -> None:
    request = JsonRequest("http://a.test/", data=1)
    del request.headers["Accept"]
    request.method = "post"
    request.cookies = []
    request.priority = 3
    tagged = TaggedRequest("http://a.test/", tag="t")
    tagged.headers.clear()
    for changed in (request, tagged):
        assert_same_request(round_trip(changed), changed)


@pytest.mark.parametrize(
    "url",
    # Escaping any of these a second time changes it, or would have changed it the first time.
    [
        "http://s\x01",
        "http://a.test/%",
        "http://a.test/ü?q=a b",
        "data:,x",
        "about:blank",
        "http://a.test/\ud83d\ude00",
    ],
)
def test_a_url_comes_back_verbatim(url: str) -> None:
    request = Request(url, meta={"verbatim_url": True})
    assert_same_request(round_trip(request), request)


scalars = (
    st.none()
    | st.booleans()
    | st.integers()
    | st.integers(min_value=-(2**70), max_value=2**70)
    | st.floats()
    | st.text(st.characters(codec=None, categories=None))
    | st.binary()
    | st.dates()
    | st.times(timezones=st.none() | st.just(dt.UTC))
    | st.datetimes(
        timezones=st.none()
        | st.builds(dt.timezone, st.timedeltas(min_value=dt.timedelta(hours=-23), max_value=dt.timedelta(hours=23)))
    )
    | st.timedeltas()
    | st.decimals()
)
hashables = st.recursive(
    scalars.filter(lambda value: not (isinstance(value, Decimal) and value.is_snan())),
    lambda inner: st.lists(inner, max_size=3).map(tuple) | st.frozensets(inner, max_size=3),
    max_leaves=5,
)
values = st.recursive(
    scalars | hashables,
    lambda inner: (
        st.lists(inner, max_size=4)
        | st.lists(inner, max_size=4).map(tuple)
        | st.sets(hashables, max_size=3)
        | st.dictionaries(hashables | st.text(), inner, max_size=4)
    ),
    max_leaves=15,
)


@given(values)
def test_any_supported_value_comes_back_equal_with_its_types(value: Any) -> None:
    found = round_trip(Request("http://a.test/", meta={"value": value}, cb_kwargs={"value": value}))
    assert_same(found.meta, {"value": value})
    assert_same(found.cb_kwargs, {"value": value})


@given(
    st.dictionaries(st.binary(max_size=5), st.lists(st.binary(max_size=5), max_size=3), max_size=3),
    st.dictionaries(st.text(max_size=5), st.text(max_size=5) | st.binary(max_size=5), max_size=3),
    st.binary(max_size=20),
    st.sampled_from(["utf-8", "latin-1", "cp1251"]),
    st.integers(),
    st.booleans(),
    st.lists(st.text(max_size=5), max_size=2),
)
def test_any_request_comes_back_equal(
    headers: dict[bytes, list[bytes]],
    cookies: dict[Any, Any],
    body: bytes,
    encoding: str,
    priority: int,
    dont_filter: bool,
    flags: list[str],
) -> None:
    request = Request(
        "http://a.test/",
        headers=headers,
        cookies=cookies,
        body=body,
        encoding=encoding,
        priority=priority,
        dont_filter=dont_filter,
        flags=flags,
    )
    assert_same_request(round_trip(request), request)


@pytest.mark.parametrize(
    "value",
    [
        # signs, limits and what JSON has no word for
        -0.0,
        math.nan,
        -math.inf,
        2**63,
        -(2**63) - 1,
        # two lone surrogates that JSON would join, as value and as key
        "\ud83d\ude00",
        {"\ud83d\ude00": 1, "\U0001f600": 2},
        # keys that JSON would make one
        {1: "int", "1": "str", b"1": "bytes", (1,): "tuple", None: "none"},
        # what could be taken for a tag
        ["tuple", 1],
        {"tuple": ["dict"]},
        # the hour that a clock change repeats
        dt.datetime(2026, 10, 25, 2, 30, fold=1),
        dt.time(2, 30, fold=1, tzinfo=dt.timezone(dt.timedelta(hours=5, minutes=45, seconds=7, microseconds=3))),
        # an offset that is no whole second
        dt.datetime(2000, 1, 1, tzinfo=dt.timezone(dt.timedelta(microseconds=1))),
        dt.time(1, tzinfo=dt.timezone(-dt.timedelta(microseconds=1))),
        Decimal("1.10"),
        Decimal("-0"),
        Decimal("sNaN12"),
    ],
    ids=lambda value: type(value).__name__,
)
def test_values_that_are_easily_changed_are_not(value: Any) -> None:
    assert_same(round_trip(Request("http://a.test/", meta={"v": value})).meta["v"], value)


def test_a_time_that_was_stored_with_its_offset_in_the_text_is_read() -> None:
    stored = b'{"v":1,"url":"http://a.test/","meta":{"v":["datetime","2026-10-25T02:30:00+02:00",1]}}'
    zone = dt.timezone(dt.timedelta(hours=2))
    request = decode_request(stored, spider=SPIDER)
    assert_same(request.meta["v"], dt.datetime(2026, 10, 25, 2, 30, fold=1, tzinfo=zone))


def test_an_integer_too_long_for_decimal_text_comes_back() -> None:
    assert round_trip(Request("http://a.test/", meta={"v": -(10**5000)})).meta["v"] == -(10**5000)


def test_equal_requests_have_equal_bytes_whatever_the_order_of_a_set() -> None:
    numbers = [*range(50), *map(str, range(50))]
    one, other = (Request("http://a.test/", meta={"s": set(members)}) for members in (numbers, numbers[::-1]))
    assert encode_request(one, spider=SPIDER) == encode_request(other, spider=SPIDER)


def test_nested_values_within_the_limit_come_back() -> None:
    nested: list[Any] = []
    for _ in range(90):
        nested = [nested]
    assert round_trip(Request("http://a.test/", meta={"nested": nested})).meta == {"nested": nested}


@pytest.mark.parametrize("field", ["callback", "errback"])
@pytest.mark.parametrize(
    "function",
    [
        SPIDER.parse,
        SPIDER.parse_item,
        SPIDER.renamed,
        SPIDER.parse_later,
        SPIDER.parse_for_all,
        SPIDER.secret(),
        NO_CALLBACK,
        None,
    ],
    ids=lambda function: getattr(function, "__qualname__", "None"),
)
def test_methods_of_the_spider_come_back_bound_to_it(field: str, function: Any) -> None:
    assert getattr(round_trip(Request("http://a.test/", **{field: function})), field) == function


@pytest.mark.parametrize(
    "request_",
    [
        Request("http://a.test/"),
        Request("http://a.test/", callback=SPIDER.parse, headers={"referer": "http://b.test/"}),
        Request("http://a.test/", meta={"depth": 3, "is_start_request": True}, encoding="latin-1"),
    ],
)
def test_a_mere_get_of_a_url_is_plain(request_: Request) -> None:
    assert is_plain(request_, spider=SPIDER)


@pytest.mark.parametrize(
    "difference",
    [
        {"method": "POST"},
        {"body": b"x"},
        {"cookies": {"a": "1"}},
        {"callback": SPIDER.parse_item},
        {"callback": NO_CALLBACK},
        {"errback": SPIDER.on_error},
        {"cb_kwargs": {"a": 1}},
        {"flags": ["a"]},
        {"priority": 1},
        {"dont_filter": True},
        {"headers": {"Accept": "*/*"}},
        {"meta": {"proxy": "http://p.test/"}},
    ],
    ids=lambda extra: next(iter(extra)),
)
def test_anything_more_is_not_plain(difference: dict[str, Any]) -> None:
    assert not is_plain(Request("http://a.test/", **difference), spider=SPIDER)


def test_a_request_of_another_class_is_not_plain() -> None:
    assert not is_plain(FormRequest("http://a.test/"), spider=SPIDER)
