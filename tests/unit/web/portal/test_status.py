"""The pages for whoever provides the data."""

from __future__ import annotations

from datetime import UTC, datetime
from pathlib import Path

import pytest

from tests.unit.search.catalogue import Catalogue
from tests.unit.web.portal.stage import Portal, staged, stock
from windrow.model.record import Reject
from windrow.model.run import Outcome, Problem
from windrow.store import runs
from windrow.store.harvests import quarantine_cases

FRESH = "//ul[contains(@class, 'fresh')]/li | //p[@class='fresh']"
THEN = datetime(2024, 6, 1, 12, 30, tzinfo=UTC)


def end(catalogue: Catalogue, outcome: Outcome, *problems: Problem) -> None:
    shelf = catalogue.shelf("hay")
    run = shelf.start_run()
    with catalogue.store.writing() as connection:
        runs.add_problems(connection, run, problems)
        runs.end(connection, run, outcome=outcome, now=THEN)


def test_one_row_a_source_with_its_outcome_in_words(tmp_path: Path, catalogue: Catalogue) -> None:
    stock(catalogue)
    end(catalogue, Outcome.OK)
    with staged(tmp_path, catalogue) as portal:
        page = portal.page("/status")
        rows = [
            [" ".join(cell.text_content().split()) for cell in row] for row in page.root.xpath("//tbody/tr")
        ]
        assert rows[0] == ["hay", "ok", "1 June 2024 12:30 UTC", "3", "all", "3", "0", "not scheduled"]
        assert [row[0] for row in rows] == ["hay", "oats"]
        assert page.link("hay") == "/status/hay"
        assert "/search?source=hay&missing=institution" in page.root.xpath("//a/@href")


def test_it_is_said_in_words_which_sources_brought_nothing_and_since_when(
    tmp_path: Path, catalogue: Catalogue
) -> None:
    catalogue.add("oai:hay.example:1", title="Hay")
    only = '[sources.hay]\nurl = "https://hay.example/oai"\n'
    with staged(tmp_path, catalogue, settings=only) as portal:
        assert portal.page("/status").texts("//*[contains(@class, 'fresh')]") == []  # its run is not over
        end(catalogue, Outcome.FAILED)
        assert portal.page("/status").texts(FRESH) == ["hay could not be harvested yet."]
        end(catalogue, Outcome.PARTIAL)
        assert portal.page("/status").texts(FRESH) == ["The last harvest of every source went well."]
        end(catalogue, Outcome.FAILED)
        said = "Nothing has come from hay since 1 June 2024 12:30 UTC: its last run failed."
        assert portal.page("/status").texts(FRESH) == [said]
        (told,) = portal.page("/status", language="sv").texts(FRESH)
        assert told.startswith("Inget har kommit från hay sedan 1 juni 2024 12:30 UTC: ")


@pytest.mark.parametrize("outcome", list(Outcome))
def test_a_source_says_how_its_last_run_went(tmp_path: Path, catalogue: Catalogue, outcome: Outcome) -> None:
    stock(catalogue)
    end(catalogue, outcome, Problem("broken", "page 7 was <broken>"))
    with staged(tmp_path, catalogue) as portal:
        page = portal.page("/status/hay")
        assert page.texts(f"//p[@class='verdict']/span[@class='outcome {outcome.value}']") == [outcome.value]
        assert "page 7 was <broken>" in page.words
        assert portal.page("/status/hay", language="fi").texts("//p[@class='verdict']/span") != []


def test_what_is_in_quarantine_is_told_with_its_reasons(tmp_path: Path, catalogue: Catalogue) -> None:
    stock(catalogue)
    shelf = catalogue.shelf("hay")
    rejects = [Reject("no <closing> tag", b"<x>", f"oai:hay.example:bad{number}") for number in range(3)]
    with catalogue.store.writing() as connection:
        quarantine_cases.put(connection, shelf.source_id, shelf.run_id, "oai_dc", rejects, now=THEN)
    with staged(tmp_path, catalogue) as portal:
        page = portal.page("/status/hay")
        assert "3 records could not be kept as they came." in page.words
        assert page.texts("//ul[@class='bullets']/li") == ["3 no <closing> tag"]


def test_a_list_that_never_ended_is_not_called_complete(portal: Portal) -> None:
    page = portal.page("/status/hay")
    assert "Not every list came to its end:" in page.words
    assert "never finished" in page.words


def test_a_source_that_was_never_harvested_has_a_page(tmp_path: Path, catalogue: Catalogue) -> None:
    with staged(tmp_path, catalogue) as portal:
        assert "It was not harvested yet." in portal.page("/status/oats").words


def test_a_source_that_is_gone_from_the_settings_says_so(tmp_path: Path, catalogue: Catalogue) -> None:
    catalogue.add("oai:rye.example:1", source="rye", title="Rye")
    with staged(tmp_path, catalogue) as portal:
        assert "not harvested any more" in portal.page("/status/rye").words


def test_an_unknown_source_has_none(portal: Portal) -> None:
    assert portal.page("/status/nobody").status == 404


def test_a_password_in_an_address_is_not_shown(tmp_path: Path, catalogue: Catalogue) -> None:
    settings = '[sources.hay]\nurl = "https://me:secret@hay.example/oai"\n'
    with staged(tmp_path, catalogue, settings=settings) as portal:
        assert b"secret" not in portal.ask("/status/hay").body


def test_a_source_whose_records_lack_titles_shows_it_with_an_example(
    tmp_path: Path, catalogue: Catalogue
) -> None:
    for number in range(30):
        catalogue.add(f"oai:hay.example:{number}", creator="Mower, Ann", date="2012")
    with staged(tmp_path, catalogue) as portal:
        assert "100 % of the records have no title" in portal.page("/status").words
        assert "100 % av posterna saknar titel" in portal.page("/status", language="sv").words
        page = portal.page("/status/hay")
        (notice,) = page.texts("//p[@class='notice'][contains(., 'no title')]")
        assert notice.startswith("100 % of the records have no title, for example oai:hay.example:")
        (address,) = page.root.xpath("//p[@class='notice']/a/@href")
        assert address.startswith("/record/hay/oai:hay.example:")


def test_a_source_whose_records_have_what_they_should_shows_nothing(
    tmp_path: Path, catalogue: Catalogue
) -> None:
    for number in range(30):
        catalogue.add(f"oai:hay.example:{number}", title="Hay", creator="Mower, Ann", date="2012")
    with staged(tmp_path, catalogue) as portal:
        assert "% of the records" not in portal.page("/status").words + portal.page("/status/hay").words
