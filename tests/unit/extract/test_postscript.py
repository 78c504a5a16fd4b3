"""PostScript: its comments, and its text by Ghostscript."""

from __future__ import annotations

import io
import shutil
from tempfile import NamedTemporaryFile

import pytest

from tests.fixtures import missing
from windrow.extract.readers import postscript
from windrow.extract.reading_job import Job

JOB = Job("a.ps", declared="application/postscript")
PROGRAM = (
    b"%!PS-Adobe-3.0\n%%Title: (Hay)\n%%For: Ann Reed\n%%CreationDate: D:20240517\n"
    b"%%Pages: (atend)\n%%EndComments\n"
    b"/Helvetica findfont 12 scalefont setfont 72 700 moveto (mown in June) show showpage\n"
    b"%%Trailer\n%%Pages: 1\n%%EOF\n"
)


def test_comments_say_what_it_is() -> None:
    found = postscript.read(io.BytesIO(PROGRAM), JOB)
    assert dict(found.said)["creator"] == "Ann Reed"
    assert dict(found.said)["date"] == "2024-05-17"
    assert ("pages", "1") in found.measured


def test_documents_inside_it_speak_for_themselves() -> None:
    inside = PROGRAM.replace(
        b"%%EndComments", b"%%EndComments\n%%BeginDocument: x\n%%Title: inner\n%%EndDocument"
    )
    assert [value for name, value in postscript.read(io.BytesIO(inside), JOB).said if name == "title"] != [
        "inner"
    ]


def test_ghostscript_gives_its_text() -> None:
    if shutil.which("gs") is None:
        missing("Ghostscript is not on this machine")
    found = postscript.read(io.BytesIO(PROGRAM), JOB)
    assert "mown in June" in found.text[0]


def test_its_files_are_out_of_reach_and_an_endless_one_is_ended(monkeypatch: pytest.MonkeyPatch) -> None:
    if shutil.which("gs") is None:
        missing("Ghostscript is not on this machine")
    thief = b"%!PS\n(/etc/passwd) (r) file 200 string readstring pop show showpage\n"
    assert "root:" not in "".join(postscript.read(io.BytesIO(thief), JOB).text)
    monkeypatch.setattr(postscript, "GHOSTSCRIPT_SECONDS", 0.5)
    found = postscript.read(io.BytesIO(b"%!PS\n{} loop\n"), JOB)
    assert found.notes == ("Ghostscript took longer than 0.5 s for its text",)


def test_it_cannot_read_the_temporary_files_of_others() -> None:
    if shutil.which("gs") is None:
        missing("Ghostscript is not on this machine")
    with NamedTemporaryFile(dir="/tmp") as bait:
        bait.write(b"nobody's business")
        bait.flush()
        thief = PROGRAM.replace(
            b"(mown in June)", f"({bait.name}) (r) file 50 string readstring pop".encode()
        )
        assert postscript.read(io.BytesIO(thief), JOB).text == ()


def test_without_ghostscript_it_says_so(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PATH", "/nowhere")
    assert "needs Ghostscript" in postscript.read(io.BytesIO(PROGRAM), JOB).notes[0]
