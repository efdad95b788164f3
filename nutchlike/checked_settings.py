"""Reads settings with their bounds, so that a bad one ends the crawl at its start with name and value."""

from __future__ import annotations

import logging

from scrapy.settings import BaseSettings

from nutchlike import default_settings
from nutchlike.deduplication import COMPARED_BY, GROUP_MODES, compare_order
from nutchlike.parsing.directives import DIRECTIVES, RobotsDirectives, agent_name
from nutchlike.parsing.html import RELS
from nutchlike.urls.queue_key import MODES

logger = logging.getLogger(__name__)

# The least value of each number that the crawl reads; units stand in default_settings.py and settings.py.
FLOATS = {
    "DOWNLOAD_DELAY": 0.0,
    "NUTCH_FETCHER_SERVER_DELAY": 0.0,
    "NUTCH_FETCHER_MIN_CRAWL_DELAY": 0.0,
    "NUTCH_FETCHER_MAX_CRAWL_DELAY": -1.0,
    "NUTCH_FETCHER_EXCEPTIONS_PER_QUEUE_DELAY": 0.0,
    "NUTCH_FETCHER_EXCEPTIONS_PER_QUEUE_DELAY_MAX": 0.0,
    "NUTCH_RETRY_AFTER_MAX": 0.0,
    "NUTCH_ROBOTS_CACHE_SECONDS": 1.0,
    "NUTCH_ROBOTS_UNREACHABLE_MAX": 0.0,
    "NUTCH_LEASE_SECONDS": 3.0,
    "NUTCH_LEASE_AGE_MAX": 1.0,
    "NUTCH_STORE_WAIT_MAX": 0.0,
    "NUTCH_HOST_WAIT_MAX": 0.0,
    "NUTCH_REFETCH_SHARE": 0.0,
    "NUTCH_DB_FETCH_SCHEDULE_ADAPTIVE_INC_RATE": 0.0,
    "NUTCH_DB_FETCH_SCHEDULE_ADAPTIVE_DEC_RATE": 0.0,
    "NUTCH_DB_FETCH_SCHEDULE_ADAPTIVE_MIN_INTERVAL": 1.0,
    "NUTCH_DB_FETCH_SCHEDULE_ADAPTIVE_MAX_INTERVAL": 1.0,
    "NUTCH_DB_FETCH_SCHEDULE_ADAPTIVE_SYNC_DELTA_RATE": 0.0,
    "NUTCH_DB_FETCH_SCHEDULE_ESTIMATED_MEMORY": 1.0,
    "NUTCH_DB_SCORE_INJECTED": 0.0,
    "NUTCH_DB_SCORE_LINK_INTERNAL": 0.0,
    "NUTCH_DB_SCORE_LINK_EXTERNAL": 0.0,
    "NUTCH_INDEXER_SCORE_POWER": 0.0,
    "NUTCH_SCORING_OPIC_WINDOW": 0.001,
    "NUTCH_LINK_ANALYZE_DAMPING_FACTOR": 0.0,
    "NUTCH_LINK_ANALYZE_INITIAL_SCORE": 0.0,
    "NUTCH_SIGNATURE_SEMANTIC_IDF_DEFAULT": 0.0,
    "NUTCH_SIGNATURE_SEMANTIC_NAME_WEIGHT": 0.0,
    "NUTCH_SIGNATURE_SEMANTIC_NOUN_WEIGHT": 0.0,
    "NUTCH_SIGNATURE_BLOOM_ERROR": 1e-12,
}
INTS = {
    "CONCURRENT_REQUESTS": 0,
    "CONCURRENT_REQUESTS_PER_DOMAIN": 1,
    "NUTCH_FETCHER_THREADS_PER_QUEUE": 1,
    "NUTCH_HTTP_ROBOTS_503_DEFER_VISITS_DELAY": 1,
    "NUTCH_HTTP_ROBOTS_503_DEFER_VISITS_RETRIES": 0,
    "DEPTH_LIMIT": 0,
    "REDIRECT_MAX_TIMES": 0,
    "NUTCH_HTTP_REDIRECT_MAX": -1,
    "SCHEDULER_IDLE_BEFORE_CLOSE": 0,
    "NUTCH_LEASE_BATCH": 1,
    "NUTCH_GC_THRESHOLD": 0,
    "NUTCH_PARTITIONS": 1,
    "NUTCH_GENERATE_MAX_COUNT": -1,
    "NUTCH_GENERATE_TOP_N": -1,
    "NUTCH_FETCH_ATTEMPTS_MAX": 1,
    "NUTCH_DB_FETCH_INTERVAL_DEFAULT": 1,
    "NUTCH_DB_FETCH_INTERVAL_MAX": 1,
    "NUTCH_DB_FETCH_RETRY_MAX": 0,
    "NUTCH_SITEMAP_INTERVAL_MIN": 1,
    "NUTCH_SITEMAP_INTERVAL_MAX": 1,
    "NUTCH_SITEMAP_SIZE_MAX": 1,
    "NUTCH_SITEMAP_URLS_MAX": 1,
    "NUTCH_SITEMAP_COUNT_MAX": 1,
    "NUTCH_SITEMAP_DEPTH_MAX": 0,
    "NUTCH_SITEMAP_SITES_MAX": 1,
    "NUTCH_URLNORMALIZER_LOOP_COUNT": 1,
    "NUTCH_SCORING_DEPTH_MAX": 0,
    "NUTCH_SCORING_DEPTH_MAX_OVERRIDE": 1,
    "NUTCH_SCORING_ORPHAN_MARK_GONE_AFTER": 0,
    "NUTCH_SCORING_ORPHAN_MARK_ORPHAN_AFTER": 0,
    "NUTCH_LINK_ANALYZE_NUM_ITERATIONS": 0,
    "NUTCH_DB_MAX_ANCHOR_LENGTH": 0,
    "NUTCH_LINKRANK_EVERY": 0,
    "NUTCH_DEDUP_COPIES_FOLLOWED": -1,
    "NUTCH_DEDUP_COPIES_WARNED_OF": 0,
    "NUTCH_SIGNATURE_SEMANTIC_WORDS": 1,
    "NUTCH_DEDUP_NEAR_AGREEING": 1,
    "NUTCH_DEDUP_NEAR_WORDS_MIN": 1,
    "NUTCH_DEDUP_NEAR_PAGES_MIN": 1,
    "NUTCH_DEDUP_NEAR_REPEATED": 1,
    "NUTCH_DEDUP_NEAR_MEMORY": 8192,
    "NUTCH_DB_MAX_OUTLINK_LENGTH": -1,
    "NUTCH_DB_MAX_OUTLINKS_PER_PAGE": -1,
    "NUTCH_REQUEST_REPEATS_MAX": -1,
    "NUTCH_SIGNATURE_BLOOM_CAPACITY": 1,
}
# Names that end with what they hold for (a scope).
PREFIXES = ("NUTCH_URLNORMALIZER_REGEX_FILE_",)
BOOLS = (
    "COOKIES_ENABLED",
    "SCHEDULER_PERSIST",
    "SCHEDULER_FLUSH_ON_START",
    "NUTCH_STRICT",
    "NUTCH_URLNORMALIZER_BASIC_HOST_IDNA2008",
    "NUTCH_URLNORMALIZER_BASIC_HOST_TRIM_TRAILING_DOT",
    "NUTCH_DB_INJECTOR_OVERWRITE",
    "NUTCH_DB_INJECTOR_UPDATE",
    "NUTCH_DB_UPDATE_PURGE_404",
    "NUTCH_DB_UPDATE_PURGE_ORPHANS",
    "NUTCH_INDEXER_DELETE",
    "NUTCH_DB_FETCH_SCHEDULE_ADAPTIVE_SYNC_DELTA",
    "NUTCH_SITEMAP_CHANGEFREQ",
    "NUTCH_SITEMAP_LASTMOD",
    "NUTCH_SITEMAP_PRIORITY",
    "NUTCH_SITEMAP_STRICT_PARSING",
    "NUTCH_DB_IGNORE_EXTERNAL_LINKS",
    "NUTCH_CANONICAL_OTHER_SITES",
    "NUTCH_DEDUP_ENABLED",
    "NUTCH_DEDUP_NEAR",
    "NUTCH_SIGNATURE_SEMANTIC_LEARN",
    "NUTCH_SIGNATURE_BLOOM_CONFIRM",
    "NUTCH_CRAWL_FOREVER",
    "NUTCH_HTTP_ROBOTS_503_DEFER_VISITS",
    "NUTCH_HTTP_ENABLE_IF_MODIFIED_SINCE_HEADER",
    "NUTCH_INDEXER_SKIP_NOTMODIFIED",
    "NUTCH_STORE_OUTLINKS",
    "NUTCH_DB_SCORE_COUNT_FILTERED",
    "NUTCH_WEBGRAPH_ENABLED",
    "NUTCH_LINK_IGNORE_INTERNAL_HOST",
    "NUTCH_LINK_IGNORE_INTERNAL_DOMAIN",
    "NUTCH_LINK_IGNORE_LIMIT_PAGE",
    "NUTCH_LINK_IGNORE_LIMIT_DOMAIN",
)
# What the members of a list may be.
WORDS = {
    "NUTCH_LINKS_NOT_FOLLOWED": RELS,
    "NUTCH_META_ROBOTS_OBEY": DIRECTIVES,
    "NUTCH_CANONICAL_OBEY": frozenset({"follow", "keep"}),
    "NUTCH_DEDUP_TAKE_OVER": frozenset(COMPARED_BY),
}


def get_float(settings: BaseSettings, name: str) -> float:
    """Return a number; ValueError, naming setting and value, when it is none or below its least value."""
    return _number(settings, name, FLOATS[name])


def get_int(settings: BaseSettings, name: str) -> int:
    """Return a whole number; ValueError, naming setting and value, when it is none or below its least value."""
    value = _number(settings, name, INTS[name])
    if value != int(value):
        raise ValueError(f"{name} must be a whole number, got {settings.get(name)!r}")
    return int(value)


def get_bool(settings: BaseSettings, name: str) -> bool:
    """Return a boolean; ValueError, naming setting and value, when it is neither true nor false."""
    try:
        return settings.getbool(name)
    except ValueError as error:
        raise ValueError(f"{name} must be True, False, 1 or 0, got {settings.get(name)!r}") from error


def skips_notmodified(settings: BaseSettings) -> bool:
    """Return whether pages that have not changed are kept from the pipelines: yes, unless set, or with NUTCH_STRICT."""
    if settings.get("NUTCH_INDEXER_SKIP_NOTMODIFIED") is None:
        return not get_bool(settings, "NUTCH_STRICT")
    return get_bool(settings, "NUTCH_INDEXER_SKIP_NOTMODIFIED")


def get_words(settings: BaseSettings, name: str) -> list[str]:
    """Return a list of words; ValueError, naming setting and word, for one that means nothing there."""
    spellings = {word.lower(): word for word in WORDS[name]}
    words = [str(word).strip() for word in settings.getlist(name)]
    for word in words:
        if word.lower() not in spellings:
            raise ValueError(f"{name} must hold some of {', '.join(sorted(WORDS[name]))}, got {word!r}")
    return [spellings[word.lower()] for word in words]


def robots_directives(settings: BaseSettings) -> RobotsDirectives:
    """Return how a crawl reads what pages ask for; pages speak to the agent that robots.txt is read for."""
    return RobotsDirectives(
        obeyed=frozenset(get_words(settings, "NUTCH_META_ROBOTS_OBEY")),
        agent=agent_name(settings.get("ROBOTSTXT_USER_AGENT") or settings.get("USER_AGENT") or ""),
        strict=get_bool(settings, "NUTCH_STRICT"),
    )


def get_group_mode(settings: BaseSettings) -> str:
    """Return within what copies are compared; ValueError, naming setting and value, for none of GROUP_MODES."""
    mode = settings.get("NUTCH_DEDUPLICATION_GROUP_MODE")
    if mode not in GROUP_MODES:
        raise ValueError(f"NUTCH_DEDUPLICATION_GROUP_MODE must be one of {', '.join(GROUP_MODES)}, got {mode!r}")
    return str(mode)


def get_compare_order(settings: BaseSettings) -> list[str]:
    """Return what copies are compared by; ValueError, naming setting and value, when that cannot be."""
    text = ",".join(settings.getlist("NUTCH_DEDUPLICATION_COMPARE_ORDER"))
    try:
        return compare_order(text, strict=get_bool(settings, "NUTCH_STRICT"))
    except ValueError as error:
        raise ValueError(f"NUTCH_DEDUPLICATION_COMPARE_ORDER {error}") from None


def kept_anchor_length(settings: BaseSettings) -> int:
    """Return how many characters of a link's text are kept: 0 without a web graph to keep them in."""
    has_graph = get_bool(settings, "NUTCH_WEBGRAPH_ENABLED")
    return get_int(settings, "NUTCH_DB_MAX_ANCHOR_LENGTH") if has_graph else 0


def check_settings(settings: BaseSettings) -> None:
    """Raise ValueError for the first setting of the tables above that cannot be used; warn of unknown NUTCH_ names."""
    for name in FLOATS:
        if settings.get(name) is not None:
            get_float(settings, name)
    for name in INTS:
        if settings.get(name) is not None:
            get_int(settings, name)
    for name in BOOLS:
        if settings.get(name) is not None:
            get_bool(settings, name)
    for name in WORDS:
        get_words(settings, name)
    if settings.get("NUTCH_FETCHER_QUEUE_MODE") not in MODES:
        mode = settings.get("NUTCH_FETCHER_QUEUE_MODE")
        raise ValueError(f"NUTCH_FETCHER_QUEUE_MODE must be one of {', '.join(MODES)}, got {mode!r}")
    get_group_mode(settings)
    get_compare_order(settings)
    if settings.getint("NUTCH_SITEMAP_INTERVAL_MIN") > settings.getint("NUTCH_SITEMAP_INTERVAL_MAX"):
        least, most = settings.get("NUTCH_SITEMAP_INTERVAL_MIN"), settings.get("NUTCH_SITEMAP_INTERVAL_MAX")
        raise ValueError(f"NUTCH_SITEMAP_INTERVAL_MIN={least} must not be above NUTCH_SITEMAP_INTERVAL_MAX={most}")
    if (every := settings.get("NUTCH_LINKRANK_EVERY")) and not settings.getbool("NUTCH_WEBGRAPH_ENABLED"):
        raise ValueError(f"NUTCH_LINKRANK_EVERY={every} needs NUTCH_WEBGRAPH_ENABLED=True")
    known = set(vars(default_settings))
    unknown = sorted(
        name
        for name in map(str, settings)
        if name.startswith("NUTCH_") and name not in known and not name.startswith(PREFIXES)
    )
    if not settings.getlist("NUTCH_URL_FILTERS"):
        logger.warning("NUTCH_URL_FILTERS is empty: no rule rejects a URL")
    if unknown:
        logger.warning("Unknown settings, which nothing reads: %s", ", ".join(unknown))


def _number(settings: BaseSettings, name: str, least: float) -> float:
    try:
        value = settings.getfloat(name)
    except (TypeError, ValueError) as error:
        raise ValueError(f"{name} must be a number, got {settings.get(name)!r}") from error
    if not least <= value < float("inf"):
        raise ValueError(f"{name} must be at least {least:g}, got {settings.get(name)!r}")
    return value
