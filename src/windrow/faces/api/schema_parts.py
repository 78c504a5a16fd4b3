"""What the shapes of answers are put together from: JSON Schema in small pieces."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

Schema = dict[str, Any]

TEXT: Schema = {"type": "string"}
TEXTS: Schema = {"type": "array", "items": TEXT}
NUMBER: Schema = {"type": "integer"}
FLAG: Schema = {"type": "boolean"}
MAYBE_TEXT: Schema = {"type": ["string", "null"]}
MAYBE_NUMBER: Schema = {"type": ["integer", "null"]}
MOMENT: Schema = {"type": ["string", "null"], "format": "date-time"}
ADDRESS: Schema = {"type": "string", "format": "uri"}
NEXT: Schema = {"type": ["string", "null"], "format": "uri", "description": "Where the list goes on."}


def object_of(properties: Schema, *, optional: Iterable[str] = (), about: str = "") -> Schema:
    """An object with these properties, all of them required but the optional ones."""
    given = set(optional)
    required = [name for name in properties if name not in given]
    made: Schema = {"type": "object", "properties": properties, "required": required}
    return made | ({"description": about} if about else {})


def list_of(name: str) -> Schema:
    """A list of the shape of this name."""
    return {"type": "array", "items": {"$ref": f"#/components/schemas/{name}"}}


def items_of(name: str, **others: Schema) -> Schema:
    """An answer with such a list in it."""
    return object_of({"items": list_of(name), **others})
