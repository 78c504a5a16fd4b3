"""A document as a list of results shows it: what an index keeps of it beside the words."""

from __future__ import annotations

from typing import NamedTuple

LONGEST_DESCRIPTION = 2000  # characters of it that are kept for snippets
MOST_VALUES = 20  # creators, keywords … of one document that are kept


class FileCard(NamedTuple):
    """What it says of the file behind a document."""

    media_type: str
    size: int  # bytes
    has_text: bool = False
    has_picture: bool = False  # there may be one: whoever makes it knows


class Card(NamedTuple):
    """What stands on one line of results, and enough to write a row of it elsewhere."""

    number: int  # of the record in the store
    source: str
    identifier: str
    title: str = ""
    creators: tuple[str, ...] = ()
    year: int | None = None
    types: tuple[str, ...] = ()
    languages: tuple[str, ...] = ()
    institution: str = ""
    department: str = ""
    pages: int | None = None
    subjects: tuple[str, ...] = ()
    keywords: tuple[str, ...] = ()  # free ones, where the source tells them from subjects
    description: str = ""  # the first, cut at LONGEST_DESCRIPTION
    description_language: str = ""
    landing: str = ""  # http and https only
    fulltext: str = ""
    stamp: str = ""  # the provider's datestamp
    change: int = 0  # the number of the change that it was made after
    file: FileCard | None = None
