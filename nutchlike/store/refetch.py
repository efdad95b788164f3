"""Refetch: makes known pages due now, as if they had never been fetched (``-a refetch=``)."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import cast

from nutchlike.store.codec import UnreadableRecord, site_number, url_of
from nutchlike.store.host_records import chunks, read_records
from nutchlike.store.keys import CrawlKeys
from nutchlike.store.nodes import Client
from nutchlike.store.scripts import Scripts, checked

PAGES = 200  # made due with one call, which takes a few milliseconds


@dataclass(frozen=True, slots=True)
class Refetched:
    """What became of the URLs that were ``chosen``: made due, waited as new ones anyway, or are being fetched now.

    The others are dead letters, or requests that are not fetched again.
    """

    chosen: int = 0
    due: int = 0
    waiting: int = 0
    leased: int = 0


class Refetch:
    """Looks at the records of a crawl in small steps: it may go on meanwhile."""

    def __init__(self, client: Client, keys: CrawlKeys, scripts: Scripts) -> None:
        self._client = client
        self._keys = keys
        self._scripts = scripts

    def run(
        self,
        *,
        has_site: Callable[[str], bool],
        has_url: Callable[[str], bool],
        interval_max: int,
        shortened: int,
        now: float,
    ) -> Refetched:
        """Make the pages due for which both say yes, of their scheme://authority and their URL, and return how many.

        A fetch interval (seconds) above ``interval_max`` becomes ``shortened``. Atomic per page; done twice it finds
        that the pages wait. A page that is being fetched is left alone.
        """
        chosen = due = waiting = leased = 0
        for partition in range(len(self._keys)):
            for handles in chunks(self._chosen(partition, has_site, has_url), PAGES):
                arguments = [repr(now), interval_max, shortened, *handles]
                [reply] = checked(self._scripts.run_all([(partition, "refetch", arguments)]))
                chosen += len(handles)
                due, waiting, leased = due + int(reply[0]), waiting + int(reply[1]), leased + int(reply[2])
        return Refetched(chosen, due, waiting, leased)

    def _chosen(
        self, partition: int, has_site: Callable[[str], bool], has_url: Callable[[str], bool]
    ) -> Iterator[bytes]:
        """Yield the handles of the pages of a partition; only hosts that have a site of the right kind are read."""
        keys = self._keys.partitions[partition]
        sites: dict[int, str] = {}
        hosts: set[int] = set()
        for name, listed in self._client.hscan_iter(keys.name("sites"), count=1000):
            site = cast("bytes", name).decode()
            if has_site(site):
                number, host = map(int, listed.split())
                sites[number] = site
                hosts.add(host)
        for handle, raw in read_records(self._client, self._scripts, partition, keys, hosts=hosts):
            try:
                found = sites.get(site_number(raw))
                if found is not None and has_url(url_of(raw, found)):
                    yield handle
            except (UnreadableRecord, UnicodeDecodeError):
                continue  # scrapy fsck tells of it
