"""Checks values against the schemas of the description: the part of JSON Schema that it uses, and no more."""

from __future__ import annotations

from typing import Any

_TYPES: dict[str, tuple[type, ...]] = {
    "string": (str,),
    "integer": (int,),
    "number": (int, float),
    "boolean": (bool,),
    "null": (type(None),),
    "array": (list,),
    "object": (dict,),
}
_KNOWN = {
    "type", "properties", "required", "items", "anyOf", "additionalProperties",
    "description", "format", "enum", "minimum", "maximum", "maxLength", "default", "pattern",
    "minItems", "maxItems",
}  # fmt: skip


def faults(value: Any, schema: dict[str, Any], schemas: dict[str, Any], place: str = "$") -> list[str]:
    """Give everything in which a value is not as its schema says, properties without a schema among it."""
    if "$ref" in schema:
        return faults(value, schemas[schema["$ref"].rpartition("/")[2]], schemas, place)
    unknown = set(schema) - _KNOWN
    assert not unknown, f"this check does not know {unknown}"
    if "anyOf" in schema:
        tried = [faults(value, each, schemas, place) for each in schema["anyOf"]]
        return [] if [] in tried else tried[0]
    names = schema.get("type", [])
    kinds = [kind for name in ([names] if isinstance(names, str) else names) for kind in _TYPES[name]]
    if kinds and (not isinstance(value, tuple(kinds)) or (isinstance(value, bool) and bool not in kinds)):
        return [f"{place} is {value!r}, not {names}"]
    if "enum" in schema and value not in schema["enum"]:
        return [f"{place} is {value!r}, none of {schema['enum']}"]
    if isinstance(value, list):
        if not schema.get("minItems", 0) <= len(value) <= schema.get("maxItems", len(value)):
            return [f"{place} has {len(value)} items"]
        found = (faults(each, schema["items"], schemas, f"{place}[]") for each in value)
        return [fault for each in found for fault in each]
    if isinstance(value, dict):
        return _properties(value, schema, schemas, place)
    return []


def _properties(
    value: dict[str, Any], schema: dict[str, Any], schemas: dict[str, Any], place: str
) -> list[str]:
    found = [f"{place} lacks {name}" for name in schema.get("required", ()) if name not in value]
    for name, part in value.items():
        described = schema.get("properties", {}).get(name, schema.get("additionalProperties"))
        if described is None:
            found.append(f"{place}.{name} is not described")
        else:
            found += faults(part, described, schemas, f"{place}.{name}")
    return found
