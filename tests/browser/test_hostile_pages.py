"""Records that mean harm, in a real browser: nothing of theirs runs or is loaded, and every page stands."""

from __future__ import annotations

import random
from collections.abc import Iterator
from itertools import cycle, islice
from urllib.parse import quote

import pytest
from playwright.sync_api import Page, expect

from tests.browser import strangers
from tests.browser.conftest import Open, Windows, looking
from tests.browser.strangers import EVERY_FORMAT, FORMATS, IDENTIFIERS, LISTED, MARKUP, SOURCE, WITHDRAWN
from tests.fixtures import own, shared_too
from tests.flows.serving import serving
from tests.thorough import IS_THOROUGH
from windrow.search.record_addresses import getrecord_path, record_path

ATTACKS = "oai-hostile/rodyjordens82__OAI-PMH-fuzzer/xss-payloads.txt"
STEP = 10 if IS_THOROUGH else 30  # from one line of the list to the next that is opened: others at every run
LINES = 1_600  # eight list pages
WIDTHS = (1280, 400)
OURS = tuple(dict.fromkeys((*strangers.RUNNING, MARKUP, strangers.DATA_BLOCK, strangers.TEMPLATE)))
# What the page is made of, as the browser understood it.
SEEN = """() => {
  const all = (path) => [...document.querySelectorAll(path)];
  const named = (element) => element.outerHTML.slice(0, 200);
  return {
    harmed: 'harmed' in window,
    strange: all('main script:not([src^="/static/"]), iframe, object, embed, form[action^="//"], main img, '
      + 'main svg:not(.years, figure.chart svg), style, base, meta[http-equiv], [style], '
      + 'main link:not([href^="/static/"]), main meta').map(named),
    handlers: all('*').filter((each) => [...each.attributes].some((one) => /^on/i.test(one.name))).map(named),
    addresses: all('a[href], area[href]').map((each) => new URL(each.getAttribute('href'), location).protocol)
      .filter((one) => !['http:', 'https:', 'mailto:'].includes(one)),
    languages: all('[lang]').map((each) => each.lang).filter((one) => !/^[a-z]{2,3}$/.test(one)),
    scripts: all('script').filter((each) => each.type !== 'application/ld+json')
      .map((each) => new URL(each.src).pathname).filter((one) => !one.startsWith('/static/')),
    blocks: all('script[type="application/ld+json"]').every((each) => JSON.parse(each.text) !== null),
    heads: all('h1').length, titles: all('head title').length,
    descriptions: all('meta[name=description]').length, canonicals: all('link[rel=canonical]').length,
    wide: document.scrollingElement.scrollWidth - window.innerWidth,
  };
}"""
UNFOLD = "for (const each of document.querySelectorAll('details')) each.open = true"
LATER = ("citations", "likes")  # what is loaded when it comes into view


@pytest.fixture(scope="module")
def hostile_site(tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    """The address of a library of records that mean harm, as bad as we can make them."""
    folder = strangers.make(tmp_path_factory.mktemp("hostile") / "library", OURS)
    with serving(folder) as served:
        yield served.url


def fuzzed_lines() -> list[str]:
    """Our own list of attacks and, where it is, that of a fuzzer; again and again, to fill the list pages."""
    lists = (own("oai-hostile/attacks.txt"), *shared_too(ATTACKS))
    lines = [line for path in lists for line in strangers.hostile_lines(path)]
    return list(islice(cycle(lines), max(len(lines), LINES)))


@pytest.fixture(scope="module")
def fuzzed_site(tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    """The address of a library in which every line of a list of attacks is the title of a record."""
    library = tmp_path_factory.mktemp("fuzzed") / "library"
    with serving(strangers.make(library, fuzzed_lines())) as served:
        yield served.url


@pytest.fixture
def enter(windows: Windows, hostile_site: str, request: pytest.FixtureRequest) -> Iterator[Open]:
    with looking(windows, hostile_site, request.node.name) as opened:
        yield opened


@pytest.fixture
def enter_fuzzed(windows: Windows, fuzzed_site: str, request: pytest.FixtureRequest) -> Iterator[Open]:
    with looking(windows, fuzzed_site, request.node.name) as opened:
        yield opened


def assert_stands(enter: Open, path: str, *, canonicals: int | None = None, status: int = 200) -> None:
    """Open a page wide and narrow, with all of it unfolded and loaded; nothing in it is a stranger's."""
    look = enter()
    for width in WIDTHS:
        look.page.set_viewport_size({"width": width, "height": 900})
        answer = look.page.goto(look.site + path)
        assert answer is not None
        assert answer.status == status
        _unfold(look.page)
        _assert_ours(look.page, width, canonicals)
    if status >= 400:  # which browsers call an error, and put into their console
        look.troubles[:] = [each for each in look.troubles if f"status of {status}" not in each]


def _unfold(page: Page) -> None:
    """Open what is folded, and bring what is loaded later into view until it is there."""
    page.evaluate(UNFOLD)
    for name in LATER:
        page.evaluate("name => document.querySelector(`a[data-loads=${name}]`)?.scrollIntoView()", name)
        expect(page.locator(f"a[data-loads={name}]")).to_have_count(0)


def _assert_ours(page: Page, width: int, canonicals: int | None) -> None:
    seen = page.evaluate(SEEN)
    assert not seen["harmed"]
    for name in ("strange", "handlers", "addresses", "languages", "scripts"):
        assert seen[name] == [], name
    assert seen["blocks"]
    assert (seen["heads"], seen["titles"]) == (1, 1)
    assert seen["wide"] <= 0, f"{seen['wide']} wider than {width}"
    if canonicals is not None:
        assert seen["canonicals"] == canonicals
    assert max(seen["descriptions"], seen["canonicals"]) <= 1


@pytest.mark.parametrize("name", IDENTIFIERS)
def test_the_page_of_a_record_stands(enter: Open, name: str) -> None:
    assert_stands(enter, record_path(SOURCE, IDENTIFIERS[name]), canonicals=1)


@pytest.mark.parametrize("part", ["citations", "similar"])
@pytest.mark.parametrize("name", ["markup", "data block", "turned", "piled", "endless", "crowd", "nul"])
def test_what_a_record_loads_later_stands_alone_as_well(enter: Open, name: str, part: str) -> None:
    assert_stands(enter, f"{record_path(SOURCE, IDENTIFIERS[name])}?as={part}")


@pytest.mark.parametrize("prefix", FORMATS)
def test_metadata_stands_in_every_format(enter: Open, prefix: str) -> None:
    assert_stands(enter, getrecord_path(prefix, EVERY_FORMAT), canonicals=1)


@pytest.mark.parametrize("name", ["markup", "links", "turned", "piled", "endless", "wide", "crowd", "nul"])
def test_metadata_of_every_kind_of_harm_stands(enter: Open, name: str) -> None:
    assert_stands(enter, getrecord_path("oai_dc", IDENTIFIERS[name]), canonicals=1)


@pytest.mark.parametrize(
    "path",
    [
        "/gateway/",
        f"/gateway/{SOURCE}/",
        f"/gateway/{SOURCE}/1",
        f"/gateway/{LISTED}/1",
        "/search",
        "/search?q=harmed",
        f"/search?q={quote(MARKUP)}",
        "/browse/newest",
        "/browse/creators",
        "/browse/subjects",
        "/status",
        f"/status/{SOURCE}",
        "/",
    ],
)
def test_pages_of_many_records_stand(enter: Open, path: str) -> None:
    assert_stands(enter, path)


@pytest.mark.parametrize("identifier", WITHDRAWN, ids=["markup", "endless"])
def test_the_page_of_what_was_withdrawn_stands(enter: Open, identifier: str) -> None:
    assert_stands(enter, record_path(SOURCE, identifier), status=410)
    assert_stands(enter, getrecord_path("oai_dc", identifier), status=410)


@pytest.mark.parametrize(
    "path",
    [
        record_path(SOURCE, MARKUP),
        getrecord_path("oai_dc", MARKUP),
        getrecord_path(MARKUP, EVERY_FORMAT),
        f"/gateway/{quote(MARKUP, safe='')}/",
        f"/{quote(MARKUP, safe='')}",
    ],
)
def test_a_page_that_is_not_there_stands(enter: Open, path: str) -> None:
    assert_stands(enter, path, status=404)


@pytest.mark.parametrize("place", range(1, 9))
def test_titles_of_a_fuzzer_stand_in_lists(enter_fuzzed: Open, place: int) -> None:
    assert_stands(enter_fuzzed, f"/gateway/{LISTED}/{place}", canonicals=1)


@pytest.mark.parametrize("path", ["/search?q=alert", "/search?q=script&page=2", "/browse/newest"])
def test_titles_of_a_fuzzer_stand_in_results(enter_fuzzed: Open, path: str) -> None:
    assert_stands(enter_fuzzed, path)


def test_every_line_of_a_fuzzer_stands_on_the_page_of_a_record(windows: Windows, fuzzed_site: str) -> None:
    lines = len(fuzzed_lines())
    with looking(windows, fuzzed_site, "fuzzed-records") as opened:
        look = opened()
        for place in range(random.randrange(STEP), lines, STEP):
            look.go(record_path(LISTED, f"oai:listed:{place}"))
            _assert_ours(look.page, 1280, 1)
