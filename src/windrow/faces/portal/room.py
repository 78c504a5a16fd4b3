"""What every page of the portal is made from: the library's index and store, its looks, the ways on."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field

from windrow.config.schema import Config
from windrow.faces.shared.frame import Frame, Frames
from windrow.faces.shared.pairs import Pairs, query_pairs
from windrow.faces.shared.request import Request
from windrow.finding.addresses import record_path
from windrow.finding.question import Question, read_question
from windrow.index.protocol import Index
from windrow.model.query import quoted
from windrow.store.store import Store

# The chart of the first page as ready markup with its table; empty where there is nothing to draw.
Landing = Callable[[Question, Frame], str]


def _no_chart(question: Question, frame: Frame) -> str:  # noqa: ARG001
    return ""


@dataclass(frozen=True, slots=True)
class Room:
    """One library, open to the public."""

    config: Config
    frames: Frames
    index: Index
    store: Store
    landing: Landing = field(default=_no_chart)

    @property
    def collections(self) -> Mapping[str, Sequence[str]]:
        """The collections, with the names of their sources."""
        return {name: found.sources for name, found in self.config.collections.items()}

    def question(self, pairs: Pairs) -> Question:
        """Read what is asked out of the parameters of an address."""
        return read_question(pairs, collections=self.collections)

    def asked(self, request: Request) -> tuple[Question, Frame]:
        """Give what a request asks, and the frame for its page."""
        question = self.question(query_pairs(request.query))
        return question, self.frames.frame(request, collection=question.collection, words=question.text)

    def ways(self, frame: Frame, question: Question | None = None) -> Ways:
        """Give the ways on from a page."""
        titles = {name: look.title for name, look in self.frames.looks.collections.items()}
        return Ways(frame, question or Question(), titles)


@dataclass(frozen=True, slots=True)
class Ways:
    """The addresses that a page links to, inside the collection it is in."""

    frame: Frame
    question: Question
    titles: Mapping[str, str] = field(default_factory=dict)  # of collections

    def find(self, name: str, value: str) -> str:
        """Give the address of everything with a value in a field."""
        return self.frame.link(Question(collection=self.question.collection).adding(name, value).address())

    def search(self, text: str) -> str:
        """Give the address of a search for words, taken as they are."""
        pairs = [("q", quoted(text)), ("collection", self.question.collection or "")]
        return self.frame.link(read_question(pairs, collections=self.question.collections).address())

    def both(self, outer: str, value: str, inner: str, within: str) -> str:
        """Give the address of everything with two values, such as a department of an institution."""
        found = Question(collection=self.question.collection).adding(outer, value).adding(inner, within)
        return self.frame.link(found.address())

    def record(self, source: str, identifier: str) -> str:
        """Give the address of a record."""
        return self.frame.link(record_path(source, identifier))

    def value(self, name: str, value: str) -> str:
        """Give a value of a field as people read it."""
        if name == "language":
            return self.frame.tongue.language(value)
        if name == "collection":
            return self.titles.get(value, value)
        if name == "year" and ".." in value:
            low, _, high = value.partition("..")
            return f"{low}–{high}"
        return value
