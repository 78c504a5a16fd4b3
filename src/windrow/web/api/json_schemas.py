"""JSON Schema (2020-12, as OpenAPI 3.1 uses it) of a document and of a statistics table.

These describe the values that exports and statistics write. Empty fields are left out of those values.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from windrow.model.document import LinkKind
from windrow.stats.table import Kind

Schema = dict[str, Any]

TEXT: Schema = {"type": "string"}
TEXTS: Schema = {"type": "array", "items": TEXT}
NUMBER: Schema = {"type": "integer"}
FLAG: Schema = {"type": "boolean"}
OPTIONAL_TEXT: Schema = {"type": ["string", "null"]}
OPTIONAL_NUMBER: Schema = {"type": ["integer", "null"]}
TIMESTAMP: Schema = {"type": ["string", "null"], "format": "date-time"}
ADDRESS: Schema = {"type": "string", "format": "uri"}
NEXT_ADDRESS: Schema = {"type": ["string", "null"], "format": "uri", "description": "Where the list goes on."}


def object_schema(properties: Schema, *, optional: Iterable[str] = (), about: str = "") -> Schema:
    """Return an object schema; all properties are required but the optional ones."""
    given = set(optional)
    required = [name for name in properties if name not in given]
    made: Schema = {"type": "object", "properties": properties, "required": required}
    return made | ({"description": about} if about else {})


def array_schema(name: str) -> Schema:
    return {"type": "array", "items": {"$ref": f"#/components/schemas/{name}"}}


def items_schema(name: str, **others: Schema) -> Schema:
    return object_schema({"items": array_schema(name), **others})


def _partial_object(properties: Schema, *, required: tuple[str, ...] = (), about: str) -> Schema:
    """Return an object schema in which only `required` properties are always present."""
    return object_schema(properties, optional=properties.keys() - set(required), about=about)


def _text_schema(about: str) -> Schema:
    return {**TEXT, "description": about}


def _texts_schema(about: str) -> Schema:
    return {**TEXTS, "description": about}


def _list_schema(name: str, about: str) -> Schema:
    return {**array_schema(name), "description": about}


_LANGUAGE = _text_schema("An ISO 639 code, as far as the record has one.")

DOCUMENT_SCHEMAS: dict[str, Schema] = {
    "Document": _partial_object(
        {
            "titles": array_schema("Text"),
            "creators": array_schema("Agent"),
            "contributors": array_schema("Agent"),
            "subjects": _list_schema("Subject", "From a vocabulary, or from the format's subject element."),
            "keywords": _texts_schema("Free words, where the format tells them from subjects."),
            "descriptions": _list_schema("Text", "Without markup."),
            "publishers": TEXTS,
            "dates": array_schema("Date"),
            "year": {**NUMBER, "description": "Of publication, from the best of the dates."},
            "types": TEXTS,
            "languages": _texts_schema("ISO 639 codes, two letters where there are two."),
            "pages": NUMBER,
            "links": array_schema("Link"),
            "names": array_schema("Name"),
            "rights": TEXTS,
            "sources": _texts_schema("The journal, book or series it is part of; citations."),
            "relations": TEXTS,
            "institution": TEXT,
            "department": TEXT,
            "extra": {
                "type": "object",
                "additionalProperties": TEXTS,
                "description": "What no other field has a place for, by the format's own name for it.",
            },
            "events": array_schema("Event"),
            "file": {"$ref": "#/components/schemas/HeldFile"},
            "units": _list_schema(
                "Unit", "All it belongs to, by its sets; the first is institution and department."
            ),
            "collections": _texts_schema("Of its repository, by the names of its sets."),
            "prerequisites": _texts_schema("What a course asks for."),
            "exams": _texts_schema("The degrees that a course counts towards."),
            "professions": _texts_schema("The occupations that a course prepares for."),
        },
        about="What a record says, in the same fields whatever its format; without those that hold nothing.",
    ),
    "Unit": _partial_object(
        {"institution": TEXT, "department": TEXT},
        about="An institution, a department of one, or a department whose institution nobody names.",
    ),
    "Text": _partial_object(
        {"value": TEXT, "language": _LANGUAGE}, required=("value",), about="Words in a language."
    ),
    "Agent": _partial_object(
        {
            "name": TEXT,
            "role": _text_schema("author, advisor, editor, publisher … as the format says."),
            "identifier": _text_schema("ORCID, GND, VIAF …; a URI where it is one."),
            "affiliations": TEXTS,
        },
        required=("name",),
        about="A person or an organisation, as the record names it.",
    ),
    "Subject": _partial_object(
        {
            "value": TEXT,
            "scheme": _text_schema("The vocabulary it is from."),
            "uri": _text_schema("Its address in that."),
            "language": _LANGUAGE,
        },
        required=("value",),
        about="A topic.",
    ),
    "Date": _partial_object(
        {
            "text": _text_schema("As the record has it."),
            "kind": _text_schema("issued, created, available …, or date."),
        },
        required=("text", "kind"),
        about="A date and what it is of.",
    ),
    "Link": _partial_object(
        {
            "url": TEXT,
            "kind": {"type": "string", "enum": [kind.value for kind in LinkKind]},
            "label": TEXT,
            "media_type": TEXT,
        },
        required=("url", "kind"),
        about="An address, and what it leads to.",
    ),
    "Name": _partial_object(
        {"scheme": _text_schema("doi, isbn, issn, urn, hdl, arxiv, local."), "value": TEXT},
        required=("scheme", "value"),
        about="An identifier outside the repository.",
    ),
    "Event": _partial_object(
        {
            "identifier": TEXT,
            "period": _text_schema("A term, an era."),
            "kind": TEXT,
            "intensity": _text_schema("Full time, half time …"),
            "place": TEXT,
            "language": _LANGUAGE,
            "time": _text_schema("As the record has it."),
        },
        about="Something that happens to the thing or with it: a making, a showing, a round of a course.",
    ),
    "HeldFile": _partial_object(
        {
            "path": _text_schema("From its folder on, with slashes."),
            "member": _text_schema("Inside the archive at `path`."),
            "media_type": _text_schema("By its content."),
            "size": {**NUMBER, "description": "In bytes."},
            "sha256": _text_schema("In hexadecimal digits."),
            "facts": {"type": "array", "items": object_schema({"name": TEXT, "value": TEXT})},
        },
        required=("path", "media_type", "size", "sha256"),
        about="The file in a folder that the document is made of.",
    ),
}

# The shape of a statistics table.

_PAIR: Schema = {"type": "array", "items": TEXT, "minItems": 2, "maxItems": 2}
_CELL: Schema = {"type": ["string", "number", "null"], "description": "The value in the column of this name."}

TABLE_SCHEMAS: dict[str, Schema] = {
    "Table": object_schema({"name": TEXT, "table": {"$ref": "#/components/schemas/Figures"}}),
    "Figures": object_schema(
        {
            "name": TEXT,
            "title": {**TEXT, "description": "With period and origin."},
            "period": {**TEXT, "description": "From when to when; empty where that does not matter."},
            "origin": {**TEXT, "description": "Out of which records."},
            "summary": {**OPTIONAL_TEXT, "description": "What the figures say, in a sentence."},
            "notes": {**TEXTS, "description": "How they came about, and what is not in them."},
            "columns": array_schema("Column"),
            "rows": array_schema("Row"),
        },
        about="A table of figures; words are in English.",
    ),
    "Column": object_schema(
        {
            "name": {**TEXT, "description": "Of the property that each row has for it."},
            "label": TEXT,
            "kind": {
                "type": "string",
                "enum": [kind.value for kind in Kind],
                "description": "What its values are: a share is a fraction of one, a change a factor, a size"
                " bytes from .. to, a language a code, a moment a date and time.",
            },
        }
    ),
    "Row": {
        **object_schema(
            {
                "filter": {
                    "type": "array",
                    "items": _PAIR,
                    "description": "Parameters and values that find the records counted; none where none do.",
                }
            },
            about="A value for each column, by the column's name, and the way to the records behind them.",
        ),
        "additionalProperties": _CELL,
    },
}
