"""The state that OAI-PMH responses are made from: repositories, a reader per thread, and one request."""

from __future__ import annotations

import time
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from urllib.parse import quote, urlencode

from windrow.config.schema import Config
from windrow.config.source_kinds import kind_of
from windrow.errors import NotFound
from windrow.protocols.oai.payload_xml import is_clean_xml
from windrow.protocols.oai.provider_request import ProviderRequest, RequestRefused, make_refusal
from windrow.store.published import selection
from windrow.store.published.record_listing import RecordListing
from windrow.store.published.selection import Selection
from windrow.store.store import Store
from windrow.web.layout.site import SiteAddress
from windrow.web.oai.offered_formats import FormatDeriver, OfferedFormats
from windrow.web.oai.repository_sets import RepositorySets


@dataclass(frozen=True, slots=True)
class VirtualRepository:
    """A repository under one base URL: the whole library, a collection or one source."""

    name: str
    title: str
    sources: tuple[str, ...]
    origins: Mapping[str, str]  # base URLs of the sources that were harvested by OAI-PMH
    is_one: bool  # a single source unchanged; in others, each source is a set that contains its own sets
    keeps_stamps: bool = False  # records keep the datestamp of the source: files, by modification time


def find_repository(config: Config, name: str) -> VirtualRepository:
    """Return the repository of this name, "" for the whole library."""
    library = config.oai.name or config.library.name or config.path.resolve().name
    origins = {each.name: each.url for each in config.sources.values() if kind_of(each).is_repository}
    if not name:
        return VirtualRepository("", library, tuple(config.sources), origins, is_one=False)
    collection = config.collections.get(name)
    if collection is not None:
        return VirtualRepository(name, collection.title or name, collection.sources, origins, is_one=False)
    source = config.sources.get(name)
    if source is None:
        raise NotFound(f"there is no source or collection {name!r}")
    keeps_stamps = kind_of(source).keeps_datestamps
    return VirtualRepository(
        name, f"{library}: {name}", (name,), origins, is_one=True, keeps_stamps=keeps_stamps
    )


STATE_SECONDS = 5  # how long set names and formats may be out of date
MAX_CACHED_COUNTS = 1000


@dataclass(frozen=True, slots=True)
class RepositoryState:
    """What was looked up about a repository, and when."""

    sources: Mapping[int, str]
    origins: Mapping[int, str | None]  # base URL each was harvested from; None: our own
    sets: RepositorySets
    formats: OfferedFormats
    mark: tuple[object, ...]
    made_at: float


class OaiReader:
    """Reads the library for one thread. All of its state is a cache."""

    def __init__(
        self, store: Store, derivers: Mapping[str, FormatDeriver], schemas: Mapping[str, str] | None = None
    ) -> None:
        self.offering = RecordListing(store, is_suspect=lambda block: not is_clean_xml(block))
        self._derivers = derivers
        self._schemas = schemas or {}
        self._books: dict[str, RepositoryState] = {}
        self._counts: dict[Selection, int] = {}
        self._mark: tuple[object, ...] = ()
        self._news_at = 0.0

    def refresh(self, *, is_news: bool) -> None:
        """Drop what may have changed, once the reader holds a snapshot of the library."""
        now = time.monotonic()
        if is_news:
            self._counts.clear()
            self._mark, self._news_at = selection.read_catalogue_mark(self.offering), now
        for name, books in list(self._books.items()):
            is_old = books.made_at < self._news_at and now - books.made_at > STATE_SECONDS
            if is_old or books.mark != self._mark:
                del self._books[name]

    def books(self, view: VirtualRepository) -> RepositoryState:
        """Return the cached state of a repository, reading it first if needed."""
        found = self._books.get(view.name)
        if found is None:
            known = selection.read_source_ids(self.offering)
            sources = {known[name]: name for name in view.sources if name in known}
            found = self._books[view.name] = RepositoryState(
                sources,
                {number: view.origins.get(name) for number, name in sources.items()},
                RepositorySets(self.offering, sources, is_one=view.is_one),
                OfferedFormats(self.offering, sources, self._derivers, self._schemas),
                self._mark,
                time.monotonic(),
            )
        return found

    def count(self, selection: Selection) -> int:
        """Return the number of selected records, cached until the library changes."""
        found = self._counts.get(selection)
        if found is None:
            if len(self._counts) >= MAX_CACHED_COUNTS:
                self._counts.clear()
            found = self._counts[selection] = self.offering.count(selection)
        return found


@dataclass(slots=True)
class OaiRequest:
    """An OAI-PMH request, its repository and credentials."""

    config: Config
    view: VirtualRepository
    desk: OaiReader
    request: ProviderRequest
    base_url: str
    key: bytes  # for signing tokens
    credentials: tuple[str, str] | None
    books: RepositoryState = field(init=False)
    hidden_sets: tuple[int, ...] = ()

    def __post_init__(self) -> None:
        self.books = self.desk.books(self.view)
        guards = self.books.sets.guards
        if guards:
            may_see = self.books.formats.may_see
            self.hidden_sets = tuple(
                guard.set_id for guard in guards if not may_see(guard.source_id, guard.name, self.credentials)
            )

    @property
    def offering(self) -> RecordListing:
        return self.desk.offering

    @property
    def scope(self) -> str:
        """Return the scope of tokens: they are valid for this repository only."""
        return self.view.name

    def refuse(self, code: str, message: str) -> RequestRefused:
        """Return the error response for this request as an exception to raise."""
        return make_refusal(code, message, echo=self.request.pairs)


RESERVED_SEGMENT = "-"  # not allowed as the name of a source or collection


@dataclass(frozen=True, slots=True)
class RepositoryLinks:
    """Links of one repository: `path` is that of all of them, `name` is empty for the whole library."""

    site: SiteAddress
    path: str
    name: str

    @property
    def base(self) -> str:
        return self._under("")

    @property
    def base_url(self) -> str:
        return self.site.url + self.path + (f"/{quote(self.name)}" if self.name else "")

    @property
    def form(self) -> str:
        return self._under(f"/{RESERVED_SEGMENT}/go")

    def ask(self, verb: str, **arguments: str) -> str:
        return f"{self.base}?{urlencode({'verb': verb, **arguments})}"

    def xml(self, pairs: list[tuple[str, str]]) -> str:
        """Return the path where the response to a request is XML in a browser too."""
        query = urlencode(pairs, errors="replace")
        return self._under(f"/{RESERVED_SEGMENT}/xml") + (f"?{query}" if query else "")

    def language(self, code: str, pairs: Sequence[tuple[str, str]]) -> str:
        """Return the path that changes the language and returns to the page of a request."""
        here = f"{self.base.removeprefix(self.site.path)}?{urlencode(pairs, errors='replace')}"
        query = urlencode({"to": code, "back": here})
        return f"{self.site.path}{self.path}/{RESERVED_SEGMENT}/language?{query}"

    def _under(self, aside: str) -> str:
        return self.site.path + self.path + aside + (f"/{quote(self.name)}" if self.name else "")
