"""In which order to fetch pages: how soon a crawl has the pages that matter, and what scores do over many crawls.

Run ``python benchmarks/ordering.py --plots DIR`` from the project's folder (ten minutes; ``--quick`` takes one). Crawls
are replayed without a network over webs whose PageRank is known: webs made in five ways that have nothing to do with
each other, three seeds each, and any that you name: ``--html DIR`` takes the links of a folder of HTML files,
``--web FILE`` those of a JSON file with ``edges`` and ``host``. An order's gain is how far it comes from breadth first
(0 %) to an oracle that knows the PageRank of all discovered pages (100 %), by its share of the top decile when 10 % of
the pages are fetched. Host votes were chosen on "navigation" and "copying" webs with an eye on all other kinds, so only
new seeds and webs of your own are a test that they have not seen.
"""

from __future__ import annotations

import argparse
import sys
from collections.abc import Iterator, Sequence
from pathlib import Path
from statistics import median

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))

import ordering_plot as plot
import ordering_recrawl as recrawl
from ordering_folders import folder_web, written_web
from ordering_graphs import KINDS, Web, copying_web
from ordering_orders import ORDERS
from ordering_replay import MARKS, Shares, gain, replay, replay_linkrank, replay_oracle, shares

WEBS = "navigation:5000,navigation:20000,copying:20000,copying:200000,forest fire:10000,blocks:10000,hyperbolic:10000"
QUICK = "navigation:2000,copying:2000,forest fire:2000,blocks:2000,hyperbolic:2000"
GAIN_AT = MARKS.index(0.10)

Measured = dict[str, Shares]  # by order


def measure(web: Web, at_once: int) -> Measured:
    """Return what each order has fetched at each mark."""
    pages = round(MARKS[-1] * len(web))
    found = {name: shares(web, replay(web, order, pages, at_once)) for name, order in ORDERS.items()}
    found["LinkRank in the loop"] = shares(web, replay_linkrank(web, pages, max(1, len(web) // 100)))
    found["oracle"] = shares(web, replay_oracle(web, pages))
    return found


def gain_of(name: str, measured: Measured) -> float:
    """Return an order's gain at 10 % of the pages."""
    top = {key: measured[key].top[GAIN_AT] for key in (name, "breadth first", "oracle")}
    return gain(top[name], top["breadth first"], top["oracle"])


def print_web(label: str, runs: Sequence[Measured]) -> None:
    """Print what each order had fetched, medians over the seeds."""
    marks = " ".join(f"{mark:5.0%}" for mark in MARKS)
    print(f"\n{label}".ljust(58), "\n" + " " * 26, "of all PageRank".ljust(26), "of the top decile".ljust(26), "gain")
    print(" " * 26, "at", marks, " at", marks, "   at 10%")
    for name in runs[0]:
        pagerank, top = (
            " ".join(f"{median(getattr(run[name], kind)[i] for run in runs):5.0%}" for i in range(len(MARKS)))
            for kind in ("pagerank", "top")
        )
        print(f"  {name:26} {pagerank}    {top} {median(gain_of(name, run) for run in runs):9.0%}", flush=True)


def print_gains(measured: dict[str, list[Measured]]) -> None:
    """Print the gains of all orders on all webs, medians over the seeds, and the least of any seed for host votes."""
    print("\nGain at 10 % of the pages; medians over the seeds (of host votes: the least, too)")
    labels = list(measured)
    for i, label in enumerate(labels):
        print(f"  ({i + 1}) {label}, {len(measured[label])} x")
    print(" " * 26, *(f"{f'({i + 1})':>7}" for i in range(len(labels))))
    for name in measured[labels[0]][0]:
        print(f"{name:26}", *(f"{median(gain_of(name, run) for run in measured[label]):7.0%}" for label in labels))
    least = (min(gain_of("host votes", run) for run in measured[label]) for label in labels)
    print(f"{'host votes, least':26}", *(f"{number:7.0%}" for number in least), flush=True)


def webs(options: argparse.Namespace) -> Iterator[tuple[str, Iterator[Web]]]:
    """Yield a label and the webs that share it."""
    for spec in filter(None, options.webs.split(",")):
        kind, _, size = spec.rpartition(":")
        made = (KINDS[kind](int(size), seed) for seed in range(options.seed, options.seed + options.seeds))
        yield f"{kind}, {int(size):,} pages", made
    for path in options.web:
        yield path.stem, iter([written_web(path)])
    for folder in options.html:
        yield f"folder {'/'.join(folder.parts[-2:])}", iter([folder_web(folder)])


def compare_orders(options: argparse.Namespace) -> None:
    """Measure all orders on all webs; print tables, and plot the curves."""
    measured: dict[str, list[Measured]] = {}
    for label, group in webs(options):
        measured[label] = []
        for web in group:
            measured[label].append(measure(web, options.at_once))
        links = sum(map(len, web.outlinks)) / len(web)
        print(f"\n{len(web):,} pages, {len(set(web.hosts)):,} hosts, {links:.1f} links a page")
        print_web(label, measured[label])
        if options.plots:
            plot.curves(options.plots, label, measured[label], MARKS)
    if measured:
        print_gains(measured)
        if options.plots:
            plot.gains(
                options.plots,
                {
                    label: {name: [gain_of(name, run) for run in runs] for name in runs[0]}
                    for label, runs in measured.items()
                },
            )


def compare_recrawls(options: argparse.Namespace) -> None:
    """Crawl a web ten times while its links change; print and plot what the scores do."""
    web = copying_web(options.recrawl_pages, options.seed)
    totals = recrawl.totals(web, passes=10)
    print(f"\nTotal score after each of ten crawls of {len(web):,} pages (injected: 1)")
    for name, values in totals.items():
        print(f"  {name:26}", *(f"{value:8.3g}" for value in values))
    change = recrawl.change(web, passes=20)
    print("\nPart of their new PageRank that is seen of pages that became popular before pass 10")
    for name, values in change.items():
        print(f"  {name:26}", *(f"{value:5.2f}" for value in values))
    agreement = recrawl.agreement(web, passes=10)
    print("\nSpearman correlation of importance and PageRank after so many fetches per page")
    print(" " * 28, *(f"{i + 1:5}" for i in range(10)))
    for name, values in agreement.items():
        print(f"  {name:26}", *(f"{value:5.2f}" for value in values))
    if options.plots:
        plot.recrawls(options.plots, totals, change, agreement)


def main(arguments: Sequence[str]) -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0] if __doc__ else None)
    parser.add_argument("--webs", help="kind:pages, ... with the kinds " + ", ".join(KINDS))
    parser.add_argument("--seeds", type=int, default=3, help="webs of each kind; medians are printed")
    parser.add_argument("--seed", type=int, default=1, help="the first of the seeds")
    parser.add_argument("--web", type=Path, action="append", default=[], help="JSON file with edges and host")
    parser.add_argument("--html", type=Path, action="append", default=[], help="folder of HTML files")
    parser.add_argument("--at-once", type=int, default=1, help="pages that are taken before the first is complete")
    parser.add_argument("--plots", type=Path, help="folder for the PNG files; none when not given")
    parser.add_argument("--recrawl-pages", type=int, default=2000, help="of the web that is crawled again; 0 = none")
    parser.add_argument("--quick", action="store_true", help="small webs")
    options = parser.parse_args(arguments)
    if options.webs is None:
        options.webs = QUICK if options.quick else WEBS
    if options.plots:
        options.plots.mkdir(parents=True, exist_ok=True)
    compare_orders(options)
    if options.recrawl_pages:
        compare_recrawls(options)


if __name__ == "__main__":
    main(sys.argv[1:])
