"""While the index is being made, nobody is told that there is nothing."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.unit.search.catalogue import Catalogue
from tests.unit.web.portal.stage import staged, stock
from windrow.index.feeder import follow
from windrow.index.generations import Generations
from windrow.index.tantivy.live_index import LiveIndex

SEARCHED = ("/", "/search", "/search?q=hay", "/browse/", "/browse/creators", "/search.csv", "/search.atom")


@pytest.mark.parametrize("path", SEARCHED)
def test_what_needs_the_index_is_put_off_until_it_is_whole(
    tmp_path: Path, catalogue: Catalogue, path: str
) -> None:
    stock(catalogue)
    folder = tmp_path / "index"
    seconds = [0.0]
    index = LiveIndex(folder, clock=lambda: seconds[0])
    with staged(tmp_path, catalogue, index=index) as portal:
        early = portal.ask(path)
        assert (early.status, early.headers["retry-after"]) == (503, "30")
        assert "is being made" in early.text
        follow(catalogue.store, Generations(folder))
        seconds[0] += 60
        assert portal.ask(path).status == 200


def test_it_is_told_in_the_language_of_the_page(tmp_path: Path, catalogue: Catalogue) -> None:
    with staged(tmp_path, catalogue, index=LiveIndex(tmp_path / "index")) as portal:
        assert portal.page("/search", language="sv").heading == "Kom tillbaka om en stund"
        assert "hakemistoa rakennetaan" in portal.page("/search", language="fi").words


@pytest.mark.parametrize("path", ["/record/hay/oai:hay.example:1", "/status", "/about", "/opensearch.xml"])
def test_what_the_store_knows_is_shown_all_the_while(tmp_path: Path, catalogue: Catalogue, path: str) -> None:
    stock(catalogue)
    with staged(tmp_path, catalogue, index=LiveIndex(tmp_path / "index")) as portal:
        assert portal.ask(path).status == 200


@pytest.mark.parametrize("path", ["/oaix", "/nothing/here", "/collection/none"])
def test_where_nothing_is_nothing_is_promised_for_later(
    tmp_path: Path, catalogue: Catalogue, path: str
) -> None:
    with staged(tmp_path, catalogue, index=LiveIndex(tmp_path / "index")) as portal:
        assert portal.ask(path).status == 404
