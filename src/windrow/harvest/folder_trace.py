"""Where is my file: what the folder shows of it now, beside what `trace` found in the library."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

from windrow.formats.http_header import content_type, write_http_header
from windrow.harvest.folder_look import HEADER
from windrow.harvest.trace import Answer, Trace
from windrow.model.record import Record
from windrow.sources.files.describe import header, modified, stamp_of, type_of
from windrow.sources.files.mime_sets import set_of
from windrow.sources.files.published import PublishedFolder
from windrow.sources.files.walk import look_up


def with_file(
    found: Trace, folder: PublishedFolder, *, find_path: Callable[[str], str | None] | None = None
) -> Trace:
    """Give the trace with the folder's answer in it. `find_path` says where a document lies by now."""
    # A folder is always looked at whole, however old the file: no date keeps the next harvest from it.
    since = None if found.next_from is None else ""
    return replace(found, answers=(_answer(found, folder, find_path),), next_from=since)


def _answer(found: Trace, folder: PublishedFolder, find_path: Callable[[str], str | None] | None) -> Answer:
    path = (find_path or folder.path)(found.identifier)
    file = look_up(folder.root, path, folder.rules) if path is not None else None
    if file is None:
        return Answer(HEADER, is_absent=True)
    held = found.record.payload(HEADER) if found.record is not None else None
    # The media type of a document was found by reading it, which is not done here.
    kind = content_type(held.data) if held is not None and find_path is not None else None
    head = header(file) if kind is None else write_http_header(kind, file.size, modified(file))
    sets = (set_of(kind or type_of(file)),)
    record = Record(found.identifier, stamp_of(modified(file)), sets, False, head)
    return Answer(HEADER, record, is_same=None if held is None else held.data == head)
