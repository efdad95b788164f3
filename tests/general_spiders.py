"""Spiders as people write them, without a thought of nutchlike; tests crawl with them."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Iterator
from datetime import date
from typing import Any

from scrapy import FormRequest, Request, Spider, signals
from scrapy.downloadermiddlewares.retry import get_retry_request
from scrapy.exceptions import DropItem, IgnoreRequest
from scrapy.http import Response
from scrapy.linkextractors import LinkExtractor
from scrapy.spiders import CrawlSpider, Rule


class General(Spider):
    """Starts at ``-a url=``'s site; every path tries one thing."""

    name = "general"

    def __init__(self, site: str = "", **arguments: Any) -> None:
        super().__init__(**arguments)
        self.start_urls = [f"{site}/"]

    def parse(self, response: Response) -> Iterator[Any]:
        yield {"page": response.url}
        typed = {"d": date(2026, 1, 2), "t": (1, b"\xff")}
        yield Request(response.urljoin("/one"), callback=self.parse_one, cb_kwargs=typed)
        yield Request(response.urljoin("/lambda"), callback=lambda r: None)
        yield Request(response.urljoin("/selector"), meta={"row": response.css("p")[0]})
        yield Request(response.urljoin("/three"), self.parse_three, meta={"kept": {3: "x"}}, priority=-3)
        yield FormRequest(response.urljoin("/form"), formdata={"q": "1"}, callback=self.parse_form)
        yield FormRequest(response.urljoin("/form"), formdata={"q": "2"}, callback=self.parse_form)
        yield Request(response.urljoin("/raises"), callback=self.parse_raising)
        yield Request(response.urljoin("/moved"), callback=self.parse_moved, meta={"mine": [1, 2]})
        yield Request(response.urljoin("/missing"), errback=self.failed)
        for _ in range(3):
            yield Request(response.urljoin("/same"), callback=self.parse_same, dont_filter=True)
        yield Request(response.urljoin("/flaky"), callback=self.parse_flaky)

    def parse_one(self, response: Response, d: date, t: tuple[int, bytes]) -> Iterator[Any]:
        yield {"one": [d.isoformat(), type(t).__name__, t[1] == b"\xff"]}

    def parse_three(self, response: Response) -> Iterator[Any]:
        assert response.request is not None
        yield {"three": [str(response.meta["kept"]), response.request.priority]}

    def parse_form(self, response: Response) -> Iterator[Any]:
        assert response.request is not None
        yield {"form": [response.request.method, response.request.body.decode()]}

    def parse_raising(self, response: Response) -> Iterator[Any]:
        yield Request(response.urljoin("/never"))
        raise RuntimeError("on purpose")

    def parse_moved(self, response: Response) -> Iterator[Any]:
        yield {"moved": [response.url.rsplit("/", 1)[1], response.meta["mine"], response.meta["redirect_times"]]}

    def parse_same(self, response: Response) -> Iterator[Any]:
        yield {"same": 1}

    def parse_flaky(self, response: Response) -> Iterator[Any]:
        if response.text.startswith("later"):
            assert response.request is not None
            again = get_retry_request(response.request, spider=self, reason="later", max_retry_times=5)
            assert again is not None
            yield again
        else:
            yield {"flaky": response.text}

    def failed(self, failure: Any) -> Iterator[Any]:
        yield {"failed": failure.value.response.status}


class Dropper:
    """A user's pipeline that drops one page and fails on another."""

    def process_item(self, item: Any) -> Any:
        url = getattr(item, "url", "")
        if url.endswith("/1"):
            raise DropItem("not wanted")
        if url.endswith("/2"):
            raise RuntimeError("the user's database is down")
        return item


class Swallow:
    """A user's downloader middleware that ignores one response."""

    def process_response(self, request: Request, response: Response) -> Response:
        if request.url.endswith("/3"):
            raise IgnoreRequest("not wanted")
        return response


class NoSlash(Spider):
    """Its start URL has no path, as people write them; its page asks for odd things."""

    name = "noslash"

    def __init__(self, site: str = "", **arguments: Any) -> None:
        super().__init__(**arguments)
        self.start_urls = [site]

    def parse(self, response: Response) -> Iterator[Any]:
        yield {"page": response.url}
        yield Request("data:text/html,hi", dont_filter=True)
        yield Request(response.urljoin("/one"), method="HEAD", callback=self.parse_head)
        yield Request(response.urljoin("/one"), callback=self.parse_get)
        yield Request(response.urljoin("/gone"), callback=self.parse_get, errback=self.instead)

    def parse_head(self, response: Response) -> Iterator[Any]:
        yield {"head": response.url}

    def parse_get(self, response: Response) -> Iterator[Any]:
        yield {"get": response.url}
        yield response.request  # the request in progress itself

    def instead(self, failure: Any) -> Iterator[Any]:
        yield Request(failure.request.url.replace("/gone", "/three"), callback=self.parse_get)


class Links(CrawlSpider):
    """Scrapy's own spider for following links."""

    name = "links"
    rules = (Rule(LinkExtractor(), callback="parse_page", follow=True),)

    def __init__(self, site: str = "", **arguments: Any) -> None:
        super().__init__(**arguments)
        self.start_urls = [f"{site}/"]

    def parse_page(self, response: Response) -> Iterator[Any]:
        yield {"link": response.url, "text": response.meta["link_text"]}


class FailOnce:
    """A user's pipeline that fails on the page /a and takes all others."""

    def process_item(self, item: Any) -> Any:
        if item.url.endswith("/a"):
            raise RuntimeError("not this time")
        return item


class Fresh:
    """A user's downloader middleware that sends a request of its own making in place of one page."""

    def process_response(self, request: Request, response: Response) -> Request | Response:
        return Request(f"{response.url}?fresh=1") if request.url.endswith("/1") else response


class Followers(Spider):
    """Follows every link, without a thought of the event loop."""

    name = "followers"

    def __init__(self, site: str = "", **arguments: Any) -> None:
        super().__init__(**arguments)
        self.start_urls = [f"{site}/"]

    def parse(self, response: Response) -> Iterator[Any]:
        yield {"page": response.url}
        yield from response.follow_all(css="a")


class ManyStarts(Spider):
    """Yields its start requests one by one, as a spider with a long list does."""

    name = "starts"

    def __init__(self, site: str = "", **arguments: Any) -> None:
        super().__init__(**arguments)
        self.site = site

    async def start(self) -> AsyncIterator[Any]:
        for i in range(100):
            await asyncio.sleep(0.02)
            yield Request(f"{self.site}/{i}", callback=self.parse_page)

    def parse_page(self, response: Response) -> Iterator[Any]:
        yield {"page": response.url}


class RobotsSpider(Spider):
    """Asks for a page that robots.txt forbids, and for one in spite of it; tells what Scrapy's signal said."""

    name = "robots"

    async def start(self) -> AsyncIterator[Any]:
        self.parsed: list[Any] = []
        self.crawler.signals.connect(self.note, signals.robots_parsed)
        yield Request(f"{self.site}/1", callback=self.page, errback=self.tell)
        yield Request(f"{self.site}/2", callback=self.page, meta={"dont_obey_robotstxt": True})

    def note(self, robotparser: Any, request: Request) -> None:
        self.parsed.append({"parsed": request.url, "allowed": robotparser.allowed(request.url, "mybot")})

    def page(self, response: Response) -> Iterator[Any]:
        yield {"page": response.url}

    def tell(self, failure: Any) -> Iterator[Any]:
        yield from self.parsed


class Asks(Spider):
    """Asks for ``/wrong`` again while its answer is not the right one, and for ``/other`` by a copy of that request."""

    name = "asks"

    def __init__(self, site: str = "", **arguments: Any) -> None:
        super().__init__(**arguments)
        self.start_urls = [f"{site}/wrong"]

    def parse(self, response: Response) -> Iterator[Any]:
        assert response.request is not None
        if b"right" in response.body:
            yield {"right": response.url}
        else:
            yield response.request.replace(dont_filter=True)
            yield response.request.replace(url=response.urljoin("/other"), callback=self.parse_other, dont_filter=False)

    def parse_other(self, response: Response) -> Iterator[Any]:
        yield {"other": dict(response.meta).get("nutch_repeats", "none")}
