"""What was read out of one file: said in a few names whatever its kind, so that nobody else knows kinds.

Names of what the file says of itself are in SAID, of what can be measured in MEASURED. Values are plain text.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import NamedTuple

from windrow.model.held_file import Heading

SAID = (
    "title",
    "creator",
    "contributor",
    "subject",  # keywords too
    "description",
    "publisher",
    "date",  # when the thing came to be, as exactly as it is known: 2024, 2024-05, 2024-05-17, …T10:20:30Z
    "modified",
    "type",
    "language",  # declared; an ISO 639 code
    "identifier",
    "source",  # what it is part of: an album, a journal, the message it was attached to
    "relation",
    "coverage",  # places by name
    "rights",
)
MEASURED = (
    "pages",
    "width",  # pixels
    "height",
    "seconds",  # of sound or film, with a fraction
    "latitude",  # degrees, north positive
    "longitude",  # degrees, east positive
    "altitude",  # metres
    "camera",
    "software",
    "encoding",  # of text, by its IANA name
    "detected-language",  # an ISO 639 code, where none was declared
    "codec",
    "members",  # of an archive
    "preview",  # "none" where no picture could be made of a file of a kind that has some
)


class Member(NamedTuple):
    """A file inside an archive."""

    name: str  # with slashes, never upwards
    size: int
    modified: int | None = None  # Unix second


@dataclass(frozen=True, slots=True)
class Extract:
    """What one file gave."""

    media_type: str  # by its content
    said: tuple[tuple[str, str], ...] = ()
    measured: tuple[tuple[str, str], ...] = ()
    text: tuple[str, ...] = ()  # page by page, or all in one
    is_paged: bool = False
    headings: tuple[Heading, ...] = ()
    members: tuple[Member, ...] = ()
    notes: tuple[str, ...] = ()  # what could not be read of it, in words for people
