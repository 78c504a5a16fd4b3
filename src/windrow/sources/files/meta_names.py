"""What the names of meta tags mean in Dublin Core: DC.*, DCTERMS.*, citation_* and the few old ones."""

from __future__ import annotations

from collections.abc import Mapping

from windrow.formats.plain_dc import ELEMENTS

_PLAIN: Mapping[str, str] = {
    "author": "creator",
    "description": "description",
    "keywords": "subject",
    "language": "language",
    "copyright": "rights",
}
_TERMS: Mapping[str, str] = {
    "abstract": "description",
    "alternative": "title",
    "available": "date",
    "bibliographiccitation": "source",
    "created": "date",
    "dateaccepted": "date",
    "datesubmitted": "date",
    "issued": "date",
    "modified": "date",
    "valid": "date",
    "extent": "format",
    "medium": "format",
    "accessrights": "rights",
    "license": "rights",
    "rightsholder": "rights",
    "spatial": "coverage",
    "temporal": "coverage",
    "tableofcontents": "description",
    "hasformat": "relation",
    "haspart": "relation",
    "hasversion": "relation",
    "isformatof": "relation",
    "ispartof": "relation",
    "isreferencedby": "relation",
    "isreplacedby": "relation",
    "isversionof": "relation",
    "references": "relation",
    "replaces": "relation",
}
_CITATION: Mapping[str, str] = {
    "title": "title",
    "author": "creator",
    "authors": "creator",
    "editor": "contributor",
    "abstract": "description",
    "keywords": "subject",
    "keyword": "subject",
    "publisher": "publisher",
    "dissertation_institution": "publisher",
    "technical_report_institution": "publisher",
    "date": "date",
    "online_date": "date",
    "publication_date": "date",
    "year": "date",
    "doi": "identifier",
    "isbn": "identifier",
    "issn": "identifier",
    "pmid": "identifier",
    "conference": "source",
    "conference_title": "source",
    "inbook_title": "source",
    "journal_title": "source",
    "language": "language",
    "pdf_url": "relation",
    "fulltext_html_url": "relation",
}


def element_for(name: str) -> str | None:
    """Give the element of Dublin Core that a meta tag of this name fills; None where it fills none."""
    small = name.strip().lower()
    if small.startswith("citation_"):
        return _CITATION.get(small.removeprefix("citation_"))
    scheme, dot, rest = small.replace(":", ".").partition(".")
    if not dot:
        return _PLAIN.get(small)
    if scheme not in ("dc", "dcterms"):
        return None
    first, _, qualifier = rest.partition(".")
    return next(
        (word for word in (first, _TERMS.get(first), _TERMS.get(qualifier)) if word in ELEMENTS), None
    )
