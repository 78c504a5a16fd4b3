"""Courses with occasions: the form for them, the hits, and the page of a course."""

from __future__ import annotations

from collections.abc import Iterator
from datetime import UTC, datetime
from html import escape
from pathlib import Path

import pytest

from tests.unit.search.catalogue import Catalogue
from tests.unit.web.portal.stage import Portal, staged, stock
from windrow.formats.wir.wir_record import NAMESPACE

NEXT_YEAR = datetime.now(UTC).year + 1


def course(*events: str) -> bytes:
    tags = [("DC.Title", "Mowing by hand"), ("STUDERA.exam", "Master of Hay")]
    tags += [("STUDERA.prerequisites", "A scythe"), ("STUDERA.profession", "Mower")]
    tags += [("STUDERA.event", event) for event in events]
    meta = "".join(f'<meta name="{name}">{escape(content)}</meta>' for name, content in tags)
    return f'<wir xmlns="{NAMESPACE}"><meta-tags>{meta}</meta-tags></wir>'.encode()


@pytest.fixture
def courses(tmp_path: Path, catalogue: Catalogue) -> Iterator[Portal]:
    stock(catalogue)
    both = ("a1;2002p1;bunden;full;2280;sv;dag", "a2;2001p4;bunden;half;2480;sv;dag")
    catalogue.add("course-1", source="courses", prefix="wir", payload=course(*both))
    one = f"b1;{NEXT_YEAR}p1;flexibel;full;2480;en;dag"
    catalogue.add("course-2", source="courses", prefix="wir", payload=course(*both[:1], one))
    with staged(tmp_path, catalogue) as served:
        yield served


def options(portal: Portal, path: str, field: str) -> dict[str, str]:
    page = portal.page(path)
    texts = page.texts(f".//select[@name='{field}']/option")
    return dict(text.rstrip(")").rsplit(" (", 1) for text in texts if "(" in text)


def test_conditions_hold_for_one_occasion(courses: Portal) -> None:
    assert "Nothing was found" in courses.page("/search?period=2002p1&place=2480").words
    assert "2 results" in courses.page("/search?period=2002p1&place=2280").words


def test_the_form_counts_matching_occasions_only(courses: Portal) -> None:
    assert options(courses, "/search", "place") == {"2280": "2", "2480": "2"}
    assert options(courses, "/search?period=2001p4", "place") == {"2480": "1"}
    assert options(courses, "/search?q=event:(period:2001p4)", "place") == {"2480": "1"}
    chosen = courses.page("/search?period=2001p4").texts(".//select[@name='period']/option[@selected]")
    assert chosen == ["2001p4 (1)"]


def test_there_is_no_form_without_occasions(courses: Portal) -> None:
    assert not options(courses, "/search?q=straw", "place")
    assert "When and where" not in courses.page("/search?q=straw").words


def test_a_hit_shows_the_occasions_that_were_asked_for(courses: Portal) -> None:
    page = courses.page("/search?place=2480&period=2001p4")
    assert page.texts(".//ul[@class='occasions']/li") == ["2001p4 · dag · 2480 · bunden · half · Swedish"]
    assert not courses.page("/search?q=mowing").texts(".//ul[@class='occasions']/li")


def test_past_occasions_are_folded_where_others_are_to_come(courses: Portal) -> None:
    page = courses.page("/record/courses/course-2")
    assert page.texts(".//details/summary")[0] == "1 past occasion"
    assert page.texts(".//details//th[@scope='row']") == ["2002p1"]
    assert "past occasion" not in courses.page("/record/courses/course-1").words  # both are


def test_a_course_shows_what_it_asks_for_and_leads_to(courses: Portal) -> None:
    words = courses.page("/record/courses/course-1").words
    for label, value in (("Prerequisites", "A scythe"), ("Degree", "Master of Hay"), ("Profession", "Mower")):
        assert label in words
        assert value in words
    for query in ("prerequisites:scythe", "exam:master", "profession:mower", "scythe"):
        assert "2 results" in courses.page(f"/search?q={query}").words
