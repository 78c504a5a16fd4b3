"""Web pages and other markup, read."""

from __future__ import annotations

from tests.unit.extract.reading_text import extract, values
from windrow.model.document import Heading

PAGE = b"""<!DOCTYPE html>
<html lang="en-GB"><head><title>Rain &amp; shine</title>
<meta name="DC.creator" content="Writer, Ann"><meta name="keywords" content="rain, weather; shine">
<meta name="description" content="On rain."><meta name="dcterms.issued" content="2024-05-17">
<meta name="generator" content="By Hand 1.0">
<style>p { color: red }</style><script>document.write("<p>script words</p>")</script></head>
<body><nav><ul><li><a href="/">Menu words</a></ul></nav>
<h1>On <em>rain</em></h1><p>It rained &mdash; all
   day.<p>Second&nbsp;paragraph<br>goes on.
<!-- comment words --><table><tr><th>Day<th>Rain</tr><tr><td>Mon</td><td>3 mm</td></tr></table>
<pre>  kept
    as is</pre><svg><title>Drawn words</title></svg><h2>Later</h2>The end of a page that is long enough.
</body></html>"""


def test_a_page_gives_its_words_without_scripts_styles_comments_and_menus() -> None:
    (text,) = extract(PAGE, "a.html").text

    assert "It rained — all day.\n" in text
    assert "Second paragraph\ngoes on." in text
    assert "Day\tRain\n" in text
    assert "Mon\t3 mm\n" in text
    assert "  kept\n    as is" in text
    for unseen in ("script words", "color", "comment words", "Menu words", "Drawn words"):
        assert unseen not in text


def test_a_page_says_of_itself_what_its_meta_tags_do() -> None:
    found = extract(PAGE, "a.html")

    assert values(found, "title") == ["Rain & shine"]
    assert values(found, "creator") == ["Writer, Ann"]
    assert values(found, "subject") == ["rain", "weather", "shine"]
    assert values(found, "description") == ["On rain."]
    assert values(found, "date") == ["2024-05-17"]
    assert values(found, "language") == ["en-GB"]
    assert values(found, "software") == ["By Hand 1.0"]


def test_headings_are_the_contents() -> None:
    assert extract(PAGE, "a.html").headings == (Heading("On rain", 1), Heading("Later", 2))


def test_a_title_of_its_own_metadata_comes_before_that_of_the_window() -> None:
    page = b'<html><title>Site - A</title><meta name="citation_title" content="A">text'

    assert values(extract(page, "a.html"), "title") == ["A"]


def test_without_a_title_the_first_heading_is_it() -> None:
    assert values(extract(b"<html><h1>On rain</h1><p>It rained.", "a.html"), "title") == ["On rain"]


def test_a_page_of_links_alone_keeps_its_menu() -> None:
    page = b"<html><body><nav>All the many words are in the menu</nav><p>x</body>"

    assert "All the many words" in extract(page, "a.html").text[0]


def test_a_script_closed_by_its_own_slash_swallows_nothing_in_xhtml() -> None:
    head = (
        b'<?xml version="1.0"?><html xmlns="http://www.w3.org/1999/xhtml"><head><script src="a.js"/></head>'
    )
    page = head + b"<body><p>words</p></body></html>"

    assert extract(page, "a.html").text == ("words",)


def test_a_comment_that_never_ends_costs_the_rest_and_no_more() -> None:
    assert extract(b"<html><p>before<!-- <p>behind", "a.html").text == ("before",)


def test_deep_nesting_is_read_through() -> None:
    page = b"<html>" + b"<div>" * 50_000 + b"deep" + b"</div>" * 50_000

    assert extract(page, "a.html").text == ("deep",)


def test_numbers_of_no_character_do_no_harm() -> None:
    page = b"<html><p>&#xD800;&#1114112;&#" + b"9" * 5000 + b"; end"

    assert extract(page, "a.html").text[0].endswith("end")


def test_xml_of_any_kind_gives_its_words() -> None:
    data = b"<?xml version='1.0'?><a><b>one &amp; two</b><c><![CDATA[<p>three</p>]]></c></a>"

    found = extract(data, "a.xml")

    assert found.media_type == "application/xml"
    assert found.text == ("one & two\nthree",)


def test_entities_that_xml_defines_itself_are_not_resolved() -> None:
    bomb = b'<?xml version="1.0"?><!DOCTYPE a [<!ENTITY b "bang"><!ENTITY c "&b;&b;">]><a>&c;</a>'

    assert extract(bomb, "a.xml").text == ("&c;",)


def test_slides_that_are_written_in_scripts_are_words_and_other_scripts_are_not() -> None:
    page = b"""<title>Slides</title><section data-markdown><script type="text/template">
# Haystacks

- needles &amp; <b>pins</b>
<script>hidden()
</script></section><script type="text/javascript">var unseen</script><p>The end.</p>"""
    (text,) = extract(page, "slides.html").text
    assert "# Haystacks\n\n- needles & pins" in text
    assert text.endswith("The end.")
    assert "hidden" not in text
    assert "unseen" not in text


def test_scripts_within_scripts_cost_no_more_than_their_length() -> None:
    assert extract(b"<p>One</p>" + b'<script type="text/template">' * 20_000, "slides.html").text == ("One",)
