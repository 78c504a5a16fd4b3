"""Which of a record's formats says most: the one that its document is made of, where several were harvested.

Formats are not merged: two accounts of one thing differ in spelling more often than they add anything.
"""

from __future__ import annotations

# From the one that tells most of what a document holds to the one that tells least. What is not here was
# never looked at, and comes after everybody's least common denominator.
RICHEST_FIRST = (
    "windrow_document",
    "wir",
    "kk",
    "xoai",
    "dim",
    "mods",
    "marcxml",
    "marc21",
    "marc",
    "lido",
    "jpcoar",
    "oai_datacite",
    "datacite",
    "oai_openaire",
    "edm",
    "qdc",
    "oai_qdc",
    "dcterms",
    "uketd_dc",
    "oai_etdms",
    "etdms",
    "arXiv",
    "arXivRaw",
    "oai_doaj",
    "mets",
    "didl",
    "rdf",
    "ore",
    "oai_dc",
)
_RANKS = {prefix: rank for rank, prefix in enumerate(RICHEST_FIRST)}
_BARE = ("http_header",)  # says nothing of the thing itself


def rank(prefix: str) -> int:
    """The place of a format among the others; the smallest is the richest."""
    return _RANKS.get(prefix, len(_RANKS) + (prefix in _BARE))
