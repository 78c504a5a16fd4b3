"""Bytes of text become text: by what marks or declares their encoding, as UTF-8, or else by guessing it.

The readers of text, HTML, Markdown and XML pass here. Nothing raises: what cannot be read becomes U+FFFD.
"""

from __future__ import annotations

import codecs
import re
from typing import NamedTuple

from windrow.extract.encoding_names import codec_of, iana_name, wider
from windrow.extract.guessing import guess

LOOKED_AT_BYTES = 4096
MARKS = (
    (codecs.BOM_UTF8, "utf-8"),
    (codecs.BOM_UTF32_LE, "utf-32-le"),  # before UTF-16, of whose mark it is a continuation
    (codecs.BOM_UTF32_BE, "utf-32-be"),
    (codecs.BOM_UTF16_LE, "utf-16-le"),
    (codecs.BOM_UTF16_BE, "utf-16-be"),
)
_DECLARED = (
    re.compile(
        rb"<meta[\s/][^>]{0,500}?charset\s{0,10}=\s{0,10}[\"']?\s{0,10}([\w.:-]{1,40})", re.IGNORECASE
    ),
    re.compile(rb"\A\s{0,100}<\?xml[^>]{0,200}?encoding\s{0,10}=\s{0,10}[\"']([\w.:-]{1,40})", re.IGNORECASE),
    re.compile(rb"\A[^\n]{0,200}\n?[^\n]{0,200}?coding[:=][ \t]{0,5}([\w.-]{1,40})"),
)
# Seven bits with escapes, which pass for ASCII: the sequence that names a set of characters tells.
_ESCAPES = (
    (re.compile(rb"\x1b\$\)C"), "iso2022_kr"),
    (re.compile(rb"\x1b(?:\$[@B]|\([JI])"), "iso2022_jp_2"),
    (re.compile(rb"~\{(?:[\x21-\x77][\x21-\x7e])+~\}"), "hz"),
)
_SINGLE_BYTE = re.compile(r"cp125\d|iso8859|ascii|latin|mac|koi8|cp[478]\d\d")


class Decoded(NamedTuple):
    """Text, and how it was written."""

    text: str
    encoding: str  # by its IANA name
    note: str = ""  # where it is only a makeshift, for people


def decode(data: bytes, *, declared: str = "", is_cut: bool = False) -> Decoded:
    """Give the text of bytes. `declared` is the encoding that came with them, as in the header of a mail.

    With `is_cut` there was more, and the last character may be but a part.
    """
    for mark, codec in MARKS:
        if data.startswith(mark):
            return _decoded(data[len(mark) :], codec)
    settled = wide_codec(data) or escaped_codec(data) or _settled(data, declared, is_cut=is_cut)
    if settled:
        return _decoded(data, settled)
    guessed, note = guess(data)
    return _decoded(data, guessed, note)


def decode_beginning(data: bytes) -> str:
    """Give the text of a file's first bytes roughly: what is ASCII in it is right, and NULs stay."""
    for mark, codec in MARKS:
        if data.startswith(mark):
            return data[len(mark) :].decode(codec, "replace")
    codec = wide_codec(data) or ("utf-8" if _reads(data, "utf-8", is_cut=True) else "latin-1")
    return data.decode(codec, "replace")


def is_utf8(beginning: bytes) -> bool:
    """Return whether bytes are UTF-8, but for a last character that may be cut in two."""
    return _reads(beginning, "utf-8", is_cut=True)


def wide_codec(data: bytes) -> str | None:
    """UTF-16 or UTF-32 without a mark: where the bytes that are zero stand in Western text and in markup."""
    sample = data[: LOOKED_AT_BYTES // 4 * 4]
    fours, twos = len(sample) // 4, len(sample) // 2
    if not fours or sample.count(0) * 5 < len(sample):
        return None
    zeros = [sample[at::4].count(0) for at in range(4)]
    if zeros[0] == zeros[1] == fours and zeros[3] * 10 < fours:
        return "utf-32-be"
    if zeros[2] == zeros[3] == fours and zeros[0] * 10 < fours:
        return "utf-32-le"
    even, odd = zeros[0] + zeros[2], zeros[1] + zeros[3]
    if even * 2 > twos and odd * 20 < twos:
        return "utf-16-be"
    return "utf-16-le" if odd * 2 > twos and even * 20 < twos else None


def escaped_codec(data: bytes) -> str | None:
    """An encoding that switches sets of characters by escapes, if these bytes are whole in it."""
    for pattern, codec in _ESCAPES:
        if pattern.search(data[:LOOKED_AT_BYTES]) and _reads(data[:LOOKED_AT_BYTES], codec, is_cut=True):
            return codec
    return None


def _settled(data: bytes, declared: str, *, is_cut: bool) -> str | None:
    """The encoding by what is declared and whether it can be UTF-8; None where only guessing is left."""
    is_utf8 = _reads(data, "utf-8", is_cut=is_cut)
    if is_utf8 and data.isascii():
        return "ascii"
    for codec in declared_codecs(data[:LOOKED_AT_BYTES], declared):
        # What is whole as UTF-8 is that, whatever of one byte a letter it says to be.
        if _reads(data, codec, is_cut=is_cut) and not (is_utf8 and _SINGLE_BYTE.match(codec)):
            return codec
    return "utf-8" if is_utf8 else None


def declared_codecs(start: bytes, declared: str = "") -> list[str]:
    """Give the encodings of text that the first bytes name, behind the one that came with them."""
    labels = [declared] if declared else []
    labels += [
        found[1].decode("ascii", "replace") for pattern in _DECLARED if (found := pattern.search(start))
    ]
    codecs_ = [codec for label in labels if (codec := codec_of(label))]
    # A file that could be read as far as its declaration has no zeros in it: it is not that wide.
    return [wider(codec) for codec in codecs_ if not codec.startswith(("utf-16", "utf-32", "utf-7"))]


def _reads(data: bytes, codec: str, *, is_cut: bool) -> bool:
    """Whether bytes are whole in an encoding, but for a character that their being cut made two of."""
    decoder = codecs.getincrementaldecoder(codec)("strict")
    try:
        decoder.decode(data, final=not is_cut)
    except UnicodeDecodeError:
        return False
    return True


def _decoded(data: bytes, codec: str, note: str = "") -> Decoded:
    text = data.decode(codec, "replace")
    if "\0" in text:
        text = text.replace("\0", "")
    return Decoded(text, iana_name(_narrowest(data, codec)), note)


def _narrowest(data: bytes, codec: str) -> str:
    """The narrower encoding that is enough for these bytes: what others would call it."""
    for narrow in _NARROWER.get(codec, ()):
        if _reads(data, narrow, is_cut=True):
            return narrow
    if codec == "cp1252" and not _C1.search(data):
        return "iso8859-1"
    return codec


_NARROWER = {
    "gb18030": ("gb2312", "gbk"),
    "cp949": ("euc_kr",),
    "cp932": ("shift_jis",),
    "big5hkscs": ("big5",),
    "iso2022_jp_2": ("iso2022_jp",),
    "cp1252": ("ascii",),
    "cp874": ("tis-620",),
}
_C1 = re.compile(rb"[\x80-\x9f]")
