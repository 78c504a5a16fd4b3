"""One request with everything that is needed to answer it."""

from __future__ import annotations

from dataclasses import dataclass, field

from windrow.config.schema import Config
from windrow.faces.oai.desk import Books, Desk
from windrow.faces.oai.views import View
from windrow.store.offering import Offering
from windrow.wire.oai.answering.arguments import Request
from windrow.wire.oai.answering.refusal import Refused, refuse


@dataclass(slots=True)
class Question:
    """What is asked, of which repository, by whom."""

    config: Config
    view: View
    desk: Desk
    request: Request
    base_url: str
    key: bytes  # that tokens are signed with
    credentials: tuple[str, str] | None
    books: Books = field(init=False)
    hidden_sets: tuple[int, ...] = ()

    def __post_init__(self) -> None:
        self.books = self.desk.books(self.view)
        guards = self.books.sets.guards
        if guards:
            may_see = self.books.formats.may_see
            self.hidden_sets = tuple(
                guard.set_id for guard in guards if not may_see(guard.source_id, guard.name, self.credentials)
            )

    @property
    def offering(self) -> Offering:
        """Where records are read."""
        return self.desk.offering

    @property
    def scope(self) -> str:
        """What a token is good for: this repository."""
        return self.view.name

    def refuse(self, code: str, message: str) -> Refused:
        """Give the refusal of this request, to be raised."""
        return refuse(code, message, echo=self.request.pairs)
