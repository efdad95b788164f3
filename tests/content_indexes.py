"""The indexes of contents that tests run on, and processes that share one."""

from __future__ import annotations

import importlib.util
import os
import subprocess
import sys
from collections.abc import Iterator, Sequence
from pathlib import Path

import pytest
import redis
from redis.crc import key_slot
from scrapy.settings import Settings
from stores import scripts_of

from nutchlike.addon import NutchlikeAddon
from nutchlike.plugins import build_content_index
from nutchlike.store.content_index import ContentIndex, IndexPlace
from nutchlike.store.keys import CrawlKeys
from nutchlike.store.nodes import Client

ROOT = Path(__file__).resolve().parents[1]
STORE = "nutchlike.store"
KINDS = {
    "Redis set": {"NUTCH_SIGNATURE_STORE_CLASS": f"{STORE}.signature_index.SignatureIndex"},
    "Bloom": {"NUTCH_SIGNATURE_STORE_CLASS": f"{STORE}.bloom_index.BloomContentIndex"},
    "Bloom alone": {
        "NUTCH_SIGNATURE_STORE_CLASS": f"{STORE}.bloom_index.BloomContentIndex",
        "NUTCH_SIGNATURE_BLOOM_CONFIRM": False,
    },
    "LMDB": {"NUTCH_SIGNATURE_STORE_CLASS": f"{STORE}.lmdb_index.LMDBContentIndex"},
    "Berkeley DB": {"NUTCH_SIGNATURE_STORE_CLASS": f"{STORE}.berkeleydb_index.BerkeleyDBContentIndex"},
}
_PACKAGES = {"LMDB": "lmdb", "Berkeley DB": "berkeleydb"}


def needs_package(kind: str) -> pytest.MarkDecorator:
    """Return the mark that skips a test of ``kind`` where its package is not installed."""
    package = _PACKAGES.get(kind, "")
    is_missing = bool(package) and importlib.util.find_spec(package) is None
    return pytest.mark.skipif(is_missing, reason=f"the package {package} is not installed")


def build_index(
    kind: str, client: Client, folder: Path, *, keys: CrawlKeys, begins: bool = True, **settings: object
) -> ContentIndex:
    """Return an index as a crawl with these settings builds it."""
    all_settings = Settings()
    NutchlikeAddon.update_pre_crawler_settings(all_settings)
    all_settings.setdict({**KINDS[kind], **settings})
    return build_content_index(all_settings, IndexPlace(keys, scripts_of(client, keys), folder, begins=begins))


_WORK = """
import json, sys
from pathlib import Path
import redis
sys.path.insert(0, "tests")
from content_indexes import build_index
from nutchlike.store.keys import CrawlKeys
kind, connection, partitions, folder = json.loads(sys.argv[1])
client = redis.RedisCluster(**connection) if "port" in connection else redis.Redis(**connection)
index = build_index(kind, client, Path(folder), keys=CrawlKeys("site", partitions))
print("ready", flush=True)
"""


class Worker:
    """Another process that has an index; ``code`` is what it does with ``index`` once it is told to go."""

    def __init__(self, code: str, arguments: str) -> None:
        self.process = subprocess.Popen(
            [sys.executable, "-c", f"{_WORK}\nsys.stdin.readline()\n{code}", arguments],
            cwd=ROOT,
            env={**os.environ, "PYTHONPATH": str(ROOT)},
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            text=True,
        )
        assert self.read_line() == "ready"

    def read_line(self) -> str:
        assert self.process.stdout is not None
        return self.process.stdout.readline().strip()

    def go(self) -> None:
        assert self.process.stdin is not None
        self.process.stdin.write("\n")
        self.process.stdin.flush()

    def rest(self) -> list[str]:
        """Return the lines that it writes until it ends."""
        return self.process.communicate(timeout=60)[0].split("\n")[:-1]

    def kill(self) -> None:
        self.process.kill()
        self.process.communicate()


def connection_of(client: Client) -> dict[str, object]:
    """Return how another process reaches the same server, or cluster."""
    if isinstance(client, redis.RedisCluster):
        node = client.nodes_manager.get_node_from_slot(key_slot(b"0"))
        return {"host": node.host, "port": node.port}
    return {"unix_socket_path": client.connection_pool.connection_kwargs["path"]}


def numbered(count: int, *, first: int = 0) -> Iterator[bytes]:
    """Yield different contents."""
    return (number.to_bytes(8, "big") for number in range(first, first + count))


def batches(items: Sequence[bytes], size: int = 64) -> Iterator[Sequence[bytes]]:
    return (items[start : start + size] for start in range(0, len(items), size))
