"""Sitemaps as seeds: each page that they list becomes a seed, also those of the sitemaps that an index lists."""

from __future__ import annotations

import logging
import time
from collections import deque
from collections.abc import Callable, Collection, Iterator
from contextlib import AbstractContextManager, ExitStack
from dataclasses import dataclass, field
from functools import partial
from http.client import HTTPException
from typing import Protocol
from urllib.error import HTTPError
from urllib.parse import urlsplit

from nutchlike.crawldatum import SCORE_MAX
from nutchlike.downloads import CHUNK_BYTES, Download
from nutchlike.parsing.sitemap import SitemapLimits, read_sitemap
from nutchlike.parsing.sitemap_entries import Listed, SitemapEntry, SitemapLink
from nutchlike.retry_after import BUSY, parse_retry_after
from nutchlike.seeds import FIXED_INTERVAL_METADATA, SeedRecord, SeedReject

logger = logging.getLogger(__name__)
MIDDLE_PRIORITY = 0.5  # what a page has whose sitemap does not say it (sitemaps.org)
TRIES = 3  # for a sitemap whose server is busy
AGE_SHARE = 10  # a page that was changed so long ago is taken to stay for a tenth of that (RFC 9111, 4.2.2)


@dataclass(frozen=True, slots=True)
class SitemapRules:
    """What of a sitemap counts, and how much is read.

    ``makes_due``: a known page that was last fetched before its lastmod is due at once. Intervals are seconds.
    ``size_max`` is in bytes, of one sitemap, unpacked; ``urls_max`` counts pages of a sitemap and of all that its index
    lists, ``sitemaps_max`` those; ``depth_max`` is how deep indexes may lie in indexes.
    ``is_strict``: a sitemap speaks for its own host, and for those whose robots.txt names it.
    """

    uses_changefreq: bool = True
    uses_lastmod: bool = True
    makes_due: bool = True
    uses_priority: bool = True
    interval_min: int = 86_400
    interval_max: int = 7_776_000
    is_strict: bool = True
    size_max: int = 1 << 30
    urls_max: int = 5_000_000
    sitemaps_max: int = 50_000
    depth_max: int = 3


class Turns(Protocol):
    """Says when a sitemap may be asked for, and hears of servers that want to be left alone."""

    def wait(self, url: str) -> None:
        """Block until ``url`` may be asked for; ValueError, saying why, when it may not."""

    def hold(self, url: str, seconds: float) -> None:
        """The host of ``url`` is busy: nobody may ask it for ``seconds``; 0.0 = it does not say for how long."""


class Pauses:
    """Turns of one process for itself: ``delay`` seconds before each sitemap, none beyond ``hold_max`` when held."""

    def __init__(self, delay: float = 0.0, *, hold_max: float = 60.0) -> None:
        self._delay = delay
        self._hold_max = hold_max

    def wait(self, url: str) -> None:
        time.sleep(self._delay)

    def hold(self, url: str, seconds: float) -> None:
        if seconds > self._hold_max:
            raise ValueError(f"its host may not be asked for {seconds:.0f} s")
        time.sleep(max(seconds, 1.0))


@dataclass(slots=True)
class SitemapCounts:
    """Sitemaps read to their end, those that broke off or could not be had, and those passed over (loops, limits).

    ``urls`` are pages that came of them, ``refused`` entries that a sitemap may not have.
    """

    read: int = 0
    failed: int = 0
    skipped: int = 0
    urls: int = 0
    refused: int = 0

    def __str__(self) -> str:
        return (
            f"{self.read} sitemaps read, {self.failed} failed, {self.skipped} passed over: "
            f"{self.urls} URLs, {self.refused} refused"
        )


@dataclass(slots=True)
class _Walk:
    """Where reading one named sitemap and its index's is: what waits, with its depth, and what was met."""

    named: SeedRecord
    hosts: Collection[str]
    now: float
    urls_left: int
    met: set[str] = field(default_factory=set)
    waiting: deque[tuple[str, int]] = field(default_factory=deque)


class SitemapSeeds:
    """Reads sitemaps one after the other, and counts. ``download`` gives the body of a URL."""

    def __init__(self, rules: SitemapRules, *, download: Callable[[str], AbstractContextManager[Download]]) -> None:
        self.counts = SitemapCounts()
        self._rules = rules
        self._download = download

    def read(
        self, named: SeedRecord, *, hosts: Collection[str] = (), now: float, turns: Turns
    ) -> Iterator[SeedRecord | SeedReject]:
        """Yield the seeds of the sitemap ``named.url``, and why others are none; a sitemap that fails is one of these.

        Score, interval and metadata of ``named`` are those of its pages, as far as the sitemap does not say more.
        ``hosts`` are those whose robots.txt names it. ``now`` is in epoch seconds. Sitemaps of an index follow it, in
        its order.
        """
        walk = _Walk(named, hosts, now, urls_left=self._rules.urls_max, met={named.url})
        walk.waiting.append((named.url, 0))
        while walk.waiting:
            url, depth = walk.waiting.popleft()
            if walk.urls_left <= 0:
                self.counts.skipped += 1 + len(walk.waiting)
                yield SeedReject(url, 0, url, f"more than {self._rules.urls_max} URLs (NUTCH_SITEMAP_URLS_MAX)")
                return
            yield from self._read_one(url, depth, walk, turns)

    def _read_one(self, url: str, depth: int, walk: _Walk, turns: Turns) -> Iterator[SeedRecord | SeedReject]:
        number, links = 0, []
        try:
            with ExitStack() as stack:
                sitemap = self._had(url, turns, stack)
                for number, one in enumerate(self._listed(url, sitemap, walk), start=1):
                    walk.urls_left -= 1
                    if isinstance(one, SitemapEntry):
                        self.counts.urls += 1
                        yield self._seed(one, walk, source=url, line=number)
                    elif not isinstance(one, SitemapLink):
                        self.counts.refused += 1
                        yield SeedReject(url, number, one.url, f"{one.url}: {one.reason}")
                    elif reason := self._meets(one.url, depth + 1, walk):
                        yield SeedReject(url, number, one.url, f"sitemap {one.url}: {reason}")
                    elif one.url not in walk.met:
                        walk.met.add(one.url)
                        links.append((one.url, depth + 1))
            self.counts.read += 1
        except (OSError, ValueError, HTTPException) as error:
            self.counts.failed += 1
            read = f"after {number} entries" if number else "at all"
            yield SeedReject(url, number, url, f"the sitemap cannot be read {read}: {error}")
        walk.waiting.extendleft(reversed(links))

    def _had(self, url: str, turns: Turns, stack: ExitStack) -> Download:
        """Return the body of ``url``, which ``stack`` closes; a busy server is asked again when it is its turn."""
        tries = 0
        while True:
            turns.wait(url)
            tries += 1
            try:
                return stack.enter_context(self._download(url))
            except HTTPError as error:
                if error.code not in BUSY:
                    raise
                turns.hold(url, parse_retry_after(error.headers.get("Retry-After"), now=time.time()) or 0.0)
                if tries == TRIES:
                    raise

    def _listed(self, url: str, sitemap: Download, walk: _Walk) -> Iterator[Listed]:
        hosts = None
        if self._rules.is_strict:  # a host that sends to another one for its sitemap has named it
            hosts = {*walk.hosts, (urlsplit(url).hostname or "").lower()}
        return read_sitemap(
            iter(partial(sitemap.body.read, CHUNK_BYTES), b""),
            url=sitemap.url,
            hosts=hosts,
            limits=SitemapLimits(size=self._rules.size_max, entries=walk.urls_left),
            tell=lambda text: logger.warning("Sitemap %s: %s", url, text),
        )

    def _meets(self, url: str, depth: int, walk: _Walk) -> str | None:
        """Return why a sitemap that an index lists is not read; ``None`` also for one that was met before."""
        if url in walk.met:
            self.counts.skipped += 1
            return None
        if depth > self._rules.depth_max:
            reason = f"indexes lie more than {self._rules.depth_max} deep (NUTCH_SITEMAP_DEPTH_MAX)"
        elif len(walk.met) >= self._rules.sitemaps_max:
            reason = f"an index leads to more than {self._rules.sitemaps_max} sitemaps (NUTCH_SITEMAP_COUNT_MAX)"
        else:
            return None
        self.counts.skipped += 1
        return reason

    def _seed(self, entry: SitemapEntry, walk: _Walk, *, source: str, line: int) -> SeedRecord:
        named, rules = walk.named, self._rules
        score, interval = named.score, self._interval(entry, walk)
        says_priority = rules.uses_priority and entry.priority is not None
        if says_priority and entry.priority is not None:
            score = min(score * entry.priority / MIDDLE_PRIORITY, SCORE_MAX)
        return SeedRecord(
            entry.url,
            score=score,
            fetch_interval=named.fetch_interval if interval is None else interval,
            metadata=dict(named.metadata),
            source=source,
            line=line,
            score_given=named.score_given or says_priority,
            interval_given=named.interval_given or interval is not None,
            changed_at=self._changed_at(entry, walk),
        )

    def _changed_at(self, entry: SitemapEntry, walk: _Walk) -> int:
        """Return from when on a fetch has seen the page as it is; 0 when nothing is known of that.

        Many sitemaps say of each page that it has just changed: what was fetched less than the least interval ago
        waits for its time.
        """
        rules = self._rules
        if not (rules.makes_due and rules.uses_lastmod) or FIXED_INTERVAL_METADATA in walk.named.metadata:
            return 0
        if entry.lastmod is None or entry.lastmod > walk.now:
            return 0
        return max(0, min(entry.lastmod, int(walk.now) - rules.interval_min))

    def _interval(self, entry: SitemapEntry, walk: _Walk) -> int | None:
        """Return the seconds that changefreq says, else a tenth of the time since lastmod; ``None`` when neither.

        An interval that the seed line fixes counts for all pages. A lastmod that is yet to come says nothing.
        """
        rules = self._rules
        if FIXED_INTERVAL_METADATA in walk.named.metadata:
            return None
        if rules.uses_changefreq and entry.changefreq is not None:
            seconds = entry.changefreq
        elif rules.uses_lastmod and entry.lastmod is not None and entry.lastmod <= walk.now:
            seconds = int(walk.now - entry.lastmod) // AGE_SHARE
        else:
            return None
        return min(max(seconds, rules.interval_min), rules.interval_max)
