"""The content of files: extracted text and facts under common names, media types and their names.

Extractors for all kinds of files use the same fact names, so that no other module needs to distinguish kinds
of files. `STATED_FACTS` names the facts that a file states about itself, `MEASURED_FACTS` those that are
measured. Values are plain text.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import NamedTuple

from windrow.model.document import Heading, HeldFile

STATED_FACTS = (
    "title",
    "creator",
    "contributor",
    "subject",  # keywords too
    "description",
    "publisher",
    "date",  # the date of the resource, as precisely as known: 2024, 2024-05, 2024-05-17, …T10:20:30Z
    "modified",
    "type",
    "language",  # declared; an ISO 639 code
    "identifier",
    "source",  # the containing work: an album, a journal, the message it was attached to
    "relation",
    "coverage",  # place names
    "rights",
)
MEASURED_FACTS = (
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
    "members-beyond-limit",  # of an archive: number of files skipped because there are too many
    "members-left-out",  # of an archive: number of files skipped for another reason, which a note states
    "text-layer",  # "none" where all pages are pictures without text, "some pages" where some are
    "content",  # "not read" if only the name is searchable, "cut" if the text was truncated
    "preview",  # "none" if no picture could be made of a file of a kind that usually has one
)
# Notices about documents that were not read or only read in part.
NO_TEXT_LAYER = "no-text-layer"  # its pages are images without text
TEXT_LAYER_GAPS = "text-layer-gaps"  # some of its pages are images without text
MEMBERS_CUT = "members-cut"  # an archive with more files than documents.archive_members
BYTES_CUT = "bytes-cut"  # an archive that unpacks to more bytes than the limit
MEMBERS_LEFT_OUT = "members-left-out"  # an archive with files that cannot be read: links, passwords
NOT_READ = "not-read"  # only its name, size and time are kept
TEXT_TOO_LONG = "text-cut"  # its text exceeds documents.text_limit
REMARKS = (
    *(NO_TEXT_LAYER, TEXT_LAYER_GAPS, MEMBERS_CUT, BYTES_CUT, MEMBERS_LEFT_OUT, NOT_READ, TEXT_TOO_LONG),
)
UNREAD = ("content", "not read")
TEXT_CUT = ("content", "cut")


class Member(NamedTuple):
    """A file inside an archive."""

    name: str  # with slashes, never with `..`
    size: int
    modified: int | None = None  # Unix second


@dataclass(frozen=True, slots=True)
class Extract:
    """The result of reading one file."""

    media_type: str  # detected from the content
    said: tuple[tuple[str, str], ...] = ()
    measured: tuple[tuple[str, str], ...] = ()
    text: tuple[str, ...] = ()  # by page, or all in one part
    is_paged: bool = False
    headings: tuple[Heading, ...] = ()
    members: tuple[Member, ...] = ()
    notes: tuple[str, ...] = ()  # what could not be read, for people


UNPICTURED = ("preview", "none")  # the fact of a file whose picture could not be made
# Not SVG, which can contain scripts like a web page, nor HEIC, for which no decoder is available.
PICTURES = (
    *("image/jpeg", "image/png", "image/gif", "image/tiff", "image/webp", "image/bmp", "image/avif"),
    *("image/jp2", "image/x-icon", "image/vnd.adobe.photoshop"),
    *("image/x-portable-bitmap", "image/x-portable-graymap", "image/x-portable-pixmap", "image/x-tga"),
    *("image/x-pcx", "image/x-xbitmap", "image/x-xpixmap", "image/x-rgb", "image/x-sun-raster"),
    *("image/vnd-ms.dds", "image/icns", "image/x-qoi", "image/fits", "image/x-portable-floatmap"),
)
_PICTURED = frozenset(("application/pdf", "application/epub+zip", *PICTURES))
# Common names of media types.
_NAMES = {
    "application/pdf": "PDF",
    "application/postscript": "PostScript",
    "application/rtf": "RTF",
    "application/epub+zip": "EPUB",
    "application/vnd.openxmlformats-officedocument.wordprocessingml.document": "Word",
    "application/vnd.openxmlformats-officedocument.spreadsheetml.sheet": "Excel",
    "application/vnd.openxmlformats-officedocument.presentationml.presentation": "PowerPoint",
    "application/msword": "Word (doc)",
    "application/vnd.ms-excel": "Excel (xls)",
    "application/vnd.ms-powerpoint": "PowerPoint (ppt)",
    "application/vnd.oasis.opendocument.text": "OpenDocument (odt)",
    "application/vnd.oasis.opendocument.spreadsheet": "OpenDocument (ods)",
    "application/vnd.oasis.opendocument.presentation": "OpenDocument (odp)",
    "application/vnd.oasis.opendocument.graphics": "OpenDocument (odg)",
    "application/zip": "ZIP",
    "application/x-tar": "TAR",
    "application/gzip": "GZIP",
    "application/json": "JSON",
    "application/xml": "XML",
    "application/xhtml+xml": "XHTML",
    "application/mbox": "mbox",
    "message/rfc822": "E-mail",
    "text/html": "HTML",
    "text/markdown": "Markdown",
    "text/csv": "CSV",
    "text/x-tex": "TeX",
    "image/jpeg": "JPEG",
    "image/png": "PNG",
    "image/gif": "GIF",
    "image/tiff": "TIFF",
    "image/webp": "WebP",
    "image/bmp": "BMP",
    "image/svg+xml": "SVG",
    "image/avif": "AVIF",
    "image/heic": "HEIC",
    "image/jp2": "JPEG 2000",
    "image/vnd.djvu": "DjVu",
    "image/x-portable-bitmap": "PBM",
    "image/x-portable-graymap": "PGM",
    "image/x-portable-pixmap": "PPM",
    "image/x-tga": "TGA",
    "image/x-pcx": "PCX",
    "image/x-xbitmap": "XBM",
    "image/x-xpixmap": "XPM",
    "image/fits": "FITS",
    "audio/mpeg": "MP3",
    "audio/flac": "FLAC",
    "audio/ogg": "Ogg",
    "audio/mp4": "M4A",
    "audio/wav": "WAV",
    "audio/aiff": "AIFF",
    "audio/aac": "AAC",
    "video/mp4": "MP4",
    "video/webm": "WebM",
}


def is_pictured(media_type: str) -> bool:
    """Return whether files of a type are pictured themselves; an audio file's cover is optional."""
    return media_type in _PICTURED


def has_picture(file: HeldFile) -> bool:
    """Return whether a file is expected to have a picture; it has not been tried."""
    return is_pictured(file.media_type) and UNPICTURED not in file.facts


def short_name(media_type: str) -> str:
    return _NAMES.get(media_type, "")


def family_of(media_type: str) -> str:
    return media_type.partition("/")[0]
