"""A document out of a format nobody wrote a reader for: fields by the look of their names, the rest kept.

The registry's last resort. It guesses only where a name leaves little doubt.
"""

from __future__ import annotations

from collections.abc import Callable

from lxml import etree

from windrow.formats.elements import Draft, language_of, local
from windrow.formats.leftovers import own_text
from windrow.formats.reader import Reader
from windrow.model.document import Document

LONGEST_NAME = 64  # names come from outside too: a long one times many values must not add up

_VALUES: dict[str, Callable[[Draft, str], None]] = {
    "creator": Draft.add_creators,
    "author": Draft.add_creators,
    "authorname": Draft.add_creators,
    "contributor": Draft.add_contributors,
    "publisher": Draft.add_publisher,
    "date": Draft.add_date,
    "type": Draft.add_type,
    "language": Draft.add_language,
    "extent": Draft.add_extent,
    "identifier": Draft.add_identifier,
    "doi": Draft.add_identifier,
    "isbn": Draft.add_identifier,
    "issn": Draft.add_identifier,
    "url": Draft.add_identifier,
    "uri": Draft.add_identifier,
    "relation": Draft.add_relation,
    "rights": Draft.add_rights,
    "license": Draft.add_rights,
    "source": Draft.add_source,
    "journal": Draft.add_source,
    "keyword": Draft.add_keyword,
    "institution": Draft.add_institution,
    "department": Draft.add_department,
}
_DATES = {
    "issued": "issued",
    "dateissued": "issued",
    "publicationdate": "issued",
    "publicationyear": "issued",
    "pubdate": "issued",
    "year": "issued",
    "published": "published",
    "created": "created",
    "datecreated": "created",
    "updated": "updated",
    "modified": "modified",
}
_TITLES = frozenset(("title", "titles", "titl", "maintitle", "articletitle", "resourcetitle", "resourcename"))
_OTHER_TITLES = frozenset(("alternative", "alternativetitle", "alternatetitle", "subtitle", "subtitl"))
_SUBJECTS = frozenset(("subject", "topic", "keywords", "descriptor"))
_DESCRIPTIONS = frozenset(("description", "abstract", "summary"))


class Generic:
    """Reads any XML."""

    name = "generic"
    prefixes: frozenset[str] = frozenset()
    roots: frozenset[str] = frozenset()

    def read(self, root: etree._Element) -> Document:
        """Give the document that this record's root element describes."""
        draft = Draft("generic")
        for element in root.iter():
            name = local(element)
            if name:
                _add(draft, element, name)
        return draft.finish()


def _add(draft: Draft, element: etree._Element, name: str) -> None:
    text = own_text(element)
    folded = name.replace("-", "").replace("_", "").lower()
    if not text:
        pass
    elif folded in _TITLES:
        draft.add_title(text, language_of(element))
    elif folded in _OTHER_TITLES:
        draft.add_alternative(text, language_of(element))
    elif folded in _DESCRIPTIONS:
        draft.add_description(text, language_of(element), is_abstract=folded != "description")
    elif folded in _SUBJECTS:
        draft.add_subjects(text, language=language_of(element))
    elif folded in _DATES:
        draft.add_date(text, _DATES[folded])
    elif folded in _VALUES:
        _VALUES[folded](draft, text)
    else:
        draft.add_extra(_label(element, name), text)


def _label(element: etree._Element, name: str) -> str:
    prefix = (element.prefix or "")[:LONGEST_NAME]
    return f"{prefix}:{name[:LONGEST_NAME]}" if prefix else name[:LONGEST_NAME]


READER: Reader = Generic()
