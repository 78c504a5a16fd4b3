"""An OAI-PMH client: the requests of the protocol to one repository."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace

from windrow.config.network_values import mask_url
from windrow.errors import NotOai, OaiError, UpstreamError
from windrow.net.client import Answer, HttpClient
from windrow.protocols.oai import repository_info
from windrow.protocols.oai.oai_page import Fault, Page
from windrow.protocols.oai.oai_request import (
    ARGUMENTS,
    Request,
    record_request,
    render_url,
    without_arguments,
)
from windrow.protocols.oai.page_parser import parse_records
from windrow.protocols.oai.repository_info import Identity, MetadataFormat, SetEntry, SetPage
from windrow.protocols.oai.well_formedness import describe_foreign_body, is_html

MAX_SET_PAGES = 1_000  # a hundred sets a page is common, and no repository is known to have 100,000
MAX_SETS = 200_000
MAX_SMALL_PAGES = 50  # of ListSets, if they have hardly any sets: the list is generated endlessly
_SMALL = 3  # sets a page


@dataclass(slots=True)
class Traffic:
    """Counts of requests."""

    requests: int = 0  # for successful answers, including retries and redirects
    failures: int = 0  # for failed ones
    retries: int = 0
    bytes: int = 0

    @property
    def sent(self) -> int:
        return self.requests + self.failures


class SetChain:
    """Detects an endless chain of ListSets pages from their content."""

    def __init__(self) -> None:
        self._tokens: set[str] = set()
        self._specs: set[str] = set()
        self._pages = 0

    def objection(self, page: SetPage) -> str | None:
        """Return why the list must not be followed beyond this page, or None."""
        token = page.token.value if page.token else ""
        news = {entry.spec for entry in page.entries} - self._specs
        self._specs |= news
        self._pages += 1
        if not token:
            return None
        if not news:
            return f"page {self._pages:,} brings no set that was not there before"
        if token in self._tokens:
            return f"page {self._pages:,} has a token that was there before"
        self._tokens.add(token)
        is_thin = self._pages >= MAX_SMALL_PAGES and len(self._specs) < _SMALL * self._pages
        if is_thin or self._pages >= MAX_SET_PAGES or len(self._specs) >= MAX_SETS:
            return f"{len(self._specs):,} sets on {self._pages:,} pages, and it goes on"
        return None


class OaiClient:
    """Sends requests to one repository. Not thread-safe."""

    def __init__(
        self,
        url: str,
        http: HttpClient,
        *,
        query: str = "",
        redact: Callable[[str], str] = str,
        escape_fully: bool = True,
    ) -> None:
        """Use the base URL `url`, which is public. `query` is sent with each request and never shown.

        `redact` removes secrets from a text: a repository may repeat the request in its response.
        """
        self.url = url
        self.redact = redact
        self.escape_fully = escape_fully  # False: this server requires tokens unescaped
        self.traffic = Traffic()
        self.moved_to: str | None = None  # the base URL that permanent redirects lead to
        self._http = http
        self._query = query

    def ask(self, request: Request) -> Answer:
        """Return the raw response; an OAI-PMH error with an HTTP error status counts as one, too."""
        http, traffic = self._http, self.traffic
        sent, retried = http.requests, http.retries
        try:
            answer = http.get(
                self.address(request), query=self._query, is_answer=_is_answer, arguments=ARGUMENTS
            )
        except BaseException:  # also counts requests of an interrupted run
            traffic.failures += http.requests - sent
            raise
        else:
            traffic.requests += http.requests - sent
        finally:
            traffic.retries += http.retries - retried
        traffic.bytes += answer.wire_bytes
        self._note_redirects(answer)
        return answer

    def _note_redirects(self, answer: Answer) -> None:
        """Record where the repository has moved to; reject a page from a redirect that dropped the query."""
        if answer.dropped_by is None and answer.moved_to is None:
            return
        is_page = is_html(answer.body)
        if answer.dropped_by is not None and is_page:
            target = self.redact(answer.url.partition("?")[0])
            raise NotOai(
                f"{answer.dropped_by} redirects to {target} and drops the query; "
                f"with it put back, the answer is {describe_foreign_body(answer.body)}",
                body=answer.body,
                hint="Ask those who run the server to keep the query in their redirect, or find the address "
                "that answers in a browser and set it: windrow source edit NAME --url URL",
            )
        if answer.moved_to is not None and not is_page:
            self.moved_to = self.redact(without_arguments(answer.moved_to))  # its path may contain a key

    def address(self, request: Request) -> str:
        """Return the URL of a request without secrets."""
        return render_url(self.url, request, escape_fully=self.escape_fully)

    def identify(self) -> Identity:
        return self.identity_of(self.ask(Request("Identify")))

    def identity_of(self, answer: Answer) -> Identity:
        """Parse a response to Identify, without the secrets that it repeats."""
        found, redact = repository_info.parse_identity(answer.body), self.redact
        return replace(
            found,
            name=redact(found.name),
            base_url=mask_url(redact(found.base_url), self._http.public_query),
            admins=tuple(map(redact, found.admins)),
            software=redact(found.software),
        )

    def formats(self, identifier: str | None = None) -> tuple[MetadataFormat, ...]:
        arguments = (("identifier", identifier),) if identifier else ()
        return repository_info.parse_formats(self.ask(Request("ListMetadataFormats", arguments)).body)

    def sets(self, *, on_endless: Callable[[str], None] = lambda _: None) -> Iterator[SetEntry]:
        """Request all sets. An endless list is ended, and `on_endless` called with the reason."""
        request, chain = Request("ListSets"), SetChain()
        while True:
            page = repository_info.parse_sets(self.ask(request).body)
            yield from page.entries
            objection = chain.objection(page)
            if objection is not None:
                on_endless(objection)
            if page.token is None or not page.token.value or objection is not None:
                return
            request = request.with_token(page.token.value)

    def record(self, identifier: str, *, prefix: str) -> Page:
        """Request one record; raises OaiError if the repository responds with one."""
        page = parse_records(self.ask(record_request(identifier, prefix=prefix)).body)
        for fault in page.faults:
            raise as_error(fault)
        return page

    def close(self) -> None:
        self._http.close()


def as_error(fault: Fault) -> OaiError:
    return OaiError(fault.code, fault.text)


def _is_answer(status: int, body: bytes) -> bool:
    """Zenodo sends its OAI-PMH errors with status 422, others with 404 or 500."""
    try:
        return status >= 400 and bool(repository_info.faults_in(body))
    except UpstreamError:
        return False
