"""Every setting's default, once, with its unit. A Nutch property ``a.b-c.d`` is ``NUTCH_A_B_C_D``."""

from __future__ import annotations

NUTCH_STRICT = False  # Nutch's exact behaviour, where ours differs from it on purpose
# Folder with Nutch's own files: nutch-default.xml counts less than the NUTCH_ settings of settings.py, nutch-site.xml
# more, a spider's settings and the command line most. Rule files are looked up here first.
NUTCH_CONF_DIR: str | None = None

# --- Seeds (Nutch: Injector) ---------------------------------------------------------------------
NUTCH_DB_SCORE_INJECTED = 1.0  # OPIC cash that a seed brings when its line says nothing
NUTCH_DB_INJECTOR_OVERWRITE = False  # a seed that is already known replaces the record
NUTCH_DB_INJECTOR_UPDATE = False  # a seed that is already known updates score, interval, metadata
NUTCH_DB_UPDATE_PURGE_404 = False  # scrapy inject first purges the pages that are db_gone
NUTCH_DB_UPDATE_PURGE_ORPHANS = False  # and those that are db_orphan

# --- Sitemaps (Nutch: SitemapProcessor) ----------------------------------------------------------
NUTCH_SITEMAP_CHANGEFREQ = True  # changefreq is the fetch interval of a page
NUTCH_SITEMAP_LASTMOD = True  # a tenth of the time since it is, without a changefreq; and a changed page is due
NUTCH_SITEMAP_PRIORITY = True  # priority / 0.5 is the factor of a page's score
NUTCH_SITEMAP_INTERVAL_MIN = 86_400  # seconds (1 day) that such an interval has at least
NUTCH_SITEMAP_INTERVAL_MAX = 7_776_000  # seconds (90 days) that it has at most
NUTCH_SITEMAP_STRICT_PARSING = True  # a sitemap speaks for its own host, and those whose robots.txt names it
NUTCH_SITEMAP_SIZE_MAX = 1_073_741_824  # bytes of one sitemap, as it is sent and unpacked; the rest is not read
NUTCH_SITEMAP_URLS_MAX = 5_000_000  # entries of a sitemap and of all that its index lists; the rest is not read
NUTCH_SITEMAP_COUNT_MAX = 50_000  # sitemaps that are read for one that was named
NUTCH_SITEMAP_DEPTH_MAX = 3  # how deep sitemaps may lie in indexes
NUTCH_SITEMAP_SITES_MAX = 1_000  # sites of seeds whose robots.txt sitemaps=auto looks into

# --- When a page is fetched again (Nutch: FetchSchedule) -----------------------------------------
NUTCH_FETCH_SCHEDULE_CLASS = "nutchlike.fetch_schedules.DefaultFetchSchedule"
NUTCH_DB_FETCH_INTERVAL_DEFAULT = 2_592_000  # seconds (30 days)
NUTCH_DB_FETCH_INTERVAL_MAX = 7_776_000  # seconds (90 days)
NUTCH_DB_FETCH_RETRY_MAX = 3  # failed fetches in a row until db_gone
# AdaptiveFetchSchedule: by what part an interval grows (0 to 1000) when a page has not changed, and shrinks (0 to 1)
# when it has; its bounds, in seconds; the part (0 to 1) of the time since its last change by which it is due sooner.
NUTCH_DB_FETCH_SCHEDULE_ADAPTIVE_INC_RATE = 0.4
NUTCH_DB_FETCH_SCHEDULE_ADAPTIVE_DEC_RATE = 0.2
NUTCH_DB_FETCH_SCHEDULE_ADAPTIVE_MIN_INTERVAL = 60.0
NUTCH_DB_FETCH_SCHEDULE_ADAPTIVE_MAX_INTERVAL = 31_536_000.0  # 365 days
NUTCH_DB_FETCH_SCHEDULE_ADAPTIVE_SYNC_DELTA = True  # the time since the last change counts
NUTCH_DB_FETCH_SCHEDULE_ADAPTIVE_SYNC_DELTA_RATE = 0.3
# Bounds of single hosts, and rates of single types of content; both are looked up like the rule files below.
NUTCH_DB_FETCH_SCHEDULE_ADAPTIVE_HOST_INTERVALS_FILE = "adaptive-host-specific-intervals.txt"
NUTCH_DB_FETCH_SCHEDULE_ADAPTIVE_HOST_INTERVALS_RULES: str | None = None
NUTCH_DB_FETCH_SCHEDULE_MIME_FILE = "adaptive-mimetypes.txt"
NUTCH_DB_FETCH_SCHEDULE_MIME_RULES: str | None = None
NUTCH_DB_FETCH_SCHEDULE_ESTIMATED_MEMORY = 20.0  # EstimatedFetchSchedule: fetches of a page that count, about
NUTCH_HTTP_ENABLE_IF_MODIFIED_SINCE_HEADER = True  # servers are asked whether a page has changed: ETag, Last-Modified
# An unchanged page does not go to the pipelines behind ours, nor into feeds; None = so it is, but for NUTCH_STRICT.
NUTCH_INDEXER_SKIP_NOTMODIFIED: bool | None = None

# --- URLs ----------------------------------------------------------------------------------------
NUTCH_URL_NORMALIZERS = [  # import paths, in order
    "nutchlike.urls.normalizers.BasicURLNormalizer",
    "nutchlike.urls.normalizers.RegexURLNormalizer",
]
# Times that the normalizers run at most, until nothing changes; None = 4, or Nutch's 1 with NUTCH_STRICT.
NUTCH_URLNORMALIZER_LOOP_COUNT: int | None = None
NUTCH_URLNORMALIZER_BASIC_HOST_IDN = ""  # "" keeps host names as they are written, or toAscii, or toUnicode
NUTCH_URLNORMALIZER_BASIC_HOST_IDNA2008 = False  # IDNA 2008 (UTS 46) in place of IDNA 2003
NUTCH_URLNORMALIZER_BASIC_HOST_TRIM_TRAILING_DOT = False  # http://a.test./ is http://a.test/
# Rule files of normalizers and filters: absolute, in NUTCH_CONF_DIR, in the working folder, or in the package's conf/.
# The rules themselves, in the setting that ends with _RULES, beat the file; empty rules are no rules.
NUTCH_URLNORMALIZER_REGEX_FILE = "regex-normalize.xml"  # ..._FILE_<SCOPE> for one scope
NUTCH_URLNORMALIZER_REGEX_RULES: str | None = None
NUTCH_URLNORMALIZER_PROTOCOLS_FILE = "protocols.txt"
NUTCH_URLNORMALIZER_PROTOCOLS_RULES: str | None = None
NUTCH_URLNORMALIZER_HOSTS_FILE = "host-urlnormalizer.txt"
NUTCH_URLNORMALIZER_HOSTS_RULES: str | None = None
NUTCH_URLNORMALIZER_SLASHES_FILE = "slashes.txt"
NUTCH_URLNORMALIZER_SLASHES_RULES: str | None = None
NUTCH_URL_FILTERS = ["nutchlike.urls.filters.RegexURLFilter"]  # import paths, in order
NUTCH_URLFILTER_REGEX_FILE = "regex-urlfilter.txt"
NUTCH_URLFILTER_REGEX_RULES: str | None = None
NUTCH_URLFILTER_AUTOMATON_FILE = "automaton-urlfilter.txt"
NUTCH_URLFILTER_AUTOMATON_RULES: str | None = None
NUTCH_URLFILTER_PREFIX_FILE = "prefix-urlfilter.txt"
NUTCH_URLFILTER_PREFIX_RULES: str | None = None
NUTCH_URLFILTER_SUFFIX_FILE = "suffix-urlfilter.txt"
NUTCH_URLFILTER_SUFFIX_RULES: str | None = None
NUTCH_URLFILTER_DOMAIN_FILE = "domain-urlfilter.txt"
NUTCH_URLFILTER_DOMAIN_RULES: str | None = None
NUTCH_URLFILTER_DOMAINDENYLIST_FILE = "domaindenylist-urlfilter.txt"
NUTCH_URLFILTER_DOMAINDENYLIST_RULES: str | None = None
NUTCH_URLFILTER_FAST_FILE = "fast-urlfilter.txt"
NUTCH_URLFILTER_FAST_RULES: str | None = None
NUTCH_URLFILTER_FAST_URL_MAX_LENGTH = -1  # characters (UTF-16 units) of the URL, its path, its query; -1 = no limit
NUTCH_URLFILTER_FAST_URL_PATH_MAX_LENGTH = -1
NUTCH_URLFILTER_FAST_URL_QUERY_MAX_LENGTH = -1
NUTCH_DB_IGNORE_EXTERNAL_EXEMPTIONS_FILE = "db-ignore-external-exemptions.txt"
NUTCH_DB_IGNORE_EXTERNAL_EXEMPTIONS_RULES: str | None = None
NUTCH_DB_MAX_OUTLINK_LENGTH = 4096  # characters; a longer link is dropped before any rule sees it
NUTCH_REQUEST_REPEATS_MAX = 100  # times in a row that a callback may ask for its own page again; -1 = for ever
NUTCH_DB_MAX_OUTLINKS_PER_PAGE = -1  # links taken from one page; -1 = all
NUTCH_LINKS_NOT_FOLLOWED = ["nofollow"]  # links with one of these in rel: nofollow, ugc, sponsored; [] = follow all
NUTCH_META_ROBOTS_OBEY = ["noindex", "nofollow", "noarchive"]  # wishes of meta robots and X-Robots-Tag that count
NUTCH_DB_IGNORE_EXTERNAL_LINKS = True  # stay on the host (or domain) of the page that has the link
NUTCH_DB_IGNORE_EXTERNAL_LINKS_MODE = "byHost"  # or byDomain
NUTCH_HTTP_REDIRECT_MAX: int | None = None  # redirects in a row that are followed; None, 0, -1 = REDIRECT_MAX_TIMES
NUTCH_CANONICAL_OBEY = ["follow", "keep"]  # rel=canonical is a link; of two copies the one that it names is kept
NUTCH_CANONICAL_OTHER_SITES = False  # it also counts when it names a page of another host (or domain, as above)

# --- Scores --------------------------------------------------------------------------------------
NUTCH_SCORING_FILTERS = ["nutchlike.scoring.opic.PaperOPIC"]  # import paths, in order
NUTCH_SCORING_OPIC_WINDOW = 4.0  # adaptive OPIC's memory: it ends when all cash was spent so many times
NUTCH_DB_SCORE_LINK_INTERNAL = 1.0  # Nutch's OPIC: factor of the score that a link to the page's own host gives
NUTCH_DB_SCORE_LINK_EXTERNAL = 1.0  # the same for a link to another host
NUTCH_DB_SCORE_COUNT_FILTERED = False  # Nutch's OPIC: links that a rule dropped count when a score is divided
NUTCH_INDEXER_SCORE_POWER = 0.5  # Nutch's OPIC: an item's score is its page's to this power
NUTCH_SCORING_DEPTH_MAX = 1000  # pages from a seed on, itself included, at most; 0 = 1000
NUTCH_SCORING_DEPTH_OVERRIDE_PATTERN: str | None = None  # Java regular expression of URLs that have another limit
NUTCH_SCORING_DEPTH_MAX_OVERRIDE = 10  # that limit
NUTCH_SCORING_DB_MD: list[str] = []  # names of metadata that passes from a record to its page's content,
NUTCH_SCORING_CONTENT_MD: list[str] = []  # from the content (HTTP headers too) to the item,
NUTCH_SCORING_PARSE_MD: list[str] = []  # and from the item to the page's outlinks
NUTCH_URLMETA_TAGS: list[str] = []  # names of metadata that passes all three
NUTCH_SCORING_ORPHAN_MARK_GONE_AFTER = 2_592_000  # seconds (30 days) without a link until a page is db_gone
NUTCH_SCORING_ORPHAN_MARK_ORPHAN_AFTER = 3_456_000  # seconds (40 days) without a link until it is db_orphan
NUTCH_SCORING_SIMILARITY_MODEL = "cosine"  # the only one
NUTCH_SCORING_SIMILARITY_NGRAMS = [1, 1]  # words that make one term, at least and at most
NUTCH_SCORING_SIMILARITY_STOPWORD_FILE = "stopwords.txt"  # one word a line; looked up like a rule file
NUTCH_COSINE_GOLDSTANDARD_FILE = "goldstandard.txt"  # text that pages should be like; looked up like a rule file

# --- Web graph and LinkRank ----------------------------------------------------------------------
NUTCH_WEBGRAPH_ENABLED = False  # keep which page links to which: 8 bytes a link and 90 a page
NUTCH_DB_MAX_ANCHOR_LENGTH = 100  # characters of a link's text that the web graph keeps; 0 = no texts
NUTCH_LINK_IGNORE_INTERNAL_HOST = True  # links to the page's own host are not part of the graph
NUTCH_LINK_IGNORE_INTERNAL_DOMAIN = True  # nor those to its own domain
NUTCH_LINK_IGNORE_LIMIT_PAGE = True  # one link from a page to another (without its query), and the other way round
NUTCH_LINK_IGNORE_LIMIT_DOMAIN = True  # one link from a page to a domain, and from a domain to a page
NUTCH_LINKRANK_EVERY = 0  # pages that all workers together take up from one LinkRank to the next; 0 = none in a crawl
NUTCH_LINK_ANALYZE_DAMPING_FACTOR = 0.85  # 0 to 1: part of a score that came by links
NUTCH_LINK_ANALYZE_NUM_ITERATIONS = 10
NUTCH_LINK_ANALYZE_INITIAL_SCORE = 1.0  # of every page, before the first iteration

# --- Signatures and duplicates -------------------------------------------------------------------
NUTCH_SIGNATURE_CLASS = "nutchlike.signatures.text_profile.TextProfileSignature"
NUTCH_DB_SIGNATURE_TEXT_PROFILE_MIN_TOKEN_LEN = 2  # characters; tokens must be longer
NUTCH_DB_SIGNATURE_TEXT_PROFILE_QUANT_RATE = 0.01  # share of the highest token count
NUTCH_DB_SIGNATURE_TEXT_PROFILE_SEC_SORT_LEX = True  # tokens of equal count by code point
NUTCH_SIGNATURE_MURMUR_SEED = 0  # MurmurSignature: 0 to 2**64 - 1, 0xe17a1465 is what Java programs often take
NUTCH_SIGNATURE_SEMANTIC_SYNONYMS_FILE: str | None = None  # SemanticFingerprint: base words and their variants
NUTCH_SIGNATURE_SEMANTIC_IDF_FILE: str | None = "idf.txt"  # word<TAB>IDF; both files are looked up like rule files
NUTCH_SIGNATURE_SEMANTIC_IDF_DEFAULT: float | None = None  # of words outside that file; None = as the file says
NUTCH_SIGNATURE_SEMANTIC_WORDS = 100  # words that are digested
NUTCH_SIGNATURE_SEMANTIC_HASH = "md5"  # or murmur, lookup3
NUTCH_SIGNATURE_SEMANTIC_NAME_WEIGHT = 2.0  # factor of names: people, places, organizations
NUTCH_SIGNATURE_SEMANTIC_NOUN_WEIGHT = 1.5  # factor of other nouns
NUTCH_SIGNATURE_SEMANTIC_TAGGER: str | None = None  # import path of a function from words to WordKinds
NUTCH_SIGNATURE_SEMANTIC_LEARN = False  # count in how many pages each word stands, for scrapy idf
NUTCH_DEDUP_ENABLED = True
# By what a later copy takes a content over, in order: score, fetchTime, httpsOverHttp, urlLength; [] = by nothing.
NUTCH_DEDUP_TAKE_OVER: list[str] = []
NUTCH_DEDUP_COPIES_FOLLOWED = 3  # pages in a row that repeat another's, and whose links count; -1 = any number
NUTCH_DEDUP_COPIES_WARNED_OF = 30  # URLs of a host with one content; 0 = no warning
# Where the pages' content keys and their owners are kept: import path of a ContentIndex (store/content_index.py).
NUTCH_SIGNATURE_STORE_CLASS = "nutchlike.store.signature_index.SignatureIndex"
NUTCH_SIGNATURE_BLOOM_CAPACITY = 1_000_000  # contents that the Bloom filter is begun for; it grows beyond
NUTCH_SIGNATURE_BLOOM_ERROR = (
    1e-6  # above 0, below 1: share of new contents that the filter takes for known ones, at most
)
NUTCH_SIGNATURE_BLOOM_CONFIRM = True  # keep the owners too, and believe no hit of the filter alone
NUTCH_DEDUPLICATION_GROUP_MODE = "none"  # copies are compared: all, those of a host, those of a domain
NUTCH_DEDUPLICATION_COMPARE_ORDER = "score,fetchTime,urlLength"  # what decides which is kept; also httpsOverHttp
NUTCH_DEDUP_NEAR = False  # pages whose text is nearly that of another page are duplicates, too
# Near duplicates: sketches of 69 bytes, compared by what a page says beyond its host's template.
NUTCH_DEDUP_NEAR_AGREEING = 46  # bytes of 64 in which two sketches agree at least: 5 % of the words edited, some 10 %
NUTCH_DEDUP_NEAR_WORDS_MIN = 100  # own words of a page that may have near duplicates
NUTCH_DEDUP_NEAR_PAGES_MIN = 16  # pages of a host that a worker sees before it judges one
NUTCH_DEDUP_NEAR_REPEATED = 8  # pages of a host that share three words in a row when those are its template's
NUTCH_DEDUP_NEAR_MEMORY = 67_108_864  # bytes of a worker for the templates of all hosts

# --- Politeness (Nutch: fetcher) -----------------------------------------------------------------
NUTCH_FETCHER_QUEUE_MODE = "byHost"  # what counts as one host: its name, byDomain, or byIP
NUTCH_FETCHER_SERVER_DELAY: float | None = None  # seconds between two requests to a host; None = DOWNLOAD_DELAY
NUTCH_FETCHER_THREADS_PER_QUEUE: int | None = None  # requests at once to a host; None = CONCURRENT_REQUESTS_PER_DOMAIN
NUTCH_FETCHER_MIN_CRAWL_DELAY: float | None = None  # seconds; a shorter Crawl-delay counts as this; None = the delay
NUTCH_FETCHER_MAX_CRAWL_DELAY = 30.0  # seconds; pages of a site that asks for more are gone; -1 = wait as asked
NUTCH_FETCHER_EXCEPTIONS_PER_QUEUE_DELAY = 5.0  # seconds without requests after a host failed, doubled each time
NUTCH_FETCHER_EXCEPTIONS_PER_QUEUE_DELAY_MAX = 3600.0  # seconds that failures in a row make at most
NUTCH_RETRY_AFTER_MAX = 86_400.0  # seconds; a longer Retry-After counts as this
NUTCH_HOST_WAIT_MAX = 60.0  # seconds; a host that is held for longer does not keep the crawl, or a lease, waiting
NUTCH_ROBOTS_CACHE_SECONDS = 86_400.0  # seconds for which a robots.txt counts
NUTCH_ROBOTS_UNREACHABLE_MAX = 2_592_000.0  # seconds (30 days); one that fails for so long allows all
NUTCH_HTTP_ROBOTS_503_DEFER_VISITS = True  # no page of a host whose robots.txt fails (5xx, 429, no answer)
NUTCH_HTTP_ROBOTS_503_DEFER_VISITS_DELAY = 300_000  # milliseconds until such a robots.txt is asked for again
NUTCH_HTTP_ROBOTS_503_DEFER_VISITS_RETRIES = 3  # times in a row; then NUTCH_ROBOTS_CACHE_SECONDS pass

# --- Frontier ------------------------------------------------------------------------------------
NUTCH_CRAWL_ID: str | None = None  # which crawl in the store; None = the spider's name
NUTCH_CRAWL_FOREVER = False  # the crawl does not end: it waits for pages that are due again, and for seeds
NUTCH_DATA_DIR: str | None = None  # folder of the embedded store; None = .scrapy/nutch beside scrapy.cfg
# Partitions that a crawl's URLs are spread over, fixed when it begins; None = as it was begun, else 1 (a cluster: 16).
NUTCH_PARTITIONS: int | None = None
NUTCH_GENERATE_MAX_COUNT = -1  # URLs of one host that are ever fetched, over all runs; -1 = all
NUTCH_GENERATE_TOP_N = -1  # URLs that are ever fetched, over all runs; -1 = all
NUTCH_REFETCH_SHARE = 0.5  # part of the fetches that goes to pages fetched before, while new ones wait too; 0 to 1
NUTCH_LEASE_SECONDS = 60  # a page whose worker is silent for so long is handed out again
NUTCH_LEASE_AGE_MAX = 1800  # seconds; a page that is not done by then is given up by its worker
NUTCH_LEASE_BATCH = 16  # pages leased with one call while hosts need no delay
NUTCH_FETCH_ATTEMPTS_MAX = 10  # lost leases until a URL becomes a dead letter
NUTCH_GC_THRESHOLD = 10_000  # new objects until Python looks for cycles of them; 0 = as Python does (700)
NUTCH_STORE_WAIT_MAX = 60  # seconds that a crawl waits for a store that does not answer

# --- Items ---------------------------------------------------------------------------------------
NUTCH_INDEXER_DELETE = False  # a DeletedItem tells of each page that came out before and does so no more
NUTCH_STORE_OUTLINKS = False  # PageItem.outlinks keeps the links that were taken
