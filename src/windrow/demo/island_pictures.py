"""The island's pictures, drawn with the metadata that a camera would write. Needs Pillow."""

from __future__ import annotations

from dataclasses import dataclass
from io import BytesIO
from math import sin
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from PIL import Image, ImageDraw

# The content of the pictures, one row each.


@dataclass(frozen=True, slots=True)
class Season:
    """The colours of a season, as #rrggbb."""

    high_sky: str
    low_sky: str
    hill: str
    field: str
    row: str


SEASONS = {
    "spring": Season("#7fb2d9", "#e4f0ee", "#6f8f6a", "#7a5c43", "#8fae5d"),
    "summer": Season("#3f86c6", "#d6ebf5", "#3f6f4a", "#9fb64a", "#c9c06a"),
    "autumn": Season("#8a93a8", "#f3dcc0", "#7c5a3c", "#b98a3e", "#e0b95c"),
    "winter": Season("#5b6f8f", "#e9eef4", "#8fa0ad", "#e6ebef", "#c3cdd6"),
}


@dataclass(frozen=True, slots=True)
class View:
    """One picture. `place` is latitude and longitude in degrees, in the open sea."""

    season: str
    name: str  # of the file
    title: str
    taken: str  # in the format of EXIF
    sun: tuple[float, float]  # from the left and from the top, 0 to 1
    place: tuple[float, float] | None = None
    bales: int = 0


VIEWS = (
    View("spring", "ploughed", "The south field after ploughing", "2024:04:28 07:10:00", (0.2, 0.2)),
    View(
        "spring",
        "first-green",
        "First green at the shore",
        "2024:05:12 06:40:00",
        (0.75, 0.25),
        (61.61, 19.42),
    ),
    View("spring", "ferry-road", "Along the ferry road in May", "2024:05:20 11:05:00", (0.5, 0.12)),
    View("summer", "windrows", "Hay in windrows", "2024:07:09 14:30:00", (0.3, 0.15), (61.62, 19.40), 3),
    View("summer", "bales", "Bales before the rain", "2024:07:11 18:20:00", (0.82, 0.3), (61.62, 19.41), 9),
    View("summer", "midnight", "The meadow at midnight", "2025:06:21 23:58:00", (0.5, 0.44)),
    View("summer", "second-cut", "The second cut", "2025:08:02 10:15:00", (0.15, 0.1), None, 5),
    View("autumn", "stubble", "Stubble by the old barn", "2024:09:14 16:00:00", (0.65, 0.33)),
    View(
        "autumn",
        "last-load",
        "The last load of the year",
        "2025:09:27 17:45:00",
        (0.9, 0.4),
        (61.60, 19.43),
        2,
    ),
    View("autumn", "rain", "Fields after a week of rain", "2025:10:19 12:00:00", (0.45, 0.2)),
    View("winter", "snow", "Snow on the south field", "2025:01:16 11:30:00", (0.25, 0.4), (61.61, 19.41)),
    View("winter", "ice-road", "The ice road in February", "2025:02:08 13:20:00", (0.7, 0.35)),
)

CREATOR = "Island Archive (demo)"
WIDTH, HEIGHT = 960, 640  # pixels
_FINE = 2  # drawn larger by this factor, then reduced, for smooth lines
_HORIZON = 0.52
_ROWS = 22
_QUALITY = 82
_DESCRIPTION, _SOFTWARE, _ARTIST, _EXIF, _GPS, _TAKEN, _TITLE, _WORDS = (
    *(0x010E, 0x0131, 0x013B, 0x8769),
    *(0x8825, 0x9003, 0x9C9B, 0x9C9E),
)


def draw(view: View) -> bytes:
    picture, file = _paint(view), BytesIO()
    picture.save(file, "JPEG", quality=_QUALITY, exif=_exif_data(view))
    return file.getvalue()


def _paint(view: View) -> Image.Image:
    from PIL import Image, ImageDraw, ImageOps  # noqa: PLC0415 - optional: the rest of the demo works without it

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
    """Draw the field, in rows that meet at the horizon below the sun."""
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


def _exif_data(view: View) -> Image.Exif:
    from PIL import Image  # noqa: PLC0415 - optional: the rest of the demo works without it

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
    """Return GPS data: each angle in degrees, minutes and seconds."""
    return {1: "N", 2: _angle(north), 3: "E", 4: _angle(east)}


def _angle(degrees: float) -> tuple[float, float, float]:
    whole, minutes = divmod(round(degrees * 3600), 3600)
    return (float(whole), float(minutes // 60), float(minutes % 60))
