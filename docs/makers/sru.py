"""The page of SRU: every index of every context set, relations, modifiers, schemas and diagnostics."""

from __future__ import annotations

from docs.makers.table import code, table
from windrow.index.protocol import MAX_SORTED_RESULTS
from windrow.protocols.cql.cql_indexes import CONTEXT_SETS
from windrow.protocols.cql.cql_syntax import LONGEST_QUERY, LONGEST_TERM, MOST_CLAUSES, MOST_DEPTH
from windrow.protocols.sru.sru_diagnostics import MESSAGES
from windrow.search.record_schemas import WRITTEN
from windrow.web.sru.zeerex import explained_indexes

_PREFACE = f"""\
# SRU and CQL

`windrow serve` answers SRU 1.1, 1.2 and 2.0 at `/sru` for the whole library and at `/sru/NAME` for a
collection or a source; [a how-to](../howto/answer-sru.md) begins with it. Queries are CQL, in the forms of
1.2 and 2.0 alike. A query has at most {LONGEST_QUERY:,} characters, {MOST_CLAUSES} clauses and
{MOST_DEPTH} levels of
parentheses, and a term {LONGEST_TERM:,} characters. What a search costs is estimated as for
[the query language](query-language.md#what-a-search-may-cost). Up to
{MAX_SORTED_RESULTS:,} results can be sorted.

## Relations

"""
_RELATIONS = (
    (
        "`=`, `scr`",
        "the words side by side, one word in all its forms; of a code, a number or a date, the value",
    ),
    ("`adj`", "the words side by side, just as they are written"),
    ("`any`, `all`", "one of the words, all of them"),
    ("`==`, `exact`", "the whole value; a `*` at its end stands for any"),
    ("`<`, `<=`, `>`, `>=`", "values before or after; whole values, in the order of their letters"),
    ("`within`", 'from the first to the second of two values: `year within "2010 2014"`'),
    ("`<>`", "records without the value"),
)
_MODIFIERS = (
    ("`stem`", "in all its forms, which one word is found in anyway"),
    ("`fuzzy`", "spelled nearly so: one letter may differ, two in a longer word"),
    ("`respectCase`, `respectAccents`", "with `==`: as it is written"),
    ("`unmasked`", "`*`, `?` and `^` are letters"),
    ("`regexp`", "a regular expression, of which letters, `.`, `.*` and `.+` are understood"),
    ("`string`", "with `=`: the whole value"),
    ("`number`, `isoDate`, `uri`", "the term must be one, and nothing in it masks"),
    (
        "`relevant`, `ignoreCase`, `ignoreAccents`, `masked`, `word`, `partial`, `locale`",
        "accepted; it is how terms are compared anyway",
    ),
    ("`windrow.edits=N`, `windrow.slop=N`", "so many letters may differ, so many words may be between"),
    ("`windrow.boost=N`, `windrow.exclusive=low`", "weighs so much more; `within` without its lower end"),
)
_TEXT = """
`*` stands for any letters and `?` for one. `^` is understood at both ends of a term together, where it means
the whole value. `prox` takes words of the same index, `/unit=word`, `/distance<=N` and, for neighbours,
`/ordered`.

## Conditions on one event

`prox/unit=event` joins conditions that hold for the same occasion of a course:

```text
windrow.period = 2002p1 prox/unit=event windrow.intensity = full prox/unit=event windrow.place = 2280
```

Its operands are clauses on `place`, `period`, `intensity`, `kind`, `time` and `eventLanguage`, also with
`and`, `or` and `not` in parentheses. With `and` alone, each condition may hold for another occasion.

## Sorting

`sortBy` takes indexes that can be sorted, each with `/sort.ascending`, `/sort.descending`,
`/sort.respectCase`, `/sort.missingHigh` (usual), `/sort.missingLow`, `/sort.missingOmit`, `/sort.missingFail`
or `/sort.missingValue=…`. The `sortKeys` of 1.1 are understood, too; if both are there, those of the query
count.

## Record schemas

"""
_AFTER_SCHEMAS = """
Each format that was harvested is a schema of its own name (`recordSchema=oai_dc`). MARC and MODS leave as
they were harvested; where a record came in neither, they are written from what is known of it.

## Indexes

A name without a prefix stands for the field of that name or alias in
[the query language](query-language.md), else for an index of `cql`, `dc` or `bath`. Scan lists words with `=`
and, where there are whole values, those with `==`.

"""


def make_page() -> str:
    """Write the page."""
    sets = table(
        ("Context set", "URIs"), [(code(each.name), ", ".join(map(code, each.uris))) for each in CONTEXT_SETS]
    )
    indexes = [
        (
            code(f"{each.set}.{each.name}"),
            ", ".join(map(code, each.fields)) or "any field",
            ("words and values" if each.has_whole_values else "words") if each.is_scanned else "",
            "yes" if each.is_sorted else "",
        )
        for each in explained_indexes()
    ]
    schemas = [(code(each.name), code(each.identifier), each.title) for each in WRITTEN]
    diagnostics = [(str(number), message) for number, message in MESSAGES.items()]
    return "\n".join(
        (
            _PREFACE + table(("Relation", "Finds"), _RELATIONS),
            table(("Modifier", "Means"), _MODIFIERS)
            + _TEXT
            + table(("Schema", "URI", "What it is"), schemas),
            _AFTER_SCHEMAS.strip("\n"),
            "",
            sets,
            table(("Index", "Fields", "Scan", "Sort"), indexes),
            "## Diagnostics\n\nWhat an answer can say of a request (`info:srw/diagnostic/1/…`); the details"
            " name the part.\n",
            table(("Number", "Meaning"), diagnostics),
        )
    )
