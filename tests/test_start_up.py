"""What a crawl does not wait for at its start."""

from __future__ import annotations

import subprocess
import sys

LOADED = """
import sys
from scrapy.utils.misc import load_object
from nutchlike.addon import COMPONENTS, WIRING

names = [WIRING["SCHEDULER"], *(name for group in COMPONENTS.values() for pair in group.items() for name in pair)]
for name in names:
    if isinstance(name, str) and name.startswith("nutchlike."):
        load_object(name)
print(*sorted({name.partition(".")[0] for name in sys.modules}))
"""


def test_a_crawl_that_ranks_nothing_and_learns_no_words_loads_neither_numpy_nor_a_dictionary() -> None:
    loaded = subprocess.run([sys.executable, "-c", LOADED], capture_output=True, text=True, check=True).stdout.split()
    assert {"nutchlike", "redis"} <= {*loaded}
    assert not {"numpy", "rjieba"} & {*loaded}
