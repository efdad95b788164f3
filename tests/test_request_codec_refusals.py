"""The request codec: what is refused when it is stored, and when it is loaded, and with which words."""

from __future__ import annotations

import datetime as dt
import functools
import json
import sys
import types
from collections import OrderedDict, defaultdict
from collections.abc import Iterator
from enum import IntEnum
from typing import Any
from zoneinfo import ZoneInfo

import pytest
from hypothesis import given
from hypothesis import strategies as st
from itemloaders import ItemLoader
from parsel import Selector
from scrapy.http import Headers, Request
from shop_spider import SPIDER, BookSpider, ShopSpider, plain_function

from nutchlike.request_codec import decode_request, encode_request


class Level(IntEnum):
    HIGH = 3


def endless_list() -> list[Any]:
    endless: list[Any] = []
    endless.append(endless)
    return endless


@pytest.mark.parametrize(
    ("value", "reason"),
    [
        # parsed objects
        (Selector(text="<p>x</p>").css("p")[0], r"meta\['row'\] is a parsel\.selector\.Selector"),
        (Selector(text="<p>x</p>").css("p"), r"meta\['row'\] is a parsel\.selector\.SelectorList"),
        (ItemLoader(), r"meta\['row'\] is a itemloaders\.ItemLoader"),
        # subclasses of what is supported
        (Level.HIGH, r"meta\['row'\] is a \S*\.Level"),
        (defaultdict(list), r"meta\['row'\] is a collections\.defaultdict"),
        (OrderedDict(a=1), r"meta\['row'\] is a collections\.OrderedDict"),
        (Headers(), r"meta\['row'\] is a scrapy\.http\.headers\.Headers"),
        # other things, at any depth, as members and as keys
        (object, r"meta\['row'\] is a builtins\.type"),
        (bytearray(), r"meta\['row'\] is a builtins\.bytearray"),
        (1j, r"meta\['row'\] is a builtins\.complex"),
        ({"a": [1, (2, print)]}, r"meta\['row'\]\['a'\]\[1\]\[1\] is a builtins\.builtin_function_or_method"),
        ({frozenset([print])}, r"a member of a member of meta\['row'\] is a builtins\.builtin_function"),
        ({Level.HIGH: 1}, r"a key of meta\['row'\] is a \S*\.Level"),
        # time zones whose offset depends on the date, or whose name would be lost
        (dt.datetime(2026, 1, 1, tzinfo=ZoneInfo("Europe/Paris")), r"meta\['row'\] has the time zone Europe/Paris"),
        (dt.time(1, tzinfo=dt.timezone(dt.timedelta(hours=1), "CET")), r"meta\['row'\] has the time zone CET"),
        # no end
        (endless_list(), r"meta\['row'\]\S* is nested deeper than 100 levels, or holds itself"),
    ],
    ids=lambda value: value if isinstance(value, str) else type(value).__name__,
)
def test_a_value_that_would_not_come_back_is_refused_by_url_and_place(value: Any, reason: str) -> None:
    with pytest.raises(ValueError, match=rf"^request http://a\.test/ cannot be stored: {reason}"):
        encode_request(Request("http://a.test/", meta={"row": value}), spider=SPIDER)


@pytest.mark.parametrize(
    ("function", "shown"),
    [
        (lambda response: None, "<lambda>"),
        (plain_function, "plain_function"),
        (functools.partial(SPIDER.parse_item, "x"), "partial"),
        (SPIDER.parse_cached, "ShopSpider.parse_cached"),
        (SPIDER.parse_static, "ShopSpider.parse_static"),
        # methods of something else: of another spider, of an object, one that the spider's class hides
        (ShopSpider().parse_item, "ShopSpider.parse_item"),
        (Selector(text="").css, "Selector.css"),
        (BookSpider.parse_for_all, "ShopSpider.parse_for_all"),
        (types.MethodType(plain_function, SPIDER), "plain_function"),
    ],
    ids=lambda value: value if isinstance(value, str) else "",
)
@pytest.mark.parametrize("field", ["callback", "errback"])
def test_a_function_that_is_no_method_of_the_spider_is_refused_by_url_and_name(
    field: str, function: Any, shown: str
) -> None:
    with pytest.raises(
        ValueError,
        match=rf"^request http://a\.test/ cannot be stored: its {field} '.*{shown}' is no method of spider 'shop'$",
    ):
        encode_request(Request("http://a.test/", **{field: function}), spider=SPIDER)


def test_a_method_that_the_spider_overrides_is_refused() -> None:
    spider = BookSpider()
    with pytest.raises(ValueError, match=r"its callback 'ShopSpider\.parse_later' is no method of spider 'books'"):
        encode_request(Request("http://a.test/", callback=spider.hidden()), spider=spider)


def test_of_three_requests_only_the_one_with_a_lambda_is_refused() -> None:
    def callback() -> Iterator[Request]:
        yield Request("http://a.test/1", callback=SPIDER.parse_item)
        yield Request("http://a.test/2", callback=lambda response: None)
        yield Request("http://a.test/3")

    stored, refused = [], []
    for request in callback():
        try:
            stored.append(encode_request(request, spider=SPIDER))
        except ValueError as error:
            refused.append(str(error))
    assert [decode_request(data, spider=SPIDER).url for data in stored] == ["http://a.test/1", "http://a.test/3"]
    (message,) = refused
    assert "http://a.test/2" in message
    assert "<lambda>" in message


def test_a_class_inside_a_function_is_refused() -> None:
    class LocalRequest(Request):
        pass

    with pytest.raises(ValueError, match=r"^request http://a\.test/ cannot be stored: its class .*LocalRequest"):
        encode_request(LocalRequest("http://a.test/"), spider=SPIDER)


def stored(**fields: Any) -> bytes:
    return json.dumps({"v": 1, "url": "http://a.test/"} | fields).encode()


@pytest.mark.parametrize(
    "data",
    [
        # a pickle's first bytes, nothing, no JSON, other JSON, too deep
        b"\x80\x04\x67\x61\x72",
        b"",
        b"{",
        b"[]",
        b"null",
        b'"text"',
        b"[" * 100_000,
        # another version, or none
        b"{}",
        b'{"v":2,"url":"http://a.test/"}',
        b'{"v":true,"url":"http://a.test/"}',
        b'{"v":"1","url":"http://a.test/"}',
        # no URL, or none that is one
        b'{"v":1}',
        b'{"v":1,"url":7}',
        b'{"v":1,"url":"no-scheme"}',
        # attributes and values that no request has
        stored(colour="red"),
        stored(headers=["a"]),
        stored(headers={"a": [1]}),
        stored(headers={"\u20ac": ["a"]}),
        stored(meta=7),
        stored(meta={"x": []}),
        stored(meta={"x": ["no-such-tag", 1]}),
        stored(meta={"x": [["list"], 1]}),
        stored(meta={"x": ["bytes", "*"]}),
        stored(meta={"x": ["date", "yesterday"]}),
        stored(meta={"x": ["timedelta", 10**12, 0, 0]}),
        stored(meta={"x": ["Decimal", "one"]}),
        stored(meta={"x": ["set", ["list"]]}),
        stored(meta={"x": ["dict", 1]}),
    ],
    ids=lambda data: f"{data!r:.40}",
)
def test_data_that_is_no_stored_request_is_a_value_error(data: bytes) -> None:
    with pytest.raises(ValueError, match=r"^stored request "):
        decode_request(data, spider=SPIDER)


@given(
    st.binary()
    | st.recursive(
        st.none() | st.integers() | st.text(max_size=8),
        lambda inner: st.lists(inner, max_size=4) | st.dictionaries(st.sampled_from(Request.attributes), inner),
    ).map(lambda meta: stored(meta=meta, cookies=meta))
)
def test_no_data_raises_anything_but_a_value_error(data: bytes) -> None:
    try:
        request = decode_request(data, spider=SPIDER)
    except ValueError:
        return
    assert isinstance(request, Request)


@pytest.mark.parametrize("name", ["parse_gone", "trap", "name", "parse_static", "__init__", "", "parse.__func__", 3])
def test_a_callback_that_the_spider_does_not_have_is_named(name: Any) -> None:
    with pytest.raises(ValueError) as caught:
        decode_request(stored(callback=name), spider=SPIDER)
    assert str(caught.value) == (
        f"stored request 'http://a.test/' cannot be loaded: spider 'shop' has no method {name!r}"
    )


@pytest.mark.parametrize(
    "name",
    [
        # modules that are not loaded, things that are no Request class, shapes that are no name
        ["no_such_module", "Request"],
        ["this", "Request"],
        ["os", "system"],
        ["scrapy.http", "Response"],
        ["scrapy.http", "NoSuchRequest"],
        ["scrapy.http", "Request.copy"],
        ["scrapy.http", ""],
    ],
)
def test_a_class_that_is_no_loaded_request_class_is_named_and_nothing_is_imported(name: Any) -> None:
    sys.modules.pop("this", None)
    with pytest.raises(ValueError) as caught:
        decode_request(stored(**{"class": name}), spider=SPIDER)
    assert f"its class {name!r} is no Request class of a loaded module" in str(caught.value)
    assert "this" not in sys.modules


@pytest.mark.parametrize("name", [None, 7, "scrapy.http.Request", ["scrapy.http"], [1, 2], [[], "x"], {"a": 1, "b": 2}])
def test_a_class_of_another_shape_is_a_value_error(name: Any) -> None:
    with pytest.raises(ValueError, match=r"^stored request 'http://a\.test/' cannot be loaded: "):
        decode_request(stored(**{"class": name}), spider=SPIDER)


def test_a_module_is_not_asked_to_import_what_it_lacks(monkeypatch: pytest.MonkeyPatch) -> None:
    module = types.ModuleType("lazy_requests")
    module.__getattr__ = lambda name: pytest.fail(f"the module was asked for {name}")  # type: ignore[method-assign]
    monkeypatch.setitem(sys.modules, "lazy_requests", module)
    with pytest.raises(ValueError, match="LateRequest"):
        decode_request(stored(**{"class": ["lazy_requests", "LateRequest"]}), spider=SPIDER)
