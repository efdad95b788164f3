"""A feed file that holds each item before its page is acknowledged."""

from __future__ import annotations

import fcntl
import io
import json
import logging
import os
from collections.abc import Callable
from pathlib import Path
from typing import IO, Any

from scrapy import Spider
from scrapy.crawler import Crawler
from scrapy.extensions.feedexport import FileFeedStorage
from scrapy.utils.defer import deferred_from_coro

from nutchlike.wiring import scheduler_of

logger = logging.getLogger(__name__)
LINE_FEEDS = {".jsonl", ".jsonlines", ".jl"}
CHUNK = 1 << 16  # bytes


class UnbufferedFileFeedStorage(FileFeedStorage):
    """Scrapy's file feed without a write buffer.

    With Scrapy's buffer (8 KiB) a killed process loses items of pages that are done: they would be in no feed, and
    would not be fetched again. Appending to a feed of lines first cuts a last line that has no end: a process was
    killed while it wrote it, so its page was not acknowledged and comes again.
    """

    def __init__(self, uri: str, *, feed_options: dict[str, Any] | None = None, crawler: Crawler | None = None) -> None:
        super().__init__(uri, feed_options=feed_options)
        self._crawler = crawler

    @classmethod
    def from_crawler(
        cls, crawler: Crawler, uri: str, *, feed_options: dict[str, Any] | None = None
    ) -> UnbufferedFileFeedStorage:
        return cls(uri, feed_options=feed_options, crawler=crawler)

    def open(self, spider: Spider) -> IO[Any]:
        path = Path(self.path)
        if path.parent and not path.parent.exists():
            path.parent.mkdir(parents=True)
        if self.write_mode == "ab" and path.suffix in LINE_FEEDS and path.is_file():
            _mend_last_line(path)
        raw = io.FileIO(path, self.write_mode)
        fcntl.flock(raw, fcntl.LOCK_SH)  # as long as it is open: nobody mends what is being written
        return _FlushingWriter(raw, self._failed)

    def _failed(self, error: OSError) -> None:
        """A feed that takes no more items ends the crawl; the page is not acknowledged, and comes again."""
        logger.critical("Feed %s cannot be written: %s", self.path, error)
        if self._crawler is not None:
            scheduler_of(self._crawler).completion.stop_acknowledging()
            deferred_from_coro(self._crawler.engine.close_spider_async(reason="feed_failed"))


class _FlushingWriter(io.BufferedWriter):
    """Writes each item whole and at once; tells ``failed`` when it cannot."""

    def __init__(self, raw: io.FileIO, failed: Callable[[OSError], None]) -> None:
        super().__init__(raw)
        self._failed = failed

    def write(self, data: Any, /) -> int:
        try:
            written = super().write(data)
            self.flush()
        except OSError as error:
            self._failed(error)
            raise
        return written


def _mend_last_line(path: Path) -> None:
    """Give a whole last line its end; cut one that was not written to its end."""
    with path.open("r+b") as feed:
        try:
            fcntl.flock(feed, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            return  # another process is writing to it
        start = _last_line_start(feed)
        feed.seek(start)
        line = feed.read()
        if not line:
            return
        try:
            json.loads(line)
        except ValueError:
            logger.warning("%s: cut %d bytes of an item that was not written to its end", path, len(line))
            feed.truncate(start)
        else:
            feed.write(b"\n")


def _last_line_start(feed: IO[bytes]) -> int:
    """Return where the line begins that ends with the file; the end of the file when that is a line end."""
    end = feed.seek(0, os.SEEK_END)
    while end > 0:
        start = max(0, end - CHUNK)
        feed.seek(start)
        last = feed.read(end - start).rfind(b"\n")
        if last >= 0:
            return start + last + 1
        end = start
    return 0
