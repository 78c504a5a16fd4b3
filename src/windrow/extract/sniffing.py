"""What kind of file it is: by its content, and by its name only where the content says nothing.

The first step of every extraction: the media type chooses the reader in `kinds`.
"""

from __future__ import annotations

import os
from typing import BinaryIO

from windrow.extract import containers
from windrow.extract.compound_files import SIGNATURE as OLE_MARK
from windrow.extract.file_names import UNKNOWN, type_by_name
from windrow.extract.job import Job
from windrow.extract.signatures import type_by_signature
from windrow.extract.text_kinds import text_type, unknown_type

BEGINNING_BYTES = 32 * 1024


def media_type_of(file: BinaryIO, job: Job) -> str:
    """Give the media type of an open file, which is left at its beginning.

    Looks further than `sniff` can where the beginning of a package does not tell what it is.
    """
    file.seek(0)
    beginning = file.read(BEGINNING_BYTES)
    found = sniff(beginning, job.name, job.declared)
    if found == containers.ZIP:
        size = file.seek(0, os.SEEK_END)
        file.seek(max(0, size - containers.TAIL_BYTES))
        found = containers.zip_type_by_tail(file.read(containers.TAIL_BYTES))
    elif found == containers.OLE:
        found = containers.ole_type(beginning, file)
    file.seek(0)
    return found


def sniff(beginning: bytes, name: str, declared: str = "") -> str:
    """Give the media type by a file's first bytes, some 32 KB of them; name and declaration are hints."""
    if not beginning:
        return type_by_name(name) or declared or UNKNOWN
    if beginning.startswith(containers.ZIP_MARKS):
        return containers.zip_type(beginning)
    if beginning.startswith(OLE_MARK):
        return containers.ole_type(beginning)
    return (
        type_by_signature(beginning, name)
        or text_type(beginning, name, declared)
        or unknown_type(name, declared)
    )
