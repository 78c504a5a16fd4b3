"""Unqualified Dublin Core, which every repository speaks: the hot reader, straight to the draft."""

from __future__ import annotations

from collections.abc import Callable

from lxml import etree

from windrow.formats.draft import Draft
from windrow.formats.elements import XML_LANG, words_of
from windrow.formats.languages import codes_of
from windrow.formats.reader import Reader
from windrow.formats.terms import DC, add_element
from windrow.model.document import Document


def _coverage(draft: Draft, text: str) -> None:
    draft.add_extra("dc:coverage", text)


def _format(draft: Draft, text: str) -> None:
    draft.add_extent(text, "format")


# Clark name to what its text does; `flat_values` goes by the same table.
VALUES: dict[str, Callable[[Draft, str], None]] = {
    f"{DC}creator": Draft.add_creators,
    f"{DC}subject": Draft.add_subjects,
    f"{DC}publisher": Draft.add_publisher,
    f"{DC}contributor": Draft.add_contributors,
    f"{DC}date": Draft.add_date,
    f"{DC}type": Draft.add_type,
    f"{DC}format": _format,
    f"{DC}identifier": Draft.add_identifier,
    f"{DC}source": Draft.add_source,
    f"{DC}language": Draft.add_language,
    f"{DC}relation": Draft.add_relation,
    f"{DC}coverage": _coverage,
    f"{DC}rights": Draft.add_rights,
}
_TEXTS: dict[str, Callable[[Draft, str, str | None], None]] = {
    f"{DC}title": Draft.add_title,
    f"{DC}description": Draft.add_description,
}
_SUBJECT = f"{DC}subject"


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
        for child in root:
            tag = child.tag
            add = VALUES.get(tag)
            if add is not None:
                text = words_of(child) if len(child) else child.text
                if text:
                    if tag == _SUBJECT:
                        said = child.get(XML_LANG)
                        codes = codes_of(said) if said else None
                        draft.add_subjects(text, language=codes[0] if codes else None)
                    else:
                        add(draft, text)
                continue
            add_text = _TEXTS.get(tag)
            if add_text is None:
                add_element(draft, child)
                continue
            text = words_of(child) if len(child) else child.text
            if text:
                said = child.get(XML_LANG)
                codes = codes_of(said) if said else None
                add_text(draft, text, codes[0] if codes else None)
        if len(root) == 0 and root.text:
            draft.add_extra("dc:text", root.text)
        return draft.finish()


READER: Reader = OaiDc()
