"""schema.org as JSON-LD: the whole document for search engines that understand more than words.

`page_head` puts it into the page; `schema_parts` makes the people, terms and files in it. What schema.org
has no word for (relations, dates of other things than publication) is in the tags of `dc_meta`.
"""

from __future__ import annotations

import json
from collections.abc import Mapping

from windrow.formats.meta_words import (
    LONGEST_ABSTRACT,
    LONGEST_TITLE,
    LONGEST_WORDS,
    MOST_ABSTRACTS,
    MOST_TITLES,
    MOST_VALUES,
    fit,
    fit_all,
    fit_texts,
    language_tag,
    published,
    web_links,
)
from windrow.formats.printed_in import printed_in
from windrow.formats.reference import container_of
from windrow.formats.schema_parts import (
    contributors,
    creators,
    files,
    institution,
    named,
    numbers,
    occasions,
    one_or_all,
    organisation,
    spoken,
    terms,
)
from windrow.formats.work_kinds import THESES, WorkKind, kind_of
from windrow.model.document import Document, Link, LinkKind

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
    WorkKind.REVIEW: "ScholarlyArticle",  # a Review must name a thing with an address, which no record does
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
    """The document, whose page is at an address, as one node; what it does not say is not there."""
    kind = kind_of(document)
    node: dict[str, object] = {
        "@context": CONTEXT,
        "@type": TYPES.get(kind, "CreativeWork"),
        "@id": address,
        "url": address,
        "name": spoken(fit_texts(document.titles, LONGEST_TITLE, MOST_TITLES)),
        "author": creators(document.creators),
        "contributor": contributors(document.contributors),
        "about": terms(document.subjects),
        "keywords": fit_all(document.keywords),
        "description": spoken(fit_texts(document.descriptions, LONGEST_ABSTRACT, MOST_ABSTRACTS)),
        "publisher": one_or_all([organisation(each) for each in fit_all(document.publishers)]),
        "datePublished": "-".join(published(document)),
        "genre": one_or_all(fit_all(document.types)),
        "inLanguage": one_or_all([*filter(None, map(language_tag, document.languages[:MOST_VALUES]))]),
        "identifier": numbers(document.names),
        "copyrightNotice": one_or_all(fit_all(document.rights, LONGEST_WORDS)),
        "isPartOf": one_or_all(
            [named("CreativeWork", each) for each in fit_all(document.sources, LONGEST_WORDS)]
        ),
        "sourceOrganization": institution(document),
    }
    _add_links(node, document)
    _add_own(node, document, kind)
    return {key: value for key, value in node.items() if value}


def in_script(data: Mapping[str, object]) -> str:
    """The data as compact JSON in which nothing can end the `<script>` it stands in."""
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
        node["distribution"] = files(thing, "DataDownload")
    elif thing:
        node["encoding"] = files(thing, "MediaObject")
    if thing and node["@type"] in _MEDIA:
        node["contentUrl"] = thing[0].url


def _add_own(node: dict[str, object], document: Document, kind: WorkKind) -> None:
    """What only this type of thing has."""
    name, pages = node["@type"], document.pages
    if name == "Book":
        node["numberOfPages"] = pages
        names = document.names[:MOST_VALUES]
        node["isbn"] = one_or_all([fit(each.value) for each in names if each.scheme == "isbn"])
    elif pages is not None:
        node["materialExtent"] = {"@type": "QuantitativeValue", "value": pages, "unitText": "pages"}
    if name == "Course":
        node["provider"] = institution(document)
        node["hasCourseInstance"] = occasions(document.events)
        for name, values in (
            ("coursePrerequisites", document.prerequisites),
            ("educationalCredentialAwarded", document.exams),
            ("occupationalCategory", document.professions),
        ):
            node[name] = one_or_all([fit(value) for value in values[:MOST_VALUES]])
    container = container_of(document, kind)
    if container is not None:
        place = printed_in(container)
        node["pageStart"], node["pageEnd"] = fit(place.first), fit(place.last)
