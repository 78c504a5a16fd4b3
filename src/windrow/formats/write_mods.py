"""Any document as MODS 3: the crosswalk for SRU and Z39.50. The counterpart of `mods`, which reads it."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from windrow.formats.dc_dates import dates_of
from windrow.formats.mods import NAMESPACE
from windrow.formats.person_names import is_organisation, person_of
from windrow.formats.reference import container_of, publisher_of
from windrow.formats.work_kinds import THESES, WorkKind, kind_of
from windrow.formats.xml_words import xml_words
from windrow.model.document import Agent, Document, LinkKind, Subject
from windrow.model.languages import bibliographic_code

VERSION = "3.7"
SCHEMA = "http://www.loc.gov/standards/mods/v3/mods-3-7.xsd"

# The vocabulary of `typeOfResource`.
_RESOURCES = {
    WorkKind.MAP: "cartographic",
    WorkKind.SCORE: "notated music",
    WorkKind.VIDEO: "moving image",
    WorkKind.SOUND: "sound recording",
    WorkKind.IMAGE: "still image",
    WorkKind.SOFTWARE: "software, multimedia",
    WorkKind.DATASET: "software, multimedia",
}


def write_mods(document: Document, identifier: str, *, source: str = "") -> bytes:
    """Return one `<mods>` element with its own declaration, in UTF-8."""
    return "".join(
        (
            f'<mods xmlns="{NAMESPACE}" version="{VERSION}">',
            *_elements(document, identifier, source),
            "</mods>",
        )
    ).encode()


def _elements(document: Document, identifier: str, source: str) -> Iterator[str]:
    kind = kind_of(document)
    for place, title in enumerate(document.titles):
        words = _element("title", title.value)
        yield _element_of(
            "titleInfo", [words], type="alternative" if place else "", lang=_language(title.language)
        )
    yield from (_name(agent, agent.role or "author") for agent in document.creators)
    yield from (_name(agent, agent.role or "contributor") for agent in document.contributors)
    yield from _bodies(document, kind)
    yield _element("typeOfResource", _RESOURCES.get(kind, "text"))
    yield from (_element("genre", text) for text in document.types)
    publishers = document.publishers or tuple(filter(None, [publisher_of(document, kind)]))
    dates = [_element("dateIssued", date) for date in dates_of(document.dates, document.year)]
    yield _element_of("originInfo", [*(_element("publisher", text) for text in publishers), *dates])
    for code in filter(None, map(bibliographic_code, document.languages)):
        yield _element_of("language", [_element("languageTerm", code, type="code", authority="iso639-2b")])
    if document.pages is not None:
        yield _element_of("physicalDescription", [_element("extent", f"{document.pages} pages")])
    yield from (
        _element("abstract", text.value, lang=_language(text.language)) for text in document.descriptions
    )
    yield from (_element("note", text, type="prerequisites") for text in document.prerequisites)
    for event in document.events:
        said = [f"{name}: {value}" for name, value in event._asdict().items() if value]
        yield _element("note", "; ".join(said), type="event")
    yield from map(_subject, document.subjects)
    yield from (_element_of("subject", [_element("topic", word)]) for word in document.keywords)
    container = container_of(document, kind)
    for other in (*document.sources, *document.relations):
        known_as = _element_of("titleInfo", [_element("title", other)])
        yield _element_of("relatedItem", [known_as], type="host" if other == container else "")
    yield from (_element("identifier", name.value, type=name.scheme) for name in document.names)
    for link in document.links:
        usage = "primary" if link.kind is LinkKind.LANDING else ""
        access = (
            "raw object" if link.kind is LinkKind.FULLTEXT else "preview" * (link.kind is LinkKind.THUMBNAIL)
        )
        url = _element("url", link.url, usage=usage, access=access, displayLabel=link.label or "")
        yield _element_of("location", [url])
    yield from (_element("accessCondition", text, type="use and reproduction") for text in document.rights)
    yield _element_of(
        "recordInfo",
        [_element("recordContentSource", source), _element("recordIdentifier", identifier)],
    )


def _name(agent: Agent, role: str) -> str:
    person = person_of(agent.name)
    if person is None:
        parts = [_element("namePart", agent.name)]
    else:
        parts = [
            _element("namePart", person.family, type="family"),
            _element("namePart", person.given, type="given"),
        ]
        parts += [_element("namePart", person.suffix, type="termsOfAddress")]
    term = _element_of("role", [_element("roleTerm", role, type="text")])
    affiliations = [_element("affiliation", text) for text in agent.affiliations]
    known = [_element("nameIdentifier", agent.identifier or "")]
    kind = "corporate" if is_organisation(agent.name) else "personal"
    return _element_of("name", [*parts, term, *affiliations, *known], type=kind)


def _bodies(document: Document, kind: WorkKind) -> Iterator[str]:
    """The institution, and the department that is a part of it."""
    role = "degree granting institution" if kind in THESES else "host institution"
    parts = [_element("namePart", text) for text in (document.institution, document.department) if text]
    if parts:
        term = _element_of("role", [_element("roleTerm", role, type="text")])
        yield _element_of("name", [*parts, term], type="corporate")


def _subject(subject: Subject) -> str:
    scheme = subject.scheme or ""
    return _element_of(
        "subject",
        [_element("topic", subject.value)],
        authority=scheme,
        valueURI=subject.uri or "",
        lang=_language(subject.language),
    )


def _language(code: str | None) -> str:
    return bibliographic_code(code) if code else ""


def _element(element: str, text: str, **attributes: str) -> str:
    """Return an element with text; nothing where that is empty."""
    return f"<{element}{_attributes(attributes)}>{xml_words(text)}</{element}>" if text else ""


def _element_of(element: str, inner: Iterable[str], **attributes: str) -> str:
    content = "".join(inner)
    return f"<{element}{_attributes(attributes)}>{content}</{element}>" if content else ""


def _attributes(attributes: dict[str, str]) -> str:
    return "".join(f' {name}="{xml_words(value)}"' for name, value in attributes.items() if value)
