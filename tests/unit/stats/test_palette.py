"""Colours that are seen on both backgrounds and told apart by people who see fewer of them."""

from __future__ import annotations

import math
import re
from itertools import combinations
from pathlib import Path

import pytest

from windrow.stats.charts.frame import DARK, LIGHT, colour, to_print_colours
from windrow.web import layout

Colour = tuple[float, float, float]
STYLE = Path(next(iter(layout.__path__))) / "assets" / "statistics.css"
LEAST_CONTRAST = 3.0
LEAST_DISTANCE = 8.0  # in hundredths of OKLab; Okabe's and Ito's own eight come to 7.6
# How colours look to those who lack one of three kinds of cones (Machado, Oliveira and Fernandes 2009).
SIGHTS = {
    "all": ((1, 0, 0), (0, 1, 0), (0, 0, 1)),
    "no red": (
        (0.152286, 1.052583, -0.204868),
        (0.114503, 0.786281, 0.099216),
        (-0.003882, -0.048116, 1.051998),
    ),
    "no green": (
        (0.367322, 0.860646, -0.227968),
        (0.280085, 0.672501, 0.047413),
        (-0.01182, 0.04294, 0.968881),
    ),
    "no blue": (
        (1.255528, -0.076749, -0.178779),
        (-0.078411, 0.930809, 0.147602),
        (0.004733, 0.691367, 0.3039),
    ),
}


def _linear(code: str) -> Colour:
    parts = [int(code[place : place + 2], 16) / 255 for place in (1, 3, 5)]
    red, green, blue = (
        part / 12.92 if part <= 0.04045 else ((part + 0.055) / 1.055) ** 2.4 for part in parts
    )
    return red, green, blue


def _times(rows: tuple[Colour, ...], vector: Colour) -> Colour:
    red, green, blue = (sum(a * b for a, b in zip(row, vector, strict=True)) for row in rows)
    return red, green, blue


def _contrast(one: str, other: str) -> float:
    lights = sorted(
        sum(w * c for w, c in zip((0.2126, 0.7152, 0.0722), _linear(x), strict=True)) for x in (one, other)
    )
    return (lights[1] + 0.05) / (lights[0] + 0.05)


def _oklab(linear: Colour) -> Colour:
    cones = _times(
        (
            (0.4122214708, 0.5363325363, 0.0514459929),
            (0.2119034982, 0.6806995451, 0.1073969566),
            (0.0883024619, 0.2817188376, 0.6299787005),
        ),
        linear,
    )
    roots = (max(cones[0], 0) ** (1 / 3), max(cones[1], 0) ** (1 / 3), max(cones[2], 0) ** (1 / 3))
    return _times(
        (
            (0.2104542553, 0.793617785, -0.0040720468),
            (1.9779984951, -2.428592205, 0.4505937099),
            (0.0259040371, 0.7827717662, -0.808675766),
        ),
        roots,
    )


@pytest.mark.parametrize(
    ("scheme", "papers"), [(LIGHT, ("#fcfbf8", "#ffffff")), (DARK, ("#161a17", "#1e2420"))]
)
def test_every_colour_is_seen_on_its_background(scheme: tuple[str, ...], papers: tuple[str, ...]) -> None:
    for paper in papers:
        assert min(_contrast(each, paper) for each in scheme) >= LEAST_CONTRAST


@pytest.mark.parametrize("sight", SIGHTS)
@pytest.mark.parametrize("scheme", [LIGHT, DARK])
def test_any_two_colours_are_told_apart(scheme: tuple[str, ...], sight: str) -> None:
    seen = {each: _oklab(_times(SIGHTS[sight], _linear(each))) for each in scheme}
    for one, other in combinations(scheme, 2):
        assert 100 * math.dist(seen[one], seen[other]) >= LEAST_DISTANCE, (one, other)


def test_the_style_sheet_has_the_same_colours() -> None:
    found = re.findall(r"--chart-(\d): (#[0-9a-f]{6});", STYLE.read_text(encoding="utf-8"))
    expected = [(str(place), each) for scheme in (LIGHT, DARK) for place, each in enumerate(scheme, start=1)]
    assert found == expected


def test_a_printed_chart_has_values_in_place_of_names() -> None:
    spec = {"a": [colour(0), {"b": "currentColor"}], "c": 1, "d": None, "e": "words"}
    assert to_print_colours(spec) == {"a": [LIGHT[0], {"b": "#1f2421"}], "c": 1, "d": None, "e": "words"}


def test_after_the_last_colour_comes_the_first() -> None:
    assert colour(len(LIGHT)) == colour(0)
