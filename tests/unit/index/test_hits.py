"""What was found: a card is read when it is looked at, once, and what is wrong with it is told then."""

from __future__ import annotations

import pytest

from tests.unit.index import harm
from tests.unit.index.grain import Grain, titled
from windrow.errors import StoreError
from windrow.index.protocol import Hit, HitSummary
from windrow.index.tantivy.live_index import NONE, LiveIndex
from windrow.model.query import Word

HAY = HitSummary(1, "barn", "oai:barn.example:1", "Hay")


def test_a_card_is_read_once_and_not_before_it_is_looked_at() -> None:
    read: list[HitSummary] = []

    def reading() -> HitSummary:
        read.append(HAY)
        return HAY

    hit = Hit(reading, 1.5)
    assert (hit.score, read) == (1.5, [])
    assert [hit.card, hit.card] == [HAY, HAY]
    assert read == [HAY]


def test_hits_are_the_same_where_card_and_score_are_however_they_are_read() -> None:
    assert Hit(HAY, 1.0) == Hit(lambda: HAY, 1.0)
    assert len({Hit(HAY, 1.0), Hit(lambda: HAY, 1.0)}) == 1
    assert Hit(HAY, 1.0) != Hit(HAY, 2.0)
    assert Hit(HAY, 1.0) != Hit(HAY._replace(title="Oats"), 1.0)
    assert repr(Hit(lambda: HAY, 1.0)) == f"Hit({HAY!r}, 1.0)"


def test_cards_of_a_state_that_another_took_the_place_of_are_still_read(grain: Grain) -> None:
    grain.shelf.write(titled("a", "Hay"))
    grain.follow()
    found = LiveIndex(grain.folder).search(Word("hay"))
    grain.shelf.write(titled("a", "Hay that was raked"))
    grain.follow(is_rebuilding=True)
    assert [hit.card.title for hit in found.hits] == ["Hay"]


def test_a_card_that_cannot_be_read_is_told_when_it_is_looked_at_and_ends_its_state(grain: Grain) -> None:
    grain.shelf.write(titled("a", "Hay"))
    grain.follow()
    index = LiveIndex(grain.folder, clock=iter(range(1_000_000_000)).__next__)
    (hit,) = index.search(Word("hay")).hits
    harm.overwrite(grain.folder / "g-000001", "store")
    with pytest.raises(StoreError, match="cannot be read"):
        hit.card  # noqa: B018
    assert index.generation == NONE
    assert ".store is not as it was written" in index.trouble
