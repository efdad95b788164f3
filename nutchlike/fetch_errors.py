"""What the errors of a fetch mean for the CrawlDb."""

from __future__ import annotations

from scrapy.exceptions import IgnoreRequest
from scrapy.spidermiddlewares.httperror import HttpError

from nutchlike.fetch_failure import IGNORED, may_pass
from nutchlike.fetch_schedules.fetch_schedule import Outcome
from nutchlike.redirect_targets import REDIRECTS, redirect_outcome

REASON_LENGTH = 60  # characters that a record keeps of why a middleware refused a page


class NotModified(IgnoreRequest):
    """The server was asked whether a page has changed, and says that it has not."""


class RobotsDenied(IgnoreRequest):
    """The robots.txt of its site keeps a page from being fetched; ``reason`` is what its record keeps of that."""

    def __init__(self, reason: str, text: str) -> None:
        super().__init__(text)
        self.reason = reason


def outcome_of(error: BaseException | None) -> Outcome:
    """Return what a failure means for the CrawlDb, as Nutch's protocol-http has it.

    4xx: gone, but "later" answers (408, 425, 429) are tried again, as are 5xx, network errors and exceptions in a
    callback. A request that a rule refused (robots.txt, too many redirects) is gone. A redirect is left when it leads
    to nothing that can be fetched.
    """
    if isinstance(error, HttpError):
        status = error.response.status
        if status == 304:
            return Outcome.NOTMODIFIED
        if status in REDIRECTS:
            return redirect_outcome(status)
        return Outcome.RETRY if may_pass(status) else Outcome.GONE
    if isinstance(error, NotModified):
        return Outcome.NOTMODIFIED
    return Outcome.GONE if isinstance(error, IgnoreRequest) else Outcome.RETRY


def reason_of(error: BaseException | None) -> str:
    """Return what a page's record keeps of a failure: a few bytes, "" when there is nothing to tell."""
    if error is None or outcome_of(error) not in {Outcome.GONE, Outcome.RETRY}:
        return ""
    if isinstance(error, HttpError):
        return str(error.response.status)
    if isinstance(error, RobotsDenied):
        return error.reason
    if isinstance(error, IgnoreRequest):
        return f"{IGNORED}{str(error) or 'by a middleware'}"[:REASON_LENGTH]
    return type(error).__name__
