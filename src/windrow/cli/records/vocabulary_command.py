"""`windrow vocabulary`: add, update, list, show, check, remove and export controlled vocabularies."""

from __future__ import annotations

import os
import sys
from contextlib import suppress
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from windrow.cli.invocation import JSON, LIMIT, list_limit, opened_library, print_json, vocabulary_names
from windrow.cli.terminal import plural, print_hint, print_line, print_table, printable
from windrow.errors import NotFound, UsageError, unwritable

if TYPE_CHECKING:
    from windrow.index.protocol import ValueCount
    from windrow.model.thesaurus import Concept, Vocabulary
    from windrow.store.vocabulary.concepts import ConceptChanges, UpdateReport
    from windrow.vocabularies.vocabulary_audit import Unmatched
    from windrow.vocabularies.vocabulary_view import VocabularyView
    from windrow.wiring import Library

TOPS_SHOWN = 40
_LONGEST_NAME = 64
vocabulary_app = typer.Typer(
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


@vocabulary_app.command("add")
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
    from windrow.config.validation import name_problem

    problem = name_problem(name, "vocabulary")
    if problem:
        raise UsageError(problem)
    with opened_library() as opened:
        if not base and opened.config.serve.url:
            base = f"{opened.config.serve.url.rstrip('/')}/vocabulary/{name}/concept/"
        report = _import_vocabulary(
            opened, name, file, kind=kind, base=base, title=title, encoding=encoding, is_quiet=is_json
        )
        is_hidden = name in _other_databases(opened)
    if is_json:
        print_json(_report_as_dict(report))
        return
    _show_imported_vocabulary(report.vocabulary)
    if is_hidden:
        print_hint(f"SRU and Z39.50 have another database {name}, so they cannot search this vocabulary.")
    print_hint(
        f'Next: windrow vocabulary check {name}; [collections.NAME.vocabulary] subject = "{name}" uses it.'
    )


def _other_databases(opened: Library) -> set[str]:
    """Return the names of the databases of records in SRU and Z39.50."""
    from windrow.search.databases import DEFAULT

    return {DEFAULT, *opened.config.collections, *opened.config.sources}


@vocabulary_app.command("update")
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
    with opened_library() as opened:
        report = _import_vocabulary(
            opened, name, file, kind=kind, title=title, encoding=encoding, is_new=False, is_trial=dry_run,
            is_quiet=is_json,
        )  # fmt: skip
    if is_json:
        print_json({**_report_as_dict(report), "dry_run": dry_run})
        return
    _show_imported_vocabulary(report.vocabulary, verb="Would have" if dry_run else "Has")
    for what in ("added", "renamed", "deprecated", "removed"):
        _show_changes(what, getattr(report, what))
    if report.changed:
        print_line(f"{plural(report.changed, 'concept')} changed in notes, relations or other labels")


@vocabulary_app.command("list")
def list_vocabularies(is_json: Annotated[bool, JSON] = False) -> None:
    """List the vocabularies of the library and the fields they are bound to."""
    from windrow.store.vocabulary import concepts

    with opened_library() as opened:
        with opened.store.reading() as connection:
            found = concepts.list_vocabularies(connection)
        bound = _bindings(opened)
    if is_json:
        print_json([_as_dict(each) | {"bound": bound.get(each.name, [])} for each in found])
    elif found:
        print_table(
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
        print_line("There are no vocabularies yet.")
    for missing in sorted(bound.keys() - {each.name for each in found}):
        print_hint(
            f"{', '.join(bound[missing])} is bound to {missing}, which is not there:"
            f" windrow vocabulary add {missing} FILE"
        )
    if not found and not is_json:
        print_hint("Next: windrow vocabulary add NAME FILE")


@vocabulary_app.command("show")
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
    from windrow.vocabularies.vocabulary_view import VocabularyView

    if name is None:
        list_vocabularies(is_json)
        return
    with opened_library() as opened:
        view = VocabularyView(opened.store, name)
        if concept is None:
            _show_vocabulary(view, language, list_limit(limit, shown=TOPS_SHOWN, is_json=is_json), is_json)
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


@vocabulary_app.command("check")
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
    from windrow.vocabularies import vocabulary_audit

    with opened_library() as opened:
        odd = vocabulary_audit.check_vocabulary(opened.store, name, limit=limit)
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
            print_line(f"{vocabulary_audit.TITLES[kind].capitalize()}: {found.total:,}", style="warn")
            for each in found.examples:
                print_line(f"  {printable(each.uri)}  {printable(each.detail)}".rstrip())
        if not odd:
            print_line("Nothing is odd about its concepts.", style="good")
        for one in values:
            _show_unmatched(one)
    raise typer.Exit(1 if odd or any(each.unmatched for each in values) else 0)


@vocabulary_app.command("remove")
def remove(
    name: Annotated[str, NAME],
    dry_run: Annotated[bool, DRY_RUN] = False,
    is_json: Annotated[bool, JSON] = False,
) -> None:
    """Remove a vocabulary. Records stay as they are."""
    from windrow.store.vocabulary import concepts
    from windrow.vocabularies.vocabulary_view import VocabularyView

    with opened_library() as opened:
        vocabulary = VocabularyView(opened.store, name).vocabulary
        bound = _bindings(opened).get(name, [])
        if not dry_run:
            with opened.store.writing() as connection:
                concepts.remove_vocabulary(connection, name)
    if is_json:
        print_json({"removed": name, "concepts": vocabulary.concepts, "bound": bound, "dry_run": dry_run})
        return
    print_line(
        f"{'Would remove' if dry_run else 'Removed'} {name} with {plural(vocabulary.concepts, 'concept')}"
    )
    if bound:
        print_hint(
            f"windrow.toml still binds {', '.join(bound)} to it: searches there find values as they are."
        )


@vocabulary_app.command("export")
def export(
    name: Annotated[str, NAME],
    out: Annotated[
        Path | None, typer.Option("--out", "-o", metavar="FILE", help="Where to write. [default: stdout]")
    ] = None,
    kind: Annotated[str, FORMAT] = "",
) -> None:
    """Write a vocabulary as SKOS (Turtle, RDF/XML, N-Triples, JSON-LD), Zthes XML or CSV."""
    from windrow.vocabularies import vocabulary_files
    from windrow.vocabularies.vocabulary_view import VocabularyView

    kind = kind or _kind_by_ending(out)
    _check_kind(kind)
    with opened_library() as opened:
        view = VocabularyView(opened.store, name)
        view.vocabulary  # noqa: B018 - raises if there is none, before a file is created
        if out is None:
            vocabulary_files.export_vocabulary(view, opened.store, sys.stdout.buffer, kind)
            return
        aside = out.with_name(f".{out.name}.part")
        try:
            with open(aside, "wb") as file:
                vocabulary_files.export_vocabulary(view, opened.store, file, kind)
            os.replace(aside, out)
        except OSError as exc:
            raise unwritable(out, exc, UsageError) from exc
        finally:
            with suppress(OSError):
                aside.unlink()
    print_hint(f"Wrote {out}")


def _import_vocabulary(
    opened: Library,
    name: str,
    file: Path,
    *,
    kind: str,
    title: str,
    encoding: str,
    is_quiet: bool,
    **more: Any,
) -> UpdateReport:
    from windrow.cli.progress import StageTicker
    from windrow.vocabularies.vocabulary_files import import_vocabulary

    if kind:
        _check_kind(kind)
    with StageTicker(is_quiet=is_quiet) as counter:
        return import_vocabulary(
            opened.store, name, file, kind=kind, title=title, encoding=encoding, watch=counter, **more
        )


def _check_kind(kind: str) -> None:
    from windrow.vocabularies.vocabulary_files import VOCABULARY_FORMATS

    if kind not in VOCABULARY_FORMATS:
        raise UsageError(f"there is no format {kind!r}", hint=f"There are: {', '.join(VOCABULARY_FORMATS)}.")


def _kind_by_ending(out: Path | None) -> str:
    from windrow.vocabularies.vocabulary_files import CSV, ZTHES

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
    """Return the values without a concept, of every field bound to a vocabulary, in each collection."""
    from windrow.model.query import Value, any_of
    from windrow.vocabularies.vocabulary_audit import find_unmatched
    from windrow.vocabularies.vocabulary_view import VocabularyView

    view = VocabularyView(opened.store, name)
    found = []
    for collection in opened.config.collections.values():
        for field, bound in collection.vocabulary:
            if bound == name:
                query = any_of(Value(source, "source") for source in collection.sources)
                index = opened.index.newest()
                found.append(find_unmatched(view, index, collection.name, field, query, limit=limit))
    return found


def _show_unmatched(found: Unmatched) -> None:
    where = f"{found.collection}.{found.field}"
    print_line(
        f"{where}: {plural(found.matched, 'value')} in records name a concept, {found.unmatched:,} do not"
    )
    for each in found.examples:
        print_line(f"  {each.count:>8,}  {printable(each.value)}")
    if found.unmatched > len(found.examples):
        print_line(f"  and {found.unmatched - len(found.examples):,} more")


def _counted(found: ValueCount) -> dict[str, Any]:
    return {"value": found.value, "records": found.count}


def _show_vocabulary(view: VocabularyView, language: str, limit: int, is_json: bool) -> None:
    vocabulary, tops = view.vocabulary, view.top_concepts(limit=limit + 1)
    if is_json:
        print_json(
            _as_dict(vocabulary)
            | {
                "schemes": [{"uri": each.uri, "labels": _labels(each.labels)} for each in vocabulary.schemes],
                "top_concepts": [_concept_label(each, language) for each in tops[:limit]],
            }
        )
        return
    print_line(f"{vocabulary.name}: {printable(vocabulary.label((language,)))}", style="bold")
    print_line(
        f"{plural(vocabulary.concepts, 'concept')} in {' '.join(vocabulary.languages) or 'no language'}"
    )
    print_line(f"from {printable(vocabulary.file)} ({vocabulary.format}), updated {vocabulary.updated}")
    if len(vocabulary.schemes) > 1:
        print_line(f"{len(vocabulary.schemes)} concept schemes")
    print_line()
    print_table(
        ("notation", "top concept", "uri"),
        [(each.notation, each.label((language,)), each.uri) for each in tops[:limit]],
    )
    if len(tops) > limit:
        print_hint(f"There are more: --limit {2 * limit}")


def _show_concept(view: VocabularyView, concept: Concept, language: str) -> None:
    title = f"{concept.notation} {concept.label((language,))}".strip()
    print_line(printable(title), style="bold")
    print_line(printable(concept.uri))
    if concept.is_deprecated:
        print_line(
            "deprecated; use " + (", ".join(map(printable, concept.replaced_by)) or "another one"),
            style="warn",
        )
    for path in view.paths(concept.uri):
        if path:
            print_line("in " + " › ".join(printable(each.label((language,))) for each in path))
    for what, labels in (("label", concept.preferred), ("also", concept.alternative)):
        for each in labels:
            print_line(f"{what:<10}{printable(each.text)}" + (f"  @{each.language}" if each.language else ""))
    for note in concept.notes:
        print_line(f"{note.kind:<10}{printable(note.text)}")
    for what, others in (
        ("broader", view.broader(concept.uri)),
        ("narrower", view.narrower(concept.uri)),
        ("related", view.related(concept.uri)),
    ):
        for other in others:
            print_line(f"{what:<10}{printable(f'{other.notation} {other.label((language,))}'.strip())}")
    for mapping in concept.mappings:
        print_line(f"{mapping.kind:<10}{printable(mapping.uri)}")


def _show_imported_vocabulary(vocabulary: Vocabulary, verb: str = "Has") -> None:
    languages = f" in {' '.join(vocabulary.languages)}" if vocabulary.languages else ""
    print_line(f"{verb} {plural(vocabulary.concepts, 'concept')}{languages}: {printable(vocabulary.name)}")


def _show_changes(what: str, changes: ConceptChanges) -> None:
    print_line(f"{plural(changes.total, 'concept')} {what}" + (":" if changes.total else ""))
    for uri, label in changes.examples:
        print_line(f"  {printable(label)}  {printable(uri)}")
    if changes.total > len(changes.examples):
        print_line(f"  and {changes.total - len(changes.examples):,} more")


def _report_as_dict(report: UpdateReport) -> dict[str, Any]:
    def changes(found: ConceptChanges) -> dict[str, Any]:
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
    from windrow.vocabularies.vocabulary_view import concept_as_dict

    return concept_as_dict(view, concept, (language,))


def _concept_label(concept: Concept, language: str) -> dict[str, str]:
    return {"uri": concept.uri, "notation": concept.notation, "label": concept.label((language,))}


def _labels(labels: Any) -> list[dict[str, str]]:
    return [{"text": each.text, "language": each.language} for each in labels]
