from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from windrow.formats.mapping.page_counts import MOST_PAGES, count_pages


@pytest.mark.parametrize(
    ("text", "pages"),
    [
        ("85 s.", 85),
        ("206s.", 206),
        ("xii, 234 p.", 234),
        ("xii, 234 p. : ill. ; 18 cm.", 234),
        ("4, 312 p. 25 cm", 312),
        ("34, [1] p.", 34),
        ("[167] p. ; 15 cm.", 167),
        ("236 p., [7] leaves of plates", 236),
        ("9+85 s.", 85),
        ("45 pages", 45),
        ("1,234 pages", 1234),
        ("93 sivua", 93),
        ("120 bl.", 120),
        ("300 S.", 300),
        ("6 leaves", 6),
        ("1 leaf", 1),
        ("67 sivua + liitteet 5 sivua", 67),
        (".pdf, 256 pages", 256),
        ("One PDF file: 17 pp.", 17),
        ("score (5 p.) ; 35 cm.", 5),
        ("1 online resource (34 pages)", 34),
        ("two pages, 8.5 x 11 in.", 2),
        ("pp. 12-25", 14),
        ("s. 12–25", 14),
        ("pp. 112-25", 14),
        ("Number of pages: 231", 231),
        ("12 pages, 4 figures", 12),
    ],
)
def test_pages_are_counted_however_they_are_written(text: str, pages: int) -> None:
    assert count_pages(text) == pages


@pytest.mark.parametrize(
    "text",
    [
        "",
        "application/pdf",
        "2.3 MB",
        "124928",
        "8 x 10 in.",
        "35 mm.",
        "33 1/3 rpm",
        "6 negatives : flexible base",
        "1080p",
        "2 min 30 s",
        "p. 45",
        "6 v. ; 16 cm.",
        "0 pages",
        "pp. 30-12",
    ],
)
def test_what_counts_something_else_gives_no_pages(text: str) -> None:
    assert count_pages(text) is None


@given(st.text(alphabet="0123456789 ,.-[]()xivpsSage", max_size=60))
def test_any_text_gives_a_plausible_number_or_none(text: str) -> None:
    pages = count_pages(text)
    assert pages is None or 0 < pages <= MOST_PAGES
