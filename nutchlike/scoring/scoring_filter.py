"""The contract of a scoring filter: how pages get their scores and what they pass on to the pages that they link to."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from types import MappingProxyType
from typing import NamedTuple, Self

from nutchlike.contracts import SettingsReader
from nutchlike.crawldatum import CrawlDatum


@dataclass(frozen=True, slots=True)
class Seen:
    """Pages of a host, or of the crawl: those ``known``, and those of them ``fetched`` or in progress."""

    known: int = 1
    fetched: int = 1


@dataclass(frozen=True, slots=True)
class Surroundings:
    """What was known around a page when it was leased: of its host, and of the crawl.

    ``given`` is all score that was ever injected, or given beyond what pages had.
    """

    host: Seen = Seen()
    crawl: Seen = Seen()
    given: float = 1.0


@dataclass(frozen=True, slots=True)
class ScoredPage:
    """A page that was fetched and parsed.

    ``datum`` is its record as it was leased: ``score`` is what it has to give. ``text`` is what a reader sees.
    ``content_metadata`` came with the answer (HTTP headers), ``parse_metadata`` is what goes into the item.
    ``all_count`` counts the links of the page before any rule dropped some.
    """

    datum: CrawlDatum
    text: str = ""
    content_metadata: Mapping[str, str] = field(default_factory=dict)
    parse_metadata: Mapping[str, str] = field(default_factory=dict)
    all_count: int = 0
    surroundings: Surroundings = Surroundings()


class Outlink(NamedTuple):
    """A link of a page; ``is_internal``: to its own host (``link_rules.same_host``); ``metadata`` a new page keeps.

    ``id`` tells links to one URL apart (a form that is got and one that is posted); a filter leaves it as it is.
    """

    url: str
    is_internal: bool
    metadata: Mapping[str, str] = MappingProxyType({})
    id: bytes = b""


@dataclass(frozen=True, slots=True)
class Inlink:
    """What a page gets from one that links to it: a share of its score, and metadata."""

    score: float
    metadata: Mapping[str, str] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class Distribution:
    """What a page gives: ``scores`` to its ``outlinks``, one each in their order, and ``spent`` it loses itself.

    What is spent and goes to no outlink is the virtual page's, so a filter that drops a link or lowers its score loses
    no cash. The virtual page owes what a page gives beyond that (Nutch's OPIC spends nothing), and with
    ``keeps_balance`` (host votes) it keeps its part and does not spread it.
    """

    outlinks: Sequence[Outlink]
    scores: Sequence[float]
    spent: float = 0.0
    keeps_balance: bool = False

    @property
    def virtual(self) -> float:
        """The virtual page's part of what is spent; rounding never makes it a debt."""
        return 0.0 if self.keeps_balance else max(0.0, self.spent - sum(self.scores))

    @property
    def balance(self) -> float:
        """What the virtual page keeps, or owes (below 0) for what a page gives beyond what it spends."""
        return self.spent - sum(self.scores) - self.virtual

    def with_metadata(self, metadata: Mapping[str, str]) -> Self:
        """Return the same with ``metadata`` added to that of each outlink."""
        outlinks = [link._replace(metadata={**link.metadata, **metadata}) for link in self.outlinks]
        return replace(self, outlinks=outlinks)


@dataclass(frozen=True, slots=True)
class Visit:
    """A fetch of a page, told in cash: ``spent`` by it, ``elapsed`` as all pages together have spent since its last.

    For its first fetch ``elapsed`` counts from when it became known. ``total`` is all the cash that there is.
    """

    spent: float
    elapsed: float
    total: float


class ScoringFilter:
    """The hooks that the crawl calls. Each does nothing here; a filter overrides those that it needs.

    ``history_window`` is adaptive OPIC's window, in times the cash that there is; 0 where histories do not fade.
    ``needs_link_times``: whether the crawl must note when it last saw a link to a page (``CrawlDatum.linked_at``).

    The hooks are Nutch's (``ScoringFilter``), in our spelling; ``update_history`` is for the paper's OPIC. Nothing is
    changed in place: a hook returns the new value, and the next filter of the chain gets that.
    """

    history_window: float = 0.0
    needs_link_times: bool = False

    @classmethod
    def from_settings(cls, settings: SettingsReader) -> Self:
        """Return the filter as the settings have it; ValueError for one that cannot be used."""
        return cls()

    def injected_score(self, datum: CrawlDatum) -> CrawlDatum:
        """Return the record of a new seed; ValueError, for people to read, when its metadata cannot be used."""
        return datum

    def initial_score(self, datum: CrawlDatum) -> CrawlDatum:
        """Return the record of a page that a link has made known, before it gets its share."""
        return datum

    def sort_value(self, datum: CrawlDatum, initial: float) -> float:
        """Return how soon a page is fetched, higher first (``generatorSortValue``)."""
        return initial

    def pass_metadata(self, page: ScoredPage) -> ScoredPage:
        """Return the page with the metadata that its item gets (``passScoreBeforeParsing``, ``…AfterParsing``)."""
        return page

    def distribute(self, page: ScoredPage, distribution: Distribution) -> Distribution:
        """Return what a page gives to its outlinks (``distributeScoreToOutlinks``).

        They are distinct, and other than the page. Links may be dropped, and replaced by some with more metadata.
        """
        return distribution

    def update_history(self, datum: CrawlDatum, visit: Visit) -> CrawlDatum:
        """Return the record of a page after it was fetched.

        In a crawl the store does this, for it alone knows all that was spent: with ``history_window``.
        """
        return datum

    def update_db_score(
        self, datum: CrawlDatum, old: CrawlDatum | None, inlinked: Sequence[Inlink], *, now: int
    ) -> CrawlDatum:
        """Return the new record ``datum`` with what came by links; ``old`` is ``None`` when there was none before.

        ``now`` is in epoch seconds.
        """
        return datum

    def indexer_score(self, datum: CrawlDatum, score: float) -> float:
        """Return the score that a page's item has."""
        return score

    def orphaned_score(self, datum: CrawlDatum, *, now: int) -> CrawlDatum:
        """Return the record of a page that nothing has linked to of late; ``now`` is in epoch seconds."""
        return datum
