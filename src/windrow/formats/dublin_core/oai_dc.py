"""Unqualified Dublin Core, which every repository speaks: the hot reader, straight to the draft."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Protocol

from lxml import etree

from windrow.formats.draft import Draft, is_embargo
from windrow.formats.elements import XML_LANG
from windrow.formats.reader import Reader
from windrow.formats.terms import DC, XSI_TYPE, add_element, add_elements
from windrow.model.document import Document
from windrow.model.languages import codes_of


def _coverage(draft: Draft, text: str) -> None:
    draft.add_extra("dc:coverage", text)


def _format(draft: Draft, text: str) -> None:
    draft.add_extent(text, "dc:format")


class AddWords(Protocol):
    """Puts words into a draft whose language matters."""

    def __call__(self, draft: Draft, text: str, /, *, language: str | None) -> None:
        """Put them there."""


# What the words of each element do; `flat_dc` goes by the same tables.
VALUES: Mapping[str, Callable[[Draft, str], None]] = {
    "title": Draft.add_title,
    "creator": Draft.add_creators,
    "subject": Draft.add_subjects,
    "description": Draft.add_description,
    "publisher": Draft.add_publisher,
    "contributor": Draft.add_contributors,
    "date": Draft.add_date,
    "type": Draft.add_type,
    "format": _format,
    "identifier": Draft.add_identifier,
    "source": Draft.add_source,
    "language": Draft.add_language,
    "relation": Draft.add_relation,
    "coverage": _coverage,
    "rights": Draft.add_rights,
}
WORDS: Mapping[str, AddWords] = {
    "title": Draft.add_title,
    "subject": Draft.add_subjects,
    "description": Draft.add_description,
}
_VALUES = {DC + name: add for name, add in VALUES.items()}
# An attribute may say what these are, or hold what they say.
_ATTRIBUTED = frozenset(DC + name for name in ("title", "date", "identifier", "creator", "contributor"))
_SAID_OF_WORDS = frozenset((XML_LANG, "lang", XSI_TYPE))
_WORDS = {DC + name: add for name, add in WORDS.items()}


class OaiDc:
    """Reads oai_dc, and what others call it."""

    name = "oai_dc"
    prefixes = frozenset(("oai_dc", "dc", "simple-dublin-core", "ddc"))
    roots = frozenset(
        (
            "{http://www.openarchives.org/OAI/2.0/oai_dc/}dc",
            "{http://www.openarchives.org/OAI/2.0/oai_dc}dc",
            "{http://purl.org/dc/elements/1.1/}dc",
            "{http://oai.base-search.net/base_dc/}dc",
            "{http://www.loc.gov/zing/srw/dcschema/v1.0/}dc",
            "{info:srw/schema/1/dc-schema}dc",
            "oai_dc",
        )
    )

    def read(self, root: etree._Element) -> Document:
        """Give the document that this record's root element describes."""
        draft = Draft()
        if any(map(len, root)):  # an element with elements in it: a wrapper, or words with markup
            add_elements(draft, root)
            return draft.finish()
        for child in root:
            tag = child.tag
            add = None if child.attrib and is_qualified(child) else _VALUES.get(tag)
            if add is None:
                add_element(draft, child)
                continue
            text = child.text
            if not text:
                continue
            said = child.get(XML_LANG) if tag in _WORDS else None
            if said:
                codes = codes_of(said)
                _WORDS[tag](draft, text, language=codes[0] if codes else None)
            else:
                add(draft, text)
        if len(root) == 0 and root.text:
            draft.add_extra("dc:text", root.text)
        return draft.finish()


def is_qualified(element: etree._Element) -> bool:
    """Whether attributes of an element, other than its language, may say what its words are or hold them."""
    if element.tag not in _ATTRIBUTED:
        return False
    return any(name not in _SAID_OF_WORDS or is_embargo(str(value)) for name, value in element.attrib.items())


READER: Reader = OaiDc()
