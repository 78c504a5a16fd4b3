"""Where figures lead: to the records they count, to other statistics of the same records, and to files."""

from __future__ import annotations

from dataclasses import dataclass, replace
from urllib.parse import urlencode

from windrow.faces.shared.frame import Frame
from windrow.faces.statistics.naming import origin_of
from windrow.finding.addresses import record_path
from windrow.finding.filters import FILTERS, ends_of, spans
from windrow.finding.question import Question
from windrow.index.card import Card
from windrow.index.protocol import Order
from windrow.model.academic_years import is_label
from windrow.model.query import Or, Value
from windrow.stats.origin import Origin
from windrow.stats.table import Filter

PATH = "/statistics"
# Of these a document has one at most, so that one value can take the place of several.
_SINGLE = ("year", "source", "media", "size")


@dataclass(frozen=True, slots=True)
class Ways:
    """The addresses around the statistics of a question."""

    frame: Frame
    question: Question

    def records(self, found: Filter) -> str:
        """Give the address of the records that a filter finds among those counted."""
        asked = self.question
        for field, value in found:
            asked = narrowed(asked, field, value)
        return self.frame.link(asked.address())

    def results(self) -> str:
        """Give the address of all records counted."""
        return self.frame.link(self.question.address())

    def page(self, name: str = "") -> str:
        """Give the address of a page of statistics, of the same records."""
        return self.frame.link(_asked(f"{PATH}/{name}", self.question))

    def file(self, table: str, suffix: str) -> str:
        """Give the address of a table as a file."""
        return self.frame.link(_asked(f"{PATH}/{table}.{suffix}", self.question))

    def record(self, card: Card) -> str:
        """Give the address of a record's page."""
        return self.frame.link(record_path(card.source, card.identifier))

    def conditions(self) -> list[tuple[str, str]]:
        """Give what the records counted have in common, as labels and values."""
        words = self.frame.tongue.say("Words")
        found = [(words, self.question.text)] if self.question.text else []
        for field, values in self.question.filters.items():
            found += [(self.frame.label(field), self.frame.value(field, value)) for value in values]
        return found

    def origin(self) -> Origin:
        """Give what the records counted are called in a title."""
        frame = self.frame
        return origin_of(frame.look.title, self.question, frame.tongue, frame.look.types, frame.topics)


def plain(question: Question) -> Question:
    """Give a question without what statistics do not care about: its page and its order."""
    return replace(question, page=1, per_page=Question.per_page, order=_order(question))


def narrowed(question: Question, field: str, value: str) -> Question:
    """Give the question for those of its records that have a value."""
    if field == "pages" or value == "*":
        return _with_words(question, f"{field}:{value}")
    if field not in FILTERS:
        return _with_words(question, str(Value(value, field)))
    chosen = question.filters.get(field, ())
    if chosen and field == "year" and ".." in value:  # a span, in which there may be other years
        if any(map(is_label, ends_of(value))):
            return question.choosing(field, [each for each in chosen if spans(value, each)] or (value,))
        return _with_words(question, f"{field}:{value}")
    if not chosen or field in _SINGLE or value in chosen:
        return question.choosing(field, (value,))
    # Values of one filter are alternatives; what has both must be asked for in words.
    return _with_words(question, str(Value(value, field)))


def _with_words(question: Question, words: str) -> Question:
    text = f"{_closed(question)} {words}" if question.text else words
    return replace(question, text=text, order=Order.RELEVANCE, page=1)


def _closed(question: Question) -> str:
    """The text of a question, so that what is put behind it does not change what it means."""
    meant = str(question.words)
    if meant == question.text and not isinstance(question.words, Or):
        return meant
    return f"({meant if question.mistakes else question.text})"  # of an open quotation mark, as it was taken


def _order(question: Question) -> Order:
    return Order.RELEVANCE if question.text else Order.NEWEST


def _asked(path: str, question: Question) -> str:
    pairs = urlencode(plain(question).pairs(), errors="replace")
    return f"{path}?{pairs}" if pairs else path
