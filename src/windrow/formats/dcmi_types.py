"""What sort of thing a file is, by its media type: a word of the DCMI Type Vocabulary.

Used by whoever describes files: `sources.files.describe`, and `extracted` for documents.
"""

from __future__ import annotations

from collections.abc import Mapping

# By media type, or by the family of it.
_KINDS: Mapping[str, str] = {
    "text": "Text",
    "image": "Image",
    "audio": "Sound",
    "video": "MovingImage",
    "model": "InteractiveResource",
    "message": "Text",
    "chemical": "Dataset",
    "font": "Software",
    "text/csv": "Dataset",
    "text/tab-separated-values": "Dataset",
    "text/calendar": "Event",
    "text/javascript": "Software",
    "application/pdf": "Text",
    "application/postscript": "Text",
    "application/rtf": "Text",
    "application/epub+zip": "Text",
    "application/xhtml+xml": "Text",
    "application/msword": "Text",
    "application/mbox": "Text",
    "application/vnd.oasis.opendocument.text": "Text",
    "application/vnd.oasis.opendocument.presentation": "Text",
    "application/vnd.oasis.opendocument.graphics": "Image",
    "application/vnd.openxmlformats-officedocument.wordprocessingml.document": "Text",
    "application/vnd.openxmlformats-officedocument.presentationml.presentation": "Text",
    "application/vnd.ms-powerpoint": "Text",
    "application/x-latex": "Text",
    "application/json": "Dataset",
    "application/geo+json": "Dataset",
    "application/x-ndjson": "Dataset",
    "application/rdf+xml": "Dataset",
    "application/n-triples": "Dataset",
    "application/vnd.ms-excel": "Dataset",
    "application/vnd.oasis.opendocument.spreadsheet": "Dataset",
    "application/vnd.openxmlformats-officedocument.spreadsheetml.sheet": "Dataset",
    "application/vnd.apache.parquet": "Dataset",
    "application/vnd.sqlite3": "Dataset",
    "application/x-hdf": "Dataset",
    "application/x-hdf5": "Dataset",
    "application/x-netcdf": "Dataset",
    "application/fits": "Dataset",
    "application/zip": "Collection",
    "application/x-tar": "Collection",
    "application/wasm": "Software",
    "application/x-msdownload": "Software",
    "application/java-archive": "Software",
    "application/x-ipynb+json": "Software",
}


def dcmi_type(media_type: str) -> str:
    """Give the word for files of this media type; nothing where there is none."""
    return _KINDS.get(media_type) or _KINDS.get(media_type.partition("/")[0], "")
