"""Old Office files: what they say of themselves, and of Word documents the text."""

from __future__ import annotations

from typing import BinaryIO

from windrow.extract.compound_files import CompoundFile
from windrow.extract.job import Job
from windrow.extract.property_sets import read_properties
from windrow.extract.refusing import Unreadable
from windrow.extract.word97 import text_of_word
from windrow.model.extract import Extract

_SAID = {
    2: "title",
    3: "description",
    4: "creator",
    5: "subject",
    6: "description",
    12: "date",
    13: "modified",
}
_MEASURED = {14: "pages", 18: "software"}
_KINDS = {
    "worddocument": "application/msword",
    "workbook": "application/vnd.ms-excel",
    "book": "application/vnd.ms-excel",
    "powerpoint document": "application/vnd.ms-powerpoint",
}
_LOCKED = frozenset({"encryptedpackage", "encryptioninfo", "\x09drmcontent"})
_WORD_IS_LOCKED = 0x0100  # in the flags at byte 10 of a Word document
_NOTE = "the text of old Office files of this kind is not read: saved in a newer format, it would be"


def read(file: BinaryIO, job: Job) -> Extract:  # noqa: ARG001 - a reader
    """Read one file."""
    streams = CompoundFile(file)
    flags = int.from_bytes(streams.stream("WordDocument")[10:12], "little")
    if streams.names & _LOCKED or flags & _WORD_IS_LOCKED:
        raise Unreadable("it is encrypted: it needs a password")
    found = read_properties(streams.stream("\x05SummaryInformation"))
    kind = next((_KINDS[name] for name in _KINDS if name in streams.names), "application/x-ole-storage")
    text = text_of_word(streams)
    return Extract(
        kind,
        said=tuple(
            (_SAID[number], str(value)) for number, value in found.items() if number in _SAID and value
        ),
        measured=tuple(
            (_MEASURED[number], str(value))
            for number, value in found.items()
            if number in _MEASURED and value
        ),
        text=(text,) if text else (),
        notes=() if text or kind == _KINDS["worddocument"] else (_NOTE,),
    )
