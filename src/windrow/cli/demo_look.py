"""A look at what the demo found: counted from the Documents of its records, and from its index."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from windrow.cli.ticker import Ticker
from windrow.model.facts import keywords_of

if TYPE_CHECKING:
    from windrow.harvest.stopping import Stopper
    from windrow.model.document import Document
    from windrow.wiring import Library

MOST_MAPPED = 10_000  # beyond that a sample says the same, and sooner
SAMPLES = 3
MOST_INSTITUTIONS = 100


@dataclass(slots=True)
class Look:
    """What is in a demo library, in numbers."""

    records: int = 0
    tombstones: int = 0
    mapped: int = 0
    raw_bytes: int = 0
    disk_bytes: int = 0
    institutions: Counter[str] = field(default_factory=Counter)
    years: Counter[int] = field(default_factory=Counter)
    languages: Counter[str] = field(default_factory=Counter)
    keywords: Counter[str] = field(default_factory=Counter)
    samples: list[tuple[str, str]] = field(default_factory=list)  # (identifier, title)

    def add(self, document: Document) -> None:
        """Count a document in."""
        self.mapped += 1
        if document.year:
            self.years[document.year] += 1
        self.languages.update(document.languages)
        self.keywords.update(keywords_of(document))


def look(opened: Library, name: str, prefix: str, *, stopper: Stopper, is_quiet: bool) -> Look:
    """Map the records of a source in one format and count what they say."""
    from windrow.formats.registry import read
    from windrow.index.protocol import Tally
    from windrow.model.query import Value
    from windrow.store import sources
    from windrow.store.bulk import PayloadReader

    found, ticker = Look(), Ticker("looking", is_quiet=is_quiet)
    with opened.store.reading() as connection:
        state = sources.find(connection, name)
        assert state is not None
        held = sources.holdings(connection, state.id)
        reader = PayloadReader(state.id)
        found.records, found.tombstones, found.raw_bytes = (
            held.records,
            held.tombstones,
            reader.totals(connection)[1],
        )
        every = max(1, -(-found.records // MOST_MAPPED))
        place = 0
        while pieces := reader.batch(connection):
            for _, its_prefix, declarations, payload in pieces:
                if its_prefix == prefix:
                    place += 1
                    if place % every == 0:
                        found.add(read(payload, declarations, prefix))
            ticker(found.mapped, found.records // every)
            stopper.check()
    ticker.clear()
    (counts,) = opened.index.tally(Value(name, "source"), [Tally("institution", MOST_INSTITUTIONS)])
    found.institutions.update({each.value: each.count for each in counts.values})
    found.disk_bytes = sum(path.stat().st_size for path in opened.folder.glob("windrow.db*"))
    found.samples = _samples(opened, name, prefix)
    return found


def _samples(opened: Library, name: str, prefix: str) -> list[tuple[str, str]]:
    """A few titles from the beginning of the library."""
    from windrow.formats.registry import read
    from windrow.store.records import RecordReader

    with opened.store.reading() as connection:
        first = next(iter(RecordReader().batches(connection, sources=[name], prefix=prefix)), [])
    chosen = [record for record in first if record.payloads][7 :: max(1, len(first) // SAMPLES)][:SAMPLES]
    samples = []
    for record in chosen or first[:1]:
        payload = record.payload(prefix)
        if payload is not None:
            document = read(payload.data, payload.declarations, prefix)
            samples.append((record.identifier, document.title or ""))
    return samples
