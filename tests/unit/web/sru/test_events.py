"""Conditions on one occasion of a course over SRU: the same one, also in what is counted."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.unit.search.catalogue import Catalogue
from tests.unit.web.sru.stage import Sru, local, staged, texts, total
from windrow.formats.wir.wir_record import FetchDetails, write_wir
from windrow.model.web_page import MetaTag, Page

# Both courses have an occasion in Oslo and one in autumn; only the first has one that is both.
COURSES = {
    "https://u.example/both": ("b1;2002p1;bunden;full;Oslo;sv;day", "b2;2002p2;bunden;half;Bergen;sv;day"),
    "https://u.example/apart": ("a1;2002p2;bunden;full;Oslo;sv;day", "a2;2002p1;bunden;half;Bergen;sv;day"),
}
SAME = "windrow.period = 2002p1 prox/unit=event windrow.place = Oslo"


@pytest.fixture(scope="module")
def courses(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Sru]:
    folder: Path = tmp_path_factory.mktemp("courses")
    catalogue = Catalogue(folder)
    for url, occasions in COURSES.items():
        tags = tuple(MetaTag("STUDERA.event", text) for text in occasions)
        page = Page(url, title=url.rpartition("/")[2], tags=tags)
        catalogue.add(url, prefix="wir", payload=write_wir(page, FetchDetails(url)))
    with staged(folder, catalogue) as served:
        yield served
    catalogue.close()


def test_conditions_hold_for_the_same_occasion(courses: Sru) -> None:
    assert total(courses.search("windrow.period = 2002p1 and windrow.place = Oslo")) == 2
    found = courses.search(SAME)
    assert texts(found, "recordIdentifier") == ["https://u.example/both"]
    other = courses.search(f"cql.allRecords = 1 not ({SAME})")
    assert texts(other, "recordIdentifier") == ["https://u.example/apart"]


def test_counts_are_those_of_the_occasions_that_were_asked_for(courses: Sru) -> None:
    root = courses.xml({"query": SAME, "facetLimit": "9:windrow.intensity"})
    (facet,) = [each for each in root.iter() if local(each) == "facet"]
    counted = dict(zip(texts(facet, "actualTerm"), texts(facet, "count"), strict=True))
    assert list(counted.values()) == ["1"]
    everything = courses.xml({"query": "cql.allRecords = 1", "facetLimit": "9:windrow.intensity"})
    assert len(texts(everything, "actualTerm")) == 2


def test_records_of_our_own_schema_have_their_occasions(courses: Sru) -> None:
    root = courses.search(SAME, recordSchema="windrow")
    events = [each for each in root.iter() if local(each) == "event"]
    assert len(events) == 2
    assert {place for event in events for place in texts(event, "place")} == {"Oslo", "Bergen"}


def test_occasions_can_be_scanned(courses: Sru) -> None:
    root = courses.xml({"scanClause": 'windrow.place = ""'})
    assert texts(root, "displayTerm") == ["Bergen", "Oslo"]
    assert texts(root, "numberOfRecords") == ["2", "2"]
