"""``scrapy explain``: why a URL was fetched, or was not, and what it waits for."""

from __future__ import annotations

import argparse
import json
import time
from collections.abc import Iterator
from datetime import UTC, datetime
from typing import Any

from scrapy.exceptions import UsageError

from nutchlike.absence import Absence
from nutchlike.checked_settings import get_int
from nutchlike.crawl_store import CrawlStore
from nutchlike.crawldatum import CANONICAL_METADATA, REDIRECT_METADATA, REPR_METADATA, DbStatus
from nutchlike.fetch_failure import failure_of
from nutchlike.nutch_command import NutchCommand
from nutchlike.store.explain import Explanation

DUPLICATE = DbStatus.DB_DUPLICATE.label
PERMANENT, TEMPORARY = DbStatus.DB_REDIR_PERM.label, DbStatus.DB_REDIR_TEMP.label
UNLINKED = {DbStatus.DB_GONE.label, DbStatus.DB_ORPHAN.label}
STATES = {"DUE_LATER": "due again later", "DEAD_LETTER": "dead letter"}


class Command(NutchCommand):
    """One fact a line, or one JSON object a URL; exit code 1 when a URL is not known."""

    requires_project = True

    def syntax(self) -> str:
        return "[--exact] [--json] [--spider NAME] URL ..."

    def short_desc(self) -> str:
        return "Show why a URL was fetched, or was not: its origin, score, place in the queue, what it waits for"

    def add_options(self, parser: argparse.ArgumentParser) -> None:
        super().add_options(parser)
        parser.add_argument("--exact", action="store_true", help="count all better URLs: reads all records")
        parser.add_argument("--json", action="store_true", help="print one JSON object a URL")
        parser.add_argument("--spider", default="site", help="whose crawl (default: site)")

    def run(self, args: list[str], opts: argparse.Namespace) -> None:
        if not args:
            raise UsageError("give URLs")
        settings = self.settings_of(opts.spider)
        try:
            absence = Absence(settings)
        except ValueError as error:
            raise UsageError(str(error), print_help=False) from error
        all_max = get_int(settings, "NUTCH_GENERATE_TOP_N")
        with self.opened_store(settings, opts.spider) as store:
            for number, url in enumerate(args):
                facts = self._facts(url, store, absence, all_max=all_max, exact=opts.exact)
                if opts.json:
                    print(json.dumps(facts, ensure_ascii=False))
                else:
                    print(*[""] * bool(number), *_lines(facts), sep="\n")

    def _facts(self, given: str, store: CrawlStore, absence: Absence, *, all_max: int, exact: bool) -> dict[str, Any]:
        url = absence.normalized(given)
        found = None
        if url is not None:
            found = store.explainer.explain(url, all_max=all_max, exact=exact, now=time.time())
        if found is None:
            self.exitcode = 1
            return {"url": url or given, "known": False, "reason": absence.reason(given, store)}
        to = found.datum.metadata.get(REDIRECT_METADATA)
        return _facts_of(found) | {"target_refused": absence.refusal(found.datum.url, to) if to else None}


def _facts_of(found: Explanation) -> dict[str, Any]:
    datum, place = found.datum, found.place
    failure = failure_of(datum)
    return {
        "url": datum.url,
        "known": True,
        "state": STATES.get(found.state.name, found.state.name.lower()),
        "db_status": datum.db_status.label,
        "failure": failure.as_dict() if failure is not None else None,
        "linked_at": datum.linked_at or None,
        "depth": datum.depth,
        "origin": found.origin or None,
        "score": datum.score,
        "history": datum.history,
        "importance": found.importance,
        "inlinks": found.inlinks,
        "paid_by": None
        if found.contributors is None
        else [{"url": page.url, "paid": page.paid, "anchor": page.anchor} for page in found.contributors],
        "ahead_on_host": place.host_ahead if place else None,
        "waiting_on_host": place.host_waiting if place else None,
        "hosts_ahead": place.hosts_ahead if place else None,
        "ahead": place.all_ahead if place else None,
        "waits_for": found.wait.reason,
        "until": found.wait.until,
        "signature": datum.signature.hex() if datum.signature else None,
        "content_owner": found.content_owner,
        "duplicate_of": found.duplicate_of,
        "redirects_to": datum.metadata.get(REDIRECT_METADATA) or None,
        "repr_url": datum.metadata.get(REPR_METADATA) or None,
        "canonical": datum.metadata.get(CANONICAL_METADATA) or None,
    }


def _lines(facts: dict[str, Any]) -> Iterator[str]:
    """Yield the facts as lines of text: name, colon, value."""
    yield f"url: {facts['url']}"
    if not facts["known"]:
        yield "state: not known"
        yield f"reason: {facts['reason']}"
        return
    yield f"state: {facts['state']}, {facts['db_status']}"
    yield from _failure(facts)
    until = f" {_when(facts['until'])}" if facts["until"] is not None else ""
    yield f"waits for: {facts['waits_for']}{until}"
    yield f"found: {_origin(facts)}"
    yield from _other_urls(facts)
    yield f"score: {facts['score']:.6g}"
    yield f"history: {facts['history']:.6g}"
    yield f"importance: {facts['importance']:.6g}"
    if facts["waiting_on_host"] is not None:
        yield f"place on its host: {facts['ahead_on_host'] + 1} of {facts['waiting_on_host']} that wait"
        yield f"other hosts that may have a better URL: {facts['hosts_ahead']}"
    if facts["ahead"] is not None:
        yield f"place in the crawl: {facts['ahead'] + 1}"
    yield f"signature: {_signature(facts)}"
    yield from _inlinks(facts)


def _other_urls(facts: dict[str, Any]) -> Iterator[str]:
    """Yield what a page has to do with other URLs, apart from links."""
    if facts["redirects_to"]:
        how = {PERMANENT: "permanently to", TEMPORARY: "temporarily to"}.get(facts["db_status"], "for ever, by way of")
        refused = f", which is not followed: {facts['target_refused']}" if facts["target_refused"] else ""
        yield f"redirects {how} {facts['redirects_to']}{refused}"
    if facts["repr_url"]:
        yield f"known as: {facts['repr_url']}, which redirects here"
    if facts["canonical"]:
        yield f"canonical: {facts['canonical']}"


def _failure(facts: dict[str, Any]) -> Iterator[str]:
    if (failure := facts["failure"]) is not None:
        tries = "1 try" if failure["tries"] == 1 else f"{failure['tries']} tries"
        name = "gone" if facts["db_status"] == DbStatus.DB_GONE.label else "failed"
        yield f"{name}: {failure['reason']}, {_when(failure['at'])}, after {tries}"
    elif facts["db_status"] in UNLINKED and facts["linked_at"] is not None:
        yield f"gone: no link to it was seen since {_when(facts['linked_at'])}"


def _origin(facts: dict[str, Any]) -> str:
    if facts["origin"]:
        return f"seed, {facts['origin']}"
    return (
        f"{facts['depth']} links from the nearest seed"
        if facts["depth"]
        else "a start request, or where a seed redirects"
    )


def _signature(facts: dict[str, Any]) -> str:
    if facts["signature"] is None:
        return "none"
    if facts["duplicate_of"]:
        return f"{facts['signature']}, a duplicate of {facts['duplicate_of']}"
    owner = facts["content_owner"]
    if owner is None:
        return f"{facts['signature']}, nobody owns the content"
    if not owner:
        return f"{facts['signature']}, the content is taken; a Bloom filter does not know by whom"
    if owner != facts["url"]:
        return f"{facts['signature']}, a duplicate of {owner}"
    later = "; its last fetch brought another page's, the next one decides" if facts["db_status"] == DUPLICATE else ""
    return f"{facts['signature']}, owns the content{later}"


def _inlinks(facts: dict[str, Any]) -> Iterator[str]:
    if facts["paid_by"] is None:
        yield "inlinks: not known, no page's links are kept; NUTCH_WEBGRAPH_ENABLED=True keeps those of pages fetched"
        return
    yield f"inlinks: {facts['inlinks']}"
    for page in facts["paid_by"]:
        yield f"paid: {page['paid']:.6g} by {page['url']}" + (f" ({page['anchor']})" if page["anchor"] else "")


def _when(epoch_seconds: float) -> str:
    return datetime.fromtimestamp(epoch_seconds, UTC).strftime("%Y-%m-%d %H:%M:%S UTC")
