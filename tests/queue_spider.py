"""A spider of a project that has scrapy-redis and OpicQueue, and nothing else of nutchlike."""

from __future__ import annotations

from collections.abc import AsyncIterator, Iterator
from typing import Any

from scrapy import Request, Spider
from scrapy.http import Response


class Queued(Spider):
    """Fetches ``-a site=``'s home page, if there is one, and what is in the queue."""

    name = "queued"
    custom_settings = {  # noqa: RUF012  # as Scrapy's documentation has it
        "SCHEDULER": "scrapy_redis.scheduler.Scheduler",
        "SCHEDULER_QUEUE_CLASS": "nutchlike.opic_queue.OpicQueue",
        "DUPEFILTER_CLASS": "scrapy_redis.dupefilter.RFPDupeFilter",
        "CONCURRENT_REQUESTS": 1,
        "DOWNLOAD_DELAY": 0,
        "LOG_LEVEL": "INFO",
    }

    def __init__(self, site: str = "", **arguments: Any) -> None:
        super().__init__(**arguments)
        self.site = site

    async def start(self) -> AsyncIterator[Any]:
        if self.site:
            yield Request(f"{self.site}/")

    def parse(self, response: Response) -> Iterator[Any]:
        yield {"page": response.url}
        if response.url.endswith("/"):
            yield Request(response.urljoin("/first"), self.parse_typed, cb_kwargs={"pair": (1, b"\xff")})
            yield Request(response.urljoin("/lambda"), callback=lambda _: None)
            yield Request(response.urljoin("/selector"), meta={"row": response.css("p")[0]})
            for _ in range(3):
                yield Request(response.urljoin("/same"), dont_filter=True)
            yield Request(response.urljoin("/seen"))
            yield Request(response.urljoin("/seen"))

    def parse_typed(self, response: Response, pair: tuple[int, bytes]) -> Iterator[Any]:
        yield {"page": response.url, "is_typed": pair == (1, b"\xff")}
