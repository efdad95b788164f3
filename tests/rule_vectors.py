"""Runs the recorded rows of a URL normalizer or filter, and checks that hold for each of them."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from hypothesis import strategies as st
from vectors import vector_rows

from nutchlike.contracts import URLFilter, URLNormalizer

Row = dict[str, Any]

# URLs of any kind: text that looks like one, and text that does not
URLS = st.one_of(
    st.text(),
    st.from_regex(r"\A(?:https?|ftp|file|jar|mailto):[/a.@:?#&%!*\[\]\\ é-]{0,30}\Z"),
    st.from_regex(r"\Ahttps?://(?:[a-z]{1,3}\.){0,3}test(?::[0-9]{0,6})?(?:/[a-z.%]{0,5}){0,3}(?:\?[a-z&=]{0,9})?\Z"),
)


def rules_of(kind: str) -> dict[str, Row]:
    """Return the recorded rule sets by their ids; ``kind`` is ``filter`` or ``normalizer``."""
    return {row["rules_id"]: row for row in vector_rows(f"url{kind}_rulesets.jsonl")}


def normalizer_differences(name: str, build: Callable[[Row], URLNormalizer]) -> list[tuple[Any, ...]]:
    """Return rule set, URL, expected and got of each row where the normalizer that ``build`` makes differs."""
    rulesets = rules_of("normalizer")
    different = []
    for row in vector_rows(f"urlnormalizer_{name}.jsonl"):
        try:
            got = build(rulesets.get(row.get("rules_id", ""), row)).normalize(row["url"])
        except ValueError:
            got = None
        if got != row["expected"]:
            different.append((row.get("rules_id"), row["url"], row["expected"], got))
    return different


def filter_differences(name: str, build: Callable[[Row], URLFilter]) -> list[tuple[Any, ...]]:
    """Return rule set, URL, expected and got of each row where the filter that ``build`` makes differs.

    Got is ``None`` where the filter could not be built.
    """
    rulesets = rules_of("filter")
    different = []
    for row in vector_rows(f"urlfilter_{name}.jsonl"):
        got: bool | None
        try:
            passed = build(rulesets[row["rules_id"]]).filter(row["url"])
            assert passed in (None, row["url"])
            got = passed is not None
        except ValueError:
            got = None
        if got != row["expected"]:
            different.append((row["rules_id"], row["url"], row["expected"], got))
    return different


def is_url_or_refused(normalizer: URLNormalizer, url: str) -> bool:
    """Tell whether ``url`` is normalized to a text or refused with ValueError."""
    try:
        return isinstance(normalizer.normalize(url), str)
    except ValueError:
        return True
