"""A record laid out: the Document for people, then where it is from; or the same as JSON."""

from __future__ import annotations

import textwrap
from collections.abc import Iterable
from datetime import datetime
from typing import TYPE_CHECKING, Any

from windrow.cli.state import print_json
from windrow.cli.terminal import hint, moment, plural, printable, say, terminal_width
from windrow.model.document import Agent, Document, LinkKind, Moment, units_of

if TYPE_CHECKING:
    from windrow.store.records import StoredPayload, StoredRecord
    from windrow.wiring import Library

_LABEL = 14
_DESCRIPTION_LETTERS = 1200
_WIDEST = 100
_LINK_LABELS = {
    LinkKind.LANDING: "Page",
    LinkKind.FULLTEXT: "Full text",
    LinkKind.THUMBNAIL: "Thumbnail",
    LinkKind.LICENSE: "Licence",
    LinkKind.RELATED: "Related",
}


def print_record(opened: Library, record: StoredRecord, payload: StoredPayload | None) -> None:
    """Print a record for people."""
    if payload is None:
        say(f"{printable(record.identifier)} is deleted.", style="bold")
    else:
        document = _read(record, payload)
        say(printable(document.title or "(no title)"), style="bold")
        for label, value in _lines(document):
            _say_field(label, value)
        say()
    _print_holdings(opened, record)


def print_record_json(opened: Library, record: StoredRecord, payload: StoredPayload | None) -> None:
    """Print a record for programs: the same, with the Document as its fields."""
    from windrow.exports.portrait import as_dict

    first, _ = _seen(opened, record)
    values: dict[str, Any] = {
        "identifier": record.identifier,
        "source": record.source,
        "datestamp": record.stamp,
        "deleted": record.is_deleted,
        "sets": list(record.sets),
        "first_seen": first.isoformat() if first else None,
        "last_changed": record.changed_at.isoformat(),
        "added_run": record.added_run,
        "changed_run": record.changed_run,
        "formats": {item.prefix: len(item.data) for item in record.payloads},
        "leads_to": _leads_to(opened, record),
    }
    if payload is not None:
        values |= {"format": payload.prefix, "document": as_dict(_read(record, payload))}
    print_json(values)


def _read(record: StoredRecord, payload: StoredPayload) -> Document:
    from windrow.formats.registry import read
    from windrow.model.set_roles import reconciled

    return reconciled(read(payload.data, payload.declarations, payload.prefix), record.said)


def _lines(document: Document) -> Iterable[tuple[str, str]]:
    """The fields with something in them, in the order people look for them."""
    yield from (("Also titled", title.value) for title in document.titles[1:])
    yield "By", _people(document.creators)
    yield "With", _people(document.contributors)
    yield "Year", str(document.year or "")
    yield "Dates", "; ".join(map(_dated, document.dates))
    yield "Type", "; ".join(document.types)
    yield "Language", ", ".join(document.languages)
    yield from (("Institution", " › ".join(filter(None, unit))) for unit in units_of(document))
    yield "Collection", "; ".join(document.collections)
    yield "Publisher", "; ".join(document.publishers)
    yield "In", "; ".join(document.sources)
    yield "Pages", str(document.pages or "")
    yield "Subjects", "; ".join(subject.value for subject in document.subjects)
    yield "Keywords", "; ".join(document.keywords)
    yield from (("Description", _shortened(text.value)) for text in document.descriptions)
    yield from ((_LINK_LABELS[link.kind], link.url) for link in document.links)
    yield "Identifiers", "; ".join(f"{name.scheme}:{name.value}" for name in document.names)
    yield "Rights", "; ".join(document.rights)
    yield "Relations", "; ".join(document.relations)
    yield "Prerequisites", "; ".join(document.prerequisites)
    yield "Degree", "; ".join(document.exams)
    yield "Profession", "; ".join(document.professions)
    yield from (("Event", " · ".join(filter(None, event))) for event in document.events)
    for name, values in document.extra.items():
        yield name, "; ".join(values)


def _dated(date: Moment) -> str:
    return date.text if date.kind == "date" else f"{date.text} ({date.kind})"


def _people(agents: Iterable[Agent]) -> str:
    return "; ".join(f"{agent.name} ({agent.role})" if agent.role else agent.name for agent in agents)


def _shortened(text: str) -> str:
    return text if len(text) <= _DESCRIPTION_LETTERS else text[:_DESCRIPTION_LETTERS].rstrip() + " …"


def _say_field(label: str, value: str) -> None:
    """Print one field, wrapped under its label; an address is never broken."""
    if not value:
        return
    wide = max(40, min(terminal_width(), _WIDEST)) - _LABEL - 2
    lines = textwrap.wrap(printable(value), wide, break_long_words=False, break_on_hyphens=False) or [""]
    shown = printable(label)
    say(f"  {shown:<{_LABEL}}" if len(shown) < _LABEL else f"  {shown}  ", style="dim", end="")
    say(lines[0])
    for line in lines[1:]:
        say(" " * (_LABEL + 2) + line)


def _print_holdings(opened: Library, record: StoredRecord) -> None:
    from windrow.cli.summary import size

    first, names = _seen(opened, record)
    _say_field("Identifier", record.identifier)
    _say_field("Source", f"{record.source} ({_address(opened, record.source)})")
    _say_field("Datestamp", record.stamp)
    sets = [f"{spec} ({names[spec]})" if spec in names else spec for spec in record.sets]
    _say_field("Sets", "; ".join(sets))
    _say_field("First seen", f"{moment(first)} (run {record.added_run})")
    changed = "deleted here" if record.is_deleted else "last changed"
    _say_field(changed.capitalize(), f"{moment(record.changed_at)} (run {record.changed_run})")
    _say_field("Leads to", _leads_to(opened, record) or "")
    _say_field("Held as", ", ".join(f"{item.prefix} ({size(len(item.data))})" for item in record.payloads))
    if len(record.payloads) > 1:
        other = next(item.prefix for item in record.payloads if item is not record.payload())
        hint(f"{plural(len(record.payloads), 'format')}: --format {other} shows another, --raw the bytes")


def _seen(opened: Library, record: StoredRecord) -> tuple[datetime | None, dict[str, str]]:
    """When the record first came, and the names of its sets."""
    from windrow.store import runs
    from windrow.store.records import set_names

    with opened.store.reading() as connection:
        run = runs.get(connection, record.added_run)
        names = set_names(connection, record.source, record.sets)
    return run.started if run else None, names


def _leads_to(opened: Library, record: StoredRecord) -> str | None:
    """The identifier that this one was merged into, if it was."""
    from windrow.store import aliases, sources

    with opened.store.reading() as connection:
        state = sources.find(connection, record.source)
        return aliases.find(connection, state.id, record.identifier) if state else None


def _address(opened: Library, source: str) -> str:

    settings = opened.config.sources.get(source)
    return printable(settings.url) if settings else "no longer configured"
