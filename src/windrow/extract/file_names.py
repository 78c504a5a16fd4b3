"""What a file's name says about its kind: a hint for `sniffing`, taken where the content says nothing."""

from __future__ import annotations

UNKNOWN = "application/octet-stream"

# Only kinds that their content does not show: everything else is known without a name.
_ENDINGS = {
    "md": "text/markdown",
    "markdown": "text/markdown",
    "mdown": "text/markdown",
    "mkd": "text/markdown",
    "csv": "text/csv",
    "tsv": "text/tab-separated-values",
    "tab": "text/tab-separated-values",
    "json": "application/json",
    "geojson": "application/json",
    "jsonld": "application/json",
    "tex": "text/x-tex",
    "ltx": "text/x-tex",
    "htm": "text/html",
    "html": "text/html",
    "shtml": "text/html",
    "xhtml": "application/xhtml+xml",
    "xht": "application/xhtml+xml",
    "xml": "application/xml",
    "xmp": "application/xml",
    "rdf": "application/xml",
    "svg": "image/svg+xml",
    "eml": "message/rfc822",
    "mbox": "application/mbox",
    "ps": "application/postscript",
    "eps": "application/postscript",
    "mp3": "audio/mpeg",
    "mp2": "audio/mpeg",
    "mpga": "audio/mpeg",
    "aac": "audio/aac",
    "wpd": "application/vnd.wordperfect",
    "djvu": "image/vnd.djvu",
    "tga": "image/x-tga",
    "iso": "application/x-iso9660-image",
}


def ending_of(name: str) -> str:
    """The letters behind the last dot of a name, small; empty where there is none."""
    stem, dot, ending = name.rpartition("/")[2].rpartition(".")
    return ending.lower() if dot and stem else ""


def type_by_name(name: str) -> str:
    """The media type that a name promises; empty where it promises none."""
    return _ENDINGS.get(ending_of(name), "")
