"""Every setting's default, once, with its unit. A Nutch property ``a.b-c.d`` is ``NUTCH_A_B_C_D``."""

from __future__ import annotations

NUTCH_STRICT = False  # Nutch's exact behaviour, where ours differs from it on purpose

# --- Seeds (Nutch: Injector) ---------------------------------------------------------------------
NUTCH_DB_SCORE_INJECTED = 1.0  # OPIC cash that a seed brings when its line says nothing
NUTCH_DB_INJECTOR_OVERWRITE = False  # a seed that is already known replaces the record
NUTCH_DB_INJECTOR_UPDATE = False  # a seed that is already known updates score, interval, metadata

# --- When a page is fetched again (Nutch: FetchSchedule) -----------------------------------------
NUTCH_FETCH_SCHEDULE_CLASS = "nutchlike.fetch_schedules.DefaultFetchSchedule"
NUTCH_DB_FETCH_INTERVAL_DEFAULT = 2_592_000  # seconds (30 days)
NUTCH_DB_FETCH_INTERVAL_MAX = 7_776_000  # seconds (90 days)
NUTCH_DB_FETCH_RETRY_MAX = 3  # failed fetches in a row until db_gone

# --- URLs ----------------------------------------------------------------------------------------
NUTCH_URL_NORMALIZERS = ["nutchlike.urls.normalizers.BasicURLNormalizer"]  # import paths, in order
NUTCH_URLNORMALIZER_BASIC_HOST_IDN = ""  # "" keeps host names as they are written, or toAscii, or toUnicode
NUTCH_URLNORMALIZER_BASIC_HOST_IDNA2008 = False  # IDNA 2008 (UTS 46) in place of IDNA 2003
NUTCH_URLNORMALIZER_BASIC_HOST_TRIM_TRAILING_DOT = False  # http://a.test./ is http://a.test/
NUTCH_URL_FILTERS = ["nutchlike.urls.filters.RegexURLFilter"]  # import paths, in order
NUTCH_URLFILTER_REGEX_FILE = "regex-urlfilter.txt"  # absolute, in the working folder, or in the package's conf/
NUTCH_URLFILTER_REGEX_RULES: str | None = None  # the rules themselves; beats the file
NUTCH_DB_MAX_OUTLINK_LENGTH = 4096  # characters; a longer link is dropped before any rule sees it
NUTCH_DB_MAX_OUTLINKS_PER_PAGE = -1  # links taken from one page; -1 = all
NUTCH_DB_IGNORE_EXTERNAL_LINKS = True  # stay on the host (or domain) of the page that has the link
NUTCH_DB_IGNORE_EXTERNAL_LINKS_MODE = "byHost"

# --- Scores --------------------------------------------------------------------------------------
NUTCH_SCORING_FILTERS = ["nutchlike.scoring.opic.PaperOPIC"]  # import paths, in order

# --- Signatures and duplicates -------------------------------------------------------------------
NUTCH_SIGNATURE_CLASS = "nutchlike.signatures.text_profile.TextProfileSignature"
NUTCH_DB_SIGNATURE_TEXT_PROFILE_MIN_TOKEN_LEN = 2  # characters; tokens must be longer
NUTCH_DB_SIGNATURE_TEXT_PROFILE_QUANT_RATE = 0.01  # share of the highest token count
NUTCH_DB_SIGNATURE_TEXT_PROFILE_SEC_SORT_LEX = True  # tokens of equal count by code point
NUTCH_DEDUP_ENABLED = True

# --- Politeness (Nutch: fetcher) -----------------------------------------------------------------
NUTCH_FETCHER_SERVER_DELAY: float | None = None  # seconds between two requests to a host; None = DOWNLOAD_DELAY
NUTCH_FETCHER_THREADS_PER_QUEUE: int | None = None  # requests at once to a host; None = CONCURRENT_REQUESTS_PER_DOMAIN

# --- Frontier ------------------------------------------------------------------------------------
NUTCH_CRAWL_ID: str | None = None  # which crawl in the store; None = the spider's name
NUTCH_DATA_DIR: str | None = None  # folder of the embedded store; None = .scrapy/nutch beside scrapy.cfg
NUTCH_LEASE_SECONDS = 60  # a page whose worker is silent for so long is handed out again
NUTCH_LEASE_AGE_MAX = 1800  # seconds; a page that is not done by then is given up by its worker
NUTCH_LEASE_BATCH = 16  # pages leased with one call while hosts need no delay
NUTCH_FETCH_ATTEMPTS_MAX = 5  # lost leases until a URL becomes a dead letter
NUTCH_STORE_WAIT_MAX = 60  # seconds that a crawl waits for a store that does not answer

# --- Items ---------------------------------------------------------------------------------------
NUTCH_STORE_OUTLINKS = False  # PageItem.outlinks keeps the links that were taken
