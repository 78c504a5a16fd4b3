"""Draws the island's pictures, with what a camera would have written into them. Needs Pillow."""

from __future__ import annotations

from io import BytesIO
from math import sin
from typing import TYPE_CHECKING

from windrow.demo.island.views import SEASONS, View

if TYPE_CHECKING:
    from PIL import Image, ImageDraw

CREATOR = "Island Archive (demo)"
WIDTH, HEIGHT = 960, 640  # pixels
_FINE = 2  # drawn so many times larger, then made smaller: no stairs along the lines
_HORIZON = 0.52
_ROWS = 22
_QUALITY = 82
_DESCRIPTION, _SOFTWARE, _ARTIST, _EXIF, _GPS, _TAKEN, _TITLE, _WORDS = (
    *(0x010E, 0x0131, 0x013B, 0x8769),
    *(0x8825, 0x9003, 0x9C9B, 0x9C9E),
)


def draw(view: View) -> bytes:
    """Give a view as a JPEG file."""
    picture, file = _paint(view), BytesIO()
    picture.save(file, "JPEG", quality=_QUALITY, exif=_said(view))
    return file.getvalue()


def _paint(view: View) -> Image.Image:
    from PIL import Image, ImageDraw, ImageOps  # noqa: PLC0415 - the rest of the demo does without

    width, height, season = WIDTH * _FINE, HEIGHT * _FINE, SEASONS[view.season]
    horizon = height * _HORIZON
    sky = Image.linear_gradient("L").resize((width, int(horizon)))
    picture = Image.new("RGB", (width, height))
    picture.paste(ImageOps.colorize(sky, season.high_sky, season.low_sky))
    pen = ImageDraw.Draw(picture)
    _sun(pen, view, width, height)
    for step, rise in enumerate((0.16, 0.08)):
        _hills(pen, season.hill, horizon, height * rise, len(view.name) + 3 * step)
    _rows(pen, view, horizon)
    _bales(pen, view, horizon)
    return picture.reduce(_FINE)


def _sun(pen: ImageDraw.ImageDraw, view: View, width: int, height: int) -> None:
    x, y, size = view.sun[0] * width, view.sun[1] * height, height * 0.05
    pen.ellipse((x - size, y - size, x + size, y + size), fill="#fff4cf")


def _hills(pen: ImageDraw.ImageDraw, colour: str, horizon: float, rise: float, start: float) -> None:
    width = WIDTH * _FINE
    line = [
        (x, horizon - rise * (0.4 + 0.3 * sin(start + x / 310) + 0.2 * sin(x / 117 - start)))
        for x in range(0, width + 40, 40)
    ]
    pen.polygon([(0, horizon), *line, (width, horizon)], fill=colour)


def _rows(pen: ImageDraw.ImageDraw, view: View, horizon: float) -> None:
    """The field, in rows that meet far away below the sun."""
    width, height, season = WIDTH * _FINE, HEIGHT * _FINE, SEASONS[view.season]
    pen.rectangle((0, horizon, width, height), fill=season.field)
    far, spread = view.sun[0] * width, width * 0.16
    for row in range(-_ROWS, _ROWS):
        near = far + row * spread
        foot = [(near, height), (near + spread * 0.45, height)]
        pen.polygon([(far + row * 3, horizon), *foot, (far + row * 3 + 2, horizon)], fill=season.row)


def _bales(pen: ImageDraw.ImageDraw, view: View, horizon: float) -> None:
    for number in range(view.bales):
        depth = 0.15 + 0.7 * ((number * 37) % 100) / 100
        x = WIDTH * _FINE * (0.08 + 0.86 * ((number * 61) % 100) / 100)
        y, size = horizon + (HEIGHT * _FINE - horizon) * depth, 20 + 90 * depth
        pen.ellipse(
            (x - size, y - size, x + size, y + size * 0.9), fill="#a98b45", outline="#6f5a2a", width=4
        )
        pen.ellipse((x - size / 2, y - size / 2, x + size / 2, y + size * 0.4), outline="#6f5a2a", width=4)


def _said(view: View) -> Image.Exif:
    from PIL import Image  # noqa: PLC0415 - the rest of the demo does without

    exif = Image.Exif()
    exif[_DESCRIPTION] = f"{view.title}, drawn for the demo; no such place exists."
    exif[_SOFTWARE], exif[_ARTIST] = "Windrow demo", CREATOR
    exif[_TITLE] = f"{view.title}\0".encode("utf-16-le")
    exif[_WORDS] = f"{view.season};fields\0".encode("utf-16-le")
    exif.get_ifd(_EXIF)[_TAKEN] = view.taken
    if view.place is not None:
        exif.get_ifd(_GPS).update(_position(*view.place))
    return exif


def _position(north: float, east: float) -> dict[int, object]:
    """What GPS receivers write: each an angle in degrees, minutes and seconds."""
    return {1: "N", 2: _angle(north), 3: "E", 4: _angle(east)}


def _angle(degrees: float) -> tuple[float, float, float]:
    whole, minutes = divmod(round(degrees * 3600), 3600)
    return (float(whole), float(minutes // 60), float(minutes % 60))
