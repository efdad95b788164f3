"""SignatureIndex: which page owns which content, so that each content is kept once."""

from __future__ import annotations

import redis

from nutchlike.store.keys import PartitionKeys
from nutchlike.store.scripts import Scripts


class SignatureIndex:
    """A Redis set of content keys, each with the page that owns it."""

    def __init__(self, client: redis.Redis, keys: PartitionKeys) -> None:
        self._scripts = Scripts(client, keys.all())

    def claim(self, url_id: bytes, key: bytes, *, previous: bytes | None) -> bytes:
        """Return the url id of the page that owns the content ``key``: ``url_id`` itself when it does, or now does.

        ``previous`` is the key that this page had before; when it differs and this page owns it, it is freed.
        Atomic: of two workers that claim one content at the same moment exactly one becomes its owner.
        """
        return bytes(self._scripts.run("claim_signature", url_id, key, previous or b""))

    def free(self, url_id: bytes, key: bytes) -> None:
        """Give up the content ``key`` when ``url_id`` owns it."""
        self._scripts.run("claim_signature", url_id, b"", key)
