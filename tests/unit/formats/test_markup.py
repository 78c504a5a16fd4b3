from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from windrow.formats.mapping.markup import collapse_spaces, plain_line, plain_text


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("no markup at all", "no markup at all"),
        ("<p>Bees &amp; <b>wasps</b>.</p>", "Bees & wasps."),
        ("&lt;p&gt;Bees &amp;amp; wasps.&lt;/p&gt;", "Bees & wasps."),
        ("H<sub>2</sub>O", "H2O"),
        ("one<br/>two", "one two"),
        ("<p>one</p><p>two</p>", "one\n\ntwo"),
        ("one\n\n\n two\nthree", "one\n\ntwo three"),
        ("<jats:title>Aim</jats:title><jats:p>To see.</jats:p>", "Aim\n\nTo see."),
        ("<mml:math><mml:mi>x</mml:mi></mml:math> grows", "x grows"),
        ('<a href="http://example.org/?a=1&amp;b=2" target=_blank>here</a>', "here"),
        ("<!-- seen by nobody -->left<style>p {}</style><script>x()</script>", "left"),
        ("<![CDATA[kept]]>", "kept"),
        ("<?xml:namespace prefix = o />kept<o:p></o:p>", "kept"),
        ("M&uuml;ller &#8211; caf&#xe9;&nbsp;", "Müller – café"),
        (r"$\alpha < \beta$ and $x_{1}$", r"$\alpha < \beta$ and $x_{1}$"),
    ],
)
def test_markup_goes_and_words_stay(text: str, words: str) -> None:
    assert plain_text(text) == words


@pytest.mark.parametrize(
    "text",
    [
        "a < b and c > d",
        "a<b and c>d",
        "if x<y then y>x",
        "p<0.05",
        "AT&T and R&D",
        "?a=1&copy=2",
        "<unknown>",
        "<!-- never closed",
        "3 <4> 5",
        "&;",
    ],
)
def test_what_only_looks_like_markup_stays(text: str) -> None:
    assert plain_text(text) == text


@given(st.text())
def test_text_without_angle_brackets_and_ampersands_loses_nothing_but_whitespace(text: str) -> None:
    text = text.replace("<", "").replace("&", "")
    assert plain_text(text).split() == text.split()
    assert plain_line(text) == collapse_spaces(text) == " ".join(text.split())


def test_a_long_text_folds_as_a_short_one_does() -> None:
    text = "word\x0bword " * 1000
    assert collapse_spaces(text) == " ".join(text.split())


@given(
    st.lists(
        st.sampled_from(["<p>", "</p>", "<", ">", "&lt;", "&amp;", "b", " ", '"', "<a b=", "<!--", "-->"])
    )
)
def test_plain_text_has_no_tag_left_that_we_know(parts: list[str]) -> None:
    words = plain_text("".join(parts))
    assert "<p>" not in words
    assert "</p>" not in words


@pytest.mark.parametrize(
    "piece",
    ['<a b="', "<", "<!--", "<p ", "&", "&amp;", "<a b=c ", "<style>", "&lt;", "\n ", "<?xml ", "<mml:"],
)
def test_a_hostile_text_comes_through(piece: str) -> None:
    # Anything worse than linear would not come back from this within a working day.
    assert isinstance(plain_text(piece * 200_000), str)
