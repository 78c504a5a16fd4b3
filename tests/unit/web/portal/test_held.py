"""The page on status says when the search shows an older state, since when, and how to let go."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.unit.search.catalogue import Catalogue
from tests.unit.web.portal.stage import staged, stock
from windrow.index.feeder import follow
from windrow.index.generations import Generations
from windrow.index.tantivy.live_index import LiveIndex

HOURS = {
    "2024-06-01T12:30:00+00:00": "1 June 2024 12:30 UTC",
    "2024-06-01T12:30:00": "1 June 2024 12:30 UTC",
    "yesterday": "1 January 1970 00:00 UTC",
}


@pytest.mark.parametrize("since", HOURS)
def test_it_is_told_as_long_as_it_is_held(tmp_path: Path, catalogue: Catalogue, since: str) -> None:
    stock(catalogue)
    generations = Generations(tmp_path / "index")
    follow(catalogue.store, generations)
    with staged(tmp_path, catalogue, index=LiveIndex(generations.folder)) as portal:
        assert "older state" not in portal.page("/status").words
        generations.make_current("g-000001", held_since=since)
        words = portal.page("/status").words
        assert f"was brought back on {HOURS[since]} and is held" in words
        assert "lets go of it with: windrow collection activate" in words
        assert "hålls kvar" in portal.page("/status", language="sv").words
        assert "pidetään ennallaan" in portal.page("/status", language="fi").words
