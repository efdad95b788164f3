"""benchmarks/frontier.py: that it runs, and what does not depend on the machine."""

from __future__ import annotations

import subprocess
import sys

from web import PROJECT


def test_the_frontier_benchmark_counts_few_calls_per_page_beside_those_of_scrapy_redis() -> None:
    done = subprocess.run(
        [sys.executable, PROJECT / "benchmarks" / "frontier.py", "--sizes", "500,1000", "--rounds", "1"],
        cwd=PROJECT,
        capture_output=True,
        text=True,
        timeout=180,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    assert done.stdout.startswith("URLs of 74 characters")
    calls = [line.split()[-2:] for line in done.stdout.splitlines() if "round trips per page  " in line]
    assert calls[1] == ["43", "43"]  # scrapy-redis: a pop, 40 looks, 2 pushes
    assert all(float(number) < 3 for row in (calls[0], calls[2]) for number in row)
