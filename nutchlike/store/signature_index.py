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

        ``previous`` is the content that this page had before; when it differs and this page owns it, it is freed.
        Atomic: of two workers that claim one content at the same moment exactly one becomes its owner.
        """
        return self.claim_all([(key, content, previous)])[0]

    def claim_all(self, claims: Sequence[tuple[bytes, bytes, bytes | None]]) -> list[bytes]:
        """Return the owners for several claims (record key, content, previous content), with one round trip."""
        calls = []
        for key, content, previous in claims:
            if previous and previous != content:
                calls.append((self._keys.partition_of_content(previous), "claim_signature", [key, b"", previous]))
            calls.append((self._keys.partition_of_content(content), "claim_signature", [key, content, b""]))
        replies = checked(self._scripts.run_all(calls))
        return [bytes(reply) for reply, (_, _, args) in zip(replies, calls, strict=True) if args[1]]

    def free(self, key: bytes, content: bytes) -> None:
        """Give up ``content`` when ``key`` owns it."""
        self._scripts.run(self._keys.partition_of_content(content), "claim_signature", key, b"", content)
