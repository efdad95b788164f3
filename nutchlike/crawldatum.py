"""CrawlDatum: what the CrawlDb knows about one URL."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from enum import IntEnum

SCORE_MAX = 1e15  # cash of one seed; sums of such never overflow
# Names of metadata that a crawl keeps for itself; an empty text there is as good as none.
REDIRECT_METADATA = "_redirect_"  # to where the page redirected when it was last asked for
REPR_METADATA = "_repr_"  # Nutch's name: the URL that stands for the page in place of its own, to which it redirects
CANONICAL_METADATA = "_canonical_"  # the other URL that the page names as its canonical one


class DbStatus(IntEnum):
    """Nutch's CrawlDb statuses, with Nutch's numbers (CrawlDatum.java)."""

    DB_UNFETCHED = 1
    DB_FETCHED = 2
    DB_GONE = 3
    DB_REDIR_TEMP = 4
    DB_REDIR_PERM = 5
    DB_NOTMODIFIED = 6
    DB_DUPLICATE = 7
    DB_ORPHAN = 8

    @property
    def label(self) -> str:
        """The name as Nutch's readdb prints it, e.g. ``db_fetched``."""
        return self.name.lower()


@dataclass(frozen=True, slots=True)
class CrawlDatum:
    """One record of the CrawlDb.

    Times are epoch seconds (0 = never), intervals seconds. ``score`` is the page's OPIC cash,
    ``history`` the cash that it has spent so far. ``linked_at`` is when a link to it was last seen (0 = never; only
    kept in a crawl with the orphan filter). ``signature`` (of NUTCH_SIGNATURE_CLASS) and ``dedup_key`` (under
    which the page claims its content) are ``None`` until the page was fetched; ``validators`` are by what its server
    may be asked whether that has changed (validators.py), b"" = by nothing.
    """

    url: str
    db_status: DbStatus = DbStatus.DB_UNFETCHED
    fetch_time: int = 0
    modified_time: int = 0
    fetch_interval: int = 0
    retries: int = 0
    score: float = 0.0
    history: float = 0.0
    depth: int = 0
    linked_at: int = 0
    signature: bytes | None = None
    dedup_key: bytes | None = None
    validators: bytes = b""
    metadata: Mapping[str, str] = field(default_factory=dict)
