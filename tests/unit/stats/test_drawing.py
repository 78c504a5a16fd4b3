"""Drawn charts: whole, clean, quiet about the outside, and kept."""

from __future__ import annotations

import re
import subprocess
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from threading import Event
from urllib.parse import urlencode

import pytest
from lxml import etree

from tests.unit.stats.making import documents, population
from windrow.errors import CannotDraw
from windrow.model.document import Document
from windrow.stats.catalogue import TABLES, make_table
from windrow.stats.charts.chart import BODIES, make_chart, make_practice_charts
from windrow.stats.charts.drawing import IDLE_SECONDS, Drawer, Engine, ScriptBundle, bundle_name, clean_svg
from windrow.stats.charts.frame import Spec

SVG = "{http://www.w3.org/2000/svg}"
HOSTILE = '<script>alert("x")</script>&"\'</svg>{{7*7}} \u202e %s'


class Closing(Engine):
    """Is closed by somebody whenever it has done a job."""

    def ask(self, **job: object) -> bytes:
        assert self.is_closed
        done = super().ask(**job)
        self.close()
        return done


@pytest.fixture(scope="module")
def drawer() -> Iterator[Drawer]:
    made = Drawer()
    yield made
    made.engine.close()


def _spec(name: str = "institutions") -> Spec:
    spec = make_chart(make_table(name, population()), address=lambda found: "/search?" + urlencode(found))
    assert spec is not None
    return spec


@pytest.mark.parametrize("name", sorted(set(TABLES) - {"freshness"}))
def test_every_table_is_drawn_with_all_its_marks(drawer: Drawer, name: str) -> None:
    spec = _spec(name)
    root = etree.fromstring(drawer.svg(spec, name=name))
    drawn = [point for point in spec["data"]["values"] if point["v"] is not None]
    labels = [each.get("aria-label") for each in root.iter() if each.get("aria-label")]
    assert {point["l"] for point in drawn} <= set(labels)


@pytest.mark.parametrize("name", sorted(set(TABLES) - {"freshness"}))
def test_a_drawing_has_no_words_but_those_of_its_points(drawer: Drawer, name: str) -> None:
    spec = _spec(name)
    said = {point["l"] for point in spec["data"]["values"]}
    for drawn in (drawer.svg(spec, name=name).encode(), drawer.file(spec)):
        root = etree.fromstring(drawn)
        labels = {each.get("aria-label") for each in root.iter() if each.get("aria-label")}
        assert labels <= said | {spec["description"]}
        assert not [each for each in root.iter() if each.get("aria-roledescription")]


def test_what_the_engine_practises_is_a_chart_of_each_form(drawer: Drawer) -> None:
    practised = list(make_practice_charts())
    assert len(practised) == len(set(BODIES.values()))
    for spec in practised:
        root = etree.fromstring(drawer.svg(spec))
        labels = {each.get("aria-label") for each in root.iter() if each.get("aria-label")}
        assert {point["l"] for point in spec["data"]["values"]} <= labels


def test_an_engine_that_is_closed_while_it_practises_is_not_started_again() -> None:
    drawer = Drawer(Closing())
    drawer.warm()
    assert drawer.engine.is_closed


def test_a_page_may_hold_it_under_a_strict_policy(drawer: Drawer) -> None:
    root = etree.fromstring(drawer.svg(_spec("compare-years"), name="mine"))
    for element in root.iter():
        assert etree.QName(element).localname not in ("script", "style", "foreignObject", "image", "use")
        for key in map(str, element.attrib):
            assert key != "style"
            assert not key.startswith("on")
        assert element.get("id", "mine-").startswith("mine-")


def test_links_lead_to_our_own_pages_and_say_where(drawer: Drawer) -> None:
    root = etree.fromstring(drawer.svg(_spec(), name="mine"))
    links = list(root.iter(f"{SVG}a"))
    assert len(links) == 5
    for link in links:
        assert link.get("href", "").startswith("/search?institution=")
        assert re.fullmatch(r".+, Records: \d+", link.get("aria-label", ""))
        assert link.findtext(f"*/{SVG}title") == link.get("aria-label")
    assert root.get("role") == "group"  # a picture to a screen reader would have no links


def test_it_says_what_it_shows(drawer: Drawer) -> None:
    spec = make_chart(make_table("collaboration", population()))
    assert spec is not None
    root = etree.fromstring(drawer.svg(spec, name="mine"))
    assert root.get("role") == "img"
    title = root.find(f"{SVG}title")
    assert title is not None
    assert title.get("id") == root.get("aria-labelledby") == "mine-title"
    assert (title.text or "").startswith("Collaboration between institutions, 2005–2024 · Sample.")


def test_both_colour_schemes_come_from_the_same_bytes(drawer: Drawer) -> None:
    drawn = drawer.svg(_spec())
    assert 'fill="var(--chart-1)"' in drawn
    assert "currentColor" in drawn


def test_a_file_has_its_own_colours_and_a_background(drawer: Drawer) -> None:
    drawn = drawer.file(_spec()).decode()
    assert "var(--" not in drawn
    assert "currentColor" not in drawn
    assert 'fill="#ffffff"' in drawn
    assert drawer.png(_spec()).startswith(b"\x89PNG\r\n")


def test_markup_in_a_name_stays_text(drawer: Drawer) -> None:
    entries = documents(Document(institution=HOSTILE))
    spec = make_chart(make_table("institutions", population(entries)), address=lambda _: "/search")
    assert spec is not None
    drawn = drawer.svg(spec, name="mine")
    assert "<script" not in drawn
    assert any(HOSTILE in (each.get("aria-label") or "") for each in etree.fromstring(drawn).iter())


def test_what_was_drawn_once_is_not_drawn_again(drawer: Drawer) -> None:
    kept = Drawer(drawer.engine)
    first = kept.svg(_spec())
    kept.engine = Engine(seconds=0.0)
    assert kept.svg(_spec()) == first


def test_only_so_much_is_kept(drawer: Drawer) -> None:
    kept = Drawer(drawer.engine, most=1)
    for name in ("institutions", "languages"):
        kept.svg(_spec(name))
    kept.engine = Engine(seconds=0.0)
    kept.svg(_spec("languages"))
    with pytest.raises(CannotDraw):
        kept.svg(_spec("institutions"))
    kept.engine.close()


def test_a_chart_that_makes_no_sense_is_refused_and_the_next_is_drawn(drawer: Drawer) -> None:
    with pytest.raises(CannotDraw):
        drawer.svg({"mark": {"type": "nonsense"}, "encoding": 7})
    assert drawer.svg(_spec()).startswith("<svg")


def test_nothing_is_fetched_for_a_chart(drawer: Drawer) -> None:
    spec = {"data": {"url": "http://127.0.0.1:1/data.json"}, "mark": "bar", "encoding": {}}
    with pytest.raises(CannotDraw):
        drawer.svg(spec)


def test_a_drawing_that_takes_too_long_is_given_up() -> None:
    engine = Engine(seconds=0.0)
    with pytest.raises(CannotDraw):
        Drawer(engine).svg(_spec())
    engine.close()


def test_an_engine_that_was_closed_starts_again(drawer: Drawer) -> None:
    engine = Engine()
    assert Drawer(engine).svg(_spec()).startswith("<svg")
    engine.close()
    assert Drawer(engine).svg(_spec()).startswith("<svg")
    engine.close()


class Started(Engine):
    """Says when its process is there."""

    def __init__(self, *, idle_seconds: float = IDLE_SECONDS) -> None:
        super().__init__(idle_seconds=idle_seconds)
        self.is_there = Event()
        self.started: list[subprocess.Popen[bytes]] = []

    def _running(self) -> subprocess.Popen[bytes]:
        process = super()._running()
        self.started.append(process)
        self.is_there.set()
        return process


def test_an_engine_without_work_ends_and_starts_again_for_the_next_chart() -> None:
    engine = Started(idle_seconds=0.0)
    drawer = Drawer(engine, most=0)
    for _ in range(2):
        assert drawer.svg(_spec()).startswith("<svg")
        assert engine.started[-1].wait(30) is not None  # ended by nobody but itself
    assert len(engine.started) == 2


def test_an_engine_that_had_work_meanwhile_does_not_rest() -> None:
    engine = Started()
    drawer = Drawer(engine, most=0)
    for _ in range(2):
        drawer.svg(_spec())
    engine.rest(1)
    assert not engine.is_closed
    engine.rest(2)
    assert engine.is_closed


def test_nobody_waits_for_a_job_when_the_engine_is_closed(caplog: pytest.LogCaptureFixture) -> None:
    engine = Started()
    with ThreadPoolExecutor(1) as pool:
        made = pool.submit(ScriptBundle(engine).get)  # takes a second or more
        assert engine.is_there.wait(30)
        engine.close()
        with pytest.raises(CannotDraw, match="any more"):
            made.result()
    assert not caplog.records


def test_the_bundle_is_a_module_with_a_name_of_its_own(drawer: Drawer) -> None:
    assert re.fullmatch(r"vega\.[0-9a-f]{12}\.js", bundle_name())
    bundle = ScriptBundle(drawer.engine)
    script = bundle.get()
    assert b"as vegaEmbed}" in script[-100:]
    assert bundle.get() is script


@pytest.mark.parametrize(
    "address",
    ["https://elsewhere.example/", "//elsewhere.example/", "javascript:alert(1)", "/\\elsewhere", ""],
)
def test_a_link_that_leads_elsewhere_is_none(address: str) -> None:
    drawn = f'<svg xmlns="{SVG[1:-1]}"><a href="{address}"><path/></a><path aria-label="x"/></svg>'
    cleaned = clean_svg(drawn.encode(), name="mine", description="", ways={"x": [address]})
    assert "<a" not in cleaned
    assert "href" not in cleaned
    assert 'role="img"' in cleaned


def test_marks_that_say_the_same_lead_each_where_it_should() -> None:
    marks = '<path aria-label="x, Records: 1"/>' * 3
    drawn = f'<svg xmlns="{SVG[1:-1]}">{marks}</svg>'
    ways = {"x, Records: 1": ["/search?q=a", "/search?q=b"]}
    root = etree.fromstring(clean_svg(drawn.encode(), name="mine", description="", ways=ways))
    assert [link.get("href") for link in root.iter(f"{SVG}a")] == ["/search?q=a", "/search?q=b"]
    assert len(list(root.iter(f"{SVG}path"))) == 3


def test_every_mark_leads_where_its_row_does(drawer: Drawer) -> None:
    odd = "two  spaces,\ta tab,\na line & <b>"
    entries = documents(Document(institution=odd), Document(institution="Åbo"), Document(institution="Åbo"))
    spec = make_chart(
        make_table("institutions", population(entries)), address=lambda found: "/search?" + urlencode(found)
    )
    assert spec is not None
    links = list(etree.fromstring(drawer.svg(spec)).iter(f"{SVG}a"))
    wanted = {point["l"]: point["h"] for point in spec["data"]["values"]}
    assert {link.get("aria-label"): link.get("href") for link in links} == wanted
    assert len(wanted) == 2


@pytest.mark.parametrize(
    ("most", "labels"), [(1, "0 1"), (2, "0 1 2"), (4, "0 1 2 3 4"), (30, "0 5 10 15 20 25 30")]
)
def test_an_axis_of_counts_has_whole_numbers_each_once(drawer: Drawer, most: int, labels: str) -> None:
    entries = documents(*(Document(institution="Åbo") for _ in range(most)))
    spec = make_chart(make_table("institutions", population(entries)))
    assert spec is not None
    root = etree.fromstring(drawer.svg(spec))
    axes = [each for each in root.iter() if "role-axis-label" in each.get("class", "")]
    assert " ".join(text.text or "" for text in axes[0].iter(f"{SVG}text")) == labels


def test_a_name_without_an_end_is_cut_off(drawer: Drawer) -> None:
    entries = documents(Document(institution="Åbo " * 200), Document(institution="Turku"))
    spec = make_chart(make_table("institutions", population(entries)))
    assert spec is not None
    root = etree.fromstring(drawer.svg(spec))
    texts = [text.text or "" for text in root.iter(f"{SVG}text")]
    assert "Turku" in texts
    assert any(text.startswith("Åbo Åbo") and text.endswith("…") for text in texts)
    assert float(root.get("width", "")) < 1000


def test_what_could_run_or_load_is_taken_out() -> None:
    drawn = (
        f'<svg xmlns="{SVG[1:-1]}" onload="x()"><script>x()</script><style>a</style><foreignObject/>'
        '<g style="fill:red" onclick="x()" clip-path="url(#clip)"><image href="x"/></g>'
        '<clipPath id="clip"/></svg>'
    )
    cleaned = clean_svg(drawn.encode(), name="mine", description="")
    for word in ("script", "style", "foreignObject", "image", "onload", "onclick"):
        assert word not in cleaned
    assert 'clip-path="url(#mine-clip)"' in cleaned
    assert 'id="mine-clip"' in cleaned
