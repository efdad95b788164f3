"""MimeAdaptiveFetchSchedule: the adaptive schedule, with rates of their own for some types of content."""

from __future__ import annotations

from typing import Any

from nutchlike.contracts import SettingsReader
from nutchlike.crawldatum import CrawlDatum
from nutchlike.fetch_schedules.adaptive_schedule import AdaptiveFetchSchedule, Rates
from nutchlike.fetch_schedules.fetch_schedule import CONTENT_TYPE_METADATA
from nutchlike.java_numbers import finite_float32
from nutchlike.urls.rule_text import UNNAMED, configured_rules, numbered_lines


class MimeAdaptiveFetchSchedule(AdaptiveFetchSchedule):
    """Takes the rates of a page from Nutch's adaptive-mimetypes.txt: a type, its inc and its dec rate, parted by tabs.

    A type in the file counts in small letters; lines that begin with ``#`` are comments. A page whose type is not
    there, or that has none, has the rates of all.

    Unless ``strict``, a page's type counts in any case, and a line that cannot be used is a ValueError (Nutch passes
    over those that have no three parts).
    Source: Apache Nutch, MimeAdaptiveFetchSchedule.
    """

    reads_content_type = True

    def __init__(self, *arguments: int, mime_rates: str = "", mime_rates_source: str = UNNAMED, **more: Any) -> None:
        """Take those of AdaptiveFetchSchedule, too; ``mime_rates`` are the lines of a file."""
        super().__init__(*arguments, **more)
        self.mime_rates = dict(_parsed(mime_rates, mime_rates_source, self.strict))

    @classmethod
    def _arguments(cls, settings: SettingsReader) -> dict[str, Any]:
        rates, source = configured_rules(settings, "NUTCH_DB_FETCH_SCHEDULE_MIME")
        return {**super()._arguments(settings), "mime_rates": rates, "mime_rates_source": source}

    def _rates(self, datum: CrawlDatum) -> Rates:
        content_type = datum.metadata.get(CONTENT_TYPE_METADATA, "").partition(";")[0].strip()
        return self.mime_rates.get(content_type if self.strict else content_type.lower(), self.rates)


def _parsed(lines: str, source: str, strict: bool) -> list[tuple[str, Rates]]:
    found = []
    for number, line in numbered_lines(lines, source=source, strict=strict):
        if not line.strip() or line.startswith("#"):
            continue
        parts = line.split("\t")
        if len(parts) != 3 and strict:
            continue
        try:
            mime, inc, dec = parts
            rates = Rates(finite_float32(float(inc)), finite_float32(float(dec)))
        except ValueError:
            rates = None
        if rates is None or not (0 <= rates.inc <= 1000 and 0 <= rates.dec <= 1):
            right = "a type, its inc rate (from 0) and its dec rate (0 to 1), with tabs between"
            raise ValueError(f"{source}, line {number}: right is {right}, got {line!r}")
        found.append((mime.strip().lower(), rates))
    return found
