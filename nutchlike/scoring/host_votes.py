"""Host votes: what a page's links are worth for the order of a crawl that has seen little of the web.

OPIC's cash says how important the pages are that were fetched often. Of pages that were not fetched yet it says less:
most of what it hands out early goes around within the hosts that the crawl happens to be in. The fetched pages are a
sample of the web, and here their links are counted as a sample's are:

    vote = w * min(known_h / fetched_h, 2 * known / fetched) * sqrt((s / m) / (d + 1))

- ``known_h / fetched_h``: the page speaks for all pages that are known on its host, so the hundredth page that is read
  there adds a hundredth of what the first one did, and a host weighs as much as it has pages, not as much as it was
  crawled. This is the estimator of stratified samples; the bound (twice the same ratio of the whole crawl) keeps one
  list of links from speaking for a host of which nothing else is known.
- ``sqrt((s / m) / (d + 1))``: the square root of OPIC's share. ``s`` is the page's own score and ``m`` the mean score
  of the known pages (``given / known``), so a vote is as large late in a crawl as early in it; ``d`` counts the
  outlinks. The root lies halfway between OPIC, which trusts a score that is still a guess, and counting links, which
  trusts nothing.
- ``w``: a link to another host counts twice, for a site's links to itself are navigation more than opinion.

Sources: Abiteboul, Preda, Cobena, WWW 2003 (OPIC); Horvitz, Thompson, "A generalization of sampling without
replacement from a finite universe", JASA 1952 (weight = 1 / share sampled); Bharat, Henzinger, "Improved algorithms for
topic distillation in a hyperlinked environment", SIGIR 1998 (the links of one host share one vote); Davison,
"Recognizing nepotistic links on the web", 2000. The combination and the two constants are ours: benchmarks/ordering.py.
"""

from __future__ import annotations

import math
from dataclasses import dataclass, replace

from nutchlike.crawldatum import CrawlDatum
from nutchlike.scoring.scoring_filter import Distribution, ScoredPage, ScoringFilter, Seen

EXTERNAL_WEIGHT = 2.0  # of a link to another host; 1.5 to 3 do nearly as well
MOST_SPOKEN_FOR = 2.0  # times the known pages per fetched page of the whole crawl; 1.5 to 5 do nearly as well


@dataclass(frozen=True, slots=True)
class Votes:
    """What one page gives: to each link within its host, to each link to another host, and the ``virtual`` page's part.

    ``virtual`` is what is left of the page's score, and negative when the votes are worth more than that: the virtual
    page keeps a balance that must not be spread. So the scores of all pages and the balance always add up to what was
    injected, and a check can tell when a vote was lost or paid twice.
    """

    internal: float
    external: float
    virtual: float


def pages_spoken_for(host: Seen, crawl: Seen) -> float:
    """Return how many pages of its host one fetched page stands for; at least 1 when no more are fetched than known.

    Raises ValueError for counts that are not positive.
    """
    if min(host.known, host.fetched, crawl.known, crawl.fetched) <= 0:
        raise ValueError(f"pages known and fetched must be > 0, got {host} and {crawl}")
    return min(host.known / host.fetched, MOST_SPOKEN_FOR * crawl.known / crawl.fetched)


def host_votes(score: float, *, given: float, internal: int, external: int, host: Seen, crawl: Seen) -> Votes:
    """Return how a page with ``score`` (>= 0) pays its outlinks: ``internal`` to its own host, ``external`` to others.

    ``given`` (> 0) is all score that was ever injected or voted. ``host`` and ``crawl`` count this page as fetched and
    all its outlinks as known, as if all were new: the store can say so without looking them up, and by the
    measurements it makes no difference.

    Raises ValueError for a score that is negative or not finite, for ``given`` that is not a finite number > 0, a
    negative number of outlinks, and for counts that are not positive.
    """
    if not (math.isfinite(score) and score >= 0):
        raise ValueError(f"score must be a finite number >= 0, got {score!r}")
    if not (math.isfinite(given) and given > 0):
        raise ValueError(f"given must be a finite number > 0, got {given!r}")
    if min(internal, external) < 0:
        raise ValueError(f"the numbers of outlinks must be >= 0, got {internal!r} and {external!r}")
    spoken_for = pages_spoken_for(host, crawl)
    vote = spoken_for * math.sqrt(score / (given / crawl.known) / (internal + external + 1))
    paid = vote * internal + EXTERNAL_WEIGHT * vote * external
    return Votes(internal=vote, external=EXTERNAL_WEIGHT * vote, virtual=score - paid)


class HostVotes(ScoringFilter):
    """Orders a crawl by host votes: links count as those of a sample of their host; cash stays, with a balance."""

    def sort_value(self, datum: CrawlDatum, initial: float) -> float:
        return datum.score * initial

    def distribute(self, page: ScoredPage, distribution: Distribution) -> Distribution:
        """Return the votes of ``page``; ValueError for a score that is negative or not finite."""
        links, around = distribution.outlinks, page.surroundings
        internal = sum(link.is_internal for link in links)
        votes = host_votes(
            page.datum.score,
            given=around.given,
            internal=internal,
            external=len(links) - internal,
            host=Seen(around.host.known + internal, max(around.host.fetched, 1)),
            crawl=Seen(around.crawl.known + len(links), max(around.crawl.fetched, 1)),
        )
        scores = [votes.internal if link.is_internal else votes.external for link in links]
        return replace(distribution, scores=scores, spent=page.datum.score, keeps_balance=True)

    def indexer_score(self, datum: CrawlDatum, score: float) -> float:
        """Return the page's votes, times ``score``."""
        return datum.score * score
