"""Reads a few bytes as a file by the reader that their kind has: for the tests of readers of text."""

from __future__ import annotations

from dataclasses import replace
from io import BytesIO

from windrow.extract.reader_registry import find_reader
from windrow.extract.reading_job import Job
from windrow.extract.sniffing import media_type_of
from windrow.model.file_content import Extract


def extract(data: bytes, name: str) -> Extract:
    """Give what the bytes hold as a file of this name."""
    file, job = BytesIO(data), Job(name=name)
    media_type = media_type_of(file, job)
    reader = find_reader(media_type)
    assert reader is not None
    return reader.read(file, replace(job, declared=media_type))


def values(found: Extract, name: str) -> list[str]:
    """What a file says, or what was measured, under one name."""
    return [value for key, value in (*found.said, *found.measured) if key == name]
