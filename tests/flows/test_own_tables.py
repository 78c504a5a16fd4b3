"""Theses per student admitted: a table of the owner's on pages, as files, in the API, on the command line."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from pathlib import Path

import pytest
from lxml import html

from tests.flows.commanding import windrow
from tests.flows.harvesting import Shelf
from tests.flows.serving import Served, serving, stocked
from tests.servers.asgi import Got
from windrow.wiring.indexing import follow_index

SETTINGS = """
[tables.admitted]
file = "admitted.csv"
title = "Students admitted"
ratio = "Theses per student admitted"
source = "The ministry, 2024"
url = "https://numbers.example.org/admitted"
"""


@pytest.fixture(scope="module")
def shelf(tmp_path_factory: pytest.TempPathFactory) -> Shelf:
    shelf = stocked(tmp_path_factory.mktemp("own") / "library", records=120)
    library = shelf.open()
    follow_index(library)
    library.close()
    rows = json.loads(windrow(shelf, "stats", "institutions", "--json").stdout)["rows"]
    years = json.loads(windrow(shelf, "stats", "growth", "--json").stdout)["rows"]
    name = rows[0]["institution"]
    lines = ["institution,year,number", *(f"{name},{row['year']},100" for row in years)]
    lines += ["Nowhere University,2019,5", f"{name},soon,5"]
    (shelf.folder / "admitted.csv").write_text("\n".join(lines), encoding="utf-8")
    with (shelf.folder / "windrow.toml").open("a", encoding="utf-8") as settings:
        settings.write(SETTINGS)
    return shelf


@pytest.fixture(scope="module")
def portal(shelf: Shelf) -> Iterator[Served]:
    with serving(shelf.folder) as served:
        yield served


def _root(got: Got) -> html.HtmlElement:
    return html.fromstring(got.body)


@pytest.mark.parametrize(
    ("language", "title"),
    [("en", "by institution"), ("sv", "per institution"), ("fi", "oppilaitoksittain")],
)
def test_its_page_has_charts_tables_and_the_source(portal: Served, language: str, title: str) -> None:
    headers = {"Accept": "text/html", "Accept-Language": language}
    got = portal.ask("/statistics/own-admitted", headers=headers)
    assert got.status == 200
    words = _root(got).text_content()
    assert f"Theses per student admitted, {title}" in words
    assert "The ministry, 2024 (https://numbers.example.org/admitted)" in words
    assert got.text.count("<svg") >= 2
    assert "own-admitted" in portal.ask("/statistics/", headers=headers).text


def test_each_number_leads_to_its_records(portal: Served) -> None:
    answer = json.loads(portal.ask("/api/v1/statistics/own-admitted-rows").text)
    rows = answer["table"]["rows"] if "table" in answer else answer["rows"]
    row = max(rows, key=lambda each: each["records"])
    assert row["ratio"] == row["records"] / 100
    headers = {"Accept": "text/html", "Accept-Language": "en"}
    (first,) = _root(portal.ask("/statistics/own-admitted", headers=headers)).xpath(
        "(//table)[1]//tbody/tr[1]//a/@href"
    )
    found = _root(portal.ask(first, headers=headers))
    total = int(re.findall(r"[0-9]+", found.xpath("string(//p[@class='total'])"))[-1])
    assert total == sum(each["records"] for each in rows)


def test_files_have_the_numbers(portal: Served) -> None:
    lines = portal.ask("/statistics/own-admitted-years.csv").text.splitlines()
    assert lines[0] == "year,records,number,ratio"
    assert portal.ask("/statistics/own-admitted.svg").status == 200
    assert portal.ask("/statistics/own-nothing.csv").status == 404


def test_the_command_and_doctor_name_the_lines_that_cannot_be_used(shelf: Shelf) -> None:
    count = len((shelf.folder / "admitted.csv").read_text(encoding="utf-8").splitlines())
    shown = windrow(shelf, "stats", "own-admitted")
    assert shown.returncode == 0
    assert f"({count - 1} “Nowhere University”)" in shown.stderr
    assert f"that are not used: 1 ({count})" in shown.stderr
    found = json.loads(windrow(shelf, "doctor", "--json").stdout)
    listed = json.dumps(found, ensure_ascii=False)
    assert f"admitted.csv, line {count}: “soon” is no year" in listed
    assert f"admitted.csv, line {count - 1}: no record has the institution “Nowhere University”" in listed


def test_a_changed_file_is_shown_without_a_restart(portal: Served, shelf: Shelf) -> None:
    path: Path = shelf.folder / "admitted.csv"
    before = path.read_text(encoding="utf-8")
    try:
        path.write_text(before.replace(",100", ",50"), encoding="utf-8")
        assert ",50," in portal.ask("/statistics/own-admitted-rows.csv").text
        headers = {"Accept": "text/html", "Accept-Language": "en"}
        assert ">50<" in portal.ask("/statistics/own-admitted", headers=headers).text
    finally:
        path.write_text(before, encoding="utf-8")
