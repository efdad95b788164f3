"""What the store costs as the crawl grows: speed, memory and calls, beside scrapy-redis, in one run.

Run ``python benchmarks/frontier.py`` from the project's folder (ten minutes; ``--ten-million`` adds a size, an hour
and 3 GB). Each contestant has a private server of its own at each size, the embedded one. A page has 40 links, 2 of
them new, and is acknowledged alone. The work per page is the same at every size, and the rounds of all sizes take
turns, so that a busy machine is busy for all. Not part of it: the rules for URLs, see urls.py.
"""

from __future__ import annotations

import argparse
import sys
import tempfile
from collections.abc import Callable, Sequence
from contextlib import ExitStack
from pathlib import Path
from statistics import median

from frontier_contestants import BATCH, Contestant, Measured, Nutchlike, ScrapyRedis, url_of

from nutchlike.store.embedded import EmbeddedServer

SIZES = [10_000, 100_000, 1_000_000]
TEN_MILLION = 10_000_000
SCRAPY_REDIS_MAX = 1_000_000  # it would need an hour and 6 GB for more
HOSTS = [1000, 1]
GROWTH_MAX = 1.2

ROWS: list[tuple[str, Callable[[Measured], float]]] = [
    ("URLs added/s", lambda m: m.added),
    ("pages completed/s", lambda m: 1 / median(m.page)),
    (f"lease batches/s (of {BATCH})", lambda m: 1 / median(m.batch)),
    ("us per page, leased and completed", lambda m: median(m.cycle) * 1e6),
    ("bytes per URL, all waiting", lambda m: m.waiting),
    ("bytes per URL, all fetched", lambda m: m.done),
    ("bytes per content in the index", lambda m: m.signature),
    ("round trips per page", lambda m: m.round_trips),
    ("commands per page", lambda m: m.commands),
    ("readdb --stats, ms", lambda m: m.counts * 1e3),
]
# what the largest size may have at most
GOALS: list[tuple[str, float, Callable[[Measured], float]]] = [
    ("bytes per URL, all waiting", 200, lambda m: m.waiting),
    ("bytes per URL, all fetched", 130, lambda m: m.done),
    ("round trips per page", 2, lambda m: m.round_trips),
    ("readdb --stats, ms", 2000, lambda m: m.counts * 1e3),
]


def compare(hosts: int, sizes: Sequence[int], rounds: int) -> None:
    """Measure all sizes on ``hosts`` hosts and print a table for each contestant."""
    kinds: list[type[Nutchlike] | type[ScrapyRedis]] = [Nutchlike]
    if hosts == max(HOSTS):  # hosts are all the same to scrapy-redis
        kinds.append(ScrapyRedis)
    with ExitStack() as stack:
        contestants: list[Contestant] = []
        for kind in kinds:
            for size in sizes:
                if kind is Nutchlike or size <= SCRAPY_REDIS_MAX:
                    folder = stack.enter_context(tempfile.TemporaryDirectory(prefix="frontier-"))
                    server = stack.enter_context(EmbeddedServer.attach(Path(folder)))
                    contestants.append(kind(server, size, hosts))
        for contestant in contestants:
            contestant.fill()
        for _ in range(rounds):
            for contestant in contestants:
                contestant.round()
        for contestant in contestants:
            contestant.finish()
    for kind in kinds:
        _print_table([c for c in contestants if isinstance(c, kind)], hosts)
    _print_goals([c for c in contestants if isinstance(c, Nutchlike)])


def _print_table(contestants: Sequence[Contestant], hosts: int) -> None:
    print(f"\n{contestants[0].name}, {hosts} hosts, URLs known".ljust(44), *(f"{c.size:12,}" for c in contestants))
    for label, value in ROWS:
        values = [value(c.measured) for c in contestants]
        if any(values):
            print(f"  {label:40}", *(f"{_shown(number):>12}" for number in values))


def _shown(number: float) -> str:
    return f"{number:,.0f}" if number >= 1000 else f"{number:.4g}" if number else "-"


def _print_goals(ours: Sequence[Contestant]) -> None:
    last = ours[-1]
    for label, most, value in GOALS:
        _print_goal(f"{label} at {last.size:,}", value(last.measured), most)
    for contestant in ours[1:]:
        growth = median(contestant.measured.cycle) / median(ours[0].measured.cycle)
        _print_goal(f"per-page cost at {contestant.size:,} / at {ours[0].size:,}", growth, GROWTH_MAX)


def _print_goal(label: str, found: float, most: float) -> None:
    print(f"goal: {label} <= {most:g}: {'met' if found <= most else 'MISSED'} ({_shown(found)})", flush=True)


def main(arguments: Sequence[str]) -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0] if __doc__ else None)
    parser.add_argument("--sizes", default=",".join(map(str, SIZES)), help="numbers of known URLs, ascending")
    parser.add_argument("--ten-million", action="store_true", help=f"{TEN_MILLION:,} URLs, too")
    parser.add_argument("--rounds", type=int, default=9, help="each measures every size once; medians are printed")
    options = parser.parse_args(arguments)
    sizes = [int(size) for size in options.sizes.split(",")] + [TEN_MILLION] * options.ten_million
    print(f"URLs of {len(url_of(0, 1))} characters; medians of {options.rounds} rounds")
    for hosts in HOSTS:
        compare(hosts, sizes, options.rounds)


if __name__ == "__main__":
    main(sys.argv[1:])
