"""What portal pages share: `PortalContext`, `PortalLinks`, and facts about sources."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace

from windrow.config.schema import Config
from windrow.index.protocol import HitSummary, Index
from windrow.model.controlled_values import ControlledValues
from windrow.model.counted_fields import counted_value, normalised_value
from windrow.model.query import Value, quoted
from windrow.search.filters import COLLECTION
from windrow.search.record_addresses import document_path, record_path
from windrow.search.request import SearchRequest, filter_address, read_request
from windrow.search.result_export import USUAL_ORDER
from windrow.store.store import Store
from windrow.web.http.http_request import Pairs, Request, parse_query_string
from windrow.web.http.parameters import check_address_length, parse_strictly
from windrow.web.i18n.translation import Translator, message
from windrow.web.layout.page_layout import PageLayout, PageLayouts
from windrow.web.layout.page_text import visible_title
from windrow.web.stale_records import ignore_view

# What a kind of source reports about itself on the status pages. Messages of built-in kinds are translated;
# those of plug-ins are shown unchanged.

SOURCE_FACT_LABELS: Mapping[str, str] = {
    "crawl": message("Crawl"),
    "processes": message("Processes"),
    "addresses": message("Addresses"),
    "unavailable": message("Unavailable"),
    "time left": message("Time left"),
}
SOURCE_FACT_WORDS = frozenset(
    {
        message("open"),
        message("running"),
        message("paused until further notice"),
        message("closed until further notice"),
        message("{known} known, {waiting} waiting"),
        message("{count}, to be tried again"),
        message("at least {count} seconds, because of {host}"),
        message("at least {count} minutes, because of {host}"),
        message("at least {count} hours, because of {host}"),
        message("at least {count} days, because of {host}"),
        message("{waiting} waiting, {done} fetched, {failed} failed"),
    }
)


@dataclass(frozen=True, slots=True)
class SourceFact:
    """A label and text about a source; with `values`, the text has their names in braces."""

    label: str
    words: str
    values: Mapping[str, str | int] = field(default_factory=dict)

    def shown(self, tongue: Translator) -> ShownFact:
        """Translate the fact where a translation is known."""
        words, label = self.words, self.label
        if words in SOURCE_FACT_WORDS or self.values:
            words = tongue.say(words, **self.values)
        if label in SOURCE_FACT_LABELS:
            label = tongue.say(SOURCE_FACT_LABELS[label])
        is_foreign = self.words not in SOURCE_FACT_WORDS and not self.words.startswith("{")
        return ShownFact(label, words, language="en" if is_foreign and tongue.code != "en" else "")


@dataclass(frozen=True, slots=True)
class ShownFact:
    """A fact ready to be shown."""

    label: str
    words: str
    language: str = ""  # where it differs from the page's


THUMBNAIL_PIXELS = 160  # pixels of the pictures beside results
MAX_PASSAGE_WORDS_LENGTH = 1000  # characters of a search that are put into the address of a text

# The chart of the home page as markup with its table; empty where there is nothing to draw.
LandingChart = Callable[[SearchRequest, PageLayout], str]


def _no_cover(source: str, identifier: str) -> bool:  # noqa: ARG001
    return False


def _no_chart(question: SearchRequest, frame: PageLayout) -> str:  # noqa: ARG001
    return ""


def _no_facts(source: str) -> Sequence[SourceFact]:  # noqa: ARG001
    return ()


@dataclass(frozen=True, slots=True)
class PortalContext:
    """One library as the portal shows it."""

    config: Config
    frames: PageLayouts
    index: Index
    store: Store
    landing: LandingChart = field(default=_no_chart)
    looked_at: Callable[[int, str], None] = ignore_view  # called with number and source of each record shown
    has_cover: Callable[[str, str], bool] = field(default=_no_cover)  # whether a recording has a picture
    source_facts: Callable[[str], Sequence[SourceFact]] = field(default=_no_facts)  # by a source's kind

    @property
    def collections(self) -> Mapping[str, Sequence[str]]:
        return self.config.collection_sources

    def question(self, pairs: Pairs) -> SearchRequest:
        types, topics = self._types(pairs), self.frames.topics
        expander = self.frames.expander
        return read_request(
            pairs, collections=self.collections, types=types, topics=topics, expander=expander
        )

    def _types(self, pairs: Pairs) -> ControlledValues | None:
        return self.frames.looks.of(dict(pairs).get("collection")).types

    def asked(self, request: Request) -> tuple[SearchRequest, PageLayout]:
        """Return the search and layout of a request; raise HttpRefusal where links would be too long."""
        question = self.question(parse_query_string(request.query))
        check_address_length(question)
        question, frame = self._framed(request, question)
        return replace(question, language=frame.tongue.code), frame

    def asked_of_file(self, request: Request) -> tuple[SearchRequest, PageLayout]:
        """Return the search of a download, and the layout for its title; invalid parameters are refused."""
        pairs = parse_query_string(request.query)
        types, expander = self._types(pairs), self.frames.expander
        return self._framed(request, parse_strictly(pairs, self.collections, types=types, expander=expander))

    def asked_of_feed(self, request: Request) -> tuple[SearchRequest, PageLayout]:
        """Return the search of a feed, as for a download, newest first unless it has another order."""
        pairs = parse_query_string(request.query)
        if not any(name == "sort" and value.strip() for name, value in pairs):
            pairs = [*pairs, ("sort", USUAL_ORDER.value)]
        types = self._types(pairs)
        expander = self.frames.expander
        asked = parse_strictly(pairs, self.collections, has_cursor=True, types=types, expander=expander)
        return self._framed(request, asked)

    def ways(self, frame: PageLayout, question: SearchRequest | None = None) -> PortalLinks:
        titles = {name: look.title for name, look in self.frames.looks.collections.items()}
        return PortalLinks(frame, question or SearchRequest(), titles)

    def _framed(self, request: Request, question: SearchRequest) -> tuple[SearchRequest, PageLayout]:
        return question, self.frames.frame(request, collection=question.collection, words=question.text)


@dataclass(frozen=True, slots=True)
class PortalLinks:
    """The links of a page, within its collection."""

    frame: PageLayout
    question: SearchRequest
    titles: Mapping[str, str] = field(default_factory=dict)  # of collections

    def find(self, name: str, value: str) -> str:
        """Return the address of all records with a value in a field."""
        # The value as counted, which is cut where it is very long: servers refuse overlong addresses.
        if self.question.collection is None and name != COLLECTION:
            return self.frame.link(filter_address(name, counted_value(value)))
        found = SearchRequest(collection=self.question.collection).adding(
            name, normalised_value(name, counted_value(value))
        )
        return self.frame.link(found.address())

    def narrowed(self, *chosen: tuple[str, str]) -> str:
        """Return the address of the listed records that have these values."""
        found = self.question.turning(1)
        for name, value in chosen:
            found = found.choosing(name, (counted_value(value),))
        return self.frame.link(found.address())

    def search(self, text: str, field: str = "") -> str:
        """Return the address of a search for literal words, in a field or anywhere."""
        return self._asked(f"{field}:{quoted(text)}" if field else quoted(text))

    def exactly(self, value: str, field: str) -> str:
        """Return the address of a search for an exact value in a field that is not a filter."""
        return self._asked(str(Value(value, field)))

    def _asked(self, text: str) -> str:
        pairs = [("q", text), ("collection", self.question.collection or "")]
        return self.frame.link(read_request(pairs, collections=self.question.collections).address())

    def record(self, source: str, identifier: str) -> str:
        return self.frame.link(record_path(source, identifier))

    def picture(self, card: HitSummary, size: int = THUMBNAIL_PIXELS) -> str:
        return self.frame.link(document_path("picture", card.source, card.identifier, size=size))

    def original(self, card: HitSummary) -> str:
        return self.frame.link(document_path("original", card.source, card.identifier))

    def passage(self, card: HitSummary, page: int | None) -> str:
        """Return the address of the first hit on a page of a document's text."""
        words = self.question.text[:MAX_PASSAGE_WORDS_LENGTH]
        path = document_path("text", card.source, card.identifier, page=page, q=words)
        return f"{self.frame.link(path)}#hit"

    def title(self, text: str) -> str:
        """Return a visible title, or a placeholder, since links need text."""
        return visible_title(text) or self.frame.tongue.say("Without a title")

    def value(self, name: str, value: str) -> str:
        return self.titles.get(value, value) if name == "collection" else self.frame.value(name, value)
