"""The chart of collaboration, of few partners and of many: all is seen, in letters of the page's size."""

from __future__ import annotations

from itertools import combinations, cycle, islice
from pathlib import Path

import pytest
from playwright.sync_api import Browser, ViewportSize, expect

from tests.unit.stats.making import documents, joint
from tests.unit.web.statistics.stage import staged
from windrow.stats.charts.drawing import Drawer

NAMES = [
    "University of Helsinki",
    "Åbo Akademi",
    "LUT",
    "Hanken School of Economics",
    "Wimmelmühlen University of Music, Mime and Movement",
    *(f"University of Applied Sciences of Town {place}" for place in range(25)),
]
# By how much anything drawn reaches beyond the top and the bottom of its frame, and how high a name is.
_SEEN = """frame => {
  const { top, bottom } = frame.getBoundingClientRect();
  const boxes = [...frame.querySelectorAll("text, path")].map(each => each.getBoundingClientRect());
  const drawn = boxes.filter(each => each.width > 0);
  const level = [...frame.querySelectorAll("text:not([transform*=rotate])")];
  return [
    Math.max(...drawn.map(each => top - each.top)),
    Math.max(...drawn.map(each => each.bottom - bottom)),
    Math.max(...level.map(each => each.getBoundingClientRect().height)),
  ];
}"""


@pytest.mark.parametrize("partners", [2, 5, 30])
@pytest.mark.parametrize("width", [1200, 390])
@pytest.mark.parametrize("has_scripts", [True, False])
def test_every_cell_and_name_is_seen_in_letters_of_the_page(
    tmp_path: Path, browser: Browser, partners: int, width: int, has_scripts: bool
) -> None:
    pairs = list(combinations(NAMES[:partners], 2))
    entries = documents(*(joint(*pair) for pair in islice(cycle(pairs), 500)))
    drawer = Drawer()
    try:
        with staged(tmp_path, drawer, entries) as stage:
            size = ViewportSize(width=width, height=900)
            page = browser.new_page(viewport=size, java_script_enabled=has_scripts)
            page.goto(f"{stage.server.url}/statistics/collaboration")
            figure = page.locator("figure.chart")
            if has_scripts:
                expect(figure).to_have_attribute("data-lively", "")
            above, below, letters = figure.locator(".drawing").evaluate(_SEEN)
            page.close()
    finally:
        drawer.engine.close()
    assert above <= 0
    assert below <= 0
    assert 9 < letters < 20
