"""What Nutch's updatedb job does to scores: which records of a URL it takes, and what it asks the filters."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from nutchlike.crawldatum import CrawlDatum
from nutchlike.scoring.scoring_filter import Inlink, ScoringFilter

MAX_INLINKS = 10_000  # db.update.max.inlinks
FETCHED = ("fetch_", "parse_failed")  # beginnings of statuses


def updated_score(
    url: str, values: Iterable[dict[str, Any]], opic: ScoringFilter, conf: dict[str, str]
) -> float | None:
    """Return the score of ``url`` after the job has seen ``values``; ``None`` when it writes no record.

    The old record and the fetch with the latest times count, the first of equals. Of the links those with the lowest
    scores count, and they are added from the highest on.
    """
    values = list(values)
    old = _latest(value for value in values if value["status"].startswith("db_"))
    fetch = _latest(value for value in values if value["status"].startswith(FETCHED))
    scores = sorted(value.get("score", 0.0) for value in values if value["status"] == "linked")
    kept = scores[: int(conf.get("db.update.max.inlinks", MAX_INLINKS))]
    inlinked = [Inlink(score) for score in reversed(kept)]
    if old is None and conf.get("db.update.additions.allowed") == "false":
        return None
    before = None if old is None else _datum(url, old)
    if fetch is not None:
        datum = _datum(url, fetch)
    elif before is not None:
        datum = before
    elif inlinked:
        datum = opic.initial_score(CrawlDatum(url))
    else:
        return None
    return opic.update_db_score(datum, before, inlinked, now=0).score


def _latest(values: Iterable[dict[str, Any]]) -> dict[str, Any] | None:
    return max(values, key=lambda value: value.get("fetch_time", 0), default=None)


def _datum(url: str, value: dict[str, Any]) -> CrawlDatum:
    return CrawlDatum(url, score=value.get("score", 0.0))
