"""Events in LIDO: what happened to the object, who made it, and when. Part of the lido reader."""

from __future__ import annotations

import re
from collections.abc import Iterable

from lxml import etree

from windrow.formats.dates import year_of
from windrow.formats.elements import Draft, local, text_of
from windrow.formats.leftovers import Trail
from windrow.formats.lidoconcepts import children, identifier_of, term_of
from windrow.model.document import Event

# Making, by the words for it and by LIDO's own numbers for production, creation and design.
_MAKING = re.compile(
    r"produ[ck]|creat|herstellung|hergestellt|entstehung|entwurf|design|vervaardig|valmist|tillverk|skapa|"
    r"aufgenommen|lido000(?:07|12)\b|lido00224\b|E12_|E65_",
    re.IGNORECASE,
)
_PUBLISHING = re.compile(r"publi[ck]|veröffentlich|julkais|lido00228\b", re.IGNORECASE)


def add_event(event: etree._Element, draft: Draft, trail: Trail, language: str | None) -> None:  # noqa: ARG001
    """Take every event; from the making also creators and dates, from the publishing dates.

    What is said of events stays in extra as well, where it is in more detail.
    """
    draft.add_event(_outline(event))
    kind = _kind_of(event)
    if not kind:
        return
    for actor in children(event, "eventActor"):
        _add_actor(actor, draft, trail, is_maker=kind == "created")
    for date in children(event, "eventDate"):
        _add_date(date, kind, draft, trail)


def _outline(event: etree._Element) -> Event:
    """The event in brief; the first of each, as it is displayed where that is said."""
    aside = Trail()  # reading it here uses nothing up
    kinds = [term_of(kind, aside)[0] for kind in children(event, "eventType")]
    periods = [term_of(period, aside)[0] for period in children(event, "periodName")]
    return Event(
        identifier=_first(map(text_of, children(event, "eventID"))),
        period=_first(periods),
        kind=_first(kinds),
        place=_first(map(_place_of, children(event, "eventPlace"))),
        time=_first(map(_time_of, children(event, "eventDate"))),
    )


def _first(texts: Iterable[str]) -> str | None:
    return next(filter(None, texts), None)


def _place_of(place: etree._Element) -> str:
    displayed = [text_of(display) for display in children(place, "displayPlace")]
    names = (text_of(value) for value in place.iter() if local(value) == "appellationValue")
    return _first(displayed) or _first(names) or ""


def _time_of(date: etree._Element) -> str:
    displayed = [text_of(display) for display in children(date, "displayDate")]
    spans = [end for span in children(date, "date") for end in children(span, "earliestDate", "latestDate")]
    return _first(displayed) or "/".join(dict.fromkeys(filter(None, map(text_of, spans))))


def _kind_of(event: etree._Element) -> str:
    words = " ".join(
        f"{text[:200]} {about[:200]}"
        for kind in children(event, "eventType")
        for part in kind.iter()
        if isinstance(part.tag, str)
        for text, about in [(part.text or "", _about(part))]
    )
    if _MAKING.search(words):
        return "created"
    return "published" if _PUBLISHING.search(words) else ""


def _about(element: etree._Element) -> str:
    return next((str(value) for key, value in element.attrib.items() if str(key).endswith("}about")), "")


def _add_actor(event_actor: etree._Element, draft: Draft, trail: Trail, *, is_maker: bool) -> None:
    add = draft.add_creator if is_maker else draft.add_contributor
    has_name = False
    for in_role in children(event_actor, "actorInRole"):
        named = [(actor, name) for actor in children(in_role, "actor") if (name := _name_of(actor, trail))]
        roles = [term_of(role, trail)[0] for role in children(in_role, "roleActor")] if named else []
        for actor, name in named:
            identifier = identifier_of(actor, trail, "actorID")
            add(name, role=next(filter(None, roles), None), identifier=identifier)
        has_name = has_name or bool(named)
    for display in children(event_actor, "displayActorInRole") if not has_name else ():
        add(trail.use(display))


def _name_of(actor: etree._Element, trail: Trail) -> str:
    values = [
        value for names in children(actor, "nameActorSet") for value in children(names, "appellationValue")
    ]
    return trail.use(values[0]) if values else ""


def _add_date(event_date: etree._Element, kind: str, draft: Draft, trail: Trail) -> None:
    """Take the date for display; where no year can be read from it, the span beside it as well."""
    has_year = False
    for display in children(event_date, "displayDate"):
        text = trail.use(display)
        has_year = has_year or year_of(text) is not None
        draft.add_date(text, kind)
    for date in children(event_date, "date") if not has_year else ():
        ends = dict.fromkeys(trail.use(end) for end in children(date, "earliestDate", "latestDate"))
        draft.add_date("/".join(filter(None, ends)), kind)
