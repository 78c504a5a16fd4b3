"""Vocabularies and concepts for programs: content negotiation, SKOS, Zthes, tables."""

from __future__ import annotations

import sys
from functools import partial
from typing import IO

import pytest
import rdflib
from lxml import etree

from tests.unit.web.vocabulary.stage import BASE, Stage
from windrow.web.vocabulary.vocabulary_downloads import SpooledFile

CONCEPT = "/vocabulary/farming/concept"
SKOS = rdflib.Namespace("http://www.w3.org/2004/02/skos/core#")
OATS = rdflib.URIRef(f"{BASE}3")
pytestmark = pytest.mark.filterwarnings("ignore:ConjunctiveGraph is deprecated:DeprecationWarning")
FORMS = {
    "text/turtle": (".ttl", "turtle"),
    "application/rdf+xml": (".rdf", "xml"),
    "application/ld+json": (".jsonld", "json-ld"),
    "application/n-triples": (".nt", "nt"),
}


def graph(body: bytes, kind: str) -> rdflib.Graph:
    return rdflib.Graph().parse(data=body, format=kind)


@pytest.mark.parametrize("accept", FORMS)
def test_a_concept_is_had_in_the_form_that_is_accepted(stage: Stage, accept: str) -> None:
    suffix, kind = FORMS[accept]
    got = stage.portal.ask(f"{CONCEPT}/f3", headers={"Accept": f"{accept}, text/html;q=0.1"})
    assert (got.status, got.headers["location"]) == (303, f"{CONCEPT}/f3{suffix}")
    assert "accept" in got.headers["vary"]
    got = stage.portal.ask(got.headers["location"])
    assert got.headers["content-type"].startswith(accept)
    assert got.headers["access-control-allow-origin"] == "*"
    found = graph(got.body, kind)
    assert (OATS, SKOS.prefLabel, rdflib.Literal("Oats", lang="en")) in found
    assert set(found.subjects()) == {OATS}


def test_a_concept_has_what_is_around_it_whichever_of_the_two_states_it(stage: Stage) -> None:
    found = graph(stage.portal.ask(f"{CONCEPT}/f2.ttl").body, "turtle")
    below = {str(each) for each in found.objects(rdflib.URIRef(f"{BASE}2"), SKOS.narrower)}
    assert below == {f"{BASE}{number}" for number in (4, 5, 6, 7, 9)}  # of which two say so themselves


def test_a_browser_gets_the_page_and_so_does_who_takes_anything(stage: Stage) -> None:
    for accept in (None, "*/*", "text/html,application/xml;q=0.9,*/*;q=0.8", "image/png"):
        got = stage.portal.ask(f"{CONCEPT}/f3", headers={"Accept": accept or ""})
        assert got.headers["content-type"].startswith("text/html")
        assert "accept" in [each.strip() for each in got.headers["vary"].split(",")]


def test_a_concept_of_another_address_has_the_same_forms(stage: Stage) -> None:
    address = f"{CONCEPT}?uri=https%3A%2F%2Felse.example%2Fx%2F1"
    got = stage.portal.ask(address, headers={"Accept": "text/turtle"})
    assert got.headers["location"] == address.replace("?", ".ttl?")
    found = graph(stage.portal.ask(got.headers["location"]).body, "turtle")
    assert set(found.subjects()) == {rdflib.URIRef("https://else.example/x/1")}


def test_a_concept_is_had_as_zthes(stage: Stage) -> None:
    root = etree.fromstring(stage.portal.ask(f"{CONCEPT}/f3.xml").body)
    assert root.findtext("term/termName") in ("Oats", "Havre", "Kaura")
    relations = {each.findtext("relationType") for each in root.iterfind("term/relation")}
    assert {"BT", "RT", "UF", "LE"} <= relations


@pytest.mark.parametrize(("suffix", "kind"), FORMS.values())
def test_a_whole_vocabulary_is_had_in_every_form(stage: Stage, suffix: str, kind: str) -> None:
    got = stage.portal.ask(f"/vocabulary/farming/all{suffix}")
    assert f'filename="farming{suffix}"' in got.headers["content-disposition"]
    concepts = set(graph(got.body, kind).subjects(rdflib.RDF.type, SKOS.Concept))
    assert len(concepts) == 11


def test_a_whole_vocabulary_is_had_as_zthes_and_as_a_table(stage: Stage) -> None:
    root = etree.fromstring(stage.portal.ask("/vocabulary/farming/all.xml").body)
    assert len(root.findall("term")) == 11
    table = stage.portal.ask("/vocabulary/places/all.csv").body.decode("utf-8-sig")
    assert "Härnösand" in table


def test_the_address_of_a_vocabulary_leads_to_the_form_that_is_accepted(stage: Stage) -> None:
    got = stage.portal.ask("/vocabulary/farming/", headers={"Accept": "text/turtle"})
    assert (got.status, got.headers["location"]) == (303, "/vocabulary/farming/all.ttl")


def test_programs_are_told_what_is_not_there_in_a_sentence(stage: Stage) -> None:
    for path in (
        f"{CONCEPT}/nothing",
        f"{CONCEPT}/f3.png",
        "/vocabulary/nothing/",
        "/vocabulary/farming/all.png",
    ):
        got = stage.portal.ask(path, headers={"Accept": "text/turtle"})
        assert got.status == 404
        assert got.headers["content-type"].startswith("text/plain")


def test_pieces_come_while_the_file_is_written_and_a_reader_who_leaves_ends_it() -> None:
    def write(file: IO[bytes], times: int = 3) -> None:
        for _ in range(times):
            file.write(b"x" * 70_000)

    pieces = SpooledFile(write)
    assert sum(map(len, pieces)) == 210_000
    pieces.close()
    endless = SpooledFile(partial(write, times=sys.maxsize))
    assert next(endless)
    endless.close()
    with endless._changed:
        assert endless._changed.wait_for(lambda: endless._is_done, timeout=60)


def test_a_file_that_cannot_be_written_breaks_off() -> None:
    def write(file: object) -> None:
        raise ValueError("no")

    pieces = SpooledFile(write)
    with pytest.raises(ConnectionAbortedError):
        next(pieces)
    pieces.close()
