"""A request of the robot: sent politely, read within limits, with classified failures.

Redirects are not followed: a redirect is a new address, which the crawl checks against the source's rules and
requests separately. Only connections are kept between requests, no cookies, and credentials are sent only to
the hosts named in the source.
"""

from __future__ import annotations

import asyncio
import logging
import re
import ssl
import zlib
from base64 import b64encode
from collections.abc import Callable, Collection, Mapping
from dataclasses import dataclass, field
from datetime import UTC, datetime
from typing import TYPE_CHECKING, Any
from urllib.parse import urlsplit

from windrow.config.network_values import mask_url
from windrow.errors import PrivateAddress, UsageError, install_hint
from windrow.net.politeness import parse_retry_after
from windrow.sources.web.addresses import is_public, make_resolver
from windrow.sources.web.urls import is_number_host

if TYPE_CHECKING:
    from aiohttp import ClientResponse, ClientSession

_REQUESTS = logging.getLogger("windrow.requests")  # what --verbose prints
_CHUNK_BYTES = 64 * 1024
_LINE_BYTES = 16 * 1024  # of one header
_MOST_HEADERS = 200
_LONGEST_VALIDATOR = 500  # characters
_ENCODINGS = frozenset({"gzip", "x-gzip", "deflate", "identity", ""})
_ACCEPT = "text/html,application/xhtml+xml;q=0.9,*/*;q=0.5"
_OK = 200
_NO_BODY = frozenset({204, 304})
REDIRECTS = frozenset({301, 302, 303, 307, 308})


@dataclass(frozen=True, slots=True)
class FetchSettings:
    """Identity and limits of the requests of one source. Secrets are left out of repr."""

    user_agent: str
    contact: str = ""  # a mail address is also sent in the From header (RFC 9110 §10.1.2)
    timeout_seconds: float = 30.0  # for connecting, and each wait for more bytes
    deadline_seconds: float = 60.0  # for one whole response
    wire_bytes: int = 10_000_000  # of a body on the wire
    body_bytes: int = 20_000_000  # of a body after decompression
    connections: int = 16
    private: bool = False
    verify_tls: bool = True
    ca_file: str | None = None
    proxy: str | None = field(default=None, repr=False)
    headers: tuple[tuple[str, str], ...] = field(default=(), repr=False)
    username: str | None = field(default=None, repr=False)
    password: str | None = field(default=None, repr=False)
    credential_origins: Collection[str] = ()  # `https://name:port` of the start pages
    keeps_wire: bool = False  # for archives: keep the encoded body


@dataclass(frozen=True, slots=True)
class Answer:
    """A response."""

    url: str
    method: str
    status: int
    reason: str
    headers: Mapping[str, str]  # names in lower case; repeated ones joined by a comma
    body: bytes
    size: int  # bytes of the body on the wire
    raw_headers: tuple[tuple[bytes, bytes], ...] = ()
    request_headers: tuple[tuple[str, str], ...] = ()
    wire: bytes = b""

    def validator(self, name: str) -> str | None:
        """Return a header for a conditional request; None if it is missing or cannot be sent back."""
        value = self.headers.get(name, "")
        is_usable = 0 < len(value) <= _LONGEST_VALIDATOR and value.isascii() and value.isprintable()
        return value if is_usable else None

    @property
    def media_type(self) -> str:
        return _media_type(self.headers)

    def wait_seconds(self, now: datetime | None = None) -> float | None:
        """Return the seconds of Retry-After; None if there is none."""
        return parse_retry_after(self.headers.get("retry-after"), now=now or datetime.now(UTC))


def _media_type(headers: Mapping[str, str]) -> str:
    return headers.get("content-type", "").partition(";")[0].strip().lower()[:100]


class FetchFailure(Exception):
    """A request without a usable response. `code` is one of a few words, for counts and reports."""

    def __init__(self, code: str, message: str) -> None:
        super().__init__(message)
        self.code = code


class Fetcher:
    """Sends the requests of one crawl in one event loop; an asynchronous context manager."""

    def __init__(self, settings: FetchSettings) -> None:
        self._settings = settings
        self._session: ClientSession | None = None

    async def __aenter__(self) -> Fetcher:
        try:
            import aiohttp  # noqa: PLC0415 - an optional dependency
        except ImportError as exc:
            raise UsageError(
                f"the robot needs a package that is not installed: {exc.name}",
                hint=f"{install_hint('robot')}.",
            ) from exc
        own = self._settings
        connector = aiohttp.TCPConnector(
            limit=0,  # the crawl limits the number of concurrent requests
            resolver=make_resolver(private=own.private or own.proxy is not None),
            ssl=_tls(own),
            keepalive_timeout=15,
            enable_cleanup_closed=False,
        )
        self._session = aiohttp.ClientSession(
            connector=connector,
            cookie_jar=aiohttp.DummyCookieJar(),
            auto_decompress=False,
            trust_env=False,
            timeout=aiohttp.ClientTimeout(
                total=own.deadline_seconds, connect=own.timeout_seconds, sock_read=own.timeout_seconds
            ),
            max_line_size=_LINE_BYTES,
            max_field_size=_LINE_BYTES,
            headers=self._identity(),
        )
        return self

    async def __aexit__(self, *_: object) -> None:
        if self._session is not None:
            await self._session.close()
            self._session = None

    async def fetch(
        self,
        url: str,
        *,
        method: str = "GET",
        etag: str | None = None,
        last_modified: str | None = None,
        cut_bytes: int | None = None,
        reads: Callable[[str], bool] | None = None,
    ) -> Answer:
        """Request an address; raises FetchFailure without a usable response.

        With `cut_bytes`, a longer body is cut there instead of being refused. With `reads`, the body is not
        read if that returns False for its media type, unless it is kept for an archive.
        """
        import aiohttp  # noqa: PLC0415 - an optional dependency
        from yarl import URL  # noqa: PLC0415

        assert self._session is not None, "used inside `async with`"
        self._refuse_private(url)
        headers = dict(self._private_headers(url))
        if etag:
            headers["If-None-Match"] = etag
        if last_modified:
            headers["If-Modified-Since"] = last_modified
        _REQUESTS.info("%s %s", method, mask_url(url))
        try:
            async with self._session.request(
                method,
                URL(url, encoded=True),
                headers=headers,
                allow_redirects=False,
                proxy=self._settings.proxy,
            ) as response:
                return await self._read(url, method, response, cut_bytes, reads)
        except FetchFailure:
            raise
        except aiohttp.ConnectionTimeoutError as exc:
            raise FetchFailure("connect", "no connection in time") from exc
        except TimeoutError as exc:
            raise FetchFailure(
                "timeout", f"no whole answer in {self._settings.deadline_seconds:g} s"
            ) from exc
        except PrivateAddress as exc:
            raise FetchFailure("private", str(exc)) from exc
        except (aiohttp.ClientError, OSError, ValueError, zlib.error, asyncio.IncompleteReadError) as exc:
            raise _failure(exc) from exc

    async def _read(
        self,
        url: str,
        method: str,
        response: ClientResponse,
        cut_bytes: int | None,
        reads: Callable[[str], bool] | None,
    ) -> Answer:
        if len(response.raw_headers) > _MOST_HEADERS:
            raise FetchFailure("headers", f"the answer has more than {_MOST_HEADERS} headers")
        headers: dict[str, str] = {}
        for name, value in response.headers.items():
            key, clean = _readable(name).lower(), _readable(value)
            headers[key] = f"{headers[key]}, {clean}" if key in headers else clean
        body, wire = b"", b""
        is_left = (
            reads is not None
            and response.status == _OK
            and not self._settings.keeps_wire
            and not reads(_media_type(headers))
        )
        if is_left:
            response.close()
            size = 0
        elif method != "HEAD" and response.status not in _NO_BODY:
            body, wire, size = await self._read_body(response, headers, cut_bytes)
        else:
            size = 0
        return Answer(
            url,
            method,
            response.status,
            _readable(response.reason or ""),
            headers,
            body,
            size,
            tuple(response.raw_headers),
            tuple(response.request_info.headers.items()) if self._settings.keeps_wire else (),
            wire,
        )

    async def _read_body(
        self, response: ClientResponse, headers: Mapping[str, str], cut_bytes: int | None
    ) -> tuple[bytes, bytes, int]:
        """Return the decompressed body, the encoded one (if kept), and its size on the wire."""
        decoder = _Decoder(
            headers.get("content-encoding", ""),
            self._settings.body_bytes if cut_bytes is None else cut_bytes,
            is_cut=cut_bytes is not None,
        )
        most = self._settings.wire_bytes
        declared = headers.get("content-length", "")
        if cut_bytes is None and declared.isdecimal() and int(declared) > most:
            raise FetchFailure("too-large", f"the answer has {int(declared):,} bytes; the limit is {most:,}")
        parts, kept, size = [], [], 0
        async for chunk in response.content.iter_chunked(_CHUNK_BYTES):
            size += len(chunk)
            if self._settings.keeps_wire:
                kept.append(chunk)
            parts.append(decoder.feed(chunk))
            if cut_bytes is not None and sum(map(len, parts)) >= cut_bytes:
                response.close()
                return b"".join(parts)[:cut_bytes], b"".join(kept), size
            if size > most:
                raise FetchFailure("too-large", f"the answer is longer than {most:,} bytes")
        parts.append(decoder.end())
        return b"".join(parts), b"".join(kept), size

    def _refuse_private(self, url: str) -> None:
        """Refuse a private address written as a number, since no resolver checks it."""
        if self._settings.private:
            return
        host = urlsplit(url).hostname or ""
        if is_number_host(f"[{host}]" if ":" in host else host) and not is_public(host):
            raise FetchFailure("private", f"{host} is an address of a private network")

    def _identity(self) -> dict[str, str]:
        own = self._settings
        made = {"User-Agent": own.user_agent, "Accept": _ACCEPT, "Accept-Encoding": "gzip, deflate"}
        if "@" in own.contact and "://" not in own.contact:
            made["From"] = own.contact.removeprefix("mailto:")
        return made

    def _private_headers(self, url: str) -> Mapping[str, str]:
        """Return the headers that are sent only to the hosts of the start pages."""
        own = self._settings
        if not own.headers and own.username is None:
            return {}
        if url.partition("://")[0] + "://" + urlsplit(url).netloc not in own.credential_origins:
            return {}
        made = dict(own.headers)
        if own.username is not None:
            pair = b64encode(f"{own.username}:{own.password or ''}".encode()).decode()
            made["Authorization"] = f"Basic {pair}"
        return made


_UNPRINTABLE = re.compile(r"[\x00-\x08\x0a-\x1f\x7f-\x9f]")


def _readable(text: str) -> str:
    """Return a header value without control characters; bytes that are not UTF-8 count as Latin-1."""
    if text.isascii() and text.isprintable():
        return text
    raw = text.encode("utf-8", "surrogateescape")
    try:
        text = raw.decode("utf-8")
    except UnicodeDecodeError:
        text = raw.decode("latin-1")
    return _UNPRINTABLE.sub(" ", text)


class _Decoder:
    """Decompresses a body piece by piece up to a limit, beyond which it fails or, with `is_cut`, stops."""

    def __init__(self, encoding: str, most: int, *, is_cut: bool = False) -> None:
        names = [name.strip().lower() for name in encoding.split(",")]
        names = [name for name in names if name not in ("", "identity")]
        if len(names) > 1 or not set(names) <= _ENCODINGS:
            raise FetchFailure(
                "encoding", f"the answer is encoded as {encoding[:60]}, which was not asked for"
            )
        self._name = names[0] if names else ""
        self._most = most
        self._is_cut = is_cut
        self._made = 0
        # gzip or zlib, by the first bytes
        self._inflater: Any = zlib.decompressobj(47) if self._name else None
        self._is_first = True

    def feed(self, chunk: bytes) -> bytes:
        """Return the decompressed piece."""
        if self._inflater is None:
            made = chunk
        else:
            try:
                made = self._inflate(chunk)
            except zlib.error:
                if not self._is_first or self._name != "deflate":
                    raise
                self._inflater = zlib.decompressobj(-15)  # raw deflate, as sent by some servers
                made = self._inflate(chunk)
        self._is_first = False
        self._made += len(made)
        if self._made > self._most and not self._is_cut:
            raise FetchFailure(
                "too-large", f"the answer is longer than {self._most:,} bytes when decompressed"
            )
        return made

    def end(self) -> bytes:
        """Return the rest; raises FetchFailure for a truncated body."""
        if self._inflater is None or self._is_first:
            return b""
        if not self._inflater.eof:
            raise FetchFailure("cut", "the compressed answer is cut")
        return b""

    def _inflate(self, chunk: bytes) -> bytes:
        made = bytes(self._inflater.decompress(chunk, self._most - self._made + 1))
        while self._inflater.eof and self._inflater.unused_data and len(made) <= self._most - self._made:
            rest = self._inflater.unused_data  # gzip may have several members
            if self._name == "deflate" or not rest.startswith(b"\x1f\x8b"):
                break
            self._inflater = zlib.decompressobj(47)
            made += self._inflater.decompress(rest, self._most - self._made - len(made) + 1)
        return made


def _tls(settings: FetchSettings) -> ssl.SSLContext:
    context = ssl.create_default_context(cafile=settings.ca_file)
    if not settings.verify_tls:
        context.check_hostname = False
        context.verify_mode = ssl.CERT_NONE
    return context


def _failure(exc: Exception) -> FetchFailure:
    import aiohttp  # noqa: PLC0415 - an optional dependency

    cause: BaseException | None = exc
    while cause is not None:  # the resolver's refusal may be wrapped
        if isinstance(cause, PrivateAddress):
            return FetchFailure("private", str(cause))
        cause = cause.__cause__ or getattr(cause, "os_error", None)
    for kind, code in (
        (aiohttp.ClientConnectorDNSError, "dns"),
        (aiohttp.ClientSSLError, "tls"),
        (aiohttp.ClientConnectorError, "connect"),
        (aiohttp.ServerDisconnectedError, "disconnected"),
        (aiohttp.ClientOSError, "disconnected"),
        (aiohttp.ClientPayloadError, "cut"),
        (aiohttp.ClientResponseError, "garbled"),
        (aiohttp.InvalidURL, "malformed"),
        (zlib.error, "encoding"),
    ):
        if isinstance(exc, kind):
            return FetchFailure(code, _words(exc))
    return FetchFailure("failed", _words(exc))


def _words(exc: BaseException) -> str:
    text = " ".join(str(exc).split())[:200]
    return f"{type(exc).__name__}: {text}" if text else type(exc).__name__
