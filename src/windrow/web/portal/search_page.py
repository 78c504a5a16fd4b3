"""The page of results: box, facets, chips, hits, and the ways to narrow, widen, turn, sort and save it."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import partial
from urllib.parse import urlencode

from windrow.config.appearance import EVENT_FACETS
from windrow.faces.portal.advanced import AdvancedForm
from windrow.faces.portal.bars import bars_of
from windrow.faces.portal.described import event_line
from windrow.faces.portal.exports import EXPORTS
from windrow.faces.portal.read_as import read_as
from windrow.faces.portal.room import Room, Ways
from windrow.faces.shared.catalogues import message
from windrow.faces.shared.frame import Frame, show
from windrow.faces.shared.link_size import check_short, is_short
from windrow.faces.shared.noted import tell_filters, tell_notes
from windrow.faces.shared.pairs import query_pairs
from windrow.faces.shared.query_mistakes import explain_all
from windrow.faces.shared.refusal import Refused
from windrow.faces.shared.request import Request
from windrow.faces.shared.response import NO_CACHE, NO_INDEX, PAGE_HEADERS, Response
from windrow.faces.shared.tongue import Tongue
from windrow.finding.additions import label_of, named
from windrow.finding.asking import PER_PAGE
from windrow.finding.facets import MOST_OF_EVENTS, Facet, count_facets
from windrow.finding.feed import USUAL_ORDER, feed_address
from windrow.finding.filters import COLLECTION, is_span
from windrow.finding.question import Question
from windrow.finding.results import Results, look_up
from windrow.finding.widening import require
from windrow.index.protocol import EVERYTHING, Order

TOO_LONG_TO_NARROW = message(
    "This search is too long to be narrowed by filters, which have the whole of it in their addresses."
)
PER_PAGES = (10, 20, 50, 100)
MOST_VALUES = 500  # of one field, on the page that lists them all


@dataclass(frozen=True, slots=True)
class Choice:
    """One of several ways to see the same results."""

    label: str
    address: str
    is_chosen: bool


class Search:
    """Makes pages of results, and pages of all values of one field among them."""

    def __init__(self, room: Room) -> None:
        self._room = room

    def __call__(self, request: Request, rest: str) -> Response:
        """Give the page."""
        pairs = query_pairs(request.query)
        question, frame = self._room.asked(request)
        if rest.strip("/") == "advanced":
            return AdvancedForm(self._room)(question, frame, pairs)
        if any(name in ("from", "to") for name, _ in pairs):
            return _redirect(frame, _with_years(question, pairs))
        if rest.strip("/") == "values":
            return self._values(question, frame, dict(pairs).get("field", ""))
        if rest.strip("/"):
            raise Refused(404, "There is nothing at this address.")
        return self._results(question, frame)

    def _results(self, question: Question, frame: Frame) -> Response:
        facets = _facets(frame, self._room) if is_short(question) else ()
        results = look_up(self._room.index, question, facets=facets, store=self._room.store)
        question = results.question
        whole = _plain(question.as_searched())  # files and figures never widen: they get what was searched
        frame = replace(frame, feed=frame.link(feed_address(replace(whole, order=USUAL_ORDER))))
        ways = self._room.ways(frame, question)
        return show(
            frame,
            "portal/search.html",
            title=_title(results, ways),
            canonical=question.address(),
            question=question,
            results=results,
            facets=[
                facet
                for facet in results.facets
                if facet.field in (*frame.look.facets, COLLECTION) and _is_useful(facet, results.total)
            ],
            occasions=self._occasions(results, frame),
            without_events=[pair for pair in question.pairs() if pair[0] not in (*EVENT_FACETS, "page")],
            event_line=partial(event_line, frame=frame),
            years=bars_of(results, frame),
            orders=[
                Choice(label, question.ordered(order).address(), order is question.order)
                for order, label in _orders(frame.tongue, has_words=bool(question.text))
            ],
            sizes=[
                Choice(frame.tongue.number(size), question.address(per_page=size), size == question.per_page)
                for size in PER_PAGES
            ],
            exports=[(name, whole.address(path)) for name, path in EXPORTS],
            most_exported=self._room.config.portal.export_records,
            statistics=whole.address("/statistics/"),
            notes=[
                *tell_notes(results.notes, frame.tongue),
                *([] if is_short(question) else [frame.tongue.say(TOO_LONG_TO_NARROW)]),
            ],
            mistakes=explain_all(question.mistakes, frame.tongue),
            requiring=partial(_requiring, question),
            exactly=replace(question, searched="", is_exact=True, page=1).address(),
            added_label=lambda each: label_of(each, (frame.tongue.code,)),
            added_names=lambda each: named(each, label_of(each, (frame.tongue.code,))),
            without_vocabulary=replace(question, is_expanded=False, page=1).address(),
            with_vocabulary=_expanded(question),
            read_as=read_as(question.words, frame.tongue) if results.as_words else "",
            kept=_kept(question),
            cleared=_unfiltered(question).address(),
            advanced=replace(_plain(question), searched="").address("/search/advanced"),
            without_years=[pair for pair in question.pairs() if pair[0] not in ("year", "page")],
            values_path=values_path,
            helps=_helps(results, ways) if not results.total else [],
            is_empty=not results.total and not self._room.index.count(EVERYTHING),
            either=_either(question) if results.total else None,
            ways=ways,
        )

    def _occasions(self, results: Results, frame: Frame) -> list[Facet]:
        """Return the fields of the form for events; none where no result has an event to choose among."""
        fields = [name for name in EVENT_FACETS if name not in frame.look.facets]
        if not any(facet.values for facet in results.facets if facet.field in fields):
            return []
        found = count_facets(self._room.index, results.question, fields, limit=MOST_OF_EVENTS)
        return [facet for facet in found if facet.values]

    def _values(self, question: Question, frame: Frame, field: str) -> Response:
        """Give all values of a field among the results, as far as a page can hold them."""
        check_short(question)
        found = count_facets(self._room.index, question, [field], limit=MOST_VALUES)
        if not found:
            raise Refused(404, "There is no such field.")
        label = frame.label(field)
        return show(
            frame,
            "portal/values.html",
            title=label,
            question=question,
            facet=found[0],
            label=label,
            others=found[0].others,
            notes=tell_filters(question.notes, frame.tongue),
            mistakes=explain_all(question.mistakes, frame.tongue),
            ways=self._room.ways(frame, question),
        )


def _facets(frame: Frame, room: Room) -> Sequence[str]:
    extra = ("collection",) if room.collections and not frame.look.name else ()
    return tuple(dict.fromkeys((*extra, *frame.look.facets, *EVENT_FACETS)))


def _is_useful(facet: Facet, total: int) -> bool:
    """Whether a choice can be made: a value that not all results have, or one that is chosen already."""
    is_nested = any(value.within for value in facet.values)
    return facet.is_selected or is_nested or any(0 < value.count < total for value in facet.values)


def _orders(tongue: Tongue, *, has_words: bool) -> list[tuple[Order, str]]:
    say = tongue.say
    found = [
        (Order.RELEVANCE, say("Relevance")),
        (Order.NEWEST, say("Newest first")),
        (Order.OLDEST, say("Oldest first")),
        (Order.TITLE, say("Title")),
        (Order.PAGES, say("Most pages first")),
        (Order.ADDED, say("Added last")),
    ]
    return found if has_words else found[1:]


def _title(results: Results, ways: Ways) -> str:
    """What the tab and the bookmark are called: the words, or what was chosen instead of any."""
    text, say = results.question.text, ways.frame.tongue.say
    if text:
        return say("“{words}”", words=text[:100])
    filters = [chip for chip in results.chips if chip.field != COLLECTION]  # its name stands beside the title
    chosen = ", ".join(ways.value(chip.field, chip.value) for chip in filters[:3])
    return chosen[:100] or say("All records")


def _plain(question: Question) -> Question:
    """The question as a whole: no page of it."""
    return replace(question, page=1, per_page=PER_PAGE)


def _unfiltered(question: Question) -> Question:
    return replace(question, filters={}, collection=None, page=1)


def _kept(question: Question) -> list[tuple[str, str]]:
    """What a new search from the box keeps: filters, order and size of pages, not the words and the page."""
    return [pair for pair in question.pairs() if pair[0] not in ("q", "page")]


_MOST_ALTERNATIVES = 9  # words in which "or" is likelier an operator than part of a title
_OPERATORS = ("and", "or", "not")  # are words unless they are in capitals, which not everybody knows


def _helps(results: Results, ways: Ways) -> list[Choice]:
    """Give ways on from a search that found nothing: without a filter, without all, any of the words."""
    question, say = results.question, ways.frame.tongue.say
    found = [
        Choice(say("Without “{value}”", value=ways.value(chip.field, chip.value)), chip.address, False)
        for chip in results.chips[:10]
    ]
    if len(results.chips) > 1:
        found.append(Choice(say("Without any filter"), _unfiltered(question).address(), False))
    words = question.text.split()
    if 1 < len(words) <= 20 and all(word.isalnum() for word in words):
        meant = " ".join(word.upper() if word in _OPERATORS else word for word in words)
        if meant != " ".join(words):
            found.append(Choice(say("As “{query}”", query=meant), _asking(question, meant), False))
        either = " OR ".join(word for word in words if word not in _OPERATORS)
        found.append(Choice(say("With any one of these words"), _asking(question, either), False))
    return found


def _either(question: Question) -> Choice | None:
    """Give the same with its "or" as an operator, where that may be meant."""
    words = question.text.split()
    if len(words) > _MOST_ALTERNATIVES or "or" not in words[1:-1] or not all(map(str.isalnum, words)):
        return None
    meant = " ".join([words[0], *("OR" if word == "or" else word for word in words[1:-1]), words[-1]])
    return Choice(meant, _asking(question, meant), False)


def _requiring(question: Question, word: str) -> str:
    """The address of the same search in which no result lacks a word."""
    return question.rewritten(require(question.text, word)).address()


def _expanded(question: Question) -> str:
    """Return the address of the same with what vocabularies add; nothing where they add nothing."""
    meant = replace(question, is_expanded=True, page=1)
    return meant.address() if not question.is_expanded and meant.additions else ""


def _asking(question: Question, text: str) -> str:
    """The address of the same question in other words."""
    return question.rewritten(text).address()


def _with_years(question: Question, pairs: Sequence[tuple[str, str]]) -> Question:
    """The question with the years that a form sent as two fields."""
    given = {name: value.strip() for name, value in pairs}
    low, high = given.get("from", ""), given.get("to", "")
    if low and high and is_span(low) and is_span(high) and len(low) == len(high):
        low, high = sorted((low, high))  # the fields of a form are easily filled in the wrong way round
    span = f"{low}..{high}"
    return question.choosing("year", (span,) if is_span(span) else ())


def _redirect(frame: Frame, question: Question) -> Response:
    location = frame.link(question.address()).encode("ascii", "ignore")
    return Response(303, b"", [(b"location", location), NO_CACHE, NO_INDEX, *PAGE_HEADERS])


def values_path(question: Question, field: str) -> str:
    """Give the path of the page with all values of a field."""
    pairs = [pair for pair in question.pairs() if pair[0] != "page"]
    return "/search/values?" + urlencode([("field", field), *pairs], errors="replace")
