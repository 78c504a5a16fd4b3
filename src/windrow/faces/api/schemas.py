"""The shapes of answers as JSON Schema, by name. `shapes` makes the values; tests hold the two together."""

from __future__ import annotations

from typing import Any

Schema = dict[str, Any]

_TEXT: Schema = {"type": "string"}
_TEXTS: Schema = {"type": "array", "items": _TEXT}
_NUMBER: Schema = {"type": "integer"}
_FLAG: Schema = {"type": "boolean"}
_MAYBE_TEXT: Schema = {"type": ["string", "null"]}
_MAYBE_NUMBER: Schema = {"type": ["integer", "null"]}
_MOMENT: Schema = {"type": ["string", "null"], "format": "date-time"}
_ADDRESS: Schema = {"type": "string", "format": "uri"}
_NEXT: Schema = {"type": ["string", "null"], "format": "uri", "description": "Where the list goes on."}


def _object(properties: Schema, *, optional: tuple[str, ...] = (), about: str = "") -> Schema:
    required = [name for name in properties if name not in optional]
    made: Schema = {"type": "object", "properties": properties, "required": required}
    return made | ({"description": about} if about else {})


def _list(name: str) -> Schema:
    return {"type": "array", "items": {"$ref": f"#/components/schemas/{name}"}}


def _items(name: str, **others: Schema) -> Schema:
    return _object({"items": _list(name), **others})


_CARD: Schema = {
    "source": _TEXT,
    "identifier": _TEXT,
    "title": _MAYBE_TEXT,
    "creators": _TEXTS,
    "year": _MAYBE_NUMBER,
    "types": _TEXTS,
    "languages": _TEXTS,
    "institution": _MAYBE_TEXT,
    "department": _MAYBE_TEXT,
    "pages": _MAYBE_NUMBER,
    "subjects": _TEXTS,
    "keywords": _TEXTS,
    "description": _MAYBE_TEXT,
    "landing": _MAYBE_TEXT,
    "fulltext": _MAYBE_TEXT,
    "datestamp": _MAYBE_TEXT,
    "page": _ADDRESS,
    "record": _ADDRESS,
    "file": {"anyOf": [{"$ref": "#/components/schemas/File"}, {"type": "null"}]},
}
_HIGHLIGHTS = _object({"title": _list("Piece"), "description": _list("Piece")})

SCHEMAS: dict[str, Schema] = {
    "Problem": _object(
        {
            "type": _TEXT,
            "title": _TEXT,
            "status": _NUMBER,
            "detail": _TEXT,
            "errors": {"type": "array", "items": _object({"parameter": _TEXT, "detail": _TEXT})},
        },
        optional=("errors",),
        about="What went wrong.",
    ),
    "Card": _object(_CARD, about="A document in short."),
    "Piece": _object({"text": _TEXT, "marked": _FLAG}),
    "Hit": _object(
        {
            **_CARD,
            "score": {"type": "number"},
            "highlights": _HIGHLIGHTS,
            "passage": {"anyOf": [{"$ref": "#/components/schemas/Passage"}, {"type": "null"}]},
        }
    ),
    "File": _object(
        {
            "media_type": _TEXT,
            "size": {**_NUMBER, "description": "In bytes."},
            "original": _ADDRESS,
            "picture": _MAYBE_TEXT,
            "text": _MAYBE_TEXT,
        },
        about="The file behind a document, and where it, its picture and its text are.",
    ),
    "Passage": _object(
        {
            "page": {**_MAYBE_NUMBER, "description": "None where the text has no pages."},
            "text": _TEXT,
            "pieces": _list("Piece"),
        },
        about="Where in the text of the file stands what title and description do not show.",
    ),
    "Choice": _object(
        {"value": _TEXT, "count": _NUMBER, "selected": _FLAG, "within": _list("Choice")}, optional=("within",)
    ),
    "Facet": _object({"field": _TEXT, "values": _list("Choice"), "others": _NUMBER}),
    "Counted": _object({"value": _TEXT, "count": _NUMBER, "within": _list("Counted")}, optional=("within",)),
    "Results": _object(
        {
            "query": {**_TEXT, "description": "The search as it was understood."},
            "total": _NUMBER,
            "items": _list("Hit"),
            "facets": _list("Facet"),
            "mistakes": {**_TEXTS, "description": "What was wrong with `q`, and what was done about it."},
            "did_you_mean": _MAYBE_TEXT,
            "as_words": {"anyOf": [{"$ref": "#/components/schemas/PlainWords"}, {"type": "null"}]},
            "next": _NEXT,
        }
    ),
    "PlainWords": _object(
        {"q": _TEXT, "total": _NUMBER},
        about="Where nothing was found: `q` without operators, fields and wildcards, and what that finds.",
    ),
    "Facets": _object({"total": _NUMBER, "facets": _list("Facet")}),
    "Record": _object(
        {
            "source": _TEXT,
            "identifier": _TEXT,
            "datestamp": _TEXT,
            "document": {"type": "object", "description": "The fields that hold something, by their names."},
            "problem": {**_MAYBE_TEXT, "description": "Why there is no document."},
            "sets": {"type": "array", "items": _object({"spec": _TEXT, "name": _TEXT})},
            "formats": {"type": "array", "items": _object({"prefix": _TEXT, "bytes": _NUMBER})},
            "added": _MOMENT,
            "changed": _MOMENT,
            "seen": {**_MOMENT, "description": "When its source was last harvested well."},
            "page": _ADDRESS,
            "record": _ADDRESS,
            "history": {"type": "array", "items": _object({"kind": _TEXT, "at": _MOMENT})},
            "citations": {"type": "object", "additionalProperties": _TEXT},
            "raw": {"type": "object", "additionalProperties": _TEXT},
            "similar": _list("Card"),
        },
        optional=("history", "citations", "raw", "similar"),
    ),
    "Suggestion": _object({"value": _TEXT, "field": _TEXT, "count": _NUMBER}),
    "Suggestions": _items("Suggestion"),
    "Shelf": _items(
        "Counted", others={**_NUMBER, "description": "Documents with values that are not listed."}
    ),
    "Letters": _items("Counted", letters=_list("Counted"), letter=_MAYBE_TEXT, next=_NEXT),
    "Cards": _items("Card"),
    "Collection": _object(
        {"name": _TEXT, "title": _TEXT, "sources": _TEXTS, "records": _NUMBER, "search": _ADDRESS}
    ),
    "Collections": _items("Collection"),
    "Run": _object({"kind": _TEXT, "started": _MOMENT, "ended": _MOMENT, "outcome": _TEXT}),
    "Source": _object(
        {
            "name": _TEXT,
            "url": _TEXT,
            "configured": _FLAG,
            "records": _NUMBER,
            "deleted": _NUMBER,
            "quarantined": _NUMBER,
            "last_run": {"anyOf": [{"$ref": "#/components/schemas/Run"}, {"type": "null"}]},
            "last_good": _MOMENT,
        }
    ),
    "Sources": _items("Source"),
    "Job": _object(
        {
            "name": _TEXT,
            "does": {
                "type": "string",
                "description": "Its command line, up to a path or the like in it.",
            },
            "sources": {"type": "array", "items": _TEXT, "description": "The sources that it harvests."},
            "outcome": {
                "type": "string",
                "description": "Of its last run, in a word; never: it did not run.",
            },
            "ended": _MOMENT,
            "last_good": _MOMENT,
            "failing_since": _MOMENT,
            "failures": {"type": "integer", "description": "In a row."},
            "running_since": _MOMENT,
            "progress": {
                "anyOf": [
                    _object({"done": _NUMBER, "total": {"type": ["integer", "null"]}}),
                    {"type": "null"},
                ],
                "description": "How far the run under way is, where it says so.",
            },
            "next": _MOMENT,
            "paused": _FLAG,
            "overdue": {"type": "boolean", "description": "Its time has come, and nobody begins it."},
        }
    ),
    "Jobs": _items("Job"),
    "Visit": _object(
        {
            "day": {"type": "string", "format": "date", "description": "A day of UTC."},
            "kind": {"type": "string", "enum": ["crawler", "search"]},
            "family": _TEXT,
            "count": _NUMBER,
        }
    ),
    "Visits": _items("Visit", since={"type": "string", "format": "date"}),
    "TableName": _object({"name": _TEXT, "table": _ADDRESS}),
    "Tables": _items("TableName"),
    "Table": _object({"name": _TEXT, "table": {"description": "Whatever the table holds."}}),
}
