"""An OAI-PMH repository as a source: the protocol's questions over one HTTP client."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from windrow.errors import OaiError, UpstreamError
from windrow.net.answer import Answer
from windrow.net.client import HttpClient
from windrow.wire.oai import answers
from windrow.wire.oai.answers import Identity, MetadataFormat, SetEntry
from windrow.wire.oai.page import Fault, Page
from windrow.wire.oai.parse import parse_page
from windrow.wire.oai.request import Request, record_request, render_url

MAX_SET_PAGES = 10_000


@dataclass(slots=True)
class Traffic:
    """What was asked and got over the wire."""

    requests: int = 0  # that were answered
    failures: int = 0  # that were not, after all tries
    retries: int = 0
    bytes: int = 0


class OaiClient:
    """Asks one repository; for one thread at a time."""

    def __init__(self, url: str, http: HttpClient, *, escape_fully: bool = True) -> None:
        self.url = url
        self.escape_fully = escape_fully  # False: this server wants its tokens back as they are
        self.traffic = Traffic()
        self._http = http

    def ask(self, request: Request) -> Answer:
        """Give the raw answer; an OAI-PMH error sent with an HTTP error status is an answer too."""
        try:
            answer = self._http.get(self.address(request), is_answer=_is_answer)
        except UpstreamError:
            self.traffic.failures += 1
            raise
        self.traffic.requests += 1 + answer.retries
        self.traffic.retries += answer.retries
        self.traffic.bytes += answer.wire_bytes
        return answer

    def address(self, request: Request) -> str:
        """Give the URL of a request."""
        return render_url(self.url, request, escape_fully=self.escape_fully)

    def identify(self) -> Identity:
        """Ask what the repository says of itself."""
        return answers.parse_identity(self.ask(Request("Identify")).body)

    def formats(self, identifier: str | None = None) -> tuple[MetadataFormat, ...]:
        """Ask which formats there are, of everything or of one record."""
        arguments = (("identifier", identifier),) if identifier else ()
        return answers.parse_formats(self.ask(Request("ListMetadataFormats", arguments)).body)

    def sets(self) -> Iterator[SetEntry]:
        """Ask for all sets. A token that comes round again ends the list, and so does a page without news."""
        request, tokens, specs = Request("ListSets"), set[str](), set[str]()
        for _ in range(MAX_SET_PAGES):
            page = answers.parse_sets(self.ask(request).body)
            yield from page.entries
            token = page.token.value if page.token else ""
            news = {entry.spec for entry in page.entries} - specs
            if not token or token in tokens or not news:
                return
            tokens.add(token)
            specs |= news
            request = request.with_token(token)

    def record(self, identifier: str, *, prefix: str) -> Page:
        """Ask for one record; raise OaiError where the repository answers with one."""
        page = parse_page(self.ask(record_request(identifier, prefix=prefix)).body)
        for fault in page.faults:
            raise as_error(fault)
        return page

    def close(self) -> None:
        """Let go of the connection."""
        self._http.close()


def as_error(fault: Fault) -> OaiError:
    """Give the exception for an error element."""
    return OaiError(fault.code, fault.text)


def _is_answer(status: int, body: bytes) -> bool:
    """Zenodo sends its OAI-PMH errors with status 422, others with 404 or 500."""
    try:
        return status >= 400 and bool(answers.faults_in(body))
    except UpstreamError:
        return False
