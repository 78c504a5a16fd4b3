"""Shades of a colour that can be read on the pages, in the light and in the dark. Pure.

Contrast is that of WCAG 2: 4.5 between text and its background. A colour that somebody chose keeps its hue
and is made darker or lighter only as far as it must be.
"""

from __future__ import annotations

from typing import NamedTuple

LEAST_CONTRAST = 4.5
_STEPS = 50
_BLACK, _WHITE = (0, 0, 0), (255, 255, 255)
_LIGHT_PAPERS = ("#fcfbf8", "#ffffff", "#f1f2ec")  # what windrow.css has as backgrounds
_DARK_PAPERS = ("#161a17", "#1e2420", "#252c27")
Rgb = tuple[int, int, int]


class Shades(NamedTuple):
    """A colour for text and buttons, and the one for words on it; for light pages and for dark ones."""

    light: str
    on_light: str
    dark: str
    on_dark: str


def shades_of(colour: str) -> Shades:
    """Give the shades for a colour written as #rrggbb."""
    light = _readable(colour, _LIGHT_PAPERS, towards=_BLACK)
    dark = _readable(colour, _DARK_PAPERS, towards=_WHITE)
    return Shades(light, _words_on(light), dark, _words_on(dark))


def contrast(one: str, other: str) -> float:
    """Give the contrast between two colours, from 1 to 21."""
    high, low = sorted((_luminance(_rgb(one)), _luminance(_rgb(other))), reverse=True)
    return (high + 0.05) / (low + 0.05)


def _readable(colour: str, papers: tuple[str, ...], *, towards: Rgb) -> str:
    start = _rgb(colour)
    for step in range(_STEPS + 1):
        mixed = _mixed(start, towards, step / _STEPS)
        if min(contrast(mixed, paper) for paper in papers) >= LEAST_CONTRAST:
            return mixed
    return _mixed(start, towards, 1.0)


def _words_on(colour: str) -> str:
    return max("#ffffff", "#10140f", key=lambda ink: contrast(ink, colour))


def _mixed(start: Rgb, end: Rgb, part: float) -> str:
    return "#" + "".join(f"{round(a + (b - a) * part):02x}" for a, b in zip(start, end, strict=True))


def _rgb(colour: str) -> Rgb:
    return int(colour[1:3], 16), int(colour[3:5], 16), int(colour[5:7], 16)


def _luminance(rgb: Rgb) -> float:
    red, green, blue = (_linear(part / 255) for part in rgb)
    return 0.2126 * red + 0.7152 * green + 0.0722 * blue


def _linear(part: float) -> float:
    value: float = part / 12.92 if part <= 0.04045 else ((part + 0.055) / 1.055) ** 2.4
    return value
