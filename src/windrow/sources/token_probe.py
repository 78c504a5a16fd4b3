"""Resumption tokens tried out: the second page asked for twice, as after a broken connection."""

from __future__ import annotations

import re
from dataclasses import dataclass

from windrow.errors import OaiError, UpstreamError
from windrow.sources.asking import Asker
from windrow.sources.findings.finding import Finding, good, note, problem
from windrow.wire.oai.page import Page
from windrow.wire.oai.request import Request

_PLAIN = re.compile(r"[\w.~-]+", re.ASCII)
_ON_LOSS = "starts the window again where a token is lost, and stores nothing twice"


@dataclass(slots=True)
class TokenProbe:
    """Follows the token of a first page once; `second` is the page it led to."""

    asker: Asker
    request: Request
    first: Page
    second: Page | None = None

    def findings(self) -> list[Finding]:
        """Ask, and say how tokens behave."""
        token = self.first.token.value if self.first.token else ""
        if not token:
            return []
        found = _characters(token)
        following = self.request.with_token(token)
        try:
            self.second = self.asker.page("The second page", following)
        except OaiError as exc:
            if not self._unescaped(following, found):
                found.append(_refused(exc))
        except UpstreamError as exc:
            action = "tries again, then fetches the rest one by one"
            found.append(problem("tokens", f"the second page cannot be had: {exc}", action))
        if self.second is None:
            return found
        if not self.second.records and not self.second.rejects:
            action = "goes on, unless ten come in a row"
            found.append(note("tokens", "the second page is empty, and has a token all the same", action))
        return [*found, self._again(following, self.second)]

    def _unescaped(self, following: Request, found: list[Finding]) -> bool:
        """Some servers compare a token before they decode it: try it as it is."""
        if not found or not self.asker.client.escape_fully:
            return False
        self.asker.client.escape_fully = False
        try:
            self.second = self.asker.page("The second page, its token unescaped", following)
        except UpstreamError:
            self.asker.client.escape_fully = True
            return False
        found[:] = [note("tokens", "tokens must come back unescaped", "finds out and sends them so")]
        return True

    def _again(self, following: Request, second: Page) -> Finding:
        if _names(second) == _names(self.first):
            words = "the token of the first page brings the first page again"
            return problem("tokens", words, "notices, stops, and checks with ListIdentifiers")
        try:
            again = self.asker.page("The second page once more", following)
        except UpstreamError as exc:
            return note("tokens", f"a token works only once ({_short(exc)})", _ON_LOSS, is_reusable=False)
        if _names(again) != _names(second):
            words = "asked twice with one token, it goes on instead of repeating the page"
            action = "compares the count with what was promised, and fetches what lacks"
            return note("tokens", words, action, is_reusable=False)
        token = dict(following.arguments)["resumptionToken"]
        if second.token and second.token.value == token:
            words = "the token on the second page leads back to the second page"
            return problem("tokens", words, "notices, stops, and checks with ListIdentifiers")
        words = "a token can be used again"
        return good("tokens", words, "goes on where it was after a broken connection", is_reusable=True)


def _characters(token: str) -> list[Finding]:
    if _PLAIN.fullmatch(token):
        return []
    odd = "".join(dict.fromkeys(letter for letter in token if not _PLAIN.fullmatch(letter)))
    words = f"tokens hold characters that mean something in an address ({odd[:20]})"
    return [note("token-characters", words, "escapes them, once", characters=odd[:200])]


def _refused(exc: OaiError) -> Finding:
    words = f"it refuses its own token ({_short(exc)})"
    return problem("tokens", words, "cuts the list into windows of time, and those into smaller ones")


def _names(page: Page) -> list[str]:
    return [record.identifier for record in page.records]


def _short(exc: UpstreamError) -> str:
    text = str(exc)
    return text if len(text) <= 100 else text[:99] + "…"
