"""Windrow's own XML for other machines: a whole document with its events."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from importlib.resources import files

from windrow.formats.mapping.markup import escape_xml
from windrow.model.document import Agent, Document, Event

NAMESPACE = "urn:windrow:record:1"
SCHEMA_FILE = "windrow_record.xsd"


def write_windrow(document: Document, identifier: str, *, source: str = "", stamp: str = "") -> bytes:
    """Return one self-contained `<record>` element, in UTF-8."""
    start = f'<record xmlns="{NAMESPACE}"{_attributes({"source": source, "stamp": stamp})}>'
    return "".join((start, *_elements(document, identifier), "</record>")).encode()


def schema() -> bytes:
    return files("windrow.formats").joinpath("schemas", SCHEMA_FILE).read_bytes()


def _elements(document: Document, identifier: str) -> Iterator[str]:
    yield _element("identifier", identifier)
    yield from (_element("title", each.value, language=each.language) for each in document.titles)
    yield from (_agent("creator", each) for each in document.creators)
    yield from (_agent("contributor", each) for each in document.contributors)
    for subject in document.subjects:
        yield _element(
            "subject", subject.value, scheme=subject.scheme, uri=subject.uri, language=subject.language
        )
    yield from _all("keyword", document.keywords)
    yield from (_element("description", each.value, language=each.language) for each in document.descriptions)
    yield from _all("publisher", document.publishers)
    yield from (_element("date", each.text, kind=each.kind) for each in document.dates)
    yield _element("year", "" if document.year is None else str(document.year))
    yield from _all("type", document.types)
    yield from _all("language", document.languages)
    yield _element("pages", "" if document.pages is None else str(document.pages))
    yield from (_element("name", each.value, scheme=each.scheme) for each in document.names)
    for link in document.links:
        yield _element("link", link.url, kind=link.kind, label=link.label, mediaType=link.media_type)
    yield from _all("rights", document.rights)
    yield from _all("source", document.sources)
    yield from _all("relation", document.relations)
    yield _element("institution", document.institution)
    yield _element("department", document.department)
    for unit in document.units:
        yield _empty("unit", institution=unit.institution, department=unit.department)
    yield from _all("collection", document.collections)
    yield from _all("prerequisites", document.prerequisites)
    yield from _all("exam", document.exams)
    yield from _all("profession", document.professions)
    yield from map(_event, document.events)
    if document.file is not None:
        yield _element(
            "file", document.file.path, mediaType=document.file.media_type, size=str(document.file.size)
        )
    for name, values in document.extra.items():
        yield from (_element("extra", value, name=name) for value in values)


def _agent(element: str, agent: Agent) -> str:
    inner = [_element("name", agent.name), *_all("affiliation", agent.affiliations)]
    return (
        f"<{element}{_attributes({'role': agent.role, 'uri': agent.identifier})}>{''.join(inner)}</{element}>"
    )


def _event(event: Event) -> str:
    inner = "".join(_element(name, value) for name, value in event._asdict().items() if value)
    return f"<event>{inner}</event>" if inner else ""


def _all(element: str, values: Iterable[str]) -> Iterator[str]:
    return (_element(element, value) for value in values)


def _element(element: str, text: str | None, **attributes: str | None) -> str:
    return f"<{element}{_attributes(attributes)}>{escape_xml(text)}</{element}>" if text else ""


def _empty(element: str, **attributes: str | None) -> str:
    return f"<{element}{_attributes(attributes)}/>"


def _attributes(attributes: dict[str, str | None]) -> str:
    return "".join(f' {name}="{escape_xml(value)}"' for name, value in attributes.items() if value)
