"""OAI-PMH requests of a harvester, rendered as URLs."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from urllib.parse import parse_qsl, quote, urlencode, urlsplit, urlunsplit

# Characters that are escaped even for servers that compare the raw query with the token they issued.
_LEAST = "!$'()*,/:;=?@[]|{}^`~-._"


# The arguments of OAI-PMH requests (OAI-PMH 2.0 §4), including the verb.
ARGUMENTS = frozenset(("verb", "metadataPrefix", "identifier", "from", "until", "set", "resumptionToken"))


@dataclass(frozen=True, slots=True)
class Request:
    """A verb and its arguments, in the order they are sent."""

    verb: str
    arguments: tuple[tuple[str, str], ...] = ()

    @property
    def token(self) -> str | None:
        return dict(self.arguments).get("resumptionToken")

    def with_token(self, token: str) -> Request:
        return Request(self.verb, (("resumptionToken", token),))


def list_request(
    verb: str, *, prefix: str, spec: str | None = None, since: str | None = None, until: str | None = None
) -> Request:
    pairs = (("metadataPrefix", prefix), ("from", since), ("until", until), ("set", spec))
    return Request(verb, tuple((name, value) for name, value in pairs if value))


def record_request(identifier: str, *, prefix: str) -> Request:
    return Request("GetRecord", (("identifier", identifier), ("metadataPrefix", prefix)))


def without_arguments(url: str) -> str:
    """Return the base URL of a request: its address without the arguments of OAI-PMH."""
    parts = urlsplit(url)
    pairs = parse_qsl(parts.query, keep_blank_values=True)
    kept = [(name, value) for name, value in pairs if name not in ARGUMENTS]
    return urlunsplit(parts._replace(query=urlencode(kept), fragment=""))


def render_url(base: str, request: Request, *, escape_fully: bool = True) -> str:
    """Return the URL of a request; a query string in the base URL is kept."""
    parts = urlsplit(base)
    pairs: Iterable[tuple[str, str]] = (("verb", request.verb), *request.arguments)
    query = "&".join(f"{name}={quote(value, safe='' if escape_fully else _LEAST)}" for name, value in pairs)
    return urlunsplit(parts._replace(query=f"{parts.query}&{query}" if parts.query else query, fragment=""))
