from __future__ import annotations

import csv
import io
import json
from typing import Any

import pytest

from tests.oracle.entries import sample_entries
from tests.oracle.memory_index import MemoryIndex
from tests.unit.search.catalogue import Catalogue
from windrow.errors import NotFound
from windrow.index.protocol import FoundDocuments, Index, Order
from windrow.model.query import Query
from windrow.search import results
from windrow.search.request import SearchRequest, read_request
from windrow.search.result_export import FORMATS, describe_truncation, export
from windrow.search.results import walk_results
from windrow.store.records.set_hierarchy import guard_set

HAY, STRAW, OATS = "oai:hay.example:1", "oai:hay.example:2", "oai:oats.example:3"


@pytest.fixture
def stocked(catalogue: Catalogue) -> Catalogue:
    catalogue.add(
        HAY, title="Hay, {braces} & more", creator="Mower, Ann", date="2012", type="article", language="en"
    )
    catalogue.add(STRAW, title="=Straw", creator=("Rake, Bo", "Barn Institute"), date="2014", type="book")
    catalogue.add(OATS, title="Oats", date="2010", source="oats", type="article")
    return catalogue


def exported(catalogue: Catalogue, suffix: str, question: SearchRequest | None = None, **options: Any) -> str:
    pieces = export(question or SearchRequest(), catalogue.index(), catalogue.store, suffix, **options)
    return b"".join(pieces.pieces).decode()


def rows(text: str) -> list[dict[str, str]]:
    return list(csv.DictReader(io.StringIO(text)))


def test_an_export_has_exactly_what_the_question_finds_in_its_order(stocked: Catalogue) -> None:
    found = rows(exported(stocked, "csv", read_request([("sort", "oldest")])))
    assert [row["identifier"] for row in found] == [OATS, HAY, STRAW]
    found = rows(exported(stocked, "csv", read_request([("type", "article"), ("sort", "newest")])))
    assert [row["identifier"] for row in found] == [HAY, OATS]


def test_no_cell_is_a_formula(stocked: Catalogue) -> None:
    titles = {row["title"] for row in rows(exported(stocked, "csv"))}
    assert "'=Straw" in titles


def test_json_lines_have_one_whole_document_each(stocked: Catalogue) -> None:
    lines = [json.loads(line) for line in exported(stocked, "jsonl").splitlines()]
    assert {line["identifier"]: line["document"]["titles"][0]["value"] for line in lines} == {
        HAY: "Hay, {braces} & more",
        STRAW: "=Straw",
        OATS: "Oats",
    }


def test_bibtex_entries_have_keys_of_their_own(catalogue: Catalogue) -> None:
    for number in range(3):
        catalogue.add(f"oai:hay.example:{number}", title="Meadows", creator="Mower, Ann", date="2012")
    text = exported(catalogue, "bib")
    for key in ("mower2012meadows", "mower2012meadows-2", "mower2012meadows-3"):
        assert text.count(f"{{{key},") == 1


def test_items_of_csl_json_have_ids_of_their_own(catalogue: Catalogue) -> None:
    for source in ("hay", "oats"):
        catalogue.add(HAY, title="Meadows", source=source)
    assert [item["id"] for item in json.loads(exported(catalogue, "csl.json"))] == [HAY, f"{HAY}-2"]


def test_ris_and_csl_json_have_every_record(stocked: Catalogue) -> None:
    assert exported(stocked, "ris").count("ER  - \r\n") == 3
    items = json.loads(exported(stocked, "csl.json"))
    assert sorted(item["id"] for item in items) == [HAY, STRAW, OATS]


@pytest.mark.parametrize("suffix", FORMATS)
def test_an_export_of_nothing_is_a_whole_file(catalogue: Catalogue, suffix: str) -> None:
    text = exported(catalogue, suffix)
    assert HAY not in text
    if suffix == "csl.json":
        assert json.loads(text) == []


@pytest.mark.parametrize("suffix", FORMATS)
def test_what_was_withdrawn_or_hidden_since_is_left_out(stocked: Catalogue, suffix: str) -> None:
    index = stocked.index()
    stocked.withdraw(HAY)
    stocked.add(STRAW, title="=Straw", sets=(guard_set("/private"),))
    text = b"".join(export(SearchRequest(), index, stocked.store, suffix).pieces).decode()
    assert "Oats" in text
    assert "braces" not in text
    assert "Straw" not in text


@pytest.mark.parametrize("suffix", ["csv", "jsonl", "bib"])
def test_a_file_that_is_cut_says_so_at_its_end(stocked: Catalogue, suffix: str) -> None:
    last = exported(stocked, suffix, most=2).splitlines()[-1]
    assert describe_truncation(3, most=2) in last
    assert describe_truncation(3, most=2) not in exported(stocked, suffix, most=3)


def test_a_cut_file_has_so_many_records(stocked: Catalogue) -> None:
    assert len(json.loads(exported(stocked, "csl.json", most=2))) == 2


def test_an_unknown_format_is_refused_before_anything_is_read(catalogue: Catalogue) -> None:
    with pytest.raises(NotFound, match="docx"):
        export(SearchRequest(), catalogue.index(), catalogue.store, "docx")


class ShallowIndex(MemoryIndex):
    """Gives only the first few by relevance, as an index may."""

    def search(self, query: Query, **options: Any) -> FoundDocuments:
        found = super().search(query, **options)
        return FoundDocuments(found.total, found.hits, None) if options["order"] is Order.RELEVANCE else found


def test_a_walk_goes_on_where_relevance_ends_and_gives_each_once(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(results, "BATCH", 7)
    index = ShallowIndex(sample_entries(300))
    question = read_request([("q", "year:2005..2030")])
    assert question.order is Order.RELEVANCE
    numbers = [number for batch in walk_results(index, question, most=10_000) for number in batch]
    assert len(numbers) == len(set(numbers)) == index.count(question.query) > 200
    cut = [number for batch in walk_results(index, question, most=25) for number in batch]
    assert cut == numbers[:25]


@pytest.mark.parametrize("order", list(Order))
def test_a_walk_keeps_to_every_order(theses: Index, order: Order, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(results, "BATCH", 40)
    question = SearchRequest(order=order)
    numbers = [number for batch in walk_results(theses, question, most=10_000) for number in batch]
    whole = theses.search(question.query, limit=1000, order=order)
    assert numbers == [hit.card.number for hit in whole.hits]
