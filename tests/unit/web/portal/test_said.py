"""Words, links and facts of a record page as markup: nothing of strangers in it but text."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st
from lxml import html
from markupsafe import escape

from windrow.web.layout.page_text import Fact, LinkedText

NASTY = st.text("ab<>&'\"; #/=", max_size=12)


@given(NASTY, NASTY, NASTY)
def test_words_are_escaped_as_everywhere(text: str, address: str, language: str) -> None:
    lang = f' lang="{escape(language)}"' if language else ""
    words = f"<bdi{lang}>{escape(text)}</bdi>"
    link = f'<a href="{escape(address)}" rel="nofollow">{words}</a>'
    assert LinkedText(text, address, language).__html__() == (link if address else words)


@given(NASTY, NASTY, NASTY)
def test_places_stand_behind_a_name_and_are_escaped_too(name: str, place: str, address: str) -> None:
    made = LinkedText(name, places=(LinkedText(place, address), LinkedText("b"))).__html__()
    behind = f"{LinkedText(place, address).__html__()}; <bdi>b</bdi>"
    assert made == f'<bdi>{escape(name)}</bdi> <small class="places">{behind}</small>'


def test_a_single_value_stands_alone_and_several_are_a_list() -> None:
    assert (
        Fact("Year", (LinkedText("1999"),)).__html__() == "<div><dt>Year</dt><dd><bdi>1999</bdi></dd></div>"
    )
    several = Fact("A & B", (LinkedText("x"), LinkedText("y")), "and <2> more").__html__()
    items = "<li><bdi>x</bdi></li><li><bdi>y</bdi></li>"
    assert several == (
        "<div><dt>A &amp; B</dt><dd>"
        f'<ul class="values">{items}<li class="quiet">and &lt;2&gt; more</li></ul></dd></div>'
    )


@given(NASTY, NASTY, NASTY)
def test_a_fact_reads_back_as_what_it_was_made_of(label: str, first: str, second: str) -> None:
    made = html.fromstring(Fact(f"l{label}", (LinkedText(f"a{first}"), LinkedText(f"b{second}"))).__html__())
    assert made.findtext("dt") == f"l{label}"
    assert [each.text for each in made.iter("bdi")] == [f"a{first}", f"b{second}"]
    assert {each.tag for each in made.iter()} == {"div", "dt", "dd", "ul", "li", "bdi"}
