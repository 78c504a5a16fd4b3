"""The robots.txt of an origin (RFC 9309): fetching, its rules, and the meaning of failed requests."""

from __future__ import annotations

from codecs import BOM_UTF16_BE, BOM_UTF16_LE
from collections.abc import Awaitable, Callable
from dataclasses import dataclass
from enum import StrEnum
from urllib.parse import quote, unquote_to_bytes, urlsplit

from windrow.net.robots_rules import AGENT, MAX_ROBOTS_BYTES, RobotsRules
from windrow.sources.web.fetch import REDIRECTS, Fetcher, FetchFailure
from windrow.sources.web.urls import BadUrl, web_address

FRESH_SECONDS = 24 * 3600.0  # RFC 9309 §2.4
UNAVAILABLE_SECONDS = 3600.0  # until an unreachable robots.txt is requested again
LONGEST_REST_SECONDS = 7 * 86_400.0  # a longer Retry-After is cut to this
MOST_REDIRECTS = 5  # RFC 9309 §2.3.1.2
LONGEST_FILE_BYTES = MAX_ROBOTS_BYTES + 12 * 1024  # 512 KiB; only the beginning of a longer file is read


class RobotsState(StrEnum):
    """The state of an origin's robots.txt."""

    RULES = "rules"
    NONE = "none"  # there is none (4xx): everything is allowed
    UNAVAILABLE = "unavailable"  # unreachable (5xx, timeout): nothing is allowed for now


@dataclass(frozen=True, slots=True)
class RobotsAnswer:
    """The robots.txt of an origin, and until when it is valid."""

    state: RobotsState
    text: str
    until: float  # Unix seconds
    reason: str = ""  # why it is unavailable
    code: str = ""  # the code of the `FetchFailure`; "" if the server answered


def judge_robots(status: int, body: bytes, *, now: float) -> RobotsAnswer:
    """Return the meaning of a response to a request for robots.txt (RFC 9309 §2.3.1)."""
    if 200 <= status < 300:
        is_wide = body.startswith((BOM_UTF16_LE, BOM_UTF16_BE))  # some editors save it so
        text = body[:LONGEST_FILE_BYTES].decode("utf-16" if is_wide else "utf-8-sig", "replace")
        text = text.replace("\r\n", "\n").replace("\r", "\n")
        return RobotsAnswer(RobotsState.RULES, text.replace("\x00", ""), now + FRESH_SECONDS)
    if 400 <= status < 500 and status != 429:
        return RobotsAnswer(RobotsState.NONE, "", now + FRESH_SECONDS)
    return unavailable(f"it answers with status {status}", now=now)


def unavailable(reason: str, *, now: float, wait: float = 0.0, code: str = "") -> RobotsAnswer:
    """Return the answer for an unreachable robots.txt: nothing is allowed for now."""
    until = now + min(max(wait, UNAVAILABLE_SECONDS), LONGEST_REST_SECONDS)
    return RobotsAnswer(RobotsState.UNAVAILABLE, "", until, reason, code)


async def fetch_robots(
    fetcher: Fetcher, origin: str, *, clock: Callable[[], float], pause: Callable[[str], Awaitable[bool]]
) -> tuple[RobotsAnswer, int]:
    """Request a robots.txt; return its meaning, and the number of requests.

    Redirects are followed, also to other hosts (§2.3.1.2). Before each, `pause` waits until the given host
    may be contacted, and returns False if that takes too long.
    """
    url, asked = f"{origin}/robots.txt", 0
    try:
        while asked <= MOST_REDIRECTS:
            if asked and not await pause(web_address(url).host):
                return unavailable("it redirects to a host that may not be asked now", now=clock()), asked
            asked += 1
            answer = await fetcher.fetch(url, cut_bytes=LONGEST_FILE_BYTES)
            if answer.status not in REDIRECTS:
                found = judge_robots(answer.status, answer.body, now=clock())
                if found.state is RobotsState.UNAVAILABLE:
                    found = unavailable(found.reason, now=clock(), wait=answer.wait_seconds() or 0.0)
                return found, asked
            url = web_address(answer.headers.get("location", ""), url).url
    except FetchFailure as exc:
        if asked > 1:  # the target of the redirect fails, not the host itself
            return unavailable(f"it redirects to {url[:200]}, which failed: {exc}", now=clock()), asked
        return unavailable(str(exc), now=clock(), code=exc.code), asked
    except BadUrl as exc:
        return unavailable(f"it redirects to what is no address: {exc}", now=clock()), asked
    return unavailable("it redirects without end", now=clock()), asked


class RobotsPolicy:
    """The rules of one robots.txt."""

    def __init__(self, answer: RobotsAnswer) -> None:
        self.answer = answer
        self._rules = RobotsRules(answer.text) if answer.text else None

    @property
    def is_closed(self) -> bool:
        """True if nothing is allowed for now, because the file is unreachable."""
        return self.answer.state is RobotsState.UNAVAILABLE

    def allows(self, url: str) -> bool:
        if self.is_closed:
            return False
        return self._rules is None or self._rules.allows(url)

    @property
    def delay_seconds(self) -> float:
        """The Crawl-delay, within the limit of `net.robots_rules`; 0 if there is none."""
        return self._rules.delay_seconds if self._rules is not None else 0.0

    def sitemaps(self) -> list[str]:
        """Return the sitemaps named in the file, at most a hundred."""
        found = (line.partition(":") for line in self.answer.text.splitlines())
        return [value.strip() for name, _, value in found if name.strip().lower() == "sitemap"][:100]

    def line_for(self, url: str) -> str:
        """Return the rule that decides about an address, as written; "" if none applies.

        The longest matching pattern decides, and Allow wins over a Disallow of the same length (§2.2.2).
        """
        if not self.answer.text:
            return ""
        is_allowed = self.allows(url)
        best = ""
        path = _spelling(urlsplit(url)._replace(scheme="", netloc="", fragment="").geturl() or "/")
        for line in _our_lines(self.answer.text):
            field, _, value = line.partition(":")
            value = value.strip()
            if not value or (field.strip().lower() == "allow") != is_allowed:
                continue
            if len(value) >= len(best.partition(":")[2].strip()) and _is_match(_spelling(value), path):
                best = f"{field.strip()}: {value}"
        return best


def _spelling(text: str) -> str:
    return quote(unquote_to_bytes(text), safe="/*$?=&:;,+!@'()~%")


def _is_match(pattern: str, path: str) -> bool:
    """Return True if a pattern with `*` and a final `$` matches the beginning of a path (§2.2.3).

    Matched piece by piece, so that no pattern takes more than linear time: a file may have 20,000.
    """
    is_whole = pattern.endswith("$")
    first, *pieces = pattern.removesuffix("$").split("*")
    if not path.startswith(first):
        return False
    at = len(first)
    last = pieces.pop() if is_whole and pieces else None
    for piece in pieces:
        found = path.find(piece, at)
        if found < 0:
            return False
        at = found + len(piece)
    if last is not None:
        return path.endswith(last) and len(path) - len(last) >= at
    return not is_whole or at == len(path)


def _our_lines(text: str) -> list[str]:
    """Return the Allow and Disallow lines of the group for our user agent, else of the group for all."""
    groups: dict[str, list[str]] = {}
    agents: list[str] = []
    is_open = False
    for raw in text.splitlines()[:20_000]:
        line = raw.partition("#")[0].strip()
        field, colon, value = line.partition(":")
        name = field.strip().lower()
        if not colon:
            continue
        if name == "user-agent":
            if not is_open:
                agents = []
            is_open = True
            agents.append(value.strip().lower())
        elif name in ("allow", "disallow"):
            is_open = False
            for agent in agents:
                groups.setdefault(agent, []).append(line)
    return groups.get(AGENT, groups.get("*", []))
