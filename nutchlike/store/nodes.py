"""Nodes: sends many commands in one round trip, each to the node that has its partition; one server is one node."""

from __future__ import annotations

import contextlib
from collections.abc import Callable, Sequence
from typing import Any

import redis
from redis.crc import key_slot
from redis.exceptions import MovedError, RedisClusterException

from nutchlike.store.errors import NoAnswer

Client = redis.Redis | redis.RedisCluster
Command = tuple[Any, ...]  # name and arguments, as for ``Redis.execute_command``

REPLICA_SECONDS = 1.0  # how long a replica may take to confirm
_MOVES_MAX = 5  # how often a command follows its partition; each MOVED names the node that has it
_REPLICATION: Command = ("INFO", "replication")
_WAIT: Command = ("WAIT", 1, int(REPLICA_SECONDS * 1000))
_BROKEN = (redis.ConnectionError, redis.TimeoutError)


class Nodes:
    """The nodes of the partitions; ``keys`` has one key of each, whose hash slot is that of all its keys."""

    def __init__(self, client: Client, keys: Sequence[str]) -> None:
        self._client = client
        self._slots = [key_slot(key.encode()) for key in keys]

    def ask(self, commands: Sequence[tuple[int, Command]]) -> list[Any]:
        """Return the answer to each (partition, command), or the ``redis.ResponseError`` that it got.

        All commands are sent before the first answer is read. Those of one partition run in their order, if none had to
        follow its partition to another node. None is sent again that may have been done: when a connection breaks, its
        commands that have no answer yet get NoAnswer (a ResponseError), done or not.

        Raises ``redis.ConnectionError`` or ``redis.TimeoutError`` when there was no answer at all.
        """
        return self._follow(commands, _exchange)[0]

    def ask_replicated(self, commands: Sequence[tuple[int, Command]]) -> tuple[list[Any], set[int]]:
        """As ``ask``, and wait until a replica has what was written; also return the partitions where none has.

        There a failover could take back what these commands wrote, and what others wrote before them. Each command
        must write something. Where a node has no replica there is no failover, and nothing to wait for.
        """
        return self._follow(commands, _exchange_replicated)

    def _follow(
        self, commands: Sequence[tuple[int, Command]], exchange: Callable[[Sequence[_Lane], list[Any]], None]
    ) -> tuple[list[Any], set[int]]:
        answers: list[Any] = [None] * len(commands)
        unconfirmed: set[int] = set()
        left: Sequence[int] = range(len(commands))
        for _ in range(_MOVES_MAX):
            lanes = self._lanes(commands, left, answers)
            try:
                exchange(lanes, answers)
            finally:
                for lane in lanes:
                    lane.close()
            unconfirmed |= {commands[index][0] for lane in lanes if not lane.is_confirmed for index in lane.indexes}
            self._learn(lanes, answers, left)
            left = [index for index in left if isinstance(answers[index], MovedError)]
            if not left:
                break
        broken = [index for index, answer in enumerate(answers) if isinstance(answer, _BROKEN)]
        if broken and len(broken) == len(answers):
            raise answers[0]
        for index in broken:
            answers[index] = NoAnswer(str(answers[index]))
        return answers, unconfirmed

    def _lanes(self, commands: Sequence[tuple[int, Command]], left: Sequence[int], answers: list[Any]) -> list[_Lane]:
        """Return what each node is to be asked; a command whose partition no node has gets its answer here."""
        lanes: dict[str, _Lane] = {}
        for index in left:
            partition, command = commands[index]
            try:
                name, lane_of = self._node_of(self._slots[partition])
            except RedisClusterException as error:
                answers[index] = redis.ConnectionError(str(error))
                continue
            lane = lanes[name] if name in lanes else lanes.setdefault(name, lane_of())
            lane.indexes.append(index)
            lane.commands.append(command)
        return list(lanes.values())

    def _node_of(self, slot: int) -> tuple[str, Callable[[], _Lane]]:
        """Return the name of the node that has the slot, and what makes a lane to it."""
        client = self._client
        if isinstance(client, redis.Redis):
            return "", lambda: _Lane(client)
        node = client.nodes_manager.get_node_from_slot(slot)
        has_replicas = len(client.nodes_manager.slots_cache.get(slot, ())) > 1
        return node.name, lambda: _Lane(client.get_redis_connection(node), name=node.name, has_replicas=has_replicas)

    def _learn(self, lanes: Sequence[_Lane], answers: Sequence[Any], asked: Sequence[int]) -> None:
        """Follow what the answers say about the cluster: where a partition has gone, or that a node is away."""
        if isinstance(self._client, redis.Redis):
            return
        manager = self._client.nodes_manager
        for index in asked:
            if isinstance(answers[index], MovedError):
                manager.move_slot(answers[index])
        away = [lane.name for lane in lanes if lane.failure is not None]
        is_unclear = any(not lane.is_confirmed for lane in lanes) or any(isinstance(answers[i], _BROKEN) for i in asked)
        if is_unclear:
            for name in away:
                manager.move_node_to_end_of_cached_nodes(name)
            # An error here is no news: the commands have their answers, and the next call looks again.
            with contextlib.suppress(redis.RedisError, RedisClusterException):
                manager.initialize(last_failed_node_name=away[-1] if away else None)


class _Lane:
    """What one node is asked in a round, and the connection for it; ``has_replicas`` is what the cluster says."""

    def __init__(self, node: redis.Redis, *, name: str = "", has_replicas: bool = False) -> None:
        self.name = name
        self.has_replicas = has_replicas
        self.indexes: list[int] = []
        self.commands: list[Command] = []
        self.failure: redis.RedisError | None = None
        self.is_confirmed = True
        self._node = node
        self._connection: Any = None
        self._unread = 0

    def write(self, commands: Sequence[Command]) -> None:
        if self.failure is None:
            try:
                if self._connection is None:
                    self._connection = self._node.connection_pool.get_connection()
                self._unread += len(commands)
                self._connection.send_packed_command(self._connection.pack_commands(commands))
            except _BROKEN as error:
                self.failure = error

    def read(self, commands: Sequence[Command]) -> list[Any]:
        """Return the answers to what was written; what has none gets the connection's error."""
        return [self._read_one(command) for command in commands]

    def close(self) -> None:
        if self._connection is not None:
            if self._unread:
                self._connection.disconnect()
            self._node.connection_pool.release(self._connection)

    def _read_one(self, command: Command) -> Any:
        if self.failure is not None:
            return self.failure
        try:
            answer = self._node.parse_response(self._connection, command[0])  # type: ignore[no-untyped-call]  # redis-py's
        except redis.ResponseError as error:
            answer = error
        except _BROKEN as error:
            self.failure = error
            return error
        self._unread -= 1
        return answer


def _exchange(lanes: Sequence[_Lane], answers: list[Any]) -> None:
    """Write to all nodes, then read from all."""
    for lane in lanes:
        lane.write(lane.commands)
    for lane in lanes:
        for index, answer in zip(lane.indexes, lane.read(lane.commands), strict=True):
            answers[index] = answer


def _exchange_replicated(lanes: Sequence[_Lane], answers: list[Any]) -> None:
    """As ``_exchange``; then ask each node that has replicas to wait for one of them.

    That must be on the connection that wrote: by another one might answer a node that has taken over meanwhile, without
    the writes. Asking a node for its replicas comes first, since one that has none would wait in vain.
    """
    for lane in lanes:
        lane.write([*lane.commands, _REPLICATION])
    waiting = []
    for lane in lanes:
        *replies, replication = lane.read([*lane.commands, _REPLICATION])
        for index, answer in zip(lane.indexes, replies, strict=True):
            answers[index] = answer
        connected = replication.get("connected_slaves") if isinstance(replication, dict) else None
        # a replica that the cluster counts on, and that has lost its master, may yet take over
        lane.is_confirmed = connected == 0 and not lane.has_replicas
        if connected:
            lane.write([_WAIT])
            waiting.append(lane)
    for lane in waiting:
        (acknowledged,) = lane.read([_WAIT])
        lane.is_confirmed = isinstance(acknowledged, int) and acknowledged > 0
