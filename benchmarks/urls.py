"""What one link costs: our URL chain beside what others offer, and under rules and URLs made to hurt it.

Run ``python benchmarks/urls.py`` from the project's folder. All numbers are of one process and one run: each round
measures every contestant once, and the median of the rounds is printed. Links are the same in every run.
"""

from __future__ import annotations

import logging
import random
import sys
from collections.abc import Callable, Sequence
from contextlib import suppress
from importlib import import_module
from pathlib import Path
from statistics import median
from time import perf_counter, process_time
from urllib.parse import urljoin, urlsplit

from scrapy.settings import Settings
from w3lib.url import canonicalize_url

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))

from nutchlike import default_settings
from nutchlike.plugins import build_url_chain
from nutchlike.urls.chain import URLChain
from nutchlike.urls.identity import url_id

LINKS = 20_000
ROUNDS = 7
SEED = 20_240_229
BASE = "https://www.base.example/folder/page.html"
GOALS = {"seen": 1.0, "new": 25.0}  # microseconds per link

WORDS = (
    "about archive article author blog book category city contact data download event film forum gallery guide help "
    "history home image index item letter list map media music news page people photo place press product profile "
    "project question report review science search service shop sport story tag team topic travel video weather wiki"
).split()
PARAMETERS = "id page q sort lang ref utm_source category session view PHPSESSID".split()

# Expressions that take exponential or cubic time in a backtracking engine, the only one that has look-around
HOSTILE_RULES = r"""
-^http://(a+)+$
-(x+x+)+y
-^(([a-z])+.)+[A-Z]([a-z])+$
-(.*)(.*)(.*)(.*)(.*)(.*)[0-9]{20}Z
-(a|aa)+\bZ
-(?=(x+)+!)x
-((?:[^/]+/)*)([^/]+)/\1\2b$
-(?<!y)(?:.*?,){25}2(?!;)
+.
"""


def links(number: int, seed: int) -> list[str]:
    """Return ``number`` different absolute links in the shares in which pages have them."""
    rng = random.Random(seed)
    hosts = [f"www.{rng.choice(WORDS)}{index}.example" for index in range(400)]
    found: dict[str, None] = {}
    while len(found) < number:
        found[_link(rng, hosts)] = None
    return list(found)


def _link(rng: random.Random, hosts: Sequence[str]) -> str:
    def happens(share: float) -> bool:
        return rng.random() < share

    scheme = "https" if happens(0.85) else "http"
    host = rng.choice(hosts)
    if happens(0.03):
        host = host.upper() if happens(0.5) else host.title()
    if happens(0.03):
        host += rng.choice([":80", ":443", ":8080"])
    segments = [
        f"{rng.choice(WORDS)}-{rng.randrange(10_000)}" if happens(0.5) else rng.choice(WORDS)
        for _ in range(rng.randint(1, 5))
    ]
    if happens(0.03):
        segments.insert(rng.randrange(len(segments)), rng.choice(["..", ".", ""]))
    if happens(0.06):
        segments[-1] += rng.choice(["%20part", "%7euser", "%c3%a9t%c3%a9", " b", "é", "%"])
    ending = rng.choice(["", "", "/", ".html", ".php", ".jpg", ".pdf"])
    query = ""
    if happens(0.3):
        query = "?" + "&".join(
            f"{rng.choice(PARAMETERS)}={rng.choice(WORDS)}{rng.randrange(100_000)}" for _ in range(rng.randint(1, 4))
        )
    fragment = f"#{rng.choice(WORDS)}" if happens(0.08) else ""
    return f"{scheme}://{host}/{'/'.join(segments)}{ending}{query}{fragment}"


def default_settings_with(**changes: object) -> Settings:
    settings = Settings()
    settings.setmodule(default_settings)
    settings.setdict(changes)
    return settings


def judge_all(chain: URLChain, urls: Sequence[str]) -> int:
    """Normalize, filter and name every URL, as a crawl does; return how many were accepted."""
    accepted = 0
    for url in urls:
        normalized = chain.judge(url).url
        if normalized is not None:
            url_id(normalized)
            accepted += 1
    return accepted


def each(function: Callable[[str], object]) -> Callable[[Sequence[str]], None]:
    """Return a loop that calls ``function`` for every URL and takes a ValueError for an answer."""

    def loop(urls: Sequence[str]) -> None:
        for url in urls:
            with suppress(ValueError):
                function(url)

    return loop


def optional(module: str, attribute: str) -> Callable[[str], object] | None:
    """Return a function of a package that need not be there."""
    try:
        function: Callable[[str], object] = getattr(import_module(module), attribute)
    except ImportError:
        return None
    return function


def microseconds(work: Callable[[Sequence[str]], object], urls: Sequence[str]) -> float:
    """Return the processor time per URL, which other processes of a busy machine hardly change."""
    started = process_time()
    work(urls)
    return (process_time() - started) / len(urls) * 1e6


def compare() -> None:
    """Print the cost of a link for each contestant, and whether the goals are met."""
    urls = links(LINKS, SEED)
    settings = default_settings_with()
    others: dict[str, Callable[[Sequence[str]], None] | None] = {
        "w3lib canonicalize_url": each(canonicalize_url),
        "urllib urljoin + urlsplit": each(lambda url: urlsplit(urljoin(BASE, url))),
        "can-ada parse": None,
        "ada-url URL": None,
    }
    for name, module, attribute in (("can-ada parse", "can_ada", "parse"), ("ada-url URL", "ada_url", "URL")):
        function = optional(module, attribute)
        others[name] = each(function) if function is not None else None
    times: dict[str, list[float]] = {name: [] for name in ("new", "seen", *others)}
    accepted = judge_all(build_url_chain(settings), urls)  # all of it warm, and none of it counted
    for _ in range(ROUNDS):
        chain = build_url_chain(settings)
        times["new"].append(microseconds(lambda urls, chain=chain: judge_all(chain, urls), urls))
        times["seen"].append(microseconds(lambda urls, chain=chain: judge_all(chain, urls), urls))
        for name, work in others.items():
            if work is not None:
                times[name].append(microseconds(work, urls))
    print(f"{LINKS} links, {accepted} accepted; microseconds per link, median of {ROUNDS} rounds (least to most)")
    for name, label in (("new", "nutchlike, new link"), ("seen", "nutchlike, seen link"), *((o, o) for o in others)):
        print(f"  {label:28}{_summary(times[name])}")
    for name, goal in GOALS.items():
        found = median(times[name])
        print(f"goal: {name} < {goal:g} us: {'met' if found < goal else 'MISSED'} ({found:.2f})")


def _summary(times: Sequence[float]) -> str:
    if not times:
        return "not installed"
    return f"{median(times):9.2f}   ({min(times):.2f} to {max(times):.2f})"


HOSTILE_URLS = {
    # as long as the limit lets pass, and far longer
    "4,000 characters": [
        "http://" + "a" * 3993,
        "http://a.example/" + "x" * 3983,
        "http://a.example/" + "ab/" * 1327,
        "http://a.example/?" + "1,2;" * 995,
    ],
    "30,000 characters": [
        "http://" + "a" * 29_993,
        "http://a.example/" + "x" * 29_983,
        "http://a.example/" + "ab/" * 9994,
        "http://a.example/?" + "1,2;" * 7495,
        "http://a.example/" + "é" * 29_983,
        "http://a.example/" + "../" * 9994,
        "http://a.example/" + "%" * 29_983,
    ],
}


def hurt() -> None:
    """Print what the worst URLs cost under our rules and under hostile ones, with the length limit and without."""
    print(f"milliseconds per hostile URL, median and worst of the kind, each the median of {ROUNDS} rounds")
    for rules, changes in {"our rules": {}, "hostile rules": {"NUTCH_URLFILTER_REGEX_RULES": HOSTILE_RULES}}.items():
        for limit in (default_settings.NUTCH_DB_MAX_OUTLINK_LENGTH, -1):
            settings = default_settings_with(NUTCH_DB_MAX_OUTLINK_LENGTH=limit, **changes)
            for kind, urls in HOSTILE_URLS.items():
                rounds = [[_milliseconds(build_url_chain(settings), url) for url in urls] for _ in range(ROUNDS)]
                costs = [median(of_url) for of_url in zip(*rounds, strict=True)]
                label = f"{rules}, {kind}, {'no limit' if limit == -1 else f'limit {limit}'}"
                print(f"  {label:52}{median(costs):10.3f}{max(costs):10.3f}")


def _milliseconds(chain: URLChain, url: str) -> float:
    started = perf_counter()
    chain.judge(url)
    return (perf_counter() - started) * 1e3


if __name__ == "__main__":
    logging.getLogger("nutchlike").setLevel(logging.ERROR)  # searches that are given up are what it is about
    compare()
    hurt()
