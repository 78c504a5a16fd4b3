"""The last step of the quick way through oai_dc: the lists of one record to its Document."""

from __future__ import annotations

from collections.abc import Hashable
from typing import Any

from windrow.formats.dates import year_of_all
from windrow.formats.draft import parts_of
from windrow.formats.relatives import settle
from windrow.model.document import Document, Subject, document_of

Lists = list[dict[Hashable, Any]]  # by the places of `flat_values`: what makes a value the same, the value


def empty() -> Lists:
    """Lists for a record of which nothing is known yet."""
    return [{}, {}, {}, {}, {}, {}, {}, {}, {}, {}, {}, {}, {}, {}, {}, {}]


def gather(lists: Lists) -> Document:
    """The document: the year chosen, links settled, landing page first."""
    (
        titles,
        creators,
        contributors,
        subjects,
        descriptions,
        publishers,
        dates,
        types,
        languages,
        pages,
        links,
        names,
        rights,
        sources,
        relations,
        extra,
    ) = lists
    return document_of(
        tuple(titles.values()),
        tuple(creators.values()),
        tuple(contributors.values()),
        _subjects(tuple(subjects.values())),
        (),
        tuple(descriptions.values()),
        tuple(publishers),
        tuple(dates.values()),
        year_of_all(dates.values()),
        tuple(types),
        tuple(languages),
        pages.get(None),
        settle(links.values()) if links else (),
        tuple(names.values()),
        tuple(rights),
        tuple(sources),
        tuple(relations),
        None,
        None,
        _extra(extra) if extra else {},
    )


def _subjects(subjects: tuple[Subject, ...]) -> tuple[Subject, ...]:
    if len(subjects) == 1 and "," in subjects[0].value:
        return parts_of(subjects[0], subjects[0].value)
    return subjects


def _extra(found: dict[Hashable, Any]) -> dict[str, tuple[str, ...]]:
    extra: dict[str, list[str]] = {}
    for name, value in found:
        extra.setdefault(name, []).append(value)
    return {name: tuple(values) for name, values in extra.items()}
