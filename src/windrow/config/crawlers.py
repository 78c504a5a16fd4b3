"""The settings of how crawlers are treated and counted; `schema` has them among the others."""

from __future__ import annotations

from dataclasses import dataclass

from windrow.config import kinds
from windrow.config.fields import Settings, required, setting
from windrow.config.hosts import NETWORKS
from windrow.config.kinds import Kind, SettingError

_RATE = kinds.count(0, 100_000, "requests")
_BURST = kinds.count(1, 100_000, "requests")
_SHORTEST_WORD = 3  # a shorter one is in the User-Agent of every browser


def _read_word(value: object) -> str:
    text = kinds.ASCII.read(value).strip()
    if len(text) < _SHORTEST_WORD:
        raise SettingError(f"must have {_SHORTEST_WORD} characters at least")
    return text


AGENT_WORD: Kind[str] = Kind("text", _read_word)


@dataclass(frozen=True, slots=True, kw_only=True, repr=False)
class CrawlerSettings(Settings):
    """How much of the pages one client may ask for, and what crawlers are told and counted by."""

    delay: float = setting(
        kinds.duration("0s", "1d"),
        "0s",
        "How long robots.txt asks crawlers to wait between two requests (Crawl-delay); 0s asks for nothing.",
    )
    requests_per_second: int = setting(
        _RATE,
        10,
        "How often one client may ask for pages in the long run; 0 is without limit. Unless you set this or"
        " one of the next three, what trusted proxies ask for themselves, and so this machine's own programs,"
        " is not counted.",
    )
    burst: int = setting(_BURST, 200, "How many pages one client may ask for at once before that.")
    network_requests_per_second: int = setting(
        _RATE,
        40,
        "How often all clients of one network (an IPv4 /24, an IPv6 /48) may ask for pages in the long run;"
        " 0 is without limit.",
    )
    network_burst: int = setting(
        _BURST, 800, "How many pages the clients of one network may ask for at once before that."
    )
    keep_days: int = setting(
        kinds.count(1, 36_500, "days"),
        400,
        "How long the counts per day are kept of who crawled and of visits from search engines.",
    )


@dataclass(frozen=True, slots=True, kw_only=True, repr=False)
class GoodCrawlerSettings(Settings):
    """One crawler that has a budget of its own."""

    name: str
    agent: str = required(
        AGENT_WORD, "A word of the User-Agent by which it is known, such as Googlebot. Case does not matter."
    )
    networks: tuple[str, ...] = setting(
        NETWORKS,
        [],
        "Where it comes from. Without any, everybody who sends that word is believed to be it.",
    )
    requests_per_second: int = setting(
        _RATE, 50, "How often it may ask in all in the long run; 0 is without limit."
    )
    burst: int = setting(
        kinds.count(0, 100_000, "requests"),
        1000,
        "How many requests it may make at once before that; 0 is without limit.",
    )
