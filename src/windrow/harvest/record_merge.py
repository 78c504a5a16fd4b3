"""Merge two identifiers of one thing: the old record becomes a tombstone that redirects to the new one.

The tombstone is written as by a harvest, in a run of its own kind, so that the index, the OAI-PMH provider,
the sitemaps and the history follow. `Intake.put` keeps later harvests from restoring the old record.
"""

from __future__ import annotations

from windrow.config.schema import SourceSettings
from windrow.config.source_kinds import kind_of
from windrow.errors import NotFound, UsageError
from windrow.harvest.run import running, utc_now
from windrow.model.record import Granularity, Record, format_datestamp
from windrow.model.run import Run
from windrow.store import sources
from windrow.store.connection import Connection
from windrow.store.records import record_reader
from windrow.store.records.page_writer import PageWriter
from windrow.store.records.record_reader import RecordReader, StoredRecord
from windrow.store.records.set_hierarchy import SetGroups
from windrow.store.records.similar_identifiers import find_similar_identifiers
from windrow.store.store import Store


def merge_records(
    store: Store, settings: SourceSettings, old: str, new: str, *, is_unseen_allowed: bool = False
) -> Run:
    """Redirect `old` to `new`, both identifiers of one source, and return the run.

    With `is_unseen_allowed`, `old` may never have been harvested: other sites may still link to it.
    """
    with store.reading() as connection:
        _check_merge(connection, settings, old, new, is_unseen_allowed)
    arguments = {"merged": old, "into": new}
    with (
        running(store, settings, "merge", arguments=arguments, is_raising=True) as attempt,
        store.writing() as connection,
    ):
        former, target = _check_merge(connection, settings, old, new, is_unseen_allowed)
        if former is not None and not former.is_deleted:
            writer = PageWriter(
                attempt.source.id, None, run_id=attempt.run_id, groups=SetGroups(attempt.source.id)
            )
            stamp = format_datestamp(utc_now(), Granularity.SECOND)
            written = writer.write(connection, [Record(old, stamp, (), is_deleted=True)])
            attempt.counters.deleted += written.deleted
        record_reader.add_alias(connection, attempt.source.id, old, target.id, now=int(store.clock()))
    return attempt.run


def unmerge_records(store: Store, settings: SourceSettings, old: str) -> None:
    """Undo a merge; raises NotFound if `old` was not merged."""
    with store.writing() as connection:
        state = sources.find(connection, settings.name)
        if state is None or not record_reader.remove_alias(connection, state.id, old):
            raise NotFound(
                f"{old} of {settings.name} was not merged into another record",
                hint=f"`windrow record merges {settings.name}` lists what was.",
            )


def _check_merge(
    connection: Connection, settings: SourceSettings, old: str, new: str, is_unseen_allowed: bool
) -> tuple[StoredRecord | None, StoredRecord]:
    """Return both records; raises an error that explains why they cannot be merged."""
    if old == new:
        raise UsageError(f"{old} cannot be merged into itself", hint="Name the identifier that remains last.")
    former, target = _find_record(connection, settings, old), _get_record(connection, settings, new)
    if former is None and not is_unseen_allowed:
        raise _unknown_record(
            connection,
            settings,
            old,
            "If it was never harvested and others link to it, add --unseen.",
        )
    state = sources.find(connection, settings.name)
    onward = record_reader.resolve_alias(connection, state.id, new) if state else None
    if onward is not None:
        hint = f"Merge into {onward}" if onward != old else "That would lead in a circle"
        lift = f"`windrow record unmerge {settings.name} {new}` undoes the other merge."
        raise UsageError(f"{new} was itself merged into {onward}", hint=f"{hint}; {lift}")
    if target.is_deleted:
        raise UsageError(
            f"{new} is deleted, so nothing can be merged into it",
            hint=f"`windrow record show {new}` says since when; the one that remains must be there.",
        )
    kind = kind_of(settings)
    if kind.is_complete and former is not None and not former.is_deleted:
        raise UsageError(
            f"{old} is still in the {kind.label.partition(' ')[2]} of {settings.name}",
            hint=f"Take it away, or let the settings leave it out; then `windrow harvest {settings.name}`,"
            " and merge.",
        )
    return former, target


def _get_record(connection: Connection, settings: SourceSettings, identifier: str) -> StoredRecord:
    found = _find_record(connection, settings, identifier)
    if found is None:
        raise _unknown_record(connection, settings, identifier, f"`windrow trace {identifier}` looks for it.")
    return found


def _find_record(connection: Connection, settings: SourceSettings, identifier: str) -> StoredRecord | None:
    return next(iter(RecordReader().find(connection, identifier, source=settings.name)), None)


def _unknown_record(connection: Connection, settings: SourceSettings, identifier: str, hint: str) -> NotFound:
    alike = find_similar_identifiers(connection, identifier)
    hint = f"Did you mean {' or '.join(alike)}? {hint}" if alike else hint
    return NotFound(f"there is no record {identifier} of {settings.name}", hint=hint)
