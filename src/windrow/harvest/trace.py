"""Where is my record: what the source answers now, what the library has, how it came there.

Gathers facts from the store and, unless asked not to, from the source; `verdict` makes one sentence of them.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

from lxml import etree

from windrow.config.schema import SourceSettings
from windrow.errors import OaiError, UpstreamError
from windrow.model.record import Record
from windrow.model.run import Run
from windrow.sources.oai import OaiClient
from windrow.store import cases, checkpoints, runs, sources
from windrow.store.cases import Case
from windrow.store.records import Change, RecordReader, StoredPayload, StoredRecord
from windrow.store.store import Store
from windrow.wire.oai.namespaces import standalone

ABSENT = ("idDoesNotExist", "noRecordsMatch")


@dataclass(frozen=True, slots=True)
class Answer:
    """What a source says of the record now, in one format."""

    format: str
    record: Record | None = None
    is_absent: bool = False
    problem: str = ""
    is_same: bool | None = None  # as what the library holds; None: there is nothing to compare


@dataclass(frozen=True, slots=True)
class Trace:
    """Everything there is to know about one identifier at one source."""

    identifier: str
    source: str
    record: StoredRecord | None
    history: tuple[Change, ...]
    added: Run | None
    cases: tuple[Case, ...]
    answers: tuple[Answer, ...]
    next_from: str | None  # where the next harvest starts; None: no list of this source is complete yet
    is_unfinished: bool  # a harvest stopped on the way
    sets: tuple[str, ...]  # that are harvested; none: all

    @property
    def answer(self) -> Answer | None:
        """What the source says, the most telling of several: the record, then an error, then its absence."""
        given = next((item for item in self.answers if item.record is not None), None)
        failed = next((item for item in self.answers if item.problem), None)
        return given or failed or next(iter(self.answers), None)

    @property
    def is_known(self) -> bool:
        """Does anybody here know of it?"""
        return bool(self.record or self.cases or any(item.record for item in self.answers))


def trace(
    store: Store, settings: SourceSettings, identifier: str, *, make_client: Callable[[], OaiClient] | None
) -> Trace:
    """Follow one identifier at one source; without a client the source is not asked."""
    reader = RecordReader()
    with store.reading() as connection:
        found = reader.find(connection, identifier, source=settings.name)
        record = found[0] if found else None
        history = tuple(reader.history(connection, record.id)) if record else ()
        added = runs.get(connection, record.added_run) if record else None
        waiting = cases.listed(connection, source=settings.name, identifier=identifier, include_resolved=True)
        state = sources.find(connection, settings.name)
        lists = settings.lists
        cursors = [checkpoints.cursor(connection, state.id, *key) for key in lists] if state else []
        left = [checkpoints.left_over(connection, state.id, *key) for key in lists] if state else []
    starts = [cursor.next_from for cursor in cursors if cursor and cursor.next_from]
    is_complete = bool(cursors) and all(cursors)
    return Trace(
        identifier,
        settings.name,
        record,
        history,
        added,
        tuple(waiting),
        tuple(_ask(make_client(), settings.formats, identifier, record)) if make_client else (),
        min(starts) if starts and is_complete else None,
        any(left),
        settings.sets,
    )


def _ask(
    client: OaiClient, formats: Sequence[str], identifier: str, record: StoredRecord | None
) -> list[Answer]:
    """Ask for the record in each format; a source that cannot be reached is asked once."""
    answers: list[Answer] = []
    try:
        for prefix in formats:
            answers.append(_ask_one(client, prefix, identifier, record.payload(prefix) if record else None))
    except UpstreamError as exc:
        answers.append(Answer(prefix, problem=str(exc)))
    finally:
        client.close()
    return answers


def _ask_one(client: OaiClient, prefix: str, identifier: str, held: StoredPayload | None) -> Answer:
    try:
        page = client.record(identifier, prefix=prefix)
    except OaiError as exc:
        if exc.code in ABSENT:
            return Answer(prefix, is_absent=True)
        return Answer(prefix, problem=str(exc))
    found = next((item for item in page.records if item.identifier == identifier), None)
    if found is None:
        reason = page.rejects[0].reason if page.rejects else "the answer holds no such record"
        return Answer(prefix, problem=reason)
    is_same = _is_same(found, held) if held and found.payload is not None else None
    return Answer(prefix, found, is_same=is_same)


def _is_same(record: Record, held: StoredPayload) -> bool:
    """Is it the same record? Lists and single answers may declare their namespaces in different places."""
    if record.payload == held.data and record.declarations == held.declarations:
        return True
    mine, theirs = (
        standalone(*pair)
        for pair in ((held.data, held.declarations), (record.payload or b"", record.declarations))
    )
    try:
        return _canonical(mine) == _canonical(theirs)
    except etree.XMLSyntaxError:
        return mine == theirs


def _canonical(xml: bytes) -> bytes:
    """One spelling for all that mean the same, declarations that nothing uses left out."""
    parser = etree.XMLParser(resolve_entities=False, no_network=True, load_dtd=False, huge_tree=True)
    return etree.tostring(etree.fromstring(xml, parser), method="c14n", exclusive=True)
