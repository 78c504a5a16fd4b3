"""Mutated requests: every answer is XML with a result or a diagnostic, whatever comes."""

from __future__ import annotations

from random import Random
from urllib.parse import quote

import pytest
from lxml import etree

from tests.thorough import IS_THOROUGH
from tests.unit.web.sru.stage import Sru, numbers, texts
from windrow.web.http.http_request import HttpRefusal, parse_query_string
from windrow.web.sru.zeerex import SruLimits

COUNT = 50_000 if IS_THOROUGH else 2_500
PIECES = 5
SEEDS = (
    "operation=searchRetrieve&version=1.2&query=dc.title%20%3D%20hay&maximumRecords=3&recordSchema=marcxml",
    "query=hay%20and%20(year%20%3E%202005%20or%20creator%20any%20%22ang%20bo%22)&facetLimit=3,2:dc.creator",
    "query=place%3DOslo%20prox/unit%3Devent%20period%3Dautumn%20sortby%20dc.date/sort.descending&startRecord=2",
    "operation=scan&version=1.1&scanClause=dc.title%20%3D%20hay&responsePosition=2&maximumTerms=5",
    "scanClause=dc.creator%20%3D%3D%20%22%22&maximumTerms=20",
    "operation=explain&version=1.1&recordPacking=string",
    "operation=searchRetrieve&version=1.1&query=hay&sortKeys=date,dc,0,1,highValue%20title&recordPacking=xml",
    "query=%3E%20dc%3D%22info:srw/cql-context-set/1/dc-v1.1%22%20dc.title%20%3D/stem%20h*y&recordSchema=mods",
    "query=a%20prox/distance%3C%3D3/unit%3Dword%20b&queryType=cql&recordXMLEscaping=string&maximumRecords=1000",
)
LUMPS = (
    *("(", ")", '"', "\\", "*", "?", "^", "=", "==", "<>", "/", ">", " and ", " or ", " not ", " prox "),
    *(" sortby ", "%00", "%ff", "%F0%9F%8C%BE", "&", "query=", "9" * 12, "-1", "é", "\u202e", "dc.", "1.2"),
    *(" within ", "cql.allRecords", "windrow.year", "startRecord=", "%20", "<x>", "]]>", "&amp;", "a" * 3000),
    "(" * 60,
)


def mutated(random: Random) -> str:
    text = random.choice(SEEDS)
    for _ in range(random.randint(1, 6)):
        place = random.randrange(len(text) + 1)
        match random.randrange(5):
            case 0:
                text = text[:place] + random.choice(LUMPS) + text[place:]
            case 1:
                text = text[:place] + text[place + random.randint(1, 8) :]
            case 2:
                other = random.choice(SEEDS)
                text = text[:place] + other[random.randrange(len(other)) :]
            case 3:
                text = text[:place] + chr(random.randrange(1, 0x2FF)) + text[place + 1 :]
            case _:
                text = text[:place] + quote(random.choice(LUMPS)) + text[place:]
    return text


@pytest.mark.parametrize("piece", range(PIECES))
def test_mutated_requests_are_answered_with_results_or_diagnostics(sru: Sru, piece: int) -> None:
    random = Random(f"sru {piece}")
    for _ in range(COUNT // PIECES):
        query = mutated(random).encode("utf-8", "replace")
        name = random.choice(["", "hay", "oats", "nosuch"])
        try:
            pairs = parse_query_string(query)
        except HttpRefusal:  # too long, or too many parameters: HTTP says so
            continue
        body = sru.face.answer(name, pairs)
        root = etree.fromstring(body)
        assert root.tag.rpartition("}")[2] in ("searchRetrieveResponse", "scanResponse", "explainResponse")
        assert 1 not in numbers(root), query  # a general error is a bug of ours
        assert len(texts(root, "recordPosition")) <= SruLimits().most_records


def test_some_of_them_over_http(sru: Sru) -> None:
    random = Random("sru over http")
    for _ in range(60):
        query = quote(mutated(random), safe="=&%+")
        got = sru.ask(query)
        assert got.status in (200, 414), query
        etree.fromstring(got.body)
