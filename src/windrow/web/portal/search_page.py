"""The pages of search results and of all values of a facet, and the advanced search form."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from functools import partial
from urllib.parse import urlencode

from windrow.config.collection_values import EVENT_FACETS
from windrow.index.protocol import EVERYTHING, FacetRequest, Order
from windrow.model.document_dates import starting_year
from windrow.protocols.query.query_parser import LONGEST_QUERY, parse_query
from windrow.search.advanced_search import (
    CHOSEN_FIELDS,
    TEXT_FIELDS,
    AdvancedSearch,
    build_expression,
    is_year,
    read_expression,
)
from windrow.search.facets import MAX_EVENT_VALUES, Facet, FacetValue, count_facets
from windrow.search.filters import COLLECTION, is_span, span_ends
from windrow.search.request import PER_PAGE, SearchRequest
from windrow.search.result_export import USUAL_ORDER, feed_address
from windrow.search.results import Results, look_up
from windrow.search.widening import addition_label, list_names, require_word
from windrow.web.http.http_request import HttpRefusal, Pairs, Request, parse_query_string
from windrow.web.http.http_response import NO_CACHE, NO_INDEX, PAGE_HEADERS, Response
from windrow.web.http.parameters import check_fits_value_links, fits_value_links
from windrow.web.i18n.query_notices import (
    explain_filter_notes,
    explain_mistakes,
    explain_notes,
    explain_reading,
)
from windrow.web.i18n.translation import Translator, message
from windrow.web.layout.page_layout import PageLayout, render_page
from windrow.web.portal.portal_context import PortalContext, PortalLinks
from windrow.web.portal.portal_downloads import EXPORTS
from windrow.web.portal.record_description import event_line

# Years as SVG bars with links, and the same numbers in a list.

BAR_HEIGHT = 48.0
_MIN_BAR_HEIGHT = 1.5  # so that every bar is visible


@dataclass(frozen=True, slots=True)
class YearBar:
    """One year: position and height of its bar, and its link."""

    year: str
    place: int
    height: float
    top: float
    words: str
    address: str
    is_chosen: bool


@dataclass(frozen=True, slots=True)
class YearBars:
    """The bars, and the limits of the selected range for the form."""

    bars: tuple[YearBar, ...]
    low: str
    high: str
    is_chosen: bool
    others: int
    width: int


def year_bars(results: Results, frame: PageLayout) -> YearBars | None:
    """Return the years among the results; None if there is no choice between them."""
    facet = next((facet for facet in results.facets if facet.field == "year"), None)
    chosen = results.question.filters.get("year", ())
    if facet is None:
        return None
    series = [value for value in facet.values if starting_year(value.value) is not None]
    most = max((value.count for value in series), default=1) or 1
    bars = tuple(_make_bar(place, value, most, frame, bool(chosen)) for place, value in enumerate(series))
    low, high = _span_ends(chosen)
    return YearBars(bars, low, high, bool(chosen), facet.others, max(len(bars), 1))


def _make_bar(place: int, value: FacetValue, most: int, frame: PageLayout, has_choice: bool) -> YearBar:
    height = max(value.count / most * BAR_HEIGHT, _MIN_BAR_HEIGHT) if value.count else 0.0
    counted = frame.tongue.several("{count} record", "{count} records", value.count)
    return YearBar(
        value.value,
        place,
        round(height, 2),
        round(BAR_HEIGHT - height, 2),
        f"{value.value}: {counted}",
        value.address,
        value.is_selected and has_choice,
    )


def _span_ends(chosen: tuple[str, ...]) -> tuple[str, str]:
    if len(chosen) != 1 or not is_span(chosen[0]):
        return "", ""
    return span_ends(chosen[0])


# The advanced search form is converted to a search expression and back, on the server.

BAD_YEAR = message("{text} is not a year.")
MAX_CHOICES = 60
SHOW_PARAMETER = "show"  # the button that only shows the expression
# Prefixed, because `title` and the like would be filters.
_TEXTS = {name: f"in_{name}" for name in TEXT_FIELDS}
_NAMES = ("all", "phrase", "any", "none", "from", "to", "other", *_TEXTS.values())
_CHOICES = {name: f"{name}_is" for name in CHOSEN_FIELDS}


@dataclass(frozen=True, slots=True)
class FormOption:
    """A value that a field can be set to."""

    value: str
    label: str
    is_chosen: bool


class AdvancedSearchForm:
    """The view of the advanced search form."""

    def __init__(self, room: PortalContext) -> None:
        self._room = room

    def __call__(self, question: SearchRequest, frame: PageLayout, pairs: Pairs) -> Response:
        """Redirect to the results of a submitted form, or return the form."""
        given = {name: value.strip()[:LONGEST_QUERY] for name, value in pairs}
        is_filled = any(name in given for name in (*_NAMES, *_CHOICES.values()))
        form = _read_form(given) if is_filled else read_expression(question.text)
        text = build_expression(form)
        bad = [year for year in (form.first_year, form.last_year) if not is_year(year)]
        mistakes = parse_query(text).mistakes if is_filled else ()
        if is_filled and SHOW_PARAMETER not in given and not bad and not mistakes:
            return _redirect_to_search(frame, question.rewritten(text))
        asked = question.rewritten(text)
        return render_page(
            frame,
            "portal/advanced.html",
            title=frame.tongue.say("Advanced search"),
            canonical="/search/advanced",
            question=asked,
            form=form,
            expression=text,
            texts=[(name, frame.label(name), form.fields.get(name, "")) for name in TEXT_FIELDS],
            choices=[
                (_CHOICES[name], frame.label(name), self._options(name, form, frame))
                for name in CHOSEN_FIELDS
            ],
            kept=[pair for pair in asked.pairs() if pair[0] not in ("q", "page")],
            notes=[frame.tongue.say(BAD_YEAR, text=year[:60]) for year in bad],
            mistakes=explain_mistakes(mistakes, frame.tongue),
            results=asked.address() if text else "",
        )

    def _options(self, name: str, form: AdvancedSearch, frame: PageLayout) -> list[FormOption]:
        (counts,) = self._room.index.tally(EVERYTHING, [FacetRequest(name, MAX_CHOICES)])
        chosen = form.fields.get(name, "")
        values = dict.fromkeys([*(counted.value for counted in counts.values), *([chosen] if chosen else [])])
        found = [FormOption(value, frame.value(name, value), value == chosen) for value in values]
        return sorted(found, key=lambda option: option.label.casefold())


def _read_form(given: Mapping[str, str]) -> AdvancedSearch:
    chosen = {name: given.get(parameter, "") for name, parameter in _CHOICES.items()}
    return AdvancedSearch(
        all_words=given.get("all", ""),
        phrase=given.get("phrase", ""),
        any_words=given.get("any", ""),
        no_words=given.get("none", ""),
        fields={name: given.get(parameter, "") for name, parameter in _TEXTS.items()} | chosen,
        first_year=given.get("from", ""),
        last_year=given.get("to", ""),
        other=given.get("other", ""),
    )


def _redirect_to_search(frame: PageLayout, question: SearchRequest) -> Response:
    location = frame.link(question.address()).encode("ascii", "ignore")
    return Response(303, b"", [(b"location", location), NO_CACHE, NO_INDEX, *PAGE_HEADERS])


TOO_LONG_TO_NARROW = message(
    "This search is too long to be narrowed by filters, which have the whole of it in their addresses."
)
PAGE_SIZES = (10, 20, 50, 100)
MAX_VALUES = 500  # of one field, on the page of all its values


@dataclass(frozen=True, slots=True)
class ResultChoice:
    """Another view of the same results."""

    label: str
    address: str
    is_chosen: bool


class SearchView:
    """The view of search results, and of all values of a facet."""

    def __init__(self, room: PortalContext) -> None:
        self._room = room

    def __call__(self, request: Request, rest: str) -> Response:
        pairs = parse_query_string(request.query)
        question, frame = self._room.asked(request)
        if rest.strip("/") == "advanced":
            return AdvancedSearchForm(self._room)(question, frame, pairs)
        if any(name in ("from", "to") for name, _ in pairs):
            return _redirect_to_results(frame, _with_years(question, pairs))
        if rest.strip("/") == "values":
            return self._values(question, frame, dict(pairs).get("field", ""))
        if rest.strip("/"):
            raise HttpRefusal(404, "There is nothing at this address.")
        return self._results(question, frame)

    def _results(self, question: SearchRequest, frame: PageLayout) -> Response:
        facets = _facet_requests(frame, self._room) if fits_value_links(question) else ()
        results = look_up(self._room.index, question, facets=facets, store=self._room.store)
        question = results.question
        whole = _without_page(
            question.as_searched()
        )  # downloads and statistics never widen: they get the search actually made
        frame = replace(frame, feed=frame.link(feed_address(replace(whole, order=USUAL_ORDER))))
        ways = self._room.ways(frame, question)
        return render_page(
            frame,
            "portal/search.html",
            title=_results_title(results, ways),
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
            years=year_bars(results, frame),
            orders=[
                ResultChoice(label, question.ordered(order).address(), order is question.order)
                for order, label in _sort_orders(frame.tongue, has_words=bool(question.text))
            ],
            sizes=[
                ResultChoice(
                    frame.tongue.number(size), question.address(per_page=size), size == question.per_page
                )
                for size in PAGE_SIZES
            ],
            exports=[(name, whole.address(path)) for name, path in EXPORTS],
            most_exported=self._room.config.portal.export_records,
            statistics=whole.address("/statistics/"),
            notes=[
                *explain_notes(results.notes, frame.tongue),
                *([] if fits_value_links(question) else [frame.tongue.say(TOO_LONG_TO_NARROW)]),
            ],
            mistakes=explain_mistakes(question.mistakes, frame.tongue),
            requiring=partial(_requiring_word_address, question),
            exactly=replace(question, searched="", is_exact=True, page=1).address(),
            added_label=lambda each: addition_label(each, (frame.tongue.code,)),
            added_names=lambda each: list_names(each, addition_label(each, (frame.tongue.code,))),
            without_vocabulary=replace(question, is_expanded=False, page=1).address(),
            with_vocabulary=_expanded_address(question),
            read_as=explain_reading(question.words, frame.tongue) if results.as_words else "",
            kept=_kept_for_new_search(question),
            cleared=_unfiltered(question).address(),
            advanced=replace(_without_page(question), searched="").address("/search/advanced"),
            without_years=[pair for pair in question.pairs() if pair[0] not in ("year", "page")],
            values_path=facet_values_path,
            helps=_alternatives(results, ways) if not results.total else [],
            is_empty=not results.total and not self._room.index.count(EVERYTHING),
            either=_with_or_operator(question) if results.total else None,
            ways=ways,
        )

    def _occasions(self, results: Results, frame: PageLayout) -> list[Facet]:
        """Return the facets of events for the form; none if no result has an event."""
        fields = [name for name in EVENT_FACETS if name not in frame.look.facets]
        if not any(facet.values for facet in results.facets if facet.field in fields):
            return []
        found = count_facets(self._room.index, results.question, fields, limit=MAX_EVENT_VALUES)
        return [facet for facet in found if facet.values]

    def _values(self, question: SearchRequest, frame: PageLayout, field: str) -> Response:
        check_fits_value_links(question)
        found = count_facets(self._room.index, question, [field], limit=MAX_VALUES)
        if not found:
            raise HttpRefusal(404, "There is no such field.")
        label = frame.label(field)
        return render_page(
            frame,
            "portal/values.html",
            title=label,
            question=question,
            facet=found[0],
            label=label,
            others=found[0].others,
            notes=explain_filter_notes(question.notes, frame.tongue),
            mistakes=explain_mistakes(question.mistakes, frame.tongue),
            ways=self._room.ways(frame, question),
        )


def _facet_requests(frame: PageLayout, room: PortalContext) -> Sequence[str]:
    extra = ("collection",) if room.collections and not frame.look.name else ()
    return tuple(dict.fromkeys((*extra, *frame.look.facets, *EVENT_FACETS)))


def _is_useful(facet: Facet, total: int) -> bool:
    """Return whether a facet offers a choice: a value that not all results have, or a selected one."""
    is_nested = any(value.within for value in facet.values)
    return facet.is_selected or is_nested or any(0 < value.count < total for value in facet.values)


def _sort_orders(tongue: Translator, *, has_words: bool) -> list[tuple[Order, str]]:
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


def _results_title(results: Results, ways: PortalLinks) -> str:
    text, say = results.question.text, ways.frame.tongue.say
    if text:
        return say("“{words}”", words=text[:100])
    # the collection's name stands beside the title
    filters = [chip for chip in results.chips if chip.field != COLLECTION]
    chosen = ", ".join(ways.value(chip.field, chip.value) for chip in filters[:3])
    return chosen[:100] or say("All records")


def _without_page(question: SearchRequest) -> SearchRequest:
    """Return the search without its page number and size."""
    return replace(question, page=1, per_page=PER_PAGE)


def _unfiltered(question: SearchRequest) -> SearchRequest:
    return replace(question, filters={}, collection=None, page=1)


def _kept_for_new_search(question: SearchRequest) -> list[tuple[str, str]]:
    """Return what a new search keeps: filters, order and page size, but not words and page."""
    return [pair for pair in question.pairs() if pair[0] not in ("q", "page")]


_MAX_ALTERNATIVES = 9  # words in which "or" is more likely an operator than part of a title
_OPERATORS = ("and", "or", "not")  # operators only in capitals, which not all users know


def _alternatives(results: Results, ways: PortalLinks) -> list[ResultChoice]:
    """Suggest other searches after one without results: without a filter, without all, with any word."""
    question, say = results.question, ways.frame.tongue.say
    found = [
        ResultChoice(say("Without “{value}”", value=ways.value(chip.field, chip.value)), chip.address, False)
        for chip in results.chips[:10]
    ]
    if len(results.chips) > 1:
        found.append(ResultChoice(say("Without any filter"), _unfiltered(question).address(), False))
    words = question.text.split()
    if 1 < len(words) <= 20 and all(word.isalnum() for word in words):
        meant = " ".join(word.upper() if word in _OPERATORS else word for word in words)
        if meant != " ".join(words):
            found.append(
                ResultChoice(say("As “{query}”", query=meant), _reworded_address(question, meant), False)
            )
        either = " OR ".join(word for word in words if word not in _OPERATORS)
        found.append(
            ResultChoice(say("With any one of these words"), _reworded_address(question, either), False)
        )
    return found


def _with_or_operator(question: SearchRequest) -> ResultChoice | None:
    """Return the search with "or" as an operator, if that may be meant."""
    words = question.text.split()
    if len(words) > _MAX_ALTERNATIVES or "or" not in words[1:-1] or not all(map(str.isalnum, words)):
        return None
    meant = " ".join([words[0], *("OR" if word == "or" else word for word in words[1:-1]), words[-1]])
    return ResultChoice(meant, _reworded_address(question, meant), False)


def _requiring_word_address(question: SearchRequest, word: str) -> str:
    return question.rewritten(require_word(question.text, word)).address()


def _expanded_address(question: SearchRequest) -> str:
    """Return the address of the search expanded by vocabularies; empty if they add nothing."""
    meant = replace(question, is_expanded=True, page=1)
    return meant.address() if not question.is_expanded and meant.additions else ""


def _reworded_address(question: SearchRequest, text: str) -> str:
    return question.rewritten(text).address()


def _with_years(question: SearchRequest, pairs: Sequence[tuple[str, str]]) -> SearchRequest:
    """Return the search with the years that a form sent as two fields."""
    given = {name: value.strip() for name, value in pairs}
    low, high = given.get("from", ""), given.get("to", "")
    if low and high and is_span(low) and is_span(high) and len(low) == len(high):
        low, high = sorted((low, high))  # form fields are easily swapped
    span = f"{low}..{high}"
    return question.choosing("year", (span,) if is_span(span) else ())


def _redirect_to_results(frame: PageLayout, question: SearchRequest) -> Response:
    location = frame.link(question.address()).encode("ascii", "ignore")
    return Response(303, b"", [(b"location", location), NO_CACHE, NO_INDEX, *PAGE_HEADERS])


def facet_values_path(question: SearchRequest, field: str) -> str:
    pairs = [pair for pair in question.pairs() if pair[0] != "page"]
    return "/search/values?" + urlencode([("field", field), *pairs], errors="replace")
