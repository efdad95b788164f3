"""Pipelines that have trouble with deletions."""

from __future__ import annotations

from typing import Any

from scrapy.utils.asyncio import sleep

from nutchlike.items import DeletedItem


class FailOnDeleted:
    """Knows pages only."""

    def process_item(self, item: Any) -> Any:
        if isinstance(item, DeletedItem):
            raise KeyError("title")
        return item


class Slow:
    """Takes longer for a deletion than all else takes."""

    async def process_item(self, item: Any) -> Any:
        if isinstance(item, DeletedItem):
            await sleep(1.0)
        return item
