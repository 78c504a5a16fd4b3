"""Requests and responses of SRU in all versions, held against schemas of the standard."""

from __future__ import annotations

from functools import cache
from pathlib import Path
from urllib.parse import urlencode

import pytest
from lxml import etree

from tests.unit.search.catalogue import Catalogue
from tests.unit.web.sru.stage import BROWSER, MARC, Sru, local, numbers, staged, stock, texts, total
from windrow.formats.windrow_record import schema as own_schema
from windrow.search.databases import DEFAULT
from windrow.web.sru import sru_front_end
from windrow.web.sru.sru_responses import SURROGATE
from windrow.web.sru.zeerex import SruLimits

SCHEMAS = Path(__file__).with_name("schemas")
VERSIONS = ("1.1", "1.2", "2.0")
SEARCHES: tuple[dict[str, str], ...] = (
    {"query": "hay"},
    {"query": "hay", "maximumRecords": "3", "recordSchema": "marcxml", "startRecord": "5"},
    {"query": "hay", "recordPacking": "string", "recordSchema": "info:srw/schema/1/mods-v3.4"},
    {"query": "dc.title = hay and year > 2005 sortby dc.date/sort.descending", "recordSchema": "windrow"},
    {"query": "nothingatall"},
    {"query": "("},
    {"query": "hay", "nosuch": "1"},
    {"query": "hay", "startRecord": "1000"},
    {"query": "> dc = \"info:srw/cql-context-set/1/dc-v1.1\" dc.title any/stem 'hay straw'"},
    {"query": "hay", "facetLimit": "5,3:dc.creator", "facetSort": "alphanumeric"},
    {"query": "hay", "recordSchema": "nosuch"},
    {},
)
SCANS = (
    {"scanClause": "dc.title = hay"},
    {"scanClause": 'dc.creator == ""', "maximumTerms": "1"},
    {"scanClause": "dc.title = straw", "responsePosition": "3"},
    {"scanClause": "nosuch = x"},
)


@cache
def grammar(name: str) -> etree.RelaxNG:
    return etree.RelaxNG(etree.parse(str(SCHEMAS / f"{name}.rng")))


def assert_valid(root: etree._Element, version: str) -> None:
    found = grammar(f"sru-{version}")
    assert found.validate(root), f"{found.error_log}\n{etree.tostring(root).decode()[:3000]}"


@pytest.mark.parametrize("version", VERSIONS)
@pytest.mark.parametrize("asked", SEARCHES, ids=str)
def test_responses_to_searches_are_valid(sru: Sru, version: str, asked: dict[str, str]) -> None:
    assert_valid(sru.xml({"operation": "searchRetrieve", "version": version, **asked}), version)


@pytest.mark.parametrize("version", VERSIONS)
@pytest.mark.parametrize("asked", SCANS, ids=str)
def test_responses_to_scans_are_valid(sru: Sru, version: str, asked: dict[str, str]) -> None:
    assert_valid(sru.xml({"operation": "scan", "version": version, **asked}), version)


@pytest.mark.parametrize("version", VERSIONS)
@pytest.mark.parametrize("name", ["", "hay", "fields"])
def test_explain_is_a_valid_zeerex_record(sru: Sru, version: str, name: str) -> None:
    root = sru.xml({"operation": "explain", "version": version}, name=name)
    assert_valid(root, version)
    (record,) = [each for each in root.iter() if local(each) == "explain"]
    assert grammar("zeerex").validate(record), grammar("zeerex").error_log
    path = f"sru/{name}" if name else "sru"
    assert texts(record, "database") == [path]
    assert texts(record, "host") == ["library.example"]


def test_no_parameters_are_answered_with_an_explanation(sru: Sru) -> None:
    assert local(sru.xml()) == "explainResponse"


def test_2_0_tells_operations_by_their_parameters(sru: Sru) -> None:
    assert local(sru.xml({"query": "hay"})) == "searchRetrieveResponse"
    assert local(sru.xml({"scanClause": "hay"})) == "scanResponse"


def test_a_search_finds_records_page_by_page(sru: Sru) -> None:
    first = sru.search("dc.title = hay", maximumRecords="20")
    assert total(first) == 30
    assert texts(first, "recordPosition") == [str(place) for place in range(1, 21)]
    assert texts(first, "nextRecordPosition") == ["21"]
    second = sru.search("dc.title = hay", maximumRecords="20", startRecord="21")
    assert len(texts(second, "recordPosition")) == 10
    assert texts(second, "nextRecordPosition") == []
    both = [*texts(first, "recordIdentifier"), *texts(second, "recordIdentifier")]
    assert len(set(both)) == 30


def test_sources_and_collections_are_databases(sru: Sru) -> None:
    assert total(sru.search("cql.allRecords = 1")) == 32
    assert total(sru.search("cql.allRecords = 1", name="oats")) == 2
    assert total(sru.search("cql.allRecords = 1", name="fields")) == 32
    assert total(sru.search("cql.allRecords = 1", name="default")) == 32
    assert numbers(sru.search("hay", name="nosuch")) == [235]
    assert DEFAULT == "Default"


def test_text_is_utf_8_on_both_ways(sru: Sru) -> None:
    root = sru.search('dc.creator = "Äng" and dc.subject = hö', maximumRecords="1")
    assert total(root) > 0
    assert "Äng, Bo" in texts(root, "creator")
    assert texts(root, "query") == ['dc.creator = "Äng" and dc.subject = hö']


def test_each_schema_is_what_it_is_called(sru: Sru) -> None:
    def root(schema: str) -> etree._Element:
        (data,) = [
            each
            for each in sru.search("dc.title = rye", recordSchema=schema, maximumRecords="1").iter()
            if local(each) == "recordData"
        ]
        return data[0]

    assert root("dc").tag == "{info:srw/schema/1/dc-schema}dc"
    assert root("info:srw/schema/1/marcxml-v1.1").tag == f"{{{MARC}}}record"
    assert root("mods").tag == "{http://www.loc.gov/mods/v3}mods"
    assert etree.XMLSchema(etree.fromstring(own_schema())).validate(root("windrow"))


def test_marc_that_was_harvested_leaves_as_it_came(sru: Sru) -> None:
    found = sru.search('dc.title == "Rye in MARC"', recordSchema="marcxml")
    assert texts(found, "leader") == ["00000cam a2200000 a 4500"]
    harvested = sru.search('dc.title == "Rye in MARC"', recordSchema="oai_dc")
    assert texts(harvested, "recordSchema")[0] == SURROGATE
    assert numbers(harvested) == [67]


def test_records_can_be_text_instead_of_xml(sru: Sru) -> None:
    found = sru.search("dc.title = oats", recordPacking="string")
    (data,) = texts(found, "recordData")
    assert etree.fromstring(data).tag == "{info:srw/schema/1/dc-schema}dc"
    new = sru.xml({"query": "dc.title = oats", "recordXMLEscaping": "string"})
    assert texts(new, "recordData") == [data]
    assert "Oats &amp; &lt;rye&gt;" in data


def test_results_are_sorted_as_the_query_says(sru: Sru) -> None:
    years = texts(sru.search("dc.title = hay sortBy year/descending", recordSchema="windrow"), "year")
    assert years == sorted(years, reverse=True)
    two = sru.search(
        "dc.title = hay sortBy creator title/sort.descending", recordSchema="windrow", maximumRecords="30"
    )
    names = [name for name in texts(two, "name") if ", " in name]
    assert names == sorted(names, reverse=True) or names == ["Äng, Bo"] * 15 + ["Mower, Ann"] * 15


def test_results_are_sorted_as_the_keys_of_1_1_say(sru: Sru) -> None:
    asked = {
        "operation": "searchRetrieve",
        "version": "1.1",
        "query": "dc.title = hay",
        "recordSchema": "windrow",
    }
    years = texts(sru.xml({**asked, "sortKeys": "date,dc,0"}), "year")
    assert years == sorted(years, reverse=True)
    assert numbers(sru.xml({**asked, "sortKeys": "description,dc"})) == [88]
    assert numbers(sru.xml({**asked, "sortKeys": "date,nosuch"})) == [87]
    assert numbers(sru.xml({**asked, "sortKeys": "date,dc,sideways"})) == [90]
    assert numbers(sru.xml({**asked, "sortKeys": "date,dc,1,2"})) == [91]
    assert numbers(sru.xml({**asked, "sortKeys": "date,dc,1,0,never"})) == [92]
    both = sru.xml({**asked, "query": "dc.title = hay sortBy year", "sortKeys": "date,dc,0"})
    assert numbers(both) == [94]
    assert texts(both, "year") == sorted(texts(both, "year"))


@pytest.mark.parametrize(
    ("asked", "number"),
    [
        ({"version": "3.0", "operation": "explain"}, 5),
        ({"version": "1.1", "operation": "delete"}, 4),
        ({"version": "1.1", "operation": "searchRetrieve"}, 7),
        ({"operation": "scan"}, 7),
        ({"query": "hay", "startRecord": "0"}, 6),
        ({"query": "hay", "maximumRecords": "-1"}, 6),
        ({"query": "hay", "maximumRecords": "many"}, 6),
        ({"query": "hay", "queryType": "pqf"}, 6),
        ({"query": "hay", "recordXMLEscaping": "json"}, 71),
        ({"query": "hay", "facetLimit": "x"}, 6),
        ({"query": "hay", "facetLimit": "1:nosuch"}, 16),
        ({"query": "hay", "facetLimit": "1:dc.description"}, 16),
        ({"query": "hay", "facetLimit": "1", "facetSort": "sideways"}, 6),
        ({"query": "hay", "startRecord": "31"}, 61),
        ({"query": "hay", "recordSchema": "nosuch"}, 66),
        ({"query": "dc.title = hay sortBy description"}, 82),
        ({"query": "dc.title = hay sortBy creator/missingFail"}, 0),
        ({"query": "cql.allRecords = 1 sortBy creator/missingFail"}, 93),
        ({"query": "cql.resultSetId = a"}, 50),
        ({"scanClause": "hay and straw"}, 48),
        ({"scanClause": "dc.title > hay"}, 19),
        ({"scanClause": "bath.name = hay"}, 16),
        ({"scanClause": "dc.description == hay"}, 16),
        ({"scanClause": "hay", "maximumTerms": "100000"}, 121),
        ({"scanClause": "hay", "maximumTerms": "3", "responsePosition": "5"}, 120),
        ({"query": "a\x00b"}, 6),
    ],
    ids=str,
)
def test_what_cannot_be_done_is_a_diagnostic(sru: Sru, asked: dict[str, str], number: int) -> None:
    assert numbers(sru.xml(asked)) == ([number] if number else [])


def test_a_parameter_that_means_nothing_is_named_and_no_reason_to_refuse(sru: Sru) -> None:
    root = sru.search("dc.title = hay", whatever="1")
    assert total(root) == 30
    assert numbers(root) == [8]
    assert texts(root, "details") == ["whatever"]
    assert numbers(sru.search("dc.title = hay", **{"x-info-5": "1"})) == []


def test_a_parameter_twice_is_refused(sru: Sru) -> None:
    assert numbers(sru.xml("query=hay&query=straw")) == [6]
    assert total(sru.xml("query=hay&query=hay")) == 30


def test_terms_alone_are_a_query_of_2_0(sru: Sru) -> None:
    assert total(sru.xml({"query": "hay straw (zzz", "queryType": "searchTerms"})) == 0
    assert total(sru.xml({"query": "hay straw", "queryType": "searchTerms"})) == 30


def test_facets_count_results_and_lead_to_them(sru: Sru) -> None:
    root = sru.xml(
        {"query": "dc.title = hay", "facetLimit": "5:dc.creator,2:windrow.year", "maximumRecords": "0"}
    )
    assert texts(root, "resultCountPrecision")[0].endswith("/exact")
    facets = [each for each in root.iter() if local(each) == "facet"]
    creators = dict(zip(texts(facets[0], "actualTerm"), texts(facets[0], "count"), strict=True))
    assert creators == {"Mower, Ann": "15", "Äng, Bo": "15"}
    assert len(texts(facets[1], "actualTerm")) == 2
    for query, count in zip(texts(facets[0], "query"), texts(facets[0], "count"), strict=True):
        assert str(total(sru.search(query))) == count
    hidden = sru.xml({"query": "hay", "facetLimit": "5:dc.creator", "facetCount": "no"})
    assert texts(hidden, "count") == []
    later = sru.xml({"query": "hay", "facetLimit": "1:dc.creator", "facetStart": "2:dc.creator"})
    assert texts(later, "actualTerm") == ["Mower, Ann"]
    by_name = sru.xml({"query": "hay", "facetLimit": "9:dc.date", "facetSort": "alphanumeric.descending"})
    assert numbers(by_name) == [16]


def test_scan_lists_terms_around_one(sru: Sru) -> None:
    def terms(**asked: str) -> list[str]:
        return texts(sru.xml(asked), "value")

    everything = terms(scanClause='dc.title = ""', maximumTerms="100")
    assert everything == sorted(everything)
    place = everything.index("hay")
    assert terms(scanClause="dc.title = hay", maximumTerms="3") == everything[place : place + 3]
    around = terms(scanClause="dc.title = hay", maximumTerms="3", responsePosition="2")
    assert around == everything[place - 1 : place + 2]
    behind = terms(scanClause="dc.title = hay", maximumTerms="2", responsePosition="0")
    assert behind == everything[place + 1 : place + 3]
    before = terms(scanClause="dc.title = hay", maximumTerms="2", responsePosition="3")
    assert before == everything[place - 2 : place]


def test_scan_counts_and_says_where_a_list_ends(sru: Sru) -> None:
    root = sru.xml({"scanClause": 'dc.creator == ""'})
    assert texts(root, "value") == ["ang, bo", "mower, ann", "rake, cia"]
    assert texts(root, "displayTerm") == ["Äng, Bo", "Mower, Ann", "Rake, Cia"]
    assert texts(root, "numberOfRecords") == ["15", "15", "1"]
    assert texts(root, "whereInList") == ["first", "inner", "last"]
    alone = sru.xml({"scanClause": 'dc.creator == ""'}, name="oats")
    assert texts(alone, "value") == ["rake, cia"]
    assert texts(alone, "whereInList") == ["only"]
    assert texts(sru.xml({"scanClause": "dc.creator == zzz"}), "value") == []


def test_what_was_asked_is_echoed(sru: Sru) -> None:
    root = sru.search("dc.title = hay", maximumRecords="1", recordSchema="dc")
    (echo,) = [each for each in root.iter() if local(each) == "echoedSearchRetrieveRequest"]
    assert [local(each) for each in echo] == ["version", "query", "xQuery", "maximumRecords", "recordSchema"]
    (clause,) = [each for each in echo.iter() if local(each) == "searchClause"]
    assert clause.tag == "{http://www.loc.gov/zing/cql/xcql/}searchClause"
    assert texts(clause, "term") == ["hay"]


def test_a_form_can_be_posted(sru: Sru) -> None:
    body = urlencode({"query": "dc.creator = Äng", "maximumRecords": "1"}).encode()
    form = {"Content-Type": "application/x-www-form-urlencoded", "Accept": "*/*"}
    got = sru.server.ask("/sru", "POST", body=body, headers=form)
    assert total(etree.fromstring(got.body)) == 15
    other = sru.server.ask(
        "/sru", "POST", body=b"<soap/>", headers={"Content-Type": "text/xml", "Accept": "*/*"}
    )
    assert other.status == 415
    assert numbers(etree.fromstring(other.body)) == [6]
    assert sru.server.ask("/sru", "DELETE", headers={"Accept": "*/*"}).status == 405


def test_scripts_of_other_sites_may_ask(sru: Sru) -> None:
    assert sru.ask({"query": "hay"}).headers["access-control-allow-origin"] == "*"
    assert sru.server.ask("/sru", "OPTIONS").status == 204


def test_types_are_negotiated(sru: Sru) -> None:
    assert sru.ask({"query": "hay"}).headers["content-type"] == "text/xml; charset=utf-8"
    own = sru.ask({"query": "hay"}, headers={"Accept": "application/sru+xml"})
    assert own.headers["content-type"].startswith("application/sru+xml")
    page = sru.ask({"query": "hay"}, headers=BROWSER)
    assert page.headers["content-type"].startswith("text/html")
    chosen = sru.ask({"query": "hay", "httpAccept": "application/xml"}, headers=BROWSER)
    assert chosen.headers["content-type"].startswith("text/xml")
    assert (
        sru.ask({"query": "hay", "httpAccept": "text/html"}).headers["content-type"].startswith("text/html")
    )


def test_the_schema_of_own_records_is_there(sru: Sru) -> None:
    got = sru.server.ask("/sru/-/windrow_record.xsd")
    assert got.body == own_schema()
    assert sru.server.ask("/sru/-/nothing", headers={"Accept": "*/*"}).status == 404


def test_a_record_that_was_withdrawn_since_is_a_diagnostic_in_its_place(tmp_path: Path) -> None:
    catalogue = Catalogue(tmp_path)
    stock(catalogue)
    with staged(tmp_path, catalogue) as served:
        catalogue.withdraw("oai:oats:1", source="oats")
        root = served.search("dc.creator = rake")
        assert total(root) == 1
        assert texts(root, "recordSchema") == [SURROGATE]
        assert numbers(root) == [65]
        assert_valid(root, "1.2")
    catalogue.close()


def test_limits_hold_whatever_is_asked(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    catalogue = Catalogue(tmp_path)
    stock(catalogue)
    with staged(tmp_path, catalogue, limits=SruLimits(2, 5, 3)) as served:
        assert len(texts(served.search("dc.title = hay"), "recordData")) == 2
        assert len(texts(served.search("dc.title = hay", maximumRecords="1000"), "recordData")) == 5
        assert numbers(served.xml({"scanClause": "hay", "maximumTerms": "4"})) == [121]
        monkeypatch.setattr(sru_front_end, "MAX_RESPONSE_BYTES", 1000)
        cut = served.search("dc.title = hay", maximumRecords="5")
        given = len(texts(cut, "recordData"))
        assert 0 < given < 5
        assert texts(cut, "nextRecordPosition") == [str(given + 1)]
        monkeypatch.setattr(sru_front_end, "MAX_RECORD_BYTES", 10)
        assert numbers(served.search("dc.title = hay", maximumRecords="1")) == [70]
    catalogue.close()


def test_an_index_that_is_being_made_is_waited_for(tmp_path: Path) -> None:
    from windrow.index.tantivy.live_index import LiveIndex

    catalogue = Catalogue(tmp_path)
    stock(catalogue)
    with staged(tmp_path, catalogue, index=LiveIndex(tmp_path / "nothing")) as served:
        got = served.ask({"query": "hay"})
        assert got.status == 503
        assert "retry-after" in got.headers
        assert numbers(etree.fromstring(got.body)) == [2]
    catalogue.close()


def test_what_nobody_foresaw_is_a_diagnostic_too(sru: Sru, monkeypatch: pytest.MonkeyPatch) -> None:
    def broken(*_: object, **__: object) -> bytes:
        raise RuntimeError("a bug")

    monkeypatch.setattr(sru_front_end, "render_record", broken)
    got = sru.ask({"query": "hay"})
    assert got.status == 200
    assert numbers(etree.fromstring(got.body)) == [1]
    assert b"a bug" not in got.body
