"""The page of the database: its tables as the migrations make them, its columns as `schema` explains them."""

from __future__ import annotations

import ast
import inspect
import io
import tokenize
from pathlib import Path
from tempfile import TemporaryDirectory

from sqlalchemy import Connection, create_engine
from sqlalchemy import inspect as look_at

from docs.makers.table import code, table
from windrow.store import table_schema
from windrow.store.migrations import MIGRATIONS
from windrow.store.store import FILE, create_store

_PREFACE = f"""\
# The database

A library keeps everything in one SQLite file, `windrow.db`. These are its tables, at schema
version {len(MIGRATIONS)}. Read it with any SQLite tool, even while Windrow is at work; write to it with
Windrow only. A newer Windrow brings an older file up to date when it opens it; an older one refuses a newer
file and changes nothing.

Payloads are compressed, several to a block, so plain SQL does not show them: `windrow record show ID --raw`
and `windrow export` do. [Why it is so](../explain/store-and-blocks.md).
"""
_PURPOSES = {
    "alias": "Identifiers that were merged into another record of their source, and now lead there.",
    "block": "Some payloads one after another, compressed together. Blocks are only ever added.",
    "build": "The history of collections: each import, build, activation and rollback.",
    "cursor": "Where the next harvest of each list (a format, a set or everything) starts.",
    "dictionary": "What the compression learnt from the first records of a source in a format.",
    "envelope": "Namespace declarations that stood around payloads. Most records of a source share one.",
    "format": "The metadata prefixes that were ever harvested.",
    "held_file": "The files of folders of documents, and members of archives, as they were when last read.",
    "history": "What happened to records after they came: one row a change, with where the old payload lies.",
    "host": "Hosts that asked to be left alone, and until when.",
    "job": "What is done again and again: when it is due, and who is at it. How is in `windrow.toml`.",
    "job_run": "Every run of a job: when it was due, when it began and ended, and how it went.",
    "outbox": "Runs of jobs that people are still to be told of, and messages that could not be delivered.",
    "leaf": "So many records of a source, by their numbers: a page for crawlers, and part of a sitemap.",
    "lease": "Who is working on what at this moment. A claim dies with its process.",
    "listed": "What a comparison of identifiers has seen so far; empty between runs.",
    "payload": "Where in its block the payload of a record in a format lies.",
    "problem": "What went otherwise than it should in a run.",
    "quarantine": "Records that could not be kept, with their bytes and the reason.",
    "record": "What a source said about one thing: one row an identifier and source, tombstones too.",
    "moment": "When changes became visible, and in which run: one row a transaction.",
    "vanished": "Records that a comparison missed: marked as deleted, or waiting for a second one.",
    "virtual_set": "Sets that are defined by a query in the settings.",
    "virtual_member": "Which records are in a virtual set.",
    "refresh": "Records that were stale when somebody looked at them, and when they were last asked for.",
    "run": "Every attempt at harvesting, retrying or mapping again.",
    "set_group": "A combination of sets that records are in together.",
    "set_member": "Which sets a combination holds.",
    "set_role": (
        "What the sets of a combination say of the records in them, as JSON. Records in no sets: under"
        " minus the number of their source."
    ),
    "setting": "The schema's version, and the last number given to a change.",
    "source": "What was learnt about each source. Its settings are in `windrow.toml`.",
    "source_set": "The sets of each source, with their names and their place in the hierarchy.",
    "vocabulary": "The controlled vocabularies, each as its newest version has it.",
    "concept": "The concepts of vocabularies, each as JSON.",
    "concept_name": "Every text that stands for a concept: its URI, notations and labels.",
    "concept_word": "The words of all labels.",
    "concept_link": "Broader, narrower and related concepts as the file states them.",
    "concept_below": "Which concept lies right below which, whichever of the two the file says it of.",
    "concept_top": "Concepts from which a walk through a vocabulary begins.",
    "vocabulary_graph": "All statements of a vocabulary that came as RDF.",
    "visit": "How many requests crawlers made on a day, by family, and how many came from search engines.",
    "window": "Stretches of time of a harvest under way, and how far each has come.",
}
Remarks = dict[str, dict[str, str]]  # table → column → what `schema` says of it


def make_page() -> str:
    """Write the page."""
    remarks = _remarks(inspect.getsource(table_schema))
    with TemporaryDirectory() as folder:
        create_store(Path(folder)).close()
        engine = create_engine(f"sqlite:///{folder}/{FILE}")
        with engine.connect() as connection:
            names = sorted(table_schema.metadata.tables)
            sections = [_section(connection, name, remarks[name]) for name in names]
        engine.dispose()
    return "\n".join([_PREFACE, *sections])


def _section(connection: Connection, name: str, remarks: dict[str, str]) -> str:
    found = look_at(connection)
    keys = found.get_pk_constraint(name)["constrained_columns"]
    rows = [
        (
            code(column["name"]),
            str(column["type"]) + ("" if column["nullable"] or column["name"] in keys else ", not null"),
            "key" if column["name"] in keys else "",
            remarks.get(column["name"], ""),
        )
        for column in found.get_columns(name)
    ]
    heading = f"## `{name}`\n\n{_PURPOSES[name]}\n\n"
    return heading + table(("Column", "Type", "Key", "What it holds"), rows) + _indexes(connection, name)


def _indexes(connection: Connection, name: str) -> str:
    found = look_at(connection)
    lines = [
        f"- {'unique ' if index['unique'] else ''}{code(str(index['name']))} on "
        + ", ".join(code(column or "") for column in index["column_names"])
        + _condition(index.get("dialect_options", {}))
        for index in sorted(found.get_indexes(name), key=lambda index: str(index["name"]))
    ]
    unique = [
        "- unique on " + ", ".join(map(code, constraint["column_names"]))
        for constraint in found.get_unique_constraints(name)
    ]
    return "\n" + "\n".join([*unique, *lines]) + "\n" if unique or lines else ""


def _condition(options: dict[str, object]) -> str:
    where = options.get("sqlite_where")
    return f", where {code(str(where))}" if where is not None else ""


def _remarks(source: str) -> Remarks:
    """Give the comment behind each column, read off the line it stands on."""
    comments = {
        token.start[0]: token.string.lstrip("# ")
        for token in tokenize.generate_tokens(io.StringIO(source).readline)
        if token.type == tokenize.COMMENT
    }
    calls = [node for node in ast.walk(ast.parse(source)) if isinstance(node, ast.Call)]
    return {
        _text(call.args[0]): {
            _text(part.args[0]): comments.get(part.lineno, "")
            for part in call.args[2:]
            if isinstance(part, ast.Call)
        }
        for call in calls
        if getattr(call.func, "id", "") == "Table"
    }


def _text(node: ast.expr) -> str:
    return node.value if isinstance(node, ast.Constant) and isinstance(node.value, str) else ""
