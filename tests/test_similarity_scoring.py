"""The similarity filter: links of pages that read like a given text come first."""

from __future__ import annotations

import math
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from scrapy.settings import Settings

from nutchlike.crawldatum import CrawlDatum
from nutchlike.scoring.chain import ScoringChain
from nutchlike.scoring.opic import PaperOPIC
from nutchlike.scoring.scoring_filter import Distribution, Outlink, ScoredPage, ScoringFilter
from nutchlike.scoring.similarity import SimilarityScoringFilter

GOLD = "Web crawlers fetch pages. Crawlers follow links."
LINKS = [Outlink("http://a.test/1", True), Outlink("http://b.test/", False)]


def distributed(filters: list[ScoringFilter], text: str) -> Distribution:
    page = ScoredPage(CrawlDatum("http://a.test/", score=3.0), text=text)
    return ScoringChain(filters).distribute(page, LINKS)


def test_the_cosine_is_that_of_the_word_counts() -> None:
    one = SimilarityScoringFilter("red red blue")
    assert one.similarity("red green") == pytest.approx(2 / (math.sqrt(5) * math.sqrt(2)))


@pytest.mark.parametrize("text", [GOLD, GOLD.upper(), f"{GOLD} {GOLD}"])
def test_the_same_words_in_the_same_parts_are_wholly_similar(text: str) -> None:
    assert SimilarityScoringFilter(GOLD).similarity(text) == pytest.approx(1.0)


@pytest.mark.parametrize("text", ["", "  ", "!?", "something else", "the of and"])
def test_a_text_that_shares_no_word_is_not_similar(text: str) -> None:
    assert SimilarityScoringFilter(f"{GOLD} the", stop_words=["the", "of", "and"]).similarity(text) == 0.0


def test_stop_words_do_not_count_whatever_their_case() -> None:
    one = SimilarityScoringFilter("the red house", stop_words=["The ", "a"])
    assert one.similarity("A red house THE the") == pytest.approx(1.0)


def test_words_of_any_script_count() -> None:
    assert SimilarityScoringFilter("поисковый робот").similarity("Робот поисковый") == pytest.approx(1.0)


def test_several_words_can_make_a_term() -> None:
    pairs = SimilarityScoringFilter("red green blue", ngrams=(2, 2))
    assert pairs.similarity("blue green red") == 0.0
    assert SimilarityScoringFilter("red green blue", ngrams=(1, 2)).similarity("blue green red") == pytest.approx(3 / 5)


@given(st.text(max_size=200))
def test_similarity_is_from_zero_to_one(text: str) -> None:
    assert 0.0 <= SimilarityScoringFilter(GOLD, ngrams=(1, 3)).similarity(text) <= 1.0


def test_what_a_page_that_is_not_similar_keeps_from_its_links_goes_to_the_virtual_page() -> None:
    alike = distributed([PaperOPIC(), SimilarityScoringFilter(GOLD)], GOLD)
    assert [*alike.scores, alike.virtual] == pytest.approx([1.0, 1.0, 1.0])
    other = distributed([PaperOPIC(), SimilarityScoringFilter("red blue blue blue")], "red green")
    similarity = 1 / math.sqrt(20)
    assert [*other.scores, other.virtual] == pytest.approx([similarity, similarity, 3 - 2 * similarity])


def test_strictly_as_nutch_the_similarity_is_the_score_of_each_link() -> None:
    assert distributed([SimilarityScoringFilter(GOLD, strict=True)], GOLD).scores == pytest.approx([1.0, 1.0])


def from_settings(folder: Path, **settings: Any) -> SimilarityScoringFilter:
    return SimilarityScoringFilter.from_settings(Settings({"NUTCH_CONF_DIR": str(folder), **settings}))


def test_texts_come_from_the_conf_folder_and_stop_words_from_the_package(tmp_path: Path) -> None:
    (tmp_path / "goldstandard.txt").write_text("the red house", "utf-8")
    assert from_settings(tmp_path).similarity("red house") == pytest.approx(1.0)
    (tmp_path / "words.txt").write_text("red\nhouse\n", "utf-8")
    own = from_settings(tmp_path, NUTCH_SCORING_SIMILARITY_STOPWORD_FILE="words.txt")
    assert own.similarity("the mouse the") == pytest.approx(2 / math.sqrt(5))


def test_terms_are_as_long_as_the_setting_says(tmp_path: Path) -> None:
    (tmp_path / "goldstandard.txt").write_text("red green blue", "utf-8")
    assert from_settings(tmp_path, NUTCH_SCORING_SIMILARITY_NGRAMS="2").similarity("blue green red") == 0.0
    both = from_settings(tmp_path, NUTCH_SCORING_SIMILARITY_NGRAMS="1,2")
    assert both.similarity("blue green red") == pytest.approx(3 / 5)


@pytest.mark.parametrize(
    ("settings", "message"),
    [
        ({"NUTCH_SCORING_SIMILARITY_MODEL": "naivebayes"}, "MODEL must be cosine, got 'naivebayes'"),
        ({"NUTCH_SCORING_SIMILARITY_NGRAMS": "2,1"}, "must be two numbers like 1,2 in order"),
        ({"NUTCH_SCORING_SIMILARITY_NGRAMS": "one"}, "must be one number, or two like 1,2"),
        ({"NUTCH_SCORING_SIMILARITY_NGRAMS": "1,2,3"}, "must be one number, or two like 1,2"),
        ({"NUTCH_COSINE_GOLDSTANDARD_FILE": "none.txt"}, "no rule file 'none.txt', tried"),
        ({"NUTCH_COSINE_GOLDSTANDARD_FILE": "stop.txt"}, "must hold words that are no stop words"),
    ],
)
def test_what_cannot_be_used_is_an_error(tmp_path: Path, settings: dict[str, str], message: str) -> None:
    (tmp_path / "goldstandard.txt").write_text("red", "utf-8")
    (tmp_path / "stop.txt").write_text("the and of", "utf-8")
    with pytest.raises(ValueError, match=message):
        from_settings(tmp_path, **settings)
