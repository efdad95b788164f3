"""The store against a simple model of it: random steps of two workers, then everything must be accounted for."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass, replace
from typing import Any

import pytest
import redis
from hypothesis import HealthCheck, settings
from hypothesis import strategies as st
from hypothesis.stateful import Bundle, RuleBasedStateMachine, consumes, initialize, rule, run_state_machine_as_test
from stores import MONTH, NOW, Store, open_store, seed

from nutchlike.crawldatum import DbStatus
from nutchlike.scoring.opic import PaperOPIC
from nutchlike.store.keys import CrawlKeys
from nutchlike.store.lease import Lease, LeaseBatch, PageDone
from nutchlike.store.stored_url import StoredURL
from nutchlike.urls.identity import host_key

ATTEMPTS_MAX = 2
LEASE_SECONDS = 60.0
SITES = [*(f"http://h{i}.test" for i in range(4)), "https://h0.test", "http://h1.test:81"]
FLOODED = [f"http://h0.test/many/{i}" for i in range(110)]  # more than two buckets hold
urls = st.builds(lambda site, path: f"{site}/{path}", st.sampled_from(SITES), st.integers(0, 7))
scores = st.sampled_from([0.0, 0.5, 1.0, 1.0, 3.0, 1e6])
workers = st.sampled_from(["w1", "w2"])


@dataclass
class Known:
    """What the model says of one URL, or of one request."""

    url: str
    state: str = "waiting"
    is_new: bool = True  # waits among those that were never taken up
    unfetched: bool = True
    retries: int = 0
    attempts: int = 0
    due_at: float = 0.0
    holder: str = ""
    deadline: float = 0.0
    once: bool = False


def name_of(lease: Lease) -> str:
    return f"{lease.datum.url} {lease.id.hex()}" if lease.request else lease.datum.url


class StoreMachine(RuleBasedStateMachine):
    """Drives two workers and a model; ``client`` and ``partitions`` are set by the test."""

    client: redis.Redis
    partitions: int
    leases = Bundle("leases")

    def __init__(self) -> None:
        super().__init__()
        self.client.flushall()
        self.keys = CrawlKeys("site", self.partitions)
        self.now = NOW
        self.known: dict[str, Known] = {}
        self.clock: dict[str, float] = {}
        self.taken: Counter[str] = Counter()
        self.requests = 0

    @initialize(
        delay=st.sampled_from([0.0, 0.0, 2.0]),
        per_host=st.sampled_from([1, 2, 100]),
        share=st.sampled_from([0.0, 0.3, 0.5, 1.0]),
    )
    def begin(self, delay: float, per_host: int, share: float) -> None:
        self.limits: dict[str, Any] = {"delay": delay, "per_host": per_host, "again_share": share}
        self._open()

    def _open(self) -> None:
        """Begin a run as a crawl does: the store is told its limits."""
        fixed = {"attempts_max": ATTEMPTS_MAX, "lease_seconds": LEASE_SECONDS, "keys": self.keys}
        self.stores = {w: open_store(self.client, worker=w, **self.limits, **fixed) for w in ("w1", "w2")}
        self._lease(self.store, 0)
        assert self.store.check.mend_queues(now=self.now) == 0

    @property
    def store(self) -> Store:
        return self.stores["w1"]

    # what the model says

    def _in(self, state: str, **have: Any) -> list[Known]:
        known = [known for known in self.known.values() if known.state == state]
        return [each for each in known if all(getattr(each, name) == value for name, value in have.items())]

    def _catch_up(self) -> None:
        for known in self._in("leased"):
            if known.deadline <= self.now:
                known.attempts += 1
                known.state = "dead" if known.attempts >= ATTEMPTS_MAX else "waiting"
                known.is_new = False
        for known in self._in("due"):
            if known.due_at <= self.now:
                known.state, known.is_new = "waiting", False

    def _left(self, host: str) -> int:
        """Return how many new URLs a host may still give."""
        most = self.limits.get("host_max", -1)
        waiting = sum(host_key(known.url) == host for known in self._in("waiting", is_new=True))
        return waiting if most < 0 else max(min(waiting, most - self.taken[host]), 0)

    def _left_of_all(self) -> int:
        most = self.limits.get("all_max", -1)
        return 10**6 if most < 0 else max(most - self.taken.total(), 0)

    def _can_give(self, host: str) -> int:
        """Return how many URLs a host can give with one call, if the budget of all allows them."""
        if self.clock.get(host, 0.0) > self.now:
            return 0
        active = sum(host_key(known.url) == host for known in self._in("leased"))
        again = sum(host_key(known.url) == host for known in self._in("waiting", is_new=False))
        new = min(self._left(host), self._left_of_all())
        most = max(self.limits["per_host"] - active, 0)
        return min(again + new, most, 1 if self.limits["delay"] else most)

    # steps

    @rule(
        some=st.lists(st.tuples(urls, scores), max_size=8),
        merge=st.sampled_from(["keep", "keep", "update", "overwrite"]),
        given=st.booleans(),
    )
    def inject(self, some: list[tuple[str, float]], merge: str, given: bool) -> None:
        self.store.inject(*(seed(url, score, score_given=given) for url, score in some), merge=merge, now=self.now)
        for url, _ in some:
            known = self.known.setdefault(url, Known(url))
            if merge == "overwrite":
                known.unfetched, known.retries, known.attempts = True, 0, 0
                if known.state != "leased":
                    known.state = "waiting"

    @rule(score=scores)
    def inject_many_of_one_host(self, score: float) -> None:
        self.store.inject(*(seed(url, score + i % 7) for i, url in enumerate(FLOODED)), now=self.now)
        for url in FLOODED:
            self.known.setdefault(url, Known(url))

    @rule(url=urls, once=st.booleans(), priority=st.integers(-3, 3), cash=scores)
    def add(self, url: str, once: bool, priority: int, cash: float) -> None:
        self.requests += 1
        key = self.requests.to_bytes(8, "little")
        request = StoredURL(url, key, request=b"{}", priority=priority, once=once)
        self.store.frontier.add([request], cash=cash, now=self.now)
        self.known[f"{url} {key.hex()}"] = Known(url, once=once)

    @rule(most=st.sampled_from([0, 1, 1, 3, 40]), worker=workers, target=leases)
    def lease(self, most: int, worker: str) -> Any:
        batch = self._lease(self.stores[worker], most)
        # one bundle entry for all: what is done with them is drawn when they are consumed
        return [(worker, lease) for lease in batch.leases]

    def _lease(self, store: Store, most: int) -> LeaseBatch:
        self._catch_up()
        can_give = {host: self._can_give(host) for host in {host_key(known.url) for known in self.known.values()}}
        budget = self._left_of_all()
        worker = next((name for name, each in self.stores.items() if each is store), "w1")
        batch = store.frontier.lease(most, now=self.now)
        for lease in batch.leases:
            known = self.known[name_of(lease)]
            assert known.state == "waiting", known
            host = host_key(known.url)
            can_give[host] -= 1
            assert can_give[host] >= 0, f"{host} gave too much"
            self.taken[host] += known.is_new
            budget -= known.is_new
            known.state, known.holder, known.deadline = "leased", worker, self.now + LEASE_SECONDS
            if self.limits["delay"]:
                self.clock[host] = self.now + self.limits["delay"]
        assert budget >= 0
        if self.partitions == 1 and self.limits.get("all_max", -1) < 0:
            assert len(batch.leases) == most or not any(can_give.values())
        self._check_order(batch.leases)
        for lease in batch.leases:
            self.known[name_of(lease)].is_new = False
        return batch

    def _check_order(self, leases: list[Lease]) -> None:
        """No URL of a host that waits had more cash than one of its kind that was handed out."""
        worst: dict[tuple[str, bool], float] = {}
        for lease in leases:
            if not lease.request:
                kind = (host_key(lease.datum.url), self.known[name_of(lease)].is_new)
                worst[kind] = min(lease.datum.score, worst.get(kind, lease.datum.score))
        if not worst:
            return
        stored = {datum.url: datum.score for datum in self.store.crawldb.records()}  # type: ignore[union-attr]  # readable
        for name, known in self.known.items():
            kind = (host_key(known.url), known.is_new)
            if known.state == "waiting" and kind in worst and name == known.url and not self._has_request(known.url):
                assert stored[known.url] <= worst[kind] * (1 + 1e-9) + 1e-9

    def _has_request(self, url: str) -> bool:
        return any(name != known.url and known.url == url for name, known in self.known.items())

    @rule(
        held=consumes(leases),
        kind=st.sampled_from(["due", "due", "done", "retry", "give back", "bury", "keep"]),
        links=st.lists(urls, max_size=6, unique=True),
        seconds=st.integers(0, 500),
    )
    def end(self, held: Any, kind: str, links: list[str], seconds: int) -> None:
        links = links if kind in {"due", "done"} else []
        for worker, lease in held:
            known = self.known.get(name_of(lease))
            holds = known is not None and known.state == "leased" and known.holder == worker
            if kind == "give back":
                assert self.stores[worker].frontier.give_back([lease.key], now=self.now) == holds
            elif kind == "bury":
                self.stores[worker].frontier.bury(lease.key, "odd", now=self.now)
            elif kind != "keep":
                done = self._done(lease, kind, links, seconds)
                [new] = self.stores[worker].frontier.complete([done], now=self.now).new
                assert (new is not None) == holds
            if known is not None and holds:
                self._ended(name_of(lease), known, kind, links, seconds)

    def _done(self, lease: Lease, kind: str, links: list[str], seconds: int) -> PageDone:
        if kind == "retry":
            datum = replace(lease.datum, retries=min(lease.datum.retries + 1, 9), fetch_time=int(self.now) + seconds)
            return PageDone(lease.key, datum, keep_request=True, failed=True)
        shares = PaperOPIC().shares(lease.datum.score, len(links))
        datum = replace(
            lease.datum,
            db_status=DbStatus.DB_FETCHED,
            fetch_time=int(self.now) + seconds,
            modified_time=int(self.now),
            fetch_interval=MONTH if seconds % 2 else 77,
            retries=0,
            signature=bytes(16) if seconds % 3 else None,
            dedup_key=bytes(8) if seconds % 3 else None,
        )
        outlinks = [StoredURL.plain(link) for link in links]
        is_due = kind == "due"
        paid = [shares.each] * len(outlinks)
        return PageDone(
            lease.key, datum, is_due, is_due, spent=shares.spent, rest=shares.virtual, outlinks=outlinks, shares=paid
        )

    def _ended(self, name: str, known: Known, kind: str, links: list[str], seconds: int) -> None:
        if kind == "give back":
            known.state = "waiting"
            known.is_new = known.unfetched and known.retries == known.attempts == 0
            self.taken[host_key(known.url)] -= known.is_new
        elif kind == "bury":
            known.state = "dead"
        elif kind != "keep":
            known.attempts = 0
            known.unfetched, known.retries = kind == "retry" and known.unfetched, kind == "retry" and known.retries + 1
            known.state, known.due_at = "done" if kind == "done" else "due", int(self.now) + seconds
            here = self.keys.partition_of(known.url)
            for link in links:
                if self.keys.partition_of(link) == here:
                    self.known.setdefault(link, Known(link))
            if kind == "done" and known.once and self._known_in(here) > 1:
                del self.known[name]
            for link in links:
                self.known.setdefault(link, Known(link))

    def _known_in(self, partition: int) -> int:
        return sum(self.keys.partition_of(known.url) == partition for known in self.known.values())

    @rule(seconds=st.sampled_from([0.5, 3.0, 30.0, LEASE_SECONDS, 400.0]))
    def wait(self, seconds: float) -> None:
        self.now += seconds

    @rule(renews=consumes(leases))
    def renew(self, renews: Any) -> None:
        for worker, lease in renews:
            known = self.known.get(name_of(lease))
            holds = known is not None and known.state == "leased" and known.holder == worker
            lost = self.stores[worker].frontier.renew([lease.key], now=self.now)
            assert lost == ([] if holds else [lease.key])
            if known is not None and holds:
                known.deadline = self.now + LEASE_SECONDS

    @rule(at=st.integers(0, 10**6))
    def requeue(self, at: int) -> None:
        names = [known.url for known in self._in("dead")] or ["http://h0.test/unknown"]
        url = names[at % len(names)]
        dead = [known for known in self._in("dead") if known.url == url]
        assert self.store.crawldb.requeue([url], now=self.now) == len(dead)
        for known in dead:
            known.state, known.attempts, known.is_new = "waiting", 0, False

    @rule(at=st.integers(0, 10**6), to=st.none() | urls)
    def move(self, at: int, to: str | None) -> None:
        pages = [name for name, known in self.known.items() if name == known.url] or ["http://h0.test/unknown"]
        url = pages[at % len(pages)]
        known = self.known.get(url)
        may_move = known is not None and known.state != "leased"
        assert self.store.crawldb.move(url, to, now=self.now) == may_move
        if known is None or not may_move:
            return
        del self.known[url]
        if to is None:
            return
        is_near = self.keys.partition_of(url) == self.keys.partition_of(to)
        if is_near and to not in self.known and not known.is_new:
            self.taken[host_key(url)] -= 1
            self.taken[host_key(to)] += 1
        self.known.setdefault(to, replace(known, url=to) if is_near else Known(to))

    @rule(url=urls, seconds=st.sampled_from([0.0, 5.0, 700.0]))
    def hold(self, url: str, seconds: float) -> None:
        held = self.store.clocks.hold(url, now=self.now, seconds=seconds, jitter=0.0)
        self.clock[host_key(url)] = max(self.now + held, self.clock.get(host_key(url), 0.0))

    @rule(
        per_host=st.sampled_from([1, 2, 100]),
        host_max=st.sampled_from([-1, 0, 2, 5, 60]),
        all_max=st.sampled_from([-1, 0, 3, 10]),
    )
    def begin_another_run(self, per_host: int, host_max: int, all_max: int) -> None:
        self.limits |= {"per_host": per_host, "host_max": host_max, "all_max": all_max}
        self._open()

    # what must be true at the end

    def teardown(self) -> None:
        if not hasattr(self, "stores"):
            return
        self._check()
        self.limits |= {"delay": 0.0, "per_host": 100}  # one URL at a time would take its time
        self._open()
        self._drain()
        self.limits |= {"host_max": -1, "all_max": -1}
        self._open()
        self._drain()
        assert self._in("waiting") == self._in("leased") == self._in("due") == []
        self._check()

    def _drain(self) -> None:
        """Crawl until there is no work: all that may be fetched is handed out, and then the crawl ends."""
        looks, store = 0, self.store
        for known in self._in("leased"):
            self.now = max(self.now, known.deadline)
        for known in self._in("due"):
            self.now = max(self.now, known.due_at)
        while (batch := self._lease(store, 40)).is_open:
            looks = looks + 1 if not batch.leases else 0
            assert looks < 20, "open, but there is nothing to have"
            for lease in batch.leases:
                store.frontier.complete([self._done(lease, "done", [], 0)], now=self.now)
                self._ended(name_of(lease), self.known[name_of(lease)], "done", [], 0)
            if not batch.leases:
                self.now = max(self.now, batch.ask_again_at or 0.0)
                if all(self.clock.get(host_key(known.url), 0.0) > self.now for known in self._in("waiting")):
                    self.now = max(self.clock.values(), default=self.now)
        self.now = max(self.now, *self.clock.values(), self.now)
        if any(map(self._can_give, {host_key(known.url) for known in self._in("waiting")})):
            assert self._lease(store, 1).is_open, "ended, but there was more to have"
            self._drain()

    def _check(self) -> None:
        self._check_counts()
        for partition, keys in enumerate(self.keys.partitions):
            for key, holder in self.client.hgetall(keys.name("lease_info")).items():
                worker = holder.decode()
                [lease] = [partition.to_bytes(2, "big") + key]
                assert self.stores[worker].frontier.give_back([lease], now=self.now) == 1
        for known in self._in("leased"):
            self._ended("", known, "give back", [], 0)
        report = self.store.check.run(repair=False, now=self.now)
        assert report.was_idle
        assert report.findings == []
        assert report.cash.error < 1e-9
        assert report.records == len(self.known)
        self._check_counts()

    def _check_counts(self) -> None:
        counts = self.store.crawldb.counts()
        assert counts.known == counts.waiting + counts.leased + counts.due + counts.dead + counts.done
        model = Counter(known.state for known in self.known.values())
        stored = {"waiting": counts.waiting, "leased": counts.leased, "due": counts.due}
        stored |= {"dead": counts.dead, "done": counts.done}
        assert {name: n for name, n in stored.items() if n} == dict(model)


@pytest.mark.parametrize("partitions", [1, 4])
def test_every_url_and_all_cash_are_accounted_for_whatever_workers_do(
    redis_client: redis.Redis, partitions: int
) -> None:
    machine = type("Machine", (StoreMachine,), {"client": redis_client, "partitions": partitions})
    run_state_machine_as_test(
        machine,
        settings=settings(
            max_examples=60, stateful_step_count=25, deadline=None, suppress_health_check=list(HealthCheck)
        ),
    )
