"""Which settings the properties of a conf folder become, and what they beat."""

from __future__ import annotations

from pathlib import Path

import pytest
from nutch_folders import built, write_conf
from scrapy import Spider

from nutchlike.checked_settings import check_settings
from nutchlike.plugins import check_plugins

CRAWL = "org.apache.nutch.crawl."


class OwnMind(Spider):
    """A spider with settings of its own."""

    name = "own"
    custom_settings = {"NUTCH_DB_FETCH_RETRY_MAX": 7}  # noqa: RUF012  # as Scrapy's users write it


def test_of_all_places_the_command_line_beats_the_spider_beats_nutch_site_beats_the_project_beats_nutch_default(
    tmp_path: Path,
) -> None:
    name = "NUTCH_DB_FETCH_RETRY_MAX"
    default, site = {"db.fetch.retry.max": "1"}, {"db.fetch.retry.max": "2"}
    only_default = write_conf(tmp_path / "default", default=default, site={})
    both = write_conf(tmp_path / "both", default=default, site=site)
    assert built(only_default).settings.getint(name) == 1
    assert built(only_default, NUTCH_DB_FETCH_RETRY_MAX=5).settings.getint(name) == 5
    assert built(both, NUTCH_DB_FETCH_RETRY_MAX=5).settings.getint(name) == 2
    assert built(both, spider=OwnMind).settings.getint(name) == 7
    assert built(both, spider=OwnMind, command_line={name: 9}).settings.getint(name) == 9


def test_properties_that_scrapy_has_a_setting_for_reach_it(tmp_path: Path) -> None:
    folder = write_conf(
        tmp_path,
        site={
            "fetcher.server.delay": "2.5",
            "fetcher.threads.per.queue": "3",
            "http.timeout": "1500",
            "http.content.limit": "-1",
            "db.ignore.external.links": "TRUE",
        },
    )
    settings = built(folder, DOWNLOAD_DELAY=1.0, DOWNLOAD_TIMEOUT=60, DOWNLOAD_MAXSIZE=5).settings
    check_settings(settings)
    assert settings.getfloat("DOWNLOAD_DELAY") == 2.5
    assert settings.getint("CONCURRENT_REQUESTS_PER_DOMAIN") == 3
    assert settings.getfloat("DOWNLOAD_TIMEOUT") == 1.5
    assert settings.getint("DOWNLOAD_MAXSIZE") == 0
    assert settings.getbool("NUTCH_DB_IGNORE_EXTERNAL_LINKS")
    beaten = built(folder, command_line={"DOWNLOAD_TIMEOUT": 9, "NUTCH_FETCHER_SERVER_DELAY": 0.5}).settings
    assert (beaten.getint("DOWNLOAD_TIMEOUT"), beaten.getfloat("DOWNLOAD_DELAY")) == (9, 0.5)


AGENTS = [
    ({"name": "Bot"}, "Bot"),
    ({"name": "Bot", "version": "2"}, "Bot/2"),
    ({"name": "Bot", "version": "2", "description": "d", "url": "u", "email": "e"}, "Bot/2 (d; u; e)"),
    ({"name": "Bot", "version": "", "description": "", "url": "u", "email": ""}, "Bot (u)"),
    # Without a name, which Nutch does not start with, ours stays
    ({"version": "2", "url": "u"}, "mine"),
    ({"name": " ", "url": "u"}, "mine"),
]


@pytest.mark.parametrize(("parts", "agent"), AGENTS)
def test_the_user_agent_is_put_together_from_the_properties(tmp_path: Path, parts: dict[str, str], agent: str) -> None:
    folder = write_conf(tmp_path, site={f"http.agent.{part}": value for part, value in parts.items()})
    assert built(folder, USER_AGENT="mine").settings["USER_AGENT"] == agent


def test_classes_of_nutch_become_classes_of_ours(tmp_path: Path) -> None:
    for name, path in {
        "MD5Signature": "nutchlike.signatures.md5.MD5Signature",
        "TextMD5Signature": "nutchlike.signatures.text_md5.TextMD5Signature",
        "TextProfileSignature": "nutchlike.signatures.text_profile.TextProfileSignature",
    }.items():
        folder = write_conf(
            tmp_path,
            site={"db.signature.class": CRAWL + name, "db.fetch.schedule.class": f"{CRAWL}DefaultFetchSchedule"},
        )
        settings = built(folder).settings
        check_plugins(settings)
        assert settings["NUTCH_SIGNATURE_CLASS"] == path
        assert settings["NUTCH_FETCH_SCHEDULE_CLASS"] == "nutchlike.fetch_schedules.DefaultFetchSchedule"


@pytest.mark.parametrize("name", ["DefaultFetchSchedule", "AdaptiveFetchSchedule", "MimeAdaptiveFetchSchedule"])
def test_nutchs_fetch_schedules_are_ours_of_the_same_names(tmp_path: Path, name: str) -> None:
    settings = built(write_conf(tmp_path, site={"db.fetch.schedule.class": CRAWL + name})).settings
    check_plugins(settings)
    assert settings["NUTCH_FETCH_SCHEDULE_CLASS"] == f"nutchlike.fetch_schedules.{name}"


BAD = [
    ("db.signature.class", "com.example.Mine", f"db.signature.class must be one of {CRAWL}MD5Signature"),
    (
        "db.fetch.schedule.class",
        f"{CRAWL}NoSuchSchedule",
        f"class must be one of {CRAWL}DefaultFetchSchedule",
    ),
    ("http.timeout", "10s", "http.timeout must be a whole number, got '10s'"),
    ("http.timeout", "0", "http.timeout must be more than 0 milliseconds, got '0'"),
    ("http.content.limit", "", "http.content.limit must be a whole number, got ''"),
    ("plugin.includes", "urlfilter-(", "plugin.includes: "),
    ("urlfilter.order", "com.example.Mine", "urlfilter.order has 'com.example.Mine', known are"),
]


@pytest.mark.parametrize(("name", "value", "message"), BAD)
def test_a_value_that_cannot_be_used_is_refused_with_file_and_line(
    tmp_path: Path, name: str, value: str, message: str
) -> None:
    with pytest.raises(ValueError) as refused:
        built(write_conf(tmp_path, site={name: value}))
    assert str(refused.value).startswith(f"NUTCH_CONF_DIR: {tmp_path}/nutch-site.xml:3: ")
    assert message in str(refused.value)


def test_what_nothing_reads_is_listed_once_and_only_from_nutch_site(
    tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    folder = write_conf(
        tmp_path,
        default={"parser.timeout": "30", "generate.min.score": "-1", "db.fetch.retry.max": "3"},
        site={"indexer.max.tokens": "5", "db.fetch.retry.max": "2", "generate.min.score": "7", "http.agent.url": "u"},
    )
    settings = built(folder).settings
    check_settings(settings)
    warnings = [record.getMessage() for record in caplog.records if record.levelname == "WARNING"]
    assert warnings == [
        "Properties of nutch-site.xml, which nothing here reads: generate.min.score, indexer.max.tokens, http.agent.url"
    ]


def test_a_conf_folder_is_no_setting_that_a_conf_folder_has(tmp_path: Path) -> None:
    folder = write_conf(tmp_path, site={"conf.dir": "/elsewhere"})
    assert built(folder).settings["NUTCH_CONF_DIR"] == str(folder)


def test_numbers_and_booleans_may_be_written_as_hadoop_reads_them(tmp_path: Path) -> None:
    folder = write_conf(
        tmp_path,
        site={
            "db.fetch.interval.default": "0x10",
            "db.score.injected": "1.5f",
            "db.signature.text_profile.quant_rate": "0.05F",
            "db.ignore.external.links": "TRUE",
        },
    )
    settings = built(folder).settings
    check_settings(settings)
    assert settings.getint("NUTCH_DB_FETCH_INTERVAL_DEFAULT") == 16
    assert settings.getfloat("NUTCH_DB_SCORE_INJECTED") == 1.5
    assert settings.getfloat("NUTCH_DB_SIGNATURE_TEXT_PROFILE_QUANT_RATE") == 0.05
    assert settings.getbool("NUTCH_DB_IGNORE_EXTERNAL_LINKS")
