"""`windrow record` shows, compares and merges records; `windrow diff` shows what a run changed."""

from __future__ import annotations

import sys
import textwrap
from collections.abc import Iterable
from dataclasses import fields
from datetime import datetime
from typing import TYPE_CHECKING, Annotated, Any

import typer

from windrow.cli.invocation import JSON, opened_library, print_json, source_names, stopping_on_signals
from windrow.cli.jobs.run_command import find_run
from windrow.cli.sources.harvest_command import follow_index
from windrow.cli.terminal import (
    cut_to_terminal,
    format_time,
    plural,
    print_hint,
    print_line,
    print_table,
    printable,
    shorten,
    terminal_width,
)
from windrow.errors import NotFound, UsageError
from windrow.model.document import Agent, Document, DocumentDate, LinkKind, document_units

if TYPE_CHECKING:
    from windrow.harvest.run_diff import FieldChange, RunDiff, TouchedRecord
    from windrow.model.run import Run
    from windrow.store.records.record_reader import Alias, StoredPayload, StoredRecord
    from windrow.wiring import Library

record_app = typer.Typer(
    help="Show and compare records; merge two identifiers into one.", no_args_is_help=True
)
SOURCE = typer.Option(
    "--source", "-s", metavar="NAME", help="The record of this source.", autocompletion=source_names
)

NAME = typer.Argument(metavar="SOURCE", help="The source of both.", autocompletion=source_names)


@record_app.command("show")
def show(
    identifier: Annotated[str, typer.Argument(metavar="ID", help="The OAI identifier.")],
    source: Annotated[str | None, SOURCE] = None,
    raw: Annotated[
        bool, typer.Option("--raw", help="Print only the metadata, byte for byte as it came, in UTF-8.")
    ] = False,
    standalone: Annotated[
        bool,
        typer.Option(
            "--standalone",
            help="Print only the metadata, as an XML document of its own: with the namespaces added that were"
            " declared around it.",
        ),
    ] = False,
    prefix: Annotated[
        str | None, typer.Option("--format", metavar="PREFIX", help="The metadata format; else the first.")
    ] = None,
    is_json: Annotated[bool, JSON] = False,
) -> None:
    """Show one record: what it says, where it is from, when it came."""
    with opened_library() as opened:
        record = find_record(opened, identifier, source=source)
        if raw and standalone:
            raise UsageError("--raw and --standalone are two forms of the same", hint="Choose one of them.")
        if raw or standalone:
            _write_payload(_payload(record, prefix), is_standalone=standalone)
        else:
            chosen = None if record.is_deleted else _payload(record, prefix)
            (print_record_json if is_json else print_record)(opened, record, chosen)


@record_app.command("compare")
def compare(
    first: Annotated[str, typer.Argument(metavar="FIRST", help="The OAI identifier of one record.")],
    second: Annotated[str, typer.Argument(metavar="SECOND", help="That of the other.")],
    source: Annotated[str | None, SOURCE] = None,
    other_source: Annotated[
        str | None,
        typer.Option(
            "--with-source",
            metavar="NAME",
            help="The second record is of this source. [default: that of --source]",
            autocompletion=source_names,
        ),
    ] = None,
    is_json: Annotated[bool, JSON] = False,
) -> None:
    """Show in which fields two records differ: what only the first (-) or only the second (+) has."""

    with opened_library() as opened:
        one = find_record(opened, first, source=source)
        other = find_record(opened, second, source=other_source or source)
    compare_records(one, other, is_json=is_json)


@record_app.command("merge")
def merge(
    source: Annotated[str, NAME],
    old: Annotated[str, typer.Argument(metavar="OLD", help="The identifier that is given up.")],
    new: Annotated[str, typer.Argument(metavar="NEW", help="The identifier that remains.")],
    unseen: Annotated[
        bool, typer.Option("--unseen", help="Also where OLD was never harvested, but others link to it.")
    ] = False,
    is_json: Annotated[bool, JSON] = False,
) -> None:
    """Let one identifier lead to another: the old record becomes a tombstone, its page a redirect."""

    merge_records(source, old, new, is_unseen_allowed=unseen, is_json=is_json)


@record_app.command("unmerge")
def unmerge(
    source: Annotated[str, NAME],
    old: Annotated[str, typer.Argument(metavar="OLD", help="The identifier that was given up.")],
    is_json: Annotated[bool, JSON] = False,
) -> None:
    """Let an identifier stand for itself again. A harvest that lists its record brings it back."""

    unmerge_record(source, old, is_json=is_json)


@record_app.command("merges")
def merges(
    source: Annotated[
        str | None,
        typer.Argument(metavar="[SOURCE]", help="Only of this source.", autocompletion=source_names),
    ] = None,
    is_json: Annotated[bool, JSON] = False,
) -> None:
    """List the identifiers that lead to another record."""

    list_merges(source, is_json=is_json)


def find_record(opened: Library, identifier: str, *, source: str | None) -> StoredRecord:
    """Return the record with this identifier; the error explains why there is none or more than one."""
    from windrow.store.records.record_reader import RecordReader

    if source is not None:
        opened.source(source)
    with opened.store.reading() as connection:
        found = RecordReader().find(connection, identifier, source=source)
    if not found:
        raise _unknown(opened, identifier, source)
    if len(found) > 1:
        names = ", ".join(record.source for record in found)
        raise UsageError(
            f"{identifier} is in several sources: {names}",
            hint=f"Choose one, as in --source {found[0].source}",
        )
    return found[0]


def _unknown(opened: Library, identifier: str, source: str | None) -> NotFound:
    from windrow.cli.terminal import printable
    from windrow.store.harvests import quarantine_cases
    from windrow.store.records.similar_identifiers import find_similar_identifiers

    with opened.store.reading() as connection:
        waiting = quarantine_cases.list_cases(connection, source=source, identifier=identifier, limit=1)
        alike = find_similar_identifiers(connection, identifier)
    where = f" of {source}" if source else ""
    hint = f"`windrow trace {printable(identifier)}` looks for it."
    if waiting:
        hint = f"It is in quarantine: windrow quarantine show {waiting[0].id}"
    elif identifier in alike:
        hint = "Another source has it: leave --source away."
    elif alike:
        hint = "Did you mean " + " or ".join(map(printable, alike)) + "?"
    return NotFound(f"there is no record {printable(identifier)}{where}", hint=hint)


def _payload(record: StoredRecord, prefix: str | None) -> StoredPayload:
    """Return the payload in a format; the error lists the available formats."""
    found = record.payload(prefix)
    if found is not None:
        return found
    if record.is_deleted:
        raise NotFound(
            f"{record.identifier} is deleted, so there is no metadata",
            hint=f"`windrow record show {record.identifier}` says when.",
        )
    held = ", ".join(payload.prefix for payload in record.payloads)
    if not held:
        raise NotFound(f"{record.identifier} came without metadata")
    raise NotFound(f"{record.identifier} is not held in {prefix}", hint=f"It is held in: {held}.")


def _write_payload(payload: StoredPayload, *, is_standalone: bool) -> None:
    from windrow.protocols.oai.payload_xml import make_standalone

    data = make_standalone(payload.data, payload.declarations) if is_standalone else payload.data
    sys.stdout.buffer.write(data)
    sys.stdout.buffer.flush()


# `windrow record merge`, `unmerge` and `merges`: identifiers that lead to another record.


def merge_records(source: str, old: str, new: str, *, is_unseen_allowed: bool, is_json: bool) -> None:
    """Redirect `old` to `new`, and report it."""
    from windrow.wiring.single_records import merge_identifiers

    with opened_library() as opened, stopping_on_signals() as stopper:
        run = merge_identifiers(opened, source, old, new, is_unseen_allowed=is_unseen_allowed)
        follow_index(opened, stopper, is_quiet=is_json)
    if is_json:
        print_json(
            {
                "source": source,
                "merged": old,
                "into": new,
                "run": run.id,
                "withdrawn": bool(run.counters.deleted),
            }
        )
        return
    print_line(f"{printable(old)} now leads to {printable(new)} (run {run.id})")
    if run.counters.deleted:
        print_line("  Its own record is a tombstone from now on, and a harvest does not bring it back.")
    print_hint(f"Undo it: windrow record unmerge {source} {printable(old)}")


def unmerge_record(source: str, old: str, *, is_json: bool) -> None:
    from windrow.wiring.single_records import unmerge_identifier

    with opened_library() as opened:
        unmerge_identifier(opened, source, old)
    if is_json:
        print_json({"source": source, "unmerged": old})
        return
    print_line(f"{printable(old)} leads nowhere else any more")
    print_hint(f"Its record stays a tombstone until a harvest lists it: windrow harvest {source} --full")


def list_merges(source: str | None, *, is_json: bool) -> None:
    from windrow.store.records import record_reader

    with opened_library() as opened:
        if source is not None:
            opened.source(source)
        with opened.store.reading() as connection:
            found = record_reader.list_aliases(connection, source)
    if is_json:
        print_json([_merge_as_dict(each) for each in found])
    elif not found:
        print_hint("Nothing was merged.")
    else:
        rows = [(each.source, each.identifier, _merge_target(each), format_time(each.at)) for each in found]
        print_table(("source", "merged", "leads to", "since"), rows)


def _merge_as_dict(merge: Alias) -> dict[str, object]:
    return {
        "source": merge.source,
        "merged": merge.identifier,
        "into": merge.into,
        "leads_to": merge.leads_to,
        "dead_end": merge.is_dead_end,
        "at": merge.at.isoformat(),
    }


def _merge_target(merge: Alias) -> str:
    return f"{merge.leads_to} (deleted)" if merge.is_dead_end else merge.leads_to


# The layout of `windrow record show`: the Document, then where it is from; or the same as JSON.

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
    if payload is None:
        print_line(f"{printable(record.identifier)} is deleted.", style="bold")
    else:
        document = _read_document(record, payload)
        print_line(printable(document.title or "(no title)"), style="bold")
        for label, value in _document_lines(document):
            _print_field(label, value)
        print_line()
    _print_holdings(opened, record)


def print_record_json(opened: Library, record: StoredRecord, payload: StoredPayload | None) -> None:
    """Print a record as JSON, with the Document as its fields."""
    from windrow.exports.entries import as_dict

    first, _ = _first_seen_and_sets(opened, record)
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
        "leads_to": _merged_into(opened, record),
    }
    if payload is not None:
        values |= {"format": payload.prefix, "document": as_dict(_read_document(record, payload))}
    print_json(values)


def _read_document(record: StoredRecord, payload: StoredPayload) -> Document:
    from windrow.formats.registry import read
    from windrow.model.set_assignment import apply_assignment

    return apply_assignment(read(payload.data, payload.declarations, payload.prefix), record.said)


def _document_lines(document: Document) -> Iterable[tuple[str, str]]:
    """Return the fields that have a value, the most useful ones first."""
    yield from (("Also titled", title.value) for title in document.titles[1:])
    yield "By", _people(document.creators)
    yield "With", _people(document.contributors)
    yield "Year", str(document.year or "")
    yield "Dates", "; ".join(map(_dated, document.dates))
    yield "Type", "; ".join(document.types)
    yield "Language", ", ".join(document.languages)
    yield from (("Institution", " › ".join(filter(None, unit))) for unit in document_units(document))
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


def _dated(date: DocumentDate) -> str:
    return date.text if date.kind == "date" else f"{date.text} ({date.kind})"


def _people(agents: Iterable[Agent]) -> str:
    return "; ".join(f"{agent.name} ({agent.role})" if agent.role else agent.name for agent in agents)


def _shortened(text: str) -> str:
    return text if len(text) <= _DESCRIPTION_LETTERS else text[:_DESCRIPTION_LETTERS].rstrip() + " …"


def _print_field(label: str, value: str) -> None:
    """Print one field, wrapped under its label; addresses are never broken."""
    if not value:
        return
    wide = max(40, min(terminal_width(), _WIDEST)) - _LABEL - 2
    lines = textwrap.wrap(printable(value), wide, break_long_words=False, break_on_hyphens=False) or [""]
    shown = printable(label)
    print_line(f"  {shown:<{_LABEL}}" if len(shown) < _LABEL else f"  {shown}  ", style="dim", end="")
    print_line(lines[0])
    for line in lines[1:]:
        print_line(" " * (_LABEL + 2) + line)


def _print_holdings(opened: Library, record: StoredRecord) -> None:
    from windrow.cli.run_summary import format_size

    first, names = _first_seen_and_sets(opened, record)
    _print_field("Identifier", record.identifier)
    _print_field("Source", f"{record.source} ({_address(opened, record.source)})")
    _print_field("Datestamp", record.stamp)
    sets = [f"{spec} ({names[spec]})" if spec in names else spec for spec in record.sets]
    _print_field("Sets", "; ".join(sets))
    _print_field("First seen", f"{format_time(first)} (run {record.added_run})")
    changed = "deleted here" if record.is_deleted else "last changed"
    _print_field(changed.capitalize(), f"{format_time(record.changed_at)} (run {record.changed_run})")
    _print_field("Leads to", _merged_into(opened, record) or "")
    _print_field(
        "Held as", ", ".join(f"{item.prefix} ({format_size(len(item.data))})" for item in record.payloads)
    )
    if len(record.payloads) > 1:
        other = next(item.prefix for item in record.payloads if item is not record.payload())
        print_hint(
            f"{plural(len(record.payloads), 'format')}: --format {other} shows another, --raw the bytes"
        )


def _first_seen_and_sets(opened: Library, record: StoredRecord) -> tuple[datetime | None, dict[str, str]]:
    """Return when the record was first harvested, and the names of its sets."""
    from windrow.store import runs
    from windrow.store.records.record_reader import read_set_names

    with opened.store.reading() as connection:
        run = runs.get(connection, record.added_run)
        names = read_set_names(connection, record.source, record.sets)
    return run.started if run else None, names


def _merged_into(opened: Library, record: StoredRecord) -> str | None:
    from windrow.store import sources
    from windrow.store.records import record_reader

    with opened.store.reading() as connection:
        state = sources.find(connection, record.source)
        return record_reader.resolve_alias(connection, state.id, record.identifier) if state else None


def _address(opened: Library, source: str) -> str:

    settings = opened.config.sources.get(source)
    return printable(settings.url) if settings else "no longer configured"


# `windrow diff`: what a run added, changed, deleted and restored.

_MARKS = {"added": ("+", "good"), "deleted": ("-", "bad"), "restored": ("+", "good")}
_LONGEST_VALUE = 200
_CONTEXT = 30

TOUCHED_SHOWN = 20  # of each kind


def add_diff(app: typer.Typer) -> None:
    app.command("diff")(diff)


def diff(
    number: Annotated[int, typer.Argument(metavar="RUN", help="The run's number; see `windrow run list`.")],
    limit: Annotated[
        int | None,
        typer.Option(
            "--limit",
            "-n",
            min=0,
            metavar="N",
            help="At most so many of each kind; 0: all. [default: 20; with --json all]",
        ),
    ] = None,
    is_json: Annotated[bool, JSON] = False,
) -> None:
    """Show what a run added, changed, deleted and restored, field by field."""
    from windrow.harvest.run_diff import diff_run

    most = limit if limit is not None else 0 if is_json else TOUCHED_SHOWN
    with opened_library() as opened, opened.store.reading() as connection:
        run = find_run(connection, number)
        found = diff_run(connection, number, limit=most or None)
    if is_json:
        print_json({"run": run.id, "source": run.source, **_diff_as_dict(found)})
    else:
        _show_diff(run, found)


def _diff_as_dict(found: RunDiff) -> dict[str, Any]:
    return {
        "counts": found.counts,
        "records": [
            {
                "kind": item.kind,
                "identifier": item.identifier,
                "title": item.title,
                "fields": [
                    {"field": field.name, "gone": list(field.gone), "come": list(field.come)}
                    for field in item.fields
                ],
                "note": item.note or None,
            }
            for item in found.touched
        ],
    }


def _show_diff(run: Run, found: RunDiff) -> None:
    print_line(f"Run {run.id} of {run.source}, {run.started:%Y-%m-%d %H:%M} UTC", style="bold")
    counts = [f"{count:,} {kind}" for kind, count in found.counts.items() if count]
    if not counts:
        print_line("  It changed nothing.")
        return
    print_line("  " + ", ".join(counts))
    kind = ""
    for item in found.touched:
        if item.kind != kind:
            kind = item.kind
            print_line()
            print_line(kind.capitalize(), style="bold")
        _show_item(item)
    hidden = sum(found.counts.values()) - len(found.touched)
    if hidden:
        print_hint(f"… and {plural(hidden, 'record')} more: --limit 0 shows all")


def _show_item(item: TouchedRecord) -> None:
    mark, style = _MARKS.get(item.kind, ("~", "warn"))
    print_line(f"  {mark} ", style=style, end="")
    note = f" ({item.note})" if item.note else ""
    print_line(
        cut_to_terminal(
            f"{printable(item.identifier)}  {printable(item.title or '')}{printable(note)}".rstrip()
        )
    )
    for field in item.fields:
        show_field(field)


def show_field(field: FieldChange) -> None:
    print_line(f"      {field.name}", style="dim")
    for mark, style, values in (("-", "bad", field.gone), ("+", "good", field.come)):
        others = field.come if mark == "-" else field.gone
        for place, value in enumerate(values):
            other = others[place] if len(others) == len(values) else ""
            print_line(f"        {mark} ", style=style, end="")
            print_line(_differing_excerpt(printable(value), printable(other)))


def _differing_excerpt(value: str, other: str) -> str:
    """Return a value; if it is long, the part that differs from the other value, with some context."""
    if len(value) <= _LONGEST_VALUE:
        return value
    start = _common_prefix_length(value, other)
    end = _common_prefix_length(value[start:][::-1], other[start:][::-1])
    first = max(0, start - _CONTEXT) if other else 0
    last = min(len(value), len(value) - end + _CONTEXT) if other else len(value)
    before, after = "…" if first else "", "…" if last < len(value) else ""
    return before + shorten(value[first:last], _LONGEST_VALUE) + after


def _common_prefix_length(one: str, other: str) -> int:
    pairs = enumerate(zip(one, other, strict=False))
    return next((place for place, (mine, yours) in pairs if mine != yours), min(len(one), len(other)))


# `windrow record compare`: the fields in which two records differ.


def compare_records(one: StoredRecord, other: StoredRecord, *, is_json: bool) -> None:
    """Print which values only the first or only the second record has, by field."""
    from windrow.harvest.run_diff import compare_documents

    documents = _document_of_record(one), _document_of_record(other)
    differing = compare_documents(*documents)
    names = {field.name for field in differing}
    same = [
        item.name
        for item in fields(documents[0])
        if item.name not in names and _fields_present(documents, item.name)
    ]
    if is_json:
        print_json(_comparison_as_dict(one, other, differing, same))
        return
    for mark, style, record, document in zip("-+", ("bad", "good"), (one, other), documents, strict=True):
        print_line(f"{mark} ", style=style, end="")
        print_line(
            f"{printable(record.identifier)} ({record.source})  {printable(document.title or '(no title)')}"
        )
    print_line()
    for field in differing:
        show_field(field)
    print_line(f"{plural(len(differing), 'field')} differ{'s' if len(differing) == 1 else ''}", end="")
    print_line(f"; the same in both: {', '.join(same)}." if same else ".")


def _document_of_record(record: StoredRecord) -> Document:
    from windrow.exports.entries import map_record

    if record.is_deleted:
        raise NotFound(f"{printable(record.identifier)} is deleted, so there is no metadata to compare")
    entry = map_record(record, record.payload())
    if entry.problem:
        raise NotFound(f"the metadata of {printable(record.identifier)} cannot be read: {entry.problem}")
    return entry.document


def _fields_present(documents: tuple[Document, Document], name: str) -> bool:
    return getattr(documents[0], name) not in (None, (), {})


def _comparison_as_dict(
    one: StoredRecord, other: StoredRecord, differing: tuple[FieldChange, ...], same: list[str]
) -> dict[str, Any]:
    return {
        "records": [
            {"source": each.source, "identifier": each.identifier, "datestamp": each.stamp}
            for each in (one, other)
        ],
        "differing": [
            {"field": field.name, "first": list(field.gone), "second": list(field.come)}
            for field in differing
        ],
        "same": same,
    }
