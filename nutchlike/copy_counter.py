"""CopyCounter: notices when many pages of a host have one content."""

from __future__ import annotations

from collections import OrderedDict

CONTENTS = 10_000  # that are counted at a time; the ones that were met least lately are forgotten


class CopyCounter:
    """Counts the pages of each host that repeat a content, and says when to warn."""

    def __init__(self, *, warn_at: int) -> None:
        """``warn_at`` pages are worth a warning, and so are ten times as many, and so on; 0 = none ever."""
        self._warn_at = warn_at
        self._counts: OrderedDict[tuple[str, bytes], int] = OrderedDict()

    def add(self, host: str, content: bytes) -> int:
        """Count one more page of ``host`` with ``content``; return how many there are when that is worth a warning."""
        count = self._counts.pop((host, content), 1) + 1  # the page that owns it is one, too
        self._counts[host, content] = count
        if len(self._counts) > CONTENTS:
            self._counts.popitem(last=False)
        return count if self._is_worth_a_warning(count) else 0

    def _is_worth_a_warning(self, count: int) -> bool:
        step = self._warn_at
        while 0 < step < count:
            step *= 10
        return step == count
