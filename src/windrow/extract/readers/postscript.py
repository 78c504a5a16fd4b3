"""PostScript: its comments, and its text if Ghostscript is installed.

A PostScript file is a program. Only Ghostscript runs it, in safe mode, with the limits of this process and
less time; it reads the file and writes text to a pipe, and nothing else.
"""

from __future__ import annotations

import os
import re
import shutil
import struct
import subprocess
from collections.abc import Iterator
from contextlib import suppress
from datetime import datetime
from typing import BinaryIO

from windrow.extract.readers.pdf import read_pdf_date
from windrow.extract.reading_job import GHOSTSCRIPT, Job, Unreadable
from windrow.extract.text_decoding import decode
from windrow.model.file_content import Extract

MOST_BYTES = 64 * 1024 * 1024
GHOSTSCRIPT_SECONDS = 20.0
_COMMENTS_BYTES = 100_000
_COMMENT = re.compile(rb"(?:^|[\r\n])%%(Title|Creator|For|CreationDate|Pages|Copyright):[ \t]*([^\r\n]*)")
_SAID = {"Title": "title", "For": "creator", "CreationDate": "date", "Copyright": "rights"}
_BINARY_HEADER = b"\xc5\xd0\xd3\xc6"  # EPS with a DOS preview
_COMMAND = ("-q", "-dSAFER", "-dBATCH", "-dNOPAUSE", "-dNOPROMPT", "-sDEVICE=txtwrite", "-sOutputFile=-", "-")
# Even in safe mode files in the folder for temporary files are readable, so that folder does not exist.
_NO_FOLDER = {"TMPDIR": "/dev/null/none", "TEMP": "/dev/null/none"}
_COMPLAINT = re.compile(r"^Error: /", re.MULTILINE)
_DATES = (
    "%a %b %d %H:%M:%S %Y",
    "%a %b %d %Y",
    "%m/%d/%y %I:%M %p",
    "%m/%d/%Y %I:%M %p",
    "%Y/%m/%d %H:%M:%S",
)
_OCTAL = re.compile(rb"\\([0-7]{3})")


def read(file: BinaryIO, job: Job) -> Extract:  # noqa: ARG001 - a reader
    data = _program(file.read(MOST_BYTES + 1))
    if len(data) > MOST_BYTES:
        raise Unreadable(f"it has more than {MOST_BYTES // 1_000_000} MB, which is too much to be run")
    comments = dict(_comments(data))
    said = tuple((_SAID[name], value) for name, value in comments.items() if name in _SAID)
    pages = [comments["Pages"]] if comments.get("Pages", "").isdecimal() else []
    software = [comments["Creator"]] if "Creator" in comments else []
    text, note = _text(data)
    return Extract(
        "application/postscript",
        said=said,
        measured=(*(("pages", value) for value in pages), *(("software", value) for value in software)),
        text=text,
        is_paged=True,
        notes=(note,) if note else (),
    )


def _program(data: bytes) -> bytes:
    """Return the program without a preview around it."""
    if not data.startswith(_BINARY_HEADER) or len(data) < 12:
        return data
    start, length = struct.unpack_from("<II", data, 4)
    return data[start : start + length]


def _comments(data: bytes) -> Iterator[tuple[str, str]]:
    """Yield the comments before and after the program; those of embedded documents are ignored."""
    head = data[:_COMMENTS_BYTES].partition(b"%%EndComments")[0]
    trailer = data[-_COMMENTS_BYTES:].rpartition(b"%%Trailer")
    told: set[str] = set()
    for found in _COMMENT.finditer(head + (b"\n" + trailer[2] if trailer[1] else b"")):
        name, value = found[1].decode("ascii"), found[2].strip()
        if value.startswith(b"(") and value.endswith(b")") and value != b"(atend)":
            value = _OCTAL.sub(lambda each: bytes([int(each[1], 8) & 0xFF]), value[1:-1])
        words = " ".join(decode(value)[0].split())
        words = _date(words) if name == "CreationDate" else words
        if words and words != "(atend)" and name not in told:
            told.add(name)
            yield name, words


def _date(words: str) -> str:
    """Return a date in ISO 8601, from one of the usual notations; "" if it is invalid."""
    for way in _DATES:
        with suppress(ValueError):
            return datetime.strptime(words, way).isoformat()  # noqa: DTZ007 - it has no time zone
    return read_pdf_date(words)


def _text(data: bytes) -> tuple[tuple[str, ...], str]:
    """Return the text of the pages from Ghostscript, and a note if it fails."""
    program = shutil.which(GHOSTSCRIPT)
    if program is None:
        return (), "its text needs Ghostscript, which is not installed"
    try:
        done = subprocess.run(
            [program, *_COMMAND],
            input=data,
            capture_output=True,
            timeout=GHOSTSCRIPT_SECONDS,
            check=False,
            cwd="/",
            env=os.environ | _NO_FOLDER,
        )
    except subprocess.TimeoutExpired:
        return (), f"Ghostscript took longer than {GHOSTSCRIPT_SECONDS:g} s for its text"
    except OSError as exc:
        return (), f"Ghostscript could not be started: {exc.strerror or exc}"
    written = done.stdout.decode("utf-8", "replace").replace("\0", "")
    if done.returncode:  # its errors follow the text
        written = _COMPLAINT.split(written, maxsplit=1)[0]
    pages = written.split("\f")
    found = tuple("\n".join(line.rstrip() for line in page.splitlines()).strip("\n") for page in pages)
    found = found[:-1] if found and not found[-1].strip() else found
    note = "Ghostscript found an error in it" if done.returncode else ""
    return found if any(page.strip() for page in found) else (), note
