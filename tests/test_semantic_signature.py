"""The semantic fingerprint: one for the same story in other words, another for another story."""

from __future__ import annotations

import doctest
import os
import random
import re
import subprocess
import sys
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from scrapy.settings import Settings
from web import Answer, Project, html, serve

from nutchlike.signatures.idf import DocumentCounts, IdfTable
from nutchlike.signatures.semantic import SemanticFingerprint
from nutchlike.signatures.synonyms import SynonymDictionary
from nutchlike.signatures.words import WordKind
from nutchlike.store.embedded import EmbeddedServer

ROOT = Path(__file__).resolve().parents[1]
SYLLABLES = ("mar", "lan", "tor", "tel", "dig", "pon", "sur", "vey", "bro", "kas")
WORDS = [first + second for first in SYLLABLES for second in SYLLABLES]
SYNONYMS = "car\tautomobile\tmotor car\nbuy\tpurchase\n汽车\t轿车\t小汽车"
FINGERPRINT = SemanticFingerprint.from_settings(Settings())


def signature_of(text: str, content: bytes = b"", url: str = "http://a.test/") -> bytes:
    return FINGERPRINT.calculate(text=text, content=content, url=url)


def article(seed: int, words: int = 500) -> list[str]:
    """Return words in the uneven frequencies of natural language."""
    return random.Random(seed).choices(WORDS, [1 / rank for rank in range(1, len(WORDS) + 1)], k=words)


def test_the_examples_of_the_readme_do_what_it_says(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    done = doctest.testfile(str(ROOT / "README.md"), module_relative=False, encoding="utf-8")
    assert done.failed == 0
    assert done.attempted > 10


@given(st.lists(st.sampled_from(["car", "buy", "汽车", "cheap", "red", "价格"]), min_size=1), st.randoms())
def test_swapping_synonyms_never_changes_the_fingerprint(row: list[str], rng: random.Random) -> None:
    variants = {
        "car": ["car", "automobile", "Motor Car"],
        "buy": ["buy", "purchase"],
        "汽车": ["汽车", "轿车", "小汽车"],
    }
    swapped = [rng.choice(variants.get(word, [word])) for word in row]
    fingerprint = SemanticFingerprint(SynonymDictionary(SYNONYMS), best=3)
    signatures = {fingerprint.calculate(text=" ".join(text), content=b"", url="") for text in (row, swapped)}
    assert len(signatures) == 1


def test_the_words_that_weigh_most_are_taken_and_put_in_the_order_of_their_characters() -> None:
    fingerprint = SemanticFingerprint(
        idf=IdfTable({"zebra": 3.0, "the": 0.0, "apple": 1.0, "rare": 5.0}, default=0.5), best=3
    )
    assert fingerprint.best_words("the the the apple apple apple apple zebra rare unheard") == [
        "apple",
        "rare",
        "zebra",
    ]


def test_of_words_of_one_weight_the_first_by_code_point_are_taken() -> None:
    words = ["Ünï", "zebra", "alpha", "delta", "車"]
    assert {
        tuple(SemanticFingerprint(best=2).best_words(" ".join(random.Random(seed).sample(words, 5))) or ())
        for seed in range(50)
    } == {("alpha", "delta")}


def test_names_and_nouns_of_chinese_weigh_more() -> None:
    text = "李明在上海购买便宜房子"
    assert SemanticFingerprint(best=2).best_words(text) == ["上海", "李明"]
    assert SemanticFingerprint(best=3).best_words(text) == ["上海", "房子", "李明"]
    flat = SemanticFingerprint(best=2, name_weight=1.0, noun_weight=1.0)
    assert flat.best_words(text) == ["上海", "便宜"]


def capitals_are_names(words: Sequence[str]) -> list[WordKind]:
    """A tagger such as a user might write."""
    return [WordKind.NAME if word[0].isupper() else WordKind.OTHER for word in words]


def test_a_tagger_says_for_other_languages_what_is_a_name() -> None:
    text = "a zoo in Zagreb, a zoo in Zurich, a new zoo"
    assert SemanticFingerprint(best=2).best_words(text) == ["a", "zoo"]
    settings = {
        "NUTCH_SIGNATURE_SEMANTIC_TAGGER": f"{__name__}.capitals_are_names",
        "NUTCH_SIGNATURE_SEMANTIC_WORDS": 3,
        "NUTCH_SIGNATURE_SEMANTIC_NAME_WEIGHT": 5,
    }
    assert SemanticFingerprint.from_settings(Settings(settings)).best_words(text) == ["zagreb", "zoo", "zurich"]


def test_a_tagger_that_does_not_answer_for_each_word_is_an_error() -> None:
    with pytest.raises(ValueError, match="the tagger must answer for each of 2 words, got 0 answers"):
        SemanticFingerprint(tagger=lambda words: []).calculate(text="two words", content=b"", url="")


@pytest.mark.parametrize(("name", "size"), [("md5", 16), ("murmur", 8), ("lookup3", 8)])
def test_the_hash_is_the_one_that_is_asked_for(name: str, size: int) -> None:
    fingerprint = SemanticFingerprint.from_settings(Settings({"NUTCH_SIGNATURE_SEMANTIC_HASH": name}))
    values = {
        fingerprint.calculate(text=text, content=b"", url="") for text in ("one", "two", "!", " ".join(WORDS * 4))
    }
    assert [len(value) for value in values] == [size] * 4


# SIG 103: a menu that repeats; where it is long, counts of the site's pages tell what is menu.
def test_short_pages_with_one_menu_have_different_fingerprints() -> None:
    menu = "Home Shop Cart Help Home Shop Cart Help "
    kettle = menu + "Red enamel kettle, 1.7 litre, stove-top whistle."
    chess = menu + "Walnut chess board with drawers and felt base."
    assert signature_of(kettle) != signature_of(chess)


def test_with_counts_of_its_site_a_long_menu_weighs_nothing() -> None:
    menu = " ".join(WORDS)
    goods = ["red enamel kettle", "walnut chess board", "blue linen shirt", "oak writing desk", "brass table lamp"]
    pages = [f"{menu} {what} {menu}" for what in goods]
    assert len({signature_of(page) for page in pages}) == 1
    counts = DocumentCounts()
    for page in pages:
        counts.add(FINGERPRINT.words(page))
    learned = SemanticFingerprint(idf=IdfTable.parse(counts.table(), source="counted"), best=2)
    assert len({learned.calculate(text=page, content=b"", url="") for page in pages}) == len(pages)
    assert learned.best_words(pages[0]) == ["enamel", "kettle"]


# SIG 104: too little text to say anything; exact text, body or URL decide.
def test_texts_of_hardly_a_word_have_different_fingerprints() -> None:
    pages = [("ok go", "1"), ("it is 42", "2"), ("--- !!! ---", "3"), ("", "4"), ("", "5"), (" ", "6"), ("!", "7")]
    assert len({signature_of(text, url=f"http://a.test/{path}") for text, path in pages}) == len(pages)
    assert signature_of("", b"%PDF-1", "http://a.test/1") == signature_of(" ", b"%PDF-1", "http://a.test/2")
    assert signature_of("", b"%PDF-1") != signature_of("", b"%PDF-2")
    assert len({signature_of("same"), signature_of("", b"same"), signature_of("", url="same")}) == 3


# SIG 106
@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("हिन्दी हिन्दी भाषा भाषा", "भारत भारत देश देश"),
        ("มนุษย์ทั้งหลายเกิดมามีอิสระ " * 100, "น้ำขึ้นให้รีบตักอย่าปล่อยทิ้ง " * 100),
        ("الْعَرَبِيَّةُ لُغَةٌ " * 100, "الْقَلَمُ كِتَابٌ " * 100),
        ("我买了一辆汽车", "我卖了一套房子"),
        ("カタカナとひらがな", "ひらがなとカタカナ"),
    ],
    ids=["Hindi", "Thai", "vocalised Arabic", "Chinese", "Japanese"],
)
def test_different_texts_of_any_script_have_different_fingerprints(one: str, other: str) -> None:
    assert signature_of(one) != signature_of(other)


# SIG 107
def test_the_fingerprint_is_the_same_in_each_process() -> None:
    script = (
        "from nutchlike.signatures.semantic import SemanticFingerprint as S\n"
        f"text = {' '.join(WORDS)!r} + ' 李明在上海购买便宜房子'\n"
        "for text in (text, 'delta alpha charlie bravo', '--'):\n"
        "    print(S().calculate(text=text, content=b'', url='').hex())"
    )
    outputs = {
        subprocess.run(
            [sys.executable, "-c", script],
            env={**os.environ, "PYTHONHASHSEED": seed},
            cwd=ROOT,
            capture_output=True,
            text=True,
            check=True,
        ).stdout
        for seed in ("0", "1", "2")
    }
    assert len(outputs) == 1
    assert len(set(outputs.pop().split())) == 3


# SIG 109
def test_an_article_keeps_its_fingerprint_when_its_clock_its_order_and_its_case_change() -> None:
    words = article(109)
    paragraphs = [" ".join(words[start : start + 100]) for start in range(0, 500, 100)]
    first = "\n".join([*paragraphs, "Generated in 0.0123 s, 2026-01-02 10:11"])
    second = "\n".join([*reversed(paragraphs), "Generated in 0.4567 s, 2027-12-31 23:59"])
    assert FINGERPRINT.best_words(first) is not None
    assert signature_of(first) == signature_of(second) == signature_of(second.upper())


# SIG 110: numbers are the only difference.
@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("Ticket ticket number number 1001 open", "Ticket ticket number number 1002 open"),
        (
            " ".join(f"{word} {price}.50" for price, word in enumerate(WORDS, 100)),
            " ".join(f"{word} {price}.50" for price, word in enumerate(WORDS, 101)),
        ),
        (
            " ".join(f"{word} {price}" for price, word in enumerate(WORDS * 4, 1000)),
            " ".join(f"{word} {price}" for price, word in enumerate(WORDS * 4, 1001)),
        ),
    ],
    ids=["ticket", "price list", "long price list"],
)
def test_pages_that_differ_in_their_numbers_have_different_fingerprints(one: str, other: str) -> None:
    assert signature_of(one) != signature_of(other)


# SIG 113
def test_white_space_case_and_the_punctuation_of_sentences_do_not_matter() -> None:
    assert signature_of("Same\r\n words\u00a0here: “yes”.") == signature_of("same words, HERE – yes")


# A car, an automobile: the words around a synonym change with it.
def test_words_without_a_meaning_of_their_own_do_not_matter() -> None:
    fingerprint = SemanticFingerprint.from_settings(Settings())
    assert signature_of("He bought a used bike") == signature_of("She bought the used bike")
    assert fingerprint.best_words("He bought a used bike") is None


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("dog bites man", "man bites dog"),
        ("open before noon", "open after noon"),
        ("smoking allowed here", "smoking not allowed here"),
        ("operator ! of a type", "operator ~ of a type"),
        ("price 5 €", "price 5 $"),
        ("buy buy sell", "buy sell sell"),
    ],
)
def test_short_texts_that_say_other_things_have_different_fingerprints(one: str, other: str) -> None:
    assert signature_of(one) != signature_of(other)


@given(st.text(), st.binary())
def test_any_page_has_a_fingerprint(text: str, content: bytes) -> None:
    assert len(signature_of(text * 40, content)) == 16


def test_files_come_from_the_conf_folder(tmp_path: Path) -> None:
    (tmp_path / "own.txt").write_text("car\tauto\n", "utf-8")
    (tmp_path / "idf.txt").write_text("blue\t9\n", "utf-8")
    settings = {
        "NUTCH_CONF_DIR": str(tmp_path),
        "NUTCH_SIGNATURE_SEMANTIC_SYNONYMS_FILE": "own.txt",
        "NUTCH_SIGNATURE_SEMANTIC_IDF_DEFAULT": "0.5",
        "NUTCH_SIGNATURE_SEMANTIC_WORDS": 1,
    }
    fingerprint = SemanticFingerprint.from_settings(Settings(settings))
    assert fingerprint.words("auto") == ["car"]
    assert fingerprint.best_words("red red red blue") == ["blue"]


@pytest.mark.parametrize(
    ("name", "value", "message"),
    [
        ("WORDS", 0, "must be at least 1, got 0"),
        ("WORDS", "many", "must be a whole number such as 100, got 'many'"),
        ("HASH", "sha1", "must be one of md5, murmur, lookup3, got 'sha1'"),
        ("NAME_WEIGHT", "-1", "must be at least 0, got -1.0"),
        ("NOUN_WEIGHT", "nan", "must be at least 0, got nan"),
        ("NOUN_WEIGHT", "heavy", "must be a number such as 1.5, got 'heavy'"),
        ("IDF_DEFAULT", "-1", "must be at least 0, got -1.0"),
        ("TAGGER", "tagger", "must be the import path of a function, got 'tagger'"),
        ("TAGGER", "no.such.tagger", "must be the import path of a function, got 'no.such.tagger'"),
        ("TAGGER", "math.pi_", "must be the import path of a function, got 'math.pi_'"),
    ],
)
def test_a_setting_that_cannot_be_used_is_named_in_the_error(name: str, value: Any, message: str) -> None:
    with pytest.raises(ValueError, match=re.escape(f"NUTCH_SIGNATURE_SEMANTIC_{name} {message}")):
        SemanticFingerprint.from_settings(Settings({f"NUTCH_SIGNATURE_SEMANTIC_{name}": value}))


def test_a_dictionary_that_is_not_there_is_an_error() -> None:
    with pytest.raises(ValueError, match=r"no rule file 'none.txt', tried"):
        SemanticFingerprint.from_settings(Settings({"NUTCH_SIGNATURE_SEMANTIC_SYNONYMS_FILE": "none.txt"}))


@pytest.fixture
def project(tmp_path: Path) -> Iterator[Project]:
    yield Project(tmp_path)
    EmbeddedServer.attach(tmp_path / "store").detach()


def test_a_crawl_keeps_one_of_two_pages_that_tell_the_same_in_other_words(project: Project) -> None:
    (project.folder / "synonyms.txt").write_text(SYNONYMS, "utf-8")
    story = "The mayor of Porto will {} a {}"
    pages = {
        "/": Answer(html("home", ["/one", "/other", "/third"])),
        "/one": Answer(html("one", [], text=story.format("buy", "car"))),
        "/other": Answer(html("one", [], text=story.format("purchase", "motor car"))),
        "/third": Answer(html("one", [], text=story.format("sell", "car"))),
    }
    with serve(pages) as web:
        crawl = project.crawl(
            f"url={web.url}/",
            NUTCH_SIGNATURE_CLASS="nutchlike.signatures.semantic.SemanticFingerprint",
            NUTCH_SIGNATURE_SEMANTIC_SYNONYMS_FILE=project.folder / "synonyms.txt",
        )
    assert crawl.code == 0, crawl.log
    assert len(crawl.items) == 3
    assert "duplicates dropped 1" in crawl.log
