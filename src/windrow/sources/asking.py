"""The questions of a probe: one after the other, each announced before it is asked, every answer kept."""

from __future__ import annotations

from collections.abc import Callable

from windrow.errors import BadXml, Unreachable, UpstreamBusy, UpstreamError
from windrow.net.answer import Answer
from windrow.sources.oai import OaiClient, as_error
from windrow.wire.oai.page import Page
from windrow.wire.oai.parse import parse_page, parse_records
from windrow.wire.oai.request import Request

_MOST_SILENCES = 2  # one question may be too much for a server; a second silence means it is down


class AskingEnded(Exception):
    """There is no point in asking this server anything more now; `cause` says why."""

    def __init__(self, cause: UpstreamError) -> None:
        super().__init__(str(cause))
        self.cause = cause


class Asker:
    """Asks one repository and keeps every answer. OAI-PMH errors are raised as OaiError."""

    def __init__(self, client: OaiClient, *, on_step: Callable[[str], None]) -> None:
        self.client = client
        self.answers: list[Answer] = []
        self.damaged = 0  # pages that came cut short and had to be asked for again
        self._on_step = on_step
        self._silences = 0

    def answer(self, step: str, request: Request) -> Answer:
        """Announce a step and give its raw answer."""
        self._on_step(step)
        try:
            answer = self.client.ask(request)
        except UpstreamBusy as exc:
            raise AskingEnded(exc) from exc
        except Unreachable as exc:
            self._silences += 1
            if not self.answers or self._silences >= _MOST_SILENCES:
                raise AskingEnded(exc) from exc
            raise
        self.answers.append(answer)
        return answer

    def page(self, step: str, request: Request) -> Page:
        """Announce a step and give the page of records or headers that it brings."""
        parse = parse_page if request.verb == "ListIdentifiers" else parse_records
        try:
            page = parse(self.answer(step, request).body)
        except BadXml as exc:
            if not exc.is_truncated or self.damaged:
                raise
            self.damaged += 1  # as a harvest does, but once in all
            page = parse(self.answer(f"{step}, again", request).body)
        for fault in page.faults:
            raise as_error(fault)
        return page
