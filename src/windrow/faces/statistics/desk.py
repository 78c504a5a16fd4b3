"""What statistics are made from: the index, the collections, what is known of harvests, and who draws."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from datetime import UTC, datetime

from windrow.faces.shared.frame import Frame, Frames
from windrow.faces.shared.link_size import check_short
from windrow.faces.shared.pairs import query_pairs
from windrow.faces.shared.readiness import check_ready
from windrow.faces.shared.request import Request
from windrow.faces.shared.strict_question import read_strictly
from windrow.faces.statistics.ways import Ways, plain
from windrow.finding.question import Question, read_question
from windrow.index.protocol import Index
from windrow.model.concepts import ConceptTable
from windrow.stats.drawing import Drawer
from windrow.stats.origin import Origin
from windrow.stats.own_tables import OwnTables
from windrow.stats.population import Population
from windrow.store.overview import Overview

STORED = ("freshness",)  # what the store knows, not the index
Harvests = Callable[[], Iterable[Overview]]


def _now() -> datetime:
    return datetime.now(UTC)


@dataclass(frozen=True, slots=True)
class Desk:
    """One library, as statistics see it."""

    frames: Frames
    index: Index
    collections: Mapping[str, Sequence[str]] = field(default_factory=dict)
    harvests: Harvests = tuple
    drawer: Drawer = field(default_factory=Drawer)
    clock: Callable[[], datetime] = _now
    own: OwnTables = field(default_factory=OwnTables)  # the owner's

    def asked(self, request: Request) -> tuple[Question, Frame]:
        """Give what a request asks, and the frame for its page."""
        pairs = query_pairs(request.query)
        types, topics = self._types(pairs), self.frames.topics
        expander = self.frames.expander
        question = read_question(
            pairs, collections=self.collections, types=types, topics=topics, expander=expander
        )
        check_short(question)
        return self._framed(request, question)

    def asked_of_file(self, request: Request) -> tuple[Question, Frame]:
        """Give what a request for a file asks, and the frame that names it; nonsense is refused."""
        pairs = query_pairs(request.query)
        types, expander = self._types(pairs), self.frames.expander
        return self._framed(request, read_strictly(pairs, self.collections, types=types, expander=expander))

    def _types(self, pairs: Sequence[tuple[str, str]]) -> ConceptTable | None:
        return self.frames.looks.of(dict(pairs).get("collection")).types

    def check_ready(self, table: str, question: Question) -> None:
        """Refuse while the index is made, if it has a say: of all sources the store knows enough for some."""
        if table not in STORED or question.pairs():
            check_ready(self.index)

    def population(self, question: Question, frame: Frame) -> Population:
        """Give the records that a question finds."""

        def origin_of(institutions: tuple[str, ...]) -> Origin:
            return Ways(frame, question.choosing("institution", institutions)).origin()

        return replace(self.counted(question, Ways(frame, question).origin()), origin_of=origin_of)

    def counted(self, question: Question, origin: Origin) -> Population:
        """Give the records that a question finds, under a name for titles."""
        return Population(
            self.index,
            question.query,
            origin,
            self.clock(),
            institutions=tuple(question.filters.get("institution", ())),
            harvests=self.harvests,
            own=self.own,
            wants_year=question.wants_year,
            types=self.frames.looks.of(question.collection).types,
        )

    def _framed(self, request: Request, question: Question) -> tuple[Question, Frame]:
        frame = self.frames.frame(request, collection=question.collection, words=question.text)
        return plain(question), frame
