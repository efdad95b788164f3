"""Indexes in files: which file belongs to which crawl, and what the file's own kind must get right."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest
import redis
from content_indexes import ROOT, Worker, build_index, connection_of, needs_package, numbered
from stores import KEYS, begin_store

from nutchlike.store.content_index import ContentIndex
from nutchlike.store.errors import ContentIndexFailed
from nutchlike.store.file_index import forget_files
from nutchlike.store.keys import CrawlKeys

A, B = b"page-a--page-a", b"page-b--page-b"
SAME = b"same----"
FILES = ["LMDB", "Berkeley DB"]
INSIDE = """
def work(file):
    file.put(b"half----", b"page-b--page-b")
    print("inside", flush=True)
    sys.stdin.readline()
index._opened().run(work, writes=True)
"""  # a worker that is in a transaction until it is killed
each_kind = pytest.mark.parametrize("kind", [pytest.param(kind, marks=needs_package(kind)) for kind in FILES])


def build(kind: str, client: redis.Redis, folder: Path, *, begins: bool = True, crawl: str = "site") -> ContentIndex:
    return build_index(kind, client, folder, keys=CrawlKeys(crawl), begins=begins)


@each_kind
def test_a_worker_with_another_folder_is_refused_and_told_why(
    kind: str, redis_client: redis.Redis, tmp_path: Path
) -> None:
    build(kind, redis_client, tmp_path / "one").close()
    with pytest.raises(ValueError, match=r"not in .*two: it was begun on another machine, or with another NUTCH_DATA"):
        build(kind, redis_client, tmp_path / "two")
    assert not (tmp_path / "two").exists()


@each_kind
def test_owners_are_there_again_when_the_crawl_goes_on(kind: str, redis_client: redis.Redis, tmp_path: Path) -> None:
    first = build(kind, redis_client, tmp_path)
    first.claim_all([(A, SAME, None)])
    first.close()
    second = build(kind, redis_client, tmp_path)
    assert second.claim_all([(B, SAME, None)]) == [A]
    second.close()


@each_kind
def test_owners_of_a_crawl_that_redis_has_lost_claim_nothing_in_a_new_one(
    kind: str, redis_client: redis.Redis, tmp_path: Path
) -> None:
    lost = build(kind, redis_client, tmp_path)
    lost.claim_all([(A, SAME, None)])
    lost.close()
    redis_client.flushall()
    new = build(kind, redis_client, tmp_path)
    assert new.claim_all([(B, SAME, None)]) == [B]
    new.close()


@each_kind
def test_crawls_of_one_folder_have_files_of_their_own(kind: str, redis_client: redis.Redis, tmp_path: Path) -> None:
    one, other = build(kind, redis_client, tmp_path), build(kind, redis_client, tmp_path, crawl="../a b")
    assert one.claim_all([(A, SAME, None)]) + other.claim_all([(B, SAME, None)]) == [A, B]
    one.close()
    other.close()
    assert len([path for path in tmp_path.iterdir() if not path.name.endswith("-lock")]) == 2


@each_kind
def test_two_crawlers_in_one_process_share_the_file(kind: str, redis_client: redis.Redis, tmp_path: Path) -> None:
    one, two = build(kind, redis_client, tmp_path), build(kind, redis_client, tmp_path)
    assert one.claim_all([(A, SAME, None)]) == two.claim_all([(B, SAME, None)]) == [A]
    one.close()
    assert two.claim_all([(B, SAME, None)]) == [A]
    two.close()
    two.close()


@each_kind
def test_a_command_that_only_looks_makes_nothing(kind: str, redis_client: redis.Redis, tmp_path: Path) -> None:
    looking = build(kind, redis_client, tmp_path / "none", begins=False)
    assert (looking.owners_of([SAME]), list(looking.owners()), looking.stats()["entries"]) == ([None], [], 0)
    looking.close()
    assert not (tmp_path / "none").exists()
    assert redis_client.keys() == []


@each_kind
def test_a_forgotten_crawl_takes_its_file_along(kind: str, redis_client: redis.Redis, tmp_path: Path) -> None:
    begin_store(redis_client)
    build(kind, redis_client, tmp_path).close()
    other = build(kind, redis_client, tmp_path, crawl="other")
    other.close()
    forget_files(redis_client, KEYS.crawl_id, tmp_path)
    assert all(path.name.startswith("contents-other-") for path in tmp_path.iterdir())
    assert list(tmp_path.iterdir()) != []


@each_kind
def test_a_folder_that_cannot_be_used_is_an_error_that_names_it(
    kind: str, redis_client: redis.Redis, tmp_path: Path
) -> None:
    (tmp_path / "file").write_text("no folder")
    with pytest.raises(ContentIndexFailed, match=r"file/store cannot be used"):
        build(kind, redis_client, tmp_path / "file" / "store")


@each_kind
def test_a_file_takes_more_than_it_was_begun_for(kind: str, redis_client: redis.Redis, tmp_path: Path) -> None:
    index = build(kind, redis_client, tmp_path)
    contents = list(numbered(20_000))
    for start in range(0, len(contents), 2000):
        index.claim_all([(A, content, None) for content in contents[start : start + 2000]])
    assert index.stats()["entries"] == len(contents)
    assert index.stats()["bytes"] >= 22 * len(contents)
    index.close()


@needs_package("LMDB")
def test_an_lmdb_file_outgrows_its_map_also_by_another_process(tmp_path: Path) -> None:
    from nutchlike.store.lmdb_index import LMDBFile  # the package may be missing

    small = 64 * 1024
    mine = LMDBFile(tmp_path / "contents", map_size=small)
    mine.run(lambda file: file.put(SAME, A), writes=True)
    code = f"""
import sys
from pathlib import Path
from nutchlike.store.lmdb_index import LMDBFile
file = LMDBFile(Path(sys.argv[1]), map_size={small})
for number in range(5000):
    file.run(lambda t: t.put(number.to_bytes(8, "big"), {A!r}), writes=True)
"""
    other = subprocess.run(
        [sys.executable, "-c", code, tmp_path / "contents"],
        cwd=ROOT,
        env={**os.environ, "PYTHONPATH": str(ROOT)},
        check=False,
        capture_output=True,
        text=True,
        timeout=60,
    )
    assert other.returncode == 0, other.stderr
    assert mine.run(lambda file: file.get((4999).to_bytes(8, "big")), writes=False) == A
    assert mine.entries() == 5001
    mine.run(lambda file: [file.put(bytes([n % 256, n // 256]) * 4, A) for n in range(5000)], writes=True)
    assert mine.run(lambda file: file.get(SAME), writes=False) == A
    mine.close()


@needs_package("Berkeley DB")
def test_a_process_killed_inside_berkeley_db_stops_nobody_and_undoes_its_transaction(
    redis_client: redis.Redis, tmp_path: Path
) -> None:
    index = build("Berkeley DB", redis_client, tmp_path)
    index.claim_all([(A, SAME, None)])
    worker = Worker(INSIDE, json.dumps(["Berkeley DB", connection_of(redis_client), 1, str(tmp_path)]))
    worker.go()
    assert worker.read_line() == "inside"
    worker.kill()
    assert index.claim_all([(B, SAME, None), (A, b"half----", None)]) == [A, A]
    assert index.claim_all([(B, b"third---", None)]) == [B]
    index.close()
    again = build("Berkeley DB", redis_client, tmp_path)
    assert dict(again.owners()) == {SAME: A, b"half----": A, b"third---": B}
    again.close()


@needs_package("Berkeley DB")
def test_those_who_open_a_berkeley_db_file_after_such_a_kill_share_one_state(
    redis_client: redis.Redis, tmp_path: Path
) -> None:
    worker = Worker(INSIDE, json.dumps(["Berkeley DB", connection_of(redis_client), 1, str(tmp_path)]))
    worker.go()
    assert worker.read_line() == "inside"
    worker.kill()
    one, two = (build("Berkeley DB", redis_client, tmp_path) for _ in range(2))
    for number, content in enumerate(numbered(200)):
        first, second = (one, two) if number % 2 else (two, one)
        assert first.claim_all([(A, content, None)]) == second.claim_all([(B, content, None)]) == [A]
    one.close()
    assert two.claim_all([(B, content, None) for content in numbered(200)]) == [A] * 200
    two.close()


@pytest.mark.parametrize(
    ("module", "package", "extra"),
    [("lmdb_index", "lmdb", r"nutchlike\[lmdb\]"), ("berkeleydb_index", "berkeleydb", r"nutchlike\[berkeleydb\]")],
)
def test_a_package_that_is_missing_is_named_with_the_way_to_get_it(
    monkeypatch: pytest.MonkeyPatch, redis_client: redis.Redis, tmp_path: Path, module: str, package: str, extra: str
) -> None:
    monkeypatch.setitem(sys.modules, package, None)
    monkeypatch.delitem(sys.modules, f"nutchlike.store.{module}", raising=False)
    kind = "LMDB" if package == "lmdb" else "Berkeley DB"
    with pytest.raises(ValueError, match=f"NUTCH_SIGNATURE_STORE_CLASS: .*the package {package} is missing.*{extra}"):
        build(kind, redis_client, tmp_path)
