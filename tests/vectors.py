"""Reads the rows that were recorded from the real Nutch classes."""

from __future__ import annotations

import json
import os
from pathlib import Path
from typing import Any

import pytest

_BESIDE_THE_CHECKOUT = Path(__file__).resolve().parents[2] / "shared" / "vectors"


def vector_rows(name: str) -> list[dict[str, Any]]:
    """Return the rows of the JSON lines file ``name``.

    When the vectors are not there, a test that asks is skipped, and a module gets no rows: its other tests run.

    The folder is NUTCHLIKE_VECTORS, or ``shared/vectors`` beside the checkout. Rows end with a line feed only:
    texts hold U+2028 and its like.
    """
    folder = Path(os.environ.get("NUTCHLIKE_VECTORS") or _BESIDE_THE_CHECKOUT)
    if not folder.is_dir():
        if "PYTEST_CURRENT_TEST" in os.environ:
            pytest.skip(f"no Nutch vectors in {folder}; set NUTCHLIKE_VECTORS to their folder")
        return []
    return [json.loads(row) for row in (folder / name).read_text("utf-8").split("\n") if row]
