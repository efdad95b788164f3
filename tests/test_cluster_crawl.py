"""Whole crawls whose store is a Redis Cluster, and what they do when a master is killed."""

from __future__ import annotations

from pathlib import Path

from cluster import Cluster, cluster
from web import Project, serve, tree

from nutchlike.store.keys import CrawlKeys

KEYS = CrawlKeys("site", 16)


def known(nodes: Cluster) -> dict[str, int]:
    """Return how many URLs each partition knows, where it knows some; by the name of the key that says so."""
    with nodes.client() as client:
        totals = {keys.name("totals"): client.hget(keys.name("totals"), "known") for keys in KEYS.partitions}
    return {name: int(float(value)) for name, value in totals.items() if value}


def test_a_crawl_runs_on_a_cluster(tmp_path: Path, redis_cluster: Cluster) -> None:
    redis_cluster.flush()
    project = Project(tmp_path, {"REDIS_URL": redis_cluster.url})
    with serve(tree(40)) as web:
        crawl = project.crawl(f"url={web.url}/")
        assert crawl.code == 0, crawl.log
        assert sorted(crawl.urls) == sorted(web.url + path for path in web.pages)
    assert list(known(redis_cluster).values()) == [40]


def test_a_killed_master_whose_replica_takes_over_costs_no_page(tmp_path: Path) -> None:
    with cluster(tmp_path / "cluster", replicas=1) as nodes, serve(tree(150, wait=0.05)) as web:
        project = Project(tmp_path, {"REDIS_URL": nodes.url})
        process = project.start(f"url={web.url}/")
        web.wait_for(lambda count: sum(count.values()) > 30)
        [totals] = known(nodes)
        nodes.kill_master(nodes.shard_of(totals))
        _, log = process.communicate(timeout=90)
        assert process.returncode == 0, log
        assert {item["url"] for item in project.items()} == {web.url + path for path in web.pages}
        assert "The store fails, the crawl waits" in log
        assert "The store answers again" in log
