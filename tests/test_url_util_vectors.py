"""What Nutch's URLUtil says of URLs, beside the functions here that answer the same questions."""

from __future__ import annotations

from typing import Any

import pytest
from vectors import vector_rows

from nutchlike.parsing.references import ReferenceResolver
from nutchlike.urls.host_names import to_ascii_2008, to_unicode_2008
from nutchlike.urls.normalizers import BasicURLNormalizer
from nutchlike.urls.registered_domain import public_suffix
from nutchlike.urls.url_parts import url_parts

# Where references are read as browsers do, and not as java.net.URL does: a backslash is a slash; a scheme without
# authority is that of the base, also before a query or where the base has no path.
READ_AS_BROWSERS_DO = ("\\g", "http:?y", "http:g", "http:/g")
ROWS = vector_rows("urlutil.jsonl")


def named(row: dict[str, Any]) -> str:
    return str(row["id"])


def host_of(url: str) -> str | None:
    try:
        return url_parts(url).host
    except ValueError:
        return None


@pytest.mark.parametrize(
    "row",
    [
        row
        for row in ROWS
        if row["fn"] == "resolve" and row["base"].startswith("http") and row["url"] not in READ_AS_BROWSERS_DO
    ],
    ids=named,
)
def test_a_reference_leads_to_the_page_that_nutch_finds(row: dict[str, Any]) -> None:
    resolved = ReferenceResolver(row["base"]).absolute(row["url"])
    if not row["url"].partition("#")[0]:
        assert resolved is None  # the page itself is no link of it
        return
    expected = normalized(row["expected"]["resolved"])
    assert normalized(resolved) == expected


def normalized(url: str | None) -> str | None:
    """Return the normalized URL; ``None`` for what nobody can fetch."""
    try:
        return BasicURLNormalizer().normalize(url) if url is not None else None
    except ValueError:
        return None


@pytest.mark.parametrize("row", [row for row in ROWS if row["fn"] == "parts"], ids=named)
def test_a_host_name_is_written_in_ascii_and_back_as_nutch_does(row: dict[str, Any]) -> None:
    url, host, expected = row["url"], host_of(row["url"]), row["expected"]
    if host is None:
        assert expected["to_ascii"] is None
        return
    if ".." not in host:  # an empty label is no name here
        assert spelt(url, host, to_ascii_2008) == expected["to_ascii"]
    if host.isascii():  # Nutch leaves a name that is written in other letters as it is
        assert spelt(url, host, to_unicode_2008) == expected["to_unicode"]


def spelt(url: str, host: str, convert: Any) -> str | None:
    try:
        return url.replace(host, convert(host)) if host else url
    except ValueError:
        return None


@pytest.mark.parametrize("row", [row for row in ROWS if row["fn"] == "parts"], ids=named)
def test_the_top_level_domain_is_the_last_label_of_the_public_suffix(row: dict[str, Any]) -> None:
    suffix = public_suffix((host_of(row["url"]) or "").lower())
    assert (suffix.rpartition(".")[2] if suffix else None) == row["expected"]["tld"]
