"""A feed survives a killed process: whole lines only."""

from __future__ import annotations

from pathlib import Path

import pytest
from scrapy import Spider

from nutchlike.feed_storage import UnbufferedFileFeedStorage


def append(path: Path, data: bytes) -> bytes:
    """Append ``data`` as a crawl does with ``-o``; return what the file holds before it is closed."""
    storage = UnbufferedFileFeedStorage(str(path))
    file = storage.open(Spider("site"))
    file.write(data)
    held = path.read_bytes()
    file.close()
    return held


def test_an_item_is_in_the_file_before_the_feed_is_closed(tmp_path: Path) -> None:
    assert append(tmp_path / "new" / "pages.jsonl", b'{"url": 1}\n') == b'{"url": 1}\n'


@pytest.mark.parametrize(
    ("before", "kept"),
    [
        (b"", b""),
        (b"{}\n", b"{}\n"),
        (b'{}\n{"te', b"{}\n"),
        (b'{"te', b""),
        # a whole line without its end, as an editor may leave it
        (b'{}\n{"a": 1}', b'{}\n{"a": 1}\n'),
        (b"{}\n" + b"x" * 200_000, b"{}\n"),
    ],
)
def test_a_line_that_a_kill_cut_short_is_removed_before_the_next_one(
    tmp_path: Path, before: bytes, kept: bytes
) -> None:
    path = tmp_path / "pages.jsonl"
    path.write_bytes(before)
    assert append(path, b"{}\n") == kept + b"{}\n"


def test_a_feed_that_is_not_made_of_lines_is_left_alone(tmp_path: Path) -> None:
    path = tmp_path / "pages.xml"
    path.write_bytes(b"<items>")
    assert append(path, b"<item/>") == b"<items><item/>"
