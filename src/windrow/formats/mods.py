"""Reads MODS: titles, names, origin, subjects, locations and related items of one record.

Names are read in `modsnames`. What finds no place stays in `extra` as `mods:note`,
`mods:recordInfo/recordIdentifier` and so on.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator

from lxml import etree

from windrow.formats.elements import Draft, language_of, local
from windrow.formats.leftovers import Trail
from windrow.formats.modsnames import add_name, name_of
from windrow.model.document import Document, LinkKind

NAMESPACE = "http://www.loc.gov/mods/v3"
XLINK_HREF = "{http://www.w3.org/1999/xlink}href"

_DATES = {
    "dateIssued": "issued",
    "dateCreated": "created",
    "copyrightDate": "copyrighted",
    "dateCaptured": "digitized",
    "dateValid": "valid",
    "dateModified": "modified",
    "dateAccessioned": "accessioned",
    "dateAvailable": "available",
}
_OTHER_DATES = {
    "availableFrom": "available",
    "issued": "issued",
    "published": "published",
    "defence": "defended",
}
_TITLE_PARTS = ("nonSort", "title", "subTitle", "partNumber", "partName")
_PLAIN_TITLES = ("", "main", "uniform")
_FULLTEXT = re.compile(r"full\s?-?(?:text|image)|volltext", re.IGNORECASE)
_RESOLVER = re.compile(r"https?://(?:dx\.)?(?:doi\.org|hdl\.handle\.net)/", re.IGNORECASE)
_ACCESS = {
    "raw object": LinkKind.FULLTEXT,
    "preview": LinkKind.THUMBNAIL,
    "object in context": LinkKind.LANDING,
}


class Mods:
    """The Metadata Object Description Schema, versions 3.x, alone or inside a collection."""

    name = "mods"
    prefixes = frozenset({"oai_mods", "mods3", "mods31", "MODS", "swepub_mods", "mods_no_extension"})
    roots = frozenset({f"{{{NAMESPACE}}}mods", f"{{{NAMESPACE}}}modsCollection"})

    def read(self, root: etree._Element) -> Document:
        """Give the document that the record, or the first record of the collection, describes.

        The root may be any element whose children are those of `mods`: METS packages of DSpace
        leave the `mods` element itself out.
        """
        draft, trail = Draft("mods"), Trail()
        records = [child for child in root if local(child) == "mods"]
        _read(records[0] if records else root, draft, trail)
        if records:
            trail.sweep(records[0], draft, "mods")
            trail.skip(records[0])
        trail.sweep(root, draft, "mods")
        return draft.finish()


def _read(record: etree._Element, draft: Draft, trail: Trail) -> None:
    _add_titles(record, draft, trail)
    _add_types(record, draft, trail)
    has_publisher = any(
        True for child in children(record, "originInfo") for _ in children(child, "publisher")
    )
    locations = list(children(record, "location"))
    for url in (url for location in locations for url in children(location, "url")):
        if (url.get("usage") or "").startswith("primary"):  # before the identifiers, which may be links too
            _add_url(url, draft, trail)
    for child in record:
        name = local(child)
        if name == "name":
            add_name(child, draft, trail, has_publisher=has_publisher)
        elif name in _PLACES:
            _PLACES[name](child, draft, trail)
    _add_keeper(locations, draft, trail)


def children(element: etree._Element, *names: str) -> Iterator[etree._Element]:
    """Give the children of these names, whatever their namespace."""
    return (child for child in element if local(child) in names)


def _add_titles(record: etree._Element, draft: Draft, trail: Trail) -> None:
    """Add the titles, the main one first: a translation may stand before it."""
    found = list(children(record, "titleInfo", "titleinfo"))  # the second is ArchivesSpace's spelling
    found.sort(
        key=lambda info: (info.get("usage") != "primary", info.get("type", "") not in _PLAIN_TITLES[:2])
    )
    for info in found:
        language = language_of(info)
        for title in children(info, "title"):
            language = language or language_of(title)
        draft.add_title(title_of(info, trail), language)


def title_of(info: etree._Element, trail: Trail) -> str:
    """Give the title that a titleInfo holds: its article, subtitle and part joined on."""
    pieces: list[str] = []
    for child in info:
        name = local(child)
        text = trail.use(child) if name in _TITLE_PARTS else ""
        if text:
            pieces += [_joint(pieces[-1][-1], name) if pieces else "", text]
    return "".join(pieces) or (trail.use(info) if len(info) == 0 else "")


def _joint(last: str, name: str) -> str:
    """Give what stands between two parts of a title, after this character and before a part of this name."""
    if name == "title":
        return "" if last in "'’-" else " "
    if name == "subTitle":
        return " " if last in ":;=/" else " : "
    return " " if last == "." else ". "


def _add_types(record: etree._Element, draft: Draft, trail: Trail) -> None:
    """Add genre and type of resource.

    Scandinavian records give each genre as codes and in three languages: the English words are
    enough, and a review status is no type. The others stay in extra.
    """
    found = list(children(record, "genre", "typeOfResource"))
    plain = [genre for genre in found if not _is_code(genre)]
    has_english = any(language_of(genre) == "en" for genre in plain)
    for genre in plain or [genre for genre in found if not _is_content(genre)] or found:
        if not has_english or language_of(genre) in (None, "en"):
            draft.add_type(trail.use(genre))


def _is_content(genre: etree._Element) -> bool:
    """Return whether a genre only says for whom a work is: refereed, popular (SwePub)."""
    return (genre.get("type") or "").startswith("content")


def _is_code(genre: etree._Element) -> bool:
    kind = genre.get("type") or ""
    return _is_content(genre) or kind.endswith("Code") or genre.get("authority") in ("svep", "kev")


def _add_origin(origin: etree._Element, draft: Draft, trail: Trail) -> None:
    is_digitization = (origin.get("eventType") or "").startswith("digiti")
    for child in origin:
        name = local(child)
        if name == "publisher" and not is_digitization:
            draft.add_publisher(trail.use(child))
    for name in (*_DATES, "dateOther"):
        _add_dates([child for child in origin if local(child) == name], draft, trail, is_digitization)


def _add_dates(dates: list[etree._Element], draft: Draft, trail: Trail, is_digitization: bool) -> None:
    """Add the dates of one name: key dates first, start and end of a span as one."""
    dates.sort(key=lambda date: (date.get("keyDate") != "yes", not date.get("encoding")))
    ends = [date for date in dates if date.get("point") == "end"]
    closing = iter(ends)
    for date in dates:
        if date.get("point") == "end" and len(ends) < len(dates):
            continue
        end = next(closing, None) if date.get("point") == "start" else None
        text = trail.use(date) if end is None else f"{trail.use(date)}/{trail.use(end)}"
        kind = _DATES.get(local(date)) or _OTHER_DATES.get(date.get("type") or "", "date")
        draft.add_date(text, "digitized" if is_digitization else kind)


def _add_extension(extension: etree._Element, draft: Draft, trail: Trail) -> None:
    """Take the dates that DSpace has no other place for."""
    for date in children(extension, "dateAccessioned", "dateAvailable"):
        draft.add_date(trail.use(date), _DATES[local(date)])


def _add_language(language: etree._Element, draft: Draft, trail: Trail) -> None:
    if language.get("objectPart"):  # the language of a summary or of subtitles
        return
    terms = list(children(language, "languageTerm"))
    for term in terms or [language]:
        draft.add_language(trail.use(term))


def _add_physical(physical: etree._Element, draft: Draft, trail: Trail) -> None:
    for extent in children(physical, "extent"):
        text = trail.use(extent)
        is_count = text.isdecimal() and len(text) < 5  # DiVA gives the bare number of pages
        draft.add_extent(f"{text} p." if is_count else text, "physicalDescription/extent")


def _add_abstract(abstract: etree._Element, draft: Draft, trail: Trail) -> None:
    draft.add_description(trail.use(abstract), language_of(abstract), is_abstract=True)


def _add_subject(subject: etree._Element, draft: Draft, trail: Trail) -> None:
    parts = [(part, text) for part in subject if (text := _subject_part(part, trail))]
    if not parts and len(subject) == 0:
        parts = [(subject, trail.use(subject))]
    if not parts:
        return
    scheme = subject.get("authority") or next((part.get("authority") for part, _ in parts), None)
    uri = trail.value(subject, "valueURI") or (
        trail.value(parts[0][0], "valueURI") if len(parts) == 1 else ""
    )
    reference = subject.get(XLINK_HREF) or ""
    if not uri and ("://" in reference or (scheme and reference[:1] != "#")):  # an address, or a notation
        uri = trail.value(subject, XLINK_HREF)
    language = language_of(subject)
    if len(parts) > 1 and scheme is None and all(local(part) == "topic" for part, _ in parts):
        for _, text in parts:  # words side by side, not a heading with its subdivisions
            draft.add_subject(text, language=language)
        return
    draft.add_subject(
        " -- ".join(text for _, text in parts), scheme=scheme, uri=uri or None, language=language
    )


def _subject_part(part: etree._Element, trail: Trail) -> str:
    name = local(part)
    if name == "name":
        return name_of(part, trail, with_dates=True)
    if name == "titleInfo":
        return title_of(part, trail)
    if name == "hierarchicalGeographic":
        return " -- ".join(text for child in part if local(child) and (text := trail.use(child)))
    if name in ("topic", "geographic", "temporal", "genre", "occupation"):
        return trail.use(part)
    return ""


def _add_identifier(identifier: etree._Element, draft: Draft, trail: Trail) -> None:
    if identifier.get("invalid") == "yes":
        return
    scheme = (identifier.get("type") or "").lower()[:32]
    value = trail.use(identifier)
    if scheme in ("isbn", "issn", "pmid"):
        draft.add_identifier(f"{scheme} {value}" if value[:1].isdecimal() else value, scheme=scheme)
    elif scheme in ("hdl", "handle") and "://" not in value and not value.startswith("hdl:"):
        draft.add_identifier(f"hdl:{value}", scheme="hdl")
    else:
        draft.add_identifier(value, scheme=None if scheme in ("uri", "local") else scheme or None)


def _add_location(location: etree._Element, draft: Draft, trail: Trail) -> None:
    for url in children(location, "url"):
        if url not in trail:
            _add_url(url, draft, trail)


def _add_keeper(locations: list[etree._Element], draft: Draft, trail: Trail) -> None:
    """Take the institution that keeps the thing, where no body behind it is named as one."""
    places = [place for location in locations for place in children(location, "physicalLocation")]
    places = [place for place in places if _names_institution(place)]
    places.sort(key=lambda place: place.get("type") != "repository")
    for place in places[:1]:
        draft.add_institution(trail.use(place))


def _names_institution(place: etree._Element) -> bool:
    """Tell whether a location is an institution, not a shelf, a box or a code."""
    if place.get("type") or place.get("authority"):
        return place.get("type") == "repository"
    return not any(map(str.isdecimal, place.text or ""))


def _add_url(url: etree._Element, draft: Draft, trail: Trail) -> None:
    label = url.get("displayLabel") or url.get("note")
    address = trail.use(url)
    hint = _ACCESS.get(url.get("access") or "")
    if hint is None and label and _FULLTEXT.search(label[:200]) and not _RESOLVER.match(address):
        hint = LinkKind.FULLTEXT
    if "manifest" in f"{label or ''} {address[-20:]}".lower():  # IIIF: for viewers, not for people
        hint = LinkKind.RELATED
    draft.add_link(address, hint=hint, label=label)


def _add_rights(condition: etree._Element, draft: Draft, trail: Trail) -> None:
    draft.add_rights(trail.use(condition))
    draft.add_rights(trail.value(condition, XLINK_HREF))


def _add_related(related: etree._Element, draft: Draft, trail: Trail) -> None:
    kind = related.get("type") or ""
    title = next((title_of(info, trail) for info in children(related, "titleInfo")), "")
    is_grant = any((genre.text or "") == "grantAgreement" for genre in children(related, "genre"))
    if kind in ("host", "series") and not is_grant:
        draft.add_source(", ".join(filter(None, (title, *_part_of(related, trail)))))
        return
    draft.add_relation(title or trail.value(related, XLINK_HREF))


def _part_of(related: etree._Element, trail: Trail) -> list[str]:
    """Give where in its host the thing stands: volume, issue, pages."""
    found = []
    for part in children(related, "part"):
        for detail in children(part, "detail"):
            found += [trail.use(number) for number in children(detail, "number")]
        for extent in children(part, "extent"):
            pages = [trail.use(child) for child in children(extent, "start", "end", "list")]
            found.append("-".join(filter(None, pages)))
    return found


_PLACES: dict[str, Callable[[etree._Element, Draft, Trail], None]] = {
    "originInfo": _add_origin,
    "language": _add_language,
    "physicalDescription": _add_physical,
    "abstract": _add_abstract,
    "subject": _add_subject,
    "identifier": _add_identifier,
    "location": _add_location,
    "accessCondition": _add_rights,
    "relatedItem": _add_related,
    "extension": _add_extension,
}

READER = Mods()
