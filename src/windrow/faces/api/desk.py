"""What every answer of the API is made from: the library's index and store, its settings, its address."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from urllib.parse import urlencode

from windrow.config.schema import Config
from windrow.config.type_tables import TypeTables
from windrow.errors import UsageError
from windrow.finding.addresses import DocumentPart, document_path, record_path
from windrow.finding.question import Question, read_question
from windrow.index.card import Card
from windrow.index.protocol import Index
from windrow.model.expansion import Expander
from windrow.store.store import Store

BASE = "/api/v1"

# A table of figures as plain values, for what a question finds.
Statistic = Callable[[Question], object]


@dataclass(frozen=True, slots=True)
class Desk:
    """One library. `statistics` are the tables that can be asked for, by name."""

    config: Config
    index: Index
    store: Store
    url: str  # the public address of the site, without a slash at its end
    statistics: Mapping[str, Statistic] = field(default_factory=dict)
    types: TypeTables = field(default_factory=TypeTables)
    expander: Expander | None = None  # where fields are bound to vocabularies

    @property
    def collections(self) -> Mapping[str, Sequence[str]]:
        """The collections, with the names of their sources."""
        return self.config.collection_sources

    def question(self, pairs: Sequence[tuple[str, str]], *, explains: bool = False) -> Question:
        """Read what is asked; a program is told of nonsense that a page would work around.

        An answer that `explains` what was wrong with the words itself needs no refusal for it.
        """
        types = self.types.of_collection(dict(pairs).get("collection", ""))
        question = read_question(pairs, collections=self.collections, types=types, expander=self.expander)
        faults = [note.fault for note in question.notes] if explains else question.faults
        if faults:
            raise UsageError(" ".join(faults))
        return question

    def link(self, path: str, pairs: Sequence[tuple[str, str]] = ()) -> str:
        """Give the public address of something under the API."""
        query = urlencode(pairs, errors="replace")
        return f"{self.url}{BASE}{path}" + (f"?{query}" if query else "")

    def page(self, source: str, identifier: str) -> str:
        """Give the public address of a record's page."""
        return self.url + record_path(source, identifier)

    def document(self, part: DocumentPart, card: Card) -> str:
        """Give the public address of a document's file, of its text or of a picture of it."""
        return self.url + document_path(part, card.source, card.identifier)

    def record(self, source: str, identifier: str) -> str:
        """Give the public address of a record in the API."""
        return self.url + record_path(source, identifier, under=f"{BASE}/records")
