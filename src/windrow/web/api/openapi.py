"""The OpenAPI 3.1 description of the API, made from the table of endpoints."""

from __future__ import annotations

from typing import Any

from windrow import __version__
from windrow.search.widening import Match
from windrow.web.api.api_context import API_BASE, ApiContext
from windrow.web.api.concept_answers import VOCABULARY_SCHEMAS
from windrow.web.api.endpoints import ENDPOINTS, Endpoint
from windrow.web.api.json_schemas import (
    ADDRESS,
    DOCUMENT_SCHEMAS,
    FLAG,
    NEXT_ADDRESS,
    NUMBER,
    OPTIONAL_NUMBER,
    OPTIONAL_TEXT,
    TABLE_SCHEMAS,
    TEXT,
    TEXTS,
    TIMESTAMP,
    Schema,
    array_schema,
    items_schema,
    object_schema,
)
from windrow.web.http.parameters import Parameter
from windrow.web.layout import error_responses

# The schemas of answers by name. `api_context` makes the values; tests hold the two together.

_HIT_SUMMARY: Schema = {
    "source": TEXT,
    "identifier": TEXT,
    "title": OPTIONAL_TEXT,
    "creators": TEXTS,
    "year": OPTIONAL_NUMBER,
    "types": TEXTS,
    "languages": TEXTS,
    "institution": OPTIONAL_TEXT,
    "department": OPTIONAL_TEXT,
    "pages": OPTIONAL_NUMBER,
    "subjects": TEXTS,
    "keywords": TEXTS,
    "description": OPTIONAL_TEXT,
    "landing": OPTIONAL_TEXT,
    "fulltext": OPTIONAL_TEXT,
    "datestamp": OPTIONAL_TEXT,
    "page": ADDRESS,
    "record": ADDRESS,
    "file": {"anyOf": [{"$ref": "#/components/schemas/File"}, {"type": "null"}]},
}
_HIGHLIGHTS = object_schema({"title": array_schema("Piece"), "description": array_schema("Piece")})

SCHEMAS: dict[str, Schema] = {
    "Problem": object_schema(
        {
            "type": TEXT,
            "title": TEXT,
            "status": NUMBER,
            "detail": TEXT,
            "errors": {"type": "array", "items": object_schema({"parameter": TEXT, "detail": TEXT})},
        },
        optional=("errors",),
        about="What went wrong.",
    ),
    "Card": object_schema(_HIT_SUMMARY, about="A document in short."),
    "Piece": object_schema({"text": TEXT, "marked": FLAG}),
    "Hit": object_schema(
        {
            **_HIT_SUMMARY,
            "score": {"type": "number"},
            "highlights": _HIGHLIGHTS,
            "passage": {"anyOf": [{"$ref": "#/components/schemas/Passage"}, {"type": "null"}]},
            "missing": {**TEXTS, "description": "Words of `q` that this record does not have."},
        }
    ),
    "File": object_schema(
        {
            "media_type": TEXT,
            "size": {**NUMBER, "description": "In bytes."},
            "original": ADDRESS,
            "picture": OPTIONAL_TEXT,
            "text": OPTIONAL_TEXT,
        },
        about="The file behind a document, and where it, its picture and its text are.",
    ),
    "Passage": object_schema(
        {
            "page": {**OPTIONAL_NUMBER, "description": "None where the text has no pages."},
            "text": TEXT,
            "pieces": array_schema("Piece"),
        },
        about="Where in the text of the file stands what title and description do not show.",
    ),
    "Choice": object_schema(
        {
            "value": TEXT,
            "label": {**TEXT, "description": "Of a concept, whose value is its URI."},
            "count": NUMBER,
            "selected": FLAG,
            "within": array_schema("Choice"),
        },
        optional=("label", "within"),
    ),
    "Facet": object_schema({"field": TEXT, "values": array_schema("Choice"), "others": NUMBER}),
    "Counted": object_schema(
        {"value": TEXT, "count": NUMBER, "within": array_schema("Counted")}, optional=("within",)
    ),
    "Results": object_schema(
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
            "searched": {**OPTIONAL_TEXT, "description": "A `q` that finds exactly these records."},
            "corrections": {"type": "array", "items": object_schema({"written": TEXT, "searched": TEXT})},
            "dropped": {**TEXTS, "description": "Words of `q` that none of these items has."},
            "total": NUMBER,
            "items": array_schema("Hit"),
            "facets": array_schema("Facet"),
            "mistakes": {**TEXTS, "description": "What was wrong with `q`, and what was done about it."},
            "additions": array_schema("Addition"),
            "did_you_mean": OPTIONAL_TEXT,
            "as_words": {"anyOf": [{"$ref": "#/components/schemas/PlainWords"}, {"type": "null"}]},
            "next": NEXT_ADDRESS,
        }
    ),
    "PlainWords": object_schema(
        {"q": TEXT, "total": NUMBER},
        about="Where nothing was found: `q` without operators, fields and wildcards, and what that finds.",
    ),
    "Facets": object_schema({"total": NUMBER, "facets": array_schema("Facet")}),
    "Record": object_schema(
        {
            "source": TEXT,
            "identifier": TEXT,
            "datestamp": TEXT,
            "document": {"$ref": "#/components/schemas/Document"},
            "problem": {**OPTIONAL_TEXT, "description": "Why there is no document."},
            "sets": {"type": "array", "items": object_schema({"spec": TEXT, "name": TEXT})},
            "formats": {"type": "array", "items": object_schema({"prefix": TEXT, "bytes": NUMBER})},
            "added": TIMESTAMP,
            "changed": TIMESTAMP,
            "seen": {**TIMESTAMP, "description": "When its source was last harvested well."},
            "page": ADDRESS,
            "record": ADDRESS,
            "history": {"type": "array", "items": object_schema({"kind": TEXT, "at": TIMESTAMP})},
            "citations": {"type": "object", "additionalProperties": TEXT},
            "raw": {"type": "object", "additionalProperties": TEXT},
            "similar": array_schema("Card"),
        },
        optional=("history", "citations", "raw", "similar"),
    ),
    "Suggestion": object_schema({"value": TEXT, "field": TEXT, "count": NUMBER}),
    "Suggestions": items_schema("Suggestion"),
    "Shelf": items_schema(
        "Counted", others={**NUMBER, "description": "Documents with values that are not listed."}
    ),
    "Institutions": items_schema(
        "Counted",
        others={**NUMBER, "description": "Documents of institutions that are not listed."},
        without={
            **NUMBER,
            "description": "Documents without an institution: missing=institution finds them.",
        },
    ),
    "Letters": items_schema(
        "Counted", letters=array_schema("Counted"), letter=OPTIONAL_TEXT, next=NEXT_ADDRESS
    ),
    "Cards": items_schema("Card"),
    "Collection": object_schema(
        {"name": TEXT, "title": TEXT, "sources": TEXTS, "records": NUMBER, "search": ADDRESS}
    ),
    "Collections": items_schema("Collection"),
    "Run": object_schema({"kind": TEXT, "started": TIMESTAMP, "ended": TIMESTAMP, "outcome": TEXT}),
    "Source": object_schema(
        {
            "name": TEXT,
            "url": TEXT,
            "configured": FLAG,
            "records": NUMBER,
            "deleted": NUMBER,
            "quarantined": NUMBER,
            "last_run": {"anyOf": [{"$ref": "#/components/schemas/Run"}, {"type": "null"}]},
            "last_good": TIMESTAMP,
        }
    ),
    "Sources": items_schema("Source"),
    "Job": object_schema(
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
            "ended": TIMESTAMP,
            "last_good": TIMESTAMP,
            "failing_since": TIMESTAMP,
            "failures": {"type": "integer", "description": "In a row."},
            "running_since": TIMESTAMP,
            "progress": {
                "anyOf": [
                    object_schema({"done": NUMBER, "total": {"type": ["integer", "null"]}}),
                    {"type": "null"},
                ],
                "description": "How far the run under way is, where it says so.",
            },
            "next": TIMESTAMP,
            "paused": FLAG,
            "overdue": {"type": "boolean", "description": "Its time has come, and nobody begins it."},
        }
    ),
    "Jobs": items_schema("Job"),
    "Visit": object_schema(
        {
            "day": {"type": "string", "format": "date", "description": "A day of UTC."},
            "kind": {"type": "string", "enum": ["crawler", "search"]},
            "family": TEXT,
            "count": NUMBER,
        }
    ),
    "Visits": items_schema("Visit", since={"type": "string", "format": "date"}),
    "TableName": object_schema({"name": TEXT, "table": ADDRESS}),
    "Tables": items_schema("TableName"),
    **DOCUMENT_SCHEMAS,
    **TABLE_SCHEMAS,
    **VOCABULARY_SCHEMAS,
    "Addition": object_schema(
        {
            "written": {**TEXT, "description": "The part of `q` that names a concept."},
            "field": OPTIONAL_TEXT,
            "vocabulary": TEXT,
            "uri": TEXT,
            "labels": array_schema("Label"),
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

_PROBLEM_RESPONSE = {error_responses.PROBLEM_MEDIA_TYPE: {"schema": {"$ref": "#/components/schemas/Problem"}}}
_STATUSES = {"400": "Something is wrong with the parameters.", "404": "There is no such thing."}


def describe_api(desk: ApiContext) -> dict[str, Any]:
    return {
        "openapi": "3.1.0",
        "info": {
            "title": desk.config.library.name or "Windrow",
            "summary": "Search, browse and count the records of this library.",
            "description": "Lists go on at `next`, in the body and in the Link header, until it is null."
            " Every answer has an ETag. Problems are told as RFC 9457 has it.",
            "version": __version__,
        },
        "servers": [{"url": f"{desk.url}{API_BASE}"}],
        "tags": [{"name": tag} for tag in dict.fromkeys(endpoint.tag for endpoint in ENDPOINTS)],
        "paths": {endpoint.path: {"get": _describe_operation(endpoint)} for endpoint in ENDPOINTS},
        "components": {"schemas": SCHEMAS},
    }


def _describe_operation(endpoint: Endpoint) -> dict[str, Any]:
    responses: dict[str, Any] = {
        "200": {
            "description": "What was asked for.",
            "content": {"application/json": {"schema": {"$ref": f"#/components/schemas/{endpoint.shape}"}}},
        },
        "304": {"description": "Nothing has changed since the answer with this ETag."},
    }
    statuses = dict(_STATUSES)
    if endpoint.shape == "Record":
        statuses["410"] = "The record was withdrawn."
    responses |= {
        status: {"description": words, "content": _PROBLEM_RESPONSE} for status, words in statuses.items()
    }
    return {
        "operationId": endpoint.name,
        "summary": endpoint.summary,
        "tags": [endpoint.tag],
        "parameters": list(map(_describe_parameter, endpoint.parameters)),
        "responses": responses,
    }


def _describe_parameter(parameter: Parameter) -> dict[str, Any]:
    found: dict[str, Any] = {
        "name": parameter.name,
        "in": "path" if parameter.is_in_path else "query",
        "description": parameter.about,
        "required": parameter.is_required,
        "schema": parameter.schema(),
    }
    if parameter.is_repeatable:
        found |= {"style": "form", "explode": True}
    if parameter.example is not None:
        found["example"] = parameter.example
    return found
