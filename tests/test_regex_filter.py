"""RegexURLFilter: rule files, where they are found, Java's expressions, and the default rules."""

from __future__ import annotations

import shutil
import subprocess
import sys
from pathlib import Path
from time import perf_counter

import pytest
from scrapy.settings import Settings
from vectors import vector_rows

import nutchlike
from nutchlike.urls.filters import RegexURLFilter
from nutchlike.urls.rule_files import read_rule_file


@pytest.fixture(scope="module")
def default_filter() -> RegexURLFilter:
    text, source = read_rule_file("regex-urlfilter.txt")
    return RegexURLFilter(text, source=source)


@pytest.mark.parametrize("strict", [False, True])
def test_results_are_those_of_nutch(strict: bool) -> None:
    rulesets = {row["rules_id"]: row for row in vector_rows("urlfilter_rulesets.jsonl") if row["filter"] == "regex"}
    different = []
    for row in vector_rows("urlfilter_regex.jsonl"):
        try:
            rules = rulesets[row["rules_id"]]["rules"]
            accepted = RegexURLFilter(rules, strict=strict).filter(row["url"]) == row["url"]
        except ValueError:
            accepted = None
        if accepted != row["expected"]:
            different.append((row["id"], row["url"], row["expected"], accepted))
    assert different == []


def test_nutchs_own_rules_drop_queries_and_at_signs_and_one_line_lifts_that() -> None:
    rows = vector_rows("urlfilter_rulesets.jsonl")
    stock = next(row["rules"] for row in rows if row["rules_id"] == "regex-default")
    urls = [f"http://a.test{path}" for path in ("/item?id=1", "/@user", "/a=b/c", "/plain")]
    assert [url for url in urls if RegexURLFilter(stock).filter(url)] == ["http://a.test/plain"]
    lifted = stock.replace("-[?*!@=]", "#-[?*!@=]")
    assert [url for url in urls if RegexURLFilter(lifted).filter(url)] == urls


@pytest.mark.parametrize(
    ("path", "is_kept"),
    [
        # Queries and odd characters stay
        ("/item?id=1", True),
        ("/@user", True),
        ("/a=b/c", True),
        ("/plain", True),
        # A suffix counts at the end of the path only, in any case
        ("/f.PDF?dl=1", False),
        ("/a.php?f=b.jpg", True),
        ("/x.tar.gz", False),
        ("/archive.zip/readme.html", True),
        ("/slides.pps", False),
        ("/photo.JPEG", False),
        ("/photo.jpg;v=2", False),
        ("/film.mp4", False),
        ("/setup.exe", False),
        ("/font.woff2", False),
        ("/style.css?v=1", False),
        ("/app.js", False),
        ("/app.jsp", True),
        ("/gif", True),
        ("/page.html", True),
        # One folder name three times is a trap
        ("/a/b/a/b/a/b/", False),
        ("/a/a/a/", False),
        ("/x/a/y/a/z/a/page?q=1", False),
        ("/a/b/a/b/", True),
        ("/user/1/post/1/comment/1", True),
        ("/a/ab/abc/abcd/", True),
        ("/page?next=/a/a/a/a/", True),
    ],
)
def test_the_default_rules_keep_pages_and_drop_files_and_traps(
    default_filter: RegexURLFilter, path: str, is_kept: bool
) -> None:
    assert (default_filter.filter(f"http://a.test{path}") is not None) is is_kept


@pytest.mark.parametrize("url", ["http://blog/blog/blog/", "https://a.zip/", "http://x.mov/?q=1", "https://a.ps/b"])
def test_the_default_rules_do_not_take_a_host_for_a_path(default_filter: RegexURLFilter, url: str) -> None:
    assert default_filter.filter(url) == url


@pytest.mark.parametrize("url", ["ftp://a.test/x", "file:///etc/passwd", "mailto:a@b.test", "javascript:void(0)", "x"])
def test_the_default_rules_let_only_the_web_pass(default_filter: RegexURLFilter, url: str) -> None:
    accepted, rule = default_filter.explain(url)
    assert not accepted
    assert rule.startswith("nutchlike/conf/regex-urlfilter.txt:")


def test_the_first_rule_that_fits_decides_and_no_rule_means_no() -> None:
    rules = RegexURLFilter("# mine\n+^http://a\\.test/keep\n-^http://a\\.test/\n\n+^http://\n", source="my.txt")
    assert rules.filter("http://a.test/keep") == "http://a.test/keep"
    assert rules.explain("http://a.test/keep") == (True, "my.txt:2")
    assert rules.explain("http://a.test/x") == (False, "my.txt:3")
    assert rules.explain("http://b.test/") == (True, "my.txt:5")
    assert rules.explain("https://a.test/keep") == (False, "no rule matched")
    assert rules.filter("https://a.test/keep") is None


def test_byte_order_mark_carriage_returns_and_trailing_blanks_do_not_count() -> None:
    text = "\ufeff-\\.pdf$\r\n+^http://a\\.test/  \r\n"
    rules = RegexURLFilter(text, source="my.txt")
    assert rules.filter("http://a.test/x") == "http://a.test/x"
    assert rules.explain("http://a.test/x.pdf") == (False, "my.txt:1")
    assert rules.filter("http://b.test/") is None


def test_a_blank_behind_a_backslash_belongs_to_the_rule() -> None:
    rules = RegexURLFilter("+a\\ \t \n+b\\\\ ")
    assert rules.filter("xa y") == "xa y"
    assert rules.filter("xa") is None
    assert rules.filter("b\\") == "b\\"


def test_strict_keeps_trailing_blanks_in_the_expression_and_refuses_a_byte_order_mark() -> None:
    assert RegexURLFilter("+^http://a\\.test/ ", strict=True).filter("http://a.test/") is None
    with pytest.raises(ValueError, match="<rules>:1: a rule starts with"):
        RegexURLFilter("\ufeff+.", strict=True)


def test_a_section_holds_for_its_host_or_registered_domain_only() -> None:
    rules = RegexURLFilter("> a.co.uk\n-private\n<\n> www.b.test\n-.\n<\n+.")
    # The registered domain and what is below it
    assert rules.filter("http://a.co.uk/private") is None
    assert rules.filter("http://www.A.co.uk:8080/private") is None
    assert rules.filter("http://b.co.uk/private") == "http://b.co.uk/private"
    # One host, and a text that is no URL
    assert rules.filter("http://www.b.test/") is None
    assert rules.filter("http://b.test/") == "http://b.test/"
    assert rules.filter("no url, not private") == "no url, not private"


@pytest.mark.parametrize(
    ("rules", "message"),
    [
        ("+.\nhttp://a.test/", "my.txt:2: a rule starts with '+' or '-', a comment with '#', got 'http://a.test/'"),
        ("\n+[unclosed", "my.txt:2: bad regular expression"),
        ("+(unclosed", "my.txt:1: bad regular expression"),
        ("-a)", "my.txt:1: bad regular expression"),
        ("-(?x)a b", "my.txt:1: bad regular expression"),
        ("-*a", "my.txt:1: bad regular expression"),
        ("-a{x}", "my.txt:1: bad regular expression"),
        ("-\\p{Klingon}", "my.txt:1: bad regular expression"),
        ("-(?<=a+)b", "my.txt:1: bad regular expression"),
        ("-[&&]", "my.txt:1: bad regular expression"),
        ("-a\\Xb", "my.txt:1: bad regular expression"),
        ("-[a-\\p{Lu}]", "my.txt:1: bad regular expression"),
        ("-\\x{110000}", "my.txt:1: bad regular expression"),
    ],
)
def test_a_bad_rule_is_refused_at_load_with_file_and_line(rules: str, message: str) -> None:
    with pytest.raises(ValueError) as raised:
        RegexURLFilter(rules, source="my.txt")
    assert str(raised.value).startswith(message)


def test_a_rule_that_could_search_for_years_answers_at_once() -> None:
    rules = RegexURLFilter("-^http://(a+)+$\n+.")
    url = "http://" + "a" * 40 + "!"
    assert rules.filter(url) == url
    assert rules.filter("http://" + "a" * 4000) is None
    assert rules.timeouts == 0


def test_a_search_that_is_given_up_rejects_the_url_and_is_logged_once(caplog: pytest.LogCaptureFixture) -> None:
    rules = RegexURLFilter("\n-(?=(a+)+$)b\n-(?=(a+)+$)\n+.", source="my.txt")
    hostile = "http://" + "a" * 4000 + "!"
    started = perf_counter()
    assert rules.filter(hostile) is None
    assert perf_counter() - started < 2
    assert rules.explain(hostile) == (False, "my.txt:3: '(?=(a+)+$)' took longer than 0.1 s")
    assert rules.timeouts == 2
    assert [record.getMessage()[:20] for record in caplog.records] == ["my.txt:3: '(?=(a+)+$"]
    # Other URLs still get through
    assert rules.filter("http://b.test/") == "http://b.test/"


def test_the_default_rules_judge_a_crafted_path_in_bounded_time(default_filter: RegexURLFilter) -> None:
    path = "/".join(f"{number:x}" for number in range(0x100, 0x100 + 990))
    started = perf_counter()
    default_filter.filter(f"http://a.test/{path}/")
    assert perf_counter() - started < 2


def test_rules_in_the_settings_beat_the_rule_file() -> None:
    rules = RegexURLFilter.from_settings(
        Settings({"NUTCH_URLFILTER_REGEX_RULES": "-x\n+.", "NUTCH_URLFILTER_REGEX_FILE": "missing.txt"})
    )
    assert rules.explain("http://a.test/x") == (False, "NUTCH_URLFILTER_REGEX_RULES:1")


def test_without_settings_the_package_brings_the_rules() -> None:
    accepted, rule = RegexURLFilter.from_settings(Settings()).explain("http://a.test/x")
    assert accepted
    assert rule.startswith("nutchlike/conf/regex-urlfilter.txt:")


def test_a_file_of_the_working_folder_comes_before_that_of_the_package(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    assert read_rule_file("regex-urlfilter.txt")[1] == "nutchlike/conf/regex-urlfilter.txt"
    assert read_rule_file("conf/regex-urlfilter.txt")[1] == "nutchlike/conf/regex-urlfilter.txt"
    (tmp_path / "regex-urlfilter.txt").write_bytes(b"\xef\xbb\xbf+mine\r\n")
    assert read_rule_file("regex-urlfilter.txt") == ("\ufeff+mine\r\n", str(tmp_path / "regex-urlfilter.txt"))
    assert RegexURLFilter.from_settings(Settings()).filter("mine") == "mine"


def test_an_absolute_path_is_that_file_and_no_other(tmp_path: Path) -> None:
    rule_file = tmp_path / "other.txt"
    rule_file.write_text("+a", "utf-8")
    assert read_rule_file(str(rule_file)) == ("+a", str(rule_file))
    rules = RegexURLFilter.from_settings(Settings({"NUTCH_URLFILTER_REGEX_FILE": str(rule_file)}))
    assert rules.explain("a") == (True, f"{rule_file}:1")


def test_a_missing_file_is_an_error_that_lists_the_places_tried(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    with pytest.raises(ValueError) as raised:
        RegexURLFilter.from_settings(Settings({"NUTCH_URLFILTER_REGEX_FILE": "other.txt"}))
    tried = f"{tmp_path / 'other.txt'}, nutchlike/conf/other.txt"
    assert str(raised.value) == f"NUTCH_URLFILTER_REGEX_FILE: no rule file 'other.txt', tried {tried}"


@pytest.mark.parametrize(("content", "problem"), [(b"", "empty"), (b"\xef\xbb\xbf \r\n", "empty"), (b"+\xe9", "UTF-8")])
def test_a_file_that_is_empty_or_not_utf8_is_an_error_that_names_it(
    tmp_path: Path, content: bytes, problem: str
) -> None:
    rule_file = tmp_path / "rules.txt"
    rule_file.write_bytes(content)
    with pytest.raises(ValueError, match=problem) as raised:
        read_rule_file(str(rule_file))
    assert str(rule_file) in str(raised.value)


def test_a_file_name_must_not_be_empty() -> None:
    with pytest.raises(ValueError, match="name of a rule file is empty"):
        read_rule_file(" ")


def test_the_default_rules_are_found_inside_a_zipped_egg(tmp_path: Path) -> None:
    package = Path(nutchlike.__file__).parent
    shutil.copytree(package, tmp_path / "tree" / "nutchlike", ignore=shutil.ignore_patterns("__pycache__"))
    egg = shutil.make_archive(str(tmp_path / "nutchlike"), "zip", tmp_path / "tree")
    program = (
        f"import sys; sys.path.insert(0, {egg!r})\n"
        "import nutchlike.urls.rule_files as r\n"
        "assert '.zip' in r.__file__, r.__file__\n"
        "sys.stdout.write(r.read_rule_file('regex-urlfilter.txt')[1])"
    )
    done = subprocess.run(
        [sys.executable, "-c", program], cwd="/", capture_output=True, text=True, timeout=60, check=False
    )
    assert (done.returncode, done.stdout, done.stderr) == (0, "nutchlike/conf/regex-urlfilter.txt", "")
