"""What the names of meta tags mean among the facts of a file: DC.*, DCTERMS.*, citation_* and old ones."""

from __future__ import annotations

from windrow.model.extract import SAID

_PLAIN = {
    "author": "creator",
    "description": "description",
    "keywords": "subject",
    "language": "language",
    "content-language": "language",
    "copyright": "rights",
    "rights": "rights",
    "publisher": "publisher",
    "date": "date",
    "last-modified": "modified",
    "geo.placename": "coverage",
    "article:published_time": "date",
    "article:modified_time": "modified",
    "article:author": "creator",
    "article:tag": "subject",
}
_TERMS = {
    "abstract": "description",
    "available": "date",
    "bibliographiccitation": "source",
    "created": "date",
    "issued": "date",
    "modified": "modified",
    "accessrights": "rights",
    "license": "rights",
    "rightsholder": "rights",
    "spatial": "coverage",
    "ispartof": "source",
    "references": "relation",
    "alternative": "title",
}
_CITATION = {
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
    "publication_date": "date",
    "year": "date",
    "doi": "identifier",
    "isbn": "identifier",
    "conference_title": "source",
    "inbook_title": "source",
    "journal_title": "source",
    "language": "language",
}
_SCHEMES = ("dc", "dcterms", "dct")


def fact_named(name: str) -> str | None:
    """The name of the fact that a meta tag of this name gives; None where it gives none."""
    small = name.strip().lower()
    if small.startswith("citation_"):
        return _CITATION.get(small.removeprefix("citation_"))
    scheme, dot, rest = small.replace(":", ".").partition(".")
    if not dot or scheme not in _SCHEMES:
        return _PLAIN.get(small)
    first, _, qualifier = rest.partition(".")
    return next(
        (word for word in (_TERMS.get(qualifier), first, _TERMS.get(first)) if word in SAID),
        None,
    )
