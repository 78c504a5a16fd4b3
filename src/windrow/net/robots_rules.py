"""A provider's robots.txt (RFC 9309), fetched and parsed with Protego.

It applies only to requests that Windrow makes on its own initiative (`harvest.oai.record_refresh`); a harvest
is by agreement with the provider.
"""

from __future__ import annotations

import re
from urllib.parse import urlsplit, urlunsplit

from windrow.errors import HttpRefused, TooLarge, UpstreamBusy
from windrow.net.client import HttpClient

AGENT = "windrow"  # our product token, which a provider can address
MAX_ROBOTS_BYTES = 500 * 1024  # the minimum that RFC 9309 §2.5 requires; the rest is ignored
MAX_DELAY_SECONDS = 60.0  # longer delays are cut to this
_TOO_MANY_REQUESTS = 429
_AGENT_LINE = re.compile(r"\s*user[- ]?agent\s*:?\s*([^#]*)", re.IGNORECASE)
_OTHER_AGENT = "User-agent: -"


class RobotsRules:
    """The rules of one robots.txt for Windrow."""

    def __init__(self, text: str) -> None:
        from protego import Protego  # noqa: PLC0415 - loaded on first use

        self._rules = Protego.parse(condense_rules(text))

    def allows(self, url: str) -> bool:
        return bool(self._rules.can_fetch(url, AGENT))

    @property
    def delay_seconds(self) -> float:
        """The Crawl-delay between two requests; 0 if there is none."""
        return min(self._rules.crawl_delay(AGENT) or 0.0, MAX_DELAY_SECONDS)


def robots_address(url: str) -> str:
    """Return the address of the robots.txt that applies to another address, without credentials."""
    parts = urlsplit(url)
    return urlunsplit((parts.scheme, parts.netloc.rpartition("@")[2], "/robots.txt", "", ""))


def fetch_robots(http: HttpClient, url: str) -> str:
    """Return the robots.txt for an address; empty if there is none, and then everything is allowed.

    Raises UpstreamError if it is unreachable, and then nothing is allowed (RFC 9309 §2.3.1.4).
    """
    address = robots_address(url)
    try:
        answer = http.get(address, is_answer=_is_any)
    except HttpRefused as exc:
        if exc.status >= 500:
            raise
        return ""  # redirects that lead nowhere: treated as missing (§2.3.1.2)
    except TooLarge as exc:
        hint = (
            "No robots.txt is that long: report it to the operator of the server."
            " Until it is corrected, nothing is refreshed."
        )
        raise TooLarge(str(exc), hint=hint) from exc
    if answer.status >= 500 or answer.status == _TOO_MANY_REQUESTS:
        raise UpstreamBusy(f"{address} answers with status {answer.status}")
    return answer.body[:MAX_ROBOTS_BYTES].decode("utf-8-sig", "replace") if answer.status < 400 else ""


def condense_rules(text: str) -> str:
    """Return the text with all user agents except ours and `*` renamed to one.

    A file that names thousands of robots over thousands of rules would be read as millions of rules.
    """
    return "\n".join(map(_condensed_line, text.splitlines()))


def _condensed_line(line: str) -> str:
    found = _AGENT_LINE.match(line)
    if found is None or found[1].strip().lower() in ("*", AGENT, f"{AGENT}*"):
        return line
    return _OTHER_AGENT


def _is_any(status: int, body: bytes) -> bool:  # noqa: ARG001 - signature of IsAnswer
    return True
