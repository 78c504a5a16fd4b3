"""A folder into which ten pictures come every day, on a controlled clock: nobody touches anything for a week.

The pictures are real, the harvests and the pages too; only the clock is not.
"""

from __future__ import annotations

import os
import shutil
from collections.abc import Iterator
from contextlib import contextmanager
from datetime import timedelta
from hashlib import sha256
from pathlib import Path
from urllib.parse import unquote

from lxml import html

from tests.fixtures import shared_too
from tests.flows.harvesting import make_shelf
from tests.flows.test_scheduled_collections import DAY, Calendar
from tests.servers.asgi import AsgiServer, Got
from tests.unit.extract.samples import jpeg
from windrow.config.editor import add_job, add_source
from windrow.search.record_addresses import document_path, record_path
from windrow.wiring import Library
from windrow.wiring.folder_source import drop
from windrow.wiring.indexing import follow_index
from windrow.wiring.web_application import web_app

SOURCE, URL = "radar", "https://radar.example.org/"
EACH_DAY, DAYS = 10, 7
STEP = timedelta(hours=2)
BROWSER = {"Accept": "text/html", "Accept-Language": "en"}
SETTINGS = '\n[portal]\nbrowse = ["folder"]\n'


def pictures_for(folder: Path, number: int) -> list[Path]:
    """So many photographs and drawings, no two of them the same: real ones, then some made here."""
    roots = [root for name in ("files", "site") for root in shared_too(name)]
    every = sorted(path for root in roots for path in root.rglob("*.jpg"))
    folder.mkdir()
    for place in range(number):
        made = folder / f"made-{place}.jpg"
        made.write_bytes(jpeg((40 + place, 30)))
        every.append(made)
    distinct = {sha256(path.read_bytes()).digest(): path for path in every}
    assert len(distinct) >= number
    return list(distinct.values())[:number]


class Radar:
    """The folder, the library that keeps up with it, and its pages."""

    def __init__(self, folder: Path, library: Library, calendar: Calendar, server: AsgiServer) -> None:
        self._folder = folder
        self._library = library
        self._server = server
        self.calendar = calendar

    def arrive(self, day: int, pictures: list[Path]) -> list[str]:
        """Put pictures into the folder of a day, as the unit at the road does; give their paths."""
        paths = [f"day-{day}/{number:02}.jpg" for number in range(len(pictures))]
        second = self.calendar.now.timestamp()
        for path, picture in zip(paths, pictures, strict=True):
            place = self._folder / path
            place.parent.mkdir(exist_ok=True)
            shutil.copyfile(picture, place)
            os.utime(place, (second, second))
        return paths

    def pass_a_day(self) -> None:
        self.calendar.pass_time(DAY, step=STEP)

    def drop(self, path: str) -> None:
        """Take one out by hand."""
        drop(self._library, SOURCE, [path])
        follow_index(self._library)

    def remove(self, path: str) -> None:
        """Take the file away."""
        (self._folder / path).unlink()

    def shown(self, address: str) -> set[str]:
        """The paths of the pictures that a page links to."""
        got = self._server.ask(address, headers=BROWSER)
        assert got.status == 200, got.text
        start = record_path(SOURCE, URL)
        links = [link.get("href", "") for link in html.fromstring(got.body).iter("a")]
        return {unquote(link.removeprefix(start)) for link in links if link.startswith(start)}

    def ask(self, address: str) -> Got:
        return self._server.ask(address, headers=BROWSER)


@contextmanager
def radar(place: Path) -> Iterator[Radar]:
    folder = place / "incoming"
    folder.mkdir()
    shelf = make_shelf(place)
    settings = {"kind": "files", "content": "documents", "folder": str(folder), "url": URL}
    add_source(shelf.folder, SOURCE, settings)
    add_job(shelf.folder, SOURCE, {"run": f"harvest {SOURCE}", "every": "daily", "attempts": 1})
    file = shelf.folder / "windrow.toml"
    file.write_text(file.read_text(encoding="utf-8") + SETTINGS, encoding="utf-8")
    library = shelf.open()
    try:
        with AsgiServer() as server:
            server.application = web_app(library, server.url)
            yield Radar(folder, library, Calendar(shelf, library), server)
    finally:
        library.close()


def test_a_week_of_pictures_comes_in_by_itself_and_what_was_taken_out_stays_out(tmp_path: Path) -> None:
    pictures = pictures_for(tmp_path / "pictures", EACH_DAY * (DAYS + 1))
    dropped = "day-3/04.jpg"
    with radar(tmp_path) as unit:
        for day in range(DAYS + 1):
            new = unit.arrive(day, pictures[EACH_DAY * day : EACH_DAY * (day + 1)])
            unit.pass_a_day()
            assert unit.shown(f"/browse/by/folder?in=day-{day}") == set(new)
            assert set(new) <= unit.shown("/gallery")
            if day == 3:
                unit.drop(dropped)
            if day >= 3:
                assert unit.shown("/browse/by/folder?in=day-3") == {
                    f"day-3/{number:02}.jpg" for number in range(EACH_DAY) if number != 4
                }
        found = [run.summary for run in unit.calendar.runs()]
        assert found == [f"{count} records can be found" for count in (10, 20, 30, 40, 49, 59, 69, 79)]
        assert {run.outcome for run in unit.calendar.runs()} == {"ok"}
        assert unit.ask(record_path(SOURCE, URL + dropped)).status == 410
        unit.remove("day-5/09.jpg")
        unit.pass_a_day()
        gone = URL + "day-5/09.jpg"
        assert unit.ask(record_path(SOURCE, gone)).status == 410
        assert unit.ask(document_path("original", SOURCE, gone)).status == 410
        assert unit.calendar.runs()[-1].summary == "78 records can be found"
