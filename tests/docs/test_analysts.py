"""The queries for analysts run over an export of real records and say what counting them says."""

from __future__ import annotations

import subprocess
import sys
from collections import Counter
from pathlib import Path
from typing import Any

import duckdb
import pytest

from tests.docs.markdown import Page, guides
from tests.flows.serving import stocked
from windrow.exports.entries import Entry, ExportCounts, entries
from windrow.exports.parquet_export import write
from windrow.web.statistics.statistics_pages import PYTHON_EXAMPLE, SQL_EXAMPLE
from windrow.wiring import open_library

HOWTO = next(each for each in guides() if str(each).endswith("howto/analyse-the-data.md"))


def _blocks(page: Page, language: str) -> list[str]:
    return [block.text for block in page.blocks if block.language == language]


def _ask(query: str) -> list[Any]:
    with duckdb.connect() as connection:
        return connection.execute(query).fetchall()


@pytest.fixture(scope="module")
def exported(tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, list[Entry]]:
    """A folder with the export of a library, and what is in it."""
    folder = tmp_path_factory.mktemp("analysts")
    stocked(folder / "library", records=80)
    library = open_library(str(folder / "library"))
    with library.store.reading() as connection:
        found = list(
            entries(connection, ExportCounts(), sources=[], prefix="kk", include_deleted=True, is_mapped=True)
        )
    library.close()
    with (folder / "records.parquet").open("wb") as target:
        write(found, target)
    return folder, [entry for entry in found if not entry.record.is_deleted]


def test_the_page_and_the_how_to_show_the_same_queries() -> None:
    assert _blocks(HOWTO, "sql")[0].strip() == SQL_EXAMPLE.strip()
    assert _blocks(HOWTO, "python")[0].strip() == PYTHON_EXAMPLE.strip()


def test_duckdb_counts_records_per_institution_and_year(
    exported: tuple[Path, list[Entry]], monkeypatch: pytest.MonkeyPatch
) -> None:
    folder, found = exported
    monkeypatch.chdir(folder)
    counted = Counter((entry.document.institution, entry.document.year) for entry in found)
    rows = _ask(SQL_EXAMPLE)
    assert {(institution, year): count for institution, year, count in rows} == dict(counted)


def test_every_query_of_the_how_to_runs(
    exported: tuple[Path, list[Entry]], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(exported[0])
    queries = _blocks(HOWTO, "sql")
    assert len(queries) == 2
    for query in queries:
        assert _ask(query)


def test_pandas_finds_the_most_used_subjects(exported: tuple[Path, list[Entry]]) -> None:
    folder, found = exported
    ran = subprocess.run(
        [sys.executable, "-c", PYTHON_EXAMPLE],
        cwd=folder,
        capture_output=True,
        text=True,
        check=True,
        encoding="utf-8",
    )
    counted = Counter(
        value
        for entry in found
        for value in {*(subject.value for subject in entry.document.subjects), *entry.document.keywords}
    )
    lines = ran.stdout.splitlines()[:-1]  # all but what kind the column is
    printed = {name.strip(): int(count) for name, count in (line.rsplit(maxsplit=1) for line in lines)}
    assert len(printed) == 10
    assert printed == {name: counted[name] for name in printed}
    assert sorted(printed.values()) == sorted(count for _, count in counted.most_common(10))
