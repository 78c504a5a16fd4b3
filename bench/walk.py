"""The smallest client of a repository: asks, follows the tokens, and takes notes for the check.

Used on servers: the raw bytes and a pattern or two cost the client next to nothing, so that the clock
and the machine belong to the server. As a command it asks what there is and keeps the identifiers:
`python -m bench.walk URL FILE`, and after that only what changed since the time it left in FILE.date.
"""

from __future__ import annotations

import gzip
import http.client
import re
import sys
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from html import unescape
from pathlib import Path
from urllib.parse import urlencode, urlsplit

from bench.errors import ContestantError

TIMEOUT_SECONDS = 120.0
# A provenance container has an identifier too, so only the one that opens a header is the record's.
HEADER = re.compile(rb"<header[^>]{0,200}>\s*<identifier>([^<]{1,4000})</identifier>")
TOKEN = re.compile(rb"<resumptionToken[^>]{0,400}>([^<]{1,4000})</resumptionToken>")
RESPONSE_DATE = re.compile(rb"<responseDate>([^<]{1,40})</responseDate>")
PAGES_LIMIT = 1_000_000


@dataclass(slots=True)
class Walked:
    """What came back. `titles` counts Dublin Core's, so that headers without records do not pass."""

    identifiers: list[str] = field(default_factory=list)
    requests: int = 0
    body_bytes: int = 0
    titles: int = 0
    started_at: str = ""  # by the server's clock


class Client:
    """One connection, kept as long as the server keeps it."""

    def __init__(self, url: str, *, accept: str = "identity") -> None:
        parts = urlsplit(url)
        self._connection = http.client.HTTPConnection(
            parts.hostname or "", parts.port or 80, timeout=TIMEOUT_SECONDS
        )
        self._path = parts.path
        self._headers = {"Accept-Encoding": accept}
        self.requests = 0
        self.body_bytes = 0

    def ask(self, arguments: dict[str, str]) -> bytes:
        """Give the answer, decompressed; ContestantError when it is none."""
        try:
            self._connection.request("GET", f"{self._path}?{urlencode(arguments)}", headers=self._headers)
            response = self._connection.getresponse()
            body = response.read()
        except (OSError, http.client.HTTPException) as exc:
            raise ContestantError(f"{arguments.get('verb')}: {exc or type(exc).__name__}") from exc
        self.requests += 1
        self.body_bytes += len(body)
        if response.status != 200:
            raise ContestantError(f"{arguments.get('verb')}: HTTP {response.status}")
        return gzip.decompress(body) if response.headers.get("Content-Encoding") == "gzip" else body

    def close(self) -> None:
        """Hang up."""
        self._connection.close()


def pages(client: Client, first: dict[str, str]) -> Iterator[bytes]:
    """Give every page of a list: the first as asked for, the others by the tokens."""
    arguments = first
    for _ in range(PAGES_LIMIT):
        body = client.ask(arguments)
        yield body
        token = TOKEN.search(body, max(0, len(body) - 8_000))
        if token is None:
            return
        arguments = {"verb": first["verb"], "resumptionToken": unescape(token[1].decode())}
    raise ContestantError(f"no end after {PAGES_LIMIT:,} pages")


def walk(
    url: str,
    first: dict[str, str],
    *,
    accept: str = "identity",
    on_page: Callable[[Walked], None] = lambda _walked: None,
) -> Walked:
    """Read a list to its end and give what came; `on_page` is told how far it got after each page."""
    client, walked = Client(url, accept=accept), Walked()
    try:
        for body in pages(client, first):
            walked.identifiers += [unescape(found.decode()) for found in HEADER.findall(body)]
            walked.titles += body.count(b"<dc:title>")
            if not walked.started_at and (date := RESPONSE_DATE.search(body, 0, 4_000)):
                walked.started_at = date[1].decode()
            walked.requests, walked.body_bytes = client.requests, client.body_bytes
            on_page(walked)
    finally:
        client.close()
    return walked


def main(url: str, path: str) -> None:
    """Write the identifiers, one a line."""
    date = Path(f"{path}.date")
    first = {"verb": "ListIdentifiers", "metadataPrefix": "oai_dc"}
    walked = walk(url, first | ({"from": date.read_text()} if date.exists() else {}))
    Path(path).write_text("".join(f"{identifier}\n" for identifier in walked.identifiers), encoding="utf-8")
    date.write_text(walked.started_at)


if __name__ == "__main__":
    main(*sys.argv[1:])
