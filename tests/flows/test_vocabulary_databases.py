"""The vocabularies of a library over SRU and Z39.50, for clients that walk from term to term."""

from __future__ import annotations

import re
import shutil
import subprocess
from collections.abc import Iterator
from pathlib import Path
from urllib.parse import urlencode

import pytest
from lxml import etree

from tests.fixtures import missing
from tests.flows.commanding import WAIT_SECONDS
from tests.flows.serving import Served, serving, stocked
from tests.unit.vocabularies.shelf import CLIMATE
from windrow.vocabularies.vocabulary_files import import_vocabulary
from windrow.wiring import open_library
from windrow.wiring.indexing import follow_index

ZTHES_SET = "http://zthes.z3950.org/cql/1.0.1"


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    made: Path = tmp_path_factory.mktemp("terms") / "library"
    library = stocked(made, records=20).open()
    follow_index(library)
    library.close()
    _add(made, "topics", CLIMATE)
    _add(made, "theses", CLIMATE)  # the name of the source: that has it
    return made


@pytest.fixture(scope="module")
def served(folder: Path) -> Iterator[Served]:
    with serving(folder, "--z3950", "0") as ready:
        yield ready
        assert ready.stop() == 0


def _add(folder: Path, name: str, table: str) -> None:
    file = folder / f"{name}.csv"
    file.write_text(table, encoding="utf-8")
    library = open_library(str(folder))
    try:
        import_vocabulary(library.store, name, file)
    finally:
        library.close()


class Sru:
    """A client that knows nothing but one database."""

    def __init__(self, served: Served, name: str) -> None:
        self._served = served
        self._path = f"/sru/{name}"

    def ask(self, **parameters: str) -> etree._Element:
        got = self._served.ask(f"{self._path}?{urlencode({'version': '1.2', **parameters})}")
        assert got.status == 200
        return etree.fromstring(got.body)

    def find(self, query: str, **parameters: str) -> etree._Element:
        return self.ask(operation="searchRetrieve", query=query, **parameters)

    def names(self, query: str) -> list[str]:
        found = self.find(query)
        assert texts(found, "diagnostic") == []
        return texts(found, "term/{*}termName")


def texts(root: etree._Element, path: str) -> list[str]:
    return [each.text or "" for each in root.iterfind(f".//{{*}}{path}")]


@pytest.fixture
def topics(served: Served) -> Sru:
    return Sru(served, "topics")


def test_sru_walks_from_a_term_to_its_narrower_ones(topics: Sru) -> None:
    found = topics.find('zthes.termName = "global warming"')
    assert texts(found, "numberOfRecords") == ["1"]
    assert texts(found, "recordSchema") == ["http://zthes.z3950.org/xml/1.0/"]
    narrower = [
        relation.findtext("{*}termId")
        for relation in found.iterfind(".//{*}relation")
        if relation.findtext("{*}relationType") == "NT"
    ]
    assert narrower == ["311", "312"]
    (term,) = topics.find("zthes.termId = 311").iterfind(".//{*}Zthes/{*}term")
    assert term.findtext("{*}termName") == "Sea level rise"
    broader = term.findtext("{*}relation/{*}termId")
    assert topics.names(f"zthes.termId = {broader}") == ["Climate change"]
    assert topics.names("zthes.nt = 310") == ["Glacier retreat", "Sea level rise"]
    assert topics.names("zthes.bt = 310") == ["Natural sciences"]
    assert topics.names("zthes.admin = start") == ["Languages", "Natural sciences"]
    assert topics.names(f'> z = "{ZTHES_SET}" z.nt = 410') == ["Estonian", "Finnish"]


@pytest.mark.parametrize(
    ("query", "names"),
    [
        ("klimatförändring", ["Climate change"]),
        ("finn*", ["Finnic languages", "Finnish"]),
        ('zthes.termName any "glacier sea" not zthes.termName = rise', ["Glacier retreat"]),
        ('zthes.termName == "finska språk"', ["Finnic languages"]),
        ("dc.title = languages not zthes.type = TT", ["Finnic languages", "Sign languages"]),
        ("zthes.termName = languages sortBy zthes.termName/sort.descending",
         ["Sign languages", "Languages", "Finnic languages"]),
        ("zthes.termNote = climate and zthes.termLanguage = fi", ["Climate change"]),
    ],
)  # fmt: skip
def test_what_queries_find(topics: Sru, query: str, names: list[str]) -> None:
    assert topics.names(query) == names


def test_explain_scan_and_other_schemas(topics: Sru) -> None:
    explained = topics.ask(operation="explain")
    titles = texts(explained, "index/{*}title")
    assert {"zthes.termName", "zthes.nt", "dc.title", "cql.anywhere"} <= set(titles)
    assert "dc.creator" not in titles
    assert ZTHES_SET in [each.get("identifier") for each in explained.iterfind(".//{*}set")]
    scanned = topics.ask(operation="scan", scanClause="zthes.termName == fin", maximumTerms="3")
    assert texts(scanned, "displayTerm") == ["Finnic languages", "Finnish", "Finska"]
    dublin_core = topics.find("zthes.termId = 411", recordSchema="dc")
    assert texts(dublin_core, "title") == ["Finnish", "Finska", "Suomen kieli"]
    faceted = topics.find('zthes.termId any "411 400"', version="2.0", facetLimit="3:zthes.type")
    assert texts(faceted, "actualTerm") == ["PT", "TT"]
    unsorted = topics.find("finnish sortBy dc.date")
    assert texts(unsorted, "uri") == ["info:srw/diagnostic/1/82"]


def test_a_vocabulary_is_there_as_soon_as_it_is_added_and_a_source_keeps_its_name(
    served: Served, folder: Path
) -> None:
    late = Sru(served, "late")
    assert texts(late.find("x"), "uri") == ["info:srw/diagnostic/1/235"]
    _add(folder, "late", "code,label\n1,Haymaking\n")
    assert late.names("haymaking") == ["Haymaking"]
    assert texts(Sru(served, "theses").find("klimatförändring"), "numberOfRecords") == ["0"]


def test_a_browser_gets_pages(served: Served) -> None:
    page = served.ask("/sru", headers={"Accept": "text/html"}).body.decode()
    assert "/sru/topics" in page
    found = served.ask("/sru/topics?query=finnish", headers={"Accept": "text/html"}).body.decode()
    assert "Finnish" in found


def _yaz(port: int, *commands: str) -> str:
    if shutil.which("yaz-client") is None:
        missing("yaz-client is not installed (package yaz)")
    script = "\n".join(("charset utf-8", f"open 127.0.0.1:{port}/topics", *commands, "quit", ""))
    done = subprocess.run(
        ["yaz-client"], input=script.encode(), capture_output=True, timeout=WAIT_SECONDS, check=False
    )
    return done.stdout.decode("utf-8", "replace")


def test_yaz_client_walks_from_a_term_to_its_narrower_ones(served: Served) -> None:
    said = _yaz(
        served.z3950,
        'find @attrset zthes @attr 1=1002 "global warming"',
        *("format xml", "elements zthes", "show 1"),
    )
    assert "Number of hits: 1," in said
    narrower = re.findall(r"<relationType>NT</relationType>\s*<termId>(.*?)</termId>", said)
    assert narrower == ["311", "312"]
    said = _yaz(served.z3950, f"find @attrset zthes @attr 1=1001 {narrower[0]}", "format xml", "show 1")
    assert "<termName>Sea level rise</termName>" in said
    (broader,) = re.findall(r"<relationType>BT</relationType>\s*<termId>(.*?)</termId>", said)
    said = _yaz(
        served.z3950,
        f"find @attrset zthes @and @attr 1=4 {broader} @attr 1=1002 @attr 5=1 glac",
        *("format sutrs", "show 1", "format grs-1", "show 1"),
        "find @attrset zthes @attr 1=3 start",
        "scan @attr 1=4 @attr 6=3 finska",
        "find @attr 1=4 språk",
        *("sort 1=4 >i", "format sutrs", "show 1"),
    )
    assert "Number of hits: 1, setno 1" in said
    assert "Glacier retreat" in said
    assert "(2,1) Glacier retreat" in said
    assert "Number of hits: 2, setno 2" in said
    assert re.search(r"^\* Finska \(1\)$", said, re.MULTILINE)
    assert "Number of hits: 2, setno 3" in said
    assert "Received SortResponse: status=success" in said
