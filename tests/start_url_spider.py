"""A spider of an existing scrapy-redis project."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from scrapy.http import Response
from scrapy_redis.spiders import RedisSpider


class OwnSpider(RedisSpider):  # type: ignore[misc]  # scrapy-redis has no types
    """Gives back what came with a start URL, which a seed could not hold."""

    name = "own"

    def parse(self, response: Response) -> Iterator[dict[str, Any]]:
        yield {"url": response.url, "job": response.meta["job"]}
