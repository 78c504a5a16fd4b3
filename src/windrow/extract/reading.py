"""One file and an errand in, an answer out: what kind it is, its reader, its picture. Runs in the `child`.

Needs no child by itself: tests of readers call it as well.
"""

from __future__ import annotations

from dataclasses import replace
from typing import BinaryIO

from windrow.extract.file_names import UNKNOWN, is_source_code
from windrow.extract.job import Job
from windrow.extract.kinds import reader_of
from windrow.extract.languages import with_language
from windrow.extract.messages import Answer, Errand
from windrow.extract.refusing import NotInstalled, Unreadable
from windrow.extract.sniffing import media_type_of
from windrow.model.extract import UNREAD, Extract
from windrow.model.media import UNPICTURED, is_pictured


def answer(errand: Errand, file: BinaryIO) -> Answer:
    """Do an errand; Unreadable where the file cannot be read."""
    if errand.what == "member":
        return Answer(None, _member(file, errand.job).read())
    job = errand.job
    if job.member:
        file, job = _member(file, job), replace(job, name=job.member.rpartition("/")[2], member="")
    media_type = media_type_of(file, job)
    if errand.what == "picture":
        return Answer(None, _picture(file, media_type, job))
    return _whole(file, media_type, job)


def _whole(file: BinaryIO, media_type: str, job: Job) -> Answer:
    """Give all that the file says, with a picture where there can be one."""
    reader = reader_of(media_type)
    if reader is None:
        note = f"It was not read: {_what(media_type)}."
        return Answer(Extract(media_type, measured=(UNREAD,), notes=(note,)))
    extract = reader.read(file, replace(job, declared=media_type))
    if not (extract.media_type == "text/plain" and is_source_code(job.name)):
        extract = with_language(extract)
    try:
        return Answer(extract, _picture(file, extract.media_type, job))
    except NotInstalled:  # what draws it may come some day
        return Answer(extract)
    except Unreadable:
        return Answer(_unpictured(extract))
    except Exception as exc:  # noqa: BLE001 - what was read is worth more than its picture
        note = f"A picture of it could not be made: {type(exc).__name__}"
        return Answer(replace(_unpictured(extract), notes=(*extract.notes, note)))


def _what(media_type: str) -> str:
    if media_type == UNKNOWN:
        return "it is binary, and of no kind that is known here"
    return f"nothing here reads files of the kind {media_type}"


def _unpictured(extract: Extract) -> Extract:
    """Note that there is no picture where people would expect one, so that no page shows a gap for it."""
    if not is_pictured(extract.media_type):
        return extract
    return replace(extract, measured=(*extract.measured, UNPICTURED))


def _picture(file: BinaryIO, media_type: str, job: Job) -> bytes:
    from windrow.extract.pictures import picture  # noqa: PLC0415 - many files have none

    file.seek(0)
    return picture(file, media_type, page=job.page, size=job.size)


def _member(file: BinaryIO, job: Job) -> BinaryIO:
    """Open a member of the archive that the file is."""
    from windrow.extract.readers.archive import open_member  # noqa: PLC0415 - few files are in archives

    return open_member(file, job.member)
