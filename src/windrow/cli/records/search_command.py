"""`windrow search`: search the index from a terminal or a script."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from enum import StrEnum
from typing import TYPE_CHECKING, Annotated, Any, NamedTuple, NoReturn

import typer

from windrow.cli.invocation import JSON, opened_library, print_json, require_index
from windrow.cli.terminal import plural, print_hint, print_line, print_table, printable
from windrow.errors import UsageError

if TYPE_CHECKING:
    from windrow.index.protocol import FacetCounts, FoundDocuments, SortKey
    from windrow.model.query import Query
    from windrow.model.thesaurus import QueryAddition
    from windrow.protocols.query.query_parser import Parsed
    from windrow.search.results import ShownHit
    from windrow.search.widening import WidenedSearch
    from windrow.wiring import Library

MAX_SHOWN_HITS = 1000


class Sort(StrEnum):
    """The sort orders, with the same names as in addresses."""

    RELEVANCE = "relevance"
    NEWEST = "newest"
    OLDEST = "oldest"
    TITLE = "title"
    PAGES = "pages"
    ADDED = "added"


def add_search(app: typer.Typer) -> None:
    app.command("search")(search)


def search(
    words: Annotated[
        list[str] | None,
        typer.Argument(metavar="QUERY...", help="Words, field:word, ranges as year:2010..2014."),
    ] = None,
    limit: Annotated[
        int, typer.Option("--limit", "-n", min=1, max=MAX_SHOWN_HITS, help="At most so many.")
    ] = 10,
    sort: Annotated[Sort, typer.Option("--sort", help="In which order.")] = Sort.RELEVANCE,
    facets: Annotated[
        list[str] | None,
        typer.Option("--facet", metavar="FIELD", help="Count the values of a field; may be repeated."),
    ] = None,
    exact: Annotated[
        bool, typer.Option("--exact", help="Only records with everything that was asked for.")
    ] = False,
    cql: Annotated[
        str | None, typer.Option("--cql", metavar="CQL", help="A query in CQL, as SRU takes it, instead.")
    ] = None,
    pqf: Annotated[
        str | None, typer.Option("--pqf", metavar="PQF", help="A query in PQF, as for Z39.50, instead.")
    ] = None,
    vocabulary: Annotated[
        bool | None,
        typer.Option(
            "--vocabulary/--no-vocabulary",
            help="Add synonyms, other languages and narrower concepts. [default: as the library is set]",
        ),
    ] = None,
    is_json: Annotated[bool, JSON] = False,
) -> None:
    """Search the library. What is wrong with a query is explained, and the rest of it searched.

    Where no record has everything, misspelt words are corrected or most of the words are searched, and a note
    says so. Exit codes: 0 something was found, 1 nothing was.
    """
    from windrow.index.protocol import FacetRequest, Order
    from windrow.protocols.query.query_parser import parse_query
    from windrow.search.request import read_request
    from windrow.search.results import add_missing_words, show_hit
    from windrow.search.spelling import suggest
    from windrow.search.widening import widen

    if len([each for each in (words, cql, pqf) if each]) > 1:
        raise UsageError("there are several queries", hint="Give words, or a query with --cql or --pqf.")
    if cql is not None:
        _search_in_cql(cql, limit=limit, facets=facets or (), is_json=is_json)
    if pqf is not None:
        _search_in_pqf(pqf, limit=limit, facets=facets or (), is_json=is_json)
    if not words:
        hint_ = "windrow search WORDS, or --cql QUERY, or --pqf QUERY."
        raise UsageError("there is nothing to search for", hint=hint_)
    text, order = " ".join(words), Order(sort.value)
    parsed = parse_query(text)
    switch = [] if vocabulary is None else [("vocabulary", "on" if vocabulary else "off")]
    with opened_library() as opened:
        require_index(opened, purpose="search")
        index = opened.index.newest()
        question = read_request([("q", text), *switch], expander=opened.expander)
        found = index.search(question.query, limit=limit, order=order)
        widened = None if exact else widen(index, question, found.total, found.hits)
        searched = question if widened is None else replace(question, searched=widened.text)
        if widened is not None:
            found = index.search(searched.query, limit=limit, order=order)
        hits = add_missing_words(index, widened, [show_hit(hit, question) for hit in found.hits])
        counts = index.tally(searched.query, [FacetRequest(name, 20) for name in facets or ()])
        additions = searched.additions
        meant = None if widened else suggest(index, question, found.total)
        plain = _search_plain_words(opened, found, text)
    tallied = dict(zip(facets or (), counts, strict=True))
    if is_json:
        told = {"did_you_mean": meant.text if meant else None, "as_words": plain}
        print_json(
            _as_dict(parsed, widened, found, hits, tallied)
            | {"additions": _describe_additions(additions)}
            | told
        )
    else:
        _show_widened(widened, hits)
        _show_additions(additions)
        _show(widened.text if widened and found.total else text.strip() or "*", parsed, found, hits, tallied)
        if meant:
            print_hint(f"Did you mean: {printable(meant.text)}")
        if plain:
            print_hint(f"As plain words, this finds something: {printable(plain)}")
    raise typer.Exit(0 if found.total else 1)


def _search_in_cql(text: str, *, limit: int, facets: Sequence[str], is_json: bool) -> NoReturn:
    """Search with a CQL query as SRU does, and print how it was understood."""
    from windrow.protocols.cql.cql_conversion import to_query, to_sort
    from windrow.protocols.cql.cql_syntax import parse_cql
    from windrow.protocols.sru.sru_diagnostics import SruError

    try:
        cql = parse_cql(text)
        query, sort = to_query(cql), to_sort(cql)
    except SruError as exc:
        number = exc.diagnostic.number
        raise UsageError(str(exc), hint=f"This is diagnostic {number} of SRU.") from None
    with opened_library() as opened:
        understood = _ParsedQuery("cql", str(cql), query, sort)
        _search_as_server(opened, understood, limit=limit, facets=facets, is_json=is_json)


def _search_in_pqf(text: str, *, limit: int, facets: Sequence[str], is_json: bool) -> NoReturn:
    """Search with a PQF query as the Z39.50 target does, and print how it was understood."""
    from windrow.protocols.z3950.pqf import parse_pqf, render_pqf
    from windrow.protocols.z3950.rpn_conversion import query_of
    from windrow.protocols.z3950.z3950_registry import Profile

    with opened_library() as opened:
        rpn = parse_pqf(text)
        query = query_of(rpn, Profile(opened.config.z3950.profile))
        understood = _ParsedQuery("pqf", render_pqf(rpn), query, ())
        _search_as_server(opened, understood, limit=limit, facets=facets, is_json=is_json)


class _ParsedQuery(NamedTuple):
    """A query of a library protocol: its language, its canonical text, and its meaning."""

    language: str
    text: str
    query: Query
    sort: Sequence[SortKey]


def _search_as_server(
    opened: Library, understood: _ParsedQuery, *, limit: int, facets: Sequence[str], is_json: bool
) -> NoReturn:
    from windrow.index.protocol import FacetRequest
    from windrow.search.databases import DEFAULT, MissingRecord

    query = understood.query
    require_index(opened, purpose="search")
    database = opened.databases.get(DEFAULT)
    hits = database.search(query, understood.sort)
    records = hits.records(1, limit)
    counts = database.tally(query, [FacetRequest(name, 20) for name in facets])
    found = [record for record in records if not isinstance(record, MissingRecord)]
    tallied = dict(zip(facets, counts, strict=True))
    if is_json:
        print_json(
            {
                understood.language: understood.text,
                "query": str(query),
                "total": hits.total,
                "hits": [
                    {
                        "source": record.source,
                        "identifier": record.identifier,
                        "title": record.document.title,
                        "creators": [agent.name for agent in record.document.creators],
                        "year": record.document.year,
                    }
                    for record in found
                ],
                "facets": _facets_as_dict(tallied),
            }
        )
    else:
        print_hint(f"Understood as: {printable(str(query))}")
        print_line(f"{plural(hits.total, 'record')} for {printable(understood.text)}", style="bold")
        rows = [
            (
                str(record.document.year or ""),
                record.document.title or "(no title)",
                "; ".join(agent.name for agent in record.document.creators[:3]),
                record.source,
                record.identifier,
            )
            for record in found
        ]
        if rows:
            print_table(("year", "title", "by", "source", "identifier"), rows, right="r")
        _show_facets(tallied)
    raise typer.Exit(0 if hits.total else 1)


def _search_plain_words(opened: Library, found: FoundDocuments, text: str) -> str | None:
    """Search for the text as plain words if it found nothing, and return a hint if these do."""
    from windrow.search.request import read_request
    from windrow.search.spelling import offer_words

    offer = offer_words(opened.index, read_request([("q", text)]), found.total)
    return offer.text if offer else None


def _as_dict(
    parsed: Parsed,
    widened: WidenedSearch | None,
    found: FoundDocuments,
    hits: Sequence[ShownHit],
    tallied: dict[str, FacetCounts],
) -> dict[str, Any]:
    from windrow.search.results import find_dropped_words

    return {
        "query": str(parsed.query),
        "match": widened.match.value if widened else "all",
        "searched": widened.text if widened else None,
        "corrections": [
            {"written": one, "searched": other} for one, other in (widened.corrected if widened else ())
        ],
        "dropped": list(find_dropped_words(widened, hits)) if widened else [],
        "mistakes": [str(mistake) for mistake in parsed.mistakes],
        "total": found.total,
        "more": found.total - len(found.hits),  # available with --limit or `windrow export`
        "hits": [
            hit.card._asdict() | {"missing": list(hit.missing), "score": round(hit.score, 4)} for hit in hits
        ],
        "facets": _facets_as_dict(tallied),
    }


def _facets_as_dict(tallied: dict[str, FacetCounts]) -> dict[str, Any]:
    return {
        name: {
            "values": [{"value": value.value, "count": value.count} for value in counts.values],
            "others": counts.others,
        }
        for name, counts in tallied.items()
    }


def _show_widened(widened: WidenedSearch | None, hits: Sequence[ShownHit]) -> None:
    from windrow.search.results import find_dropped_words

    if widened is None:
        return
    notes = {
        "corrected": "No record has the words as written; searched for the corrected ones.",
        "title": "The signs were taken as part of a title.",
        "most": "No record has all of these words; these have most of them.",
        "words": "No record has the quoted words in this order; these have all of them.",
        "more": "Few records have all of these words, far apart in long texts; others have most of them.",
        "some": "No record has all of these words; these have some of them.",
    }
    print_hint(f"{notes[widened.match]} --exact switches this off.")
    for written, better in widened.corrected:
        print_hint(f"“{printable(better)}” was searched instead of “{printable(written)}”.")
    dropped = find_dropped_words(widened, hits)
    if dropped:
        words = ", ".join(map(printable, dropped))
        print_hint(f"In none of these: {words}. A plus requires a word: +{printable(dropped[0])}")


def _describe_additions(additions: Sequence[QueryAddition]) -> list[dict[str, Any]]:
    from windrow.search.widening import addition_as_dict

    return [addition_as_dict(each) for each in additions]


def _show_additions(additions: Sequence[QueryAddition]) -> None:
    from windrow.search.widening import addition_sentence

    for each in additions:
        print_hint(printable(addition_sentence(each, ("en",))))
    if additions:
        print_hint("--no-vocabulary switches this off.")


def _show(
    shown: str,
    parsed: Parsed,
    found: FoundDocuments,
    hits: Sequence[ShownHit],
    tallied: dict[str, FacetCounts],
) -> None:
    for mistake in parsed.mistakes:
        print_hint(printable(mistake.sentence))
    if not found.total:
        print_line(f"Nothing was found for {printable(shown)}.")
        return
    print_line(f"{plural(found.total, 'record')} for {printable(shown)}", style="bold")
    rows = [
        (
            str(hit.card.year or ""),
            hit.card.title or "(no title)",
            "; ".join(hit.card.creators[:3]),
            hit.card.source,
            hit.card.identifier,
            ", ".join(hit.missing),
        )
        for hit in hits
    ]
    shown_columns = 6 if any(hit.missing for hit in hits) else 5
    names = ("year", "title", "by", "source", "identifier", "without")[:shown_columns]
    print_table(names, [row[:shown_columns] for row in rows], right="r")
    _show_facets(tallied)


def _show_facets(tallied: dict[str, FacetCounts]) -> None:
    for name, counts in tallied.items():
        print_line()
        print_table(
            (name, "records"), [(each.value, f"{each.count:,}") for each in counts.values], right=" r"
        )
        if counts.others:
            print_hint(f"and {counts.others:,} under other values")
