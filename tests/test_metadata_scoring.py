"""The metadata filter: what goes from a seed to items and to the pages that it leads to."""

from __future__ import annotations

import pytest
from scrapy.settings import Settings

from nutchlike.crawldatum import CrawlDatum
from nutchlike.scoring.chain import ScoringChain
from nutchlike.scoring.metadata import MetadataScoringFilter
from nutchlike.scoring.scoring_filter import Outlink, ScoredPage

SEED = CrawlDatum("http://a.test/", metadata={"lang": "en", "source": "list", "secret": "x"})
PAGE = ScoredPage(SEED, content_metadata={"Last-Modified": "today"}, parse_metadata={"author": "me"})


def passed(settings: dict[str, str | list[str]]) -> tuple[dict[str, str], dict[str, str]]:
    """Return what the item and what an outlink of PAGE get."""
    chain = ScoringChain([MetadataScoringFilter.from_settings(Settings(settings))])
    page = chain.pass_metadata(PAGE)
    outlinks = chain.distribute(page, [Outlink("http://a.test/1", True)]).outlinks
    return dict(page.parse_metadata), dict(outlinks[0].metadata)


STEPS = [
    ({}, {"author": "me"}, {}),
    # A step that is left out ends the way
    ({"NUTCH_SCORING_DB_MD": "lang"}, {"author": "me"}, {}),
    ({"NUTCH_SCORING_CONTENT_MD": "lang"}, {"author": "me"}, {}),
    ({"NUTCH_SCORING_DB_MD": "lang", "NUTCH_SCORING_PARSE_MD": "lang"}, {"author": "me"}, {}),
    ({"NUTCH_SCORING_DB_MD": "lang,source", "NUTCH_SCORING_CONTENT_MD": "lang"}, {"author": "me", "lang": "en"}, {}),
    (
        {"NUTCH_SCORING_DB_MD": "lang", "NUTCH_SCORING_CONTENT_MD": "lang", "NUTCH_SCORING_PARSE_MD": "lang"},
        {"author": "me", "lang": "en"},
        {"lang": "en"},
    ),
    # What the answer and the parser have can go on too
    ({"NUTCH_SCORING_CONTENT_MD": "Last-Modified"}, {"author": "me", "Last-Modified": "today"}, {}),
    ({"NUTCH_SCORING_PARSE_MD": "author"}, {"author": "me"}, {"author": "me"}),
    # urlmeta's tags go all the way; blanks around names, and names that nothing has, do not matter
    ({"NUTCH_URLMETA_TAGS": " lang , source,nothing"}, {"author": "me", "lang": "en", "source": "list"}, None),
    ({"NUTCH_URLMETA_TAGS": ["lang"]}, {"author": "me", "lang": "en"}, {"lang": "en"}),
]


@pytest.mark.parametrize(("settings", "item", "outlink"), STEPS)
def test_what_is_named_for_a_step_is_passed_on(
    settings: dict[str, str | list[str]], item: dict[str, str], outlink: dict[str, str] | None
) -> None:
    expected = {"lang": "en", "source": "list"} if outlink is None else outlink
    assert passed(settings) == (item, expected)


def test_the_pages_value_beats_the_outlinks_own() -> None:
    metadata_filter = MetadataScoringFilter(tags=["lang"])
    page = metadata_filter.pass_metadata(PAGE)
    links = [Outlink("http://a.test/1", True, {"lang": "de", "kind": "a"})]
    outlinks = ScoringChain([metadata_filter]).distribute(page, links).outlinks
    assert outlinks[0].metadata == {"lang": "en", "kind": "a"}
