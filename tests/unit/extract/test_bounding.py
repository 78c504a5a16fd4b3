"""Whatever a reader gives, no more of it is kept than may be."""

from __future__ import annotations

from windrow.extract.file_reading import (
    FACT_CHARACTERS,
    FACTS,
    HEADING_CHARACTERS,
    HEADINGS,
    NOTES,
    PAGES,
    bound_extract,
)
from windrow.model.document import Heading
from windrow.model.file_content import Extract


def test_what_is_within_bounds_stays_as_it_is() -> None:
    extract = Extract(
        "text/plain",
        said=(("title", "A title"),),
        text=("one", "two"),
        is_paged=True,
        headings=(Heading("One", 1, 1),),
        notes=("A note.",),
    )
    assert bound_extract(extract, 6) == extract


def test_text_is_cut_where_the_limit_is_and_a_note_says_so() -> None:
    kept = bound_extract(Extract("text/plain", text=("one", "two", "three"), notes=("Before.",)), 5)
    assert kept.text == ("one", "tw")
    assert kept.notes == ("Before.", "Only the beginning of its text was kept, 5 characters at most.")


def test_pages_without_end_are_cut_as_well() -> None:
    kept = bound_extract(Extract("text/plain", text=("",) * (PAGES + 1)), 5)
    assert len(kept.text) == PAGES
    assert kept.notes


def test_facts_headings_and_notes_are_bounded_in_number_and_in_length() -> None:
    long = "x" * (FACT_CHARACTERS + 1)
    kept = bound_extract(
        Extract(
            "text/plain",
            said=(("title", long),) * (FACTS + 1),
            measured=(("camera", long),) * (FACTS + 1),
            headings=(Heading(long),) * (HEADINGS + 1),
            notes=(long,) * (NOTES + 1),
        ),
        5,
    )
    assert kept.said == (("title", long[:-1]),) * FACTS
    assert kept.measured == (("camera", long[:-1]),) * FACTS
    assert kept.headings == (Heading(long[:HEADING_CHARACTERS]),) * HEADINGS
    assert kept.notes == (long[:-1],) * NOTES
