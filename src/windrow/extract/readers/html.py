"""HTML: the text of a page without its scripts and menus, headings, meta tags. Nothing is fetched."""

from __future__ import annotations

from typing import BinaryIO

from windrow.extract.html_markup import read_page
from windrow.extract.reading_job import Job
from windrow.extract.text_decoding import read_text
from windrow.model.file_content import Extract


def read(file: BinaryIO, job: Job) -> Extract:
    decoded, notes = read_text(file)
    page = read_page(decoded.text)
    measured = [("encoding", decoded.encoding)]
    measured += [("software", page.software)] if page.software else []
    return Extract(
        job.declared,
        said=tuple(page.facts()),
        measured=tuple(measured),
        text=(page.text,) if page.text else (),
        headings=tuple(page.headings),
        notes=tuple(notes),
    )
