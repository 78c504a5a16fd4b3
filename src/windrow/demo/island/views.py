"""What the pictures of the island show: one row each, drawn by `landscapes`."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Season:
    """The colours of a time of the year, as #rrggbb."""

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
    """One picture. `place` is north and east in degrees; the island would lie in the open sea."""

    season: str
    name: str  # of the file
    title: str
    taken: str  # as EXIF writes times
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
