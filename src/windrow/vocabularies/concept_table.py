"""Vocabularies as CSV tables: one row per concept with its code, its parent's code and its labels.

The first line names the columns, in any order: `code` (or `notation`), `uri`, `parent` (or `broader`),
`label`, `alt`, `hidden`, `note` (or `scopeNote`), `definition`, `related`, `exactMatch` (and the other
mappings), `deprecated`. A language follows after `@` or `_`: `label@sv`. A cell of codes, alternative labels
or mappings may have several values, separated by `|`. Rows with the same code are combined. Two columns
without a heading, a URI in angle brackets and a label, are read as well.
"""

from __future__ import annotations

import codecs
import csv
import io
import re
from collections.abc import Callable, Iterable, Iterator, Sequence
from itertools import chain
from pathlib import Path
from typing import IO, NamedTuple
from urllib.parse import quote

from windrow.errors import UsageError
from windrow.model.thesaurus import MAPPING_KINDS, Concept
from windrow.store.vocabulary import vocabulary_staging as staging
from windrow.store.vocabulary.vocabulary_staging import Statement
from windrow.vocabularies.rdf_child import open_plain

BETWEEN = "|"
_URI = re.compile(r"[A-Za-z][A-Za-z0-9+.-]*:\S+")
_LANGUAGE = re.compile(r"[A-Za-z]{2,8}(?:-[A-Za-z0-9]{1,8})*")
_YES = ("1", "true", "yes", "x", "ja", "kyllä")
_KINDS = {
    "label": staging.PREFERRED,
    "preflabel": staging.PREFERRED,
    "name": staging.PREFERRED,
    "alt": staging.ALTERNATIVE,
    "altlabel": staging.ALTERNATIVE,
    "hidden": staging.HIDDEN,
    "hiddenlabel": staging.HIDDEN,
    "note": staging.NOTE + "scope",
    "scopenote": staging.NOTE + "scope",
    "definition": staging.NOTE + "definition",
    "code": staging.NOTATION,
    "notation": staging.NOTATION,
    "uri": "uri",
    "id": "uri",
    "parent": staging.BROADER,
    "broader": staging.BROADER,
    "related": staging.RELATED,
    "deprecated": staging.DEPRECATED,
    **{f"{kind}match": staging.MAPPING + kind for kind in MAPPING_KINDS},
}
_SEVERAL = (staging.ALTERNATIVE, staging.HIDDEN, staging.BROADER, staging.RELATED)
_FIELD_CHARACTERS = 1_000_000


class Column(NamedTuple):
    """The type of the cells in one column."""

    kind: str
    language: str = ""


def read_table(path: Path, base: str, *, encoding: str = "") -> Iterator[Statement]:
    """Yield the statements of a table; raise UsageError for a malformed table or a wrong encoding."""
    csv.field_size_limit(_FIELD_CHARACTERS)
    with open_plain(str(path)) as file, _text(file, encoding) as lines:
        try:
            yield from _statements(path.name, lines, base)
        except UnicodeDecodeError as exc:
            raise UsageError(
                f"{path.name} is not {exc.encoding}: it has the byte {exc.object[exc.start]:#04x}",
                hint="Save it as UTF-8, or say what it is in, such as --encoding latin-1.",
            ) from exc
        except (csv.Error, OSError, EOFError) as exc:
            raise UsageError(f"{path.name} cannot be read as a table: {exc}") from exc


def write_table(
    concepts: Iterable[Concept], languages: Sequence[str], code: Callable[[str], str], file: IO[bytes]
) -> None:
    """Write concepts as a table; `code` maps the URI of a concept to its code."""
    text = io.TextIOWrapper(file, encoding="utf-8", newline="", write_through=True)
    labels = [language for language in languages if language]
    head = ["code", "uri", "parent", "label"]
    head += [f"label@{each}" for each in labels] + ["alt"] + [f"alt@{each}" for each in labels]
    head += (
        ["note"] + [f"note@{each}" for each in labels] + ["related", *(f"{k}Match" for k in MAPPING_KINDS)]
    )
    writer = csv.writer(text, lineterminator="\r\n")
    writer.writerow([*head, "deprecated"])
    for concept in concepts:
        several = ["", *labels]
        row = [concept.notation, concept.uri, BETWEEN.join(map(code, concept.broader))]
        row += [next((x.text for x in concept.preferred if x.language == each), "") for each in several]
        row += [BETWEEN.join(x.text for x in concept.alternative if x.language == each) for each in several]
        scope = [note for note in concept.notes if note.kind == "scope"]
        row += [" ".join(note.text for note in scope if note.language == each) for each in several]
        row += [BETWEEN.join(map(code, concept.related))]
        row += [BETWEEN.join(x.uri for x in concept.mappings if x.kind == kind) for kind in MAPPING_KINDS]
        writer.writerow([*row, "yes" if concept.is_deprecated else ""])
    text.flush()
    text.detach()


def resource(text: str, base: str) -> str:
    bare = text.strip()
    if bare.startswith("<") and bare.endswith(">"):
        return bare[1:-1]
    return (
        bare
        if (_URI.fullmatch(bare) and "//" in bare) or bare.startswith("urn:")
        else base + quote(bare, safe="")
    )


def _statements(name: str, lines: Iterable[str], base: str) -> Iterator[Statement]:
    source = iter(lines)
    first = next(source, "")
    if not first.strip():
        raise UsageError(f"{name} is empty")
    delimiter = max(",;\t", key=first.count)
    heads = next(csv.reader([first], delimiter=delimiter))
    columns = _columns(heads)
    if columns is None and heads[0].startswith("<"):
        columns = [Column("uri"), Column(staging.PREFERRED), Column(staging.NOTATION)]
        source = chain([first], source)
    if columns is None:
        raise UsageError(
            f"{name} has no heading that names its columns",
            hint="The first line must name them, such as: code,parent,label,label@sv",
        )
    kinds = [column.kind for column in columns]
    if not {"uri", staging.NOTATION}.intersection(kinds):
        raise UsageError(f"{name} has no column `code` and none `uri`", hint=f"It has: {', '.join(heads)}.")
    for row in csv.reader(source, delimiter=delimiter):
        yield from _row(columns, row, base)


def _columns(heads: Sequence[str]) -> list[Column] | None:
    found = []
    for head in heads:
        name, mark, language = head.strip().partition("@")
        if not mark and name.lower() not in _KINDS:
            name, _, language = name.rpartition("_")
        kind = _KINDS.get(name.lower().replace(" ", "").replace("_", ""), "")
        if language and not _LANGUAGE.fullmatch(language):
            kind = ""
        found.append(Column(kind, language.lower()))
    return found if any(column.kind for column in found) else None


def _row(columns: Sequence[Column], cells: Sequence[str], base: str) -> Iterator[Statement]:
    pairs = [(column, cell.strip()) for column, cell in zip(columns, cells, strict=False) if cell.strip()]
    named = {column.kind: cell for column, cell in reversed(pairs)}
    identifier = named.get("uri") or named.get(staging.NOTATION)
    if identifier is None:
        return
    subject = resource(identifier, base)
    yield Statement(subject, staging.TYPE, staging.CONCEPT)
    for (kind, language), cell in pairs:
        if kind == staging.DEPRECATED:
            if cell.lower() in _YES:
                yield Statement(subject, kind, "true")
        elif kind and kind != "uri":
            is_several = kind in _SEVERAL or kind.startswith(staging.MAPPING)
            parts = cell.split(BETWEEN) if is_several else [cell]
            is_link = kind in (staging.BROADER, staging.RELATED) or kind.startswith(staging.MAPPING)
            for part in filter(None, map(str.strip, parts)):
                yield Statement(subject, kind, resource(part, base) if is_link else part, language)


def _text(file: IO[bytes], encoding: str) -> io.TextIOWrapper:
    start = file.read(2)
    file.seek(file.tell() - len(start))
    if not encoding:
        encoding = "utf-16" if start in (codecs.BOM_UTF16_LE, codecs.BOM_UTF16_BE) else "utf-8-sig"
    try:
        return io.TextIOWrapper(file, encoding=encoding, newline="")
    except LookupError as exc:
        raise UsageError(
            f"there is no encoding {encoding!r}", hint="Such as utf-8, latin-1, cp1252."
        ) from exc
