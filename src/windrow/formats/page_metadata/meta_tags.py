"""Tags for the head of a record's page: Dublin Core, Highwire Press and Open Graph.

`render_head` joins them and the JSON-LD of `schema_org`. Tags are passed as values and become markup
only in `meta_tags`, so they are escaped in one place.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence

from windrow.formats.citations.reference_fields import (
    THESES,
    WorkKind,
    document_container,
    document_publisher,
    parse_place_in_print,
    subjects_and_keywords,
    work_kind,
)
from windrow.formats.mapping.agent_names import parse_person_name
from windrow.formats.page_metadata.schema_org import in_script, json_ld
from windrow.formats.page_metadata.tag_values import (
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
    published,
    web_links,
)
from windrow.model.document import Agent, Document, DocumentDate, Identifier, Link, LinkKind

# Dublin Core. `DC.` has the fifteen elements with texts as values. `DCTERMS.` has the finer terms and, for
# terms named like an element, the addresses: `DC.relation` is "Part two", `DCTERMS.relation` its address.
# Fields without a term are an element with a qualifier, as DSpace writes it: `DC.date.accessioned`. The
# prefixes are declared once a page, as <link rel="schema.DC" href="…">.
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


def dublin_core_tags(document: Document, address: str) -> list[Tag]:
    """Return the Dublin Core tags of the whole document, in the order of its fields."""
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
    found += _plain("DC.identifier", map(dc_identifier, document.names), LONGEST_WORDS)
    found += _links(document)
    found += _plain("DC.rights", document.rights, LONGEST_WORDS)
    found += _plain("DC.source", document.sources, LONGEST_WORDS)
    found += _plain("DC.relation", document.relations, LONGEST_WORDS)
    found += _plain("DC.contributor.institution", (document.institution or "",))
    found += _plain("DC.contributor.department", (document.department or "",))
    return found


def dc_identifier(name: Identifier) -> str:
    """Return an identifier with its scheme as a prefix; local identifiers have none."""
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


def _dates(moments: Sequence[DocumentDate], year: int | None) -> Iterator[Tag]:
    # The year alone is written only if the record has no dates.
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


# Highwire Press tags (`citation_*`), which Google Scholar reads. An author's affiliation directly follows
# the author.

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


def highwire_tags(document: Document, address: str) -> list[Tag]:
    """Return the tags; none for a document without a title, which Google Scholar ignores."""
    title = fit(document.title or "", LONGEST_TITLE)
    if not title:
        return []
    kind = work_kind(document)
    found = [Tag("citation_title", title, language_tag(document.titles[0].language))]
    for agent in document.creators[:MOST_PEOPLE]:
        found += _author(agent)
    found.append(Tag("citation_publication_date", "/".join(published(document))))
    found += _printed(document, kind)
    found.append(
        Tag(_PUBLISHERS.get(kind, "citation_publisher"), fit(document_publisher(document, kind) or ""))
    )
    names = document.names[:MOST_VALUES]
    found += [Tag(NAMES[name.scheme], fit(name.value)) for name in names if name.scheme in NAMES]
    found += [Tag("citation_language", code) for code in map(language_tag, document.languages[:20])]
    found += [Tag("citation_keywords", word) for word in fit_all(subjects_and_keywords(document))]
    found.append(Tag("citation_abstract_html_url", fit(address, len(address))))
    found += _files(document)
    return [tag for tag in found if tag.content]


def _author(agent: Agent) -> Iterator[Tag]:
    # People are written "Family, Given", without the dates that catalogues add.
    name = agent.name[:LONGEST_NAME]
    person = parse_person_name(name) if "," in name else None
    yield Tag("citation_author", fit(name if person is None else str(person), LONGEST_NAME))
    yield from (Tag("citation_author_institution", fit(name)) for name in agent.affiliations)
    if agent.identifier and agent.identifier.startswith(_ORCID):
        yield Tag("citation_author_orcid", fit(agent.identifier))


def _printed(document: Document, kind: WorkKind) -> Iterator[Tag]:
    container = document_container(document, kind)
    if container is None:
        return
    place = parse_place_in_print(container)
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
    """Return whether a file is a PDF: by media type or, if it has none, by name."""
    if link.media_type:
        return link.media_type.partition(";")[0].strip().lower() in ("application/pdf", "application/x-pdf")
    return _path(link).endswith(".pdf") or (link.label or "").lower().endswith(".pdf")


def _path(link: Link) -> str:
    return link.url.lower().partition("#")[0].partition("?")[0]


# Open Graph: title, text and image for links that are shared.

DESCRIPTION_CHARACTERS = 300
_TYPES: Mapping[WorkKind, str] = {
    WorkKind.BOOK: "book",
    WorkKind.PROCEEDINGS: "book",
    WorkKind.VIDEO: "video.other",
    WorkKind.COURSE: "website",
    WorkKind.DATASET: "website",
    WorkKind.SOFTWARE: "website",
    WorkKind.MAP: "website",
    WorkKind.SOUND: "website",
    WorkKind.IMAGE: "website",
    WorkKind.WEBPAGE: "website",
    WorkKind.OTHER: "website",
} | dict.fromkeys(THESES, "article")


def open_graph_tags(document: Document, address: str, *, site_name: str = "") -> list[Tag]:
    """Return the Open Graph properties of the document; empty ones are left out."""
    found = [
        Tag("og:title", fit(document.title or "", LONGEST_TITLE)),
        Tag("og:description", _beginning(document)),
        Tag("og:type", _TYPES.get(work_kind(document), "article")),
        Tag("og:url", fit(address, len(address))),
        Tag("og:site_name", fit(site_name)),
        Tag("og:image", _picture(document)),
    ]
    return [tag for tag in found if tag.content]


def _picture(document: Document) -> str:
    pictures = (link.url for link in web_links(document) if link.kind is LinkKind.THUMBNAIL)
    return next(pictures, "")


def _beginning(document: Document) -> str:
    """Return the start of the abstract, cut between two words."""
    words = document.descriptions[0].value[: 2 * DESCRIPTION_CHARACTERS] if document.descriptions else ""
    line = " ".join(fit(words, len(words)).split())
    if len(line) <= DESCRIPTION_CHARACTERS:
        return line
    head = line[:DESCRIPTION_CHARACTERS]
    return (head.rpartition(" ")[0] or head).rstrip(" ,;:") + " …"


# The head as a whole: every tag and the JSON-LD.

SCHEMA_LINKS = "".join(f'<link rel="schema.{name}" href="{url}">\n' for name, url in SCHEMAS)


def render_head(document: Document, address: str, *, site_name: str = "") -> str:
    """Return HTML for the `<head>` of the page at an address, already escaped."""
    return "".join(
        (
            SCHEMA_LINKS,
            meta_tags(highwire_tags(document, address)),
            meta_tags(dublin_core_tags(document, address)),
            meta_tags(open_graph_tags(document, address, site_name=site_name), attribute="property"),
            '<script type="application/ld+json">',
            in_script(json_ld(document, address)),
            "</script>\n",
        )
    )


def meta_tags(tags: Iterable[Tag], *, attribute: str = "name") -> str:
    """Return tags as HTML, one a line. Open Graph puts its names into `property`."""
    return "".join(
        [
            f'<meta {attribute}="{name}" content="{_quoted(content)}"{_lang(language)}>\n'
            for name, content, language in tags
        ]
    )


def _quoted(text: str) -> str:
    return text.replace("&", "&amp;").replace("<", "&lt;").replace(">", "&gt;").replace('"', "&quot;")


def _lang(language: str) -> str:
    return f' lang="{language}"' if language else ""
