"""How scripts reach the node that has their partition, on one server and on a cluster."""

from __future__ import annotations

import contextlib
import time
from collections.abc import Iterator
from pathlib import Path

import pytest
import redis
from cluster import Cluster, cluster, soon
from redis.backoff import NoBackoff
from redis.crc import key_slot
from redis.retry import Retry

from nutchlike.outage import is_server_trouble
from nutchlike.store.cluster_client import connect_cluster
from nutchlike.store.errors import NoAnswer
from nutchlike.store.keys import PartitionKeys
from nutchlike.store.nodes import Client, Nodes
from nutchlike.store.scripts import Scripts

PARTITIONS = [PartitionKeys("site", number) for number in range(8)]


def scripts_of(client: Client) -> Scripts:
    return Scripts(client, [keys.all() for keys in PARTITIONS])


def claim(scripts: Scripts, partitions: range, content: str = "a") -> list[object]:
    """Let a page of each partition claim the content; the reply is the page that owns it."""
    return scripts.run_all([(number, "claim_signature", (f"page{number}", content)) for number in partitions])


def owners(partitions: range) -> list[object]:
    return [b"page%d" % number for number in partitions]


@pytest.fixture
def own_cluster(tmp_path: Path) -> Iterator[Cluster]:
    with cluster(tmp_path / "cluster", replicas=1) as made:
        yield made


def test_all_keys_of_a_partition_share_a_slot_and_partitions_spread_over_slots() -> None:
    slots = [{key_slot(name.encode()) for name in [*keys.all(), keys.bucket(7, 0)]} for keys in PARTITIONS]
    assert all(len(of_one) == 1 for of_one in slots)
    assert len(set.union(*slots)) == len(PARTITIONS)


def test_each_call_runs_on_the_keys_of_its_partition(any_client: Client) -> None:
    scripts = scripts_of(any_client)
    assert claim(scripts, range(8)) == owners(range(8))
    for number, keys in enumerate(PARTITIONS):
        assert any_client.hgetall(keys.name("signatures")) == {b"a": b"page%d" % number}
    assert scripts.run(3, "claim_signature", "other", "a") == b"page3"


def test_calls_of_one_partition_run_in_their_order(any_client: Client) -> None:
    calls = [(number % 4, "claim_signature", (f"page{number}", "a")) for number in range(64)]
    assert scripts_of(any_client).run_all(calls) == [b"page%d" % (number % 4) for number in range(64)]


def test_no_calls_are_no_round_trip(any_client: Client) -> None:
    assert scripts_of(any_client).run_all([]) == []


def test_a_refused_call_has_its_error_in_its_place_and_harms_no_other(any_client: Client) -> None:
    scripts = scripts_of(any_client)
    any_client.set(PARTITIONS[1].name("signatures"), "no hash")
    first, second, third = claim(scripts, range(3))
    assert (first, third) == (b"page0", b"page2")
    assert isinstance(second, redis.ResponseError)
    assert "WRONGTYPE" in str(second)
    with pytest.raises(redis.ResponseError, match="WRONGTYPE"):
        scripts.run(1, "claim_signature", "page1", "a")


def test_nodes_that_forgot_their_scripts_get_them_again(any_client: Client) -> None:
    scripts = scripts_of(any_client)
    claim(scripts, range(8))
    any_client.script_flush()
    assert claim(scripts, range(8), "b") == owners(range(8))
    any_client.script_flush()
    assert scripts.run_all_replicated([(0, "claim_signature", ("page0", "c"))]) == ([b"page0"], set())


def test_commands_of_many_partitions_are_answered_in_their_order(any_client: Client) -> None:
    claim(scripts_of(any_client), range(8))
    names = [keys.name("signatures") for keys in PARTITIONS]
    answers = Nodes(any_client, names).ask([(number, ("HGETALL", name)) for number, name in enumerate(names)])
    assert answers == [{b"a": b"page%d" % number} for number in range(8)]


def test_a_server_that_is_not_there_raises_its_error() -> None:
    scripts = scripts_of(redis.Redis(host="127.0.0.1", port=1, retry=Retry(NoBackoff(), 0)))
    with pytest.raises(redis.ConnectionError):
        claim(scripts, range(2))


def test_calls_to_a_killed_node_get_no_answer_and_those_to_others_do(own_cluster: Cluster) -> None:
    scripts = scripts_of(own_cluster.client())
    claim(scripts, range(8))
    shards = [own_cluster.shard_of(keys.prefix) for keys in PARTITIONS]
    own_cluster.kill_master(shards[0])
    replies = claim(scripts, range(8), "b")
    for number, (reply, shard) in enumerate(zip(replies, shards, strict=True)):
        if shard == shards[0]:
            assert isinstance(reply, NoAnswer)
        else:
            assert reply == b"page%d" % number


def test_after_a_failover_the_calls_run_on_the_node_that_took_over(own_cluster: Cluster) -> None:
    scripts = scripts_of(own_cluster.client())
    assert scripts.run_all_replicated([(0, "claim_signature", ("page0", "a"))]) == ([b"page0"], set())
    own_cluster.kill_master(own_cluster.shard_of(PARTITIONS[0].prefix))
    replies: list[object] = []

    def has_answer() -> bool:
        with contextlib.suppress(redis.RedisError):
            replies.append(scripts.run(0, "claim_signature", "other", "a"))
        return bool(replies)

    assert soon(has_answer)
    assert replies == [b"page0"]


def test_calls_follow_a_partition_whose_master_changes_by_plan(own_cluster: Cluster) -> None:
    scripts = scripts_of(own_cluster.client())
    claim(scripts, range(8))
    shard = own_cluster.shard_of(PARTITIONS[0].prefix)
    (replica,) = own_cluster.replicas_of(shard)
    replica.client().execute_command("CLUSTER FAILOVER")
    assert soon(lambda: replica.is_master)
    own_cluster.wait_until_whole()
    assert [scripts.run(number, "claim_signature", "other", "a") for number in range(8)] == owners(range(8))
    assert claim(scripts, range(8), "b") == owners(range(8))


def test_writes_that_no_replica_has_are_told(own_cluster: Cluster) -> None:
    scripts = scripts_of(own_cluster.client())
    claim(scripts, range(8))
    shard = own_cluster.shard_of(PARTITIONS[0].prefix)
    (replica,) = own_cluster.replicas_of(shard)
    with own_cluster.paused(replica):
        calls = [(number, "claim_signature", (f"page{number}", "b")) for number in range(8)]
        replies, unconfirmed = scripts.run_all_replicated(calls)
    assert replies == owners(range(8))
    assert unconfirmed == {
        number for number, keys in enumerate(PARTITIONS) if own_cluster.shard_of(keys.prefix) == shard
    }


def test_a_partition_that_is_being_moved_refuses_scripts_and_changes_nothing(own_cluster: Cluster) -> None:
    client = own_cluster.client()
    scripts = scripts_of(client)
    claim(scripts, range(8))
    keys = PARTITIONS[0]
    shard, slot = own_cluster.shard_of(keys.prefix), key_slot(keys.prefix.encode())
    source, target = own_cluster.master_of(shard).client(), own_cluster.master_of((shard + 1) % 3).client()
    target.execute_command("CLUSTER SETSLOT", slot, "IMPORTING", source.execute_command("CLUSTER MYID"))
    source.execute_command("CLUSTER SETSLOT", slot, "MIGRATING", target.execute_command("CLUSTER MYID"))
    with pytest.raises((redis.exceptions.TryAgainError, redis.exceptions.AskError)) as refused:
        scripts.run(0, "claim_signature", "other", "b")
    assert is_server_trouble(refused.value)
    source.execute_command("CLUSTER SETSLOT", slot, "STABLE")
    assert client.hgetall(keys.name("signatures")) == {b"a": b"page0"}
    assert scripts.run(0, "claim_signature", "page0", "b") == b"page0"


def test_a_node_that_hangs_costs_one_timeout_for_all_its_calls(own_cluster: Cluster) -> None:
    scripts = scripts_of(own_cluster.client(socket_timeout=1))
    claim(scripts, range(8))
    shards = [own_cluster.shard_of(keys.prefix) for keys in PARTITIONS]
    other = next(number for number in range(8) if shards[number] != shards[0])
    calls = [(0, "claim_signature", (f"page{number}", "b")) for number in range(20)]
    with own_cluster.paused(own_cluster.master_of(shards[0])):
        started = time.monotonic()
        *replies, reply = scripts.run_all([*calls, (other, "claim_signature", ("page", "b"))])
        assert time.monotonic() - started < 10
    assert {type(reply) for reply in replies} == {NoAnswer}
    assert reply == b"page"


def test_a_cluster_that_has_lost_a_part_refuses_for_a_while_and_has_its_data_afterwards(tmp_path: Path) -> None:
    with cluster(tmp_path / "cluster") as made:
        scripts = scripts_of(connect_cluster(made.url, {}))
        claim(scripts, range(8))
        shards = [made.shard_of(keys.prefix) for keys in PARTITIONS]
        killed = made.kill_master(shards[0])
        alive = next(node for node in made.nodes if node is not killed)
        assert soon(lambda: alive.ask("CLUSTER INFO")["cluster_state"] == "fail")
        replies = claim(scripts, range(8), "b")
        assert {type(reply) for reply in replies} == {NoAnswer, redis.exceptions.ClusterDownError}
        assert all(is_server_trouble(reply) for reply in replies if isinstance(reply, redis.ResponseError))
        made.restart(killed)
        assert claim(scripts, range(8), "b") == owners(range(8))
        assert scripts.run(0, "claim_signature", "other", "a") == b"page0"


def test_what_a_replica_has_confirmed_outlives_the_master_and_what_none_has_is_told(own_cluster: Cluster) -> None:
    client = connect_cluster(own_cluster.url, {})
    scripts = scripts_of(client)
    shard = own_cluster.shard_of(PARTITIONS[0].prefix)
    (replica,) = own_cluster.replicas_of(shard)
    assert scripts.run_all_replicated([(0, "claim_signature", ("page", "kept"))]) == ([b"page"], set())
    with own_cluster.paused(replica):
        # more than the sockets between the two hold, so that the last of it dies with the master
        lost = [(0, "claim_signature", ("page", f"{number}".ljust(1_000_000, "x"))) for number in range(20)]
        replies, unconfirmed = scripts.run_all_replicated(lost)
        assert (set(replies), unconfirmed) == ({b"page"}, {0})
        own_cluster.kill_master(shard)
    own_cluster.master_of(shard)
    contents: list[bytes] = []

    def has_answer() -> bool:
        with contextlib.suppress(redis.RedisError):
            contents.extend(client.hkeys(PARTITIONS[0].name("signatures")))
        return bool(contents)

    assert soon(has_answer)
    assert b"kept" in contents
    assert len(contents) < 1 + len(lost)
