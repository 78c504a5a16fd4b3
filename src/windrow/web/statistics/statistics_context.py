"""What statistics pages share: `StatisticsContext`, and links from figures to records, tables and files."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from datetime import UTC, datetime
from urllib.parse import urlencode

from windrow.index.protocol import HitSummary, Index, Order
from windrow.model.controlled_values import ControlledValues
from windrow.model.document_dates import is_year_label
from windrow.model.query import Or, Value
from windrow.search.filters import FILTERS, is_in_span, span_ends
from windrow.search.record_addresses import record_path
from windrow.search.request import SearchRequest, read_request
from windrow.stats.catalogue import list_tables, make_table
from windrow.stats.charts.drawing import Drawer
from windrow.stats.own_tables import OwnTables
from windrow.stats.population import Population
from windrow.stats.table import Filter, Origin
from windrow.stats.table_export import as_json
from windrow.store.overview import SourceOverview
from windrow.web.http.http_request import Request, parse_query_string
from windrow.web.http.parameters import check_fits_value_links, parse_strictly
from windrow.web.i18n.value_labels import describe_origin
from windrow.web.layout.page_cache import check_index_ready
from windrow.web.layout.page_layout import PageLayout, PageLayouts

STATISTICS_PATH = "/statistics"
# A document has at most one of these, so that one value can replace several.
_SINGLE_VALUED = ("year", "source", "media", "size")


@dataclass(frozen=True, slots=True)
class StatisticsLinks:
    """The links of the statistics of a search."""

    frame: PageLayout
    question: SearchRequest

    def records(self, found: Filter) -> str:
        """Return the address of the counted records that match a filter."""
        asked = self.question
        for name, value in found:
            asked = narrow_question(asked, name, value)
        return self.frame.link(asked.address())

    def results(self) -> str:
        """Return the address of all counted records."""
        return self.frame.link(self.question.address())

    def page(self, name: str = "") -> str:
        return self.frame.link(_question_path(f"{STATISTICS_PATH}/{name}", self.question))

    def file(self, table: str, suffix: str) -> str:
        return self.frame.link(_question_path(f"{STATISTICS_PATH}/{table}.{suffix}", self.question))

    def record(self, card: HitSummary) -> str:
        return self.frame.link(record_path(card.source, card.identifier))

    def conditions(self) -> list[tuple[str, str]]:
        words = self.frame.tongue.say("Words")
        found = [(words, self.question.text)] if self.question.text else []
        for name, values in self.question.filters.items():
            found += [(self.frame.label(name), self.frame.value(name, value)) for value in values]
        return found

    def origin(self) -> Origin:
        frame = self.frame
        return describe_origin(frame.look.title, self.question, frame.tongue, frame.look.types, frame.topics)


def without_page(question: SearchRequest) -> SearchRequest:
    """Return a search without its page and order, which statistics ignore."""
    return replace(question, page=1, per_page=SearchRequest.per_page, order=_default_order(question))


def narrow_question(question: SearchRequest, field: str, value: str) -> SearchRequest:
    """Return the search narrowed to records with a value."""
    if field == "pages" or value == "*":
        return _with_words(question, f"{field}:{value}")
    if field not in FILTERS:
        return _with_words(question, str(Value(value, field)))
    chosen = question.filters.get(field, ())
    if chosen and field == "year" and ".." in value:  # a range, which may contain other years
        if any(map(is_year_label, span_ends(value))):
            return question.choosing(field, [each for each in chosen if is_in_span(value, each)] or (value,))
        return _with_words(question, f"{field}:{value}")
    if not chosen or field in _SINGLE_VALUED or value in chosen:
        return question.choosing(field, (value,))
    # Values of one filter are alternatives; to require both, one has to be in the query.
    return _with_words(question, str(Value(value, field)))


def _with_words(question: SearchRequest, words: str) -> SearchRequest:
    text = f"{_closed_text(question)} {words}" if question.text else words
    return replace(question, text=text, order=Order.RELEVANCE, page=1)


def _closed_text(question: SearchRequest) -> str:
    """Return the text of a search, in parentheses where appending to it would change its meaning."""
    meant = str(question.words)
    if meant == question.text and not isinstance(question.words, Or):
        return meant
    # with an unclosed quotation mark, as it was read
    return f"({meant if question.mistakes else question.text})"


def _default_order(question: SearchRequest) -> Order:
    return Order.RELEVANCE if question.text else Order.NEWEST


def _question_path(path: str, question: SearchRequest) -> str:
    pairs = urlencode(without_page(question).pairs(), errors="replace")
    return f"{path}?{pairs}" if pairs else path


STORE_BASED_TABLES = ("freshness",)  # made from the store, not from the index
HarvestOverviews = Callable[[], Iterable[SourceOverview]]


def _current_time() -> datetime:
    return datetime.now(UTC)


@dataclass(frozen=True, slots=True)
class StatisticsContext:
    """One library, as statistics see it."""

    frames: PageLayouts
    index: Index
    collections: Mapping[str, Sequence[str]] = field(default_factory=dict)
    harvests: HarvestOverviews = tuple
    drawer: Drawer = field(default_factory=Drawer)
    clock: Callable[[], datetime] = _current_time
    own: OwnTables = field(default_factory=OwnTables)  # tables that the owner defined

    def asked(self, request: Request) -> tuple[SearchRequest, PageLayout]:
        pairs = parse_query_string(request.query)
        types, topics = self._types(pairs), self.frames.topics
        expander = self.frames.expander
        question = read_request(
            pairs, collections=self.collections, types=types, topics=topics, expander=expander
        )
        check_fits_value_links(question)
        return self._framed(request, question)

    def asked_of_file(self, request: Request) -> tuple[SearchRequest, PageLayout]:
        """Return the search of a download, and the layout for its title; invalid parameters are refused."""
        pairs = parse_query_string(request.query)
        types, expander = self._types(pairs), self.frames.expander
        return self._framed(request, parse_strictly(pairs, self.collections, types=types, expander=expander))

    def _types(self, pairs: Sequence[tuple[str, str]]) -> ControlledValues | None:
        return self.frames.looks.of(dict(pairs).get("collection")).types

    def check_ready(self, table: str, question: SearchRequest) -> None:
        """Raise HttpRefusal until the index is complete, unless the table needs only the store."""
        if table not in STORE_BASED_TABLES or question.pairs():
            check_index_ready(self.index)

    def population(self, question: SearchRequest, frame: PageLayout) -> Population:
        def origin_of(institutions: tuple[str, ...]) -> Origin:
            return StatisticsLinks(frame, question.choosing("institution", institutions)).origin()

        return replace(self.counted(question, StatisticsLinks(frame, question).origin()), origin_of=origin_of)

    def counted(self, question: SearchRequest, origin: Origin) -> Population:
        """Return the records of a search under a given title."""
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

    def _framed(self, request: Request, question: SearchRequest) -> tuple[SearchRequest, PageLayout]:
        frame = self.frames.frame(request, collection=question.collection, words=question.text)
        return without_page(question), frame


StatisticFunction = Callable[[SearchRequest], Mapping[str, object]]


def statistic_functions(desk: StatisticsContext) -> dict[str, StatisticFunction]:
    """Return the functions with which the JSON API makes each table, by name."""
    return {name: _answer_statistic(desk, name) for name in list_tables(desk.own)}


def _answer_statistic(desk: StatisticsContext, name: str) -> StatisticFunction:
    def answer(question: SearchRequest) -> Mapping[str, object]:
        desk.check_ready(name, question)
        origin = Origin(desk.frames.looks.of(question.collection).title)
        return as_json(make_table(name, desk.counted(question, origin)))

    return answer
