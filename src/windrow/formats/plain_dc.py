"""Writes Dublin Core from elements and their words, one after another: for those who have no Document.

Beside `write_oai_dc`, which makes the same format of a Document. The source of files uses this one: what it
knows of a file are a few technical facts, and the words that a describer found.
"""

from __future__ import annotations

from collections.abc import Iterable

from windrow.formats.write_oai_dc import NAMESPACE, SCHEMA
from windrow.formats.xml_words import xml_words

ELEMENTS = (
    "title",
    "creator",
    "subject",
    "description",
    "publisher",
    "contributor",
    "date",
    "type",
    "format",
    "identifier",
    "source",
    "language",
    "relation",
    "coverage",
    "rights",
)
_HEAD = (
    f'<oai_dc:dc xmlns:oai_dc="{NAMESPACE}" xmlns:dc="http://purl.org/dc/elements/1.1/"'
    f' xmlns:xsi="http://www.w3.org/2001/XMLSchema-instance" xsi:schemaLocation="{NAMESPACE} {SCHEMA}">'
)
_RANK = {name: rank for rank, name in enumerate(ELEMENTS)}


def write_plain_dc(pairs: Iterable[tuple[str, str]]) -> bytes:
    """Give one `<oai_dc:dc>` element in UTF-8, its elements in the order of ELEMENTS, each value once.

    Pairs of another name, and those without words, are left out.
    """
    kept = dict.fromkeys((name, words) for name, words in pairs if name in _RANK and words.strip())
    body = "".join(
        f"<dc:{name}>{xml_words(words)}</dc:{name}>"
        for name, words in sorted(kept, key=lambda pair: _RANK[pair[0]])
    )
    return f"{_HEAD}{body}</oai_dc:dc>".encode()
