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
    "members",  # of an archive: its files that are documents of their own
    "members-beyond-limit",  # its files that were not taken because there are too many
    "members-left-out",  # its files that were not taken for another reason, which a note gives
    "text-layer",  # "none" where all pages are pictures without text, "some pages" where some are
    "content",  # "not read" of a file of which only the name counts, "cut" of one with more text than is kept
    "preview",  # "none" where no picture could be made of a file of a kind that has some
)
# What a library remarks on documents that were not read, or only in part.
NO_TEXT_LAYER = "no-text-layer"  # its pages are pictures without text
TEXT_LAYER_GAPS = "text-layer-gaps"  # some of its pages are
MEMBERS_CUT = "members-cut"  # an archive with more files than documents.archive_members
BYTES_CUT = "bytes-cut"  # an archive whose files unpack to more than is taken
MEMBERS_LEFT_OUT = "members-left-out"  # an archive with files that cannot be taken: links, passwords
NOT_READ = "not-read"  # only its name, size and time are kept
TEXT_TOO_LONG = "text-cut"  # it has more text than documents.text_limit
REMARKS = (
    *(NO_TEXT_LAYER, TEXT_LAYER_GAPS, MEMBERS_CUT, BYTES_CUT, MEMBERS_LEFT_OUT, NOT_READ, TEXT_TOO_LONG),
)
UNREAD = ("content", "not read")
TEXT_CUT = ("content", "cut")


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
