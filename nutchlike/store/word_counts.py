"""WordCounts: in how many pages of a crawl each word stands, for weights that are learned from it."""

from __future__ import annotations

from collections import Counter

from nutchlike.signatures.idf import DocumentCounts
from nutchlike.store.host_records import chunks
from nutchlike.store.keys import CrawlKeys
from nutchlike.store.nodes import Client
from nutchlike.store.scripts import Scripts

WORDS = 1000  # in one round trip
_PAGES = b""  # the field that counts the pages


class WordCounts:
    """A Redis hash of all workers: some 70 bytes a word. It says what to weigh, so what a kill loses is no loss."""

    def __init__(self, client: Client, keys: CrawlKeys, scripts: Scripts) -> None:
        self._client = client
        self._name = keys.partitions[0].name("words")
        self._scripts = scripts

    def add(self, counts: DocumentCounts) -> None:
        """Add what was counted in further pages."""
        fields = [(_PAGES, counts.documents), *((word.encode(), count) for word, count in counts.counts.items())]
        for some in chunks(fields, WORDS):
            self._scripts.ask([(0, ("HINCRBY", self._name, word, count)) for word, count in some])

    def read(self) -> DocumentCounts:
        """Return what all workers have counted so far."""
        counts = Counter(
            {word.decode(): int(count) for word, count in self._client.hscan_iter(self._name, count=WORDS)}
        )
        return DocumentCounts(counts.pop(_PAGES.decode(), 0), counts)
