"""A provider's robots.txt: fetched, read with Protego, asked. RFC 9309 says what it means.

Only what Windrow asks for of itself heeds it (`harvest/refreshing`); a harvest is by agreement.
"""

from __future__ import annotations

import re
from urllib.parse import urlsplit, urlunsplit

from windrow.errors import HttpRefused, TooLarge, UpstreamBusy
from windrow.net.client import HttpClient

AGENT = "windrow"  # the product token that we go by, and that a provider can name
MAX_ROBOTS_BYTES = 500 * 1024  # what RFC 9309 (2.5) lets nobody read less of; more is not looked at
MAX_DELAY_SECONDS = 60.0  # whoever asks for more gets this
_TOO_MANY_REQUESTS = 429
_AGENT_LINE = re.compile(r"\s*user[- ]?agent\s*:?\s*([^#]*)", re.IGNORECASE)
_OTHER_AGENT = "User-agent: -"


class RobotsRules:
    """What one robots.txt lets us do."""

    def __init__(self, text: str) -> None:
        from protego import Protego  # noqa: PLC0415 - only where somebody looks

        self._rules = Protego.parse(condense_rules(text))

    def allows(self, url: str) -> bool:
        """May we ask for this address?"""
        return bool(self._rules.can_fetch(url, AGENT))

    @property
    def delay_seconds(self) -> float:
        """How long to wait between two requests; 0 where it does not say."""
        return min(self._rules.crawl_delay(AGENT) or 0.0, MAX_DELAY_SECONDS)


def robots_address(url: str) -> str:
    """Return the address of the robots.txt that holds for another address, without a user's name in it."""
    parts = urlsplit(url)
    return urlunsplit((parts.scheme, parts.netloc.rpartition("@")[2], "/robots.txt", "", ""))


def fetch_robots(http: HttpClient, url: str) -> str:
    """Return the text of the robots.txt for an address; empty where there is none: then all is allowed.

    Raises UpstreamError where it cannot be had just now: then nothing is (RFC 9309, 2.3.1.4).
    """
    address = robots_address(url)
    try:
        answer = http.get(address, is_answer=_is_any)
    except HttpRefused as exc:
        if exc.status >= 500:
            raise
        return ""  # redirects that lead nowhere: as if it were not there (2.3.1.2)
    except TooLarge as exc:
        hint = "No robots.txt is that long; tell whoever runs the server. Until then nothing is refreshed."
        raise TooLarge(str(exc), hint=hint) from exc
    if answer.status >= 500 or answer.status == _TOO_MANY_REQUESTS:
        raise UpstreamBusy(f"{address} answers with status {answer.status}")
    return answer.body[:MAX_ROBOTS_BYTES].decode("utf-8-sig", "replace") if answer.status < 400 else ""


def condense_rules(text: str) -> str:
    """Return the text with all robots but us and the nameless one called the same.

    A file that names thousands of robots over thousands of rules would be read as millions of rules.
    """
    return "\n".join(map(_condensed_line, text.splitlines()))


def _condensed_line(line: str) -> str:
    found = _AGENT_LINE.match(line)
    if found is None or found[1].strip().lower() in ("*", AGENT, f"{AGENT}*"):
        return line
    return _OTHER_AGENT


def _is_any(status: int, body: bytes) -> bool:  # noqa: ARG001 - asked by the client
    return True
