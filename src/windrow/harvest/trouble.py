"""A page that is no page: asked for again, its token escaped otherwise, or the end of the chain."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Protocol

from windrow.errors import BadXml, NotOai
from windrow.harvest.ending import Ending, Result, is_too_much
from windrow.harvest.gist import Gist
from windrow.harvest.work import Work
from windrow.model.run import Weight
from windrow.wire.oai.page import Fault
from windrow.wire.oai.request import Request, render_url

CUT_SHORT_ASKED = 3  # times a page that came cut short is asked for again
DAMAGED_ASKED = 1  # the same for one that is broken otherwise, which it mostly stays


@dataclass(frozen=True, slots=True)
class Turn:
    """Where a chain goes when it does not simply go on: it ends, or starts anew with another request."""

    result: Result | None = None
    request: Request | None = None


class Progress(Protocol):
    """How far a chain has come."""

    gist: Gist
    claimed: int | None

    @property
    def is_all_there(self) -> bool:
        """Has as much come as the repository promised?"""


class Trouble:
    """Remembers what has been tried for the page at hand."""

    def __init__(self, work: Work) -> None:
        self._work = work
        self._asked = 0
        self._is_unescaped = False  # the token is being tried as it is

    def forget(self) -> None:
        """The page has come: what helped once may be tried again for the next."""
        self._asked = 0
        self._is_unescaped = False

    def damaged(self, exc: BadXml | NotOai, request: Request, *, is_begun: bool) -> Turn:
        """A page cut short or replaced by a web page may be whole the next time."""
        work = self._work
        is_cut = isinstance(exc, NotOai) or exc.is_truncated
        most = CUT_SHORT_ASKED if is_cut else DAMAGED_ASKED
        if self._asked < most and (is_begun or not isinstance(exc, NotOai)):
            self._asked += 1
            work.client.traffic.retries += 1
            work.stopper.sleep(work.settings.backoff * 2 ** (self._asked - 1))
            return Turn(request=request)
        work.tell("damaged", str(exc), url=work.client.address(request), body=exc.body, weight=Weight.NOTE)
        return Turn(Result(Ending.BROKEN, str(exc), exc))

    def refused(self, fault: Fault, request: Request, progress: Progress) -> Turn:
        """An OAI-PMH error in place of a page."""
        words = f"{fault.code}: {fault.text}".strip(": ")
        if is_too_much(fault):
            return Turn(Result(Ending.TOO_MUCH, words))
        if request.token is not None:
            return self._dead(words, request, progress)
        if fault.code == "noRecordsMatch":
            return Turn(Result(Ending.DONE))
        return Turn(Result(Ending.REFUSED, words, code=fault.code))

    def _dead(self, words: str, request: Request, progress: Progress) -> Turn:
        """The token was refused: it wants no escaping, or was one too many, or is really dead."""
        client = self._work.client
        if progress.gist.pages <= 1 and client.escape_fully and self._is_changed_by_escaping(request):
            client.escape_fully = False
            self._is_unescaped = True
            return Turn(request=request)
        if self._is_unescaped:  # it was not that
            client.escape_fully = True
        reason = f"the repository refused its own token ({words})"
        if not progress.gist.pages:
            return Turn(Result(Ending.STALE, reason))
        if progress.is_all_there:
            self._work.tell("token-after-end", f"the last page carried a token; {reason}", weight=Weight.NOTE)
            return Turn(Result(Ending.DONE))
        return Turn(Result(Ending.DOUBTFUL if progress.claimed is None else Ending.EXPIRED, reason))

    def _is_changed_by_escaping(self, request: Request) -> bool:
        bare = render_url(self._work.client.url, request, escape_fully=False)
        return bare != self._work.client.address(request)
