"""Whatever records say stays text, and whatever is asked stays within bounds."""

from __future__ import annotations

from pathlib import Path

from tests.unit.web.statistics.stage import staged
from windrow.index.tantivy.rows import Entry
from windrow.model.document import Agent, Document, Link, LinkKind, Subject, Text
from windrow.stats.charts.drawing import Drawer

EVIL = "<script>alert(1)</script><img src=x onerror=alert(2)>\u202e{{7*7}}"


def _entry(number: int, **fields: object) -> Entry:
    return Entry(number, "barn", f"oai:barn:{number}", (), Document(**fields))  # type: ignore[arg-type]


def test_markup_in_records_stays_text(tmp_path: Path, drawer: Drawer) -> None:
    entry = _entry(
        1,
        titles=(Text(EVIL),),
        creators=(Agent(EVIL, affiliations=(EVIL,)),),
        institution=EVIL + " x",
        department=EVIL,
        types=(EVIL,),
        subjects=(Subject(EVIL),),
        year=2020,
        pages=7,
        links=(Link("javascript:alert(3)", LinkKind.FULLTEXT), Link("javascript:alert(4)", LinkKind.LANDING)),
    )
    with staged(tmp_path, drawer, [entry]) as stage:
        for name in ("", "keywords", "compare", "departments", "types", "collaboration", "subjects"):
            for query in ("", "?q=%3Cscript%3Ealert(5)%3C/script%3E"):
                got = stage.ask(f"/{name}{query}").text
                assert "<script>alert" not in got
                assert "<img src=x" not in got
                assert "javascript:" not in got
                assert "49" not in stage.page(f"/{name}").xpath("//h1")[0].text_content()


def test_control_characters_do_not_break_a_chart(tmp_path: Path, drawer: Drawer) -> None:
    entry = _entry(1, institution="a\x01\x08b\x7fc", types=("x\ufffe\ud800y",), year=2020)
    with staged(tmp_path, drawer, [entry]) as stage:
        page = stage.page("/")
        assert len(page.xpath("//figure//svg")) == 3  # there is no language
        assert stage.ask("/types.png").status == 200


def test_a_name_that_never_ends_is_cut(tmp_path: Path, drawer: Drawer) -> None:
    entry = _entry(1, institution="long " * 5000, titles=(Text("t" * 100_000),), year=2020)
    with staged(tmp_path, drawer, [entry]) as stage:
        assert len(stage.ask("/keywords").body) < 100_000
        assert len(stage.ask("/institutions").body) < 100_000


def test_thousands_of_institutions_make_no_endless_page(tmp_path: Path, drawer: Drawer) -> None:
    entries = [_entry(number, institution=f"Institution {number}", year=2020) for number in range(2000)]
    with staged(tmp_path, drawer, entries) as stage:
        page = stage.page("/institutions")
        assert len(page.xpath("//tbody/tr")) == 50
        assert "1,950 times" in str(page.text_content())
        assert len(stage.page("/compare").xpath("//input[@type='checkbox']")) == 200
