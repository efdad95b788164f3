"""``scrapy inject``: seeds into a crawl that is there, is not there yet, or is running."""

from __future__ import annotations

import json
import signal
import subprocess
import sys
from pathlib import Path

import pytest
from web import PROJECT, Answer, Project, html, serve, tree


@pytest.fixture
def project(tmp_path: Path) -> Project:
    return Project(tmp_path)


def write(project: Project, text: str, name: str = "seeds.txt") -> str:
    path = project.folder / name
    path.write_text(text, encoding="utf-8")
    return str(path)


def record(project: Project, url: str) -> dict[str, object]:
    code, out, err = project.command("readdb", url)
    assert code == 0, err
    answer: dict[str, object] = json.loads(out)
    return answer


def test_seeds_are_injected_and_rejects_are_named_with_file_line_and_rule(project: Project) -> None:
    seeds = write(project, "http://a.test/\tnutch.score=5\tlang=en\nftp://b.test/\nhttp://c.test/x.gif\n")
    code, out, err = project.command("inject", seeds)
    assert code == 0, err
    assert out == "Injected 1 new seeds, 0 were known (0 of them changed), 2 rejected\n"
    assert f"{seeds}:2: only http and https" in err
    assert f"{seeds}:3: http://c.test/x.gif: RegexURLFilter: " in err
    datum = record(project, "http://a.test/")
    assert (datum["score"], datum["metadata"], datum["db_status"]) == (5.0, {"lang": "en"}, "db_unfetched")


def test_lists_of_every_kind_are_taken_together(project: Project) -> None:
    (project.folder / "folder").mkdir()
    write(project, "http://a.test/\n", "folder/a.txt")
    write(project, "http://b.test/\n", "folder/b.txt")
    with serve({"/list": Answer(b"http://c.test/\n")}) as web:
        command = [sys.executable, "-m", "scrapy", "inject", str(project.folder / "folder"), f"{web.url}/list", "-"]
        command += ["--dry-run"]
        done = subprocess.run(
            command, cwd=PROJECT, input="http://d.test/\n", capture_output=True, text=True, check=False, timeout=60
        )
    assert done.returncode == 0, done.stderr
    assert [line.split("\t")[0] for line in done.stdout.splitlines()] == [f"http://{name}.test/" for name in "abcd"]


def test_a_dry_run_prints_seed_lines_and_opens_no_store(project: Project) -> None:
    seeds = write(project, "http://A.test:80/\tnutch.fetchInterval.fixed=600\tlang=en\nhttp://b.test/\nx\n")
    code, out, err = project.command("inject", "--dry-run", seeds, "-s", "NUTCH_DB_SCORE_INJECTED=0.5")
    assert code == 0, err
    assert out.splitlines() == [
        "http://a.test/\tnutch.score=0.5\tnutch.fetchInterval=600\tlang=en\tfixedInterval=600",
        "http://b.test/\tnutch.score=0.5\tnutch.fetchInterval=2592000",
    ]
    assert f"{seeds}:3: " in err
    assert "1 rejected" in err
    assert not (project.folder / "store").exists()


def test_a_known_url_is_kept_updated_or_overwritten_as_told(project: Project) -> None:
    first = write(project, "http://a.test/\tnutch.score=5\told=1\n", "first.txt")
    second = write(project, "http://a.test/\tnutch.score=7\tnew=2\n", "second.txt")
    assert project.command("inject", first)[0] == 0
    assert "0 new seeds, 1 were known (0 of them changed)" in project.command("inject", second)[1]
    assert record(project, "http://a.test/")["score"] == 5.0
    assert "(1 of them changed)" in project.command("inject", "--update", second)[1]
    datum = record(project, "http://a.test/")
    assert (datum["score"], datum["metadata"]) == (7.0, {"old": "1", "new": "2"})
    assert "(1 of them changed)" in project.command("inject", "-overwrite", second)[1]  # as Nutch spells it
    assert record(project, "http://a.test/")["metadata"] == {"new": "2"}


def test_rules_can_be_left_out(project: Project) -> None:
    seeds = write(project, "http://A.test/x.gif#y\n")
    assert project.command("inject", "--dry-run", seeds)[0] == 1
    assert project.command("inject", "--dry-run", "--no-filter", seeds)[1].startswith("http://a.test/x.gif\t")
    _, out, _ = project.command("inject", "--dry-run", "-noFilter", "-noNormalize", seeds)
    assert out.startswith("http://A.test/x.gif#y\t")


@pytest.mark.parametrize("text", ["ftp://a.test/\nhttp://a.test/x.gif\n", "# nothing\n", ""])
def test_without_a_usable_seed_the_code_is_1(project: Project, text: str) -> None:
    code, _, err = project.command("inject", write(project, text))
    assert code == 1
    assert "No seed could be used" in err


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        ([], "give seed files"),
        (["nowhere.txt"], "nowhere.txt"),
        (["--update", "--overwrite", "/dev/null"], "not allowed with"),
        (["--spider", "nobody", "/dev/null"], "no spider 'nobody', there are: site"),
        (["/dev/null", "-s", "NUTCH_DB_SCORE_INJECTED=-1"], "NUTCH_DB_SCORE_INJECTED"),
        (["/dev/null", "-s", "REDIS_URL=redis://127.0.0.1:1"], "127.0.0.1:1"),
    ],
)
def test_bad_usage_ends_with_code_2_and_says_what_is_wrong(project: Project, arguments: list[str], said: str) -> None:
    code, out, err = project.command("inject", *arguments)
    assert (code, out) == (2, "")
    assert said in err
    assert "Traceback" not in err


def test_a_crawl_without_seeds_of_its_own_fetches_what_was_injected(project: Project) -> None:
    with serve(tree(3)) as web:
        assert project.command("inject", write(project, f"{web.url}/\n"))[0] == 0
        crawl = project.crawl()
    assert (crawl.code, len(crawl.items)) == (0, 3)


def test_a_crawl_that_waits_takes_injected_seeds_at_once(project: Project) -> None:
    pages = {"/": Answer(html("home", [])), "/new": Answer(html("new", []))}
    with serve(pages) as web:
        crawl = project.start(f"url={web.url}/", SCHEDULER_IDLE_BEFORE_CLOSE=60)
        web.wait_for(lambda count: count["/"] == 1)
        code, _, err = project.command("inject", write(project, f"{web.url}/new\n"))
        assert code == 0, err
        web.wait_for(lambda count: count["/new"] == 1, seconds=20)
        crawl.send_signal(signal.SIGINT)
        _, log = crawl.communicate(timeout=60)
    assert crawl.returncode == 0, log


def test_a_better_seed_that_comes_while_a_page_is_fetched_is_next(project: Project) -> None:
    pages = {f"/{name}": Answer(html(name, []), wait=wait) for name, wait in (("a", 6.0), ("b", 0.0), ("c", 0.0))}
    with serve(pages) as web:
        seeds = write(project, f"{web.url}/a\tnutch.score=10\n{web.url}/b\tnutch.score=1\n")
        crawl = project.start(f"seeds={seeds}", CONCURRENT_REQUESTS_PER_DOMAIN=1, NUTCH_LEASE_BATCH=1)
        web.wait_for(lambda count: count["/a"] == 1)
        assert project.command("inject", write(project, f"{web.url}/c\tnutch.score=5\n", "more.txt"))[0] == 0
        _, log = crawl.communicate(timeout=60)
        order = [path for _, path in web.requests if path != "/robots.txt"]
    assert crawl.returncode == 0, log
    assert order == ["/a", "/c", "/b"]


def test_a_crawl_reads_seeds_from_a_server_and_a_pipe_without_standing_still(project: Project) -> None:
    pages = {"/": Answer(html("home", [])), "/x": Answer(html("x", []))}
    with serve(pages) as web:
        pages["/list"] = Answer(f"{web.url}/x\n".encode(), wait=3.0)
        web.pages["/list"] = pages["/list"]
        first = write(project, f"{web.url}/\n" * 500)
        crawl = project.crawl(f"seeds={first},{web.url}/list")
        times = {path: at for at, path in web.requests}
    assert crawl.code == 0, crawl.log
    assert sorted(crawl.urls) == [f"{web.url}/", f"{web.url}/x"]
    assert times["/"] - times["/list"] < 2.5  # it was fetched while the second list was still on its way
