"""WebGraph: which page links to which, kept while NUTCH_WEBGRAPH_ENABLED is set (Nutch: WebGraph, LinkDb).

A page has one list, the url ids of its outlinks (8 bytes each), and one of their texts, written by the step that
acknowledges the page. There is no index of inlinks: it would be rewritten with every fetch, and take as much again.
"""

from __future__ import annotations

import json
import zlib
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import cast

from nutchlike.crawldatum import CrawlDatum
from nutchlike.store.codec import UnreadableRecord, decode_record, site_number, url_of
from nutchlike.store.crawldb import CrawlDb
from nutchlike.store.host_records import chunks, read_records
from nutchlike.store.keys import CrawlKeys, partition_and_handle, record_key
from nutchlike.store.nodes import Client
from nutchlike.store.scripts import Scripts
from nutchlike.urls.identity import url_id

ID_SIZE = 8  # bytes
LISTS = 500  # looked through with one call, in some 2 ms
LOOKS = 2000  # records looked for with one call


@dataclass(frozen=True, slots=True)
class Inlink:
    """A link to a page: the record of the page that has it, its text ("" = not known), and how many links it has."""

    source: CrawlDatum
    anchor: str
    outlinks: int


@dataclass(frozen=True, slots=True)
class Outlink:
    """A link of a page: the other page's URL (``None`` when it is not known any more), and the text ("" likewise)."""

    url: str | None
    anchor: str


class WebGraph:
    """The links between the pages of a crawl. All look-ups work in small steps, so that a crawl may go on meanwhile.

    A list takes 8 bytes a link and some 90 more, so 12.5 bytes a link for pages of 20 links. Texts of three words take
    as much again: they are compressed.
    """

    def __init__(self, keys: CrawlKeys, scripts: Scripts, client: Client, crawldb: CrawlDb) -> None:
        self._keys = keys
        self._scripts = scripts
        self._client = client
        self._crawldb = crawldb

    def pages_with_links(self) -> int:
        """Return how many pages have a list of links."""
        names = [keys.name("links") for keys in self._keys.partitions]
        return sum(self._scripts.ask([(number, ("HLEN", name)) for number, name in enumerate(names)]))

    def claim_ranking(self, every: int) -> bool:
        """Return whether the caller shall rank the pages: ``every`` more were handed out since somebody did."""
        names = [keys.name("counts") for keys in self._keys.partitions]
        answers = self._scripts.ask([(number, ("HGET", name, "handed_out")) for number, name in enumerate(names)])
        return bool(self._scripts.run(0, "claim_ranking", sum(int(n or 0) for n in answers), every))

    def pages(self) -> Iterator[tuple[bytes, str]]:
        """Yield record key and URL of every known page; a record that cannot be read is none.

        One that the crawl moves in the store meanwhile may come twice, or not at all.
        """
        for number, keys in enumerate(self._keys.partitions):
            sites: dict[int, str] = {}
            for handle, raw in read_records(self._client, self._scripts, number, keys):
                try:
                    site = site_number(raw)
                    if site not in sites:
                        name = self._client.hget(keys.name("site_names"), str(site))
                        sites[site] = (cast("bytes | None", name) or b"").decode()
                    yield record_key(number, handle), url_of(raw, sites[site])
                except UnreadableRecord:
                    continue

    def edges(self) -> Iterator[tuple[bytes, bytes]]:
        """Yield the url id of each page that has links, and the ids of these, one after the other.

        A page that is fetched meanwhile may come twice, with its list before and after.
        """
        for keys in self._keys.partitions:
            for handle, ids in self._client.hscan_iter(keys.name("links"), count=LISTS):
                yield handle[-ID_SIZE:], ids

    def inlinks(self, url: str) -> Iterator[Inlink]:
        """Yield the known links to a normalized URL, known or not, in no order.

        The server looks through all lists, LISTS with a call: some 5 s for a million pages of 20 links each.
        """
        for number, keys in enumerate(self._keys.partitions):
            virtual = float(cast("bytes | None", self._client.hget(keys.name("totals"), "virtual")) or 0)
            position = b"0"
            seen: set[bytes] = set()
            while True:
                position, *found = self._scripts.run(number, "find_inlinks", position, LISTS, url_id(url))
                for i in range(0, len(found), 6):
                    handle, raw, site, links, place, anchors = found[i : i + 6]
                    if handle not in seen:
                        seen.add(handle)
                        source = decode_record(raw, key=handle.hex(), site=site.decode(), virtual=virtual)
                        texts = decode_anchors(anchors)
                        yield Inlink(source, texts[place] if place < len(texts) else "", links)
                if position == b"0":
                    break

    def outlinks(self, url: str) -> list[Outlink] | None:
        """Return the links of a normalized URL in the order of its page; ``None`` when it has no list.

        The page's own host is looked through first. Links to others cost a look at every host: about a millisecond
        for a thousand.
        """
        key = self._crawldb.key_of(url)
        if key is None:
            return None
        partition, handle = partition_and_handle(key)
        keys = self._keys.partitions[partition]
        named = [(partition, ("HGET", keys.name(name), handle)) for name in ("links", "anchors")]
        stored, anchors = self._scripts.ask(named)
        if stored is None:
            return None
        ids = [stored[i : i + ID_SIZE] for i in range(0, len(stored), ID_SIZE)]
        urls = self._urls(ids, partition, int.from_bytes(handle[:4], "big"))
        texts = decode_anchors(anchors or b"") or [""] * len(ids)
        return [Outlink(urls.get(id_), text) for id_, text in zip(ids, texts, strict=True)]

    def _urls(self, ids: Sequence[bytes], partition: int, host: int) -> dict[bytes, str]:
        """Return the URLs of ids, those of unknown ones aside; most are expected at one host."""
        found: dict[bytes, str] = {}
        self._find(ids, partition, host, host, found)
        for number, keys in enumerate(self._keys.partitions):
            hosts = self._client.hlen(keys.name("host_numbers"))
            first = 1
            while first <= hosts and len(found) < len(ids):
                left = [id_ for id_ in ids if id_ not in found]
                last = first + max(LOOKS // len(left), 1) - 1
                self._find(left, number, first, min(last, hosts), found)
                first = last + 1
        return found

    def _find(self, ids: Sequence[bytes], partition: int, first: int, last: int, found: dict[bytes, str]) -> None:
        for some in chunks(ids, LOOKS):
            reply = self._scripts.run(partition, "find_ids", first, last, *some)
            for i in range(0, len(reply), 3):
                id_, raw, site = reply[i : i + 3]
                found[id_] = url_of(raw, site.decode())


def encode_anchors(texts: Sequence[str]) -> bytes:
    """Return the texts of a page's links as the store keeps them; nothing when all are empty."""
    if not any(texts):
        return b""
    return zlib.compress(json.dumps(texts, ensure_ascii=False, separators=(",", ":")).encode(errors="replace"))


def decode_anchors(data: bytes) -> list[str]:
    """Return the texts that ``encode_anchors`` stored; none for nothing."""
    return [str(text) for text in json.loads(zlib.decompress(data))] if data else []
