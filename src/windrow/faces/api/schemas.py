"""The shapes of answers as JSON Schema, by name. `shapes` makes the values; tests hold the two together."""

from __future__ import annotations

from windrow.faces.api.document_schemas import DOCUMENT_SCHEMAS
from windrow.faces.api.schema_parts import (
    ADDRESS,
    FLAG,
    MAYBE_NUMBER,
    MAYBE_TEXT,
    MOMENT,
    NEXT,
    NUMBER,
    TEXT,
    TEXTS,
    Schema,
    items_of,
    list_of,
    object_of,
)
from windrow.faces.api.table_schemas import TABLE_SCHEMAS
from windrow.faces.api.vocabularies import VOCABULARY_SCHEMAS
from windrow.finding.widening import Match

_CARD: Schema = {
    "source": TEXT,
    "identifier": TEXT,
    "title": MAYBE_TEXT,
    "creators": TEXTS,
    "year": MAYBE_NUMBER,
    "types": TEXTS,
    "languages": TEXTS,
    "institution": MAYBE_TEXT,
    "department": MAYBE_TEXT,
    "pages": MAYBE_NUMBER,
    "subjects": TEXTS,
    "keywords": TEXTS,
    "description": MAYBE_TEXT,
    "landing": MAYBE_TEXT,
    "fulltext": MAYBE_TEXT,
    "datestamp": MAYBE_TEXT,
    "page": ADDRESS,
    "record": ADDRESS,
    "file": {"anyOf": [{"$ref": "#/components/schemas/File"}, {"type": "null"}]},
}
_HIGHLIGHTS = object_of({"title": list_of("Piece"), "description": list_of("Piece")})

SCHEMAS: dict[str, Schema] = {
    "Problem": object_of(
        {
            "type": TEXT,
            "title": TEXT,
            "status": NUMBER,
            "detail": TEXT,
            "errors": {"type": "array", "items": object_of({"parameter": TEXT, "detail": TEXT})},
        },
        optional=("errors",),
        about="What went wrong.",
    ),
    "Card": object_of(_CARD, about="A document in short."),
    "Piece": object_of({"text": TEXT, "marked": FLAG}),
    "Hit": object_of(
        {
            **_CARD,
            "score": {"type": "number"},
            "highlights": _HIGHLIGHTS,
            "passage": {"anyOf": [{"$ref": "#/components/schemas/Passage"}, {"type": "null"}]},
            "missing": {**TEXTS, "description": "Words of `q` that this record does not have."},
        }
    ),
    "File": object_of(
        {
            "media_type": TEXT,
            "size": {**NUMBER, "description": "In bytes."},
            "original": ADDRESS,
            "picture": MAYBE_TEXT,
            "text": MAYBE_TEXT,
        },
        about="The file behind a document, and where it, its picture and its text are.",
    ),
    "Passage": object_of(
        {
            "page": {**MAYBE_NUMBER, "description": "None where the text has no pages."},
            "text": TEXT,
            "pieces": list_of("Piece"),
        },
        about="Where in the text of the file stands what title and description do not show.",
    ),
    "Choice": object_of(
        {
            "value": TEXT,
            "label": {**TEXT, "description": "Of a concept, whose value is its URI."},
            "count": NUMBER,
            "selected": FLAG,
            "within": list_of("Choice"),
        },
        optional=("label", "within"),
    ),
    "Facet": object_of({"field": TEXT, "values": list_of("Choice"), "others": NUMBER}),
    "Counted": object_of(
        {"value": TEXT, "count": NUMBER, "within": list_of("Counted")}, optional=("within",)
    ),
    "Results": object_of(
        {
            "query": {**TEXT, "description": "The search as it was understood."},
            "match": {
                "type": "string",
                "enum": [match.value for match in Match],
                "description": "`all`: as written. Else `searched` was searched, as no record has everything:"
                " with misspelt words `corrected`, for `most` or `some` of the words, as a `title`, or as"
                " `words` without quotation marks. `more`: few records have everything, far apart in long"
                " texts; those with most of the words follow.",
            },
            "searched": {**MAYBE_TEXT, "description": "A `q` that finds exactly these records."},
            "corrections": {"type": "array", "items": object_of({"written": TEXT, "searched": TEXT})},
            "dropped": {**TEXTS, "description": "Words of `q` that none of these items has."},
            "total": NUMBER,
            "items": list_of("Hit"),
            "facets": list_of("Facet"),
            "mistakes": {**TEXTS, "description": "What was wrong with `q`, and what was done about it."},
            "additions": list_of("Addition"),
            "did_you_mean": MAYBE_TEXT,
            "as_words": {"anyOf": [{"$ref": "#/components/schemas/PlainWords"}, {"type": "null"}]},
            "next": NEXT,
        }
    ),
    "PlainWords": object_of(
        {"q": TEXT, "total": NUMBER},
        about="Where nothing was found: `q` without operators, fields and wildcards, and what that finds.",
    ),
    "Facets": object_of({"total": NUMBER, "facets": list_of("Facet")}),
    "Record": object_of(
        {
            "source": TEXT,
            "identifier": TEXT,
            "datestamp": TEXT,
            "document": {"$ref": "#/components/schemas/Document"},
            "problem": {**MAYBE_TEXT, "description": "Why there is no document."},
            "sets": {"type": "array", "items": object_of({"spec": TEXT, "name": TEXT})},
            "formats": {"type": "array", "items": object_of({"prefix": TEXT, "bytes": NUMBER})},
            "added": MOMENT,
            "changed": MOMENT,
            "seen": {**MOMENT, "description": "When its source was last harvested well."},
            "page": ADDRESS,
            "record": ADDRESS,
            "history": {"type": "array", "items": object_of({"kind": TEXT, "at": MOMENT})},
            "citations": {"type": "object", "additionalProperties": TEXT},
            "raw": {"type": "object", "additionalProperties": TEXT},
            "similar": list_of("Card"),
        },
        optional=("history", "citations", "raw", "similar"),
    ),
    "Suggestion": object_of({"value": TEXT, "field": TEXT, "count": NUMBER}),
    "Suggestions": items_of("Suggestion"),
    "Shelf": items_of(
        "Counted", others={**NUMBER, "description": "Documents with values that are not listed."}
    ),
    "Institutions": items_of(
        "Counted",
        others={**NUMBER, "description": "Documents of institutions that are not listed."},
        without={
            **NUMBER,
            "description": "Documents without an institution: missing=institution finds them.",
        },
    ),
    "Letters": items_of("Counted", letters=list_of("Counted"), letter=MAYBE_TEXT, next=NEXT),
    "Cards": items_of("Card"),
    "Collection": object_of(
        {"name": TEXT, "title": TEXT, "sources": TEXTS, "records": NUMBER, "search": ADDRESS}
    ),
    "Collections": items_of("Collection"),
    "Run": object_of({"kind": TEXT, "started": MOMENT, "ended": MOMENT, "outcome": TEXT}),
    "Source": object_of(
        {
            "name": TEXT,
            "url": TEXT,
            "configured": FLAG,
            "records": NUMBER,
            "deleted": NUMBER,
            "quarantined": NUMBER,
            "last_run": {"anyOf": [{"$ref": "#/components/schemas/Run"}, {"type": "null"}]},
            "last_good": MOMENT,
        }
    ),
    "Sources": items_of("Source"),
    "Job": object_of(
        {
            "name": TEXT,
            "does": {
                "type": "string",
                "description": "Its command line, up to a path or the like in it.",
            },
            "sources": {"type": "array", "items": TEXT, "description": "The sources that it harvests."},
            "outcome": {
                "type": "string",
                "description": "Of its last run, in a word; never: it did not run.",
            },
            "ended": MOMENT,
            "last_good": MOMENT,
            "failing_since": MOMENT,
            "failures": {"type": "integer", "description": "In a row."},
            "running_since": MOMENT,
            "progress": {
                "anyOf": [
                    object_of({"done": NUMBER, "total": {"type": ["integer", "null"]}}),
                    {"type": "null"},
                ],
                "description": "How far the run under way is, where it says so.",
            },
            "next": MOMENT,
            "paused": FLAG,
            "overdue": {"type": "boolean", "description": "Its time has come, and nobody begins it."},
        }
    ),
    "Jobs": items_of("Job"),
    "Visit": object_of(
        {
            "day": {"type": "string", "format": "date", "description": "A day of UTC."},
            "kind": {"type": "string", "enum": ["crawler", "search"]},
            "family": TEXT,
            "count": NUMBER,
        }
    ),
    "Visits": items_of("Visit", since={"type": "string", "format": "date"}),
    "TableName": object_of({"name": TEXT, "table": ADDRESS}),
    "Tables": items_of("TableName"),
    **DOCUMENT_SCHEMAS,
    **TABLE_SCHEMAS,
    **VOCABULARY_SCHEMAS,
    "Addition": object_of(
        {
            "written": {**TEXT, "description": "The part of `q` that names a concept."},
            "field": MAYBE_TEXT,
            "vocabulary": TEXT,
            "uri": TEXT,
            "labels": list_of("Label"),
            "names": {
                **TEXTS,
                "description": "Other names of the concept that are searched as well, some of them.",
            },
            "below": {**NUMBER, "description": "Concepts below it that are searched, too."},
            "is_whole": {**FLAG, "description": "false: it has more below it than one search takes."},
        },
        about="What a vocabulary added to the search; `vocabulary=off` switches it off.",
    ),
}
