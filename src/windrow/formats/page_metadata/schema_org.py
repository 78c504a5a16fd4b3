"""schema.org as JSON-LD: the whole document for search engines.

What schema.org has no term for (relations, dates other than publication) is in the Dublin Core tags of
`meta_tags`.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Mapping, Sequence

from windrow.formats.citations.reference_fields import (
    THESES,
    WorkKind,
    document_container,
    parse_place_in_print,
    work_kind,
)
from windrow.formats.mapping.agent_names import is_organisation
from windrow.formats.page_metadata.tag_values import (
    LONGEST_ABSTRACT,
    LONGEST_NAME,
    LONGEST_TITLE,
    LONGEST_WORDS,
    MOST_ABSTRACTS,
    MOST_PEOPLE,
    MOST_TITLES,
    MOST_VALUES,
    fit,
    fit_all,
    fit_texts,
    is_address,
    language_tag,
    published,
    web_links,
)
from windrow.model.document import Agent, Document, Event, Identifier, Link, LinkKind, Subject

# The people, terms, files and identifiers inside a node.

Node = dict[str, object]

# Roles implied by being the author; a creator in any other role is wrapped into a Role.
AUTHORING = frozenset(("author", "creator", "aut", "cre"))
_DAY = re.compile(r"\d{4}-\d\d-\d\d(?!\d)")
_MOST_NAMES_OF_PERSON = 4  # "Anna Maria von Heu"; a longer name without a comma is a body


def one_or_all(values: Sequence[object]) -> object:
    """Return the only value itself, as most pages have it, or a list of several."""
    return values[0] if len(values) == 1 else values


def texts_with_language(texts: Iterable[tuple[str, str]]) -> object:
    return one_or_all([_in_language(words, language) for words, language in texts])


def _in_language(words: str, language: str) -> object:
    return {"@language": language, "@value": words} if language else words


def named_thing(kind: str, name: str) -> Node:
    return {"@type": kind, "name": name}


def organisation(name: str) -> Node:
    return {"@type": "Organization", "name": name}


def creators(agents: Sequence[Agent]) -> object:
    return one_or_all(
        [_in_role(agent, "author", AUTHORING) for agent in agents[:MOST_PEOPLE] if fit(agent.name)]
    )


def contributors(agents: Sequence[Agent]) -> object:
    return one_or_all([_in_role(agent, "contributor") for agent in agents[:MOST_PEOPLE] if fit(agent.name)])


def _in_role(agent: Agent, part: str, understood: frozenset[str] = frozenset()) -> Node:
    node = _agent(agent)
    role = fit(agent.role, LONGEST_NAME) if agent.role else ""
    if not role or role.lower() in understood:
        return node
    return {"@type": "Role", "roleName": role, part: node}


def _agent(agent: Agent) -> Node:
    name = fit(agent.name, LONGEST_NAME)
    node: Node = {"@type": "Person" if _is_person(name, agent.identifier) else "Organization", "name": name}
    _add_known(node, agent.identifier, address="@id", other="identifier")
    affiliations = fit_all(agent.affiliations)
    if affiliations:
        node["affiliation"] = one_or_all([organisation(name) for name in affiliations])
    return node


def _add(node: Node, name: str, text: str | None) -> None:
    kept = fit(text, LONGEST_WORDS) if text else ""
    if kept:
        node[name] = kept


def _add_known(node: Node, text: str | None, *, address: str, other: str) -> None:
    """Add an address under one property, or any other identifier under another, shortened if necessary."""
    if text is not None and is_address(text):
        node[address] = text
    else:
        _add(node, other, text)


def _is_person(name: str, identifier: str | None) -> bool:
    if identifier and "orcid.org/" in identifier:
        return True
    is_like_one = "," in name or 1 < len(name.split(None, _MOST_NAMES_OF_PERSON)) <= _MOST_NAMES_OF_PERSON
    return is_like_one and not is_organisation(name)


def defined_terms(subjects: Sequence[Subject]) -> object:
    return one_or_all([_term(subject) for subject in subjects[:MOST_VALUES] if fit(subject.value)])


def _term(subject: Subject) -> Node:
    value, scheme, uri, language = subject
    node: Node = {"@type": "DefinedTerm", "name": _in_language(fit(value), language_tag(language))}
    _add(node, "inDefinedTermSet", scheme)
    _add_known(node, uri, address="url", other="termCode")
    return node


def property_values(names: Sequence[Identifier]) -> object:
    return one_or_all(
        [
            {"@type": "PropertyValue", "propertyID": fit(scheme), "value": fit(value, LONGEST_WORDS)}
            for scheme, value in names[:MOST_VALUES]
            if fit(value)
        ]
    )


def media_objects(links: Sequence[Link], kind: str) -> object:
    return one_or_all([_file(link, kind) for link in links])


def _file(link: Link, kind: str) -> Node:
    node: Node = {"@type": kind, "contentUrl": link.url}
    _add(node, "encodingFormat", link.media_type)
    _add(node, "name", link.label)
    return node


def institution(document: Document) -> Node | None:
    name, department = fit(document.institution or ""), fit(document.department or "")
    if not name and not department:
        return None
    node: Node = {"@type": "Organization"}
    if name:
        node["name"] = name
    if department:
        node["department"] = organisation(department)
    return node


def course_instances(events: Sequence[Event]) -> object:
    return one_or_all([_occasion(event) for event in events[:MOST_VALUES]])


def _occasion(event: Event) -> Mapping[str, object]:
    said = {
        "identifier": event.identifier,
        "name": event.period,
        "courseMode": event.kind,
        "courseWorkload": event.intensity,
        "location": event.place,
        "inLanguage": language_tag(event.language),
        "startDate" if _DAY.match(event.time or "") else "description": event.time,
    }
    kept = {name: fit(value or "") for name, value in said.items()}
    return {"@type": "CourseInstance"} | {name: value for name, value in kept.items() if value}


CONTEXT = "https://schema.org"
TYPES: Mapping[WorkKind, str] = {
    WorkKind.CHAPTER: "Chapter",
    WorkKind.POSTER: "Poster",
    WorkKind.PRESENTATION: "PresentationDigitalDocument",
    WorkKind.CONFERENCE_PAPER: "ScholarlyArticle",
    WorkKind.PROCEEDINGS: "Book",
    WorkKind.DATASET: "Dataset",
    WorkKind.SOFTWARE: "SoftwareSourceCode",
    WorkKind.COURSE: "Course",
    WorkKind.PREPRINT: "ScholarlyArticle",
    WorkKind.MAP: "Map",
    WorkKind.SCORE: "SheetMusic",
    WorkKind.NEWS: "NewsArticle",
    # A Review must have a reviewed item with an address, which no record has.
    WorkKind.REVIEW: "ScholarlyArticle",
    WorkKind.ARTICLE: "ScholarlyArticle",
    WorkKind.REPORT: "Report",
    WorkKind.BOOK: "Book",
    WorkKind.JOURNAL: "Periodical",
    WorkKind.VIDEO: "VideoObject",
    WorkKind.SOUND: "AudioObject",
    WorkKind.IMAGE: "ImageObject",
    WorkKind.WEBPAGE: "WebPage",
} | dict.fromkeys(THESES, "Thesis")
LINKS = {
    LinkKind.LANDING: "sameAs",
    LinkKind.LICENSE: "license",
    LinkKind.THUMBNAIL: "thumbnailUrl",
}
_MEDIA = ("VideoObject", "AudioObject", "ImageObject")
_ESCAPES = (
    ("&", "\\u0026"),
    ("<", "\\u003c"),
    (">", "\\u003e"),
    ("\u2028", "\\u2028"),
    ("\u2029", "\\u2029"),
)
_encode = json.JSONEncoder(ensure_ascii=False, check_circular=False, separators=(",", ":")).encode


def json_ld(document: Document, address: str) -> dict[str, object]:
    """Return the document, whose page is at an address, as one node; empty properties are left out."""
    kind = work_kind(document)
    node: dict[str, object] = {
        "@context": CONTEXT,
        "@type": TYPES.get(kind, "CreativeWork"),
        "@id": address,
        "url": address,
        "name": texts_with_language(fit_texts(document.titles, LONGEST_TITLE, MOST_TITLES)),
        "author": creators(document.creators),
        "contributor": contributors(document.contributors),
        "about": defined_terms(document.subjects),
        "keywords": fit_all(document.keywords),
        "description": texts_with_language(
            fit_texts(document.descriptions, LONGEST_ABSTRACT, MOST_ABSTRACTS)
        ),
        "publisher": one_or_all([organisation(each) for each in fit_all(document.publishers)]),
        "datePublished": "-".join(published(document)),
        "genre": one_or_all(fit_all(document.types)),
        "inLanguage": one_or_all([*filter(None, map(language_tag, document.languages[:MOST_VALUES]))]),
        "identifier": property_values(document.names),
        "copyrightNotice": one_or_all(fit_all(document.rights, LONGEST_WORDS)),
        "isPartOf": one_or_all(
            [named_thing("CreativeWork", each) for each in fit_all(document.sources, LONGEST_WORDS)]
        ),
        "sourceOrganization": institution(document),
    }
    _add_links(node, document)
    _add_own(node, document, kind)
    return {key: value for key, value in node.items() if value}


def in_script(data: Mapping[str, object]) -> str:
    """Return the data as compact JSON that cannot end its `<script>` element."""
    text = _encode(data)
    for letter, escape in _ESCAPES:
        if letter in text:
            text = text.replace(letter, escape)
    return text


def _add_links(node: dict[str, object], document: Document) -> None:
    by_kind: dict[LinkKind, list[Link]] = {}
    for link in web_links(document):
        by_kind.setdefault(link.kind, []).append(link)
    for kind, name in LINKS.items():
        if kind in by_kind:
            node[name] = one_or_all([link.url for link in by_kind[kind]])
    thing = by_kind.get(LinkKind.FULLTEXT)
    if thing and node["@type"] == "Dataset":
        node["distribution"] = media_objects(thing, "DataDownload")
    elif thing:
        node["encoding"] = media_objects(thing, "MediaObject")
    if thing and node["@type"] in _MEDIA:
        node["contentUrl"] = thing[0].url


def _add_own(node: dict[str, object], document: Document, kind: WorkKind) -> None:
    name, pages = node["@type"], document.pages
    if name == "Book":
        node["numberOfPages"] = pages
        names = document.names[:MOST_VALUES]
        node["isbn"] = one_or_all([fit(each.value) for each in names if each.scheme == "isbn"])
    elif pages is not None:
        node["materialExtent"] = {"@type": "QuantitativeValue", "value": pages, "unitText": "pages"}
    if name == "Course":
        node["provider"] = institution(document)
        node["hasCourseInstance"] = course_instances(document.events)
        for name, values in (
            ("coursePrerequisites", document.prerequisites),
            ("educationalCredentialAwarded", document.exams),
            ("occupationalCategory", document.professions),
        ):
            node[name] = one_or_all([fit(value) for value in values[:MOST_VALUES]])
    container = document_container(document, kind)
    if container is not None:
        place = parse_place_in_print(container)
        node["pageStart"], node["pageEnd"] = fit(place.first), fit(place.last)
