from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from windrow.formats.wir.page_tags import Deviation, deviations, page_deviations, parse_event, read_event
from windrow.model.document import Event
from windrow.model.web_page import MetaTag

RIGHT = "mh70211;2001p4;flexibel;full;2280;sv;dag"


def test_a_line_of_the_grammar_is_read_without_deviations() -> None:
    assert deviations(RIGHT) == ()
    assert parse_event(RIGHT) == Event("mh70211", "2001p4", "flexibel", "full", "2280", "sv", "dag")


@pytest.mark.parametrize("kind", ["bunden", "flexibel", "sommar"])
@pytest.mark.parametrize("place", ["2280", "flexibel"])
def test_all_alternatives_of_the_grammar_are_accepted(kind: str, place: str) -> None:
    assert parse_event(f"a1;2002p1;{kind};full;{place};sv;dag").place == place


@pytest.mark.parametrize(
    ("line", "found"),
    [
        ("mh-70211;2001p4;flexibel;full;2280;sv;dag;", (Deviation.END, Deviation.IDENTIFIER)),
        ("a;2001p4;bunden;full;2280;sv", (Deviation.PARTS,)),
        ("a;2001p4;bunden;full;2280;sv;dag;x", (Deviation.PARTS,)),
        ("a;VT2002;bunden;full;2280;sv;dag", (Deviation.PERIOD,)),
        ("a;2001p4;distans;full;2280;sv;dag", (Deviation.KIND,)),
        ("a;2001p4;bunden;50 %;2280;sv;dag", (Deviation.INTENSITY,)),
        ("a;2001p4;bunden;full;Härnösand;sv;dag", (Deviation.PLACE,)),
        ("a;2001p4;bunden;full;2280;swe;dag", (Deviation.LANGUAGE,)),
        ("a;2001p4;bunden;full;2280;sv;", (Deviation.END, Deviation.PARTS)),
        ("a;2001p4;bunden;full;2280;sv;dag och kväll", (Deviation.TIME,)),
        ("", (Deviation.PARTS,)),
    ],
)
def test_a_line_that_deviates_is_read_and_reported(line: str, found: tuple[Deviation, ...]) -> None:
    assert deviations(line) == found
    assert (read_event(line) is None) is (line == "")
    with pytest.raises(ValueError, match="by the grammar of Studera"):
        parse_event(line)


@given(st.text(max_size=60))
def test_the_strict_reading_agrees_with_the_lenient_one(line: str) -> None:
    if not deviations(line):
        assert parse_event(line) == read_event(line)


def test_a_page_reports_each_deviation_once() -> None:
    tags = [
        MetaTag("STUDERA.event", RIGHT + ";"),
        MetaTag("studera.Event", RIGHT + ";"),
        MetaTag("DC.Title", ";"),
    ]
    assert page_deviations(tags) == (Deviation.END,)
