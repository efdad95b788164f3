"""A Redis Cluster on loopback: masters that share the slots, each with replicas; made, broken and mended by tests."""

from __future__ import annotations

import contextlib
import random
import signal
import socket
import subprocess
import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import redis
from redis.backoff import NoBackoff
from redis.crc import REDIS_CLUSTER_HASH_SLOTS, key_slot
from redis.retry import Retry

from nutchlike.store.server_binary import binary_for

NODE_TIMEOUT_MS = 1000  # silence after which the others take a node for failed
_ASK_SECONDS = 1.0  # a node that is paused does not answer
DEADLINE = 30.0  # seconds that the cluster may take for anything
_FIRST_PORT, _LAST_PORT = 12_000, 21_999  # the cluster bus is 10000 above; both are below what systems give out
_FAULTS = {"fail?", "fail", "handshake", "noaddr"}
_ATTEMPTS = 10  # ports that were free a moment ago may be taken


class Node:
    """One redis-server in cluster mode."""

    def __init__(self, folder: Path, shard: int) -> None:
        folder.mkdir(parents=True)
        self.folder = folder
        self.shard = shard
        for _ in range(_ATTEMPTS):
            self.port = free_port()
            self.start()
            if soon(self._has_started_or_ended) and self.process.poll() is None:
                return
            self.stop()
        raise AssertionError(f"redis-server does not start: {(folder / 'log').read_text()[-2000:]}")

    def start(self) -> None:
        options = {
            "bind": "127.0.0.1",
            "port": self.port,
            "dir": self.folder,
            "logfile": self.folder / "log",
            "cluster-enabled": "yes",
            "cluster-config-file": "nodes.conf",
            "cluster-node-timeout": NODE_TIMEOUT_MS,
            "appendonly": "yes",
            "appendfsync": "no",  # what was written outlives a kill; "everysec" holds back a write while it syncs
            "save": "",
            "repl-diskless-sync-delay": 0,  # a replica need not wait for others to join it
        }
        arguments = [text for name, value in options.items() for text in (f"--{name}", str(value))]
        program = str(binary_for(self.folder).path)
        self.process = subprocess.Popen([program, *arguments], stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)

    def client(self, *, socket_timeout: float = 5.0) -> redis.Redis:
        """Return a client of this node alone, which fails at once when the node does not answer in time."""
        return redis.Redis(host="127.0.0.1", port=self.port, socket_timeout=socket_timeout, retry=Retry(NoBackoff(), 0))

    def ask(self, *command: Any) -> Any:
        """Return the answer to a command, or ``None`` when the node does not answer or has an error."""
        if self.process.poll() is not None:
            return None
        with contextlib.suppress(redis.RedisError), self.client(socket_timeout=_ASK_SECONDS) as client:
            return client.execute_command(*command)
        return None

    @property
    def is_master(self) -> bool:
        role = self.ask("ROLE")
        return bool(role) and role[0] == b"master"

    def stop(self) -> None:
        """Kill the process; a paused one too."""
        self.process.kill()
        self.process.wait()

    def _has_started_or_ended(self) -> bool:
        return self.process.poll() is not None or self.ask("PING") is not None


@dataclass
class Cluster:
    """The nodes; a *shard* is a master with its replicas, whichever of them is the master now."""

    nodes: list[Node]

    @property
    def url(self) -> str:
        """What REDIS_URL is for this cluster: two of its nodes."""
        return f"redis+cluster://127.0.0.1:{self.nodes[0].port},127.0.0.1:{self.nodes[1].port}"

    def client(self, **options: Any) -> redis.RedisCluster:
        """Return redis-py's own client, with its defaults."""
        return redis.RedisCluster(host="127.0.0.1", port=self._alive()[0].port, **options)

    def master_of(self, shard: int) -> Node:
        """Return the shard's master, once it has one that answers and that its replicas do not contest."""

        def masters() -> list[Node]:
            return [node for node in self._alive() if node.shard == shard and node.is_master]

        assert soon(lambda: len(masters()) == 1), f"shard {shard} has no master"
        return masters()[0]

    def shard_of(self, key: str) -> int:
        """Return the shard that had the key's slot when the cluster was made."""
        shards = max(node.shard for node in self.nodes) + 1
        slot = key_slot(key.encode())
        return next(shard for shard in range(shards) if slot in _slots(shard, shards))

    def replicas_of(self, shard: int) -> list[Node]:
        """Return the shard's replicas that run."""
        return [node for node in self._alive() if node.shard == shard and not node.is_master]

    def kill_master(self, shard: int) -> Node:
        """Kill the shard's master with SIGKILL; return it."""
        node = self.master_of(shard)
        node.stop()
        return node

    def restart(self, node: Node) -> None:
        """Start a killed node again, on the same port with its data, and wait until the cluster is whole."""
        node.start()
        self.wait_until_whole()

    @contextlib.contextmanager
    def paused(self, node: Node) -> Iterator[None]:
        """Let a node hang: its system accepts connections, and nothing is answered."""
        node.process.send_signal(signal.SIGSTOP)
        try:
            yield
        finally:
            node.process.send_signal(signal.SIGCONT)

    def flush(self) -> None:
        """Empty every master and forget its scripts."""
        for node in self._alive():
            if node.is_master:
                node.client().flushall()
                node.client().script_flush()

    def wait_until_whole(self) -> None:
        """Wait until all nodes that run see the whole cluster, and their replicas follow their masters."""
        assert soon(self._is_whole), "\n".join(f"{node.port}: {node.ask('CLUSTER INFO')}" for node in self.nodes)

    def _alive(self) -> list[Node]:
        return [node for node in self.nodes if node.process.poll() is None]

    def _is_whole(self) -> bool:
        nodes = self._alive()
        masters = sum(node.is_master for node in nodes)
        for node in nodes:
            info, known, role = node.ask("CLUSTER INFO"), node.ask("CLUSTER NODES"), node.ask("ROLE")
            if not info or not known or not role or info["cluster_state"] != "ok":
                return False
            flags = [set(entry["flags"].split(",")) for entry in known.values() if entry["connected"]]
            sound = [entry for entry in flags if not entry & _FAULTS]
            if len(sound) != len(nodes) or sum("master" in entry for entry in sound) != masters:
                return False
            if role[0] == b"slave" and role[3] != b"connected":
                return False
        return True


@contextlib.contextmanager
def cluster(folder: Path, *, masters: int = 3, replicas: int = 0) -> Iterator[Cluster]:
    """Make a cluster below ``folder`` with so many replicas for each master; nothing of it runs afterwards."""
    nodes: list[Node] = []
    try:
        for shard in range(masters):
            for member in range(1 + replicas):
                nodes.append(Node(folder / f"{shard}-{member}", shard))
        made = Cluster(nodes)
        _join(nodes, masters)
        made.wait_until_whole()
        yield made
    finally:
        for node in nodes:
            node.stop()


def _join(nodes: list[Node], shards: int) -> None:
    heads = {node.shard: node for node in reversed(nodes)}
    for shard, head in heads.items():
        client = head.client()
        client.execute_command("CLUSTER ADDSLOTS", *_slots(shard, shards))
        client.execute_command("CLUSTER SET-CONFIG-EPOCH", shard + 1)
    for node in nodes[1:]:
        node.client().execute_command("CLUSTER MEET", "127.0.0.1", nodes[0].port)
    assert soon(lambda: all(len(node.ask("CLUSTER NODES") or {}) == len(nodes) for node in nodes))
    for node in nodes:
        head = heads[node.shard]
        if node is not head:
            name = head.client().execute_command("CLUSTER MYID")
            assert soon(lambda node=node, name=name: node.ask("CLUSTER REPLICATE", name))


def _slots(shard: int, shards: int) -> range:
    return range(
        REDIS_CLUSTER_HASH_SLOTS * shard // shards,
        REDIS_CLUSTER_HASH_SLOTS * (shard + 1) // shards,
    )


def free_port() -> int:
    """Return a port whose neighbour for the cluster bus, 10000 above, is free too."""
    for port in random.sample(range(_FIRST_PORT, _LAST_PORT), 100):
        with contextlib.suppress(OSError), socket.socket() as data, socket.socket() as bus:
            data.bind(("127.0.0.1", port))
            bus.bind(("127.0.0.1", port + 10_000))
            return port
    raise AssertionError("no free ports for a cluster")


def soon(is_true: Callable[[], object]) -> bool:
    """Ask again and again until the answer is true; False after DEADLINE seconds."""
    deadline = time.monotonic() + DEADLINE
    while not is_true():
        if time.monotonic() > deadline:
            return False
        time.sleep(0.02)
    return True
