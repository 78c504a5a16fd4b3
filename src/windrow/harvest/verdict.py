"""One sentence on where a record is and what to do about it, out of all that `trace` gathered."""

from __future__ import annotations

from windrow.harvest.trace import Answer, Trace
from windrow.store.records import StoredRecord


def verdict(found: Trace) -> str:
    """Say where the record is and what to do, in one sentence."""
    answer = found.answer
    waiting = next((case for case in found.cases if case.resolved is None), None)
    if found.record is not None:
        return _held(found, found.record, answer)
    if waiting is not None:
        retry = f"`windrow quarantine retry {waiting.id}` asks for it again"
        return f"It waits in quarantine as case {waiting.id} ({waiting.reason}); {retry}."
    if answer is None:
        return f"The library has never seen it, and {found.source} was not asked."
    if answer.record is not None:
        return _missed(found, answer)
    if answer.problem:
        return f"The library has never seen it, and {found.source} gave no answer to use."
    return f"Neither the library nor {found.source} knows this identifier; check how it is spelled."


def _held(found: Trace, record: StoredRecord, answer: Answer | None) -> str:
    """The library has the record, or its tombstone."""
    held = f"{'its tombstone' if record.is_deleted else 'it'} as of {record.changed_at:%Y-%m-%d %H:%M} UTC"
    if answer is None:
        return f"The library has {held}; {found.source} was not asked."
    if answer.problem:
        return f"The library has {held}; {found.source} gave no answer to use."
    is_gone = answer.record is None or answer.record.is_deleted
    if record.is_deleted:
        if is_gone:
            return "It is deleted at the source, and the library knows it: nothing to do."
        return "The source has it again: " + _harvest(found, answer, "brings it back")
    if answer.record is None:
        command = f"`windrow harvest {found.source} --reconcile`"
        return f"The library has it, the source no longer does: {command} marks it as deleted."
    if is_gone:
        return "The source has deleted it since: " + _harvest(found, answer, "marks it as deleted")
    if any(item.is_same is False for item in found.answers):
        return "The source has another version than the library: " + _harvest(found, answer, "brings it")
    if any(item.record is not None and item.is_same is None for item in found.answers):
        return "The library lacks it in one of the formats: " + _harvest(found, answer, "brings it")
    if set(answer.record.sets) != set(record.sets):
        return "It is in other sets at the source than in the library: " + _harvest(found, answer, "tells it")
    return "It is in the library, and the same as at the source: nothing to do."


def _missed(found: Trace, answer: Answer) -> str:
    """The source has it and the library does not."""
    record = answer.record
    assert record is not None
    if record.is_deleted:
        return "It was deleted at the source before the library ever saw it: nothing to do."
    if found.sets and not any(_is_in(spec, found.sets) for spec in record.sets):
        wanted = ", ".join(found.sets)
        return f"The source has it, but in none of the sets that are harvested ({wanted})."
    if found.is_unfinished:
        command = f"`windrow harvest {found.source}`"
        return f"The source has it, and the last harvest was not finished: {command} goes on with it."
    if found.next_from is None:
        return f"The source has it and was never harvested: `windrow harvest {found.source}` brings it."
    return "The source has it and the library does not: " + _harvest(found, answer, "brings it")


def _harvest(found: Trace, answer: Answer, deed: str) -> str:
    """What a harvest does about it. Under an old datestamp an incremental one would never see it."""
    record, command = answer.record, f"windrow harvest {found.source}"
    if record is None or found.next_from is None or record.stamp >= found.next_from:
        return f"`{command}` {deed}."
    return f"`{command} --full` {deed}; its datestamp {record.stamp} is older than the last harvest."


def _is_in(spec: str, wanted: tuple[str, ...]) -> bool:
    return any(spec == each or spec.startswith(f"{each}:") for each in wanted)
