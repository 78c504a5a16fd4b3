"""How much room names need at most: never too little, and short ones are known to be short."""

from __future__ import annotations

import pytest

from windrow.stats.charts.frame import label_limit

# Widths in Liberation Sans, in parts of the letters' size, from its table of metrics.
MEASURED = {
    "University of Applied Sciences": 13.449,
    "WWWW": 3.776,
    "illi": 0.888,
    "Åbo Akademi": 5.947,
    "漢字": 2.0,
}


@pytest.mark.parametrize("name", MEASURED)
def test_a_name_is_never_thought_shorter_than_it_is(name: str) -> None:
    limit = int(MEASURED[name] * 10) - 1
    assert label_limit([name], limit, size=10) == limit


@pytest.mark.parametrize("name", ["University of Applied Sciences", "Åbo Akademi", "2014", ""])
def test_a_short_name_has_no_limit(name: str) -> None:
    assert label_limit([name], 270, size=13) == 0


def test_one_long_name_among_others_is_enough() -> None:
    assert label_limit(["short", "long " * 20, "short"], 270, size=13) == 270
