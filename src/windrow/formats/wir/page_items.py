"""Mapping of the schema.org items of a page onto a draft.

The payload carries the items from `sources.web.structured` in the form of JSON-LD. What no field has a
place for goes to `extra` under its own name (`schema:timeRequired`).
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from typing import Any

from windrow.formats.mapping.document_draft import Draft
from windrow.formats.wir.page_identity import COURSES, EVENTS
from windrow.formats.wir.page_tags import Taken
from windrow.model.document import Event, LinkKind
from windrow.model.text.language_codes import language_codes
from windrow.model.web_page import Item

MOST_VALUES = 500
MOST_EVENTS = 1_000
EXTRA_CHARACTERS = 2_000
DEEPEST = 6
_INSTANCE = "CourseInstance"


def add_items(draft: Draft, items: Sequence[Item], taken: Taken) -> None:
    """Add the first item to a draft, and the events beside a course."""
    if not items:
        return
    first = next((item for item in items if _INSTANCE not in _types(item)), items[0])
    _add_item(draft, first, taken)
    is_course = not COURSES.isdisjoint(_types(first))
    for item in items:
        if item is first:
            continue
        if is_course and (_INSTANCE in _types(item) or not EVENTS.isdisjoint(_types(item))):
            draft.add_event(_event(item))
        else:
            for name in _texts(item.get("name")):
                draft.add_extra(f"schema:{next(iter(_types(item)), 'item')}", name[:EXTRA_CHARACTERS])


def _add_item(draft: Draft, item: Item, taken: Taken) -> None:
    for kind in _types(item):
        draft.add_type(kind)
    if _INSTANCE in _types(item) or not EVENTS.isdisjoint(_types(item)):
        draft.add_event(_event(item))
    had = frozenset(taken)
    for key, value in item.items():
        field = _FIELDS.get(key)
        if field is not None and field in had:
            for text in _texts(value):
                if text not in taken[field]:
                    draft.add_extra(f"schema:{key}", text[:EXTRA_CHARACTERS])
            continue
        if field is not None:
            taken.setdefault(field, set()).update(_texts(value))
        take = _TAKES.get(key)
        if take is not None:
            for each in _values(value):
                take(draft, each)
        elif key not in ("@type", "@id"):
            for text in _texts(value):
                draft.add_extra(f"schema:{key[:100]}", text[:EXTRA_CHARACTERS])
    name = item.get("@id")
    if isinstance(name, str) and name.startswith(("http://", "https://", "urn:", "doi:")):
        draft.add_identifier(name)


def _event(item: Item) -> Event:
    language = next((code for text in _texts(item.get("inLanguage")) for code in language_codes(text)), None)
    begins, ends = _first(item, "startDate"), _first(item, "endDate")
    time = "/".join(part for part in (begins, ends) if part) or _first(item, "courseSchedule", "description")
    return Event(
        _first(item, "identifier", "courseCode"),
        _first(item, "name"),
        _first(item, "courseMode", "eventAttendanceMode"),
        _first(item, "courseWorkload"),
        _first(item, "location"),
        language,
        time[:EXTRA_CHARACTERS] if time else None,
    )


def _types(item: Item) -> list[str]:
    kinds = item.get("@type")
    return [kind for kind in (kinds if isinstance(kinds, list) else [kinds]) if isinstance(kind, str)]


def _values(value: Any) -> Sequence[Any]:
    return value[:MOST_VALUES] if isinstance(value, list) else [value]


def _texts(value: Any, depth: int = 0) -> Iterator[str]:
    """Yield the texts of a value; for an object, its name."""
    if isinstance(value, str):
        if value.strip():
            yield value
    elif isinstance(value, bool):
        yield "true" if value else "false"
    elif isinstance(value, int | float):
        yield str(value)
    elif isinstance(value, list) and depth < DEEPEST:
        for each in value[:MOST_VALUES]:
            yield from _texts(each, depth + 1)
    elif isinstance(value, dict) and depth < DEEPEST:
        yield from _words_of_thing(value, depth)


def _words_of_thing(thing: Item, depth: int) -> Iterator[str]:
    for key in ("@value", "name", "headline", "value", "termCode", "url", "@id"):
        if key in thing:
            yield from _texts(thing[key], depth + 1)
            return
    parts = [text for key, value in thing.items() if key != "@type" for text in _texts(value, depth + 1)]
    if parts:
        yield ", ".join(parts)[:EXTRA_CHARACTERS]


def _first(item: Item, *keys: str) -> str | None:
    return next((text for key in keys for text in _texts(item.get(key))), None)


def _worded(add: Callable[[Draft, str, str | None], None]) -> Callable[[Draft, Any], None]:
    """Return a function that adds a text with its language: `{"@value": …, "@language": "sv"}`."""

    def take(draft: Draft, value: Any) -> None:
        said = value.get("@language") if isinstance(value, dict) else None
        codes = language_codes(said) if isinstance(said, str) else ()
        for text in _texts(value):
            add(draft, text, codes[0] if codes else None)

    return take


def _valued(add: Callable[[Draft, str], None]) -> Callable[[Draft, Any], None]:
    def take(draft: Draft, value: Any) -> None:
        for text in _texts(value):
            add(draft, text)

    return take


def _agent(value: Any) -> Iterator[tuple[str, str | None, list[str], str | None]]:
    """Yield name, identifier, affiliations and role of a person or body; a Role is unwrapped."""
    if isinstance(value, str):
        yield value, None, [], None
        return
    if not isinstance(value, dict):
        return
    if "Role" in _types(value):
        inner = next(
            (value[key] for key in ("author", "creator", "contributor", "editor") if key in value), None
        )
        for name, identifier, places, _ in _agent(inner):
            yield name, identifier, places, _first(value, "roleName")
        return
    name = _first(value, "name") or " ".join(
        part for part in (_first(value, "givenName"), _first(value, "familyName")) if part
    )
    known = [value.get("@id"), *_values(value.get("sameAs")), *_texts(value.get("identifier"))]
    orcid = next((each for each in known if isinstance(each, str) and "orcid.org/" in each), None)
    yield name, orcid, list(_texts(value.get("affiliation"))), None


def _creator(draft: Draft, value: Any) -> None:
    for name, identifier, places, role in _agent(value):
        draft.add_creator(name, role=role, identifier=identifier, affiliations=places)


def _contributor(role: str | None) -> Callable[[Draft, Any], None]:
    def take(draft: Draft, value: Any) -> None:
        for name, identifier, places, said in _agent(value):
            draft.add_contributor(name, role=said or role, identifier=identifier, affiliations=places)

    return take


def _keywords(draft: Draft, value: Any) -> None:
    for text in _texts(value):
        for word in text.replace(";", ",").split(",")[:MOST_VALUES]:
            draft.add_keyword(word)


def _subject(draft: Draft, value: Any) -> None:
    scheme = _first(value, "inDefinedTermSet") if isinstance(value, dict) else None
    address = value.get("@id") or value.get("url") if isinstance(value, dict) else None
    uri = address if isinstance(address, str) and ":" in address else None
    for text in _texts(value):
        draft.add_subject(text, scheme=scheme, uri=uri)


def _identifier(scheme: str | None = None) -> Callable[[Draft, Any], None]:
    def take(draft: Draft, value: Any) -> None:
        said = _first(value, "propertyID") if isinstance(value, dict) else None
        texts: Iterable[str] = (
            _texts(value.get("value") or value) if isinstance(value, dict) else _texts(value)
        )
        for text in texts:
            draft.add_identifier(text, scheme=scheme or _known_scheme(said))

    return take


def _known_scheme(said: str | None) -> str | None:
    small = (said or "").lower().rpartition("/")[2]
    return small if small in ("doi", "isbn", "issn", "urn", "hdl", "handle", "pmid", "arxiv") else None


def _linked(hint: LinkKind | None) -> Callable[[Draft, Any], None]:
    def take(draft: Draft, value: Any) -> None:
        if isinstance(value, dict):
            address = _first(value, "contentUrl", "url", "@id")
            media_type = _first(value, "encodingFormat", "fileFormat")
            if address:
                draft.add_link(address, hint=hint, media_type=media_type, label=_first(value, "name"))
        elif isinstance(value, str):
            draft.add_link(value, hint=hint)

    return take


def _institution(draft: Draft, value: Any) -> None:
    for text in _texts(value):
        draft.add_institution(text)
    if isinstance(value, dict):
        for text in _texts(value.get("department")):
            draft.add_department(text)


def _instance(draft: Draft, value: Any) -> None:
    if isinstance(value, dict):
        draft.add_event(_event(value))


def _page_count(draft: Draft, value: Any) -> None:
    for text in _texts(value):
        if text.isascii() and text.isdecimal() and len(text) < 7:
            draft.add_pages(int(text))


def _dated(kind: str) -> Callable[[Draft, Any], None]:
    return _valued(lambda draft, text: draft.add_date(text, kind))


# Fields that a page repeats in several families; see `page_tags`.
_FIELDS = {
    "name": "title",
    "headline": "title",
    "author": "creator",
    "creator": "creator",
    "publisher": "publisher",
    "description": "description",
    "abstract": "description",
}
_TAKES: dict[str, Callable[[Draft, Any], None]] = {
    "name": _worded(Draft.add_title),
    "headline": _worded(Draft.add_title),
    "alternateName": _worded(Draft.add_alternative),
    "alternativeHeadline": _worded(Draft.add_alternative),
    "author": _creator,
    "creator": _creator,
    "contributor": _contributor(None),
    "editor": _contributor("editor"),
    "funder": _contributor("funder"),
    "instructor": _contributor("instructor"),
    "about": _subject,
    "teaches": _subject,
    "keywords": _keywords,
    "description": _worded(Draft.add_description),
    "abstract": _worded(
        lambda draft, text, language: draft.add_description(text, language, is_abstract=True)
    ),
    "publisher": _valued(Draft.add_publisher),
    "provider": _institution,
    "sourceOrganization": _institution,
    "datePublished": _dated("issued"),
    "dateCreated": _dated("created"),
    "dateModified": _dated("modified"),
    "startDate": _dated("start"),
    "genre": _valued(Draft.add_type),
    "inLanguage": _valued(Draft.add_language),
    "identifier": _identifier(),
    "courseCode": _identifier(),
    "doi": _identifier("doi"),
    "isbn": _identifier("isbn"),
    "issn": _identifier("issn"),
    "url": _linked(LinkKind.LANDING),
    "license": _valued(Draft.add_rights),
    "copyrightNotice": _valued(Draft.add_rights),
    "isPartOf": _valued(Draft.add_source),
    "citation": _valued(Draft.add_relation),
    "sameAs": _valued(Draft.add_relation),
    "encoding": _linked(LinkKind.FULLTEXT),
    "distribution": _linked(LinkKind.FULLTEXT),
    "contentUrl": _linked(LinkKind.FULLTEXT),
    "image": _linked(LinkKind.THUMBNAIL),
    "thumbnailUrl": _linked(LinkKind.THUMBNAIL),
    "numberOfPages": _page_count,
    "hasCourseInstance": _instance,
    "subEvent": _instance,
    "coursePrerequisites": _valued(Draft.add_prerequisite),
    "programPrerequisites": _valued(Draft.add_prerequisite),
    "educationalCredentialAwarded": _valued(Draft.add_exam),
    "occupationalCredentialAwarded": _valued(Draft.add_exam),
    "occupationalCategory": _valued(Draft.add_profession),
}
