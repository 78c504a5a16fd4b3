"""XML of unknown kinds: its text without the tags. Only HTML entities are resolved."""

from __future__ import annotations

from typing import BinaryIO

from windrow.extract.html_markup import Tag, read_page, tokens
from windrow.extract.reading_job import Job
from windrow.extract.text_decoding import read_text, tidy_lines
from windrow.extract.xmp import read_xmp
from windrow.model.file_content import Extract


def read(file: BinaryIO, job: Job) -> Extract:  # noqa: ARG001 - a reader
    decoded, notes = read_text(file)
    found = tokens(decoded.text, raw=frozenset(), is_xml=True)
    words = ["\n" if isinstance(token, Tag) else _plain(token) for token in found]
    text = tidy_lines("".join(words))
    lines = "\n".join(line for line in text.split("\n") if line)
    return Extract(
        "application/xml",
        said=tuple(read_xmp(decoded.text.encode())) if "adobe:ns:meta" in decoded.text else (),
        measured=(("encoding", decoded.encoding),),
        text=(lines,) if lines else (),
        notes=tuple(notes),
    )


def _plain(text: str) -> str:
    """Return the text, from which HTML markup is removed: feeds contain escaped pages."""
    return read_page(text).text if "<" in text and ">" in text else text.strip()
