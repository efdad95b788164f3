"""What is read of Nutch's own conf folder, and a crawl that obeys it."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from nutch_folders import values_of, write_conf, xml_of
from web import Answer, Project, html, serve

from nutchlike.nutch_conf import read_nutch_conf, setting_name
from nutchlike.store.embedded import EmbeddedServer


def test_a_property_of_nutch_site_replaces_that_of_nutch_default(tmp_path: Path) -> None:
    folder = write_conf(tmp_path, default={"a": "1", "b": "2"}, site={"b": "3"})
    assert values_of(folder) == {"a": "1", "b": "3"}
    read = read_nutch_conf(folder, environ={})
    assert (read["a"].is_site, read["b"].is_site) == (False, True)
    assert read["b"].source == f"{folder}/nutch-site.xml:3"


FORMS = [
    # Blanks around name and value do not count; inside they do
    ("<property><name> a </name><value>\n x y\n</value></property>", {"a": "x y"}),
    ("<property><name>a</name><value></value></property>", {"a": ""}),
    # Comments, CDATA, character references
    ("<property><name>a</name><value>x<!-- no -->y<![CDATA[<&]]>&amp;&#65;</value></property>", {"a": "xy<&&A"}),
    # The last of one name counts; final does not
    (
        "<property><name>a</name><value>1</value><final>true</final></property>"
        "<property><name>a</name><value>2</value></property>",
        {"a": "2"},
    ),
    # The short form
    ('<property name="a" value="1"/>', {"a": "1"}),
    # No name, no value, elements that are no properties
    ("<property><value>1</value></property><property><name>a</name></property>", {}),
    ("<include href='other.xml'/><other><name>a</name><value>1</value></other>", {}),
    (
        '<xi:include xmlns:xi="http://www.w3.org/2001/XInclude" href="file:///etc/passwd"><xi:fallback>'
        "<property><name>a</name><value>1</value></property></xi:fallback></xi:include>",
        {},
    ),
    ("<property><name>a</name><value>1</value><description><name>b</name></description></property>", {"a": "1"}),
]


@pytest.mark.parametrize(("rows", "expected"), FORMS)
def test_properties_are_read_as_hadoop_writes_them(tmp_path: Path, rows: str, expected: dict[str, str]) -> None:
    assert values_of(write_conf(tmp_path, site=f"<configuration>{rows}</configuration>")) == expected


REFERENCES = [
    # Of other properties, in the middle, nested, and two times the same one
    ("x${b}y", "xBy"),
    ("${c}", "B!"),
    ("${${d}}", "B"),
    ("${b}${b}", "BB"),
    # Of nothing: what follows stays as it is, too
    ("${none}-${b}", "${none}-${b}"),
    ("${b}-${none}", "B-${none}"),
    ("${ b }", "${ b }"),
    ("$b {b} ${", "$b {b} ${"),
    # Of the environment
    ("${env.HERE}", "there"),
    ("${env.HERE-x}", "there"),
    ("${env.GONE-x-y}", "x-y"),
    ("${env.GONE:-x}", "x"),
    ("${env.EMPTY-x}", ""),
    ("${env.EMPTY:-x}", "x"),
    ("${env.GONE}", "${env.GONE}"),
    # In a circle
    ("${a}", "${a}"),
    ("${e}", "${e}"),
]


@pytest.mark.parametrize(("value", "expected"), REFERENCES)
def test_references_are_expanded_as_hadoop_does(tmp_path: Path, value: str, expected: str) -> None:
    folder = write_conf(tmp_path, site={"a": value, "b": "B", "c": "${b}!", "d": "b", "e": "${f}", "f": "${e}"})
    assert values_of(folder, HERE="there", EMPTY="")["a"] == expected


def test_a_value_of_nutch_default_may_refer_to_one_of_nutch_site(tmp_path: Path) -> None:
    assert values_of(write_conf(tmp_path, default={"a": "${b}"}, site={"b": "1"}))["a"] == "1"


def test_values_that_double_again_and_again_stay_small(tmp_path: Path) -> None:
    doubling = {f"p{number}": f"${{p{number + 1}}}${{p{number + 1}}}" for number in range(60)}
    assert max(map(len, values_of(write_conf(tmp_path, site=doubling | {"p60": "lol"})).values())) < 1000


HOSTILE = [
    # XML that is none, of another kind, or dangerous
    ("<configuration>\n<property>\n", "nutch-site.xml:3: not Nutch's XML: no element found"),
    ("<html></html>", "nutch-site.xml:1: not Nutch's XML: the outermost element is <html>, right is <configuration>"),
    ("", "nutch-site.xml:1: not Nutch's XML: no element found"),
    (
        '<!DOCTYPE c [\n<!ENTITY a "b">\n]><configuration/>',
        "nutch-site.xml:2: not Nutch's XML: it declares the entity 'a'",
    ),
    (
        '<!DOCTYPE c [<!ENTITY x SYSTEM "file:///etc/passwd">]><configuration/>',
        "nutch-site.xml:1: not Nutch's XML: it declares the entity 'x'",
    ),
    ('<?xml version="1.0" encoding="no-such"?><configuration/>', "nutch-site.xml:1: not Nutch's XML: unknown encoding"),
]


@pytest.mark.parametrize(("text", "message"), HOSTILE)
def test_xml_that_cannot_be_used_is_refused_with_file_and_line(tmp_path: Path, text: str, message: str) -> None:
    with pytest.raises(ValueError) as refused:
        read_nutch_conf(write_conf(tmp_path, site=text), environ={})
    assert str(refused.value).startswith(f"{tmp_path}/{message}")


def test_a_file_that_cannot_be_read_is_refused(tmp_path: Path) -> None:
    (tmp_path / "nutch-site.xml").mkdir()
    with pytest.raises(ValueError, match=r"cannot read .*nutch-site\.xml: Is a directory"):
        read_nutch_conf(tmp_path, environ={})


def test_a_missing_folder_is_refused(tmp_path: Path) -> None:
    with pytest.raises(ValueError, match=r"no folder '.*/nowhere', right is Nutch's conf"):
        read_nutch_conf(tmp_path / "nowhere", environ={})


@given(st.text())
def test_no_text_in_the_file_raises_anything_but_value_error(
    tmp_path_factory: pytest.TempPathFactory, text: str
) -> None:
    folder = tmp_path_factory.getbasetemp() / "any"
    folder.mkdir(exist_ok=True)
    for content in (text, f"<configuration><property><name>a</name><value>{text}</value></property></configuration>"):
        (folder / "nutch-site.xml").write_bytes(content.encode("utf-8", "surrogatepass"))
        try:
            read = read_nutch_conf(folder, environ={})
        except ValueError:
            continue
        assert set(read) <= {"a"}


def test_names_are_mapped_mechanically() -> None:
    assert (
        setting_name("urlnormalizer.basic.host.trim-trailing-dot") == "NUTCH_URLNORMALIZER_BASIC_HOST_TRIM_TRAILING_DOT"
    )
    assert setting_name("db.signature.text_profile.min_token_len") == "NUTCH_DB_SIGNATURE_TEXT_PROFILE_MIN_TOKEN_LEN"


@pytest.fixture
def project(tmp_path: Path) -> Iterator[Project]:
    yield Project(tmp_path)
    EmbeddedServer.attach(tmp_path / "store").detach()


def test_a_crawl_obeys_a_conf_folder_as_a_nutch_user_has_it(project: Project) -> None:
    agents: set[str | None] = set()

    def home(request: Any) -> Answer:
        agents.add(request.headers["User-Agent"])
        return Answer(html("home", ["/a", "/private/x", "/b.gif?size=1", "/c"]))

    pages = {path: Answer(html(path, [])) for path in ("/a", "/private/x", "/b.gif?size=1", "/c", "/outside")}
    with serve({"/": home, **pages}) as web, serve({"/": Answer(html("other", []))}) as other:
        folder = write_conf(
            project.folder / "conf",
            default={"http.agent.name": "", "http.agent.version": "Nutch-1.22", "db.ignore.external.links": "false"},
            site={
                "http.agent.name": "TestBot",
                "plugin.includes": "protocol-http|urlfilter-(regex|prefix)|parse-html|urlnormalizer-(pass|regex|basic)",
                "hadoop.tmp.dir": "/tmp/${user.name}",
            },
        )
        (folder / "regex-urlfilter.txt").write_text("-(?i)\\.gif\n-/private/\n+.\n", encoding="utf-8")
        (folder / "prefix-urlfilter.txt").write_text(f"# ours\n{web.url}/\n", encoding="utf-8")
        web.pages["/c"] = Answer(html("/c", [f"{other.url}/"]))
        crawl = project.crawl(f"url={web.url}/", NUTCH_CONF_DIR=folder)
        assert crawl.code == 0, crawl.log
        assert sorted(web.count()) == ["/", "/a", "/c"]
        assert other.requests == []
    assert agents == {"TestBot/Nutch-1.22"}
    assert crawl.log.count("Properties of nutch-site.xml, which nothing here reads: hadoop.tmp.dir") == 1
    assert "Unknown settings" not in crawl.log


@pytest.mark.parametrize(
    ("site", "message"),
    [
        (None, "NUTCH_CONF_DIR: no folder"),
        ("<configuration>", "nutch-site.xml:1: not Nutch's XML"),
        (xml_of({"http.timeout": "x"}), "nutch-site.xml:3: http.timeout must be a whole number, got 'x'"),
    ],
)
def test_a_bad_conf_folder_ends_the_crawl_at_its_start_with_one_line(
    project: Project, site: str | None, message: str
) -> None:
    folder = project.folder / "conf"
    if site is not None:
        write_conf(folder, site=site)
    code, _, err = project.command("crawl", "site", "-s", f"NUTCH_CONF_DIR={folder}")
    assert code == 2
    assert message in err.splitlines()[-1]
    assert "Traceback" not in err


COMMANDS = [
    ("crawl", "site"),
    ("readdb", "--stats"),
    ("fetch", "http://127.0.0.1:1/"),
    ("inject", "seeds/urls.txt"),
    ("urlcheck", "http://a.test/"),
]


@pytest.mark.parametrize("command", COMMANDS)
def test_every_command_names_a_folder_that_is_not_there_in_one_line(tmp_path: Path, command: tuple[str, ...]) -> None:
    project = Project(tmp_path, {"NUTCH_CONF_DIR": tmp_path / "nowhere"})
    code, _, err = project.command(*command)
    assert code == 2
    assert str(tmp_path / "nowhere") in err
    assert "Traceback" not in err
