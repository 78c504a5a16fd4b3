"""Character sets of web pages: declarations are tried first, and accepted only if they fit.

The order is that of browsers (byte order mark, HTTP header, the page itself), with one difference: if the
bytes do not decode in the declared character set, UTF-8 or windows-1252 is used instead.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import NamedTuple

from windrow.extract.text_decoding import (
    LOOKED_AT_BYTES,
    MARKS,
    codec_of,
    declared_codecs,
    iana_name,
    wide_codec,
    widen_codec,
)

FALLBACK = "cp1252"
_SINGLE_BYTE = re.compile(r"cp125\d|iso8859|ascii|latin|mac|koi8|cp[478]\d\d|tis")
_C1 = re.compile(rb"[\x80-\x9f]")
_NO_WIDTH = {"utf-16": ("utf-16-le", "utf-16-be"), "utf-32": ("utf-32-le", "utf-32-be")}


class PageText(NamedTuple):
    """The text of a page and the IANA name of its character set."""

    text: str
    charset: str


def decode_page(body: bytes, declared: str = "") -> PageText:
    """Return the text of a page. `declared` is the charset parameter of its Content-Type header."""
    for mark, codec in MARKS:
        if body.startswith(mark):
            return PageText(body[len(mark) :].decode(codec, "replace"), iana_name(codec))
    if body.isascii() and b"\x1b" not in body and b"\0" not in body:
        return PageText(body.decode("ascii"), _ascii_name(body, declared))
    utf8 = _decoded(body, "utf-8")
    for codec in _candidates(body, declared):
        # Bytes are hardly ever valid UTF-8 by chance, whereas any bytes decode in a single-byte charset.
        if utf8 is not None and _SINGLE_BYTE.match(codec):
            continue
        text = utf8 if codec == "utf-8" else _decoded(body, codec)
        if text is not None:
            return PageText(text, _name(codec, body))
    if utf8 is not None:
        return PageText(utf8, "UTF-8")
    return PageText(body.decode(FALLBACK, "replace"), _name(FALLBACK, body))


def _candidates(body: bytes, declared: str) -> Iterator[str]:
    codec = codec_of(declared.strip(" \"'")) if declared else None
    wide = wide_codec(body)
    if (
        codec in _NO_WIDTH
    ):  # without a mark: by the position of zeros, else little-endian first as in browsers
        yield from dict.fromkeys((*((wide,) if wide else ()), *_NO_WIDTH[codec]))
    elif codec is not None and not codec.startswith("utf-7"):
        yield widen_codec(codec)
    if wide is not None:
        yield wide
    yield from declared_codecs(body[:LOOKED_AT_BYTES])


def _decoded(body: bytes, codec: str) -> str | None:
    try:
        return body.decode(codec)
    except UnicodeDecodeError:
        return None


def _ascii_name(body: bytes, declared: str) -> str:
    """Return the name for ASCII text: the declared character set if it fits."""
    codec = codec_of(declared.strip(" \"'")) if declared else None
    codecs = [codec] if codec else declared_codecs(body[:LOOKED_AT_BYTES])
    fitting = [each for each in codecs if not each.startswith(("utf-16", "utf-32", "utf-7"))]
    return _name(widen_codec(fitting[0]), body) if fitting else "US-ASCII"


def _name(codec: str, body: bytes) -> str:
    return "ISO-8859-1" if codec == FALLBACK and not _C1.search(body) else iana_name(codec)
