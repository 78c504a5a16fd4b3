"""Visit counts: crawlers by their User-Agent, search engines by the Referer.

Classification relies on what clients send; nothing else of them is stored. Visits are counted
in memory and written by a thread of their own from time to time. If the library cannot be
written, counts are lost, never a request.
"""

from __future__ import annotations

import atexit
import logging
import re
import threading
from collections import Counter
from collections.abc import Mapping
from datetime import UTC, date, datetime, timedelta
from functools import lru_cache

from windrow.errors import WindrowError
from windrow.store import visit_counts
from windrow.store.store import Store
from windrow.store.visit_counts import CRAWLER, SEARCH, VisitGroup
from windrow.web.i18n.translation import message

MAX_USER_AGENT_LENGTH = 512  # bytes examined; a server lets 64 KB through
MAX_REFERER_LENGTH = 300
# Families that are not proper names are translated where they are shown.
ARCHIVES = message("web archives")
PREVIEWS = message("link previews")
MONITORS = message("monitors")
TOOLS = message("curl, wget, scripts")
OTHER_ROBOTS = message("other robots")
OTHER_ENGINES = message("other search engines")

# Each family, and the words that identify it in a User-Agent. The first match counts. Searching for plain
# words one by one is twenty times as fast as one regular expression.
FAMILIES: Mapping[str, str] = {
    "Google Scholar": "google-scholar|googlescholar|google scholar",
    "Google": "googlebot|google-inspectiontool|googleother|storebot-google|adsbot-google"
    "|mediapartners-google|apis-google|feedfetcher-google|google-cloudvertexbot",
    "Bing": "bingbot|bingpreview|adidxbot|msnbot|microsoftpreview",
    "Yandex": "yandexbot|yandex.com/bots",
    "Baidu": "baiduspider",
    "DuckDuckGo": "duckduckbot|duckassistbot|duckduckgo-favicons-bot",
    "Yahoo": "yahoo! slurp|y!j-",
    "Apple": "applebot",
    "Qwant": "qwantbot|qwantify",
    "Brave": "bravebot",
    "Seznam": "seznambot",
    "Naver": "naver.me|yeti/",
    "Sogou": "sogou web spider|sogou spider",
    "Petal": "petalbot|aspiegelbot",
    "Mojeek": "mojeekbot",
    "Semantic Scholar": "semanticscholarbot",
    "Turnitin": "turnitin",
    "Internet Archive": "archive.org_bot|ia_archiver|wayback|special_archiver",
    ARCHIVES: "heritrix|arquivo-web-crawler|archive-it|browsertrix|brozzler",
    "Common Crawl": "ccbot",
    "OpenAI": "gptbot|oai-searchbot|chatgpt-user",
    "Anthropic": "claudebot|claude-user|claude-searchbot|claude-web|anthropic-ai",
    "Perplexity": "perplexitybot|perplexity-user",
    "Mistral": "mistralai",
    "Cohere": "cohere-ai",
    "ByteDance": "bytespider|tiktokspider",
    "Amazon": "amazonbot|amzn-searchbot",
    "Facebook": "facebookexternalhit|facebookcatalog|facebot|meta-external|meta-webindexer",
    "Semrush": "semrushbot|siteauditbot|splitsignalbot",
    "Ahrefs": "ahrefsbot|ahrefssiteaudit",
    "Majestic": "mj12bot",
    "Moz": "dotbot|rogerbot",
    "DataForSEO": "dataforseobot",
    PREVIEWS: "twitterbot|linkedinbot|slackbot|slack-imgproxy|discordbot|telegrambot|whatsapp/"
    "|pinterestbot|mastodon|bluesky|skypeuripreview|redditbot|embedly",
    MONITORS: "uptimerobot|pingdom|statuscake|site24x7|uptime-kuma|betteruptime|nagios",
    TOOLS: "curl/|libcurl|wget|python-|python/|aiohttp|httpx/|urllib|scrapy|go-http-client|java/|okhttp"
    "|libwww-perl|lwp::|apache-httpclient|node-fetch|axios/|undici|postmanruntime|guzzlehttp|php/|ruby"
    "|httrack|colly|powershell|restsharp|reqwest|winhttp|httpie|insomnia",
    # Robots of no known family. A headless browser is run by a program.
    OTHER_ROBOTS: "crawl|spider|slurp|scraper|fetcher|archiver|indexer|harvest|headless|phantomjs"
    "|validator|linkcheck|preview|monitor|feedly|feedparser|feedreader|scanner",
}
# Each engine and the hosts of its result pages. Google has mail and documents on other hosts.
ENGINES: Mapping[str, str] = {
    "Google Scholar": r"scholar\.google\.(?:com?\.)?[a-z]{2,3}",
    "Google": r"(?:www\.|images\.|news\.)?google\.(?:com?\.)?[a-z]{2,3}"
    r"|com\.google\.android\.googlequicksearchbox",
    "Bing": r"(?:www\.|cn\.|m\.)?bing\.com",
    "DuckDuckGo": r"(?:www\.|html\.|lite\.|start\.)?duckduckgo\.com",
    "Yandex": r"(?:www\.)?(?:yandex\.(?:com?\.)?[a-z]{2,3}|ya\.ru)",
    "Baidu": r"(?:www\.|m\.|xueshu\.)?baidu\.com",
    "Ecosia": r"(?:www\.)?ecosia\.org",
    "Qwant": r"(?:www\.|lite\.)?qwant\.com",
    "Startpage": r"(?:[a-z0-9-]+\.)?startpage\.com",
    "Yahoo": r"(?:[a-z]{1,3}\.)?search\.yahoo\.(?:com|co\.jp)",
    "Brave": r"search\.brave\.com",
    OTHER_ENGINES: r"kagi\.com|(?:www\.)?mojeek\.com|search\.seznam\.cz|(?:m\.)?search\.naver\.com"
    r"|(?:www\.)?(?:sogou|so|swisscows|petalsearch|ask|aol|lycos|dogpile|gibiru|you)\.com"
    r"|search\.aol\.com|(?:www\.)?metager\.(?:de|org)|(?:www\.)?base-search\.net|core\.ac\.uk"
    r"|(?:www\.)?semanticscholar\.org|(?:www\.)?perplexity\.ai|chatgpt\.com|search\.marginalia\.nu"
    r"|coccoc\.com|presearch\.com|(?:www\.)?karmasearch\.org|(?:www\.)?ekoru\.org|yep\.com",
}


_WORDS = tuple((word, family) for family, words in FAMILIES.items() for word in words.split("|"))
_BOT = re.compile(r"(?<!cu)bots?(?![a-z])")  # CUBOT makes phones
_ENGINE_NAMES = tuple(ENGINES)
_ENGINE = re.compile("|".join(f"({hosts})" for hosts in ENGINES.values()))
_HOST = re.compile(r"(?:https?|android-app)://([a-z0-9.-]{1,253})(?::[0-9]{1,5})?(?:[/?#]|$)")


def crawler_family(agent: bytes) -> str | None:
    """Return the family of a crawler; None for a browser. An empty User-Agent is a robot's."""
    return _match_crawler(agent[:MAX_USER_AGENT_LENGTH])


def search_engine(referer: bytes, own_host: str) -> str | None:
    """Return the search engine that referred the visitor; None for other sites and our own pages."""
    return _match_engine(referer[:MAX_REFERER_LENGTH], own_host) if referer else None


@lru_cache(maxsize=4096)
def _match_crawler(agent: bytes) -> str | None:
    words = agent.decode("latin-1").lower()
    for word, family in _WORDS:
        if word in words:
            return family
    return OTHER_ROBOTS if not words.strip() or ("bot" in words and _BOT.search(words)) else None


def _match_engine(referer: bytes, own_host: str) -> str | None:
    host = _HOST.match(referer.decode("latin-1").lower())
    if host is None or host[1] == own_host:
        return None
    return _engine_of_host(host[1].rstrip("."))


@lru_cache(maxsize=1024)
def _engine_of_host(host: str) -> str | None:
    found = _ENGINE.fullmatch(host)
    return _ENGINE_NAMES[(found.lastindex or 1) - 1] if found else None


# Counting: `app` counts, `wiring` starts and stops the writer.

WRITE_SECONDS = 10.0
MAX_GROUPS = 5000  # kept in memory: some months of a library that cannot be written
_DAY_SECONDS = 86_400

logger = logging.getLogger("windrow.visits")


class VisitCounter:
    """Counts the page views of one process. The first count starts the writer thread; `close` ends it."""

    def __init__(self, store: Store, *, own_host: str, keep_days: int) -> None:
        self._store = store
        self._own_host = own_host
        self._keep = timedelta(days=keep_days)
        self._counts: Counter[tuple[int, str, str]] = Counter()  # by day number
        self._turn = threading.Lock()
        self._ending = threading.Event()
        self._thread: threading.Thread | None = None
        self._tidied: date | None = None
        self._told = ""

    def count(self, agent: bytes, referer: bytes) -> None:
        """Count one page view, if it was a crawler's or came from a search engine."""
        family, kind = crawler_family(agent), CRAWLER
        if family is None:
            family, kind = search_engine(referer, self._own_host), SEARCH
        if family is None:
            return
        key = (int(self._store.clock()) // _DAY_SECONDS, kind, family)
        with self._turn:
            self._counts[key] += 1
        if self._thread is None:
            self._begin()

    def write(self) -> None:
        """Write what was counted since the last time; on failure it is kept for the next."""
        with self._turn:
            taken, self._counts = self._counts, Counter()
        if not taken:
            return
        try:
            self._keep_counts(taken)
            self._told = ""
        except WindrowError as exc:
            self._take_back(taken)
            if str(exc) != self._told:
                self._told = str(exc)
                logger.error("who came by is not written: %s", exc)

    def close(self) -> None:
        """Write what is left and stop the thread."""
        self._ending.set()
        atexit.unregister(self.close)
        if self._thread is not None:
            self._thread.join()
            self._thread = None
        self.write()

    def _begin(self) -> None:
        """Start the writer thread. Not in the constructor, because a server may fork after that."""
        atexit.register(self.close)  # inside another application nothing else signals the end
        self._thread = threading.Thread(target=self._run, name="visits", daemon=True)
        self._thread.start()

    def _run(self) -> None:
        while not self._ending.wait(WRITE_SECONDS):
            self.write()

    def _keep_counts(self, taken: Counter[tuple[int, str, str]]) -> None:
        today = datetime.fromtimestamp(self._store.clock(), UTC).date()
        with self._store.writing() as connection:
            visit_counts.add(connection, {_group(*key): count for key, count in taken.items()})
            if self._tidied != today:
                visit_counts.forget(connection, (today - self._keep).isoformat())
        self._tidied = today

    def _take_back(self, taken: Counter[tuple[int, str, str]]) -> None:
        with self._turn:
            if len(taken) < MAX_GROUPS:
                self._counts.update(taken)


def _group(day: int, kind: str, family: str) -> VisitGroup:
    return VisitGroup(datetime.fromtimestamp(day * _DAY_SECONDS, UTC).date().isoformat(), kind, family)
