"""`windrow trace`: find a record at its source, in the library, the index and the library protocols."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated, Any

import typer

from windrow.cli.invocation import JSON, opened_library, print_json, source_names
from windrow.cli.sources.source_check import StepDisplay
from windrow.cli.terminal import format_time, print_line, printable
from windrow.errors import NotExpressible, UsageError

if TYPE_CHECKING:
    from windrow.harvest.trace import Answer, Trace
    from windrow.search.databases import FoundRecord
    from windrow.wiring import Library

_DEEDS = {"format": "came in another format too", "sets": "moved to other sets"}
_INDEXED = {
    "there": "there: a search can find it",
    "behind": "not as it is now; `windrow index` brings it up to date",
    "absent": "not there: it is deleted or not for everybody, or `windrow index check` finds out why",
}
MAX_SOURCES_ASKED = 10  # for a record that the library does not have


def add_trace(app: typer.Typer) -> None:
    app.command("trace")(show_trace)


def show_trace(
    identifier: Annotated[str, typer.Argument(metavar="ID", help="The OAI identifier.")],
    source: Annotated[
        str | None,
        typer.Option(
            "--source", "-s", metavar="NAME", help="Only at this source.", autocompletion=source_names
        ),
    ] = None,
    offline: Annotated[bool, typer.Option("--offline", help="Do not ask the source.")] = False,
    is_json: Annotated[bool, JSON] = False,
) -> None:
    """Find out where a record is: at the source, in the library, in quarantine, nowhere.

    Exit codes: 0 somebody knows it, 1 nobody does.
    """
    from windrow.wiring.source_kinds import kind_for

    steps = StepDisplay(is_quiet=is_json)
    with opened_library() as opened:
        traces = []
        for name in _candidates(opened, identifier, source):
            settings = opened.source(name)
            traces.append(kind_for(settings).trace(opened, settings, identifier, None if offline else steps))
        steps.done()
        known = [found for found in traces if found.is_known] or traces
        _print(opened, identifier, known, is_json=is_json)
    raise typer.Exit(0 if any(found.is_known for found in known) else 1)


def _candidates(opened: Library, identifier: str, source: str | None) -> list[str]:
    """Return the sources that have the record, otherwise those that may have it."""
    from windrow.store.harvests import quarantine_cases
    from windrow.store.records.record_reader import RecordReader

    if source is not None:
        opened.source(source)
        return [source]
    with opened.store.reading() as connection:
        held = [record.source for record in RecordReader().find(connection, identifier)]
        held += [case.source for case in quarantine_cases.list_cases(connection, identifier=identifier)]
    configured = opened.config.sources
    found = [name for name in dict.fromkeys(held) if name in configured] or list(configured)
    if not found:
        raise UsageError("this library has no sources yet", hint="Add one: windrow source add NAME URL")
    if len(found) > MAX_SOURCES_ASKED:
        raise UsageError(
            f"nobody here knows {printable(identifier)}, and {len(found)} sources are too many to ask",
            hint="Say which one should have it: --source NAME",
        )
    return found


def _print(opened: Library, identifier: str, traces: list[Trace], *, is_json: bool) -> None:
    from windrow.harvest.trace import explain
    from windrow.store.records.similar_identifiers import find_similar_identifiers

    alike: list[str] = []
    if not any(found.is_known for found in traces):
        with opened.store.reading() as connection:
            alike = find_similar_identifiers(connection, identifier)
    if is_json:
        print_json(
            [
                trace_as_dict(found)
                | {"in_index": _is_in_index(opened, found), "verdict": explain(found), "near": alike}
                | {"sru": _sru_visibility(opened, found), "z3950": _z3950_visibility(opened, found)}
                for found in traces
            ]
        )
        return
    print_line(printable(identifier), style="bold")
    for found in traces:
        _print_one(found)
        is_indexed = _is_in_index(opened, found)
        if is_indexed is not None:
            print_line("  In the index")
            print_line(f"    {_INDEXED[is_indexed]}")
        _print_sru(opened, found)
        _print_z3950(opened, found)
    if alike:
        print_line("  Much like it: " + ", ".join(map(printable, alike)))
    for found in traces:
        start = f"{found.source}: " if len(traces) > 1 else ""
        print_line(start + printable(explain(found)), style="bold")


def _is_in_index(opened: Library, found: Trace) -> str | None:
    """Return whether searches find it: yes, not yet, no; None without an index or without the record."""
    known = opened.generations.current_state()
    if known is None or found.record is None:
        return None
    if found.record.seq > known[1].cursor:
        return "behind"
    return "there" if opened.index.card(found.record.id) is not None else "absent"


def _sru_visibility(opened: Library, found: Trace) -> dict[str, Any]:
    """Return whether SRU shows a record, in which databases and schemas, and by which query."""
    from windrow.search.databases import DEFAULT
    from windrow.search.record_schemas import render_record

    if not opened.config.sru.enabled:
        return _not_in_sru("SRU is switched off (sru.enabled)")
    record, why = _shown(opened, found)
    if record is None:
        return _not_in_sru(why)
    names = opened.databases.get(DEFAULT).schemas
    return {
        "is_shown": True,
        "why": "",
        "databases": _databases_with(opened, found),
        "schemas": [name for name in names if render_record(record, name) is not None],
        "query": _cql_of(found.identifier),
    }


def _shown(opened: Library, found: Trace) -> tuple[FoundRecord | None, str]:
    """Return the record as the library protocols show it, or why they do not."""
    from windrow.search.databases import FoundRecord, fetch_records

    if found.record is None or opened.index.card(found.record.id) is None:
        return None, "no search finds it"
    (record,) = fetch_records(opened.store, [found.record.id])
    if not isinstance(record, FoundRecord):
        return None, "it is deleted, or not for everybody"
    return record, ""


def _databases_with(opened: Library, found: Trace) -> list[str]:
    from windrow.search.databases import DEFAULT

    groups = opened.config.collections.items()
    names = [DEFAULT, *(name for name, each in groups if found.source in each.sources), found.source]
    return list(dict.fromkeys(names))


def _z3950_visibility(opened: Library, found: Trace) -> dict[str, Any]:
    """Return whether Z39.50 shows a record, in which databases and syntaxes, and by which query."""
    from windrow.z3950.syntaxes import SYNTAXES

    record, why = _shown(opened, found)
    where = opened.config.z3950.port
    served = "windrow z3950" if where is None else "windrow serve, windrow z3950"
    if record is None:
        return {"is_shown": False, "why": why, "by": served, "databases": [], "syntaxes": [], "query": None}
    return {
        "is_shown": True,
        "why": "",
        "by": served,
        "databases": _databases_with(opened, found),
        "syntaxes": list(dict.fromkeys(SYNTAXES.values())),
        "query": _pqf_of(found.identifier),
    }


def _pqf_of(identifier: str) -> str | None:
    """Return the query for an identifier; None if RPN cannot express it."""
    from windrow.model.query import Word
    from windrow.protocols.z3950.pqf import render_pqf
    from windrow.protocols.z3950.rpn_conversion import rpn_of

    try:
        return render_pqf(rpn_of(Word(identifier, "identifier")))
    except NotExpressible:
        return None


def _print_z3950(opened: Library, found: Trace) -> None:
    shown = _z3950_visibility(opened, found)
    print_line("  Over Z39.50")
    if not shown["is_shown"]:
        print_line(f"    not shown: {shown['why']}")
        return
    print_line(f"    by {shown['by']}, in the databases {printable(', '.join(shown['databases']))}")
    print_line(f"    as {', '.join(shown['syntaxes'])}")
    if shown["query"]:
        print_line(f"    found by {printable(shown['query'])}")


def _not_in_sru(why: str) -> dict[str, Any]:
    return {"is_shown": False, "why": why, "databases": [], "schemas": [], "query": None}


def _cql_of(identifier: str) -> str | None:
    """Return the query for an identifier; None if CQL cannot express it."""
    from windrow.model.query import Word
    from windrow.protocols.cql.cql_conversion import render_cql

    try:
        return render_cql(Word(identifier, "identifier"))
    except NotExpressible:
        return None


def _print_sru(opened: Library, found: Trace) -> None:
    shown = _sru_visibility(opened, found)
    print_line("  Over SRU")
    if not shown["is_shown"]:
        print_line(f"    not shown: {shown['why']}")
        return
    print_line(f"    in the databases {printable(', '.join(shown['databases']))}")
    print_line(f"    as {printable(', '.join(shown['schemas']))}")
    if shown["query"]:
        print_line(f"    found by {printable(shown['query'])}")


def _print_one(found: Trace) -> None:
    print_line(f"  At the source {found.source}")
    if not found.answers:
        print_line("    not asked")
    for answer in found.answers:
        print_line(f"    {printable(answer.format)}: {_describe_answer(answer)}")
    print_line("  In the library")
    record = found.record
    if record is None:
        print_line("    never seen")
    else:
        held = ", ".join(f"{item.prefix} ({len(item.data):,} bytes)" for item in record.payloads)
        state = "deleted" if record.is_deleted else f"held as {printable(held)}"
        print_line(f"    {state}; datestamp {printable(record.stamp)}")
        print_line(
            f"    {format_time(found.added.started) if found.added else '':<22}"
            f" run {record.added_run}: came in"
        )
        for change in found.history:
            deed = _DEEDS.get(change.kind, change.kind)
            print_line(f"    {format_time(change.changed_at):<22} run {change.run}: {deed}")
    for case in found.cases:
        state = f"closed {format_time(case.resolved)}" if case.resolved else "waiting"
        print_line(f"  In quarantine: case {case.id} of run {case.run}, {state}: {printable(case.reason)}")


def _describe_answer(answer: Answer) -> str:
    if answer.problem:
        return f"no answer to use: {printable(answer.problem)}"
    if answer.is_absent or answer.record is None:
        return "not there"
    stamp = f"datestamp {printable(answer.record.stamp)}"
    if answer.record.is_deleted:
        return f"deleted, {stamp}"
    same = {True: ", the same as in the library", False: ", not the same as in the library", None: ""}
    return f"there, {stamp}{same[answer.is_same]}"


def trace_as_dict(found: Trace) -> dict[str, Any]:
    record = found.record
    return {
        "identifier": found.identifier,
        "source": found.source,
        "at_source": [
            {
                "format": answer.format,
                "found": answer.record is not None,
                "deleted": answer.record.is_deleted if answer.record else None,
                "datestamp": answer.record.stamp if answer.record else None,
                "same": answer.is_same,
                "problem": answer.problem or None,
            }
            for answer in found.answers
        ],
        "in_library": record
        and {
            "deleted": record.is_deleted,
            "datestamp": record.stamp,
            "formats": {item.prefix: len(item.data) for item in record.payloads},
            "added_run": record.added_run,
            "changed_run": record.changed_run,
            "changed": record.changed_at.isoformat(),
        },
        "history": [
            {"run": change.run, "kind": change.kind, "when": change.changed_at.isoformat()}
            for change in found.history
        ],
        "quarantine": [
            {"case": case.id, "run": case.run, "reason": case.reason, "open": case.resolved is None}
            for case in found.cases
        ],
    }
