"""Journal, volume, issue and pages out of one line."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from windrow.formats.citations.reference_fields import LONGEST_LINE, PlaceInPrint, parse_place_in_print


@pytest.mark.parametrize(
    ("line", "place"),
    [
        ("Journal of Hay", PlaceInPrint("Journal of Hay")),
        ("Journal of Hay, 3", PlaceInPrint("Journal of Hay", "3")),
        ("Journal of Hay, 3, 1", PlaceInPrint("Journal of Hay", "3", "1")),
        ("Journal of Hay, 3, 1, 5-9", PlaceInPrint("Journal of Hay", "3", "1", "5", "9")),
        ("Journal of Hay, 3, 5–9", PlaceInPrint("Journal of Hay", "3", "", "5", "9")),
        ("Hay, Straw, Grass, 3, 1, 957", PlaceInPrint("Hay, Straw, Grass", "3", "1", "957")),
        ("Journal of Hay, 716, 137002", PlaceInPrint("Journal of Hay", "716", "", "137002")),
        ("All About Barns, 42-46", PlaceInPrint("All About Barns", "", "", "42", "46")),
        (
            "Journal of Hay; Vol. 3 No. 1 (2012): Barns; 5-9",
            PlaceInPrint("Journal of Hay", "3", "1", "5", "9"),
        ),
        ("Journal of Hay; Vol 3, No 1 (2012); 5-9", PlaceInPrint("Journal of Hay", "3", "1", "5", "9")),
        ("Hay 2013, Vol. 41, No. 3B, 261-278", PlaceInPrint("Hay", "41", "3B", "261", "278")),
        ("Hay J. Math., vol. 36, 2013, pp. 429-458", PlaceInPrint("Hay J. Math.", "36", "", "429", "458")),
        (
            "Journal of Hay, 26 (2). pp. 169-177. ISSN 0317-8471",
            PlaceInPrint("Journal of Hay", "26", "2", "169", "177"),
        ),
        ("J. Hay A 404 (2014) 47-55", PlaceInPrint("J. Hay A", "404", "", "47", "55")),
        ("J. Hay 51 (2018) 035201", PlaceInPrint("J. Hay", "51", "", "035201")),
        ("Hay Theory 8 (2014), no. 4, 857-893", PlaceInPrint("Hay Theory", "8", "4", "857", "893")),
        ("Journal of Hay, 2014", PlaceInPrint("Journal of Hay, 2014")),
        ("3, 1, 5-9", PlaceInPrint("3, 1, 5-9")),
        ("Box. 8.5cm x 4.5cm x 1cm", PlaceInPrint("Box. 8.5cm x 4.5cm x 1cm")),
        (
            "26012 Barn Road, Meadow, VA 23803, Fields",
            PlaceInPrint("26012 Barn Road, Meadow, VA 23803, Fields"),
        ),
        ("", PlaceInPrint("")),
    ],
)
def test_a_line_is_taken_apart_as_far_as_it_is_sure(line: str, place: PlaceInPrint) -> None:
    assert parse_place_in_print(line) == place


@given(st.text(st.sampled_from("Vol.no, ;:()-–12 pA"), max_size=80))
def test_every_part_stands_in_the_line(line: str) -> None:
    assert all(part in line for part in parse_place_in_print(line))


def test_of_an_endless_line_the_beginning_is_enough() -> None:
    assert len(parse_place_in_print("12, (1) " * 50_000).title) <= LONGEST_LINE
