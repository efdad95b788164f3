"""Which URL plug-ins a conf folder switches on, and where their rule files are looked up."""

from __future__ import annotations

from pathlib import Path

import pytest
from nutch_folders import built, write_conf
from rule_vectors import rules_of

from nutchlike.plugins import build_url_chain

FILTER = "org.apache.nutch.urlfilter."
NORMALIZER = "org.apache.nutch.net.urlnormalizer."


def plugins_of(folder: Path) -> tuple[list[str], list[str]]:
    """Return the names of the normalizers and the filters that are on, in their order."""
    settings = built(folder).settings
    build_url_chain(settings)
    return tuple(  # type: ignore[return-value]  # two lists, of two names
        [path.rpartition(".")[2] for path in settings.getlist(name)]
        for name in ("NUTCH_URL_NORMALIZERS", "NUTCH_URL_FILTERS")
    )


BASIC, REGEX, PASS = "BasicURLNormalizer", "RegexURLNormalizer", "PassURLNormalizer"
NAMED = ["regex.RegexURLFilter", "validator.UrlValidator", "suffix.SuffixURLFilter"]
PLUGINS: list[tuple[dict[str, str], list[str], list[str]]] = [
    # Nothing said: ours, whatever nutch-default.xml has
    ({}, [BASIC, REGEX], ["RegexURLFilter"]),
    # The whole id counts; what is no URL plug-in does not
    (
        {"plugin.includes": "protocol-http|urlfilter-(prefix|validator)|parse-html|urlnormalizer-(pass|basic)|host"},
        [BASIC, PASS],
        ["ValidatorURLFilter", "PrefixURLFilter"],
    ),
    ({"plugin.includes": "urlfilter-.*", "plugin.excludes": "urlfilter-(?!regex).*"}, [], ["RegexURLFilter"]),
    ({"plugin.includes": "parse-html"}, [], []),
    # Filters: those that are named, in that order. Normalizers: the others behind. Not on: left out
    (
        {"urlfilter.order": " ".join(f"{FILTER}{name}" for name in NAMED)},
        [BASIC, REGEX, PASS],
        ["RegexURLFilter", "ValidatorURLFilter"],
    ),
    ({"urlfilter.order": f"{FILTER}regex.RegexURLFilter"}, [BASIC, REGEX, PASS], ["RegexURLFilter"]),
    (
        {"urlnormalizer.order": f"{NORMALIZER}regex.RegexURLNormalizer"},
        [REGEX, BASIC, PASS],
        ["ValidatorURLFilter", "RegexURLFilter"],
    ),
]


@pytest.mark.parametrize(("site", "normalizers", "filters"), PLUGINS)
def test_nutch_site_decides_which_url_plugins_run_and_in_which_order(
    tmp_path: Path, site: dict[str, str], normalizers: list[str], filters: list[str]
) -> None:
    default = {
        "plugin.includes": "protocol-http|urlfilter-(regex|validator)|urlnormalizer-(pass|regex|basic)",
        "urlnormalizer.order": f"{NORMALIZER}basic.BasicURLNormalizer {NORMALIZER}regex.RegexURLNormalizer",
        "urlfilter.order": "",
    }
    assert plugins_of(write_conf(tmp_path / "with", default=default, site=site)) == (normalizers, filters)
    assert plugins_of(write_conf(tmp_path / "without", site=site)) == (normalizers, filters)


ALL_FILTERS = {"regex", "automaton", "prefix", "suffix", "domain", "domaindenylist", "fast", "validator"}


def test_every_url_plugin_of_nutch_can_be_switched_on_alone(tmp_path: Path) -> None:
    classes = {
        plugins_of(write_conf(tmp_path, site={"plugin.includes": f"urlfilter-{name}"}))[1][0] for name in ALL_FILTERS
    }
    assert len(classes) == len(ALL_FILTERS)
    normalizers = ("basic", "regex", "pass", "ajax", "host", "protocol", "querystring", "slash")
    for name in normalizers:
        (only,), _ = plugins_of(write_conf(tmp_path, site={"plugin.includes": f"urlnormalizer-{name}"}))
        assert only.lower() == f"{name}urlnormalizer"


def test_a_rule_file_is_looked_up_in_the_conf_folder_before_the_working_folder(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "here").mkdir()
    monkeypatch.chdir(tmp_path / "here")
    folder = write_conf(tmp_path / "conf", site={"plugin.includes": "urlfilter-(regex|prefix|suffix)"})
    (folder / "regex-urlfilter.txt").write_text("-/private\n+.\n", encoding="utf-8")
    (folder / "prefix-urlfilter.txt").write_text("http://a.test/\n", encoding="utf-8")
    (tmp_path / "here" / "regex-urlfilter.txt").write_text("-.\n", encoding="utf-8")
    (tmp_path / "here" / "suffix-urlfilter.txt").write_text("+\n.zip\n", encoding="utf-8")
    chain = build_url_chain(built(folder).settings)
    assert chain.judge("http://a.test/x").url == "http://a.test/x"
    assert chain.judge("http://a.test/private").reason == f"RegexURLFilter: {folder}/regex-urlfilter.txt:1"
    assert chain.judge("http://b.test/x").url is None
    assert chain.judge("http://a.test/x.zip").reason.startswith(
        f"SuffixURLFilter: {tmp_path}/here/suffix-urlfilter.txt"
    )
    relative = build_url_chain(built(Path("../conf")).settings)
    assert relative.judge("http://a.test/private").url is None


def test_a_rule_file_that_is_nowhere_is_refused_with_all_places_tried(tmp_path: Path) -> None:
    folder = write_conf(tmp_path, site={"urlfilter.regex.file": "none.txt"})
    with pytest.raises(ValueError) as refused:
        build_url_chain(built(folder).settings)
    tried = f"{folder}/none.txt, {Path.cwd()}/none.txt, nutchlike/conf/none.txt"
    assert f"NUTCH_URLFILTER_REGEX_FILE: no rule file 'none.txt', tried {tried}" in str(refused.value)


def test_the_rule_files_that_nutch_ships_are_used_as_they_are(tmp_path: Path) -> None:
    filters, normalizers = rules_of("filter"), rules_of("normalizer")
    folder = write_conf(tmp_path, site={"plugin.includes": "urlfilter-(regex|suffix)|urlnormalizer-(regex|basic)"})
    for name, row in {
        "regex-urlfilter.txt": filters["regex-default"],
        "suffix-urlfilter.txt": filters["suffix-conf"],
        "regex-normalize.xml": normalizers["regex-default"],
    }.items():
        (folder / name).write_text(row["rules"], encoding="utf-8")
    chain = build_url_chain(built(folder).settings)
    assert chain.judge("HTTP://A.test:80/a;jsessionid=1#x").url == "http://a.test/a"
    assert "regex-urlfilter.txt" in chain.judge("http://a.test/?a=b").reason
    assert "suffix-urlfilter.txt" in chain.judge("http://a.test/x.gif").reason
