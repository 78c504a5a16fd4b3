"""Files that could not be read, tried again by hand: the counterpart of `retry` for folders of documents."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from windrow.errors import Interrupted
from windrow.harvest.retry import Retried, Verdict
from windrow.harvest.run import utc_now
from windrow.store import cases, held_files, quarantine, sources
from windrow.store.held_files import HeldRow

if TYPE_CHECKING:
    from windrow.harvest.documents import DocumentsRunner
    from windrow.store.cases import Case
    from windrow.store.connection import Connection
    from windrow.store.store import Store


def retry_documents(
    store: Store, runner: DocumentsRunner, name: str, wanted: Sequence[Case]
) -> list[Retried]:
    """Read the files of these cases again; give what became of each, in order."""
    with store.writing() as connection:
        rows = _rows(connection, name, wanted)
        paths = {row.path for row in rows.values()}
        source = sources.find(connection, name)
        if source is not None:
            archives = [held_files.at(connection, source.id, path) for path in paths]
            again = {row.identifier: row for row in (*archives, *rows.values()) if row is not None}
            held_files.put(connection, source.id, [row._replace(reader="") for row in again.values()])
    try:
        runner.refresh(sorted(paths))
    except Interrupted:
        return [Retried(case, Verdict.UNASKED) for case in wanted]
    with store.writing() as connection:
        after = _rows(connection, name, wanted)
        return [_verdict(connection, case, after.get(case.identifier or "")) for case in wanted]


def _rows(connection: Connection, name: str, wanted: Sequence[Case]) -> dict[str, HeldRow]:
    source = sources.find(connection, name)
    if source is None:
        return {}
    found = (held_files.find(connection, source.id, case.identifier or "") for case in wanted)
    return {row.identifier: row for row in found if row is not None}


def _verdict(connection: Connection, case: Case, row: HeldRow | None) -> Retried:
    if row is None:
        quarantine.resolve(connection, case.id, now=utc_now())
        return Retried(case, Verdict.GONE)
    waiting = cases.listed(connection, source=case.source, identifier=case.identifier)
    now = next((each for each in waiting if each.id == case.id), None)
    if now is None:
        return Retried(case, Verdict.STORED)
    return Retried(case, Verdict.STILL_BAD, now.reason)
