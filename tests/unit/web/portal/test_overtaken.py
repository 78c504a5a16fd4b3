"""The page on status says when another version of Windrow keeps the index, and what to do."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

from tests.unit.search.catalogue import Catalogue
from tests.unit.web.portal.stage import staged, stock
from windrow.config.type_tables import TypeTables
from windrow.index.feeder import follow
from windrow.index.generations import Generations
from windrow.index.tantivy.live_index import LiveIndex


def test_it_is_told_once_another_version_has_made_the_index(tmp_path: Path, catalogue: Catalogue) -> None:
    stock(catalogue)
    generations = Generations(tmp_path / "index")
    follow(catalogue.store, generations)
    with staged(tmp_path, catalogue, index=LiveIndex(generations.folder)) as portal:
        assert "Another version" not in portal.page("/status").words
        found = generations.current_state()
        assert found is not None
        generations.note(found[0], replace(found[1], mark="another", version="another"))
        assert "puts that right by restarting the server" in portal.page("/status").words
        assert "En annan version av Windrow" in portal.page("/status", language="sv").words
        assert "toinen Windrow'n versio" in portal.page("/status", language="fi").words


def test_a_change_of_types_is_not_blamed_on_another_version(tmp_path: Path, catalogue: Catalogue) -> None:
    stock(catalogue)
    generations = Generations(tmp_path / "index")
    follow(catalogue.store, generations)
    with staged(tmp_path, catalogue, index=LiveIndex(generations.folder)) as portal:
        assert "settings" not in portal.page("/status").words
        changed = Generations(generations.folder, TypeTables((("hay report", (("en", "Hay report"),)),)))
        assert follow(catalogue.store, changed).is_built
        words = portal.page("/status").words
        assert "The settings of this library have changed since this server started" in words
        assert "puts that right by restarting the server" in words
        assert "Another version" not in words
        assert "Bibliotekets inställningar har ändrats" in portal.page("/status", language="sv").words
        assert "Kirjaston asetukset ovat muuttuneet" in portal.page("/status", language="fi").words
