"""`windrow stats`: the same tables in a terminal and a script, the same charts in files."""

from __future__ import annotations

import csv
import io
import shutil
from pathlib import Path

import pytest

from tests.cli.sourcing import Cli
from tests.flows.serving import serving
from tests.flows.serving import stocked as stock
from tests.unit.stats.making import dated, documents, population
from windrow.cli.records.stats_command import render_bar
from windrow.stats.catalogue import OVERVIEW, PAGES, make_table
from windrow.wiring import open_library
from windrow.wiring.indexing import follow_index

RECORDS = 60


@pytest.fixture(scope="module")
def theses(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A library with theses in its index, made once."""
    folder = tmp_path_factory.mktemp("stock") / "theses"
    stock(folder, records=RECORDS)
    library = open_library(str(folder))
    follow_index(library)
    library.close()
    return folder


@pytest.fixture
def stocked(cli: Cli, theses: Path) -> Cli:
    """Commands in a copy of it."""
    shutil.copytree(theses, cli.folder, dirs_exist_ok=True)
    return cli


def _rows(cli: Cli, *arguments: str) -> list[dict[str, str]]:
    return list(csv.DictReader(io.StringIO(cli("stats", *arguments, "--csv").out)))


def test_without_a_name_it_gives_an_overview_and_says_what_else_there_is(stocked: Cli) -> None:
    result = stocked("stats")
    assert result.code == 0
    for title in ("Records per institution", "Records by year", "Records per language", "Records per type"):
        assert title in result.out
    assert "█" in result.out
    assert all(page.name in result.err for page in PAGES)


def test_a_table_has_its_title_its_rows_and_notes_beside_them(stocked: Cli) -> None:
    result = stocked("stats", "institutions")
    assert result.out.startswith("Records per institution, ")
    assert "Shares are of all records" in result.err
    assert "Shares are of all records" not in result.out


def test_csv_and_json_have_the_same_numbers(stocked: Cli) -> None:
    rows = _rows(stocked, "growth")
    value = stocked("stats", "growth", "--json").json
    assert [(row["year"], int(row["records"])) for row in rows] == [
        (row["year"], row["records"]) for row in value["rows"]
    ]
    assert sum(int(row["records"]) for row in rows) > 0


def test_a_query_and_filters_narrow_what_is_counted(stocked: Cli) -> None:
    years = {row["year"]: int(row["records"]) for row in _rows(stocked, "growth")}
    year = max(years, key=lambda each: years[each])
    by_query = _rows(stocked, "growth", f"year:{year}")
    by_filter = _rows(stocked, "growth", "--year", f"{year}..{year}")
    assert by_query == by_filter
    assert [(row["year"], int(row["records"])) for row in by_query] == [(year, years[year])]


def test_of_too_many_institutions_those_compared_are_named_and_the_others_counted(stocked: Cli) -> None:
    many = [f"--institution=U{place}" for place in range(9)]
    result = stocked("stats", "compare-pages", *many)
    assert ": U0, U1, U2, U3, U4, U5, U6, U7\n" in result.out
    assert "U8" not in result.out
    assert "Left out of those chosen: 1." in result.err


def test_a_name_of_several_tables_prints_them_all(stocked: Cli) -> None:
    result = stocked("stats", "compare")
    for title in ("Records by year and institution", "Languages by institution", "Pages by institution"):
        assert title in result.out
    assert len(stocked("stats", "compare", "--json").json) == 4


def test_the_overview_for_programs_is_a_list_of_tables(stocked: Cli) -> None:
    assert [table["name"] for table in stocked("stats", "--json").json] == list(OVERVIEW)


def test_a_file_holds_one_table(stocked: Cli) -> None:
    result = stocked("stats", "compare", "--csv")
    assert result.code == 2
    assert "compare-years" in result.err
    assert _rows(stocked, "pages")[0].keys() == {"pages", "records", "share"}


def test_charts_are_written_to_files(stocked: Cli, tmp_path: Path) -> None:
    svg, png = tmp_path / "chart.svg", tmp_path / "chart.png"
    result = stocked("stats", "growth", "--svg", str(svg), "--png", str(png))
    assert (result.code, result.out) == (0, "")
    assert svg.read_text(encoding="utf-8").startswith("<svg")
    assert png.read_bytes().startswith(b"\x89PNG")


@pytest.mark.parametrize("asked", ["--csv", "--json"])
def test_numbers_are_printed_beside_the_chart_that_is_written(
    stocked: Cli, tmp_path: Path, asked: str
) -> None:
    alone = stocked("stats", "growth", asked)
    both = stocked("stats", "growth", asked, "--svg", str(tmp_path / "chart.svg"))
    assert (both.code, both.out) == (0, alone.out)
    assert (tmp_path / "chart.svg").read_bytes().startswith(b"<svg")


@pytest.mark.parametrize(
    "asked", [("--csv", "--json"), ("--csv", "--svg", "-"), ("--svg", "-", "--png", "-")]
)
def test_two_things_for_stdout_are_refused(stocked: Cli, asked: tuple[str, ...]) -> None:
    result = stocked("stats", "growth", *asked)
    assert result.code == 2
    assert "stdout holds one" in result.err


def test_a_chart_is_the_same_as_that_of_the_portal(stocked: Cli, tmp_path: Path) -> None:
    file = tmp_path / "own.svg"
    stocked("stats", "growth", "--year", "2020..2005", "--language", "fi", "--svg", str(file))
    with serving(stocked.folder) as server:
        got = server.ask("/statistics/growth.svg?year=2020..2005&language=fi")
    assert file.read_bytes() == got.body
    assert "Finnish" in got.text
    assert "20..20" not in got.text


def test_where_there_is_nothing_to_draw_no_file_is_written(stocked: Cli, tmp_path: Path) -> None:
    result = stocked("stats", "growth", "nosuchword", "--svg", str(tmp_path / "chart.svg"))
    assert result.code == 2
    assert not (tmp_path / "chart.svg").exists()


def test_freshness_is_told_by_the_store(stocked: Cli) -> None:
    (row,) = _rows(stocked, "freshness")
    assert (row["source"], row["outcome"]) == ("theses", "ok")
    assert float(row["days"]) >= 0


def test_freshness_of_a_search_counts_what_is_found(stocked: Cli) -> None:
    (year, *_) = _rows(stocked, "growth")
    (row,) = _rows(stocked, "freshness", "--year", year["year"])
    assert (row["source"], row["records"]) == ("theses", year["records"])
    assert _rows(stocked, "freshness", "nosuchword") == []


def test_a_name_that_nothing_has_says_what_there_is(stocked: Cli) -> None:
    result = stocked("stats", "nothing")
    assert result.code == 2
    assert "subjects-over-time" in result.err


def test_a_mistake_in_the_query_is_explained_and_the_rest_counted(stocked: Cli) -> None:
    result = stocked("stats", "growth", "nosuchfield:x", "OR", "year:2000..2030")
    assert result.code == 0
    assert "nosuchfield" in result.err


@pytest.mark.parametrize(
    ("asked", "words"),
    [
        (("--collection", "nosuch"), "The collections of this library: theses-only."),
        (("--collection", ""), "--collection is empty"),
        (("--source", "nosuch"), "The sources of this library: theses."),
        (("--year", "abc"), "abc is neither a year nor years as in 2010..2014."),
        (("--year", "2010", "--year", "2010-2014"), "2010-2014 is neither a year"),
    ],
)
def test_a_wrong_filter_is_an_error_and_nothing_is_printed(
    stocked: Cli, asked: tuple[str, ...], words: str
) -> None:
    with (stocked.folder / "windrow.toml").open("a", encoding="utf-8") as file:
        file.write('\n[collections.theses-only]\nsources = ["theses"]\n')
    result = stocked("stats", "growth", "--csv", *asked)
    assert (result.code, result.out) == (2, "")
    assert words in result.err
    assert stocked("stats", "growth", "--collection", "theses-only").code == 0


def test_a_source_whose_records_alone_were_kept_can_be_counted(stocked: Cli) -> None:
    before = _rows(stocked, "growth", "--source", "theses")
    assert stocked("source", "remove", "theses", "--keep-records", "--yes").code == 0
    assert _rows(stocked, "growth", "--source", "theses") == before


def test_without_an_index_it_says_how_to_make_one(cli: Cli) -> None:
    result = cli("stats")
    assert result.code == 2
    assert "windrow index" in result.err


def test_bars_are_as_long_as_their_numbers() -> None:
    assert render_bar(1.0) == "█" * 24
    assert render_bar(0.5) == "█" * 12
    assert render_bar(0.0) == ""
    assert render_bar(0.0001) == "▏"
    lengths = [len(render_bar(share / 100)) for share in range(101)]
    assert lengths == sorted(lengths)


def test_names_of_columns_that_were_found_in_records_are_harmless(capsys: pytest.CaptureFixture[str]) -> None:
    from windrow.cli.records.stats_command import show_table

    entries = documents(dated(2020, institution="A\x1b[31mB"))
    show_table(make_table("compare-years", population(entries)))
    assert "\x1b" not in capsys.readouterr().out
