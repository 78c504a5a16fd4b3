"""Plain text in any encoding, and text with its own syntax: tables, JSON, TeX. Read unchanged."""

from __future__ import annotations

import re
from typing import BinaryIO

from windrow.extract.reading_job import Job
from windrow.extract.signatures import is_source_code
from windrow.extract.text_decoding import read_text
from windrow.model.file_content import Extract

LONGEST_TITLE = 120
LOOKED_AT_CHARACTERS = 4000
_RULE = re.compile(r"[=\-*~_#]{4,200}\Z")
_WORDS = re.compile(r"[^\W\d_]{2}")


def read(file: BinaryIO, job: Job) -> Extract:
    media_type = job.declared
    if media_type == "application/mbox":
        return Extract(media_type, notes=("The messages in it are not read.",))
    decoded, notes = read_text(file)
    text = decoded.text
    is_paged = "\f" in text.strip("\f \n")
    pages = text.rstrip("\f\n ").split("\f") if is_paged else [text.replace("\f", "")]
    is_prose = media_type == "text/plain" and not is_source_code(job.name)
    title = _title(text) if is_prose else ""
    return Extract(
        media_type,
        said=(("title", title),) if title else (),
        measured=(("encoding", decoded.encoding), *([("pages", str(len(pages)))] if is_paged else [])),
        text=tuple(page.strip("\n") for page in pages) if text.strip() else (),
        is_paged=is_paged,
        notes=tuple(notes),
    )


def _title(text: str) -> str:
    """Return the first line if it is set as a title: underlined, centred, or followed by two blank lines.

    A short first line alone may also be "Dear all,", so it does not count.
    """
    lines = text[:LOOKED_AT_CHARACTERS].lstrip("\n\f\ufeff").split("\n", 5)
    if len(lines) < 4:
        return ""
    first, second, third = (line.rstrip() for line in lines[:3])
    words = " ".join(first.split())
    if not _WORDS.search(words) or len(words) > LONGEST_TITLE or words[-1] in ",;:.":
        return ""
    is_ruled = _RULE.match(second.strip()) is not None
    is_apart = not second and (not third or first.startswith("        "))
    return words if is_ruled or is_apart else ""
