"""``scrapy parse`` with Scrapy's own scheduler: what it asks for is no page of the crawl."""

from __future__ import annotations

from typing import Any, ClassVar

from scrapy.commands.parse import Command as ParseCommand

from nutchlike.nutch_command import NutchCommand


class Command(NutchCommand, ParseCommand):
    """Scrapy's own command; the store is neither opened nor changed."""

    default_settings: ClassVar[dict[str, Any]] = {
        **ParseCommand.default_settings,
        "SCHEDULER": "scrapy.core.scheduler.Scheduler",
    }
