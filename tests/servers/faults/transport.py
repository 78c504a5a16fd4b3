"""Faults below the protocol: statuses, connections, lengths, media types, redirects."""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from datetime import UTC, datetime, timedelta
from email.utils import format_datetime
from threading import Event
from urllib.parse import urlsplit

from tests.servers.fault import Fault, Occasional
from tests.servers.http import Reply, Request

_HTML = "text/html; charset=UTF-8"


def http_date(seconds: int) -> str:
    """The moment so many seconds from now, as HTTP writes it."""
    return format_datetime(datetime.now(UTC) + timedelta(seconds=seconds), usegmt=True)


@dataclass
class Busy(Occasional):
    """503 or 429 with Retry-After: seconds, an HTTP date, or no header at all (None)."""

    status: int = 503
    retry_after: str | None = "1"
    times: int | None = field(default=1, kw_only=True)

    def intercept(self, request: Request) -> Reply | None:
        if not self.strikes(request):
            return None
        headers = {} if self.retry_after is None else {"Retry-After": self.retry_after}
        return Reply(self.status, b"Come back later\n", headers, content_type="text/plain")


@dataclass
class Interim(Fault):
    """Interim responses before every final one: harmless, yet clients have taken them for the answer."""

    heads: tuple[str, ...] = (
        "102 Processing",
        "103 Early Hints\r\nLink: </oai.xsl>; rel=preload",
        "100 Continue",
    )

    def deliver(self, reply: Reply, request: Request) -> Reply:
        return replace(reply, interim=self.heads)


@dataclass
class Failing(Occasional):
    """A server error, as a front end gives it when what is behind it fails."""

    status: int = 500
    times: int | None = field(default=1, kw_only=True)

    def intercept(self, request: Request) -> Reply | None:
        return Reply(self.status, b"<h1>Error</h1>", content_type=_HTML) if self.strikes(request) else None


@dataclass
class Resetting(Occasional):
    """The connection is reset before any byte of an answer."""

    times: int | None = field(default=1, kw_only=True)

    def intercept(self, request: Request) -> Reply | None:
        return Reply(reset=True) if self.strikes(request) else None


@dataclass
class Silent(Occasional):
    """The request is taken and nothing ever comes back."""

    times: int | None = field(default=1, kw_only=True)

    def intercept(self, request: Request) -> Reply | None:
        return Reply(never_answer=True) if self.strikes(request) else None


@dataclass
class SlowFirstByte(Occasional):
    """Nothing comes before the test sets `release`."""

    release: Event = field(default_factory=Event)
    times: int | None = field(default=1, kw_only=True)

    def deliver(self, reply: Reply, request: Request) -> Reply:
        return replace(reply, hold=self.release) if self.strikes(request) else reply


@dataclass
class LengthTooLong(Occasional):
    """Content-Length promises more than comes; then the connection ends."""

    missing_bytes: int = 100
    times: int | None = field(default=1, kw_only=True)

    def deliver(self, reply: Reply, request: Request) -> Reply:
        if not self.strikes(request):
            return reply
        return replace(reply, declared_length=len(reply.body) + self.missing_bytes)


@dataclass
class Cut(Occasional):
    """The connection ends, or is reset, in the middle of the body."""

    is_reset: bool = False
    times: int | None = field(default=1, kw_only=True)

    def deliver(self, reply: Reply, request: Request) -> Reply:
        if not self.strikes(request):
            return reply
        return replace(reply, cut_after=len(reply.body) // 2, reset=self.is_reset)


@dataclass
class HalfBody(Occasional):
    """Half of the XML, with the right Content-Length for that half: only the document tells."""

    times: int | None = field(default=1, kw_only=True)

    def deliver(self, reply: Reply, request: Request) -> Reply:
        return replace(reply, body=reply.body[: len(reply.body) // 2]) if self.strikes(request) else reply


@dataclass
class EmptyBody(Occasional):
    """Status 200 and not a byte."""

    times: int | None = field(default=1, kw_only=True)

    def deliver(self, reply: Reply, request: Request) -> Reply:
        return replace(reply, body=b"") if self.strikes(request) else reply


@dataclass
class Chunked(Fault):
    """No length at all, but chunks; not a fault, yet clients have failed on it."""

    def deliver(self, reply: Reply, request: Request) -> Reply:
        return replace(reply, chunked=True, drip_bytes=100)


@dataclass
class ErrorStatus(Fault):
    """OAI errors come with an HTTP status of their own, the XML being good (422 as Invenio does)."""

    status: int = 422

    def deliver(self, reply: Reply, request: Request) -> Reply:
        return replace(reply, status=self.status) if b"<error code=" in reply.body else reply


@dataclass
class ServedAs(Fault):
    """Good XML under another media type."""

    content_type: str = "text/html"

    def deliver(self, reply: Reply, request: Request) -> Reply:
        return replace(reply, content_type=self.content_type)


@dataclass
class HtmlPage(Fault):
    """Whatever is asked, status 200 and a page for people: the repository has moved."""

    def intercept(self, request: Request) -> Reply | None:
        page = (
            b"<!DOCTYPE html><html><head><title>Welcome</title></head><body><p>Our new site<br></body></html>"
        )
        return Reply(200, page, content_type=_HTML)


@dataclass
class BotWall(Fault):
    """A challenge that only a browser passes."""

    def intercept(self, request: Request) -> Reply | None:
        page = b"<!DOCTYPE html><html><head><title>Just a moment...</title></head><body></body></html>"
        return Reply(403, page, {"cf-mitigated": "challenge", "Server": "cloudflare"}, content_type=_HTML)


@dataclass
class RedirectLoop(Fault):
    """Sent from one address to the other and back, for ever."""

    def intercept(self, request: Request) -> Reply | None:
        other = "/there" if request.path != "/there" else "/oai"
        return Reply(302, headers={"Location": f"{other}?{request.query}"}, content_type=None)


@dataclass
class RedirectTo(Fault):
    """Sent to another host; the query goes along."""

    address: str = "http://127.0.0.1:9/elsewhere"
    status: int = 302

    def intercept(self, request: Request) -> Reply | None:
        return Reply(self.status, headers={"Location": f"{self.address}?{request.query}"}, content_type=None)


@dataclass
class Moved(Fault):
    """301 from the old path to a new one on the same host, where everything is well."""

    new_path: str = "/oai/request"

    status: int = 301
    skip: int = 0  # requests to the old path that are answered there, before it moves
    _seen: int = field(default=0, init=False)

    def intercept(self, request: Request) -> Reply | None:
        if urlsplit(request.target).path == self.new_path:
            return None
        self._seen += 1
        if self._seen <= self.skip:
            return None
        return Reply(self.status, headers={"Location": f"{self.new_path}?{request.query}"}, content_type=None)


@dataclass
class QueryDropped(Fault):
    """Sent to another path without the arguments; asked there without a verb, it shows a page."""

    new_path: str = "/oai/request"
    status: int = 301
    query: str = ""  # that the redirect brings of its own
    is_page: bool = False  # a page for people, whatever is asked there

    def intercept(self, request: Request) -> Reply | None:
        if urlsplit(request.target).path != self.new_path:
            target = f"{self.new_path}?{self.query}" if self.query else self.new_path
            return Reply(self.status, headers={"Location": target}, content_type=None)
        if self.is_page or "verb" not in request.arguments:
            page = b"<!DOCTYPE html><html><head><title>Our library</title></head><body></body></html>"
            return Reply(200, page, content_type=_HTML)
        return None
