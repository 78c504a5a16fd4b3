"""The text of a web page: in which encoding its bytes are, as it says itself or as browsers guess."""

from __future__ import annotations

import codecs
import re

LOOKED_AT_BYTES = 4096  # browsers look at 1,024; pages with long comments in front are read all the same
_MARKS = (
    (codecs.BOM_UTF8, "utf-8"),
    (codecs.BOM_UTF16_LE, "utf-16-le"),
    (codecs.BOM_UTF16_BE, "utf-16-be"),
)
_DECLARED = (
    re.compile(
        rb"<meta[\s/][^>]{0,500}?charset\s{0,10}=\s{0,10}[\"']?\s{0,10}([\w.:-]{1,40})", re.IGNORECASE
    ),
    re.compile(rb"^\s{0,100}<\?xml[^>]{0,200}?encoding\s{0,10}=\s{0,10}[\"']([\w.:-]{1,40})", re.IGNORECASE),
)
# Only encodings of text: Python knows others by name, some of which take long on hostile input.
_KNOWN = re.compile(
    r"utf-?8|(?:iso[-_]?8859|windows|cp)[-_]?\d{1,4}|iso-?8859-8-i|koi8-?[ru]|gbk|gb_?2312(?:-80)?|gb18030"
    r"|big5(?:-hkscs)?|euc-?(?:jp|kr|tw)|(?:x-)?shift[-_]?jis|(?:x-)?sjis|iso-2022-(?:jp|kr)|macintosh"
    r"|(?:x-)?mac-?(?:roman|cyrillic)|(?:us-)?ascii|latin-?\d|tis-620|ks_c_5601-1987|ibm866",
    re.IGNORECASE,
)
_LATIN = "cp1252"  # what browsers take for ISO 8859-1 and ASCII


def decode(page: bytes) -> str:
    """Give the page's text; a byte that its encoding does not have becomes U+FFFD."""
    for mark, encoding in _MARKS:
        if page.startswith(mark):
            return page[len(mark) :].decode(encoding, "replace")
    declared = _declared(page[:LOOKED_AT_BYTES])
    if declared is not None:
        return page.decode(declared, "replace")
    # Four bytes at most belong to a character that the end of the beginning cut in two.
    try:
        page[:-4].decode()
    except UnicodeDecodeError:
        return page.decode(_LATIN, "replace")
    return page.decode("utf-8", "replace")


def _declared(start: bytes) -> str | None:
    for pattern in _DECLARED:
        found = pattern.search(start)
        label = found[1].decode("ascii", "replace").lower() if found else ""
        if _KNOWN.fullmatch(label):
            try:
                name = codecs.lookup(label.removeprefix("x-")).name
            except LookupError:
                continue
            return _LATIN if name in ("ascii", "iso8859-1") else name
    return None
