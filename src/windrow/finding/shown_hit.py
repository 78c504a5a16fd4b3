"""One result as it is shown: what `results` makes of a hit, and `passages` adds to."""

from __future__ import annotations

from dataclasses import dataclass

from windrow.finding.showing import Marked
from windrow.index.card import Card
from windrow.model.document import Event


@dataclass(frozen=True, slots=True)
class Passage:
    """A piece of a text with what was looked for marked, and the page it is on."""

    page: int | None  # None where the text has no pages
    text: Marked


@dataclass(frozen=True, slots=True)
class Occasions:
    """Events of a record that a search asked for."""

    shown: tuple[Event, ...]
    matching: int  # how many there are, shown or not
    total: int  # of all events of the record


@dataclass(frozen=True, slots=True)
class ShownHit:
    """One result: its card, and the words that were looked for marked in title, snippet and creators.

    Where title and snippet have none, the keywords may: else nobody would see why this was found.
    """

    card: Card
    score: float
    title: Marked
    snippet: Marked
    keywords: tuple[Marked, ...] = ()
    creators: tuple[Marked, ...] = ()  # those that are shown of the card's
    missing: tuple[str, ...] = ()  # words that were asked for and that this record does not have
    occasions: Occasions | None = None  # where the search asks for events
    passage: Passage | None = None  # of the text of a file, where title and snippet do not show everything
