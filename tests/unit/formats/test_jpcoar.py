from __future__ import annotations

import json
from pathlib import Path

import pytest
from lxml import etree

from tests.fixtures import Place, own, shared
from tests.unit.formats.portrait import portrait
from windrow.formats.repositories.jpcoar import NAMESPACE, READER
from windrow.model.document import Document

SAMPLE = Path(__file__).resolve().parents[2] / "golden" / "formats" / "jpcoar" / "thesis.xml"


def record(inside: str) -> Document:
    return READER.read(etree.fromstring(f'<jpcoar xmlns="{NAMESPACE}">{inside}</jpcoar>'))


def test_the_sample_reads_as_the_document_written_beside_it() -> None:
    document = READER.read(etree.fromstring(SAMPLE.read_bytes()))
    assert portrait(document) == json.loads(SAMPLE.with_suffix(".json").read_text(encoding="utf-8"))


def test_how_a_name_is_read_aloud_is_not_the_name() -> None:
    kana, name = (
        '<creatorName xml:lang="ja-Kana">レイ</creatorName>',
        '<creatorName xml:lang="ja">例</creatorName>',
    )
    document = record(f"<creator>{kana}{name}</creator>")
    assert [agent.name for agent in document.creators] == ["例"]
    assert document.extra["jpcoar:creator/creatorName"] == ("レイ",)


def test_a_place_in_a_journal_without_a_title_is_kept() -> None:
    assert record("<volume>12</volume><pageStart>3</pageStart>").extra["jpcoar:pageStart"] == ("12, 3",)


@pytest.mark.parametrize(
    ("place", "folder"), [(own, "records/jpcoar"), (shared, "records/JPCOAR__schema/2.0/samples")]
)
def test_records_have_all_that_a_reader_needs_to_find_them(place: Place, folder: str) -> None:
    samples = sorted(place(folder).glob("*.xml"))
    assert samples
    for sample in samples:
        document = READER.read(etree.parse(sample).getroot())
        assert document.titles, sample.name
        assert document.creators, sample.name
        assert document.landing, sample.name
        assert document.year, sample.name
