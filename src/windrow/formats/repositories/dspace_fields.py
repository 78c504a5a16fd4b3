"""Mapping of DSpace's field names, `schema.element.qualifier`, onto a draft.

DSpace exports the same fields in three formats (kk, xoai, DIM), and Digital Commons uses some of them as
element names; all of these share this module.
"""

from __future__ import annotations

from collections.abc import Callable

from windrow.formats.mapping.xml_records import Draft
from windrow.model.document import LinkKind
from windrow.model.text.language_codes import language_codes

# A bundle is a folder of an item's files; bundles that are not listed contain the files themselves.
BUNDLES = {
    "ORIGINAL": LinkKind.FULLTEXT,
    "CONTENT": LinkKind.FULLTEXT,
    "TEXT": LinkKind.RELATED,  # text extracted for searching
    "THUMBNAIL": LinkKind.THUMBNAIL,
    "BRANDED_PREVIEW": LinkKind.THUMBNAIL,
    "SQUARE": LinkKind.THUMBNAIL,
    "LICENSE": LinkKind.LICENSE,
    "CC-LICENSE": LinkKind.LICENSE,
    "METADATA": LinkKind.RELATED,
    "SWORD": LinkKind.RELATED,
    "ORE": LinkKind.RELATED,
}

# Contributors that are bodies; the lower the number, the more likely the department.
_DEPARTMENTS = {
    "contributor.department": 0,
    "contributor.laitos": 0,
    "description.department": 0,
    "degree.department": 0,
    "contributor.faculty": 1,
    "contributor.tiedekunta": 1,
    "contributor.school": 1,
    "description.faculty": 1,
    "relation.department": 1,
    "subject.degreeprogram": 2,
    "contributor.degreeprogram": 2,
    "contributor.studysubject": 2,
    "description.degreeprogram": 2,
    "degree.program": 2,
    "degree.programme": 2,
    "programme": 2,
    "degree.discipline": 3,
    "subject.discipline": 3,
    "contributor.oppiaine": 3,
}
_INSTITUTIONS = frozenset(
    (
        "contributor.organization",
        "contributor.institution",
        "contributor.university",
        "contributor.yliopisto",
        "description.institution",
        "degree.grantor",
        "grantor",
    )
)
_AUTHORS = frozenset(("author", "author_unstruct", "creator", "author-person"))
_ABSTRACTS = frozenset(("abstract", "abstracten", "abstractfi", "abstractsv", "tiivistelma", "ingress"))
_TITLES = frozenset(("", "title", "main"))
_OTHER_TITLES = frozenset(("alternative", "translated", "subtitle", "other"))
_KEYWORDS = frozenset(("", "keyword", "keywords", "other", "none", "free", "asiasana"))
_TYPES = frozenset(("", "ontasot", "publication", "genre", "coar", "thesis", "degree", "category"))
_SOURCES = frozenset(("ispartof", "ispartofseries", "ispartofjournal", "journal", "ispartofbook"))
_NUMBERS = frozenset(("issn", "isbn", "issn-l", "numberinseries", "numberofseries", "volume", "issue"))
_SCHEMES = frozenset(("isbn", "issn", "doi", "urn", "arxiv", "pmid", "hdl", "other"))
_DATE_KINDS = {
    "copyright": "copyrighted",
    "publication": "published",
    "defense": "defended",
    "defence": "defended",
    "updated": "updated",
    "": "date",
}


class DspaceFields:
    """The fields of one item, added to a draft.

    Departments wait until the end: an item may name a degree programme first and its department later.
    """

    def __init__(self, prefix: str) -> None:
        self.draft = Draft(prefix)
        self._departments: list[tuple[int, str]] = []

    def add(self, schema: str, element: str, qualifier: str, value: str, language: str = "") -> None:
        """Add one field. Names may be in any case; "none" and "*" mean no qualifier or language."""
        name = ".".join(part for part in (element, qualifier) if part and part != "none").lower()
        rank = _DEPARTMENTS.get(name)
        if rank is not None:
            self._departments.append((rank, value))
            if name.startswith("subject."):
                self.draft.add_subject(self.draft.in_english(value, name), scheme=name.partition(".")[2])
            return
        codes = language_codes(language) if language else ()
        add_field(self.draft, schema.lower(), name, value, codes[0] if codes else None)

    def finish(self) -> Draft:
        """Return the draft, with its department chosen."""
        for _, value in sorted(self._departments, key=lambda ranked: ranked[0]):
            self.draft.add_department(value)
        return self.draft


def add_dotted(draft: Draft, name: str, value: str, language: str | None) -> None:
    """Add a field by its dotted name: `date.created`, `thesis.degree.discipline`."""
    schema, _, rest = name.lower().partition(".")
    if schema in _ELEMENTS:
        schema, rest = "dc", name.lower()
    if rest in _DEPARTMENTS:
        draft.add_department(value)
    else:
        add_field(draft, schema, rest, value, language)


def add_field(draft: Draft, schema: str, name: str, value: str, language: str | None) -> None:
    """Add a field by `element.qualifier` in lower case; unknown ones go to extra."""
    element, _, qualifier = name.partition(".")
    take = _ELEMENTS.get(element) if schema in ("dc", "dcterms", "oaire", "") else None
    if name in _INSTITUTIONS:
        draft.add_institution(value)
    elif take is None or not take(draft, qualifier, value, language):
        draft.add_extra(f"{draft.prefix}:{schema}.{name}" if schema else f"{draft.prefix}:{name}", value)


# Each of these adds a field of one element, or returns False for an unknown qualifier.


def _title(draft: Draft, qualifier: str, value: str, language: str | None) -> bool:
    if qualifier in _TITLES:
        draft.add_title(value, language)
    elif qualifier in _OTHER_TITLES:
        draft.add_alternative(value, language)
    else:
        return False
    return True


def _alternative(draft: Draft, _qualifier: str, value: str, language: str | None) -> bool:
    draft.add_alternative(value, language)
    return True


def _creator(draft: Draft, qualifier: str, value: str, _language: str | None) -> bool:
    if qualifier in ("orcid", "id", "email", "affiliation"):
        return False
    draft.add_creator(value)
    return True


def _contributor(draft: Draft, qualifier: str, value: str, _language: str | None) -> bool:
    if qualifier in _AUTHORS:
        draft.add_creator(value)
    elif qualifier in ("orcid", "id", "email", "affiliation", "authororcid"):
        return False
    else:
        draft.add_contributor(value, role=qualifier or None)
    return True


def _subject(draft: Draft, qualifier: str, value: str, language: str | None) -> bool:
    if qualifier in _KEYWORDS:
        draft.add_keyword(value)
    else:
        draft.add_subjects(value, scheme=qualifier, language=language)
    return True


def _description(draft: Draft, qualifier: str, value: str, language: str | None) -> bool:
    if qualifier and qualifier not in _ABSTRACTS:
        return False
    draft.add_description(value, language, is_abstract=bool(qualifier))
    return True


def _abstract(draft: Draft, _qualifier: str, value: str, language: str | None) -> bool:
    draft.add_description(value, language, is_abstract=True)
    return True


def _publisher(draft: Draft, qualifier: str, value: str, _language: str | None) -> bool:
    if not qualifier:
        draft.add_publisher(value)
    return not qualifier


def _date(draft: Draft, qualifier: str, value: str, _language: str | None) -> bool:
    kind = "embargo" if "embargo" in qualifier else _DATE_KINDS.get(qualifier, qualifier)
    draft.add_date(value, kind)
    return True


def _dated(kind: str) -> AddDspaceField:
    def take(draft: Draft, _qualifier: str, value: str, _language: str | None) -> bool:
        draft.add_date(value, kind)
        return True

    return take


def _type(draft: Draft, qualifier: str, value: str, _language: str | None) -> bool:
    if qualifier in _TYPES:
        draft.add_type(value)
    return qualifier in _TYPES


def _format(draft: Draft, qualifier: str, value: str, _language: str | None) -> bool:
    if qualifier not in ("", "extent", "pages"):
        return False
    draft.add_extent(value, f"dc.format.{qualifier}" if qualifier else "dc.format")
    return True


def _identifier(draft: Draft, qualifier: str, value: str, _language: str | None) -> bool:
    if qualifier in ("citation", "bibliographiccitation"):
        draft.add_source(value)
    else:
        scheme = qualifier if qualifier in _SCHEMES - {"other"} else None
        draft.add_identifier(value, scheme=scheme)
    return True


def _language(draft: Draft, _qualifier: str, value: str, _language: str | None) -> bool:
    draft.add_language(value)
    return True


def _relation(draft: Draft, qualifier: str, value: str, _language: str | None) -> bool:
    if qualifier in _NUMBERS:
        return False
    if qualifier in _SOURCES:
        draft.add_source(value)
    else:
        draft.add_relation(value)
    return True


def _rights(draft: Draft, _qualifier: str, value: str, _language: str | None) -> bool:
    draft.add_rights(value)
    return True


def _source(draft: Draft, _qualifier: str, value: str, _language: str | None) -> bool:
    draft.add_source(value)
    return True


AddDspaceField = Callable[[Draft, str, str, str | None], bool]

_ELEMENTS: dict[str, AddDspaceField] = {
    "title": _title,
    "alternative": _alternative,
    "creator": _creator,
    "contributor": _contributor,
    "subject": _subject,
    "description": _description,
    "abstract": _abstract,
    "publisher": _publisher,
    "date": _date,
    "issued": _dated("issued"),
    "created": _dated("created"),
    "available": _dated("available"),
    "dateaccepted": _dated("accepted"),
    "datesubmitted": _dated("submitted"),
    "type": _type,
    "format": _format,
    "identifier": _identifier,
    "language": _language,
    "relation": _relation,
    "ispartof": _source,
    "bibliographiccitation": _source,
    "rights": _rights,
    "license": _rights,
    "source": _source,
}
