"""What Scrapy loads. Tune the crawl here; README.md lists every setting."""

from importlib.util import find_spec

BOT_NAME = "nutchlike"
SPIDER_MODULES = ["nutchlike.spiders"]
NEWSPIDER_MODULE = "nutchlike.spiders"
COMMANDS_MODULE = "nutchlike.commands"
ADDONS = {"nutchlike.addon.NutchlikeAddon": 100}

# Say who you are, so that a site's owner can reach you.
USER_AGENT = "nutchlike/0.1 (+https://example.org/put-your-contact-here)"
ROBOTSTXT_OBEY = True

# One request a second to a host, one at a time, however many processes work on the crawl.
DOWNLOAD_DELAY = 1.0  # seconds
DOWNLOAD_DELAY_JITTER = 0.0
CONCURRENT_REQUESTS_PER_DOMAIN = 1
CONCURRENT_REQUESTS = 32
DOWNLOAD_TIMEOUT = 60  # seconds
DOWNLOAD_MAXSIZE = 16 * 1024 * 1024  # bytes

# REDIS_URL = "redis://localhost:6379/0"   # unset: a private server, started and stopped by the crawl

METAREFRESH_MAXDELAY = 15  # seconds; a page that refreshes later is a page, and where it leads a link
COOKIES_ENABLED = False
if find_spec("uvloop") is not None:  # there is none for Windows
    ASYNCIO_EVENT_LOOP = "uvloop.Loop"  # a page costs a twelfth less CPU than with asyncio's own

CONCURRENT_ITEMS = 4  # of one page; more only makes idle tasks
FEED_EXPORT_ENCODING = "utf-8"
LOG_LEVEL = "INFO"
REMOTE_CONTROL_ENABLED = False  # a control port is no business of a deployed crawl
TELNETCONSOLE_ENABLED = False
