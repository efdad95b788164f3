"""ContentIndex: what every store of content keys promises, so that each content is kept once."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Protocol

from nutchlike.store.keys import CrawlKeys
from nutchlike.store.scripts import Scripts

Claim = tuple[bytes, bytes, bytes | None]  # record key, content, content that this page had before
Change = tuple[bytes, bytes | None, bytes | None]  # content, its owner so far and the next one; None = nobody
NOBODY_KNOWS = b""  # in place of an owner: somebody else's, and the index does not know whose


@dataclass(frozen=True, slots=True)
class IndexPlace:
    """Where an index is built: the crawl's keys and scripts in Redis, and a folder of this machine for files.

    ``begins`` says whether what is not there yet may be made; a command that only looks must leave nothing behind.
    """

    keys: CrawlKeys
    scripts: Scripts
    folder: Path
    begins: bool = True


class ContentIndex(Protocol):
    """Which page owns which content. A content key has 8 bytes, a record key 14 (keys.py).

    The order of a page's life is claim, item out, acknowledged, settle. A worker may be killed between any two of them;
    then the page comes again, under the same record key, and must find that it is the owner still: else its item would
    be dropped as its own duplicate, and no copy would ever come out. That is why an owner is a page and not a worker,
    and why an index that forgets owners must remember them until they are settled.

    Every call may be repeated with the same result, since a store that is away is asked again. A failure of any kind
    rises as a ``redis.RedisError``, which is what callers wait for (ContentIndexFailed when it was not Redis).
    """

    knows_owners: bool  # False: a settled content's owner is forgotten, so it can be neither told nor freed

    def claim_all(self, claims: Sequence[Claim]) -> list[bytes]:
        """Return for each claim the record key of its content's owner: the page's own when it is, or now is, the owner.

        NOBODY_KNOWS stands for another owner whose name is not kept. Of workers that claim one content at the same
        moment exactly one becomes its owner. A page that had another content before keeps that until it gives it up:
        it may be killed before it is acknowledged. Claims of one content are answered in their order.
        """
        ...

    def settle_all(self, settled: Sequence[tuple[bytes, bytes]]) -> None:
        """Take note that pages (record key, content) are acknowledged, with their items out.

        They will not come again as strangers: when they are fetched again, their claim names the content as the one
        before. What a page does not own is passed over. Several at once, since a far-away store costs its time by call.
        """
        ...

    def hand_over_all(self, changes: Sequence[Change]) -> list[bool]:
        """Give contents to other pages; one that is nobody's goes to the next page that claims it.

        Atomic for each: one that is not, or is no longer, with the owner that it should have stays where it is, and its
        answer is False; so does one whose owner is not known.
        """
        ...

    def owners_of(self, contents: Sequence[bytes]) -> list[bytes | None]:
        """Return the record keys of the owners: NOBODY_KNOWS where it is not kept, ``None`` where there is none."""
        ...

    def owners(self) -> Iterator[tuple[bytes, bytes]]:
        """Yield content and owner of all contents whose owner is kept, in small steps, so a crawl may go on."""
        ...

    def stats(self) -> dict[str, float]:
        """Return what is to be told at the end of a crawl: ``entries`` always; ``bytes``, stated ``error``, ..."""
        ...

    def clear(self) -> None:
        """Forget all contents of the crawl."""
        ...

    def close(self) -> None:
        """Leave what is open; a second time does nothing."""
        ...
