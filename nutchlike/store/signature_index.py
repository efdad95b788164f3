"""SignatureIndex: which page owns which content, so that each content is kept once."""

from __future__ import annotations

from collections.abc import Sequence

from nutchlike.store.keys import CrawlKeys
from nutchlike.store.scripts import Scripts, checked


class SignatureIndex:
    """A Redis set of content keys, each with the record key of the page that owns it."""

    def __init__(self, keys: CrawlKeys, scripts: Scripts) -> None:
        self._keys = keys
        self._scripts = scripts

    def claim(self, key: bytes, content: bytes, *, previous: bytes | None) -> bytes:
        """Return the record key of the page that owns ``content``: ``key`` itself when it does, or now does.

        ``previous`` is the content that the page had before. Atomic: of two workers that claim one content at the same
        moment exactly one becomes its owner.
        """
        return self.claim_all([(key, content, previous)])[0]

    def claim_all(self, claims: Sequence[tuple[bytes, bytes, bytes | None]]) -> list[bytes]:
        """Return the owners for several claims (record key, content, previous content), with one round trip."""
        calls = [(self._keys.partition_of_content(claim[1]), "claim_signature", claim[:2]) for claim in claims]
        return [bytes(reply) for reply in checked(self._scripts.run_all(calls))]

    def hand_over(self, content: bytes, *, owner: bytes, to: bytes) -> bool:
        """Make ``to`` the owner of ``content``; False when ``owner`` is not, by now."""
        return bool(self._hand_over(owner, content, to))

    def free(self, key: bytes, content: bytes) -> None:
        """Give up ``content`` when ``key`` owns it."""
        self._hand_over(key, content, b"")

    def _hand_over(self, owner: bytes, content: bytes, to: bytes) -> int:
        partition = self._keys.partition_of_content(content)
        return int(self._scripts.run(partition, "hand_over_signature", owner, content, to))
