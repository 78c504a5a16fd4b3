"""JSON-LD, microdata and RDFa in pages, as items in one shape."""

from __future__ import annotations

import json
from typing import Any

import extruct
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tests.fixtures import Place, own_and_shared
from tests.thorough import tries
from windrow.formats.wir.page_identity import KNOWN_TYPES
from windrow.model.web_page import Item
from windrow.sources.web.page import PageWants, parse_page

URL = "https://www.example.edu/a/b"


def items(markup: str, *, rdfa: bool = False) -> tuple[Item, ...]:
    wants = PageWants(rdfa=rdfa, language=False)
    return parse_page(markup.encode("utf-8", "replace"), url=URL, headers={}, wants=wants).items


def in_script(value: Any) -> str:
    script = value if isinstance(value, str) else json.dumps(value)
    return f"<script type='application/ld+json'>{script}</script>"


COURSE: Item = {"@type": "Course", "name": "Moss"}


@pytest.mark.parametrize(
    "value",
    [
        {"@context": "https://schema.org", **COURSE},
        [COURSE],
        {"@graph": [{"@type": "WebPage"}, COURSE]},
        {"@type": "WebPage", "mainEntity": COURSE},
        {"@type": "http://schema.org/Course", "http://schema.org/name": [{"@value": "Moss"}]},
        {"@type": ["schema:Course"], "schema:name": "Moss"},
        {"@type": "https://schema.org/Course", "name": {"@value": "Moss"}, "description": "", "url": None},
        '<!-- {"@type": "Course", "name": "Moss"} -->',
        '//<![CDATA[\n{"@type": "Course", "name": "Moss"}\n//]]>',
        '{"@type": "Course", "name": "Moss",}',
        '{"@type": "Course",\n// the name\n"name": "Moss"};',
        '/*<![CDATA[*/ {"@type": "Course", "name": "Moss"} /*]]>*/',
        "{&quot;@type&quot;: &quot;Course&quot;, &quot;name&quot;: &quot;Moss&quot;}",
    ],
)
def test_a_course_is_found_in_whatever_json_ld_it_is_written(value: Any) -> None:
    assert items(in_script(value)) == (COURSE,)


def test_line_breaks_in_json_strings_are_no_fault() -> None:
    assert items(in_script('{"@type": "Course", "name": "Moss\nand bog"}')) == (
        {**COURSE, "name": "Moss\nand bog"},
    )


@pytest.mark.parametrize(
    "value", ["", "null", "3", "[]", '{"@type": 4}', '{"@type": "Organization", "name": "x"}', "{", "[1"]
)
def test_what_is_no_known_thing_is_left_out(value: str) -> None:
    assert items(in_script(value)) == ()


def test_references_within_a_page_are_followed_and_their_targets_not_repeated() -> None:
    graph = {
        "@graph": [
            {
                "@type": "Course",
                "@id": "#c",
                "name": "Moss",
                "provider": {"@id": "#u"},
                "hasCourseInstance": {"@id": "#i"},
            },
            {"@type": "CollegeOrUniversity", "@id": "#u", "name": "Oulu"},
            {"@type": "CourseInstance", "@id": "#i", "courseMode": "online", "about": {"@id": "#c"}},
        ]
    }
    (course,) = items(in_script(graph))
    assert course["provider"] == {"@type": "CollegeOrUniversity", "@id": "#u", "name": "Oulu"}
    assert course["hasCourseInstance"] == {
        "@type": "CourseInstance",
        "@id": "#i",
        "courseMode": "online",
        "about": "#c",
    }


def test_one_broken_script_does_not_hide_another() -> None:
    assert items(in_script("{broken") + in_script(COURSE)) == (COURSE,)


def test_microdata_is_read_with_things_inside_things() -> None:
    markup = """<div itemscope itemtype="https://schema.org/Course" itemid="urn:c">
    <h1 itemprop="name">Moss</h1>
    <a itemprop="url" href="../c">x</a><meta itemprop="courseCode" content="M1">
    <time itemprop="startDate" datetime="2026">x
    </time><p itemprop="description">Two <b>words</b><script>no</script></p>
    <img itemprop="image" src="/i.png">
    <div itemprop="hasCourseInstance" itemscope itemtype="https://schema.org/CourseInstance">
    <span itemprop="courseMode">online</span><span itemprop="courseMode">campus</span></div></div>
    <div itemscope itemtype="https://schema.org/Organization"><b itemprop="name">Nobody</b></div>"""
    assert items(markup) == (
        {
            "@type": "Course",
            "@id": "urn:c",
            "name": "Moss",
            "url": "https://www.example.edu/c",
            "courseCode": "M1",
            "startDate": "2026",
            "description": "Two words",
            "image": "https://www.example.edu/i.png",
            "hasCourseInstance": {"@type": "CourseInstance", "courseMode": ["online", "campus"]},
        },
    )


def test_microdata_may_refer_to_other_parts_of_the_page_but_not_to_itself() -> None:
    markup = """<div itemscope itemtype="http://schema.org/Book" itemref="more">
    <b itemprop="name">Moss</b></div>
    <p id="more"><i itemprop="isbn">9789514212345</i></p>"""
    assert items(markup) == ({"@type": "Book", "name": "Moss", "isbn": "9789514212345"},)
    loop = """<div id="a" itemscope itemtype="http://schema.org/Book" itemprop="x" itemref="a b">
    <b itemprop="name">Moss</b>
    <div id="b" itemscope itemtype="http://schema.org/Book" itemprop="y" itemref="a b">z</div></div>"""
    assert len(items(loop)) <= 2


def test_rdfa_is_read_only_when_asked_for() -> None:
    markup = """<html><head><title>x</title></head><body vocab="http://schema.org/"><div typeof="Course">
    <b property="name">Moss</b>
    <div property="provider" typeof="Organization"><i property="name">Oulu</i></div></div></body>"""
    assert items(markup) == ()
    (course,) = items(markup, rdfa=True)
    assert (course["@type"], course["name"]) == ("Course", "Moss")
    assert course["provider"]["name"] == "Oulu"


def test_rdfa_gives_the_same_items_each_time() -> None:
    things = "".join(f"<div typeof='Course'><b property='name'>{n}</b><b property='about'>{-n}</b>"
                     f"<b property='about'>{n}</b></div>" for n in range(9))  # fmt: skip
    markup = f"<html><body vocab='http://schema.org/'>{things}</body></html>"
    first = items(markup, rdfa=True)
    assert len(first) == 9
    assert all(items(markup, rdfa=True) == first for _ in range(3))
    assert "_:" not in json.dumps(first)


def test_items_are_bounded() -> None:
    wide = items(in_script([{**COURSE, "name": str(number)} for number in range(1_000)]))
    assert 0 < len(wide) <= 200
    deep: Any = "x"
    for _ in range(500):
        deep = {"@type": "Thing", "about": deep}
    (course,) = items(in_script({**COURSE, "about": deep}))
    assert len(json.dumps(course)) < 2_000
    graph = [
        {"@type": "Course", "@id": f"#{n}", "about": [{"@id": f"#{m}"} for m in range(30)]} for n in range(30)
    ]
    assert len(json.dumps(items(in_script(graph)))) < 5_000_000


JSON = st.recursive(
    st.none() | st.booleans() | st.floats() | st.integers() | st.text(max_size=5),
    lambda inner: (
        st.lists(inner, max_size=3)
        | st.dictionaries(
            st.sampled_from(["@type", "@id", "@graph", "@value", "@list", "name", "about"]), inner, max_size=4
        )
    ),
    max_leaves=15,
)


@settings(deadline=None, max_examples=tries(200))
@given(value=JSON, kind=st.sampled_from(["Course", "Book", "x", ["Event", "y"]]))
def test_any_json_gives_items_that_are_json_again(value: Any, kind: Any) -> None:
    for item in items(in_script({"@type": kind, "@id": "#a", "about": value, "name": {"@id": "#a"}})):
        assert json.loads(json.dumps(item, allow_nan=False)) == item


def named(item: Any) -> Any:
    """The type and name of an item of extruct, where it is one of ours."""
    kinds = item.get("type") or []
    kinds = [kind.rpartition("/")[2] for kind in (kinds if isinstance(kinds, list) else [kinds])]
    names = (item.get("properties") or {}).get("name")
    name = names if isinstance(names, str) else None
    return (kinds[0], " ".join(name.split())) if name and kinds and kinds[0] in KNOWN_TYPES else None


@own_and_shared
def test_microdata_of_the_fixtures_is_what_extruct_finds(place: Place) -> None:
    compared = 0
    for path in sorted(place("web").rglob("*.html")):
        body = path.read_bytes()
        if b"itemscope" not in body:
            continue
        found = extruct.extract(
            body.decode("utf-8", "replace"), base_url=URL, syntaxes=["microdata"], errors="log"
        )
        expected = {name for item in found.get("microdata", []) if (name := named(item))}
        ours = {
            (kind, " ".join(str(item.get("name")).split()))
            for item in parse_page(body, url=URL, headers={}, wants=PageWants(language=False)).items
            for kind in ([item["@type"]] if isinstance(item["@type"], str) else item["@type"])
        }
        assert expected <= ours, path
        compared += len(expected)
    assert compared > 0
