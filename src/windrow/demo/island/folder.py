"""Puts the documents of the island into a folder: what `windrow demo` harvests beside the theses.

Every file has the same bytes and the same time whenever it is made, so a second demo finds nothing changed.
"""

from __future__ import annotations

import csv
import os
from collections.abc import Callable, Iterator
from datetime import UTC, datetime
from functools import partial
from io import StringIO
from pathlib import Path

from windrow.demo.island import writings
from windrow.demo.island.landscapes import CREATOR, draw
from windrow.demo.island.leaflets import CREATORS, LEAFLETS
from windrow.demo.island.pdf import write_pdf
from windrow.demo.island.sounds import SOUNDS, write_wave
from windrow.demo.island.views import VIEWS

_TABLE = "metadata.csv"
_MADE = int(datetime(2025, 12, 1, 12, tzinfo=UTC).timestamp())
# What the files do not say themselves: column by column.
_SAID = (
    ("file", "title", "creator", "subject", "date"),
    ("notes/rain-tin.txt", "Diary of the rain tin", "Shore Watch (demo)", "weather|diary", "2024-07"),
    ("sounds/wind.wav", "Wind over the south field", CREATOR, "weather|recording", "2025-03-09"),
    ("sounds/ferry-horn.wav", "The horn of the ferry", CREATOR, "traffic|recording", "2024-03-01"),
)


def make_folder(folder: Path) -> int:
    """Make the documents that are not there yet; give how many there are. Needs Pillow."""
    count = 0
    for path, make in _files():
        place = folder / path
        count += path != _TABLE
        if not place.exists():
            place.parent.mkdir(parents=True, exist_ok=True)
            place.write_bytes(make())
            os.utime(place, (_MADE, _MADE))
    return count


def _files() -> Iterator[tuple[str, Callable[[], bytes]]]:
    """Where each file lies, and what makes it."""
    yield _TABLE, _table
    for view in VIEWS:
        yield f"pictures/{view.season}/{view.name}.jpg", partial(draw, view)
    for leaflet in LEAFLETS:
        yield f"leaflets/{leaflet.name}.pdf", partial(write_pdf, leaflet)
    for sound in SOUNDS:
        yield f"sounds/{sound.name}.wav", partial(write_wave, sound, CREATOR)
    yield "notes/rain-tin.txt", writings.DIARY.encode
    yield "notes/house-rules.md", writings.RULES.encode
    yield "notes/summer-fair.html", writings.PAGE.encode
    yield "notes/minutes.docx", partial(writings.write_minutes, CREATORS[0])


def _table() -> bytes:
    text = StringIO()
    csv.writer(text, lineterminator="\n").writerows(_SAID)
    return text.getvalue().encode()
