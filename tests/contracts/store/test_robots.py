"""What a robots.txt said is remembered for as long as it is asked about."""

from __future__ import annotations

from windrow.store.store import RobotsMemory, Store

HAY, STRAW = "https://hay.example/robots.txt", "https://straw.example/robots.txt"


def test_a_file_is_remembered_until_it_is_too_old(store: Store) -> None:
    memory = RobotsMemory(store)
    assert memory.find(HAY, since=0) is None
    memory.remember(HAY, "User-agent: *\nDisallow: /ä", now=100)
    assert memory.find(HAY, since=100) == "User-agent: *\nDisallow: /ä"
    assert memory.find(HAY, since=101) is None
    assert memory.find(STRAW, since=0) is None


def test_an_empty_file_is_remembered_as_well_and_replaced(store: Store) -> None:
    memory = RobotsMemory(store)
    memory.remember(HAY, "Disallow: /", now=100)
    memory.remember(HAY, "", now=200)
    assert memory.find(HAY, since=150) == ""
