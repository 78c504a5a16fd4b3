"""What is told of one file as a whole."""

from __future__ import annotations

import io

from PIL import Image

from tests.unit.extract.samples import jpeg, package
from windrow.extract.child_protocol import Answer, Errand
from windrow.extract.file_reading import process_errand
from windrow.extract.reading_job import Job
from windrow.model.file_content import UNPICTURED

EPUB = {
    "mimetype": "application/epub+zip",
    "META-INF/container.xml": '<container xmlns="urn:oasis:names:tc:opendocument:xmlns:container"><rootfiles>'
    '<rootfile full-path="book.opf"/></rootfiles></container>',
    "book.opf": '<package xmlns="http://www.idpf.org/2007/opf"><metadata/><manifest/><spine/></package>',
}


def told(content: bytes, name: str) -> Answer:
    return process_errand(Errand("all", Job(name)), io.BytesIO(content))


def facts(found: Answer) -> tuple[tuple[str, str], ...]:
    assert found.extract is not None
    return found.extract.measured


def test_a_picture_is_told_with_the_picture_of_it() -> None:
    found = told(jpeg(), "a.jpg")
    assert found.body
    assert UNPICTURED not in facts(found)


def test_of_a_torn_picture_it_is_told_that_nobody_could_draw_it() -> None:
    whole = io.BytesIO()
    Image.effect_noise((400, 300), 90).save(whole, "PNG")
    found = told(whole.getvalue()[:200], "a.png")
    assert not found.body
    assert {("width", "400"), UNPICTURED} <= set(facts(found))


def test_a_book_without_a_cover_has_no_picture() -> None:
    found = told(package(EPUB), "a.epub")
    assert found.extract is not None
    assert found.extract.media_type == "application/epub+zip"
    assert UNPICTURED in facts(found)


def test_where_no_picture_is_expected_nothing_is_said() -> None:
    assert UNPICTURED not in facts(told(b"Words.", "a.txt"))
