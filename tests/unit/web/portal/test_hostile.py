"""What strangers put into records and into requests stays what it is: text."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.unit.search.catalogue import Catalogue, metadata
from tests.unit.web.portal.stage import SETTINGS, Portal, staged, stock

SCRIPT = '<script>alert("hay")</script><img src=x onerror=alert(1)>'
EVIL = "oai:hay.example:evil"
PAGES = ("/", "/search", "/search?q=alert", f"/record/hay/{EVIL}", "/browse/creators", "/browse/newest")
PARTS = (f"/record/hay/{EVIL}?as=citations", f"/record/hay/{EVIL}?as=similar")


def evil(catalogue: Catalogue) -> None:
    catalogue.add(
        EVIL,
        title=SCRIPT,
        creator=SCRIPT,
        subject=SCRIPT,
        description=SCRIPT,
        type=SCRIPT,
        publisher=SCRIPT,
        identifier=(
            "javascript:alert(1)",
            "data:text/html,<script>alert(1)</script>",
            "https://ok.example/1",
        ),
        rights="javascript:alert(2)",
    )


@pytest.mark.parametrize("path", PAGES + PARTS)
def test_markup_in_records_stays_text_everywhere(tmp_path: Path, catalogue: Catalogue, path: str) -> None:
    evil(catalogue)
    with staged(tmp_path, catalogue) as portal:
        root = portal.page(path).root
        running = root.xpath("//script[not(@type='application/ld+json')]")
        assert [each.get("src") for each in running] == root.xpath("//script/@src")
        assert len(root.xpath("//script")) - len(running) == ("/record/" in path and "?" not in path)
        assert all(src.startswith("/static/windrow.") for src in root.xpath("//script/@src"))
        assert not root.xpath("//*[@onerror or @onclick or @style]")
        assert not root.xpath("//style")
        addresses = [str(each) for each in root.xpath("//@href")]
        assert not [each for each in addresses if each.lower().startswith(("javascript:", "data:"))]


@pytest.mark.parametrize(
    "query",
    ["q=<script>alert(1)</script>", "q=\"'><svg onload=x>", "type=<b>", "q=%00%01%ff", "collection=<i>"],
)
def test_markup_in_an_address_stays_text(portal: Portal, query: str) -> None:
    root = portal.page(f"/search?{query}").root
    assert not root.xpath("//main//script | //main//b | //main//i | //*[@onload]")


def test_pages_are_sent_with_a_policy_that_runs_nothing_but_our_own_script(portal: Portal) -> None:
    for path in ("/", "/search", "/nothing", "/record/hay/oai:hay.example:1", "/status", "/about"):
        headers = portal.ask(path).headers
        assert headers["content-security-policy"] == (
            "default-src 'none'; style-src 'self'; script-src 'self'; img-src 'self'; media-src 'self'; "
            "connect-src 'self'; form-action 'self'; base-uri 'none'; frame-ancestors 'none'"
        )
        assert headers["x-content-type-options"] == "nosniff"
        assert headers["referrer-policy"] == "no-referrer"


def test_an_endless_title_is_cut_and_direction_marks_stay_inside_it(
    tmp_path: Path, catalogue: Catalogue
) -> None:
    catalogue.add("oai:hay.example:long", title="word " * 20_000 + "\u202eend")
    catalogue.add("oai:hay.example:turned", title="\u202eturned\u2066")
    with staged(tmp_path, catalogue) as portal:
        got = portal.ask("/search")
        assert len(got.body) < 60_000
        root = portal.page("/search").root
        assert all(each.getparent().tag == "a" for each in root.xpath("//h2//bdi"))
        assert len(root.xpath("//h2//bdi")) == 2
        assert len(portal.ask("/record/hay/oai:hay.example:long").body) < 60_000


def test_hundreds_of_authors_are_folded_away(tmp_path: Path, catalogue: Catalogue) -> None:
    catalogue.add("oai:hay.example:many", title="Large", creator=tuple(f"Mower, A{n}" for n in range(600)))
    with staged(tmp_path, catalogue) as portal:
        page = portal.page("/record/hay/oai:hay.example:many")
        assert len(page.texts("//ul[@class='authors'][1]/li")) == 20 + 480
        assert page.texts("//article/details[1]/summary") == ["and 580 more"]
        assert "100 more are in the raw formats." in page.words


@pytest.mark.parametrize(
    "back",
    [
        "//evil.example/",
        "/\\evil.example",
        "https://evil.example/",
        "javascript:alert(1)",
        "/a%0d%0aset-cookie:x=y",
        "/%5cevil.example",
        "",
        "search",
    ],
)
def test_the_language_switch_never_leads_to_another_site(portal: Portal, back: str) -> None:
    got = portal.ask(f"/language?to=fi&back={back}")
    assert (got.status, got.headers["location"]) == (303, "/")
    assert "\n" not in got.headers["set-cookie"]


@pytest.mark.parametrize(
    "path", ["/look/../windrow.toml", "/look/%2e%2e/windrow.toml", "/look/x.svg", "/look/"]
)
def test_only_pictures_that_are_named_can_be_had(portal: Portal, path: str) -> None:
    assert portal.ask(path).status == 404


def test_a_picture_is_served_as_one_and_runs_nothing(tmp_path: Path, catalogue: Catalogue) -> None:
    (tmp_path / "logo.svg").write_text('<svg xmlns="http://www.w3.org/2000/svg"><script>x</script></svg>')
    with staged(tmp_path, catalogue, settings=SETTINGS + '[portal]\nlogo = "logo.svg"\n') as portal:
        (address,) = portal.page("/").root.xpath("//header//img/@src")
        got = portal.ask(address)
        assert got.headers["content-type"] == "image/svg+xml"
        assert got.headers["content-security-policy"].endswith("sandbox")


@pytest.mark.parametrize("method", ["POST", "PUT", "DELETE"])
def test_nothing_can_be_written(portal: Portal, method: str) -> None:
    assert portal.server.ask("/search", method, headers={"Accept": "text/html"}).status == 405


def test_many_filters_at_once_are_bounded(tmp_path: Path, catalogue: Catalogue) -> None:
    stock(catalogue)
    with staged(tmp_path, catalogue) as portal:
        filters = "&".join(f"subject=s{number}" for number in range(60))
        assert "At most 40 filters" in portal.page(f"/search?{filters}").words
        assert portal.page(f"/search?{filters}&{filters}").status == 414


@pytest.mark.parametrize("title", ["\ufdd0", "\u200b", "\u202e\u2066", "\ue000\u200b"])
def test_a_title_that_nobody_can_see_leaves_words_to_click_on(
    tmp_path: Path, catalogue: Catalogue, title: str
) -> None:
    catalogue.add("oai:hay.example:unseen", title=title)
    with staged(tmp_path, catalogue) as portal:
        (address,) = portal.page("/search").links("Without a title")
        assert portal.page(address).heading == "Without a title"
        assert portal.page("/browse/newest").links("Without a title") == [address]


@pytest.mark.parametrize("field", ["creator", "publisher", "type", "subject"])
def test_an_endless_value_has_an_address_that_finds_it(
    tmp_path: Path, catalogue: Catalogue, field: str
) -> None:
    endless, other = ({field: word} for word in ("endless " * 10_000, "other"))
    catalogue.add("oai:hay.example:endless", payload=metadata(title="Hay", **endless))
    catalogue.add("oai:hay.example:other", payload=metadata(title="Straw", **other))
    with staged(tmp_path, catalogue) as portal:
        addresses = portal.page("/record/hay/oai:hay.example:endless").links("endless")
        assert addresses
        for address in addresses:
            assert len(address) < 2000
            assert portal.page(address).texts("//ol[contains(@class,'results')]//h2") == ["Hay"]


@pytest.mark.parametrize("identifier", ["a/../b", "a/./b", "a//b", "a?b", "a#b", "a%2Fb", "a\\b", "å b"])
def test_the_language_switch_comes_back_to_records_with_odd_identifiers(
    tmp_path: Path, catalogue: Catalogue, identifier: str
) -> None:
    catalogue.add(identifier, title="Hay")
    with staged(tmp_path, catalogue) as portal:
        (address,) = portal.page("/search").links("Hay")
        got = portal.ask(portal.page(address).link("Svenska"))
        assert (got.status, got.headers["location"]) == (303, address)
