"""The demo's folder of documents of an invented island: pictures, leaflets, sounds and writings.

This module makes the sounds and the minutes, and writes all files into one folder. Every file has the same
bytes and the same time whenever it is made, so a second demo finds no changes.
"""

from __future__ import annotations

import csv
import os
import struct
import sys
import wave
from array import array
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from functools import partial
from io import BytesIO, StringIO
from math import pi, sin
from pathlib import Path
from random import Random
from zipfile import ZIP_DEFLATED, ZipFile, ZipInfo

from windrow.demo.island_leaflets import CREATORS, LEAFLETS, write_pdf
from windrow.demo.island_pictures import CREATOR, VIEWS, draw

# Sounds: a horn, a scale and the wind, as WAVE files with tags.

RATE = 16_000  # samples per second
_LOUD = 9000
_SECONDS = 3
_FADE = RATE // 20  # samples


@dataclass(frozen=True, slots=True)
class Sound:
    """A sound, the function that makes its samples, and its tags."""

    name: str  # of the file
    title: str
    year: str
    make: Callable[[], Sequence[int]]


def write_wave(sound: Sound, creator: str) -> bytes:
    file = BytesIO()
    with wave.open(file, "wb") as writer:
        writer.setnchannels(1)
        writer.setsampwidth(2)
        writer.setframerate(RATE)
        samples = array("h", sound.make())
        if sys.byteorder == "big":
            samples.byteswap()
        writer.writeframes(samples.tobytes())
    return _tagged(file.getvalue(), {"INAM": sound.title, "IART": creator, "ICRD": sound.year})


def _tagged(content: bytes, tags: dict[str, str]) -> bytes:
    """Append tags: the RIFF chunk LIST of the type INFO."""
    told = b"INFO" + b"".join(_chunk(name, _even(words.encode() + b"\0")) for name, words in tags.items())
    whole = content + _chunk("LIST", told)
    return whole[:4] + struct.pack("<I", len(whole) - 8) + whole[8:]


def _chunk(name: str, content: bytes) -> bytes:
    return name.encode() + struct.pack("<I", len(content)) + content


def _even(content: bytes) -> bytes:
    return content + b"\0" * (len(content) % 2)


def _horn() -> list[int]:
    steps = [2 * pi * tone / RATE for tone in (196.0, 246.9, 293.7)]
    share = _LOUD / len(steps)
    return _faded([int(share * sum(sin(step * n) for step in steps)) for n in range(RATE * _SECONDS)])


def _scale() -> list[int]:
    """Return eight rising tones, each fading like a bell."""
    length = RATE * 2 // 5
    made = []
    for tone in (0, 2, 4, 5, 7, 9, 11, 12):
        step = 2 * pi * 440 * 2 ** (tone / 12) / RATE
        made += [int(_LOUD * (1 - n / length) ** 2 * sin(step * n)) for n in range(length)]
    return made


def _wind() -> list[int]:
    """Return softened noise of varying volume. The seed is fixed, so that each demo has the same file."""
    chance = Random(7)  # noqa: S311 - no secret, a sound
    last, made = 0.0, []
    for n in range(RATE * _SECONDS):
        last += (chance.uniform(-1, 1) - last) * 0.06
        made.append(int(_LOUD * 2 * last * (0.6 + 0.4 * sin(n / RATE * 2.1))))
    return _faded(made)


def _faded(samples: list[int]) -> list[int]:
    """Fade in and out: a sudden edge is heard as a click."""
    for n in range(_FADE):
        samples[n] = samples[n] * n // _FADE
        samples[-1 - n] = samples[-1 - n] * n // _FADE
    return samples


SOUNDS = (
    Sound("ferry-horn", "The horn of the ferry", "2024", _horn),
    Sound("barn-bell", "A scale on the bells of the barn", "2025", _scale),
    Sound("wind", "Wind over the south field", "2025", _wind),
)

_EARLIEST = (1980, 1, 1, 0, 0, 0)  # the earliest time in a zip archive; always the same
_WORD = "http://schemas.openxmlformats.org/wordprocessingml/2006/main"
_TYPES = "http://schemas.openxmlformats.org/package/2006/content-types"
_RELATIONS = "http://schemas.openxmlformats.org/package/2006/relationships"
_KINDS = "http://schemas.openxmlformats.org/officeDocument/2006/relationships"
_PROPERTIES = "http://schemas.openxmlformats.org/package/2006/metadata/core-properties"
_OPENXML = "application/vnd.openxmlformats"

DIARY = """Diary of the rain tin, July

1  dry. The swifts are high.
2  dry. Cut the south field before noon.
3  four millimetres in the night, none after breakfast. Nobody touched the rows.
4  dry, wind from the west. Turned the hay twice.
5  dry. Brought in eleven loads; the barn smells of sweet vernal grass.
6  a thunderstorm at sea, nothing here.
7  dry. The ferry brought a film crew who wanted it to rain.
"""

RULES = """---
title: House rules of the drying barn
author: Barn Society of the island (demo)
date: 2024-05-01
keywords: [barn, rules]
---

# House rules of the drying barn

## The doors

The lower door is closed at night and the upper door never. Cats may use either.

## Fire

No lamp, no pipe, no exceptions. The bucket by the ladder is *full* and stays full.

## The key

There is no key. There never was a key; please stop looking for the **palimpsest** on the beam, it
is a shopping list.
"""

PAGE = """<!DOCTYPE html>
<html lang="en">
<head>
<meta charset="utf-8">
<title>The summer fair on the island</title>
<meta name="description" content="What happens at the fair, and when the last ferry leaves.">
<meta name="author" content="Barn Society of the island (demo)">
<meta name="keywords" content="fair, ferry">
<meta name="DC.date" content="2025-07-26">
</head>
<body>
<main>
<h1>The summer fair</h1>
<p>It begins when the church clock strikes ten, which is at about a quarter past. There is a race of
wheelbarrows, a raffle of cheeses, and a talk on lichens that is over before anybody notices.</p>
<p>The last ferry leaves at eleven. Those who miss it sleep in the hay.</p>
</main>
</body>
</html>
"""

_MINUTES = (
    "Minutes of the yearly meeting",
    "Present were nine members, two dogs and a visitor from the mainland who had taken the wrong ferry.",
    "It was agreed to mend the roof before the autumn, with sheet metal where the shingles are gone.",
    "The proposal to paint the barn blue was put off, as in every year since there is a barn.",
    "A treasurer was not found. The cash box stays with whoever has the stronger shelf.",
)


def write_minutes(creator: str) -> bytes:
    return _packed(
        {
            "[Content_Types].xml": _content_types(),
            "_rels/.rels": _relations(),
            "docProps/core.xml": _core(_MINUTES[0], creator, "2025-02-14T19:00:00Z"),
            "word/document.xml": _document(_MINUTES),
        }
    )


def _packed(parts: dict[str, str]) -> bytes:
    file = BytesIO()
    with ZipFile(file, "w", ZIP_DEFLATED) as archive:
        for name, content in parts.items():
            entry = ZipInfo(name, _EARLIEST)
            entry.compress_type = ZIP_DEFLATED
            archive.writestr(entry, f'<?xml version="1.0" encoding="UTF-8"?>\n{content}')
    return file.getvalue()


def _content_types() -> str:
    main, core = (
        f"{_OPENXML}-officedocument.wordprocessingml.document.main",
        f"{_OPENXML}-package.core-properties",
    )
    return (
        f'<Types xmlns="{_TYPES}">'
        f'<Default Extension="rels" ContentType="{_OPENXML}-package.relationships+xml"/>'
        f'<Override PartName="/word/document.xml" ContentType="{main}+xml"/>'
        f'<Override PartName="/docProps/core.xml" ContentType="{core}+xml"/></Types>'
    )


def _relations() -> str:
    core = _PROPERTIES.replace("metadata/", "relationships/metadata/")
    return (
        f'<Relationships xmlns="{_RELATIONS}">'
        f'<Relationship Id="a" Type="{_KINDS}/officeDocument" Target="word/document.xml"/>'
        f'<Relationship Id="b" Type="{core}" Target="docProps/core.xml"/></Relationships>'
    )


def _core(title: str, creator: str, created: str) -> str:
    return (
        f'<c:coreProperties xmlns:c="{_PROPERTIES}" xmlns:dc="http://purl.org/dc/elements/1.1/"'
        ' xmlns:t="http://purl.org/dc/terms/" xmlns:x="http://www.w3.org/2001/XMLSchema-instance">'
        f"<dc:title>{title}</dc:title><dc:creator>{creator}</dc:creator><dc:language>en</dc:language>"
        f'<t:created x:type="t:W3CDTF">{created}</t:created></c:coreProperties>'
    )


def _document(paragraphs: Sequence[str]) -> str:
    shown = "".join(f"<w:p><w:r><w:t>{words}</w:t></w:r></w:p>" for words in paragraphs)
    return f'<w:document xmlns:w="{_WORD}"><w:body>{shown}</w:body></w:document>'


# The folder.

_TABLE = "metadata.csv"
_MADE = int(datetime(2025, 12, 1, 12, tzinfo=UTC).timestamp())
# Metadata that the files do not contain, by column.
_TABLE_ROWS = (
    ("file", "title", "creator", "subject", "date"),
    ("notes/rain-tin.txt", "Diary of the rain tin", "Shore Watch (demo)", "weather|diary", "2024-07"),
    ("sounds/wind.wav", "Wind over the south field", CREATOR, "weather|recording", "2025-03-09"),
    ("sounds/ferry-horn.wav", "The horn of the ferry", CREATOR, "traffic|recording", "2024-03-01"),
)


def make_folder(folder: Path) -> int:
    """Create the missing documents. Return how many documents there are. Needs Pillow."""
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
    """Yield the path of each file and the function that makes it."""
    yield _TABLE, _table
    for view in VIEWS:
        yield f"pictures/{view.season}/{view.name}.jpg", partial(draw, view)
    for leaflet in LEAFLETS:
        yield f"leaflets/{leaflet.name}.pdf", partial(write_pdf, leaflet)
    for sound in SOUNDS:
        yield f"sounds/{sound.name}.wav", partial(write_wave, sound, CREATOR)
    yield "notes/rain-tin.txt", DIARY.encode
    yield "notes/house-rules.md", RULES.encode
    yield "notes/summer-fair.html", PAGE.encode
    yield "notes/minutes.docx", partial(write_minutes, CREATORS[0])


def _table() -> bytes:
    text = StringIO()
    csv.writer(text, lineterminator="\n").writerows(_TABLE_ROWS)
    return text.getvalue().encode()
