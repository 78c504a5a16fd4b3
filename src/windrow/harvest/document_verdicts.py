"""Documents dropped or hidden by hand, and brought back: what no later run overrules.

A dropped document is a tombstone; a hidden one stays in the library, under a guard that nobody satisfies.
Each is done in a run of its own kind, so that the index, the faces and the history all follow.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence

from windrow.errors import NotFound, UsageError
from windrow.harvest.document_finding import sets_of
from windrow.harvest.document_writer import DocumentWriter
from windrow.harvest.run import Attempt, Identity, running, utc_now
from windrow.model.record import Record
from windrow.model.record_tally import RecordTally
from windrow.model.run import Counters, Run
from windrow.sources.files.describe import stamp_of
from windrow.sources.files.published import PublishedFolder
from windrow.store import held_files, sources
from windrow.store.connection import Connection
from windrow.store.held_files import DROPPED, HIDDEN, SHOWN, HeldRow
from windrow.store.sets import SetGroups
from windrow.store.store import Store
from windrow.store.writer import PageWriter

_Deed = Callable[[Connection, DocumentWriter, Attempt, Sequence[HeldRow]], Counters]


def drop(store: Store, folder: PublishedFolder, names: Sequence[str]) -> tuple[Run, list[HeldRow]]:
    """Make tombstones of documents, named by path or identifier, now and for all runs to come."""
    return _judge(store, folder, names, "drop", _drop)


def hide(store: Store, folder: PublishedFolder, names: Sequence[str]) -> tuple[Run, list[HeldRow]]:
    """Let nobody see documents, named by path or identifier; they stay in the library."""
    with store.reading() as connection:
        dropped = [name for name in names if find(connection, folder, name)[1].state == DROPPED]
    if dropped:
        raise UsageError(
            f"{', '.join(dropped)}: dropped already, which nobody sees either",
            hint="To have it back and hide it: windrow document restore, then hide.",
        )
    return _judge(store, folder, names, "hide", _hide)


def release(store: Store, folder: PublishedFolder, names: Sequence[str]) -> list[HeldRow]:
    """Let documents be as if nobody had dropped or hidden them; each is to be read again."""
    with store.writing() as connection:
        rows, source = _find(connection, folder, names), sources.find(connection, folder.name)
        assert source is not None, "it has documents"
        freed = [row._replace(state=SHOWN, reader="") for row in rows]
        archives = [held_files.at(connection, source.id, row.path) for row in rows if row.member]
        again = [row._replace(reader="") for row in archives if row is not None and row.state == SHOWN]
        held_files.put(connection, source.id, (*again, *freed))
        return freed


def find(connection: Connection, folder: PublishedFolder, name: str) -> tuple[int, HeldRow]:
    """Give the document with this path, path and member (`a.zip#b.txt`), or identifier, and its source."""
    source = sources.find(connection, folder.name)
    path, _, member = name.partition("#")
    row = (
        None
        if source is None
        else (
            held_files.at(connection, source.id, name)
            or held_files.at(connection, source.id, path, member)
            or held_files.find(connection, source.id, name)
            or held_files.find(connection, source.id, folder.address(name))
        )
    )
    if source is None or row is None:
        raise NotFound(
            f"{folder.name} has no document {name}",
            hint=f"`windrow document list {folder.name}` lists them; a new file is harvested first.",
        )
    return source.id, row


def _judge(
    store: Store, folder: PublishedFolder, names: Sequence[str], kind: str, deed: _Deed
) -> tuple[Run, list[HeldRow]]:
    with store.reading() as connection:
        _find(connection, folder, names)
    arguments = {"documents": list(names)}
    source = Identity(folder.name, folder.url)
    with (
        running(store, source, kind, arguments=arguments, is_raising=True) as attempt,
        store.writing() as connection,
    ):
        rows = _find(connection, folder, names)
        writer = DocumentWriter(attempt.source.id, attempt.run_id)
        attempt.counters.add(deed(connection, writer, attempt, rows))
    return attempt.run, rows


def _drop(connection: Connection, writer: DocumentWriter, _: Attempt, rows: Sequence[HeldRow]) -> Counters:
    counters = writer.bury(connection, rows, now=int(utc_now().timestamp()))
    writer.note(connection, [row._replace(state=DROPPED) for row in rows])
    return counters


def _hide(
    connection: Connection, writer: DocumentWriter, attempt: Attempt, rows: Sequence[HeldRow]
) -> Counters:
    hidden = [row._replace(state=HIDDEN) for row in rows if row.state != DROPPED]
    live = held_files.live(connection, writer.source_id, [row.identifier for row in hidden])
    stamp = stamp_of(int(utc_now().timestamp()))
    records = [Record(row.identifier, stamp, sets_of(row), False) for row in hidden if row.identifier in live]
    groups, tally = SetGroups(writer.source_id), RecordTally()
    pages = PageWriter(writer.source_id, None, run_id=attempt.run_id, groups=groups, tally=tally)
    pages.write(connection, records)
    writer.note(connection, hidden)
    counters = Counters()
    tally.write_to(counters)
    return counters


def _find(connection: Connection, folder: PublishedFolder, names: Sequence[str]) -> list[HeldRow]:
    """Give the documents that are meant, and with an archive what is in it; or say which there is not."""
    found: dict[str, HeldRow] = {}
    for name in names:
        source_id, row = find(connection, folder, name)
        inner = () if row.member else held_files.members(connection, source_id, row.path)
        found |= {each.identifier: each for each in (row, *inner)}
    return list(found.values())
