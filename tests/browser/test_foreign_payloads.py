"""Metadata that a browser would render as a page: it is saved or shown as text, never as a page of ours."""

# ruff: noqa: E501 - a table

from __future__ import annotations

from collections.abc import Iterator
from urllib.parse import quote

import pytest
from playwright.sync_api import Browser, Page
from playwright.sync_api import Error as BrowserError

from tests.browser.conftest import PICTURES
from tests.contracts.store.shelf import Shelf, live
from tests.flows.harvesting import Shelf as Library
from tests.flows.serving import serving
from windrow.search.record_addresses import record_path
from windrow.store.store import open_store
from windrow.wiring import create_library

XHTML = "http://www.w3.org/1999/xhtml"
SVG = "http://www.w3.org/2000/svg"
FORM = '<h1 style="color:red">Sign in to the library</h1><form action="https://evil.example/"><input/></form>'
# The namespaces are in the payload itself, or in scope around it, as harvested envelopes have them.
PAYLOADS = {
    "xhtml": f'<html xmlns="{XHTML}"><head><style>body{{background:#fdd}}</style></head><body>{FORM}</body></html>',
    "div": f'<div xmlns="{XHTML}">{FORM}</div>',
    "inside": f'<thing><p xmlns="{XHTML}">{FORM}</p></thing>',
    "svg": f'<svg xmlns="{SVG}" width="400" height="90"><text y="40">Sign in to the library</text></svg>',
    "foreign": f'<svg xmlns="{SVG}"><foreignObject width="400" height="90"><div xmlns="{XHTML}">{FORM}</div></foreignObject></svg>',
    "mathml": '<math xmlns="http://www.w3.org/1998/Math/MathML"><mtext>Sign in to the library</mtext></math>',
    "styled": "<?xml-stylesheet type='text/css' href='data:text/css,*{color:red}'?><thing>Sign in to the library</thing>",
    "xslt": "<?xml-stylesheet type='text/xsl' href='#x'?><thing>Sign in to the library</thing>",
}
IDENTIFIER = "oai:hay:1"


@pytest.fixture(scope="module")
def served(tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    """The address of a library with one record, whose formats are all of them traps."""
    folder = tmp_path_factory.mktemp("traps") / "library"
    Library(create_library(folder)).add("https://hay.example/oai", name="hay")
    store = open_store(folder)
    shelf = Shelf(store, "hay")
    for prefix, payload in PAYLOADS.items():
        shelf.write(live(IDENTIFIER, payload.encode()), prefix=prefix)
    store.close()
    with serving(folder) as site:
        yield site.url


def visit(page: Page, address: str) -> str | None:
    """Open an address; return the type of the document that is shown, None where it is saved instead."""
    try:
        page.goto(address)
    except BrowserError as exc:
        assert "Download is starting" in str(exc)  # noqa: PT017 - a download is no page
        return None
    return str(page.evaluate("document.contentType"))


def addresses(prefix: str) -> dict[str, str]:
    asked = f"verb=GetRecord&identifier={quote(IDENTIFIER)}&metadataPrefix={prefix}"
    listed = f"verb=ListRecords&metadataPrefix={prefix}"
    return {
        "raw": f"{record_path('hay', IDENTIFIER)}?format={prefix}",
        "record": f"/oai/hay?{asked}",
        "list": f"/oai?{listed}",
        "xml": f"/oai/-/xml/hay?{asked}",
        "listed xml": f"/oai/-/xml?{listed}",
    }


@pytest.mark.parametrize("accept", ["", "text/xml, image/svg+xml", "*/*"])
@pytest.mark.parametrize("prefix", PAYLOADS)
def test_no_metadata_is_rendered_as_a_page(browser: Browser, served: str, prefix: str, accept: str) -> None:
    headers = {"Accept": accept} if accept else {}
    for name, path in addresses(prefix).items():
        with browser.new_context(extra_http_headers=headers, accept_downloads=True) as context:
            page = context.new_page()
            shown = visit(page, served + path)
            assert shown in (None, "text/plain", "text/html"), name
            if shown is not None:
                page.screenshot(path=PICTURES / f"foreign-{prefix}-{name.replace(' ', '-')}.png")
            if shown == "text/html":  # a page of ours about it, in which it is text
                assert (
                    page.locator("main form[action*=evil], main svg, main math, main h1[style]").count() == 0
                )
                assert page.locator("header").count() > 0


def test_programs_get_metadata_as_the_xml_it_is(browser: Browser, served: str) -> None:
    with browser.new_context() as context:
        answer = context.request.get(f"{served}{record_path('hay', IDENTIFIER)}?format=xhtml")
        assert answer.headers["content-type"] == "text/xml; charset=utf-8"
        assert answer.headers["content-disposition"] == 'attachment; filename="oai-hay-1.xhtml.xml"'
        assert answer.text().endswith(PAYLOADS["xhtml"].partition("<head>")[2])
        policy = answer.headers["content-security-policy"]
        assert "sandbox" in policy
        assert "style-src 'none'" in policy
        assert answer.headers["x-content-type-options"] == "nosniff"
