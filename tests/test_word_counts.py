"""What a crawl learns of its words, and the table that the semantic fingerprint then weighs by."""

from __future__ import annotations

from pathlib import Path

from stores import Store, scripts_of
from web import Answer, Project, html, serve

from nutchlike.signatures.idf import DocumentCounts, IdfTable
from nutchlike.store.embedded import EmbeddedServer
from nutchlike.store.word_counts import WordCounts


def counts_of(store: Store) -> WordCounts:
    return WordCounts(store.client, store.keys, scripts_of(store.client, store.keys))


def test_the_counts_of_all_workers_add_up(store: Store) -> None:
    assert counts_of(store).read().documents == 0
    counts_of(store).add(DocumentCounts(3, {"menu": 3, "caf\u00e9": 1}))
    counts_of(store).add(DocumentCounts(2, {"menu": 2, "\u6c7d\u8f66": 1}))
    learned = counts_of(store).read()
    assert learned.documents == 5
    assert learned.counts == {"menu": 5, "caf\u00e9": 1, "\u6c7d\u8f66": 1}


def test_a_crawl_counts_each_page_that_it_keeps_and_idf_writes_the_table(tmp_path: Path) -> None:
    project = Project(tmp_path, {"NUTCH_SIGNATURE_SEMANTIC_LEARN": True})
    pages = {
        "/": Answer(html("home", ["/a", "/b"], text="menu words words")),
        "/a": Answer(html("a", [], text="menu kettle")),
        "/b": Answer(html("b", [], text="menu kettle")),  # a copy
    }
    with serve({**pages}) as web:
        assert project.command("idf")[0] == 1
        project.crawl(f"url={web.url}/")
    code, out, _ = project.command("idf", "--least", "1")
    assert code == 0
    lines = out.splitlines()
    assert lines[0] == "#documents\t2"
    assert {"menu\t2", "kettle\t1", "words\t1"} <= {*lines}
    table = IdfTable.parse(out, source="idf")
    assert table.of("menu") < table.of("kettle") < table.of("unseen")
    assert "kettle" not in project.command("idf")[1]
    EmbeddedServer.attach(tmp_path / "store").detach()
