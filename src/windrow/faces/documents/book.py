"""A document's text as somebody leafs through it: its leaves, what they are called and where they are."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace

from windrow.faces.documents.leaves import Leaf, leaves_of
from windrow.faces.documents.named import NO_DOCUMENT, WITHDRAWN
from windrow.faces.shared.refusal import Refused
from windrow.faces.shared.tongue import Tongue
from windrow.finding.addresses import document_path
from windrow.finding.record import Gone, RecordView, find_record
from windrow.model.held_file import HeldFile
from windrow.model.query import Everything, Query
from windrow.store.store import Store
from windrow.wire.query.parse import parse_query


@dataclass(frozen=True, slots=True)
class Book:
    """A document's text, and what was looked for in it."""

    record: RecordView  # without what the leaves have, and without raw formats
    file: HeldFile  # so, too
    leaves: Sequence[Leaf]
    places: Mapping[tuple[int, int], int]  # of the leaves, by page and part
    words: str = ""
    query: Query = field(default_factory=Everything)

    def asked(self, words: str) -> Book:
        """Give the same with what is looked for in it."""
        return replace(self, words=words, query=parse_query(words).query) if words else self

    @property
    def total(self) -> int:
        """How many pages there are, or parts where the file has no pages."""
        return self.leaves[-1].page if self.file.is_paged else len(self.leaves)

    def number(self, place: int) -> int:
        """Give the page of a leaf, or its part where the file has no pages."""
        return self.leaves[place].page if self.file.is_paged else self.leaves[place].part

    def address(self, place: int, *, words: str | None = None) -> str:
        """Give the path of a leaf, with what is looked for, or with other words."""
        leaf, record = self.leaves[place], self.record
        page = leaf.page if self.file.is_paged and place else None
        part = leaf.part if leaf.part > 1 else None
        wanted = self.words if words is None else words
        # Whoever looks for something and names no page is led to the first hit: so the first page is named.
        if wanted and not place:
            page, part = (1, None) if self.file.is_paged else (None, 1)
        return document_path("text", record.source, record.identifier, page=page, part=part, q=wanted)

    def name(self, place: int, tongue: Tongue) -> str:
        """Say what a leaf is called."""
        leaf = self.leaves[place]
        if not self.file.is_paged:
            return tongue.say("Part {part}", part=leaf.part)
        if leaf.part > 1:
            return tongue.say("Page {page}, part {part}", page=leaf.page, part=leaf.part)
        return tongue.say("Page {page}", page=leaf.page)

    def standing(self, place: int, tongue: Tongue) -> str:
        """Say where in the whole a leaf is; nothing where it is the whole."""
        if len(self.leaves) == 1:
            return ""
        return tongue.say("{leaf} of {total}", leaf=self.name(place, tongue), total=self.total)


def open_book(store: Store, source: str, identifier: str) -> Book:
    """Give the text of a document; Refused where there is none for everybody."""
    found = find_record(store, source, identifier) if source and identifier else None
    if isinstance(found, Gone):
        raise Refused(410, WITHDRAWN)
    if found is None:
        raise Refused(404, NO_DOCUMENT)
    file = found.document.file
    if file is None or not any(file.text):
        raise Refused(404, "There is no text in this document.")
    leaves = leaves_of(file)
    places = {(leaf.page, leaf.part): place for place, leaf in enumerate(leaves)}
    bare = replace(found.document, file=file._replace(text=()))
    return Book(replace(found, document=bare, raws=()), file._replace(text=()), leaves, places)
