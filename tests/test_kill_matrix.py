"""benchmarks/kill_matrix.py: a short run of it, with a kill of each kind, and what it calls bad."""

from __future__ import annotations

import importlib.util
import subprocess
import sys
from dataclasses import replace
from types import ModuleType

import pytest
from web import PROJECT

PROGRAM = PROJECT / "benchmarks" / "kill_matrix.py"


@pytest.fixture(scope="module")
def kill_matrix() -> ModuleType:
    spec = importlib.util.spec_from_file_location("kill_matrix", PROGRAM)
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    sys.modules["kill_matrix"] = module  # dataclasses look their module up
    spec.loader.exec_module(module)
    return module


def test_no_kill_of_any_kind_costs_a_page() -> None:
    options = ["--pages", "300", "--after", "40", "--random", "1", "--redis", "1", "--interrupts", "1"]
    done = subprocess.run(
        [sys.executable, PROGRAM, *options], cwd=PROJECT, capture_output=True, text=True, timeout=180, check=False
    )
    assert done.returncode == 0, done.stdout + done.stderr
    _, _, *rows, last = done.stdout.splitlines()
    assert [row.split()[0] for row in rows] == ["SIGKILL", "SIGKILL", "Redis", "SIGINT"]
    assert last.startswith("4 of 4 kills lost nothing")


@pytest.mark.parametrize(
    ("change", "fault"),
    [
        ({"distinct": 299}, "1 pages are missing"),
        ({"strange": 1}, "1 pages that the site does not have"),
        ({"twice": 9}, "9 pages were parsed twice, 8 were in flight"),
        ({"cash_error": 2e-9}, "the cash is wrong by 2.0e-09"),
        ({"cash_error": float("nan")}, "the cash is wrong by nan"),
        ({"fsck": 1}, "scrapy fsck ended with code 1"),
        ({"code": 1}, "the last crawl ended with code 1"),
    ],
)
def test_a_row_is_bad_when_anything_was_lost(kill_matrix: ModuleType, change: dict[str, object], fault: str) -> None:
    good = kill_matrix.Row(
        kill="", killed_at=9, pages=300, distinct=300, strange=0, twice=8, in_flight=8, cash_error=1e-15, fsck=0, code=0
    )
    assert good.faults == []
    bad = replace(good, **change)
    assert bad.faults == [fault]
    assert f"BAD: {fault}" in bad.line()
