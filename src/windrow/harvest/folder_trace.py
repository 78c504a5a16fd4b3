"""Where is my file: what the folder shows of it now, beside what `trace` found in the library."""

from __future__ import annotations

from dataclasses import replace

from windrow.harvest.folder_look import HEADER
from windrow.harvest.trace import Answer, Trace
from windrow.model.record import Record
from windrow.sources.files.describe import header, modified, stamp_of, type_of
from windrow.sources.files.mime_sets import set_of
from windrow.sources.files.published import PublishedFolder
from windrow.sources.files.walk import look_up


def with_file(found: Trace, folder: PublishedFolder) -> Trace:
    """Give the trace with the folder's answer in it."""
    # A folder is always looked at whole, however old the file: no date keeps the next harvest from it.
    since = None if found.next_from is None else ""
    return replace(found, answers=(_answer(found, folder),), next_from=since)


def _answer(found: Trace, folder: PublishedFolder) -> Answer:
    path = folder.path(found.identifier)
    file = look_up(folder.root, path, folder.rules) if path is not None else None
    if file is None:
        return Answer(HEADER, is_absent=True)
    head = header(file)
    record = Record(found.identifier, stamp_of(modified(file)), (set_of(type_of(file)),), False, head)
    held = found.record.payload(HEADER) if found.record is not None else None
    return Answer(HEADER, record, is_same=None if held is None else held.data == head)
