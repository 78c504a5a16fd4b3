"""Trace one identifier: what the source returns now, what the library has, and how it got there.

Collects facts from the store and, unless asked not to, from the source, and explains them in one sentence.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace

from lxml import etree

from windrow.config.schema import SourceSettings
from windrow.errors import OaiError, UpstreamError
from windrow.formats.http_header import content_type, write_http_header
from windrow.harvest.folder.file_listing import HEADER
from windrow.model.record import Record
from windrow.model.run import Run
from windrow.protocols.oai.payload_xml import make_standalone
from windrow.sources.files.file_description import (
    file_media_type,
    format_second,
    http_header,
    modified_second,
)
from windrow.sources.files.media_types import media_type_set
from windrow.sources.files.published_folder import PublishedFolder
from windrow.sources.files.visible_files import look_up
from windrow.sources.oai_client import OaiClient
from windrow.store import runs, sources
from windrow.store.harvests import checkpoints, quarantine_cases
from windrow.store.harvests.quarantine_cases import QuarantineCase
from windrow.store.records.record_reader import RecordChange, RecordReader, StoredPayload, StoredRecord
from windrow.store.store import Store

ABSENT = ("idDoesNotExist", "noRecordsMatch")


@dataclass(frozen=True, slots=True)
class Answer:
    """What a source returns for the record now, in one format."""

    format: str
    record: Record | None = None
    is_absent: bool = False
    problem: str = ""
    is_same: bool | None = None  # equal to what the library holds; None: nothing to compare


@dataclass(frozen=True, slots=True)
class Trace:
    """Everything known about one identifier at one source."""

    identifier: str
    source: str
    record: StoredRecord | None
    history: tuple[RecordChange, ...]
    added: Run | None
    cases: tuple[QuarantineCase, ...]
    answers: tuple[Answer, ...]
    next_from: str | None  # start of the next harvest; None: no list of this source is complete yet
    is_unfinished: bool  # a harvest stopped midway
    sets: tuple[str, ...]  # sets that are harvested; empty: all

    @property
    def answer(self) -> Answer | None:
        """The source's most informative answer: the record, then an error, then its absence."""
        given = next((item for item in self.answers if item.record is not None), None)
        failed = next((item for item in self.answers if item.problem), None)
        return given or failed or next(iter(self.answers), None)

    @property
    def is_known(self) -> bool:
        """Return whether the library or the source has the identifier."""
        return bool(self.record or self.cases or any(item.record for item in self.answers))


def trace(
    store: Store, settings: SourceSettings, identifier: str, *, make_client: Callable[[], OaiClient] | None
) -> Trace:
    """Trace one identifier at one source; without a client the source is not asked."""
    reader = RecordReader()
    with store.reading() as connection:
        found = reader.find(connection, identifier, source=settings.name)
        record = found[0] if found else None
        history = tuple(reader.history(connection, record.id)) if record else ()
        added = runs.get(connection, record.added_run) if record else None
        waiting = quarantine_cases.list_cases(
            connection, source=settings.name, identifier=identifier, include_resolved=True
        )
        state = sources.find(connection, settings.name)
        lists = settings.lists
        cursors = [checkpoints.cursor(connection, state.id, *key) for key in lists] if state else []
        left = [checkpoints.find_unfinished(connection, state.id, *key) for key in lists] if state else []
    starts = [cursor.next_from for cursor in cursors if cursor and cursor.next_from]
    is_complete = bool(cursors) and all(cursors)
    return Trace(
        identifier,
        settings.name,
        record,
        history,
        added,
        tuple(waiting),
        tuple(_ask_formats(make_client(), settings.formats, identifier, record)) if make_client else (),
        min(starts) if starts and is_complete else None,
        any(left),
        settings.sets,
    )


def _ask_formats(
    client: OaiClient, formats: Sequence[str], identifier: str, record: StoredRecord | None
) -> list[Answer]:
    """Request the record in each format; a source that cannot be reached is asked once."""
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
    """Return whether two payloads are equal, wherever their namespaces are declared.

    Lists and single responses may declare them in different places.
    """
    if record.payload == held.data and record.declarations == held.declarations:
        return True
    mine, theirs = (
        make_standalone(*pair)
        for pair in ((held.data, held.declarations), (record.payload or b"", record.declarations))
    )
    try:
        return _canonical(mine) == _canonical(theirs)
    except etree.XMLSyntaxError:
        return mine == theirs


def _canonical(xml: bytes) -> bytes:
    """Return the canonical form, without unused namespace declarations."""
    parser = etree.XMLParser(resolve_entities=False, no_network=True, load_dtd=False, huge_tree=True)
    return etree.tostring(etree.fromstring(xml, parser), method="c14n", exclusive=True)


# Explanations: where a record is and what to do about it.


def explain(found: Trace) -> str:
    answer = found.answer
    waiting = next((case for case in found.cases if case.resolved is None), None)
    if found.record is not None:
        return _explain_held(found, found.record, answer)
    if waiting is not None:
        retry = f"`windrow quarantine retry {waiting.id}` asks for it again"
        return f"It waits in quarantine as case {waiting.id} ({waiting.reason}); {retry}."
    if answer is None:
        return f"The library has never seen it, and {found.source} was not asked."
    if answer.record is not None:
        return _explain_missing(found, answer)
    if answer.problem:
        return f"The library has never seen it, and {found.source} gave no answer to use."
    return f"Neither the library nor {found.source} knows this identifier; check how it is spelled."


def _explain_held(found: Trace, record: StoredRecord, answer: Answer | None) -> str:
    held = f"{'its tombstone' if record.is_deleted else 'it'} as of {record.changed_at:%Y-%m-%d %H:%M} UTC"
    if answer is None:
        return f"The library has {held}; {found.source} was not asked."
    if answer.problem:
        return f"The library has {held}; {found.source} gave no answer to use."
    is_gone = answer.record is None or answer.record.is_deleted
    if record.is_deleted:
        if is_gone:
            return "It is deleted at the source, and the library knows it: nothing to do."
        return "The source has it again: " + _harvest_advice(found, answer, "brings it back")
    if answer.record is None:
        command = f"`windrow harvest {found.source} --reconcile`"
        return f"The library has it, the source no longer does: {command} marks it as deleted."
    if is_gone:
        return "The source has deleted it since: " + _harvest_advice(found, answer, "marks it as deleted")
    if any(item.is_same is False for item in found.answers):
        return "The source has another version than the library: " + _harvest_advice(
            found, answer, "brings it"
        )
    if any(item.record is not None and item.is_same is None for item in found.answers):
        return "The library lacks it in one of the formats: " + _harvest_advice(found, answer, "brings it")
    if set(answer.record.sets) != set(record.sets):
        return "It is in other sets at the source than in the library: " + _harvest_advice(
            found, answer, "tells it"
        )
    return "It is in the library, and the same as at the source: nothing to do."


def _explain_missing(found: Trace, answer: Answer) -> str:
    record = answer.record
    assert record is not None
    if record.is_deleted:
        return "It was deleted at the source before the library ever saw it: nothing to do."
    if found.sets and not any(_is_in_set(spec, found.sets) for spec in record.sets):
        wanted = ", ".join(found.sets)
        return f"The source has it, but in none of the sets that are harvested ({wanted})."
    if found.is_unfinished:
        command = f"`windrow harvest {found.source}`"
        return f"The source has it, and the last harvest was not finished: {command} goes on with it."
    if found.next_from is None:
        return f"The source has it and was never harvested: `windrow harvest {found.source}` brings it."
    return "The source has it and the library does not: " + _harvest_advice(found, answer, "brings it")


def _harvest_advice(found: Trace, answer: Answer, effect: str) -> str:
    """Return what a harvest does about it. An incremental one never lists a record with an old datestamp."""
    record, command = answer.record, f"windrow harvest {found.source}"
    if record is None or found.next_from is None or record.stamp >= found.next_from:
        return f"`{command}` {effect}."
    return f"`{command} --full` {effect}; its datestamp {record.stamp} is older than the last harvest."


def _is_in_set(spec: str, wanted: tuple[str, ...]) -> bool:
    return any(spec == each or spec.startswith(f"{each}:") for each in wanted)


# Traces of files: what the folder shows of a file now, beside what the library has.


def add_folder_answer(
    found: Trace, folder: PublishedFolder, *, find_path: Callable[[str], str | None] | None = None
) -> Trace:
    """Return the trace with the folder's answer added. `find_path` returns the present path of a document."""
    # A folder is always scanned completely, however old the file: dates do not limit the next harvest.
    since = None if found.next_from is None else ""
    return replace(found, answers=(_folder_answer(found, folder, find_path),), next_from=since)


def _folder_answer(
    found: Trace, folder: PublishedFolder, find_path: Callable[[str], str | None] | None
) -> Answer:
    path = (find_path or folder.path)(found.identifier)
    file = look_up(folder.root, path, folder.rules) if path is not None else None
    if file is None:
        return Answer(HEADER, is_absent=True)
    held = found.record.payload(HEADER) if found.record is not None else None
    # The media type of a document was found by reading it, which is not done here.
    kind = content_type(held.data) if held is not None and find_path is not None else None
    head = http_header(file) if kind is None else write_http_header(kind, file.size, modified_second(file))
    sets = (media_type_set(kind or file_media_type(file)),)
    record = Record(found.identifier, format_second(modified_second(file)), sets, False, head)
    return Answer(HEADER, record, is_same=None if held is None else held.data == head)
