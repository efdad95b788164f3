"""Seed sources: which files a seeds= argument means, and how they are read."""

from __future__ import annotations

import gzip
import io
import logging
import os
import socket
import zipfile
from collections.abc import Callable
from pathlib import Path
from threading import Thread

import pytest
from web import Answer, serve

from nutchlike.seed_sources import find_seed_sources, open_seed_sources
from nutchlike.seeds import iter_seed_lines, parse_seed_lines


def urls(spec: str, **options: str) -> list[str]:
    return [
        seed.url
        for source in open_seed_sources(spec, **options)
        for seed in parse_seed_lines(source.lines(), source=source.name).records
    ]


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    return tmp_path


def test_files_are_read_in_the_order_in_which_they_are_named(folder: Path) -> None:
    (folder / "b.txt").write_text("http://b.test/\n")
    (folder / "a.txt").write_text("http://a.test/\n")
    assert urls(" b.txt , a.txt,") == ["http://b.test/", "http://a.test/"]
    assert urls(str(folder / "a.txt")) == ["http://a.test/"]


def test_of_a_folder_only_seed_files_are_read_and_the_rest_is_named_in_the_log(
    folder: Path, caplog: pytest.LogCaptureFixture
) -> None:
    seeds = folder / "seeds"
    (seeds / "sub").mkdir(parents=True)
    (seeds / "sub" / "z.txt").write_text("http://sub.test/\n")
    (seeds / "c.txt").write_text("http://c.test/\n")
    (seeds / "a.txt").write_text("http://a.test/\n")
    (seeds / "b.txt.gz").write_bytes(gzip.compress(b"http://b.test/\n"))
    (seeds / "empty.txt").touch()
    (seeds / ".DS_Store").write_bytes(b"\0\0\0\x01Bud1http://junk.test/\n")
    (seeds / "logo.png").write_bytes(b"\x89PNG\r\n\0\rhttp://junk.test/\r")
    os.mkfifo(seeds / "pipe")
    for backup in ("a.txt~", "a.txt.bak", ".a.txt.swp", "#a.txt#"):
        (seeds / backup).write_text("http://backup.test/\n")
    with caplog.at_level(logging.INFO):
        assert urls("seeds") == ["http://a.test/", "http://b.test/", "http://c.test/"]
    assert sorted(caplog.messages) == [
        "Seed folder seeds: skipped #a.txt#, it is an editor's backup",
        "Seed folder seeds: skipped .DS_Store, it is hidden",
        "Seed folder seeds: skipped .a.txt.swp, it is hidden",
        "Seed folder seeds: skipped a.txt.bak, it is an editor's backup",
        "Seed folder seeds: skipped a.txt~, it is an editor's backup",
        "Seed folder seeds: skipped logo.png, it is binary",
        "Seed folder seeds: skipped pipe, it is no regular file",
        "Seed folder seeds: skipped sub, it is a folder",
    ]


def test_messages_name_the_file_within_the_folder(folder: Path) -> None:
    (folder / "seeds").mkdir()
    (folder / "seeds" / "urls.txt").write_text("\nftp://a.test/\n")
    (source,) = open_seed_sources("seeds/")
    (reject,) = iter_seed_lines(source.lines(), source=source.name)
    assert str(reject) == "seeds/urls.txt:2: only http and https can be crawled, got scheme 'ftp'"


def test_every_line_end_and_every_byte_is_readable(folder: Path) -> None:
    (folder / "a.txt").write_bytes(b"http://a.test/\rhttp://b.test/\r\nhttp://c.test/\nhttp://d.test/\xff\n")
    assert urls("a.txt") == ["http://a.test/", "http://b.test/", "http://c.test/"]


def test_a_name_that_is_found_nowhere_is_an_error_at_once_that_lists_the_places(folder: Path) -> None:
    with pytest.raises(ValueError) as caught:
        open_seed_sources("nowhere.txt")
    assert str(folder / "nowhere.txt") in str(caught.value)
    assert str(Path("nutchlike", "nowhere.txt")) in str(caught.value)


@pytest.mark.parametrize("spec", ["", " , ,"])
def test_no_name_at_all_is_an_error(spec: str) -> None:
    with pytest.raises(ValueError, match="seeds must name files or folders"):
        open_seed_sources(spec)


@pytest.mark.parametrize("content", [b"no gzip at all", gzip.compress(os.urandom(5000))[:-2000]])
def test_a_damaged_gz_file_is_an_error_that_names_the_file(folder: Path, content: bytes) -> None:
    (folder / "a.txt.gz").write_bytes(content)
    with pytest.raises(ValueError, match=r"seed file a\.txt\.gz cannot be read"):
        urls("a.txt.gz")


def write_package(place: Path, name: str) -> None:
    (place / name / "data" / "seeds").mkdir(parents=True)
    (place / name / "__init__.py").touch()
    (place / name / "data" / "seeds" / "a.txt").write_text("http://packaged.test/\n")
    (place / name / "data" / "seeds" / "b.txt.gz").write_bytes(gzip.compress(b"http://zipped.test/\n"))


def test_the_working_folder_comes_before_the_package(
    folder: Path, tmp_path_factory: pytest.TempPathFactory, monkeypatch: pytest.MonkeyPatch
) -> None:
    library = tmp_path_factory.mktemp("library")
    write_package(library, "seedpackage")
    monkeypatch.syspath_prepend(library)
    assert urls("data/seeds", package="seedpackage") == ["http://packaged.test/", "http://zipped.test/"]
    (folder / "data").mkdir()
    (folder / "data" / "seeds").write_text("http://working.test/\n")
    assert urls("data/seeds", package="seedpackage") == ["http://working.test/"]


def test_seeds_inside_an_egg_are_found(
    folder: Path, tmp_path_factory: pytest.TempPathFactory, monkeypatch: pytest.MonkeyPatch
) -> None:
    library = tmp_path_factory.mktemp("library")
    write_package(library, "eggpackage")
    egg = library / "project.egg"
    with zipfile.ZipFile(egg, "w") as archive:
        for file in sorted((library / "eggpackage").rglob("*")):
            archive.write(file, file.relative_to(library))
    monkeypatch.syspath_prepend(egg)
    assert urls("data/seeds/a.txt,data/seeds", package="eggpackage") == [
        "http://packaged.test/",
        "http://packaged.test/",
        "http://zipped.test/",
    ]
    assert [source.name for source in open_seed_sources("data/seeds/a.txt", package="eggpackage")] == [
        "eggpackage:data/seeds/a.txt"
    ]


def test_the_seeds_that_come_with_the_project_are_all_good() -> None:
    shipped = Path(__file__).resolve().parents[1] / "seeds" / "urls.txt"
    text = shipped.read_text("utf-8")
    parsed = parse_seed_lines(text, source="seeds/urls.txt")
    assert len(parsed.records) >= 3
    assert parsed.rejects == parsed.warnings == []
    # The examples that are commented out are good lines, too.
    examples = [line.removeprefix("#") for line in text.splitlines() if line.startswith("#http")]
    everything = [*parsed.records, *parse_seed_lines(examples).records]
    assert len(everything) == len(parsed.records) + len(examples)
    assert any(seed.score_given for seed in everything)
    assert any(seed.interval_given and not seed.metadata for seed in everything)
    assert any("fixedInterval" in seed.metadata for seed in everything)
    assert any("topic" in seed.metadata for seed in everything)


def test_a_pipe_is_read_and_an_empty_device_is_an_empty_list(folder: Path) -> None:
    os.mkfifo(folder / "pipe")
    writer = Thread(target=(folder / "pipe").write_text, args=["http://a.test/\nhttp://b.test/\n"], daemon=True)
    writer.start()
    assert urls("pipe") == ["http://a.test/", "http://b.test/"]
    assert urls("/dev/null") == []


def test_standard_input_is_read_and_stays_open(monkeypatch: pytest.MonkeyPatch) -> None:
    stdin = io.TextIOWrapper(io.BytesIO("http://a.test/\thost=ä\nhttp://b.test/\n".encode()))
    monkeypatch.setattr("sys.stdin", stdin)
    assert urls("-") == ["http://a.test/", "http://b.test/"]
    assert not stdin.buffer.closed


@pytest.mark.parametrize("pack", [bytes, gzip.compress])
def test_a_list_is_downloaded_whether_it_is_gzip_or_not(pack: Callable[[bytes], bytes]) -> None:
    body = pack(b"http://a.test/\r\nhttp://b.test/\r\n")
    with serve({"/seeds": Answer(body, headers={"Content-Type": "text/plain"})}) as web:
        assert urls(f"{web.url}/seeds") == ["http://a.test/", "http://b.test/"]
        assert [source.name for source in open_seed_sources(f"{web.url}/seeds")] == [f"{web.url}/seeds"]


def test_a_list_that_cannot_be_downloaded_is_an_error_that_says_why() -> None:
    with serve({}) as web, pytest.raises(ValueError, match=r"/missing cannot be read: HTTP Error 404"):
        urls(f"{web.url}/missing")
    with pytest.raises(ValueError, match=r"cannot be read: .*refused"):
        urls("http://127.0.0.1:1/seeds")


def test_a_download_that_is_too_long_is_given_up() -> None:
    with serve({"/seeds": Answer(b"#" * 1001)}) as web:
        (source,) = find_seed_sources([f"{web.url}/seeds"], download_maxsize=1000)
        with pytest.raises(ValueError, match="longer than 1000 bytes"):
            list(source.lines())
        (source,) = find_seed_sources([f"{web.url}/seeds"], download_maxsize=1001)
        assert len(list(source.lines())) == 1


def test_a_download_that_breaks_off_is_no_shorter_list() -> None:
    with socket.create_server(("127.0.0.1", 0)) as server:

        def answer_half() -> None:
            connection, _ = server.accept()
            connection.recv(1000)
            connection.sendall(b"HTTP/1.1 200 OK\r\nContent-Length: 100\r\n\r\nhttp://a.test/\n")
            connection.close()

        Thread(target=answer_half, daemon=True).start()
        with pytest.raises(ValueError, match="85 bytes too early"):
            urls(f"http://127.0.0.1:{server.getsockname()[1]}/")


def test_a_line_without_end_is_an_error_and_not_all_of_memory() -> None:
    with pytest.raises(ValueError, match=r"/dev/zero has a line of 1048576 characters"):
        urls("/dev/zero")
