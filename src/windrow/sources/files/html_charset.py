"""The text of a web page's beginning: in the encoding that it declares, else as browsers guess.

For `html_head`. Nothing is guessed by letters, as `extract.encodings` does it: there may be very many pages.
"""

from __future__ import annotations

from windrow.extract.encodings import LOOKED_AT_BYTES, MARKS, declared_codecs

_LATIN = "cp1252"


def decode(page: bytes) -> str:
    """Give the page's text; a byte that its encoding does not have becomes U+FFFD."""
    for mark, encoding in MARKS:
        if page.startswith(mark):
            return page[len(mark) :].decode(encoding, "replace")
    for declared in declared_codecs(page[:LOOKED_AT_BYTES]):
        return page.decode(declared, "replace")
    # Four bytes at most belong to a character that the end of the beginning cut in two.
    try:
        page[:-4].decode()
    except UnicodeDecodeError:
        return page.decode(_LATIN, "replace")
    return page.decode("utf-8", "replace")
