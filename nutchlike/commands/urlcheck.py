"""``scrapy urlcheck``: what the URL rules make of URLs, and which rule decides (Nutch: filterchecker)."""

from __future__ import annotations

import argparse
import sys
from collections.abc import Iterable, Iterator
from typing import Any

from scrapy.exceptions import UsageError

from nutchlike.nutch_command import NutchCommand
from nutchlike.plugins import SCOPE_DEFAULT, SCOPE_INJECT, SCOPE_OUTLINK, build_plugins, build_url_chain
from nutchlike.seed_sources import STDIN
from nutchlike.urls.chain import ExplainingFilter


class Command(NutchCommand):
    """One line a URL: verdict, URL as given, normalized URL, deciding rule; exit code 1 when one was rejected."""

    requires_project = True

    def syntax(self) -> str:
        return "[URL|- ...]"

    def short_desc(self) -> str:
        return "Show how URLs are normalized, and which rule accepts or rejects them"

    def long_desc(self) -> str:
        return f"{self.short_desc()}. Without a URL, or for -, URLs come from standard input, one a line."

    def add_options(self, parser: argparse.ArgumentParser) -> None:
        super().add_options(parser)
        parser.add_argument(
            "--scope",
            choices=[SCOPE_OUTLINK, SCOPE_INJECT, SCOPE_DEFAULT],
            default=SCOPE_OUTLINK,
            help="whether the URLs are links (default) or seeds: normalizers may have rules for one of them",
        )

    def run(self, args: list[str], opts: argparse.Namespace) -> None:
        assert self.settings is not None
        self.check(self.settings)
        try:
            filters = build_plugins(self.settings, "NUTCH_URL_FILTERS")
            chain = build_url_chain(self.settings, scope=opts.scope)
        except ValueError as error:
            raise UsageError(str(error), print_help=False) from error
        with self.output():
            for url in _urls(args or [STDIN]):
                verdict = chain.judge(url)
                if verdict.url is None:
                    self.exitcode = 1
                    normalized = chain.normalized(url) or "-"
                    print("rejected", url, normalized, verdict.reason, sep="\t", flush=True)
                else:
                    print("accepted", url, verdict.url, _accepting_rules(filters, verdict.url), sep="\t", flush=True)


def _urls(args: Iterable[str]) -> Iterator[str]:
    for arg in args:
        if arg != STDIN:
            yield arg
            continue
        for line in sys.stdin:
            url = line.partition("\t")[0].strip()  # a seed line will do
            if url and not url.startswith("#"):
                yield url


def _accepting_rules(filters: Iterable[Any], url: str) -> str:
    """Return the rule of each filter that can name it; the others accepted, too."""
    rules = []
    for url_filter in filters:
        name = type(url_filter).__name__
        rules.append(f"{name}: {url_filter.explain(url)[1]}" if isinstance(url_filter, ExplainingFilter) else name)
    return ", ".join(rules) or "no filter"
