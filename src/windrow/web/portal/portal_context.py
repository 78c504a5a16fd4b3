"""What every page of the portal is made from: the library's index and store, its looks, the ways on."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace

from windrow.config.schema import Config
from windrow.faces.portal.source_facts import SourceFact
from windrow.faces.shared.frame import Frame, Frames
from windrow.faces.shared.headline import seen_title
from windrow.faces.shared.link_size import check_length
from windrow.faces.shared.pairs import Pairs, query_pairs
from windrow.faces.shared.request import Request
from windrow.faces.shared.staleness import nobody_notes
from windrow.faces.shared.strict_question import read_strictly
from windrow.finding.addresses import document_path, record_path
from windrow.finding.feed import USUAL_ORDER
from windrow.finding.filters import COLLECTION
from windrow.finding.question import Question, filter_address, read_question
from windrow.index.card import Card
from windrow.index.protocol import Index
from windrow.model.concepts import ConceptTable
from windrow.model.facts import fact
from windrow.model.normalising import normalised
from windrow.model.query import Value, quoted
from windrow.store.store import Store

THUMBNAIL = 160  # pixels of the pictures beside results
LONGEST_WORDS = 1000  # letters of a search that go into the address of a text

# The chart of the first page as ready markup with its table; empty where there is nothing to draw.
Landing = Callable[[Question, Frame], str]


def _no_cover(source: str, identifier: str) -> bool:  # noqa: ARG001
    return False


def _no_chart(question: Question, frame: Frame) -> str:  # noqa: ARG001
    return ""


def _no_facts(source: str) -> Sequence[SourceFact]:  # noqa: ARG001
    return ()


@dataclass(frozen=True, slots=True)
class Room:
    """One library, open to the public."""

    config: Config
    frames: Frames
    index: Index
    store: Store
    landing: Landing = field(default=_no_chart)
    looked_at: Callable[[int, str], None] = nobody_notes  # of each record shown: its number and its source
    has_cover: Callable[[str, str], bool] = field(default=_no_cover)  # whether a recording has a picture
    source_facts: Callable[[str], Sequence[SourceFact]] = field(default=_no_facts)  # by a source's kind

    @property
    def collections(self) -> Mapping[str, Sequence[str]]:
        """The collections, with the names of their sources."""
        return self.config.collection_sources

    def question(self, pairs: Pairs) -> Question:
        """Read what is asked out of the parameters of an address."""
        types, topics = self._types(pairs), self.frames.topics
        expander = self.frames.expander
        return read_question(
            pairs, collections=self.collections, types=types, topics=topics, expander=expander
        )

    def _types(self, pairs: Pairs) -> ConceptTable | None:
        return self.frames.looks.of(dict(pairs).get("collection")).types

    def asked(self, request: Request) -> tuple[Question, Frame]:
        """Give what a request asks, and the frame for its page; Refused where its links would be too long."""
        question = self.question(query_pairs(request.query))
        check_length(question)
        question, frame = self._framed(request, question)
        return replace(question, language=frame.tongue.code), frame

    def asked_of_file(self, request: Request) -> tuple[Question, Frame]:
        """Give what a request for a file asks, and the frame that names it; nonsense is refused."""
        pairs = query_pairs(request.query)
        types, expander = self._types(pairs), self.frames.expander
        return self._framed(request, read_strictly(pairs, self.collections, types=types, expander=expander))

    def asked_of_feed(self, request: Request) -> tuple[Question, Frame]:
        """Give what a request for a feed asks, as for a file; in the order of feeds unless it names one."""
        pairs = query_pairs(request.query)
        if not any(name == "sort" and value.strip() for name, value in pairs):
            pairs = [*pairs, ("sort", USUAL_ORDER.value)]
        types = self._types(pairs)
        expander = self.frames.expander
        asked = read_strictly(pairs, self.collections, has_cursor=True, types=types, expander=expander)
        return self._framed(request, asked)

    def ways(self, frame: Frame, question: Question | None = None) -> Ways:
        """Give the ways on from a page."""
        titles = {name: look.title for name, look in self.frames.looks.collections.items()}
        return Ways(frame, question or Question(), titles)

    def _framed(self, request: Request, question: Question) -> tuple[Question, Frame]:
        return question, self.frames.frame(request, collection=question.collection, words=question.text)


@dataclass(frozen=True, slots=True)
class Ways:
    """The addresses that a page links to, inside the collection it is in."""

    frame: Frame
    question: Question
    titles: Mapping[str, str] = field(default_factory=dict)  # of collections

    def find(self, name: str, value: str) -> str:
        """Give the address of everything with a value in a field."""
        # As it is counted: of an endless one only the start, so that the address is none that servers refuse.
        if self.question.collection is None and name != COLLECTION:
            return self.frame.link(filter_address(name, fact(value)))
        found = Question(collection=self.question.collection).adding(name, normalised(name, fact(value)))
        return self.frame.link(found.address())

    def narrowed(self, *chosen: tuple[str, str]) -> str:
        """Give the address of those with these values among what the page lists."""
        found = self.question.turning(1)
        for name, value in chosen:
            found = found.choosing(name, (fact(value),))
        return self.frame.link(found.address())

    def search(self, text: str, field: str = "") -> str:
        """Give the address of a search for words, taken as they are, in a field or anywhere."""
        return self._asked(f"{field}:{quoted(text)}" if field else quoted(text))

    def exactly(self, value: str, field: str) -> str:
        """Give the address of a search for a value in a field that is no filter."""
        return self._asked(str(Value(value, field)))

    def _asked(self, text: str) -> str:
        pairs = [("q", text), ("collection", self.question.collection or "")]
        return self.frame.link(read_question(pairs, collections=self.question.collections).address())

    def record(self, source: str, identifier: str) -> str:
        """Give the address of a record."""
        return self.frame.link(record_path(source, identifier))

    def picture(self, card: Card, size: int = THUMBNAIL) -> str:
        """Give the address of a small picture of a document."""
        return self.frame.link(document_path("picture", card.source, card.identifier, size=size))

    def original(self, card: Card) -> str:
        """Give the address of the file itself."""
        return self.frame.link(document_path("original", card.source, card.identifier))

    def passage(self, card: Card, page: int | None) -> str:
        """Give the address of the page of its text that has what was looked for, at the first mark there."""
        words = self.question.text[:LONGEST_WORDS]
        path = document_path("text", card.source, card.identifier, page=page, q=words)
        return f"{self.frame.link(path)}#hit"

    def title(self, text: str) -> str:
        """Give a title, or the words for none: there must be something to click on."""
        return seen_title(text) or self.frame.tongue.say("Without a title")

    def value(self, name: str, value: str) -> str:
        """Give a value of a field as people read it."""
        return self.titles.get(value, value) if name == "collection" else self.frame.value(name, value)
