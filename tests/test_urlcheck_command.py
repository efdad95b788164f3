"""``scrapy urlcheck``: what the rules make of a URL, and which one decides."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest
from web import PROJECT, Project


@pytest.fixture
def project(tmp_path: Path) -> Project:
    rules = tmp_path / "rules.txt"
    rules.write_text("# pictures\n-\\.gif$\n+^http://a\\.test/\n", encoding="utf-8")
    return Project(tmp_path, {"NUTCH_URLFILTER_REGEX_FILE": rules})


def test_an_accepted_url_is_shown_normalized_with_the_rule_that_accepts_it(project: Project) -> None:
    code, out, _ = project.command("urlcheck", "http://A.test:80/x/../y#z")
    rules = project.settings["NUTCH_URLFILTER_REGEX_FILE"]
    assert out == f"accepted\thttp://A.test:80/x/../y#z\thttp://a.test/y\tRegexURLFilter: {rules}:3\n"
    assert code == 0


def test_a_rejected_url_is_shown_with_plug_in_file_and_line_and_the_code_is_1(project: Project) -> None:
    code, out, _ = project.command("urlcheck", "http://a.test/", "http://a.test/b.gif", "http://b.test", "mailto:x")
    rules = project.settings["NUTCH_URLFILTER_REGEX_FILE"]
    verdicts = [line.split("\t") for line in out.splitlines()]
    assert [verdict[0] for verdict in verdicts] == ["accepted", "rejected", "rejected", "rejected"]
    assert verdicts[1][2:] == ["http://a.test/b.gif", f"RegexURLFilter: {rules}:2"]
    assert verdicts[2][2:] == ["http://b.test/", "RegexURLFilter: no rule matched"]
    assert code == 1


def test_a_url_that_is_none_has_no_normalized_form(project: Project) -> None:
    code, out, _ = project.command("urlcheck", "http://a.test:99999999/")
    assert out.startswith("rejected\thttp://a.test:99999999/\t-\tBasicURLNormalizer: ")
    assert code == 1


@pytest.mark.parametrize("arguments", [[], ["-"]])
def test_urls_come_from_standard_input_when_none_is_given(project: Project, arguments: list[str]) -> None:
    rules = project.settings["NUTCH_URLFILTER_REGEX_FILE"]
    command = [sys.executable, "-m", "scrapy", "urlcheck", *arguments, "-s", f"NUTCH_URLFILTER_REGEX_FILE={rules}"]
    text = "http://a.test/1\tnutch.score=5\n\n http://a.test/2\n"
    done = subprocess.run(command, cwd=PROJECT, input=text, capture_output=True, text=True, check=False, timeout=60)
    assert [line.split("\t")[1] for line in done.stdout.splitlines()] == ["http://a.test/1", "http://a.test/2"]
    assert done.returncode == 0


def test_seeds_may_have_normalizer_rules_that_links_have_not(project: Project) -> None:
    rules = "<regex-normalize><regex><pattern>/www</pattern><substitution>/</substitution></regex></regex-normalize>"
    (project.folder / "seeds.xml").write_text(rules, encoding="utf-8")
    project.settings["NUTCH_URLNORMALIZER_REGEX_FILE_INJECT"] = project.folder / "seeds.xml"
    assert project.command("urlcheck", "http://a.test/www")[1].split("\t")[2] == "http://a.test/www"
    assert project.command("urlcheck", "--scope", "inject", "http://a.test/www")[1].split("\t")[2] == "http://a.test/"
    (project.folder / "a.txt").write_text("http://a.test/www\n", encoding="utf-8")
    _, out, _ = project.command("inject", "--dry-run", str(project.folder / "a.txt"))
    assert out.startswith("http://a.test/\t")


def test_no_store_is_opened(project: Project) -> None:
    assert project.command("urlcheck", "http://a.test/", "-s", "REDIS_URL=redis://127.0.0.1:1")[0] == 0
    assert not (project.folder / "store").exists()


def test_bad_rules_are_bad_usage_and_named(project: Project) -> None:
    project.settings["NUTCH_URLFILTER_REGEX_FILE"].write_text("+(\n", encoding="utf-8")
    code, out, err = project.command("urlcheck", "http://a.test/")
    assert (code, out) == (2, "")
    assert "rules.txt:1" in err


def test_a_reader_that_stops_reading_is_no_error(tmp_path: Path) -> None:
    urls = tmp_path / "urls"
    urls.write_text("http://a.test/\n" * 20_000, encoding="utf-8")
    line = f"{sys.executable} -m scrapy urlcheck < {urls} | head -1"
    done = subprocess.run(line, shell=True, cwd=PROJECT, capture_output=True, text=True, timeout=60, check=False)
    assert done.stdout.startswith("accepted\thttp://a.test/")
    assert "Traceback" not in done.stderr
