"""benchmarks/signature_stores.py: that it runs, and what does not depend on the machine."""

from __future__ import annotations

import subprocess
import sys

from web import PROJECT


def test_the_benchmark_of_the_indexes_finds_no_false_owner_and_few_bytes_in_a_bloom_filter() -> None:
    kinds = ["Redis set", "Bloom", "Bloom alone"]
    done = subprocess.run(
        [
            sys.executable,
            PROJECT / "benchmarks" / "signature_stores.py",
            "--contents",
            "2000",
            "--kinds",
            ",".join(kinds),
        ],
        cwd=PROJECT,
        capture_output=True,
        text=True,
        timeout=180,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    rows = {kind: next(line for line in done.stdout.splitlines() if line.startswith(f"{kind}  ")) for kind in kinds}
    assert [row.split()[-1] for row in rows.values()] == ["0", "0", "0"]
    assert [row.split()[-2] for row in rows.values()] == ["0", "0", "1e-06"]
