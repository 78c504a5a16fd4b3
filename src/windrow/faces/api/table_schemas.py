"""The shape of a table of figures as JSON Schema: what `stats.writing` makes of one."""

from __future__ import annotations

from windrow.faces.api.schema_parts import MAYBE_TEXT, TEXT, TEXTS, Schema, list_of, object_of
from windrow.stats.table import Kind

_PAIR: Schema = {"type": "array", "items": TEXT, "minItems": 2, "maxItems": 2}
_CELL: Schema = {"type": ["string", "number", "null"], "description": "The value in the column of this name."}

TABLE_SCHEMAS: dict[str, Schema] = {
    "Table": object_of({"name": TEXT, "table": {"$ref": "#/components/schemas/Figures"}}),
    "Figures": object_of(
        {
            "name": TEXT,
            "title": {**TEXT, "description": "With period and origin."},
            "period": {**TEXT, "description": "From when to when; empty where that does not matter."},
            "origin": {**TEXT, "description": "Out of which records."},
            "summary": {**MAYBE_TEXT, "description": "What the figures say, in a sentence."},
            "notes": {**TEXTS, "description": "How they came about, and what is not in them."},
            "columns": list_of("Column"),
            "rows": list_of("Row"),
        },
        about="A table of figures; words are in English.",
    ),
    "Column": object_of(
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
        **object_of(
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
