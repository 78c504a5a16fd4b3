"""Dublin Core in the head of a page, for `page_head`: every field of the document, each value a `<meta>`.

`DC.` are the fifteen elements, with words as values. `DCTERMS.` are the finer terms and, where a term has an
element's name, its addresses: `DC.relation` says "Part two", `DCTERMS.relation` where that is. What neither
has a term for is an element with a word behind it, as DSpace writes it: `DC.date.accessioned`.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence

from windrow.formats.meta_words import (
    LONGEST_ABSTRACT,
    LONGEST_NAME,
    LONGEST_TITLE,
    LONGEST_VALUE,
    LONGEST_WORDS,
    MOST_ABSTRACTS,
    MOST_PEOPLE,
    MOST_TITLES,
    MOST_VALUES,
    Tag,
    fit,
    fit_all,
    fit_texts,
    is_address,
    language_tag,
    web_links,
)
from windrow.model.document import Agent, Document, LinkKind, Moment, Name

# What the prefixes of the names stand for; a page says it once, as <link rel="schema.DC" href="…">.
SCHEMAS = (("DC", "http://purl.org/dc/elements/1.1/"), ("DCTERMS", "http://purl.org/dc/terms/"))

DATES = {
    "date": "DC.date",
    "issued": "DCTERMS.issued",
    "created": "DCTERMS.created",
    "copyrighted": "DCTERMS.dateCopyrighted",
    "accepted": "DCTERMS.dateAccepted",
    "submitted": "DCTERMS.dateSubmitted",
    "available": "DCTERMS.available",
    "modified": "DCTERMS.modified",
    "valid": "DCTERMS.valid",
}
LINKS = {
    LinkKind.LANDING: "DCTERMS.identifier",
    LinkKind.FULLTEXT: "DCTERMS.hasFormat",
    LinkKind.LICENSE: "DCTERMS.license",
    LinkKind.RELATED: "DCTERMS.relation",
}
_KIND = re.compile("[a-z]{1,30}")


def tags(document: Document, address: str) -> list[Tag]:
    """Everything the document says, at the address of its page, in the order of its fields."""
    found = [
        Tag("DC.title", words, language)
        for words, language in fit_texts(document.titles, LONGEST_TITLE, MOST_TITLES)
    ]
    found += _plain("DC.creator", _people(document.creators), LONGEST_NAME, MOST_PEOPLE)
    found += _plain("DC.contributor", _people(document.contributors), LONGEST_NAME, MOST_PEOPLE)
    found += _subjects(document)
    found += [
        Tag("DC.description", words, language)
        for words, language in fit_texts(document.descriptions, LONGEST_ABSTRACT, MOST_ABSTRACTS)
    ]
    found += _plain("DC.publisher", document.publishers)
    found += _dates(document.dates, document.year)
    found += _plain("DC.type", document.types)
    found += _plain("DC.language", document.languages)
    if document.pages is not None:
        found.append(Tag("DCTERMS.extent", f"{document.pages} pages"))
    found.append(Tag("DC.identifier", fit(address, len(address))))
    found += _plain("DC.identifier", map(identifier, document.names), LONGEST_WORDS)
    found += _links(document)
    found += _plain("DC.rights", document.rights, LONGEST_WORDS)
    found += _plain("DC.source", document.sources, LONGEST_WORDS)
    found += _plain("DC.relation", document.relations, LONGEST_WORDS)
    found += _plain("DC.contributor.institution", (document.institution or "",))
    found += _plain("DC.contributor.department", (document.department or "",))
    return found


def identifier(name: Name) -> str:
    """A name with its scheme before it; what is known only where it came from stands alone."""
    scheme, value = name
    return value if scheme == "local" or value.lower().startswith(f"{scheme}:") else f"{scheme}:{value}"


def _plain(
    name: str, values: Iterable[str], longest: int = LONGEST_VALUE, most: int = MOST_VALUES
) -> Iterator[Tag]:
    return (Tag(name, value) for value in fit_all(values, longest, most))


def _people(agents: Sequence[Agent]) -> Iterator[str]:
    return (agent[0] for agent in agents)


def _subjects(document: Document) -> Iterator[Tag]:
    for value, _scheme, uri, language in document.subjects[:MOST_VALUES]:
        words = fit(value)
        if words:
            yield Tag("DC.subject", words, language_tag(language))
        if is_address(uri):
            yield Tag("DCTERMS.subject", uri or "")
    said = {subject[0] for subject in document.subjects}
    yield from _plain("DC.subject", (word for word in document.keywords if word not in said))


def _dates(moments: Sequence[Moment], year: int | None) -> Iterator[Tag]:
    """The dates as the record has them; the year alone where it has none."""
    if not moments and year is not None:
        yield Tag("DCTERMS.issued", f"{year:04}")
    for text, kind in moments[:MOST_VALUES]:
        words = fit(text)
        if words:
            yield Tag(DATES.get(kind) or (f"DC.date.{kind}" if _KIND.fullmatch(kind) else "DC.date"), words)


def _links(document: Document) -> Iterator[Tag]:
    for url, kind, _label, media_type in web_links(document):
        if kind in LINKS:
            yield Tag(LINKS[kind], url)
        if kind is LinkKind.FULLTEXT and media_type and fit(media_type):
            yield Tag("DC.format", fit(media_type))
