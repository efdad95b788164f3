"""What all commands of this project do before they run: refuse a Nutch configuration that cannot be used."""

from __future__ import annotations

import argparse
import os
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager

import redis
from scrapy.commands import ScrapyCommand
from scrapy.exceptions import UsageError
from scrapy.settings import BaseSettings

from nutchlike.checked_settings import check_settings
from nutchlike.crawl_store import CrawlStore, open_store
from nutchlike.nutch_properties import configured_conf
from nutchlike.store.codec import UnreadableRecord
from nutchlike.store.errors import StoreUnavailable

PROGRESS_SECONDS = 1.0


class NutchCommand(ScrapyCommand):
    """Ends with one line and exit code 2 on a bad NUTCH_CONF_DIR: in the add-on, Scrapy would show a traceback."""

    failed_exitcode = 1  # when the command cannot do what it was asked for

    def process_options(self, args: list[str], opts: argparse.Namespace) -> None:
        """Set settings from the command line, then look at the Nutch configuration that they name."""
        super().process_options(args, opts)
        assert self.settings is not None
        try:
            configured_conf(self.settings, environ=os.environ)
        except ValueError as error:
            raise UsageError(str(error), print_help=False) from error

    def check(self, settings: BaseSettings) -> None:
        """Raise UsageError for a setting that cannot be used, and warn of those that nothing reads."""
        try:
            check_settings(settings)
        except ValueError as error:
            raise UsageError(str(error), print_help=False) from error

    def settings_of(self, spider: str) -> BaseSettings:
        """Return the settings that a crawl of ``spider`` has, checked; UsageError when there is no such spider."""
        assert self.crawler_process is not None
        try:
            settings = self.crawler_process.create_crawler(spider).settings
        except KeyError:
            names = ", ".join(sorted(self.crawler_process.spider_loader.list()))
            raise UsageError(f"no spider {spider!r}, there are: {names}", print_help=False) from None
        self.check(settings)
        return settings

    @contextmanager
    def opened_store(self, settings: BaseSettings, spider: str) -> Iterator[CrawlStore]:
        """Give the store of a spider's crawl as it is, laying out none, while this lasts; then close it.

        UsageError when it cannot be opened. When it fails meanwhile, that is said, and so is it of a record that
        cannot be read, and of output that cannot be written.
        """
        try:
            store = open_store(settings, crawl_id=spider, begin=False)
        except (StoreUnavailable, ValueError) as error:
            raise UsageError(str(error), print_help=False) from error
        try:
            with self.output():
                yield store
        except redis.RedisError as error:
            self.complain(f"The store failed: {error}")
        except OSError as error:
            self.complain(f"The output failed: {error}")
        except UnreadableRecord as error:
            self.complain(str(error))
        finally:
            store.close()

    def complain(self, text: str) -> None:
        """Say on standard error what could not be done, and end with ``failed_exitcode``."""
        print(text, file=sys.stderr)
        self.exitcode = self.failed_exitcode

    @contextmanager
    def output(self) -> Iterator[None]:
        """While this lasts, a reader that closes the pipe (``| head``) ends the output without a traceback."""
        try:
            yield
            sys.stdout.flush()
        except BrokenPipeError:
            os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())  # the interpreter flushes once more


class Progress:
    """Prints what it is told on standard error: at most a line a second, and each that begins with ``always``."""

    def __init__(self, *, always: str | None = None) -> None:
        self._always = always
        self._said_at = time.monotonic()

    def tell(self, text: str) -> None:
        now = time.monotonic()
        is_due = now - self._said_at >= PROGRESS_SECONDS
        if is_due or (self._always is not None and text.startswith(self._always)):
            self._said_at = now
            print(text, file=sys.stderr, flush=True)
