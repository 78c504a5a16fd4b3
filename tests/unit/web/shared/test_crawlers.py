from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from windrow.web.http.visitors import (
    ARCHIVES,
    ENGINES,
    FAMILIES,
    MONITORS,
    OTHER_ENGINES,
    OTHER_ROBOTS,
    PREVIEWS,
    TOOLS,
    crawler_family,
    search_engine,
)

OWN = "library.example"


@pytest.mark.parametrize(
    ("agent", "family"),
    [
        ("Mozilla/5.0 (compatible; Googlebot/2.1; +http://www.google.com/bot.html)", "Google"),
        ("Mozilla/5.0 (Linux; Android 6.0.1) Safari/537.36 (compatible; Googlebot/2.1)", "Google"),
        ("Mozilla/5.0 (compatible; Google-InspectionTool/1.0)", "Google"),
        ("Google-Scholar/1.0", "Google Scholar"),
        ("Mozilla/5.0 AppleWebKit/537.36 (compatible; bingbot/2.0) Chrome/116 Safari/537.36", "Bing"),
        ("Mozilla/5.0 (compatible; YandexBot/3.0; +http://yandex.com/bots)", "Yandex"),
        ("Mozilla/5.0 (compatible; YandexImages/3.0; +http://yandex.com/bots)", "Yandex"),
        ("Mozilla/5.0 (compatible; Baiduspider/2.0)", "Baidu"),
        ("DuckDuckBot/1.1; (+http://duckduckgo.com/duckduckbot.html)", "DuckDuckGo"),
        ("Mozilla/5.0 (Macintosh) Version/17.4 Safari/605.1.15 (Applebot/0.1)", "Apple"),
        ("Mozilla/5.0 (compatible; Yahoo! Slurp)", "Yahoo"),
        ("Mozilla/5.0 (compatible; SemrushBot/7~bl)", "Semrush"),
        ("Mozilla/5.0 (compatible; AhrefsBot/7.0)", "Ahrefs"),
        (
            "Mozilla/5.0 (compatible; archive.org_bot +http://archive.org/details/archive.org_bot)",
            "Internet Archive",
        ),
        ("Mozilla/5.0 (compatible; heritrix/3.4.0 +https://archive.example)", ARCHIVES),
        ("CCBot/2.0 (https://commoncrawl.org/faq/)", "Common Crawl"),
        ("Mozilla/5.0 AppleWebKit/537.36 (compatible; GPTBot/1.2)", "OpenAI"),
        ("Mozilla/5.0 AppleWebKit/537.36 (compatible; ClaudeBot/1.0)", "Anthropic"),
        ("Mozilla/5.0 (compatible; PerplexityBot/1.0)", "Perplexity"),
        ("Mozilla/5.0 (compatible; Bytespider)", "ByteDance"),
        ("Mozilla/5.0 (compatible; Amazonbot/0.1)", "Amazon"),
        ("facebookexternalhit/1.1", "Facebook"),
        ("meta-externalagent/1.1", "Facebook"),
        ("Twitterbot/1.0", PREVIEWS),
        ("Mozilla/5.0+(compatible; UptimeRobot/2.0)", MONITORS),
        ("Wget/1.21.3", TOOLS),
        ("curl/8.5.0", TOOLS),
        ("python-requests/2.31", TOOLS),
        ("Scrapy/2.11 (+https://scrapy.org)", TOOLS),
        ("Mozilla/5.0 (compatible; ExampleBot/0.1)", OTHER_ROBOTS),
        ("Mozilla/5.0 (X11) HeadlessChrome/120.0 Safari/537.36", OTHER_ROBOTS),
        ("some-crawler", OTHER_ROBOTS),
        ("", OTHER_ROBOTS),
        (" ", OTHER_ROBOTS),
    ],
)
def test_a_crawler_is_known_by_what_it_calls_itself(agent: str, family: str) -> None:
    assert crawler_family(agent.encode()) == family


@pytest.mark.parametrize(
    "agent",
    [
        "Mozilla/5.0 (X11; Linux x86_64; rv:130.0) Gecko/20100101 Firefox/130.0",
        "Mozilla/5.0 (Windows NT 10.0; Win64; x64) AppleWebKit/537.36 Chrome/128.0 Safari/537.36 Edg/128.0",
        "Mozilla/5.0 (iPhone; CPU iPhone OS 17_5 like Mac OS X) Version/17.5 Mobile/15E148 Safari/604.1",
        "Mozilla/5.0 (Linux; Android 9; CUBOT X19) AppleWebKit/537.36 Chrome/128.0 Mobile Safari/537.36",
        "Mozilla/5.0 (Windows NT 10.0) Chrome/124.0 YaBrowser/24.6 Safari/537.36",
        "Mozilla/5.0 (Linux; Android 10) Mobile Safari/537.36 baiduboxapp/13.1",
        "Lynx/2.9.0 libwww-FM/2.14",
    ],
)
def test_a_browser_is_no_crawler(agent: str) -> None:
    assert crawler_family(agent.encode()) is None


@pytest.mark.parametrize(
    ("referer", "engine"),
    [
        ("https://www.google.com/", "Google"),
        ("https://www.google.co.uk/search?q=hay", "Google"),
        ("https://www.google.com.br", "Google"),
        ("https://google.fi/", "Google"),
        ("android-app://com.google.android.googlequicksearchbox/", "Google"),
        ("https://scholar.google.se/scholar?q=hay", "Google Scholar"),
        ("https://www.bing.com/search?q=hay", "Bing"),
        ("https://duckduckgo.com/", "DuckDuckGo"),
        ("https://yandex.ru/", "Yandex"),
        ("https://ya.ru/", "Yandex"),
        ("https://www.baidu.com/link?url=x", "Baidu"),
        ("https://www.ecosia.org/", "Ecosia"),
        ("https://www.qwant.com/", "Qwant"),
        ("https://www.startpage.com/", "Startpage"),
        ("https://se.search.yahoo.com/", "Yahoo"),
        ("https://search.brave.com/", "Brave"),
        ("https://kagi.com/", OTHER_ENGINES),
        ("HTTPS://WWW.GOOGLE.COM:443/", "Google"),
    ],
)
def test_a_visit_from_a_search_engine_is_known_by_the_page_before(referer: str, engine: str) -> None:
    assert search_engine(referer.encode(), OWN) == engine


@pytest.mark.parametrize(
    "referer",
    [
        "",
        "-",
        "https://library.example/search?q=google",
        "https://mail.google.com/",
        "https://docs.google.com/",
        "https://www.google.com.evil.example/",
        "https://google.evil.example/",
        "https://evil.example/www.google.com/",
        "https://evil.example/?https://www.google.com/",
        "https://www.google.com@evil.example/",
        "javascript:alert(1)",
        "www.google.com",
    ],
)
def test_any_other_page_is_no_search_engine(referer: str) -> None:
    assert search_engine(referer.encode(), OWN) is None


def test_our_own_host_is_no_search_engine_whatever_it_is_called() -> None:
    assert search_engine(b"https://search.brave.com/record/1", "search.brave.com") is None


@given(st.binary(max_size=3000), st.binary(max_size=3000))
def test_whatever_is_sent_only_our_own_words_come_out(agent: bytes, referer: bytes) -> None:
    assert crawler_family(agent) in {*FAMILIES, None}
    assert search_engine(referer, OWN) in {*ENGINES, None}


def test_of_an_endless_agent_only_the_start_is_looked_at() -> None:
    assert crawler_family(b"x" * 65_000 + b" Googlebot") is None
    assert search_engine(b"https://www.google.com/" + b"x" * 65_000, OWN) == "Google"
