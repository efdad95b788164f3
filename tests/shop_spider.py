"""The spiders, callbacks and request class that the request codec's tests store."""

from __future__ import annotations

import functools
from collections.abc import Callable
from typing import Any

from scrapy import Spider
from scrapy.http import Request


def plain_function(response: Any) -> None:
    """A callback that belongs to no spider."""


class TaggedRequest(Request):
    """A request class of a project, with an attribute of its own."""

    attributes = (*Request.attributes, "tag")

    def __init__(self, *args: Any, tag: str = "", **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        self.headers.setdefault("X-Tag", tag)
        self.tag = tag


class ShopSpider(Spider):
    name = "shop"

    def parse_item(self, response: Any) -> None: ...

    async def parse_later(self, response: Any) -> None: ...

    @classmethod
    def parse_for_all(cls, response: Any) -> None: ...

    def __parse_secretly(self, response: Any) -> None: ...

    @functools.lru_cache  # noqa: B019 - a method that is no function
    def parse_cached(self, response: Any) -> None: ...

    @staticmethod
    def parse_static(response: Any) -> None: ...

    def on_error(self, failure: Any) -> None: ...

    @property
    def trap(self) -> Callable[..., Any]:
        raise AssertionError("loading a request ran a property")

    def secret(self) -> Callable[..., Any]:
        return self.__parse_secretly

    renamed = parse_item


class BookSpider(ShopSpider):
    name = "books"

    async def parse_later(self, response: Any) -> None: ...

    def hidden(self) -> Callable[..., Any]:
        return super().parse_later


SPIDER = ShopSpider()
