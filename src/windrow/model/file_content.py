"""Media types as people speak of them, and of which of them there are pictures."""

from __future__ import annotations

from windrow.model.held_file import HeldFile

UNPICTURED = ("preview", "none")  # the fact of a file of which no picture could be made
# Not SVG, which is a page in disguise, nor HEIC, which nobody here can draw.
PICTURES = (
    *("image/jpeg", "image/png", "image/gif", "image/tiff", "image/webp", "image/bmp", "image/avif"),
    *("image/jp2", "image/x-icon", "image/vnd.adobe.photoshop"),
    *("image/x-portable-bitmap", "image/x-portable-graymap", "image/x-portable-pixmap", "image/x-tga"),
    *("image/x-pcx", "image/x-xbitmap", "image/x-xpixmap", "image/x-rgb", "image/x-sun-raster"),
    *("image/vnd-ms.dds", "image/icns", "image/x-qoi", "image/fits", "image/x-portable-floatmap"),
)
_PICTURED = frozenset(("application/pdf", "application/epub+zip", *PICTURES))
# What people call the usual ones.
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
    """Whether a picture can be made of such a file as it is; a song may have a cover, but need not."""
    return media_type in _PICTURED


def has_picture(file: HeldFile) -> bool:
    """Whether there is a picture of this file, as far as anybody knows who has not tried."""
    return is_pictured(file.media_type) and UNPICTURED not in file.facts


def short_name(media_type: str) -> str:
    """What people call such a file: PDF, JPEG; empty where they have no word for it."""
    return _NAMES.get(media_type, "")


def family_of(media_type: str) -> str:
    """The part before the slash: image, audio, video, text, application."""
    return media_type.partition("/")[0]
