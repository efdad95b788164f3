"""How a crawl is laid out is agreed on when it begins; a store that is laid out otherwise is refused and left alone."""

from __future__ import annotations

from pathlib import Path

import pytest
import redis
from redis_process import Server
from web import Project, serve, tree

from nutchlike.store.keys import PartitionKeys, layout_key
from nutchlike.store.layout import LAYOUT_VERSION, agree_on_layout

TOTALS = PartitionKeys("site").name("totals")


def agree(client: redis.Redis) -> int:
    return len(agree_on_layout(client, "site", partitions=None, default=4, queue_mode="byHost"))


def test_the_first_process_decides_and_the_others_follow(redis_client: redis.Redis) -> None:
    assert agree(redis_client) == 4
    assert len(agree_on_layout(redis_client, "site", partitions=None, default=1, queue_mode="byHost")) == 4


@pytest.mark.parametrize("key", [TOTALS, layout_key("site")])
def test_a_crawl_of_a_version_that_numbered_no_layouts_is_refused_and_left_as_it_is(
    redis_client: redis.Redis, key: str
) -> None:
    redis_client.hset(key, mapping={"known": "5", "partitions": "1", "queue_mode": "byHost"})
    with pytest.raises(ValueError, match=r"'site' was begun by an older version .* SCHEDULER_FLUSH_ON_START=True"):
        agree(redis_client)
    assert redis_client.keys() == [key.encode()]


def test_a_crawl_of_a_newer_version_is_refused(redis_client: redis.Redis) -> None:
    redis_client.hset(layout_key("site"), "version", LAYOUT_VERSION + 1)
    with pytest.raises(ValueError, match="begun by a newer version"):
        agree(redis_client)


def test_what_a_worker_writes_after_its_crawl_was_flushed_is_no_crawl_of_an_older_version(
    redis_client: redis.Redis,
) -> None:
    redis_client.hset(TOTALS, "per_host", "1")
    assert agree(redis_client) == 4


def test_looking_at_a_crawl_that_is_not_there_does_not_lay_it_out(tmp_path: Path) -> None:
    project = Project(tmp_path)
    for command in (["readdb", "--stats"], ["fsck"], ["deadletters"]):
        assert project.command(*command)[0] == 0
    for command in (["linkrank"], ["explain", "http://a.test/"], ["readlinkdb", "http://a.test/"]):
        assert project.command(*command)[0] == 1
    with serve(tree(3)) as web:
        crawl = project.crawl(f"url={web.url}/", NUTCH_PARTITIONS=4)
        assert crawl.code == 0, crawl.log
        assert len(crawl.items) == 3
    assert project.command("readdb", "--stats")[1].startswith("known\t3\n")


def test_a_crawl_and_fsck_say_that_a_store_is_of_an_older_version(
    tmp_path: Path, tmp_path_factory: pytest.TempPathFactory
) -> None:
    server = Server(tmp_path_factory.mktemp("r"))
    try:
        project = Project(tmp_path, {"REDIS_URL": server.url})
        server.client().hset(TOTALS, "known", "5")
        crawl = project.crawl("url=http://127.0.0.1:9/")
        assert crawl.code == 1
        assert "was begun by an older version of nutchlike" in crawl.log
        assert "Traceback" not in crawl.log
        code, _, error = project.command("fsck", "--repair")
        assert code == 8
        assert "was begun by an older version of nutchlike" in error
        assert server.client().hgetall(TOTALS) == {b"known": b"5"}
    finally:
        server.kill()
