"""What a validator of repositories asks, asked over HTTP; and what our own check has to say of us."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from pathlib import Path
from urllib.parse import quote, urlencode

import pytest
from lxml import etree

from tests.flows.commanding import windrow
from tests.flows.harvesting import Shelf
from tests.flows.serving import NAME, Served, serving, stocked
from tests.oai_schema import OAI, validate
from windrow.wiring import create_library

SECOND = re.compile(r"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\dZ")
FORM = {"Content-Type": "application/x-www-form-urlencoded"}


@pytest.fixture(scope="module")
def shelf(tmp_path_factory: pytest.TempPathFactory) -> Shelf:
    return stocked(tmp_path_factory.mktemp("checked") / "library", records=250)


@pytest.fixture(scope="module")
def served(shelf: Shelf) -> Iterator[Served]:
    with serving(shelf.folder) as server:
        yield server


@pytest.fixture(params=["/oai", f"/oai/{NAME}"])
def base(request: pytest.FixtureRequest) -> str:
    return str(request.param)


def ask(served: Served, base: str, query: str = "", **arguments: str) -> etree._Element:
    """An answer that is valid; by GET, with the arguments as they are given or spelled for them."""
    got = served.ask(f"{base}?{query or urlencode(arguments, quote_via=quote)}")
    return read(got.status, got.body, got.headers["content-type"])


def read(status: int, body: bytes, kind: str) -> etree._Element:
    assert status == 200
    assert kind.startswith("text/xml")
    validate(body)
    root = etree.fromstring(body)
    assert SECOND.fullmatch(text(root, "responseDate"))
    return root


def text(root: etree._Element, name: str) -> str:
    return root.findtext(f".//{{{OAI}}}{name}") or ""


def texts(root: etree._Element, name: str) -> list[str]:
    return [each.text or "" for each in root.iter(f"{{{OAI}}}{name}")]


def codes(root: etree._Element) -> list[str]:
    return [each.get("code", "") for each in root.iter(f"{{{OAI}}}error")]


def test_identify_says_what_it_must(served: Served, base: str) -> None:
    root = ask(served, base, verb="Identify")
    assert text(root, "baseURL") == f"{served.url}{base}"
    assert text(root, "protocolVersion") == "2.0"
    assert text(root, "granularity") == "YYYY-MM-DDThh:mm:ssZ"
    assert SECOND.fullmatch(text(root, "earliestDatestamp"))
    mail = text(root, "adminEmail")
    assert re.fullmatch(r"\w[\w\-.]+@[\w\-.]+\.[a-z]+", mail)
    assert "localhost" not in mail


def test_a_record_is_found_by_its_set_its_name_its_formats_and_its_datestamp(
    served: Served, base: str
) -> None:
    spec, identifier = find_live(served, base)
    formats = ask(served, base, verb="ListMetadataFormats", identifier=identifier)
    assert set(texts(formats, "metadataPrefix")) == {"oai_dc", "kk"}
    record = ask(served, base, verb="GetRecord", metadataPrefix="oai_dc", identifier=identifier)
    stamp = text(record, "datestamp")
    assert SECOND.fullmatch(stamp)
    assert any(f"{each}:".startswith(f"{spec}:") for each in texts(record, "setSpec"))
    page = ask(served, base, **{"from": stamp, "until": stamp}, verb="ListRecords", metadataPrefix="oai_dc")
    found = texts(page, "identifier")
    while token := text(page, "resumptionToken"):
        page = ask(served, base, verb="ListRecords", resumptionToken=token)
        found += texts(page, "identifier")
    assert identifier in found


def find_live(served: Served, base: str) -> tuple[str, str]:
    """The first set with a record in it that is not deleted, and that record."""
    for spec in texts(ask(served, base, verb="ListSets"), "setSpec"):
        listed = ask(served, base, verb="ListIdentifiers", metadataPrefix="oai_dc", set=spec)
        for header in listed.iter(f"{{{OAI}}}header"):
            if header.get("status") is None:
                return spec, text(header, "identifier")
    raise AssertionError("there is none")


@pytest.mark.parametrize(
    ("query", "expected"),
    [
        ("junk", {"badVerb"}),
        ("verb=junk", {"badVerb"}),
        ("verb=GetRecord&metadataPrefix=oai_dc", {"badArgument"}),
        ("verb=GetRecord&identifier=oai:theses.example:thesis/1", {"badArgument"}),
        ("verb=GetRecord&identifier=invalid%22id&metadataPrefix=oai_dc", {"badArgument", "idDoesNotExist"}),
        ("verb=ListIdentifiers&metadataPrefix=oai_dc&until=junk", {"badArgument"}),
        ("verb=ListIdentifiers&metadataPrefix=oai_dc&from=junk", {"badArgument"}),
        ("verb=ListIdentifiers&resumptionToken=junk&until=2000-02-05", {"badArgument", "badResumptionToken"}),
        ("verb=ListRecords&metadataPrefix=oai_dc&from=junk", {"badArgument"}),
        ("verb=ListRecords&resumptionToken=junk", {"badResumptionToken"}),
        ("verb=ListRecords&metadataPrefix=oai_dc&resumptionToken=junk&until=1990-01-10", {"badArgument"}),
        ("verb=ListRecords&metadataPrefix=oai_dc&until=junk", {"badArgument"}),
        ("verb=ListRecords", {"badArgument"}),
        (
            "verb=ListRecords&metadataPrefix=oai_dc&from=2001-01-01&until=2002-01-01T00:00:00Z",
            {"badArgument"},
        ),
        ("verb=ListRecords&metadataPrefix=oai_dc&until=1999-01-01", {"noRecordsMatch"}),
    ],
)
def test_every_faulty_request_gets_its_error(
    served: Served, base: str, query: str, expected: set[str]
) -> None:
    found = codes(ask(served, base, query))
    assert found
    assert set(found) <= expected


@pytest.mark.parametrize(
    "arguments",
    [
        {"verb": "Identify"},
        {"verb": "GetRecord", "metadataPrefix": "oai_dc", "identifier": "oai:theses.example:thesis/1"},
    ],
)
def test_a_form_sent_gets_the_same_answer(served: Served, base: str, arguments: dict[str, str]) -> None:
    got = served.ask(base, "POST", body=urlencode(arguments).encode(), headers=FORM)
    root = read(got.status, got.body, got.headers["content-type"])
    assert codes(root) == []
    assert root.find(f".//{{{OAI}}}{arguments['verb']}") is not None


@pytest.mark.parametrize("verb", ["ListRecords", "ListIdentifiers"])
def test_a_list_leads_from_page_to_page_to_its_end(
    served: Served, base: str, verb: str, shelf: Shelf
) -> None:
    page = ask(served, base, verb=verb, metadataPrefix="oai_dc")
    found: list[str] = []
    while True:
        tokens = page.findall(f".//{{{OAI}}}resumptionToken")
        if tokens:
            assert [token.get("cursor") for token in tokens] == [str(len(found))]
            assert tokens[0].get("completeListSize") == str(len(shelf.records(name=NAME)))
        found += texts(page, "identifier")
        if not tokens or not tokens[0].text:
            break
        page = ask(served, base, verb=verb, resumptionToken=tokens[0].text)
    assert sorted(found) == sorted(shelf.records(name=NAME))
    assert bool(tokens) == (verb == "ListRecords")


def test_our_own_check_has_nothing_to_complain_about(served: Served, base: str, tmp_path: Path) -> None:
    told = windrow(
        Shelf(create_library(tmp_path / "own")), "source", "check", f"{served.url}{base}", "--json"
    )
    findings = json.loads(told.stdout)
    assert (told.returncode, findings["is_harvestable"]) == (0, True)
    assert [each for each in findings["findings"] if each["grade"] != "good"] == []
