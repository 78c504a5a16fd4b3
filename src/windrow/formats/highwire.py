"""`citation_*` tags, as Google Scholar wants them in the head of a page, for `page_head`.

They are named after Highwire Press, whose they were. An author's affiliation stands right behind the author.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from windrow.formats.meta_words import (
    LONGEST_NAME,
    LONGEST_TITLE,
    MOST_PEOPLE,
    MOST_VALUES,
    Tag,
    fit,
    fit_all,
    language_tag,
    published,
    web_links,
)
from windrow.formats.person_names import person_of
from windrow.formats.printed_in import printed_in
from windrow.formats.reference import container_of, keywords_of, publisher_of
from windrow.formats.work_kinds import THESES, WorkKind, kind_of
from windrow.model.document import Agent, Document, Link, LinkKind

NAMES = {
    "doi": "citation_doi",
    "isbn": "citation_isbn",
    "issn": "citation_issn",
    "pmid": "citation_pmid",
    "arxiv": "citation_arxiv_id",
}
_ORCID = ("https://orcid.org/", "http://orcid.org/")
_CONTAINERS: Mapping[WorkKind, str] = {
    WorkKind.CHAPTER: "citation_inbook_title",
    WorkKind.CONFERENCE_PAPER: "citation_conference_title",
}
_PUBLISHERS: Mapping[WorkKind, str] = {WorkKind.REPORT: "citation_technical_report_institution"} | (
    dict.fromkeys(THESES, "citation_dissertation_institution")
)
_PAGE_TYPES = frozenset(("text/html", "application/xhtml+xml"))


def tags(document: Document, address: str) -> list[Tag]:
    """The tags of the page at an address; none for a document without a title, which Scholar passes over."""
    title = fit(document.title or "", LONGEST_TITLE)
    if not title:
        return []
    kind = kind_of(document)
    found = [Tag("citation_title", title, language_tag(document.titles[0].language))]
    for agent in document.creators[:MOST_PEOPLE]:
        found += _author(agent)
    found.append(Tag("citation_publication_date", "/".join(published(document))))
    found += _printed(document, kind)
    found.append(Tag(_PUBLISHERS.get(kind, "citation_publisher"), fit(publisher_of(document, kind) or "")))
    names = document.names[:MOST_VALUES]
    found += [Tag(NAMES[name.scheme], fit(name.value)) for name in names if name.scheme in NAMES]
    found += [Tag("citation_language", code) for code in map(language_tag, document.languages[:20])]
    found += [Tag("citation_keywords", word) for word in fit_all(keywords_of(document))]
    found.append(Tag("citation_abstract_html_url", fit(address, len(address))))
    found += _files(document)
    return [tag for tag in found if tag.content]


def _author(agent: Agent) -> Iterator[Tag]:
    """A person as "Family, Given", without the dates that catalogues add; others as they are called."""
    name = agent.name[:LONGEST_NAME]
    person = person_of(name) if "," in name else None
    yield Tag("citation_author", fit(name if person is None else str(person), LONGEST_NAME))
    yield from (Tag("citation_author_institution", fit(name)) for name in agent.affiliations)
    if agent.identifier and agent.identifier.startswith(_ORCID):
        yield Tag("citation_author_orcid", fit(agent.identifier))


def _printed(document: Document, kind: WorkKind) -> Iterator[Tag]:
    container = container_of(document, kind)
    if container is None:
        return
    place = printed_in(container)
    yield Tag(_CONTAINERS.get(kind, "citation_journal_title"), fit(place.title))
    yield Tag("citation_volume", fit(place.volume))
    yield Tag("citation_issue", fit(place.issue))
    yield Tag("citation_firstpage", fit(place.first))
    yield Tag("citation_lastpage", fit(place.last))


def _files(document: Document) -> Iterator[Tag]:
    for link in web_links(document):
        if link.kind is not LinkKind.FULLTEXT:
            continue
        if is_pdf(link):
            yield Tag("citation_pdf_url", link.url)
        elif link.media_type in _PAGE_TYPES or _path(link).endswith((".html", ".htm")):
            yield Tag("citation_fulltext_html_url", link.url)


def is_pdf(link: Link) -> bool:
    """Whether a file is a PDF: its media type says so or, where it has none, its name."""
    if link.media_type:
        return link.media_type.partition(";")[0].strip().lower() in ("application/pdf", "application/x-pdf")
    return _path(link).endswith(".pdf") or (link.label or "").lower().endswith(".pdf")


def _path(link: Link) -> str:
    return link.url.lower().partition("#")[0].partition("?")[0]
