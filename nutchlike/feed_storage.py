"""A feed file that holds each item before its page is acknowledged."""

from __future__ import annotations

import os
from pathlib import Path
from typing import IO, Any

from scrapy import Spider
from scrapy.extensions.feedexport import FileFeedStorage

LINE_FEEDS = {".jsonl", ".jsonlines", ".jl"}
CHUNK = 1 << 16  # bytes


class UnbufferedFileFeedStorage(FileFeedStorage):
    """Scrapy's file feed without a write buffer.

    With Scrapy's buffer (8 KiB) a killed process loses items of pages that are done: they would be in no feed, and
    would not be fetched again. Appending to a feed of lines first cuts a last line that has no end: a process was
    killed while it wrote it, so its page was not acknowledged and comes again.
    """

    def open(self, spider: Spider) -> IO[Any]:
        path = Path(self.path)
        if path.parent and not path.parent.exists():
            path.parent.mkdir(parents=True)
        if self.write_mode == "ab" and path.suffix in LINE_FEEDS and path.exists():
            _cut_torn_line(path)
        return path.open(self.write_mode, buffering=0)


def _cut_torn_line(path: Path) -> None:
    with path.open("r+b") as feed:
        end = feed.seek(0, os.SEEK_END)
        while end > 0:
            start = max(0, end - CHUNK)
            feed.seek(start)
            last = feed.read(end - start).rfind(b"\n")
            if last >= 0:
                feed.truncate(start + last + 1)
                return
            end = start
        feed.truncate(0)
