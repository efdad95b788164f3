"""A user's pipeline that does with an item what the title of its page says."""

from __future__ import annotations

from scrapy.exceptions import DropItem

from nutchlike.items import PageItem


class ScriptedPipeline:
    """Raises an error for a title that begins with /raise, and drops the item of one that begins with /drop."""

    def process_item(self, item: PageItem) -> PageItem:
        if item.title.startswith("/raise"):
            raise RuntimeError("as the title says")
        if item.title.startswith("/drop"):
            raise DropItem("as the title says")
        return item
