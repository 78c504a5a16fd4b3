"""What the names of meta tags mean among the facts of a file: DC.*, DCTERMS.*, citation_* and old ones.

For `pages` and `front_matter`; `sources.files` asks for elements of Dublin Core.
"""

from __future__ import annotations

from collections.abc import Collection

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
    "alternative": "title",
    "available": "date",
    "bibliographiccitation": "source",
    "created": "date",
    "dateaccepted": "date",
    "datesubmitted": "date",
    "issued": "date",
    "modified": "modified",
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
_SCHEMES = ("dc", "dcterms", "dct")


def fact_named(name: str, known: Collection[str] = SAID) -> str | None:
    """The name of the fact, of those that are `known`, that a meta tag gives; None where it gives none."""
    small = name.strip().lower()
    if small.startswith("citation_"):
        return _CITATION.get(small.removeprefix("citation_"))
    scheme, dot, rest = small.replace(":", ".").partition(".")
    if not dot or scheme not in _SCHEMES:
        return _PLAIN.get(small)
    first, _, qualifier = rest.partition(".")
    words = (_TERMS.get(qualifier), first, _TERMS.get(first))
    return next((word for word in words if word in known), None)
