"""LinkRank over the graph in the store, written back as scores."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
from scrapy.settings import Settings
from stores import NOW, Store, fetched, seed

from nutchlike import default_settings
from nutchlike.linkrank_job import LinkRankJob, NothingToRank, Ranking
from nutchlike.scoring.linkrank import linkrank

# the page that all link to, its three fans, and one that nobody links to
HUB = "http://hub.test/"
GRAPH = {HUB: ["http://f0.test/"]} | {f"http://f{i}.test/": [HUB] for i in range(3)} | {"http://lonely.test/": [HUB]}


def settings(**changes: object) -> Settings:
    defaults = {name: value for name, value in vars(default_settings).items() if name.startswith("NUTCH_")}
    return Settings(defaults | changes)


def fetch_all(store: Store, graph: dict[str, list[str]]) -> None:
    """Inject and fetch the pages of a graph, and no others."""
    store.inject(*(seed(url, 1.0 + i) for i, url in enumerate(graph)))
    leases = {lease.datum.url: lease for lease in store.lease(100)}
    pages = [replace(fetched(leases.pop(url), links), relinked=True) for url, links in graph.items()]
    store.frontier.give_back([lease.key for lease in leases.values()], now=NOW)
    store.frontier.complete(pages, now=NOW)
    store.frontier.deliver(now=NOW + 60)


def rank(store: Store, told: list[str] | None = None, **changes: object) -> Ranking:
    job = LinkRankJob.from_settings(settings(**changes), tell=(told if told is not None else []).append)
    return job.run(store.webgraph, store.crawldb, now=NOW)


def score_of(store: Store, url: str) -> float:
    datum = store.crawldb.get(url)
    assert datum is not None
    return datum.score


def test_scores_become_the_ranks_of_the_formula(store: Store) -> None:
    fetch_all(store, GRAPH)
    told: list[str] = []
    ranking = rank(store, told)
    assert ranking == Ranking(pages=5, links=5, counted=5, written=5)
    pages = list(GRAPH)
    links = [(pages.index(url), pages.index(link)) for url, outlinks in GRAPH.items() for link in outlinks]
    sources, targets = np.array(links).T
    ranks = linkrank(sources, targets, len(pages))
    for page, expected in zip(pages, ranks, strict=True):
        assert score_of(store, page) == pytest.approx(float(expected), rel=1e-12)
    assert "iteration 10 of 10" in told
    assert told[-1] == "5 of 5 scores written"


def test_cash_still_adds_up_and_every_url_is_where_its_record_says(store: Store) -> None:
    fetch_all(store, GRAPH)
    store.inject(seed("http://waits.test/", 1e6))
    rank(store)
    store.lease(3)
    report = store.check.run(repair=False, now=NOW)
    assert report.findings == []
    audit = store.check.audit_cash()
    assert audit.error < 1e-9
    assert audit.injected == pytest.approx(sum(score_of(store, url) for url in [*GRAPH, "http://waits.test/"]))


def test_what_waits_is_handed_out_in_the_order_of_the_ranks(store: Store) -> None:
    waiting = [f"http://w{i}.test/" for i in range(4)]
    store.inject(*(seed(url, 100.0 - i) for i, url in enumerate(waiting)))
    assert store.lease_urls(4) == waiting
    store.frontier.give_back([key for url in waiting if (key := store.crawldb.key_of(url))], now=NOW)
    # w3 is linked three times, w0 not at all, by pages with three links each
    links = {
        f"http://l{i}.test/": [*waiting[i:], *(f"http://other{i}{j}.test/" for j in range(1, i))] for i in (1, 2, 3)
    }
    fetch_all(store, links)
    rank(store)
    assert [url for url in store.lease_urls() if url in waiting] == waiting[::-1]


def test_links_of_leased_pages_and_later_fetches_keep_the_cash_exact(store: Store) -> None:
    store.inject(seed("http://a.test/", 1e6), seed("http://b.test/", 5.0))
    leases = store.lease(2)
    fetch_all(store, GRAPH)
    rank(store)
    store.frontier.complete([fetched(lease, ["http://new.test/"]) for lease in leases], now=NOW)
    store.frontier.deliver(now=NOW + 60)
    assert store.check.audit_cash().error < 1e-9
    assert store.check.run(repair=False, now=NOW).findings == []


def test_an_empty_graph_leaves_all_scores_and_says_what_to_set(store: Store) -> None:
    store.inject(seed(HUB, 7.0))
    with pytest.raises(NothingToRank, match="NUTCH_WEBGRAPH_ENABLED"):
        rank(store)
    assert score_of(store, HUB) == 7.0


def test_links_that_all_stay_on_their_host_leave_all_scores_and_say_what_to_set(store: Store) -> None:
    fetch_all(store, {HUB: [HUB + "x", HUB + "y"]})
    before = [score_of(store, url) for url in (HUB, HUB + "x", HUB + "y")]
    with pytest.raises(NothingToRank, match=r"none of 2 links counts.*NUTCH_LINK_IGNORE_INTERNAL_HOST"):
        rank(store)
    assert [score_of(store, url) for url in (HUB, HUB + "x", HUB + "y")] == before
    own = {f"NUTCH_LINK_IGNORE_{name}": False for name in ("INTERNAL_HOST", "INTERNAL_DOMAIN", "LIMIT_PAGE")}
    assert rank(store, **own, NUTCH_LINK_IGNORE_LIMIT_DOMAIN=False).counted == 2


def test_what_tell_raises_ends_the_work(store: Store) -> None:
    fetch_all(store, GRAPH)
    before = score_of(store, HUB)

    def stop(_: str) -> None:
        raise InterruptedError

    with pytest.raises(InterruptedError):
        LinkRankJob.from_settings(settings(), tell=stop).run(store.webgraph, store.crawldb, now=NOW)
    assert score_of(store, HUB) == before


def test_a_damping_factor_above_1_is_named(store: Store) -> None:
    with pytest.raises(ValueError, match=r"NUTCH_LINK_ANALYZE_DAMPING_FACTOR must be from 0 to 1, got 1\.5"):
        rank(store, NUTCH_LINK_ANALYZE_DAMPING_FACTOR=1.5)


def test_one_worker_of_all_ranks_each_time_that_enough_was_handed_out(store: Store) -> None:
    store.inject(*(seed(f"http://h{i}.test/") for i in range(12)))
    other = store.other().webgraph
    assert not store.webgraph.claim_ranking(5)
    store.lease(6)
    assert [other.claim_ranking(5), store.webgraph.claim_ranking(5)] == [True, False]
    store.lease(4)
    assert not store.webgraph.claim_ranking(5)
    store.lease(1)
    assert store.webgraph.claim_ranking(5)


@pytest.mark.parametrize("score", [-1.0, float("nan"), float("inf"), 1e16])
def test_a_score_that_is_no_cash_is_refused_and_nothing_of_its_call_is_written(store: Store, score: float) -> None:
    store.inject(seed(HUB, 7.0))
    key = store.crawldb.key_of(HUB)
    assert key is not None
    with pytest.raises(ValueError, match=r"score of .* must be between 0 and 1e\+15"):
        store.crawldb.set_scores([(key, 1.0), (key, score)], now=NOW)
    assert score_of(store, HUB) == 7.0


def test_scores_of_records_that_are_not_there_are_passed_over(store: Store) -> None:
    store.inject(seed(HUB, 7.0))
    key = store.crawldb.key_of(HUB)
    assert key is not None
    assert store.crawldb.set_scores([(key[:-8] + b"12345678", 1.0), (key, 2.0)], now=NOW) == 1
    assert score_of(store, HUB) == 2.0
