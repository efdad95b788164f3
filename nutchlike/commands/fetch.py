"""``scrapy fetch`` with Scrapy's own scheduler: what it asks for is no page of the crawl."""

from __future__ import annotations

from typing import Any, ClassVar

from scrapy.commands.fetch import Command as FetchCommand

from nutchlike.nutch_command import NutchCommand


class Command(NutchCommand, FetchCommand):
    """Scrapy's own command; the store is neither opened nor changed."""

    default_settings: ClassVar[dict[str, Any]] = {
        **FetchCommand.default_settings,
        "SCHEDULER": "scrapy.core.scheduler.Scheduler",
    }
