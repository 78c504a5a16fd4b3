"""What every page of the portal is made from: the library's index and store, its looks, the ways on."""

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

# What the kind of a source reports of it, on the pages on status.
# Messages of the kinds that Windrow brings are translated; those of other packages are shown as they
# come.

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
    """A label with words about a source; with `values`, the words have their names in braces."""

    label: str
    words: str
    values: Mapping[str, str | int] = field(default_factory=dict)

    def shown(self, tongue: Translator) -> ShownFact:
        """Return the fact in the language of a page, as far as that is known."""
        words, label = self.words, self.label
        if words in SOURCE_FACT_WORDS or self.values:
            words = tongue.say(words, **self.values)
        if label in SOURCE_FACT_LABELS:
            label = tongue.say(SOURCE_FACT_LABELS[label])
        is_foreign = self.words not in SOURCE_FACT_WORDS and not self.words.startswith("{")
        return ShownFact(label, words, language="en" if is_foreign and tongue.code != "en" else "")


@dataclass(frozen=True, slots=True)
class ShownFact:
    """A fact as a page shows it."""

    label: str
    words: str
    language: str = ""  # where it is not that of the page


THUMBNAIL_PIXELS = 160  # pixels of the pictures beside results
MAX_PASSAGE_WORDS_LENGTH = 1000  # letters of a search that go into the address of a text

# The chart of the first page as ready markup with its table; empty where there is nothing to draw.
LandingChart = Callable[[SearchRequest, PageLayout], str]


def _no_cover(source: str, identifier: str) -> bool:  # noqa: ARG001
    return False


def _no_chart(question: SearchRequest, frame: PageLayout) -> str:  # noqa: ARG001
    return ""


def _no_facts(source: str) -> Sequence[SourceFact]:  # noqa: ARG001
    return ()


@dataclass(frozen=True, slots=True)
class PortalContext:
    """One library, open to the public."""

    config: Config
    frames: PageLayouts
    index: Index
    store: Store
    landing: LandingChart = field(default=_no_chart)
    looked_at: Callable[[int, str], None] = ignore_view  # of each record shown: its number and its source
    has_cover: Callable[[str, str], bool] = field(default=_no_cover)  # whether a recording has a picture
    source_facts: Callable[[str], Sequence[SourceFact]] = field(default=_no_facts)  # by a source's kind

    @property
    def collections(self) -> Mapping[str, Sequence[str]]:
        """The collections, with the names of their sources."""
        return self.config.collection_sources

    def question(self, pairs: Pairs) -> SearchRequest:
        """Read what is asked out of the parameters of an address."""
        types, topics = self._types(pairs), self.frames.topics
        expander = self.frames.expander
        return read_request(
            pairs, collections=self.collections, types=types, topics=topics, expander=expander
        )

    def _types(self, pairs: Pairs) -> ControlledValues | None:
        return self.frames.looks.of(dict(pairs).get("collection")).types

    def asked(self, request: Request) -> tuple[SearchRequest, PageLayout]:
        """Return what a request asks, and the frame for its page; Refused where its links would be too long."""
        question = self.question(parse_query_string(request.query))
        check_address_length(question)
        question, frame = self._framed(request, question)
        return replace(question, language=frame.tongue.code), frame

    def asked_of_file(self, request: Request) -> tuple[SearchRequest, PageLayout]:
        """Return what a request for a file asks, and the frame that names it; nonsense is refused."""
        pairs = parse_query_string(request.query)
        types, expander = self._types(pairs), self.frames.expander
        return self._framed(request, parse_strictly(pairs, self.collections, types=types, expander=expander))

    def asked_of_feed(self, request: Request) -> tuple[SearchRequest, PageLayout]:
        """Return what a request for a feed asks, as for a file; in the order of feeds unless it names one."""
        pairs = parse_query_string(request.query)
        if not any(name == "sort" and value.strip() for name, value in pairs):
            pairs = [*pairs, ("sort", USUAL_ORDER.value)]
        types = self._types(pairs)
        expander = self.frames.expander
        asked = parse_strictly(pairs, self.collections, has_cursor=True, types=types, expander=expander)
        return self._framed(request, asked)

    def ways(self, frame: PageLayout, question: SearchRequest | None = None) -> PortalLinks:
        """Return the ways on from a page."""
        titles = {name: look.title for name, look in self.frames.looks.collections.items()}
        return PortalLinks(frame, question or SearchRequest(), titles)

    def _framed(self, request: Request, question: SearchRequest) -> tuple[SearchRequest, PageLayout]:
        return question, self.frames.frame(request, collection=question.collection, words=question.text)


@dataclass(frozen=True, slots=True)
class PortalLinks:
    """The addresses that a page links to, inside the collection it is in."""

    frame: PageLayout
    question: SearchRequest
    titles: Mapping[str, str] = field(default_factory=dict)  # of collections

    def find(self, name: str, value: str) -> str:
        """Return the address of everything with a value in a field."""
        # As it is counted: of an endless one only the start, so that the address is none that servers refuse.
        if self.question.collection is None and name != COLLECTION:
            return self.frame.link(filter_address(name, counted_value(value)))
        found = SearchRequest(collection=self.question.collection).adding(
            name, normalised_value(name, counted_value(value))
        )
        return self.frame.link(found.address())

    def narrowed(self, *chosen: tuple[str, str]) -> str:
        """Return the address of those with these values among what the page lists."""
        found = self.question.turning(1)
        for name, value in chosen:
            found = found.choosing(name, (counted_value(value),))
        return self.frame.link(found.address())

    def search(self, text: str, field: str = "") -> str:
        """Return the address of a search for words, taken as they are, in a field or anywhere."""
        return self._asked(f"{field}:{quoted(text)}" if field else quoted(text))

    def exactly(self, value: str, field: str) -> str:
        """Return the address of a search for a value in a field that is no filter."""
        return self._asked(str(Value(value, field)))

    def _asked(self, text: str) -> str:
        pairs = [("q", text), ("collection", self.question.collection or "")]
        return self.frame.link(read_request(pairs, collections=self.question.collections).address())

    def record(self, source: str, identifier: str) -> str:
        """Return the address of a record."""
        return self.frame.link(record_path(source, identifier))

    def picture(self, card: HitSummary, size: int = THUMBNAIL_PIXELS) -> str:
        """Return the address of a small picture of a document."""
        return self.frame.link(document_path("picture", card.source, card.identifier, size=size))

    def original(self, card: HitSummary) -> str:
        """Return the address of the file itself."""
        return self.frame.link(document_path("original", card.source, card.identifier))

    def passage(self, card: HitSummary, page: int | None) -> str:
        """Return the address of the page of its text that has what was looked for, at the first mark there."""
        words = self.question.text[:MAX_PASSAGE_WORDS_LENGTH]
        path = document_path("text", card.source, card.identifier, page=page, q=words)
        return f"{self.frame.link(path)}#hit"

    def title(self, text: str) -> str:
        """Return a title, or the words for none: there must be something to click on."""
        return visible_title(text) or self.frame.tongue.say("Without a title")

    def value(self, name: str, value: str) -> str:
        """Return a value of a field as people read it."""
        return self.titles.get(value, value) if name == "collection" else self.frame.value(name, value)
