"""`windrow vocabulary`: controlled vocabularies taken in, looked at, checked, updated, written out."""

from __future__ import annotations

import os
import sys
from contextlib import suppress
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from windrow.cli.completion import vocabulary_names
from windrow.cli.state import JSON, LIMIT, library, most_listed, print_json
from windrow.cli.terminal import columns, hint, plural, printable, say
from windrow.errors import NotFound, UsageError, unwritable

if TYPE_CHECKING:
    from windrow.index.protocol import Counted
    from windrow.model.vocabulary import Concept, Vocabulary
    from windrow.store.vocabularies import Changes, Report
    from windrow.vocabularies.checking import Unmatched
    from windrow.vocabularies.view import VocabularyView
    from windrow.wiring import Library

TOPS_SHOWN = 40
_LONGEST_NAME = 64
app = typer.Typer(
    help="Take in controlled vocabularies (SKOS, Zthes, CSV), check them, and write them out.",
    no_args_is_help=True,
)
NAME = typer.Argument(metavar="NAME", help="The name of the vocabulary.", autocompletion=vocabulary_names)
FORMAT = typer.Option(
    "--format",
    "-f",
    metavar="FORMAT",
    help="ttl, rdf, nt, jsonld, zthes or csv. [default: by the ending of the file]",
)
ENCODING = typer.Option(
    "--encoding", metavar="NAME", help="The encoding of a CSV file. [default: UTF-8, or UTF-16 with its mark]"
)
TITLE = typer.Option("--title", metavar="TEXT", help="What people call it. [default: what the file calls it]")
DRY_RUN = typer.Option("--dry-run", help="Report what would change, and change nothing.")


@app.command("add")
def add(
    name: Annotated[str, typer.Argument(metavar="NAME", help="What to call it in commands and addresses.")],
    file: Annotated[
        Path, typer.Argument(metavar="FILE", help="SKOS, Zthes or CSV; may be packed with gzip.")
    ],
    kind: Annotated[str, FORMAT] = "",
    base: Annotated[
        str,
        typer.Option(
            "--base",
            metavar="URI",
            help="What the URIs of concepts begin with where the file has codes only. [default: the public"
            " address of the vocabulary, or vocabulary://NAME/]",
        ),
    ] = "",
    title: Annotated[str, TITLE] = "",
    encoding: Annotated[str, ENCODING] = "",
    is_json: Annotated[bool, JSON] = False,
) -> None:
    """Take in a vocabulary: SKOS as Turtle, RDF/XML, JSON-LD or N-Triples, Zthes XML, or CSV."""
    from windrow.config.checks import name_problem

    problem = name_problem(name, "vocabulary")
    if problem:
        raise UsageError(problem)
    with library() as opened:
        if not base and opened.config.serve.url:
            base = f"{opened.config.serve.url.rstrip('/')}/vocabulary/{name}/concept/"
        report = _taken_in(
            opened, name, file, kind=kind, base=base, title=title, encoding=encoding, is_quiet=is_json
        )
        is_hidden = name in _other_databases(opened)
    if is_json:
        print_json(_report_as_dict(report))
        return
    _show_taken(report.vocabulary)
    if is_hidden:
        hint(f"SRU and Z39.50 have another database {name}, so they cannot search this vocabulary.")
    hint(f'Next: windrow vocabulary check {name}; [collections.NAME.vocabulary] subject = "{name}" uses it.')


def _other_databases(opened: Library) -> set[str]:
    """Return the names that databases of records have in SRU and Z39.50."""
    from windrow.finding.databases import DEFAULT

    return {DEFAULT, *opened.config.collections, *opened.config.sources}


@app.command("update")
def update(
    name: Annotated[str, NAME],
    file: Annotated[Path, typer.Argument(metavar="FILE", help="The new version.")],
    kind: Annotated[str, FORMAT] = "",
    title: Annotated[str, TITLE] = "",
    encoding: Annotated[str, ENCODING] = "",
    dry_run: Annotated[bool, DRY_RUN] = False,
    is_json: Annotated[bool, JSON] = False,
) -> None:
    """Put a new version of a vocabulary in the place of the old one, all at once, and report the changes."""
    with library() as opened:
        report = _taken_in(
            opened, name, file, kind=kind, title=title, encoding=encoding, is_new=False, is_trial=dry_run,
            is_quiet=is_json,
        )  # fmt: skip
    if is_json:
        print_json({**_report_as_dict(report), "dry_run": dry_run})
        return
    _show_taken(report.vocabulary, verb="Would have" if dry_run else "Has")
    for what in ("added", "renamed", "deprecated", "removed"):
        _show_changes(what, getattr(report, what))
    if report.changed:
        say(f"{plural(report.changed, 'concept')} changed in notes, relations or other labels")


@app.command("list")
def list_vocabularies(is_json: Annotated[bool, JSON] = False) -> None:
    """List the vocabularies of the library and the fields they are bound to."""
    from windrow.store import vocabularies

    with library() as opened:
        with opened.store.reading() as connection:
            found = vocabularies.listed(connection)
        bound = _bindings(opened)
    if is_json:
        print_json([_as_dict(each) | {"bound": bound.get(each.name, [])} for each in found])
    elif found:
        columns(
            ("name", "title", "concepts", "languages", "bound to", "updated"),
            [
                (
                    each.name,
                    each.label(("en",)),
                    f"{each.concepts:,}",
                    " ".join(each.languages[:6]),
                    ", ".join(bound.get(each.name, [])) or "–",
                    each.updated[:10],
                )
                for each in found
            ],
            right="  r",
        )
    else:
        say("There are no vocabularies yet.")
    for missing in sorted(bound.keys() - {each.name for each in found}):
        hint(
            f"{', '.join(bound[missing])} is bound to {missing}, which is not there:"
            f" windrow vocabulary add {missing} FILE"
        )
    if not found and not is_json:
        hint("Next: windrow vocabulary add NAME FILE")


@app.command("show")
def show(
    name: Annotated[
        str | None,
        typer.Argument(metavar="[NAME", help="A vocabulary; none: all.", autocompletion=vocabulary_names),
    ] = None,
    concept: Annotated[
        str | None, typer.Argument(metavar="[CONCEPT]]", help="A concept by notation, URI or label.")
    ] = None,
    language: Annotated[str, typer.Option("--language", metavar="CODE", help="In which language.")] = "en",
    limit: Annotated[int | None, LIMIT] = None,
    is_json: Annotated[bool, JSON] = False,
) -> None:
    """Show a vocabulary and its top concepts, or one concept with its labels, notes and neighbours."""
    from windrow.vocabularies.view import VocabularyView

    if name is None:
        list_vocabularies(is_json)
        return
    with library() as opened:
        view = VocabularyView(opened.store, name)
        if concept is None:
            _show_vocabulary(view, language, most_listed(limit, shown=TOPS_SHOWN, is_json=is_json), is_json)
            return
        found = view.find(concept)
        if found is None:
            near = ", ".join(each.text for each in view.search(concept, limit=5) if each.text)
            raise NotFound(
                f"{name} has no concept {concept!r}",
                hint=f"Near it are: {near}." if near else "Name it by notation, URI or label.",
            )
        if is_json:
            print_json(_concept_as_dict(view, found, language))
        else:
            _show_concept(view, found, language)


@app.command("check")
def check(
    name: Annotated[str, NAME],
    limit: Annotated[
        int, typer.Option("--limit", "-n", min=1, max=1000, help="At most so many of each.")
    ] = 10,
    is_json: Annotated[bool, JSON] = False,
) -> None:
    """Check a vocabulary: circles, orphans, missing labels … and values of records that name no concept.

    Exit codes: 0 nothing is odd, 1 something is.
    """
    from windrow.vocabularies import checking

    with library() as opened:
        odd = checking.check(opened.store, name, limit=limit)
        values = _unmatched(opened, name, limit)
    if is_json:
        print_json(
            {
                "vocabulary": name,
                "odd": {
                    kind: {
                        "total": found.total,
                        "examples": [
                            {"uri": each.uri, "detail": each.detail or None} for each in found.examples
                        ],
                    }
                    for kind, found in odd.items()
                },
                "values": [
                    each._asdict() | {"examples": [_counted(one) for one in each.examples]} for each in values
                ],
            }
        )
    else:
        for kind, found in odd.items():
            say(f"{checking.TITLES[kind].capitalize()}: {found.total:,}", style="warn")
            for each in found.examples:
                say(f"  {printable(each.uri)}  {printable(each.detail)}".rstrip())
        if not odd:
            say("Nothing is odd about its concepts.", style="good")
        for one in values:
            _show_unmatched(one)
    raise typer.Exit(1 if odd or any(each.unmatched for each in values) else 0)


@app.command("remove")
def remove(
    name: Annotated[str, NAME],
    dry_run: Annotated[bool, DRY_RUN] = False,
    is_json: Annotated[bool, JSON] = False,
) -> None:
    """Remove a vocabulary. Records stay as they are."""
    from windrow.store import vocabularies
    from windrow.vocabularies.view import VocabularyView

    with library() as opened:
        vocabulary = VocabularyView(opened.store, name).vocabulary
        bound = _bindings(opened).get(name, [])
        if not dry_run:
            with opened.store.writing() as connection:
                vocabularies.remove(connection, name)
    if is_json:
        print_json({"removed": name, "concepts": vocabulary.concepts, "bound": bound, "dry_run": dry_run})
        return
    say(f"{'Would remove' if dry_run else 'Removed'} {name} with {plural(vocabulary.concepts, 'concept')}")
    if bound:
        hint(f"windrow.toml still binds {', '.join(bound)} to it: searches there find values as they are.")


@app.command("export")
def export(
    name: Annotated[str, NAME],
    out: Annotated[
        Path | None, typer.Option("--out", "-o", metavar="FILE", help="Where to write. [default: stdout]")
    ] = None,
    kind: Annotated[str, FORMAT] = "",
) -> None:
    """Write a vocabulary as SKOS (Turtle, RDF/XML, N-Triples, JSON-LD), Zthes XML or CSV."""
    from windrow.vocabularies import files
    from windrow.vocabularies.view import VocabularyView

    kind = kind or _kind_by_ending(out)
    _check_kind(kind)
    with library() as opened:
        view = VocabularyView(opened.store, name)
        view.vocabulary  # noqa: B018 - raises where there is none, before a file is made
        if out is None:
            files.export(view, opened.store, sys.stdout.buffer, kind)
            return
        aside = out.with_name(f".{out.name}.part")
        try:
            with open(aside, "wb") as file:
                files.export(view, opened.store, file, kind)
            os.replace(aside, out)
        except OSError as exc:
            raise unwritable(out, exc, UsageError) from exc
        finally:
            with suppress(OSError):
                aside.unlink()
    hint(f"Wrote {out}")


def _taken_in(
    opened: Library,
    name: str,
    file: Path,
    *,
    kind: str,
    title: str,
    encoding: str,
    is_quiet: bool,
    **more: Any,
) -> Report:
    from windrow.cli.ticker import Counter
    from windrow.vocabularies.files import take_in

    if kind:
        _check_kind(kind)
    with Counter(is_quiet=is_quiet) as counter:
        return take_in(
            opened.store, name, file, kind=kind, title=title, encoding=encoding, watch=counter, **more
        )


def _check_kind(kind: str) -> None:
    from windrow.vocabularies.files import FORMATS

    if kind not in FORMATS:
        raise UsageError(f"there is no format {kind!r}", hint=f"There are: {', '.join(FORMATS)}.")


def _kind_by_ending(out: Path | None) -> str:
    from windrow.vocabularies.files import CSV, ZTHES

    ending = "" if out is None else out.suffix.lower().lstrip(".")
    return {"xml": ZTHES, "json": "jsonld", "turtle": "ttl", "csv": CSV}.get(ending, ending) or "ttl"


def _bindings(opened: Library) -> dict[str, list[str]]:
    """Return the fields that each vocabulary is bound to, as `collection.field`."""
    found: dict[str, list[str]] = {}
    for name, collection in opened.config.collections.items():
        for field, vocabulary in collection.vocabulary:
            found.setdefault(vocabulary, []).append(f"{name}.{field}")
    return found


def _unmatched(opened: Library, name: str, limit: int) -> list[Unmatched]:
    """Look at the values of every field that is bound to a vocabulary, in each collection."""
    from windrow.model.query import Value, any_of
    from windrow.vocabularies.checking import unmatched
    from windrow.vocabularies.view import VocabularyView

    view = VocabularyView(opened.store, name)
    found = []
    for collection in opened.config.collections.values():
        for field, bound in collection.vocabulary:
            if bound == name:
                query = any_of(Value(source, "source") for source in collection.sources)
                index = opened.index.newest()
                found.append(unmatched(view, index, collection.name, field, query, limit=limit))
    return found


def _show_unmatched(found: Unmatched) -> None:
    where = f"{found.collection}.{found.field}"
    say(f"{where}: {plural(found.matched, 'value')} in records name a concept, {found.unmatched:,} do not")
    for each in found.examples:
        say(f"  {each.count:>8,}  {printable(each.value)}")
    if found.unmatched > len(found.examples):
        say(f"  and {found.unmatched - len(found.examples):,} more")


def _counted(found: Counted) -> dict[str, Any]:
    return {"value": found.value, "records": found.count}


def _show_vocabulary(view: VocabularyView, language: str, limit: int, is_json: bool) -> None:
    vocabulary, tops = view.vocabulary, view.top_concepts(limit=limit + 1)
    if is_json:
        print_json(
            _as_dict(vocabulary)
            | {
                "schemes": [{"uri": each.uri, "labels": _labels(each.labels)} for each in vocabulary.schemes],
                "top_concepts": [_short(each, language) for each in tops[:limit]],
            }
        )
        return
    say(f"{vocabulary.name}: {printable(vocabulary.label((language,)))}", style="bold")
    say(f"{plural(vocabulary.concepts, 'concept')} in {' '.join(vocabulary.languages) or 'no language'}")
    say(f"from {printable(vocabulary.file)} ({vocabulary.format}), updated {vocabulary.updated}")
    if len(vocabulary.schemes) > 1:
        say(f"{len(vocabulary.schemes)} concept schemes")
    say()
    columns(
        ("notation", "top concept", "uri"),
        [(each.notation, each.label((language,)), each.uri) for each in tops[:limit]],
    )
    if len(tops) > limit:
        hint(f"There are more: --limit {2 * limit}")


def _show_concept(view: VocabularyView, concept: Concept, language: str) -> None:
    title = f"{concept.notation} {concept.label((language,))}".strip()
    say(printable(title), style="bold")
    say(printable(concept.uri))
    if concept.is_deprecated:
        say(
            "deprecated; use " + (", ".join(map(printable, concept.replaced_by)) or "another one"),
            style="warn",
        )
    for path in view.paths(concept.uri):
        if path:
            say("in " + " › ".join(printable(each.label((language,))) for each in path))
    for what, labels in (("label", concept.preferred), ("also", concept.alternative)):
        for each in labels:
            say(f"{what:<10}{printable(each.text)}" + (f"  @{each.language}" if each.language else ""))
    for note in concept.notes:
        say(f"{note.kind:<10}{printable(note.text)}")
    for what, others in (
        ("broader", view.broader(concept.uri)),
        ("narrower", view.narrower(concept.uri)),
        ("related", view.related(concept.uri)),
    ):
        for other in others:
            say(f"{what:<10}{printable(f'{other.notation} {other.label((language,))}'.strip())}")
    for mapping in concept.mappings:
        say(f"{mapping.kind:<10}{printable(mapping.uri)}")


def _show_taken(vocabulary: Vocabulary, verb: str = "Has") -> None:
    languages = f" in {' '.join(vocabulary.languages)}" if vocabulary.languages else ""
    say(f"{verb} {plural(vocabulary.concepts, 'concept')}{languages}: {printable(vocabulary.name)}")


def _show_changes(what: str, changes: Changes) -> None:
    say(f"{plural(changes.total, 'concept')} {what}" + (":" if changes.total else ""))
    for uri, label in changes.examples:
        say(f"  {printable(label)}  {printable(uri)}")
    if changes.total > len(changes.examples):
        say(f"  and {changes.total - len(changes.examples):,} more")


def _report_as_dict(report: Report) -> dict[str, Any]:
    def changes(found: Changes) -> dict[str, Any]:
        return {
            "total": found.total,
            "examples": [{"uri": uri, "label": label} for uri, label in found.examples],
        }

    return {
        "vocabulary": _as_dict(report.vocabulary),
        "added": changes(report.added),
        "renamed": changes(report.renamed),
        "deprecated": changes(report.deprecated),
        "removed": changes(report.removed),
        "changed": report.changed,
    }


def _as_dict(vocabulary: Vocabulary) -> dict[str, Any]:
    return {
        "name": vocabulary.name,
        "title": _labels(vocabulary.title),
        "concepts": vocabulary.concepts,
        "languages": list(vocabulary.languages),
        "format": vocabulary.format,
        "file": vocabulary.file,
        "base": vocabulary.base,
        "added": vocabulary.added,
        "updated": vocabulary.updated,
        "revision": vocabulary.revision,
    }


def _concept_as_dict(view: VocabularyView, concept: Concept, language: str) -> dict[str, Any]:
    from windrow.vocabularies.json import concept_as_dict

    return concept_as_dict(view, concept, (language,))


def _short(concept: Concept, language: str) -> dict[str, str]:
    return {"uri": concept.uri, "notation": concept.notation, "label": concept.label((language,))}


def _labels(labels: Any) -> list[dict[str, str]]:
    return [{"text": each.text, "language": each.language} for each in labels]
