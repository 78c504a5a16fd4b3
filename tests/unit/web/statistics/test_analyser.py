"""The keyword analyser, the comparison and the page for analysts."""

from __future__ import annotations

from collections import Counter
from urllib.parse import urlencode

from tests.unit.web.statistics.stage import SAMPLE, Stage, text_of
from windrow.index.tantivy.rows import facts_of
from windrow.model.topics import counted_keywords
from windrow.web.statistics.statistics_pages import PYTHON_EXAMPLE, SQL_EXAMPLE

FIELD = "Field University"


def test_three_lists_to_pick_from_work_as_a_form(stage: Stage) -> None:
    page = stage.page("/keywords?q=hay")
    (form,) = page.xpath("//form[contains(@action, '/statistics/keywords')]")
    assert form.xpath(".//select/@name") == ["institution", "department", "year"]
    assert form.xpath(".//input[@type='hidden']/@name") == ["q"]
    assert form.xpath(".//button")
    for select in form.xpath(".//select"):
        assert form.xpath(f".//label[@for='{select.get('id')}']")
        assert select[0].get("value") == ""


def test_what_was_picked_is_counted_and_stays_picked(stage: Stage) -> None:
    department = "Faculty of Machines"
    page = stage.page("/keywords?" + urlencode({"institution": FIELD, "department": department, "year": ""}))
    chosen = [
        entry
        for entry in SAMPLE
        if entry.document.institution == FIELD and entry.document.department == department
    ]
    counted = Counter(value for entry in chosen for value in facts_of(entry)["keyword"])
    rows = page.xpath("//section[@id='keywords']//tbody/tr")
    assert {text_of(row[0]): int(text_of(row[1])) for row in rows} == dict(counted)
    assert page.xpath("//select[@name='institution']/option[@selected]/@value") == [FIELD]
    assert page.xpath("//select[@name='department']/option[@selected]/@value") == [department]


def test_departments_to_pick_are_those_of_the_institution(stage: Stage) -> None:
    page = stage.page("/keywords?" + urlencode({"institution": FIELD}))
    found = set(page.xpath("//select[@name='department']/option/@value")) - {""}
    assert found == {
        entry.document.department
        for entry in SAMPLE
        if entry.document.institution == FIELD and entry.document.department
    }


def test_records_are_listed_with_author_pages_keywords_and_a_link_to_read(stage: Stage) -> None:
    page = stage.page("/keywords?" + urlencode({"institution": FIELD}))
    chosen = {entry.identifier: entry.document for entry in SAMPLE if entry.document.institution == FIELD}
    rows = page.xpath("//section[h2[@id='records']]//tbody/tr")
    assert len(rows) == min(len(chosen), 20)
    for row in rows:
        (address,) = row[0].xpath("./a/@href")
        document = chosen[address.removeprefix("/record/").partition("/")[2]]
        assert document.creators[0].name in text_of(row[1])
        assert text_of(row[2]) == str(document.year)
        assert text_of(row[3]) == ("" if document.pages is None else str(document.pages))
        spoken = counted_keywords(document)
        assert text_of(row[4]) == ", ".join(spoken[:8])
        assert row[5].xpath("./a/@href") == [document.fulltext]


def test_a_span_of_years_that_no_list_has_stays_picked(stage: Stage) -> None:
    page = stage.page("/keywords?year=2010..2014")
    (option,) = page.xpath("//select[@name='year']/option[@selected]")
    assert (option.get("value"), text_of(option)) == ("2010..2014", "2010–2014")


def test_institutions_are_chosen_for_comparison_by_ticking_them(stage: Stage) -> None:
    pair = [FIELD, "Barn Polytechnic"]
    page = stage.page("/compare?" + urlencode([("institution", name) for name in pair]))
    boxes = page.xpath("//form[@class='choose']//input[@type='checkbox']")
    assert {box.get("value") for box in boxes} == {
        entry.document.institution for entry in SAMPLE if entry.document.institution
    }
    assert {box.get("value") for box in boxes if box.get("checked") is not None} == set(pair)
    headings = [text_of(each) for each in page.xpath("//section[@id='compare-years']//th")]
    assert headings == ["Year", *sorted(pair)]


def test_a_comparison_names_those_that_are_drawn_and_says_how_many_are_not(stage: Stage) -> None:
    many = [FIELD, *(f"U{place}" for place in range(8))]
    page = stage.page("/compare?" + urlencode([("institution", name) for name in many]))
    for name in ("compare-years", "compare-pages"):
        (shown,) = page.xpath(f"//section[@id='{name}']")
        assert "U6" in text_of(shown)
        assert "U7" not in text_of(shown)
        assert "Left out of those chosen: 1." in text_of(shown)


def test_the_page_for_analysts_shows_both_queries(stage: Stage) -> None:
    words = [str(each.text_content()) for each in stage.page("/data").xpath("//pre")]
    assert words[1:] == [SQL_EXAMPLE, PYTHON_EXAMPLE]
    assert "windrow export --format parquet" in words[0]
