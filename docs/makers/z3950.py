"""The page of Z39.50: every attribute of every set, record syntaxes and diagnostics."""

from __future__ import annotations

from collections.abc import Iterable

from docs.makers.table import code, table
from windrow.protocols.z3950.rpn import MOST_OPERATORS
from windrow.protocols.z3950.z3950_registry import (
    ACCESS_POINTS,
    ATTRIBUTE_SET_NAMES,
    BIB_1,
    COMPLETENESSES,
    EVENT,
    POSITIONS,
    RELATIONS,
    STRUCTURES,
    TRUNCATIONS,
    AccessPoint,
    Diagnostic,
    OtherAttribute,
    Profile,
)
from windrow.z3950.session import (
    FETCHED_AT_ONCE,
    MOST_DATABASES,
    MOST_SCANNED,
    PREPARED_BYTES,
    PREPARED_SECONDS,
)
from windrow.z3950.syntaxes import SYNTAXES

_PREFACE = f"""\
# Z39.50

`windrow z3950` and `windrow serve --z3950 PORT` answer version 3 of Z39.50 (ISO 23950):
[a how-to](../howto/answer-z3950.md) begins with it. These services are there: Init, Search, Present, Delete,
Scan, Sort, Segment (level 1) and Close. Extended services are refused, and triggered resource control is
passed over.

A client that asks for the first records right after a search, at most {FETCHED_AT_ONCE} of them, is expected
to do so again: with its next search they are read ahead, up to {PREPARED_BYTES >> 10} KiB, and kept for
{PREPARED_SECONDS:g} s. Where it does something else next, nothing is read ahead until it asks for them again.

Queries are of type 1 or 101, with result sets as operands. At most, a query has {MOST_OPERATORS} operators
and {MOST_DATABASES} databases, and a scan {MOST_SCANNED} terms. A result set stands for the query that made
it: as an operand it finds what that query would find now. Conditions on a result set (`resultAttr`) and
eSpecs are not supported.

## Record syntaxes

"""
_AFTER_SYNTAXES = """
Element sets are `B` (brief) and `F` (full); with XML an element set, or a schema by its URI, may be any
[record schema](sru.md#record-schemas). MARC 21 and XML are in UTF-8, the others in the character set of the
session.

## Proximity

Words (unit 2): at most so far apart (relations 1 and 2), in either order or, side by side, in the given one.
Elements (unit 8) at distance 0: conditions on the same event. Other units are refused.

## Other attributes
"""
_TYPES: tuple[tuple[int, str, tuple[OtherAttribute, ...]], ...] = (
    (2, "Relation", RELATIONS),
    (3, "Position", POSITIONS),
    (4, "Structure", STRUCTURES),
    (5, "Truncation", TRUNCATIONS),
    (6, "Completeness", COMPLETENESSES),
)


def make_page() -> str:
    """Write the page."""
    syntaxes = [(name, code(oid)) for oid, name in SYNTAXES.items()]
    parts = [_PREFACE + table(("Syntax", "Object identifier"), syntaxes), _AFTER_SYNTAXES.strip("\n"), ""]
    for number, name, values in _TYPES:
        rows = [(str(each.value), each.name, each.meaning) for each in values]
        parts += [f"### {name} (type {number})\n", table(("Value", "Name", "Meaning"), rows)]
    parts.append("## Access points (type 1)\n\nA name in place of a number is a field or an alias of")
    parts.append("[the query language](query-language.md): `@attr 1=department botany`.\n")
    plain = ACCESS_POINTS[Profile.GILS]
    for oid, points in plain.items():
        known = plain[BIB_1] if oid != BIB_1 else {}
        own = [point for number, point in points.items() if known.get(number) != point]
        also = " It has those of Bib-1, too." if len(own) < len(points) else ""
        parts += [f"### {ATTRIBUTE_SET_NAMES[oid]}\n\n`{oid}`.{also}\n", _table(own)]
    replaced = [
        point
        for oid, points in ACCESS_POINTS[Profile.STUDERA].items()
        for number, point in points.items()
        if plain[oid].get(number) != point
    ]
    parts += ['### GILS under `profile = "studera"`\n', _table(replaced)]
    conditions = [(str(int(each)), each.name.lower().replace("_", " ")) for each in sorted(Diagnostic)]
    parts += ["## Diagnostics\n\nOf the set Bib-1; the details name the part.\n"]
    parts += [table(("Number", "Meaning"), conditions)]
    return "\n".join(parts)


def _table(points: Iterable[AccessPoint]) -> str:
    rows = [(str(point.number), point.name, _fields(point)) for point in points]
    return table(("Value", "Name", "Fields"), rows)


def _fields(point: AccessPoint) -> str:
    if point.fields == (EVENT,):
        return "an event as one string"
    return ", ".join(map(code, point.fields)) or "any field"
