"""Records of web pages and the state of a crawl in a real browser, on desks and phones, in light and dark."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import NamedTuple

import pytest
from playwright.sync_api import Browser, expect

from tests.browser.axe import faults
from tests.browser.conftest import Look, Open, looking
from tests.flows.commanding import environment
from tests.flows.serving import serving
from tests.flows.test_worker import until
from tests.servers.website import Reply, Website, page
from windrow.search.record_addresses import record_path
from windrow.store.crawl_workers import CrawlWorkers
from windrow.store.frontier import Control, ControlState, Frontier
from windrow.wiring import open_library

_MAIN = "from windrow.cli.main import main; main()"
EVENTS = ("mh-70211;2001p4;flexibel;full;2280;sv;dag;", "mh-70204;2002p1;bunden;full;;sv;dag;")
STUDERA = "".join(f'<meta name="STUDERA.event" content="{event}">' for event in EVENTS)
COURSE = {
    "@context": "https://schema.org",
    "@type": "Course",
    "name": "Oceanography for engineers",
    "provider": {"@type": "CollegeOrUniversity", "name": "University of the Coast"},
    "hasCourseInstance": [
        {
            "@type": "CourseInstance",
            "startDate": "2027-01-18",
            "endDate": "2027-06-04",
            "location": "Harbour",
        },
        {"@type": "CourseInstance", "startDate": "2027-09-01", "courseMode": "online"},
    ],
}
TAGS = "".join(f'<meta name="x-{number}" content="noise">' for number in range(40))


class Coast(NamedTuple):
    """A served library of the pages of a site."""

    url: str
    folder: Path
    website: Website

    def control(self, state: ControlState) -> None:
        library = open_library(str(self.folder))
        with library.store.writing() as connection:
            Frontier(1).set_control(connection, Control(state))
        library.close()

    def workers(self) -> int:
        library = open_library(str(self.folder))
        with library.store.reading() as connection:
            found = CrawlWorkers(1).count(connection)
        library.close()
        return found


def command(folder: Path, *words: str) -> list[str]:
    return [sys.executable, "-c", _MAIN, "--library", str(folder), *words]


@pytest.fixture(scope="module")
def coast(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Coast]:
    folder = tmp_path_factory.mktemp("coast") / "library"
    items = f'<script type="application/ld+json">{json.dumps(COURSE)}</script>'
    with Website() as website:
        website.routes |= {
            "/": page("Start", "/maths", "/oceans", "/later"),
            "/maths": page(
                "Maths", meta="mh-MAAA45", head=STUDERA + TAGS, body="<p>Geometry and chance.</p>"
            ),
            "/oceans": page("Oceans", head=items, body="<p>Waves and tides.</p>"),
            "/later": Reply(b"", 500),
        }
        site = ("--start", f"{website.url}/", "--contact", "robot@example.edu", "--private")
        for words in (
            ("init", str(folder)),
            ("source", "add", "coast", "--kind", "web", *site, "--interval", "0s"),
            ("harvest", "coast"),
            ("index",),
        ):
            line = command(folder, *words) if words[0] != "init" else [sys.executable, "-c", _MAIN, *words]
            done = subprocess.run(line, env=environment(), capture_output=True, text=True, check=False)
            assert done.returncode in (0, 3), done.stderr
        with serving(folder) as served:
            yield Coast(served.url, folder, website)


@pytest.fixture
def enter(browser: Browser, coast: Coast, request: pytest.FixtureRequest) -> Iterator[Open]:
    with looking(browser, coast.url, request.node.name) as windows:
        yield windows


WINDOWS = pytest.mark.parametrize(("width", "scheme"), [(1200, "light"), (390, "dark")])


def opened(enter: Open, width: int, scheme: str) -> Look:
    return enter(color_scheme=scheme, viewport={"width": width, "height": 900})


@WINDOWS
def test_a_course_shows_its_rounds_and_leads_to_its_page(
    enter: Open, coast: Coast, width: int, scheme: str
) -> None:
    shown = opened(enter, width, scheme).go(record_path("coast", "mh-MAAA45"))
    rows = shown.locator("section:has(#events) tbody tr")
    expect(rows).to_have_count(2)
    for word in ("2001p4", "flexibel", "full", "2280", "Swedish", "mh-70211"):
        expect(rows.first).to_contain_text(word)
    expect(shown.get_by_role("link", name="Original page")).to_have_attribute(
        "href", f"{coast.website.url}/maths"
    )
    text = shown.locator("details", has_text="Text of the page")
    text.locator("summary").click()
    expect(text).to_contain_text("Geometry and chance.")
    assert shown.locator("dt", has_text="wir:").count() == 0
    assert shown.evaluate("document.scrollingElement.scrollWidth - window.innerWidth") <= 0
    assert faults(shown) == []


@WINDOWS
def test_an_item_of_schema_org_is_a_course_as_well(
    enter: Open, coast: Coast, width: int, scheme: str
) -> None:
    look = opened(enter, width, scheme)
    shown = look.go("/search?q=tides")
    shown.get_by_role("link", name="Oceanography for engineers").click()
    rows = shown.locator("section:has(#events) tbody tr")
    expect(rows.first).to_contain_text("2027-01-18 – 2027-06-04")
    expect(rows.last).to_contain_text("online")
    assert "Place:" not in rows.last.inner_text()  # which has none
    expect(shown.get_by_role("link", name="University of the Coast").first).to_be_visible()
    assert shown.evaluate("document.scrollingElement.scrollWidth - window.innerWidth") <= 0
    assert faults(shown) == []


@WINDOWS
@pytest.mark.parametrize(
    ("language", "heading", "button"),
    [("en", "When and where", "Apply"), ("sv", "När och var", "Visa"), ("fi", "Milloin ja missä", "Rajaa")],
)
def test_a_course_is_found_by_one_of_its_occasions(
    enter: Open, width: int, scheme: str, language: str, heading: str, button: str
) -> None:
    look = opened(enter, width, scheme)
    shown = look.go(f"/language?to={language}&back=/search")
    if width < 600:
        shown.locator("details.narrow summary").click()
    form = shown.locator("section.occasion")
    expect(form.get_by_role("heading")).to_have_text(heading)
    form.locator("#event-period").select_option("2001p4")
    form.locator("#event-kind").select_option("flexibel")
    form.get_by_role("button", name=button).click()
    hits = shown.locator("ol.results > li")
    expect(hits).to_have_count(1)
    expect(hits.locator("ul.occasions li")).to_have_count(1)
    expect(hits.locator("ul.occasions")).to_contain_text("2001p4")
    expect(shown.locator("ul.chips")).to_contain_text("flexibel")
    assert shown.evaluate("document.scrollingElement.scrollWidth - window.innerWidth") <= 0
    assert faults(shown) == []
    # The course is in 2002p1 as well, and flexible, but never both at once.
    expect(look.go("/search?period=2002p1&kind=flexibel").locator("ol.results > li")).to_have_count(0)


@WINDOWS
def test_the_state_of_a_crawl_is_on_status_in_each_language(
    enter: Open, coast: Coast, width: int, scheme: str
) -> None:
    look = opened(enter, width, scheme)
    coast.control(ControlState.OPEN)
    expect(look.go("/status").get_by_role("main")).to_contain_text("Crawl: open")
    coast.control(ControlState.PAUSED)
    words = {
        "en": "paused until further notice",
        "sv": "pausad tills vidare",
        "fi": "tauolla toistaiseksi",
    }
    for language, expected in words.items():
        shown = look.go(f"/language?to={language}&back=/status/coast")
        expect(shown.get_by_role("main")).to_contain_text(expected)
        assert faults(shown) == []
        shown = look.go("/status")
        expect(shown.get_by_role("main")).to_contain_text(expected)
        assert shown.evaluate("document.scrollingElement.scrollWidth - window.innerWidth") <= 0
        assert faults(shown) == []
    coast.control(ControlState.OPEN)


def test_a_crawl_that_runs_is_shown_as_running(enter: Open, coast: Coast) -> None:
    loading = command(coast.folder, "crawl", "load", "coast")
    urls = "".join(f"{coast.website.url}/more/{number}\n" for number in range(10))
    slow = {**environment(), "WINDROW_SOURCES_COAST_INTERVAL": "60s"}
    subprocess.run(loading, env=environment(), input=urls, capture_output=True, text=True, check=True)
    with subprocess.Popen(
        command(coast.folder, "harvest", "coast"), env=slow, stdout=subprocess.PIPE, stderr=subprocess.PIPE
    ) as crawl:
        try:
            until(lambda: coast.workers() == 1)
            shown = enter(viewport={"width": 1200, "height": 900}).go("/status/coast")
            expect(shown.get_by_role("main")).to_contain_text("It is being harvested at this moment.")
            expect(shown.locator("dl div", has_text="Crawl").first).to_contain_text("running")
            assert faults(shown) == []
        finally:
            os.kill(crawl.pid, signal.SIGINT)
            crawl.communicate(timeout=60)
