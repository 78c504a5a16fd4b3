"""The readers by media type; their modules are imported when needed.

Plug-ins add readers through the entry-point group `windrow.extractors`: objects with `media_types` and
`read(file, job)`. They have precedence, so that a better reader can replace a built-in one.
"""

from __future__ import annotations

from functools import cache
from importlib import import_module
from typing import BinaryIO, Protocol, cast

from windrow.extract.reading_job import Job
from windrow.model.file_content import Extract
from windrow.plugins import load_plugins

OOXML = "application/vnd.openxmlformats-officedocument"
OPEN_DOCUMENT = "application/vnd.oasis.opendocument"

# Media types by the name of the module in `windrow.extract.readers`.
_TYPES_BY_MODULE: dict[str, tuple[str, ...]] = {
    "plain": (
        "text/plain",
        "text/csv",
        "text/tab-separated-values",
        "text/x-tex",
        "application/json",
        "application/mbox",
    ),
    "xml": ("application/xml",),
    "html": ("text/html", "application/xhtml+xml"),
    "markdown": ("text/markdown",),
    "rtf": ("application/rtf",),
    "mail": ("message/rfc822",),
    "pdf": ("application/pdf",),
    "word": (
        f"{OOXML}.wordprocessingml.document",
        f"{OOXML}.wordprocessingml.template",
        "application/vnd.ms-word.document.macroenabled.12",
    ),
    "presentation": (
        f"{OOXML}.presentationml.presentation",
        f"{OOXML}.presentationml.slideshow",
        f"{OOXML}.presentationml.template",
        "application/vnd.ms-powerpoint.presentation.macroenabled.12",
    ),
    "spreadsheet": (
        f"{OOXML}.spreadsheetml.sheet",
        f"{OOXML}.spreadsheetml.template",
        "application/vnd.ms-excel.sheet.macroenabled.12",
    ),
    "ole": (
        "application/msword",
        "application/vnd.ms-excel",
        "application/vnd.ms-powerpoint",
        "application/x-ole-storage",
    ),
    "opendocument": tuple(
        f"{OPEN_DOCUMENT}.{part}"
        for part in (
            "text",
            "text-template",
            "text-master",
            "text-flat-xml",
            "spreadsheet",
            "spreadsheet-template",
            "spreadsheet-flat-xml",
            "presentation",
            "presentation-template",
            "presentation-flat-xml",
            "graphics",
            "graphics-template",
            "graphics-flat-xml",
            "formula",
            "chart",
        )
    ),
    "epub": ("application/epub+zip",),
    "postscript": ("application/postscript",),
    "image": (
        "image/jpeg",
        "image/png",
        "image/gif",
        "image/tiff",
        "image/webp",
        "image/bmp",
        "image/heic",
        "image/avif",
        "image/svg+xml",
        "image/x-icon",
        "image/vnd.adobe.photoshop",
        "image/jp2",
        "image/x-portable-bitmap",
        "image/x-portable-graymap",
        "image/x-portable-pixmap",
        "image/x-portable-floatmap",
        "image/x-tga",
        "image/x-pcx",
        "image/x-xbitmap",
        "image/x-xpixmap",
        "image/x-rgb",
        "image/x-sun-raster",
        "image/vnd-ms.dds",
        "image/icns",
        "image/x-qoi",
        "image/fits",
    ),
    "audio": (
        "audio/mpeg",
        "audio/ogg",
        "audio/flac",
        "audio/mp4",
        "audio/aac",
        "audio/wav",
        "audio/aiff",
        "audio/x-ms-wma",
        "audio/webm",
        "audio/matroska",
        "video/ogg",
        "video/mp4",
        "video/quicktime",
        "video/webm",
        "video/matroska",
    ),
    "archive": (
        "application/zip",
        "application/x-tar",
        "application/gzip",
        "application/x-bzip2",
        "application/x-xz",
    ),
}
MODULES = {kind: module for module, kinds in _TYPES_BY_MODULE.items() for kind in kinds}


class Reader(Protocol):
    """A reader of some media types: a module of `readers`, or an object from a plug-in."""

    def read(self, file: BinaryIO, job: Job) -> Extract:
        """Return the facts and text of the file; raises Unreadable."""


def find_reader(media_type: str) -> Reader | None:
    brought = _plugged_in_readers().get(media_type)
    if brought is not None:
        return brought
    module = MODULES.get(media_type)
    return cast("Reader", import_module(f"windrow.extract.readers.{module}")) if module else None


@cache
def _plugged_in_readers() -> dict[str, Reader]:
    readers = load_plugins("windrow.extractors", "extractor")
    return {kind: reader for reader in readers for kind in reader.media_types}
