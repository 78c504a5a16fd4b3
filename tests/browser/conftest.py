"""A served library of invented theses, and a real browser to look at it.

Every page is watched: it may ask only its own site for anything, and nothing may fail on it. A picture of
each is kept under build/screenshots, to be looked at.
"""

from __future__ import annotations

import re
import shutil
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import pytest
from playwright.sync_api import Browser, Dialog, Page, Request, expect, sync_playwright

from tests.fixtures import missing
from tests.flows.serving import serving, stocked
from windrow.store.published import list_pages
from windrow.wiring import open_library
from windrow.wiring.indexing import follow_index

PICTURES = Path(__file__).resolve().parents[2] / "build" / "screenshots"
RECORDS = 600
TALLEST = 16_000  # pixels of a picture; of what is longer, the first window full
PATIENCE_SECONDS = 15  # for a browser on a busy machine
_NO_WORLD = "--host-resolver-rules=MAP * ~NOTFOUND, EXCLUDE 127.0.0.1"

Open = Callable[..., "Look"]


@pytest.fixture(scope="session")
def site(tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    """The address of a portal over a harvested and indexed library."""
    shelf = stocked(tmp_path_factory.mktemp("site") / "library", records=RECORDS)
    library = open_library(str(shelf.folder))
    follow_index(library)
    list_pages.update_list_pages(library.store)
    library.close()
    with serving(shelf.folder) as served:
        yield served.url


@pytest.fixture(scope="module")  # while it lasts an event loop runs in this thread: no other test may meet it
def browser() -> Iterator[Browser]:
    """Chromium as the system has it, which can reach nothing but this machine."""
    program = shutil.which("chromium") or shutil.which("chromium-browser") or shutil.which("google-chrome")
    if program is None:
        missing("there is no Chromium on this machine")
    expect.set_options(timeout=PATIENCE_SECONDS * 1000)
    with sync_playwright() as playwright:
        launched = playwright.chromium.launch(
            executable_path=program, args=["--no-sandbox", "--disable-gpu", _NO_WORLD]
        )
        yield launched
        launched.close()


@dataclass(frozen=True, slots=True)
class Look:
    """A page in a window of its own, and what went wrong on it."""

    page: Page
    site: str
    troubles: list[str]

    def go(self, path: str) -> Page:
        """Open an address of the site."""
        self.page.goto(self.site + path)
        return self.page


@dataclass(frozen=True, slots=True)
class Windows:
    """Windows that stay open from test to test: to open one takes a browser longer than to show a page.

    The next test finds an empty one: no page, no cookies, the size it had. One that had trouble is closed.
    """

    browser: Browser
    _free: dict[str, list[Look]] = field(default_factory=dict)

    def take(self, site: str, options: dict[str, Any]) -> Look:
        """Give a window on a site that nobody uses."""
        free = self._free.get(_key(site, options), [])
        if free:
            found = free.pop()
            found.troubles.clear()
            return found
        context = self.browser.new_context(**options)
        context.set_default_timeout(PATIENCE_SECONDS * 1000)
        found = Look(context.new_page(), site, [])
        _watch(found)
        return found

    def put_back(self, look: Look, options: dict[str, Any]) -> None:
        """Keep a window for who wants such a one next."""
        if look.troubles:
            look.page.context.close()
            return
        look.page.goto("about:blank")
        look.page.set_viewport_size(options["viewport"])
        look.page.context.clear_cookies()
        self._free.setdefault(_key(look.site, options), []).append(look)


def _key(site: str, options: dict[str, Any]) -> str:
    return repr((site, sorted(options.items())))


@pytest.fixture(scope="module")
def windows(browser: Browser) -> Windows:
    """The windows that are open in this module's browser."""
    return Windows(browser)


@pytest.fixture
def look(windows: Windows, site: str, request: pytest.FixtureRequest) -> Iterator[Open]:
    """Open windows; at the end each has its picture taken, and must have had no trouble."""
    with looking(windows, site, request.node.name) as opened:
        yield opened


@contextmanager
def looking(windows: Windows | Browser, site: str, name: str) -> Iterator[Open]:
    """Give what opens windows on a site, new ones if asked of a browser; their pictures get this name."""
    kept = windows if isinstance(windows, Windows) else Windows(windows)
    looks: list[tuple[Look, dict[str, Any]]] = []

    def opened(**options: Any) -> Look:
        wanted = {"viewport": {"width": 1280, "height": 900}, "locale": "en", **options}
        looks.append((kept.take(site, wanted), wanted))
        return looks[-1][0]

    yield opened
    stem = re.sub(r"[^\w-]+", "-", name)
    PICTURES.mkdir(parents=True, exist_ok=True)
    for place, (found, _) in enumerate(looks):
        height = found.page.evaluate("document.documentElement.scrollHeight")
        found.page.screenshot(path=PICTURES / f"{stem}-{place}.png", full_page=height < TALLEST)
    troubles = [trouble for found, _ in looks for trouble in found.troubles]
    for found, options in looks:
        if kept is windows:
            kept.put_back(found, options)
        else:
            found.page.context.close()
    assert troubles == []


def _watch(look: Look) -> None:
    def asked(request: Request) -> None:
        if not request.url.startswith((look.site, "data:", "blob:")):
            look.troubles.append(f"asked a stranger: {request.url}")

    def shown(dialog: Dialog) -> None:  # no page of ours has any: a script of a stranger ran
        look.troubles.append(f"a dialog: {dialog.message}")
        dialog.dismiss()

    look.page.on("request", asked)
    look.page.on("dialog", shown)
    look.page.on("pageerror", lambda error: look.troubles.append(f"script failed: {error}"))
    look.page.on(
        "console",
        lambda message: look.troubles.append(message.text) if message.type == "error" else None,
    )
