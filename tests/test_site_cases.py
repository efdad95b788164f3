"""Each redirect, directive and status, in one real crawl of a scripted site, and what becomes of pages over time."""

from __future__ import annotations

import fcntl
import pickle
from pathlib import Path

import pytest
import recrawl_cases
import site_cases
from scripted_site import Case, Crawls, Row, crawl_cases

TABLES = {"one crawl": site_cases.CASES, "several crawls": recrawl_cases.CASES}
# In the logs: four answers that could not be had to their end, and the pipeline that fails
ERRORS = {"one crawl": [5], "several crawls": [0, 0, 0, 0]}
EACH = [pytest.param(table, case, id=case.name) for table, cases in TABLES.items() for case in cases]


@pytest.fixture(scope="session")
def crawls_of(tmp_path_factory: pytest.TempPathFactory, worker_id: str) -> CrawlsOf:
    """Return what came of the crawls of a table; they run once, however many processes the tests have."""
    folder = tmp_path_factory.getbasetemp()
    return CrawlsOf(folder if worker_id == "master" else folder.parent)


class CrawlsOf:
    """Crawls a table when its first case is looked at, and keeps what came of it in a file for the other processes."""

    def __init__(self, folder: Path) -> None:
        self._folder = folder
        self._known: dict[str, Crawls] = {}

    def __call__(self, table: str) -> Crawls:
        if table not in self._known:
            folder = self._folder / table.replace(" ", "-")
            with (self._folder / f"{folder.name}.lock").open("w") as lock:
                fcntl.flock(lock, fcntl.LOCK_EX)
                kept = self._folder / f"{folder.name}.kept"
                if not kept.exists():
                    folder.mkdir()
                    kept.write_bytes(pickle.dumps(crawl_cases(folder, TABLES[table], site_cases.ROBOTS)))
                self._known[table] = pickle.loads(kept.read_bytes())
        return self._known[table]


@pytest.mark.parametrize(("table", "case"), EACH)
def test_the_crawldb_has_what_a_case_says(crawls_of: CrawlsOf, table: str, case: Case) -> None:
    compared = list(crawls_of(table).compared(case))
    assert [f"crawl {c.crawl}: {c.url}: {c.found}" for c in compared] == [
        f"crawl {c.crawl}: {c.url}: {c.expected}" for c in compared
    ]


@pytest.mark.parametrize("table", TABLES)
def test_the_store_is_clean_after_all_cases(crawls_of: CrawlsOf, table: str) -> None:
    crawls = crawls_of(table)
    assert crawls.is_clean, crawls.fsck
    assert [log.count("] ERROR: ") for log in crawls.logs] == ERRORS[table]


@pytest.mark.parametrize("table", TABLES)
def test_no_url_is_known_that_belongs_to_no_case(crawls_of: CrawlsOf, table: str) -> None:
    crawls, cases = crawls_of(table), TABLES[table]
    assert len({case.folder for case in cases}) == len({case.name for case in cases}) == len(cases)
    of_cases = {comparison.url for case in cases for comparison in crawls.compared(case)}
    assert {url for rows in crawls.rows for url in rows} - of_cases == set()


def test_a_case_that_does_not_come_out_is_told_with_what_was_found() -> None:
    case = site_cases.case("a name", {"/a": site_cases.page("/a")}, {"/a": site_cases.FETCHED, "/a/b": site_cases.GONE})
    rows = {"/a": Row("db_gone"), "/a/c": site_cases.FETCHED, "/b": site_cases.FETCHED}
    compared = list(Crawls([rows], [], "", True).compared(case))
    assert [(c.url, c.is_right, c.expected is None, c.found is None) for c in compared] == [
        ("/a", False, False, False),
        ("/a/b", False, False, True),
        ("/a/c", False, True, False),
    ]
    assert str(compared[0].expected) == "db_fetched, due in 30 d, items 1, signed"
    assert str(Row("db_redir_temp", to="/b", retries=1, asked=2)) == (
        "db_redir_temp, to /b, due in 30 d, retries 1, asked 2 times, items 0"
    )
