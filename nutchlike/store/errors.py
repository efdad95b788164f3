"""Errors of the store that a person has to act on, and the one that Redis has no name for; its own rise as they are."""

from __future__ import annotations

import redis


class StoreUnavailable(RuntimeError):
    """There is no store to work with; the message says what was looked for and the ways out."""


class NoAnswer(redis.ResponseError):
    """A command among others got no answer, because its node of the cluster is away; it may have been done or not."""


class CrawlGone(redis.ResponseError):
    """The server answers, but the crawl is not in it any more."""


class ContentIndexFailed(redis.ResponseError):
    """The store of content keys, which is not Redis, failed; those who wait for Redis to come back wait for it too."""
