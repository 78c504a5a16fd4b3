"""The measurements of search quality: known items in 24 ways, and topics with judgements."""

from __future__ import annotations

from pathlib import Path
from random import Random

import pytest
from bench.search.known_items import WAYS, Rig, build, measure, misspell
from bench.search.topics import Topic, judge, read_topics, without_headings, write_topics
from bench.search.topics import measure as measure_topics

from windrow.index.tantivy.rows import Entry
from windrow.model.document import Agent, Document, Subject, Text
from windrow.model.text.wildcards import is_near

TOPICS = Path(__file__).parents[2] / "golden" / "search" / "topics.json"
PLACES = ["meadows", "rivers", "forests", "villages", "harbours", "bogs", "islands", "mountains"]
CROPS = ["barley", "turnips", "clover", "buckwheat", "parsnips", "lentils", "rye", "sorghum"]
NAMES = ["Niitty", "Ketola", "Harju", "Salonen", "Lampinen", "Virtanen", "Koskela", "Rantanen"]


@pytest.fixture(scope="module")
def entries() -> list[Entry]:
    return [
        Entry(
            number,
            "fields",
            f"oai/fields.xml#{number}",
            (),
            Document(
                titles=(Text(f"Growing {crop} around northern {place} before winter comes", "en"),),
                creators=(Agent(f"{name}, Ulla"),),
                subjects=(Subject(crop), Subject("agriculture")),
                languages=("en",),
            ),
        )
        for number, (crop, place, name) in enumerate(
            ((crop, place, name) for crop in CROPS for place, name in zip(PLACES, NAMES, strict=True)),
            start=1,
        )
    ]


def test_every_item_is_asked_for_in_24_ways(entries: list[Entry]) -> None:
    rig = Rig(entries)
    items = rig.items()
    assert len(WAYS) == 24
    assert len(items) > 10
    figures = measure(rig, build(entries), items[:5])
    assert {len(each.ranks) for each in figures.values()} == {5}
    for way in ("title as it stands", "title in lower case", "title without accents", "title as a phrase"):
        assert figures[way].shares() == (100.0, 100.0, 0.0), way
    for way, each in figures.items():  # nobody is left with nothing
        assert each.zeros == 0, way


@pytest.mark.parametrize("seed", range(20))
def test_a_slip_is_one_slip(seed: int) -> None:
    wrong = misspell(Random(seed), "meadows")
    assert wrong != "meadows"
    assert is_near("meadows", wrong, 1)


def test_topics_are_judged_by_headings_that_the_index_does_not_have(
    entries: list[Entry], tmp_path: Path
) -> None:
    topics = judge(entries)
    assert "barley" in " ".join(topic.query for topic in topics)
    assert not without_headings(entries[0]).document.subjects
    index = build(map(without_headings, entries))
    assert measure_topics([Topic("barley", {entries[0].identifier: 2})], index)[0] > 0
    assert measure_topics([Topic("barley", {"elsewhere": 2})], index) == [0.0]
    write_topics(tmp_path / "topics.json", topics)
    assert read_topics(tmp_path / "topics.json") == topics


def test_two_hundred_topics_are_kept_with_their_judgements() -> None:
    topics = read_topics(TOPICS)
    assert len(topics) == 200
    for topic in topics:
        assert set(topic.grades.values()) <= {1, 2}
        assert 2 in topic.grades.values()
