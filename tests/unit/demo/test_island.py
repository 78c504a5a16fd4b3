"""The demo's folder of documents: the same each time, and readable by everybody."""

from __future__ import annotations

import wave
from hashlib import sha256
from io import BytesIO
from pathlib import Path

import pypdfium2
import pytest
from PIL import Image

from windrow.demo.island_folder import SOUNDS, Sound, make_folder, write_wave
from windrow.demo.island_leaflets import LEAFLETS, Leaflet, Page, write_pdf


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    made = tmp_path_factory.mktemp("island")
    assert make_folder(made) == 25
    return made


def _state(folder: Path) -> dict[str, tuple[str, int]]:
    return {
        str(path.relative_to(folder)): (sha256(path.read_bytes()).hexdigest(), path.stat().st_mtime_ns)
        for path in folder.rglob("*")
        if path.is_file()
    }


def test_a_folder_that_lost_a_file_gets_the_same_one_again_and_keeps_the_others(folder: Path) -> None:
    before = _state(folder)
    (folder / "pictures/summer/bales.jpg").unlink()
    (folder / "sounds/wind.wav").unlink()
    assert make_folder(folder) == 25
    assert _state(folder) == before


def test_no_two_files_are_the_same(folder: Path) -> None:
    state = _state(folder)
    assert len({digest for digest, _ in state.values()}) == len(state) == 26


def test_pictures_say_when_and_some_say_where(folder: Path) -> None:
    places = []
    for path in sorted(folder.rglob("*.jpg")):
        with Image.open(path) as picture:
            exif = picture.getexif()
            assert picture.size == (960, 640)
            assert exif.get_ifd(0x8769)[0x9003].startswith("202")
            places += [exif.get_ifd(0x8825)[2]] if exif.get_ifd(0x8825) else []
    assert len(places) == 5
    assert (61.0, 37.0, 12.0) in places


@pytest.mark.parametrize("leaflet", LEAFLETS, ids=lambda leaflet: str(leaflet.name))
def test_a_leaflet_has_its_words_its_contents_and_what_is_said_of_it(leaflet: Leaflet) -> None:
    pdf = pypdfium2.PdfDocument(write_pdf(leaflet))
    said = pdf.get_metadata_dict()
    assert (said["Title"], said["Author"]) == (leaflet.title, leaflet.creator)
    assert [entry.get_title() for entry in pdf.get_toc()] == [page.heading for page in leaflet.pages]
    for page, number in zip(leaflet.pages, range(len(pdf)), strict=True):
        text = pdf[number].get_textpage().get_text_range()
        assert page.heading in text
        assert page.text.split()[-1] in text
    pdf.close()


def test_brackets_and_strokes_in_words_are_no_end_of_them() -> None:
    words = "a (b) \\ c) and ("
    leaflet = Leaflet("x", words, "y", "", "20240101", "en", (0, 0, 0), (Page("(h", words),))
    pdf = pypdfium2.PdfDocument(write_pdf(leaflet))
    assert pdf.get_metadata_dict()["Title"] == words
    assert words in pdf[0].get_textpage().get_text_range()
    pdf.close()


@pytest.mark.parametrize("sound", SOUNDS, ids=lambda sound: str(sound.name))
def test_a_sound_is_heard_and_says_what_it_is(sound: Sound) -> None:
    content = write_wave(sound, "Somebody")
    with wave.open(BytesIO(content)) as reader:
        assert reader.getnframes() > reader.getframerate() * 2
        frames = reader.readframes(reader.getnframes())
    assert max(memoryview(frames).cast("h")) > 3000
    assert b"LIST" in content
    assert b"IART\x0a\x00\x00\x00Somebody\x00\x00" in content
