"""MetadataScoringFilter: which metadata of a page goes into its item and on to the pages that it links to."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import replace
from typing import Self

from nutchlike.contracts import SettingsReader
from nutchlike.scoring.scoring_filter import Distribution, ScoredPage, ScoringFilter


class MetadataScoringFilter(ScoringFilter):
    """Passes the named metadata on: from record to content, from content to item, from item to outlinks.

    As in Nutch, what is to go all the way from a seed to the pages that it leads to is named for each step;
    ``tags`` (Nutch's plug-in urlmeta) are so named.
    Source: Nutch ``scoring.metadata.MetadataScoringFilter``, ``scoring.urlmeta.URLMetaScoringFilter``.
    """

    def __init__(
        self,
        *,
        db: Iterable[str] = (),
        content: Iterable[str] = (),
        parse: Iterable[str] = (),
        tags: Iterable[str] = (),
    ) -> None:
        """Take the names for each of the three steps, and those for all of them."""
        all_the_way = tuple(tags)
        self._db = {*db, *all_the_way}
        self._content = {*content, *all_the_way}
        self._parse = {*parse, *all_the_way}

    @classmethod
    def from_settings(cls, settings: SettingsReader) -> Self:
        """Return the filter with the names of NUTCH_SCORING_DB_MD, …_CONTENT_MD, …_PARSE_MD and NUTCH_URLMETA_TAGS."""
        return cls(
            db=_names(settings, "NUTCH_SCORING_DB_MD"),
            content=_names(settings, "NUTCH_SCORING_CONTENT_MD"),
            parse=_names(settings, "NUTCH_SCORING_PARSE_MD"),
            tags=_names(settings, "NUTCH_URLMETA_TAGS"),
        )

    def pass_metadata(self, page: ScoredPage) -> ScoredPage:
        content = {**page.content_metadata, **_picked(page.datum.metadata, self._db)}
        parsed = {**page.parse_metadata, **_picked(content, self._content)}
        return replace(page, content_metadata=content, parse_metadata=parsed)

    def distribute(self, page: ScoredPage, distribution: Distribution) -> Distribution:
        handed_on = _picked(page.parse_metadata, self._parse)
        return distribution.with_metadata(handed_on) if handed_on else distribution


def _names(settings: SettingsReader, setting: str) -> list[str]:
    return [name for item in settings.getlist(setting) if (name := str(item).strip())]


def _picked(metadata: Mapping[str, str], names: Iterable[str]) -> dict[str, str]:
    return {name: metadata[name] for name in names if name in metadata}
