"""Injector: seed lines to judged seeds, and those into the CrawlDb, a batch at a time (Nutch: Injector)."""

from __future__ import annotations

import logging
import time
from collections.abc import Callable, Collection, Iterable, Iterator
from dataclasses import dataclass
from functools import partial
from itertools import islice

from scrapy.settings import BaseSettings

from nutchlike.checked_settings import get_bool, get_float, get_int
from nutchlike.crawldatum import SCORE_MAX, CrawlDatum
from nutchlike.downloads import downloaded
from nutchlike.plugins import SCOPE_INJECT, build_scoring_chain, build_url_chain
from nutchlike.scoring.chain import ScoringChain
from nutchlike.seed_sources import SeedSource
from nutchlike.seeds import SeedRecord, SeedReject, iter_seed_lines
from nutchlike.sitemap_seeds import Pauses, SitemapRules, SitemapSeeds, Turns
from nutchlike.store.crawldb import CrawlDb, Merge, Seed
from nutchlike.store.stored_url import StoredURL
from nutchlike.urls.chain import URLChain

logger = logging.getLogger(__name__)
BATCH = 500  # lines that are judged, and injected with one call
SHOWN = 20  # rejected seeds that the log names; the rest is counted
PROGRESS = 100_000  # lines from one report to the next

NO_SITEMAPS = "a sitemap can be named in a seed list, with -a sitemaps=, and to scrapy inject"
SITEMAP_SECONDS = 600.0  # in which a sitemap must be there

Line = SeedRecord | SeedReject
AT_ONCE = Pauses()


@dataclass(slots=True)
class InjectorCounts:
    """What became of the lines so far; ``updated`` of the ``known`` ones were changed."""

    injected: int = 0
    known: int = 0
    updated: int = 0
    rejected: int = 0

    @property
    def usable(self) -> int:
        return self.injected + self.known

    def __str__(self) -> str:
        return (
            f"{self.injected} new seeds, {self.known} were known ({self.updated} of them changed), "
            f"{self.rejected} rejected"
        )


class Injector:
    """Reads, judges and injects seeds, and counts them; a seed that a scoring filter refuses is rejected.

    ``default_score`` is OPIC cash, ``default_interval`` seconds. ``merge`` says what happens to a known URL.
    ``sitemaps`` reads those that seed lines name; without it such lines are rejected.
    ``tell`` hears of rejected seeds and of ignored parts of seed lines, but at most of ``shown`` each.
    ``strict`` reads and judges as Nutch does: of several seeds for one URL in a batch the last one counts, and a score
    or interval that is equal to its default counts as not given.
    """

    def __init__(
        self,
        chain: URLChain,
        *,
        default_score: float,
        default_interval: int,
        scoring: ScoringChain | None = None,
        sitemaps: SitemapSeeds | None = None,
        merge: Merge = "keep",
        strict: bool = False,
        tell: Callable[[str], None] = logger.warning,
        shown: int = SHOWN,
    ) -> None:
        self.counts = InjectorCounts()
        self.first_rejects: list[str] = []
        self.sitemaps = sitemaps
        self._chain = chain
        self._score = default_score
        self._interval = default_interval
        self._scoring = scoring or ScoringChain(())
        self._merge = merge
        self._strict = strict
        self._tell = tell
        self._shown = shown
        self._warned = 0
        self._steps = 0

    def read(self, sources: Iterable[SeedSource], *, turns: Turns = AT_ONCE) -> Iterator[Line]:
        """Yield all lines of ``sources``; a list that breaks off gives a reject, and the next one is read.

        In place of a line that names a sitemap come its pages, see ``expanded``.
        """
        for source in sources:
            try:
                yield from self.expanded(self.parse(source.lines(), source=source.name), turns=turns)
            except ValueError as error:
                yield SeedReject(source.name, 0, "", str(error))

    def parse(self, lines: Iterable[str], *, source: str) -> Iterator[Line]:
        """Yield what each line says; ``source`` is what messages call their origin."""
        return iter_seed_lines(
            lines,
            source=source,
            default_score=self._score,
            default_interval=self._interval,
            strict=self._strict,
        )

    def expanded(self, lines: Iterable[Line], *, hosts: Collection[str] = (), turns: Turns = AT_ONCE) -> Iterator[Line]:
        """Yield ``lines`` with the pages of a sitemap in place of the line that names it.

        ``turns`` say when those may be asked for. ``hosts`` are those whose robots.txt names the sitemaps.
        """
        for line in lines:
            if self.sitemaps is None or isinstance(line, SeedReject) or not line.is_sitemap:
                yield line
            else:
                for warning in line.warnings:
                    self._warn(warning)
                yield from self.sitemaps.read(line, hosts=hosts, now=time.time(), turns=turns)

    def judge(self, lines: Iterable[Line]) -> list[Seed]:
        """Return the seeds that the rules accept, with normalized URLs; tell of the others, and count them."""
        seeds = []
        for line in lines:
            if isinstance(line, SeedReject):
                self._reject(line)
                continue
            for warning in line.warnings:
                self._warn(warning)
            url, reason = (None, NO_SITEMAPS) if line.is_sitemap else self._judged(line.url)
            if url is not None:
                try:
                    self._scoring.injected_score(CrawlDatum(url, score=line.score, metadata=line.metadata))
                except ValueError as error:
                    url, reason = None, str(error)
            if url is None:
                self._reject(SeedReject(line.source, line.line, line.url, f"{line.url[:200]}: {reason}"))
            else:
                seeds.append(self._seed(line, url))
        return list({seed.url: seed for seed in seeds}.values()) if self._strict else seeds

    def put(self, seeds: list[Seed], crawldb: CrawlDb, *, now: float) -> InjectorCounts:
        """Inject what ``judge`` returned, and return what that changed; RedisError when the store fails.

        Putting the same seeds again is harmless.
        """
        created, updated = crawldb.inject(seeds, merge=self._merge, now=now) if seeds else (0, 0)
        change = InjectorCounts(created, len(seeds) - created, updated)
        self.counts.injected += change.injected
        self.counts.known += change.known
        self.counts.updated += change.updated
        steps = (self.counts.usable + self.counts.rejected) // PROGRESS
        if steps > self._steps:
            self._steps = steps
            logger.info("Injecting: %s so far", str(self.counts))  # the counts go on changing
        return change

    def rejudge(self, crawldb: CrawlDb, *, now: float) -> int:
        """Judge all known URLs by the rules of today; return how many records changed (Nutch: -filterNormalizeAll).

        A URL that the rules reject is forgotten, one that they spell otherwise gets its new name. Reads every record;
        a page in progress is left alone.
        """
        changed = 0
        for record in crawldb.records():
            if not isinstance(record, CrawlDatum):
                continue
            url = self._judged(record.url)[0]
            if url != record.url:
                changed += crawldb.move(record.url, url, now=now)
        return changed

    def _judged(self, url: str) -> tuple[str | None, str]:
        verdict = self._chain.judge(url)
        if verdict.url is not None:
            try:
                StoredURL.plain(verdict.url).place()  # without normalizers, anything may come here
            except ValueError as error:
                return None, str(error)
        return verdict.url, verdict.reason

    def _seed(self, line: SeedRecord, url: str) -> Seed:
        score = line.score
        if not 0 <= score <= SCORE_MAX:  # Nutch's own reading lets these through
            self._warn(SeedReject(line.source, line.line, line.url, f"score {score!r} is not used"))
            score = self._score
        interval = line.fetch_interval
        if interval < 0:
            self._warn(SeedReject(line.source, line.line, line.url, f"fetch interval {interval} is not used"))
            interval = self._interval
        return Seed(
            url,
            score=score,
            fetch_interval=interval,
            metadata=line.metadata,
            score_given=score != self._score if self._strict else line.score_given,
            interval_given=interval != self._interval if self._strict else line.interval_given,
            origin=f"{line.source}:{line.line}",
            changed_at=line.changed_at,
        )

    def _reject(self, reject: SeedReject) -> None:
        self.counts.rejected += 1
        if self.counts.rejected <= self._shown:
            self._tell(f"Seed rejected: {reject}")
        if len(self.first_rejects) < SHOWN:
            self.first_rejects.append(str(reject))

    def _warn(self, warning: SeedReject) -> None:
        self._warned += 1
        if self._warned <= self._shown:
            self._tell(f"Seed: {warning}")


def build_injector(
    settings: BaseSettings,
    *,
    merge: Merge | None = None,
    normalizing: bool = True,
    filtering: bool = True,
    tell: Callable[[str], None] = logger.warning,
    shown: int = SHOWN,
) -> Injector:
    """Return the injector that the settings describe; ``merge`` beats theirs.

    Without ``normalizing`` or ``filtering`` those rules do not hold, as with Nutch's -noNormalize and -noFilter.
    Raises ValueError, naming setting and value, for one that cannot be used.
    """
    overwrite = get_bool(settings, "NUTCH_DB_INJECTOR_OVERWRITE")
    update = get_bool(settings, "NUTCH_DB_INJECTOR_UPDATE")
    left_out = []
    if not normalizing:
        left_out.append("NUTCH_URL_NORMALIZERS")
    if not filtering:
        left_out.append("NUTCH_URL_FILTERS")
    return Injector(
        build_url_chain(_without_rules(settings, left_out), scope=SCOPE_INJECT),
        default_score=get_float(settings, "NUTCH_DB_SCORE_INJECTED"),
        default_interval=get_int(settings, "NUTCH_DB_FETCH_INTERVAL_DEFAULT"),
        merge=merge or ("overwrite" if overwrite else "update" if update else "keep"),
        scoring=build_scoring_chain(settings),
        sitemaps=_build_sitemap_seeds(settings),
        strict=get_bool(settings, "NUTCH_STRICT"),
        tell=tell,
        shown=shown,
    )


def _build_sitemap_seeds(settings: BaseSettings) -> SitemapSeeds:
    rules = SitemapRules(
        uses_changefreq=get_bool(settings, "NUTCH_SITEMAP_CHANGEFREQ"),
        uses_lastmod=get_bool(settings, "NUTCH_SITEMAP_LASTMOD"),
        makes_due=not get_bool(settings, "NUTCH_STRICT"),
        uses_priority=get_bool(settings, "NUTCH_SITEMAP_PRIORITY"),
        interval_min=get_int(settings, "NUTCH_SITEMAP_INTERVAL_MIN"),
        interval_max=get_int(settings, "NUTCH_SITEMAP_INTERVAL_MAX"),
        is_strict=get_bool(settings, "NUTCH_SITEMAP_STRICT_PARSING"),
        size_max=get_int(settings, "NUTCH_SITEMAP_SIZE_MAX"),
        urls_max=get_int(settings, "NUTCH_SITEMAP_URLS_MAX"),
        sitemaps_max=get_int(settings, "NUTCH_SITEMAP_COUNT_MAX"),
        depth_max=get_int(settings, "NUTCH_SITEMAP_DEPTH_MAX"),
    )
    download = partial(
        downloaded, maxsize=rules.size_max, user_agent=str(settings.get("USER_AGENT")), seconds=SITEMAP_SECONDS
    )
    return SitemapSeeds(rules, download=download)


def _without_rules(settings: BaseSettings, names: Iterable[str]) -> BaseSettings:
    """Return the settings with empty lists in place of those that ``names`` name."""
    changed = settings.copy()
    changed.frozen = False  # the settings of a crawl are; this copy goes nowhere else
    for name in names:
        changed.set(name, [], priority="cmdline")
    return changed


def batches(lines: Iterable[Line]) -> Iterator[list[Line]]:
    """Yield ``lines`` as lists of at most BATCH; none is empty."""
    lines = iter(lines)
    while batch := list(islice(lines, BATCH)):
        yield batch
