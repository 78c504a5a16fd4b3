"""The last step of the quick way through oai_dc: the lists of one record to its Document."""

from __future__ import annotations

from typing import Any

from windrow.formats.abstracts import abstract_first
from windrow.formats.dates import year_of_all
from windrow.formats.draft import parted
from windrow.formats.relatives import settle
from windrow.model.document import Document, Subject, document_of

# By the places of `flat_values`; each from what makes a value the same to the value, as in a draft. Only of
# descriptions the same one may be there twice.
Lists = list[dict[Any, Any]]


def document_with(lists: Lists) -> Document:
    """The document: the year chosen, links settled, landing page first."""
    titles, creators, contributors, subjects, descriptions, publishers, dates, types = lists[:8]
    languages, pages, links, names, rights, sources, relations, extra = lists[8:]
    return document_of(
        tuple(titles),
        tuple(creators.values()),
        tuple(contributors.values()) if contributors else (),
        _settled(tuple(subjects.values())) if subjects else (),
        (),
        tuple(descriptions.values())
        if len(descriptions) < 2
        else abstract_first(tuple(dict.fromkeys(descriptions.values()))),
        tuple(publishers),
        tuple(dates),
        year_of_all(dates.keys()) if dates else None,
        tuple(types),
        tuple(languages),
        pages.get(None),
        settle(links.values()) if len(links) > 1 else tuple(links.values()),
        tuple(names),
        tuple(rights),
        tuple(sources) if sources else (),
        tuple(relations) if relations else (),
        None,
        None,
        _by_name(extra) if extra else {},
        (),
        None,
    )


def _settled(subjects: tuple[Subject, ...]) -> tuple[Subject, ...]:
    if len(subjects) > 1 or "," not in subjects[0].value:
        return subjects
    return parted(subjects[0], subjects[0].value)


def _by_name(extra: dict[tuple[str, str], str]) -> dict[str, tuple[str, ...]]:
    if len(extra) == 1:
        ((name, value),) = extra
        return {name: (value,)}
    found: dict[str, list[str]] = {}
    for name, value in extra:
        found.setdefault(name, []).append(value)
    return {name: tuple(values) for name, values in found.items()}
