"""benchmarks/ordering.py: that it runs, and what its small webs show."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path

import pytest
from web import PROJECT


def run(*arguments: str | Path) -> str:
    pytest.importorskip("matplotlib", reason="of requirements-dev.txt")
    done = subprocess.run(
        [sys.executable, PROJECT / "benchmarks" / "ordering.py", *arguments],
        cwd=PROJECT,
        capture_output=True,
        text=True,
        timeout=180,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    return done.stdout


def row(output: str, name: str) -> list[str]:
    return next(line for line in reversed(output.splitlines()) if line.strip().startswith(name)).split()


def test_host_votes_come_closer_to_the_oracle_than_opic_on_webs_of_hosts_with_menus() -> None:
    output = run("--webs", "navigation:1000", "--recrawl-pages", "0").split("Gain at 10 %")[1]
    host_votes, paper = (float(row(output, name)[-1].rstrip("%")) for name in ("host votes ", "paper OPIC"))
    assert host_votes > 30 > paper


def test_ten_crawls_inflate_the_scores_of_nutch_and_not_the_cash_of_the_paper(tmp_path: Path) -> None:
    output = run("--webs", "", "--recrawl-pages", "200", "--plots", tmp_path).split("Part of their")[0]
    assert float(row(output, "Nutch OPIC")[-1]) > 1000
    assert row(output, "paper OPIC")[2:] == row(output, "host votes and balance")[4:] == ["1"] * 10
    assert {path.name for path in tmp_path.iterdir()} == {
        "recrawl-total.png",
        "recrawl-change.png",
        "importance-pagerank.png",
    }


def test_folders_and_files_are_webs_too(tmp_path: Path) -> None:
    site = tmp_path / "site"
    for number in range(20):
        page = site / f"h{number % 4}" / f"{number}.html"
        page.parent.mkdir(parents=True, exist_ok=True)
        page.write_text(f'<a href="../h{(number + 1) % 4}/{(number + 1) % 20}.html#x">next</a><a href="0.html">no</a>')
    edges = [[(number + 1) % 20] for number in range(20)]
    (tmp_path / "written.json").write_text(json.dumps({"edges": edges, "host": ["a.test", "b.test"] * 10}))
    output = run("--webs", "", "--recrawl-pages", "0", "--html", site, "--web", tmp_path / "written.json")
    assert "20 pages, 4 hosts" in output
    assert "20 pages, 2 hosts, 1.0 links a page" in output
