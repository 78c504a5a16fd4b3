"""`windrow record`: one record, for people or exactly as it came; and two identifiers made one."""

from __future__ import annotations

import sys
from typing import TYPE_CHECKING, Annotated

import typer

from windrow.cli.completion import source_names
from windrow.cli.state import JSON, library
from windrow.errors import NotFound, UsageError

if TYPE_CHECKING:
    from windrow.store.records import StoredPayload, StoredRecord
    from windrow.wiring import Library

app = typer.Typer(help="One record as it came, and identifiers that lead to another.", no_args_is_help=True)
SOURCE = typer.Option(
    "--source", "-s", metavar="NAME", help="The record of this source.", autocompletion=source_names
)

NAME = typer.Argument(metavar="SOURCE", help="The source of both.", autocompletion=source_names)


@app.command("show")
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
    with library() as opened:
        record = find_record(opened, identifier, source=source)
        if raw and standalone:
            raise UsageError("--raw and --standalone are two forms of the same", hint="Choose one of them.")
        if raw or standalone:
            _write_payload(_payload(record, prefix), is_standalone=standalone)
        else:
            from windrow.cli.record_view import print_record, print_record_json

            chosen = None if record.is_deleted else _payload(record, prefix)
            (print_record_json if is_json else print_record)(opened, record, chosen)


@app.command("compare")
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
    from windrow.cli.record_comparing import compare_records

    with library() as opened:
        one = find_record(opened, first, source=source)
        other = find_record(opened, second, source=other_source or source)
    compare_records(one, other, is_json=is_json)


@app.command("merge")
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
    from windrow.cli.record_merging import merge_records

    merge_records(source, old, new, is_unseen_allowed=unseen, is_json=is_json)


@app.command("unmerge")
def unmerge(
    source: Annotated[str, NAME],
    old: Annotated[str, typer.Argument(metavar="OLD", help="The identifier that was given up.")],
    is_json: Annotated[bool, JSON] = False,
) -> None:
    """Let an identifier stand for itself again. A harvest that lists its record brings it back."""
    from windrow.cli.record_merging import unmerge_record

    unmerge_record(source, old, is_json=is_json)


@app.command("merges")
def merges(
    source: Annotated[
        str | None,
        typer.Argument(metavar="[SOURCE]", help="Only of this source.", autocompletion=source_names),
    ] = None,
    is_json: Annotated[bool, JSON] = False,
) -> None:
    """List the identifiers that lead to another record."""
    from windrow.cli.record_merging import list_merges

    list_merges(source, is_json=is_json)


def find_record(opened: Library, identifier: str, *, source: str | None) -> StoredRecord:
    """Give the one record that is meant, or say what stands in the way."""
    from windrow.store.records import RecordReader

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
    from windrow.store import cases
    from windrow.store.near import near

    with opened.store.reading() as connection:
        waiting = cases.listed(connection, source=source, identifier=identifier, limit=1)
        alike = near(connection, identifier)
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
    """Give the payload in a format, or say which there are."""
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
    from windrow.wire.oai.namespaces import standalone

    data = standalone(payload.data, payload.declarations) if is_standalone else payload.data
    sys.stdout.buffer.write(data)
    sys.stdout.buffer.flush()
