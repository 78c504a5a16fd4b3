"""`windrow document`: list and show the files of document folders, and drop, hide or restore them."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated, Any

import typer

from windrow.cli.invocation import (
    JSON,
    LIMIT,
    list_limit,
    opened_library,
    print_json,
    source_names,
    stopping_on_signals,
)
from windrow.cli.sources.harvest_command import follow_index
from windrow.cli.terminal import plural, print_hint, print_line, print_table, printable
from windrow.errors import UsageError
from windrow.model.file_content import REMARKS

if TYPE_CHECKING:
    from collections.abc import Callable

    from windrow.model.run import Run
    from windrow.store.harvests.folder_state import KnownFile
    from windrow.wiring import Library

    _Judge = Callable[[Library, str, list[str]], tuple[Run, list[KnownFile]]]

document_app = typer.Typer(
    help="Documents in folders: what there is, what is hidden or dropped.", no_args_is_help=True
)
SOURCE = typer.Argument(metavar="SOURCE", help="The folder's source.", autocompletion=source_names)
DOCUMENTS = typer.Argument(metavar="DOCUMENT...", help="Paths in the folder, or identifiers.")
DOCUMENTS_SHOWN = 100
_STATES = {"shown": "", "hidden": "hidden", "dropped": "dropped", "refused": "refused"}


@document_app.command("list")
def list_documents(
    source: Annotated[str, SOURCE],
    state: Annotated[
        str | None, typer.Option("--state", metavar="shown|hidden|dropped|refused", help="Only those.")
    ] = None,
    under: Annotated[
        str | None, typer.Option("--under", metavar="PATH", help="Only in this folder, or this archive.")
    ] = None,
    remark: Annotated[
        str | None,
        typer.Option("--remark", metavar="CODE", help=f"Only with this remark: {', '.join(REMARKS)}."),
    ] = None,
    left_out: Annotated[
        bool, typer.Option("--left-out", help="Instead, the files no document is made of, and why.")
    ] = False,
    limit: Annotated[int | None, LIMIT] = None,
    is_json: Annotated[bool, JSON] = False,
) -> None:
    """List the documents of a folder, by path."""
    from windrow.cli.run_summary import format_size

    most = list_limit(limit, shown=DOCUMENTS_SHOWN, is_json=is_json)
    if left_out:
        if (state, remark) != (None, None):
            raise UsageError("--left-out lists files that are no documents: they have no state and no remark")
        _list_left_out(source, under, most, is_json=is_json)
        return
    found = _listed(source, state, under, remark)
    if is_json:
        print_json([document_as_dict(row) for row in found[:most]])
        return
    if not found:
        print_line("There are none.")
        return
    rows = [
        (document_name(row), row.media_type, format_size(row.size), row.state or "shown", row.remarks)
        for row in found[:most]
    ]
    print_table(("document", "media type", "size", "state", "remarks"), rows, right="  r")
    _hint_more(len(found), most)


def _list_left_out(source: str, under: str | None, most: int, *, is_json: bool) -> None:
    from windrow.wiring.folder_source import documents_runner, documents_settings

    with opened_library() as opened:
        found = documents_runner(opened, documents_settings(opened, source)).left_out()
    if under is not None:
        inside = under.rstrip("/") + "/"
        found = [each for each in found if each[0] == under or each[0].startswith(inside)]
    if is_json:
        print_json([{"path": path, "reason": reason} for path, reason in found[:most]])
    elif not found:
        print_line("Nothing is left out.")
    else:
        print_table(("left out", "why"), [(printable(path), reason) for path, reason in found[:most]])
        _hint_more(len(found), most)


def _hint_more(total: int, most: int) -> None:
    if total > most:
        print_hint(f"{total - most:,} more: --limit {total}")


@document_app.command("show")
def show_document(
    source: Annotated[str, SOURCE],
    document: Annotated[str, typer.Argument(metavar="DOCUMENT", help="A path, or an identifier.")],
    is_json: Annotated[bool, JSON] = False,
) -> None:
    """Show what the library knows of one file, and why it is not shown if it is not."""
    from windrow.cli.run_summary import format_size
    from windrow.harvest.documents.document_runs import find_document
    from windrow.store.harvests import quarantine_cases
    from windrow.wiring.folder_source import documents_folder

    with opened_library() as opened:
        folder = documents_folder(opened, source)
        with opened.store.reading() as connection:
            _, row = find_document(connection, folder, document)
            waiting = quarantine_cases.list_cases(connection, source=source, identifier=row.identifier)
    reason = waiting[0].reason if waiting else ""
    if is_json:
        print_json(document_as_dict(row) | {"reason": reason or None})
        return
    print_line(printable(document_name(row)), style="bold")
    facts = document_as_dict(row) | {"size": format_size(row.size)}
    for key in ("identifier", "media_type", "size", "modified", "sha256", "state"):
        print_line(f"  {key.replace('_', ' '):<12}  {printable(str(facts[key]))}")
    if row.remarks:
        print_line(f"  {'remarks':<12}  {row.remarks}", style="warn")
    if reason:
        print_line(f"  {'refused':<12}  {printable(reason)}", style="warn")
    print_hint(f"What was read of it: windrow record show {printable(row.identifier)}")


@document_app.command("drop")
def drop_documents(
    source: Annotated[str, SOURCE],
    documents: Annotated[list[str], DOCUMENTS],
    is_json: Annotated[bool, JSON] = False,
) -> None:
    """Take documents out of the library for good. Their files stay; no harvest brings them back."""
    from windrow.wiring.folder_source import drop

    _apply_verdict("dropped", drop, source, documents, is_json=is_json)


@document_app.command("hide")
def hide_documents(
    source: Annotated[str, SOURCE],
    documents: Annotated[list[str], DOCUMENTS],
    is_json: Annotated[bool, JSON] = False,
) -> None:
    """Let nobody see documents; they stay in the library and are kept up to date."""
    from windrow.wiring.folder_source import hide

    _apply_verdict("hidden", hide, source, documents, is_json=is_json)


@document_app.command("restore")
def restore_documents(
    source: Annotated[str, SOURCE],
    documents: Annotated[list[str], DOCUMENTS],
    is_json: Annotated[bool, JSON] = False,
) -> None:
    """Bring back documents that were dropped or hidden; their files are read again."""
    from windrow.cli.harvest_progress import progress_observer
    from windrow.wiring.folder_source import restore

    with opened_library() as opened, stopping_on_signals() as stopper:
        with progress_observer(is_quiet=is_json) as observer:
            run, rows = restore(opened, source, documents, observer=observer, stopper=stopper)
        follow_index(opened, stopper, is_quiet=is_json)
    _report("restored", source, rows, run, is_json=is_json)


def document_as_dict(row: KnownFile) -> dict[str, Any]:
    from windrow.sources.files.file_description import format_second, modified_second

    return {
        "path": row.path,
        "member": row.member or None,
        "identifier": row.identifier,
        "media_type": row.media_type,
        "size": row.size,
        "modified": format_second(modified_second(row)),
        "sha256": None if row.member else row.sha256,
        "state": row.state or "shown",
        "remarks": row.remarks.split(),
    }


def document_name(row: KnownFile) -> str:
    return f"{row.path}#{row.member}" if row.member else row.path


def _listed(source: str, state: str | None, under: str | None, remark: str | None) -> list[KnownFile]:
    from windrow.store import sources
    from windrow.store.harvests import folder_state
    from windrow.wiring.folder_source import documents_folder

    if state is not None and state not in _STATES:
        raise UsageError(f"--state {state} is none of {', '.join(_STATES)}")
    if remark is not None and remark not in REMARKS:
        raise UsageError(f"--remark {remark} is none of {', '.join(REMARKS)}")
    with opened_library() as opened:
        documents_folder(opened, source)
        with opened.store.reading() as connection:
            known = sources.find(connection, source)
            paths = None if under is None else [under.rstrip("/")]
            rows = folder_state.list_files(connection, known.id, paths) if known is not None else []
    return [
        row
        for row in rows
        if (state is None or row.state == _STATES[state])
        and (remark is None or remark in (each.partition(":")[0] for each in row.remarks.split()))
    ]


def _apply_verdict(deed: str, judge: _Judge, source: str, documents: list[str], *, is_json: bool) -> None:
    with opened_library() as opened, stopping_on_signals() as stopper:
        run, rows = judge(opened, source, documents)
        follow_index(opened, stopper, is_quiet=is_json)
    _report(deed, source, rows, run, is_json=is_json)


def _report(deed: str, source: str, rows: list[KnownFile], run: Run | None, *, is_json: bool) -> None:
    from windrow.model.run import EXIT_CODES

    if is_json:
        done = [document_as_dict(row) for row in rows]
        print_json({"source": source, "done": deed, "run": run.id if run else None, "documents": done})
    else:
        for row in rows:
            print_line(f"{printable(document_name(row))} is {deed}")
        print_line(f"{plural(len(rows), 'document')} {deed}.")
        if deed != "restored":
            print_hint(f"Undo it: windrow document restore {source} {printable(document_name(rows[0]))}")
    raise typer.Exit(EXIT_CODES[run.outcome] if run is not None and run.outcome else 0)
