"""Webs of pages with hosts, made in ways that have nothing to do with each other, and their true PageRank.

Every web is a pure function of its size and seed. All of its pages can be reached from page 0, where crawls begin.
"""

from __future__ import annotations

import bisect
import itertools
import math
import random
from collections import deque
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

DAMPING = 0.85
Outlinks = Sequence[Sequence[int]]


@dataclass(frozen=True)
class Web:
    """Pages 0..n-1: the distinct pages that each links to (not itself), and the number of its host."""

    name: str
    outlinks: Outlinks
    hosts: Sequence[int]

    def __len__(self) -> int:
        return len(self.outlinks)

    @cached_property
    def importance(self) -> NDArray[np.float64]:
        """The pages' PageRank; they add up to 1."""
        return pagerank(self.outlinks)

    @cached_property
    def top_decile(self) -> frozenset[int]:
        """The tenth of the pages that has the most PageRank."""
        return frozenset(np.argsort(-self.importance, kind="stable")[: max(1, len(self) // 10)].tolist())


def pagerank(outlinks: Outlinks, rounds: int = 100) -> NDArray[np.float64]:
    """Return the PageRank of all pages, with damping 0.85; jumps and pages without outlinks lead to all pages alike."""
    pages = len(outlinks)
    degrees = np.fromiter(map(len, outlinks), dtype=np.int64, count=pages)
    sources = np.repeat(np.arange(pages), degrees)
    targets = np.fromiter(itertools.chain.from_iterable(outlinks), dtype=np.int64, count=len(sources))
    rank = np.full(pages, 1 / pages)
    for _ in range(rounds):
        passed = DAMPING * np.bincount(targets, weights=(rank / degrees.clip(1))[sources], minlength=pages)
        rank = passed + (1 - passed.sum()) / pages
    return rank


def web_of(name: str, links: Sequence[set[int]], hosts: Sequence[int]) -> Web:
    """Return the part of a web that can be reached from page 0, its pages numbered in the order of their numbers."""
    reached, queue = {0}, deque([0])
    while queue:
        new = links[queue.popleft()] - reached
        reached |= new
        queue.extend(sorted(new))
    number = {page: i for i, page in enumerate(sorted(reached))}
    outlinks = [sorted(number[target] for target in links[page] if target != page) for page in number]
    return Web(name, outlinks, [hosts[page] for page in number])


def _host_sizes(pages: int, hosts: int, exponent: float = 0.7) -> list[int]:
    weights = [(rank + 1) ** -exponent for rank in range(hosts)]
    sizes = [max(1, int(pages * weight / sum(weights))) for weight in weights]
    sizes[0] += pages - sum(sizes)
    return sizes


def _adopt(links: list[set[int]], hosts: Sequence[int], rng: random.Random) -> None:
    """Link to each page from an older page of its host; to a host's first page from any older page."""
    members: dict[int, list[int]] = {}
    for page, host in enumerate(hosts):
        family = members.setdefault(host, [])
        if page:
            links[rng.choice(family) if family else rng.randrange(page)].add(page)
        family.append(page)


def navigation_web(pages: int, seed: int) -> Web:
    """Return hosts whose pages all carry the same navigation; other links go by popularity, a quarter to other hosts.

    A host has a home page, up to 8 section pages that the navigation links to, and articles.
    """
    rng = random.Random(f"navigation {seed}")
    sizes = _host_sizes(pages, max(4, round(0.57 * math.sqrt(pages))))
    firsts = [0, *itertools.accumulate(sizes)][:-1]
    hosts = [host for host, size in enumerate(sizes) for _ in range(size)]
    popular = [rng.sample(range(first, first + size), size) for first, size in zip(firsts, sizes, strict=True)]
    ends = list(itertools.accumulate(sizes))
    links: list[set[int]] = []
    for host in hosts:
        mine = set(range(firsts[host], firsts[host] + min(9, sizes[host])))
        for _ in range(min(200, int(14 * rng.paretovariate(2.2)))):
            to = bisect.bisect(ends, rng.randrange(pages)) if rng.random() < 0.25 else host
            mine.add(popular[to][int(sizes[to] * rng.random() ** 3)])
        links.append(mine)
    _adopt(links, hosts, rng)
    return web_of("navigation", links, hosts)


def copying_web(pages: int, seed: int) -> Web:
    """Return a web that grew by copying: half of a new page's links are those of a page that it takes as its model.

    The rest goes to older pages, three quarters of it within the host. One page in a hundred founds a host, the
    others join the host of their model, so that sizes of hosts follow a power law.
    Source: Kumar, Raghavan, Rajagopalan, Sivakumar, Tomkins, Upfal, "Stochastic models for the web graph", FOCS 2000.
    """
    rng = random.Random(f"copying {seed}")
    hosts, members, links = [0], [[0]], [set[int]()]
    for page in range(1, pages):
        model = rng.randrange(page)
        if rng.random() < 0.01:
            hosts.append(len(members))
            members.append([])
        else:
            hosts.append(hosts[model])
        family = members[hosts[page]]
        copied = sorted(links[model])
        mine: set[int] = set()
        for _ in range(rng.randint(4, 20)):
            if copied and rng.random() < 0.5:
                mine.add(rng.choice(copied))
            elif family and rng.random() < 0.75:
                mine.add(rng.choice(family))
            else:
                mine.add(rng.randrange(page))
        family.append(page)
        links.append(mine)
    _adopt(links, hosts, rng)
    return web_of("copying", links, hosts)


def forest_fire_web(pages: int, seed: int) -> Web:
    """Return a web in which a new page links to a page, to some that this one links to or is linked from, and so on.

    Source: Leskovec, Kleinberg, Faloutsos, "Graphs over time", KDD 2005; forward burning 0.37, backward 0.32.
    """
    rng = random.Random(f"forest fire {seed}")
    hosts, links, inlinks = [0], [set[int]()], [list[int]()]
    for page in range(1, pages):
        start = rng.randrange(page)
        burnt, burning = {start}, [start]
        while burning and len(burnt) < 100:
            at = burning.pop(0)
            for near, chance in ((sorted(links[at] - burnt), 0.37), ([p for p in inlinks[at] if p not in burnt], 0.32)):
                number = int(math.log(1 - rng.random()) / math.log(chance))
                caught = rng.sample(near, min(number, len(near)))
                burnt.update(caught)
                burning.extend(caught)
        hosts.append(max(hosts) + 1 if rng.random() < 0.01 else hosts[start])
        links.append(burnt)
        inlinks.append([])
        for target in burnt:
            inlinks[target].append(page)
    _adopt(links, hosts, rng)
    return web_of("forest fire", links, hosts)


def block_web(pages: int, seed: int) -> Web:
    """Return hosts nested in topics: 6 of 10 links stay in the host, 3 in the topic, 1 goes anywhere.

    In a block a page is linked to by a weight of its own, which has a heavy tail.
    Source: the degree-corrected block model of Karrer and Newman, Physical Review E 83 (2011), nested.
    """
    rng = random.Random(f"blocks {seed}")
    sizes = _host_sizes(pages, max(4, pages // 50), 0.9)
    hosts = [host for host, size in enumerate(sizes) for _ in range(size)]
    rng.shuffle(hosts)
    topics = [rng.randrange(12) for _ in sizes]
    weights = [rng.paretovariate(1.3) for _ in hosts]
    blocks: dict[tuple[str, int], list[int]] = {}
    for page, host in enumerate(hosts):
        for block in (("host", host), ("topic", topics[host]), ("web", 0)):
            blocks.setdefault(block, []).append(page)
    sums = {block: list(itertools.accumulate(weights[page] for page in members)) for block, members in blocks.items()}
    links: list[set[int]] = []
    for host in hosts:
        mine: set[int] = set()
        for _ in range(1 + int(rng.lognormvariate(2.2, 0.8))):
            kind = rng.random()
            block = ("host", host) if kind < 0.6 else ("topic", topics[host]) if kind < 0.9 else ("web", 0)
            mine.add(rng.choices(blocks[block], cum_weights=sums[block])[0])
        links.append(mine)
    _adopt(links, hosts, rng)
    return web_of("blocks", links, hosts)


def hyperbolic_web(pages: int, seed: int) -> Web:
    """Return pages on a hyperbolic disk that link to near ones, mostly to more central ones; hosts are sectors.

    Source: Krioukov, Papadopoulos, Kitsak, Vahdat, Boguna, Physical Review E 82 (2010), with directions added.
    """
    rng = np.random.default_rng([seed, pages])
    radius = 2 * math.log(pages / 3)
    r = np.arccosh(1 + (np.cosh(radius) - 1) * rng.random(pages))
    angle = np.sort(rng.random(pages)) * 2 * math.pi
    ends = np.cumsum(_host_sizes(pages, max(4, pages // 100), 0.9))
    hosts = np.searchsorted(ends, np.arange(pages), side="right").tolist()
    links: list[set[int]] = []
    for page in range(pages):
        apart = np.pi - np.abs(np.pi - np.abs(angle - angle[page]))
        cosh = np.cosh(r[page]) * np.cosh(r) - np.sinh(r[page]) * np.sinh(r) * np.cos(apart)
        chance = np.where(r < r[page], 0.8, 0.3) * (cosh < np.cosh(radius))
        links.append(set(np.flatnonzero(rng.random(pages) < chance).tolist()))
    _adopt(links, hosts, random.Random(seed))
    return web_of("hyperbolic", links, hosts)


KINDS: dict[str, Callable[[int, int], Web]] = {
    "navigation": navigation_web,
    "copying": copying_web,
    "forest fire": forest_fire_web,
    "blocks": block_web,
    "hyperbolic": hyperbolic_web,
}
