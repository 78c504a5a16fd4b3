"""Journal, volume, issue and pages out of one line."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from windrow.formats.printed_in import LONGEST_LINE, Place, printed_in


@pytest.mark.parametrize(
    ("line", "place"),
    [
        ("Journal of Hay", Place("Journal of Hay")),
        ("Journal of Hay, 3", Place("Journal of Hay", "3")),
        ("Journal of Hay, 3, 1", Place("Journal of Hay", "3", "1")),
        ("Journal of Hay, 3, 1, 5-9", Place("Journal of Hay", "3", "1", "5", "9")),
        ("Journal of Hay, 3, 5–9", Place("Journal of Hay", "3", "", "5", "9")),
        ("Hay, Straw, Grass, 3, 1, 957", Place("Hay, Straw, Grass", "3", "1", "957")),
        ("Journal of Hay, 716, 137002", Place("Journal of Hay", "716", "", "137002")),
        ("All About Barns, 42-46", Place("All About Barns", "", "", "42", "46")),
        ("Journal of Hay; Vol. 3 No. 1 (2012): Barns; 5-9", Place("Journal of Hay", "3", "1", "5", "9")),
        ("Journal of Hay; Vol 3, No 1 (2012); 5-9", Place("Journal of Hay", "3", "1", "5", "9")),
        ("Hay 2013, Vol. 41, No. 3B, 261-278", Place("Hay", "41", "3B", "261", "278")),
        ("Hay J. Math., vol. 36, 2013, pp. 429-458", Place("Hay J. Math.", "36", "", "429", "458")),
        (
            "Journal of Hay, 26 (2). pp. 169-177. ISSN 0317-8471",
            Place("Journal of Hay", "26", "2", "169", "177"),
        ),
        ("J. Hay A 404 (2014) 47-55", Place("J. Hay A", "404", "", "47", "55")),
        ("J. Hay 51 (2018) 035201", Place("J. Hay", "51", "", "035201")),
        ("Hay Theory 8 (2014), no. 4, 857-893", Place("Hay Theory", "8", "4", "857", "893")),
        ("Journal of Hay, 2014", Place("Journal of Hay, 2014")),
        ("3, 1, 5-9", Place("3, 1, 5-9")),
        ("Box. 8.5cm x 4.5cm x 1cm", Place("Box. 8.5cm x 4.5cm x 1cm")),
        ("26012 Barn Road, Meadow, VA 23803, Fields", Place("26012 Barn Road, Meadow, VA 23803, Fields")),
        ("", Place("")),
    ],
)
def test_a_line_is_taken_apart_as_far_as_it_is_sure(line: str, place: Place) -> None:
    assert printed_in(line) == place


@given(st.text(st.sampled_from("Vol.no, ;:()-–12 pA"), max_size=80))
def test_every_part_stands_in_the_line(line: str) -> None:
    assert all(part in line for part in printed_in(line))


def test_of_an_endless_line_the_beginning_is_enough() -> None:
    assert len(printed_in("12, (1) " * 50_000).title) <= LONGEST_LINE
