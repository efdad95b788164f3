"""Tables of how rare words are: read, counted, written."""

from __future__ import annotations

import math

import pytest
from hypothesis import given
from hypothesis import strategies as st

from nutchlike.signatures.idf import DocumentCounts, IdfTable
from nutchlike.urls.rule_files import read_rule_file

WORDS = st.text(alphabet=st.characters(exclude_categories=["Z", "C"]), min_size=1).filter(lambda w: w[0] != "#")


def test_a_table_holds_a_word_and_its_idf_a_line() -> None:
    table = IdfTable.parse("# a comment\nNew York\t5.5\n\nthe 0\r\nof\t1.5\n", source="own.txt")
    assert [table.of(word) for word in ("new york", "New York", "THE", "of")] == [5.5, 5.5, 0.0, 1.5]


@pytest.mark.parametrize(("text", "default"), [("a\t1\nb\t3\nc\t8\nd\t0", 3.0), ("a\t0", 1.0), ("# none", 1.0)])
def test_a_word_outside_the_table_weighs_as_the_median_of_those_above_zero(text: str, default: float) -> None:
    assert IdfTable.parse(text, source="own.txt").of("unheard") == default
    assert IdfTable.parse(text, source="own.txt", default=7.0).of("unheard") == 7.0


def test_the_table_that_comes_along_knows_words_that_stand_in_any_text() -> None:
    text, source = read_rule_file("idf.txt")
    table = IdfTable.parse(text, source=source)
    assert [table.of(word) for word in ("the", "The", "it's", "的", "我们")] == [0.0] * 5
    assert [table.of(word) for word in ("not", "don't", "before", "after", "不")] == [0.2] * 5
    assert [table.of(word) for word in ("kettle", "汽车")] == [1.0] * 2


def test_a_line_may_say_what_words_outside_the_table_weigh() -> None:
    assert IdfTable.parse("the\t0\n*\t2.5\nof\t1", source="own.txt").of("unheard") == 2.5
    assert IdfTable.parse("*\t2.5", source="own.txt", default=3.0).of("unheard") == 3.0


def test_a_word_of_all_documents_weighs_nothing_and_a_rare_one_most() -> None:
    counts = DocumentCounts()
    for words in (["menu", "kettle", "kettle"], ["menu", "chess"], ["menu", "chess", "Board"]):
        counts.add(words)
    table = IdfTable.parse(counts.table(), source="counted")
    assert table.of("menu") == 0.0
    assert table.of("chess") == pytest.approx(math.log(4 / 3))
    assert table.of("kettle") == table.of("board") == pytest.approx(math.log(2))
    assert table.of("unheard") == pytest.approx(math.log(4))


def test_counts_of_two_workers_add_up() -> None:
    one, other, both = DocumentCounts(), DocumentCounts(), DocumentCounts()
    for counts in (one, both):
        counts.add(["menu", "kettle"])
    for counts in (other, both):
        counts.add(["menu", "chess"])
    one.add_counts(other)
    assert one.table() == both.table() == "#documents\t2\nmenu\t2\nchess\t1\nkettle\t1\n"


def test_a_table_may_leave_rare_words_out() -> None:
    counts = DocumentCounts(3, {"menu": 3, "kettle": 1})
    assert counts.table(least=2) == "#documents\t3\nmenu\t3\n"


@given(st.lists(st.lists(WORDS)))
def test_reading_what_was_written_gives_the_same_counts(documents: list[list[str]]) -> None:
    counts = DocumentCounts()
    for words in documents:
        counts.add(words)
    read = DocumentCounts.parse(counts.table(), source="counted")
    assert (read.documents, read.counts) == (counts.documents, counts.counts)


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("the\t0\nlonely", "own.txt line 2: must be a word, a tab and a number, got 'lonely'"),
        ("the\tfew", "own.txt line 1: an IDF must be a number of at least 0, got 'few'"),
        ("the\t-1", "own.txt line 1: an IDF must be a number of at least 0, got '-1'"),
        ("the\tinf", "own.txt line 1: an IDF must be a number of at least 0, got 'inf'"),
        ("#documents\tfew", "own.txt line 1: must be #documents, a tab and a whole number, got '#documents\tfew'"),
        ("#documents\t3\nthe\t4", "own.txt line 2: must be a number of documents, 0 to 3, got '4'"),
        ("#documents\t3\nthe\t1.5", "own.txt line 2: must be a number of documents, 0 to 3, got '1.5'"),
    ],
)
def test_a_line_that_cannot_be_used_is_an_error_with_its_number(text: str, message: str) -> None:
    with pytest.raises(ValueError) as error:
        IdfTable.parse(text, source="own.txt")
    assert str(error.value).replace("\\t", "\t") == message


def test_counts_are_told_from_a_table_by_their_first_line() -> None:
    with pytest.raises(ValueError, match=r"own\.txt line 1: must be #documents"):
        DocumentCounts.parse("the\t4", source="own.txt")
