"""What LinkRank costs on a large graph, beside the PageRank of igraph and of networkit.

Run ``python benchmarks/linkrank.py [PAGES LINKS]`` from the project's folder, with the packages of
requirements-dev.txt. Each contestant runs in a process of its own, on the same graph, read from the same files; the
time to build its graph and the time to rank are apart, CPU time is that of the whole process (imports, reading, all
threads), and memory is the most that it held. The formulas differ (LinkRank does not spread what pages without links
have, and takes 10 iterations), so Spearman's rank correlation with igraph's scores tells whether they see the same
pages in front.
"""

from __future__ import annotations

import json
import resource
import subprocess
import sys
import tempfile
from pathlib import Path
from time import perf_counter

import numpy as np

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))

from nutchlike.scoring.link_rules import first_inlinks
from nutchlike.scoring.linkrank import linkrank

PAGES, LINKS = 1_000_000, 20_000_000
DOMAINS_PER_PAGE = 1 / 20
SEED = 20_240_229
MEGABYTE = 1 << 20


def write_graph(folder: Path, pages: int, links: int) -> None:
    """Write a graph whose pages have few links or many, and draw links in parts that fall like a power law."""
    rng = np.random.default_rng(SEED)
    active = rng.permutation(pages)
    sources = active[(pages * rng.random(links) ** 1.5).astype(np.int32)].astype(np.int32)
    popular = rng.permutation(pages)
    targets = popular[(pages * rng.random(links) ** 4).astype(np.int32)].astype(np.int32)
    np.save(folder / "sources.npy", sources)
    np.save(folder / "targets.npy", targets)
    np.save(folder / "domains.npy", rng.integers(0, int(pages * DOMAINS_PER_PAGE) + 1, pages, dtype=np.int32))


def run_linkrank(folder: Path, pages: int) -> tuple[float, float, np.ndarray]:
    """Rank with the arrays as they are."""
    sources, targets = np.load(folder / "sources.npy"), np.load(folder / "targets.npy")
    start = perf_counter()
    scores = linkrank(sources, targets, pages)
    return 0.0, perf_counter() - start, scores


def run_linkrank_files(folder: Path, pages: int) -> tuple[float, float, np.ndarray]:
    """Rank without reading the arrays into memory."""
    sources, targets = (np.load(folder / f"{name}.npy", mmap_mode="r") for name in ("sources", "targets"))
    start = perf_counter()
    scores = linkrank(sources, targets, pages)
    return 0.0, perf_counter() - start, scores


def run_linkrank_limited(folder: Path, pages: int) -> tuple[float, float, np.ndarray]:
    """Rank where one link from each domain counts; finding those is the time to build."""
    sources, targets = np.load(folder / "sources.npy"), np.load(folder / "targets.npy")
    domains = np.load(folder / "domains.npy")
    start = perf_counter()
    counted = first_inlinks(targets, domains[sources])
    built = perf_counter()
    scores = linkrank(sources, targets, pages, counted=counted)
    return built - start, perf_counter() - built, scores


def run_igraph(folder: Path, pages: int) -> tuple[float, float, np.ndarray]:
    """Rank with igraph's PRPACK."""
    import igraph

    # 64 bits: igraph then reads the array as it is, and not number by number
    edges = np.stack([np.load(folder / "sources.npy"), np.load(folder / "targets.npy")], axis=1).astype(np.int64)
    start = perf_counter()
    graph = igraph.Graph(n=pages, edges=edges, directed=True)
    built = perf_counter()
    scores = graph.pagerank(damping=0.85)
    return built - start, perf_counter() - built, np.array(scores)


def run_networkit(folder: Path, pages: int) -> tuple[float, float, np.ndarray]:
    """Rank with networkit, on all cores."""
    import networkit

    sources, targets = np.load(folder / "sources.npy"), np.load(folder / "targets.npy")
    start = perf_counter()
    links = (np.ones(len(sources)), (sources.astype(np.uint64), targets.astype(np.uint64)))
    graph = networkit.GraphFromCoo(links, n=pages, directed=True)
    built = perf_counter()
    algorithm = networkit.centrality.PageRank(graph, damp=0.85, tol=1e-6)
    algorithm.run()
    return built - start, perf_counter() - built, np.array(algorithm.scores())


CONTESTANTS = {
    "linkrank": run_linkrank,
    "linkrank, arrays in files": run_linkrank_files,
    "linkrank, one a domain": run_linkrank_limited,
    "igraph": run_igraph,
    "networkit": run_networkit,
}


def contest(folder: Path, name: str, pages: int) -> None:
    """Run one contestant in this process: scores go to a file, times (CPU: of all it does) and memory are printed."""
    build, rank, scores = CONTESTANTS[name](folder, pages)
    np.save(folder / f"{name}.scores.npy", scores)
    unit = 1 if sys.platform == "darwin" else 1024  # bytes that ru_maxrss counts in
    used = resource.getrusage(resource.RUSAGE_SELF)
    memory = used.ru_maxrss * unit / MEGABYTE
    print(json.dumps({"build": build, "rank": rank, "cpu": used.ru_utime + used.ru_stime, "memory": memory}))


def rank_correlation(some: np.ndarray, others: np.ndarray) -> float:
    """Return Spearman's correlation; equal scores share the mean of their places."""
    return float(np.corrcoef(places(some), places(others))[0, 1])


def places(scores: np.ndarray) -> np.ndarray:
    """Return each score's place among all."""
    _, place, count = np.unique(scores, return_inverse=True, return_counts=True)
    last = np.cumsum(count)
    return (last - (count - 1) / 2)[place]


def main(pages: int, links: int) -> None:
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        # In a process of its own too: a child's most memory begins with its parent's
        subprocess.run([sys.executable, __file__, str(folder), "graph", str(pages), str(links)], check=True)
        print(f"{pages:,} pages, {links:,} links: {2 * 4 * links / MEGABYTE:.0f} MB of arrays")
        results = {}
        for contestant in CONTESTANTS:
            command = [sys.executable, __file__, str(folder), contestant, str(pages)]
            answer = subprocess.run(command, check=True, capture_output=True, text=True).stdout
            results[contestant] = json.loads(answer.splitlines()[-1])
        reference = np.load(folder / "igraph.scores.npy")
        print(f"{'':28}{'build s':>10}{'rank s':>10}{'CPU s':>10}{'memory MB':>12}{'like igraph':>14}")
        for contestant, result in results.items():
            alike = rank_correlation(np.load(folder / f"{contestant}.scores.npy"), reference)
            times = "".join(f"{result[name]:10.2f}" for name in ("build", "rank", "cpu"))
            print(f"{contestant:28}{times}{result['memory']:12.0f}{alike:14.4f}")


if __name__ == "__main__":
    if len(sys.argv) == 5:
        write_graph(Path(sys.argv[1]), int(sys.argv[3]), int(sys.argv[4]))
    elif len(sys.argv) == 4:
        contest(Path(sys.argv[1]), sys.argv[2], int(sys.argv[3]))
    else:
        main(*(map(int, sys.argv[1:3]) if len(sys.argv) == 3 else (PAGES, LINKS)))
