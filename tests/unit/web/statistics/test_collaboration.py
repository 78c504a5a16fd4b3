"""The page of collaboration: pairs, in the table and in the chart, lead to the records they count."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from urllib.parse import parse_qsl, urlsplit

import pytest

from tests.unit.stats.making import documents, joint
from tests.unit.web.statistics.stage import Stage, staged, text_of
from windrow.search.request import read_request
from windrow.stats.catalogue import PAGES
from windrow.stats.charts.drawing import Drawer

NAMES = ("Åbo Akademi", "A; B", 'The "Hay" \\ Lab', "x OR y", "(z", "año*", "<b>&amp;")
ENTRIES = documents(joint(*NAMES), joint(*NAMES[:2]), joint(*NAMES[1:4]), joint(NAMES[0]))


@pytest.fixture
def odd(tmp_path: Path, drawer: Drawer) -> Iterator[Stage]:
    with staged(tmp_path, drawer, ENTRIES) as made:
        yield made


@pytest.mark.parametrize("asked", ["", "?q=person+OR+lab", "?q=affiliation%3D%22A%3B+B%22", "?q=%22person"])
def test_every_pair_leads_to_as_many_records_as_it_counts(odd: Stage, asked: str) -> None:
    (section,) = odd.page(f"/collaboration{asked}").xpath("//section[@id='collaboration']")
    counts = []
    for row in section.xpath(".//tbody/tr"):
        (address,) = row.xpath(".//a/@href")
        counts.append((address, int(text_of(row.xpath("td")[2]))))
    assert len(counts) > 1
    for address, count in counts:
        question = read_request(parse_qsl(urlsplit(address).query))
        assert not question.mistakes
        assert odd.desk.index.count(question.query) == count
    assert sorted(section.xpath(".//figure//*[local-name()='a']/@href")) == sorted(each for each, _ in counts)


def test_the_search_behind_a_pair_reads_as_somebody_would_write_it(odd: Stage) -> None:
    addresses = odd.page("/collaboration").xpath("//section[@id='collaboration']//tbody//a/@href")
    texts = [dict(parse_qsl(urlsplit(each).query))["q"] for each in addresses]
    assert 'affiliation="A; B" affiliation="Åbo Akademi"' in texts


def test_only_a_chart_of_any_number_of_columns_keeps_its_own_size(stage: Stage) -> None:
    for page in PAGES:
        found = stage.page(f"/{page.name}").xpath(
            "//figure[contains(@class, 'unscaled')]/ancestor::section/@id"
        )
        assert found == (["collaboration"] if page.name == "collaboration" else [])
