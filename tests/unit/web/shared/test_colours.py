from __future__ import annotations

import re
from pathlib import Path

from hypothesis import given
from hypothesis import strategies as st

from windrow.web.layout import theme
from windrow.web.layout.theme import MIN_CONTRAST, contrast, derive_shades

COLOURS = st.integers(0, 0xFFFFFF).map(lambda number: f"#{number:06x}")
SHEET = (Path(theme.__file__).with_name("assets") / "windrow.css").read_text()


def papers(block: str) -> list[str]:
    found = re.findall(r"--(?:paper|raised|code-paper): (#[0-9a-f]+);", block)
    return [each if len(each) == 7 else "#" + "".join(digit * 2 for digit in each[1:]) for each in found]


LIGHT, DARK = (papers(part) for part in SHEET.split("@media (prefers-color-scheme: dark)")[:2])


@given(COLOURS)
def test_any_colour_can_be_read_on_every_background_of_the_style_sheet(colour: str) -> None:
    shades = derive_shades(colour)
    assert len(LIGHT) == len(DARK) == 3
    assert all(contrast(shades.light, paper) >= MIN_CONTRAST for paper in LIGHT)
    assert all(contrast(shades.dark, paper) >= MIN_CONTRAST for paper in DARK)


@given(COLOURS)
def test_words_can_be_read_on_any_colour(colour: str) -> None:
    shades = derive_shades(colour)
    assert contrast(shades.light, shades.on_light) >= MIN_CONTRAST
    assert contrast(shades.dark, shades.on_dark) >= MIN_CONTRAST


def test_a_colour_that_can_be_read_is_left_as_it_is() -> None:
    assert derive_shades("#1a5c3a").light == "#1a5c3a"
    assert derive_shades("#86d3a6").dark == "#86d3a6"


def test_contrast_is_that_of_the_guidelines() -> None:
    assert round(contrast("#000000", "#ffffff"), 2) == 21.0
    assert round(contrast("#777777", "#ffffff"), 2) == 4.48
