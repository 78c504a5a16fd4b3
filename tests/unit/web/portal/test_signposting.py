"""Signs on a record's page for machines, followed as a machine would."""

from __future__ import annotations

import json
from pathlib import Path
from urllib.parse import unquote, urlsplit

import pytest

from tests.unit.protocols.test_linkset import parse
from tests.unit.search.catalogue import Catalogue
from tests.unit.web.portal.stage import Portal, staged
from windrow.protocols.linkset import WebLink

HOST = "https://library.example"
HAY = "/record/hay/oai:hay.example:1"


def signs(portal: Portal, path: str = HAY) -> dict[str, list[WebLink]]:
    """The links of a page by what they are."""
    found: dict[str, list[WebLink]] = {}
    for link in parse(portal.ask(path).headers["link"]):
        found.setdefault(link.rel, []).append(link)
    return found


def targets(links: list[WebLink]) -> list[str]:
    return [link.target for link in links]


def test_a_record_says_how_to_cite_it_what_it_is_and_where_its_files_are(portal: Portal) -> None:
    found = signs(portal)
    assert targets(found["cite-as"]) == ["https://hay.example/1"]
    assert targets(found["type"]) == ["https://schema.org/AboutPage", "https://schema.org/Thesis"]
    assert targets(found["item"]) == ["https://hay.example/1.pdf"]
    assert targets(found["alternate"]) == [f"{HOST}/gateway/getrecord/oai_dc/oai:hay.example:1"]


def test_what_describes_a_record_is_what_it_says_and_leads_back(portal: Portal) -> None:
    described = signs(portal)["describedby"]
    assert [link.media_type for link in described] == [
        "text/xml",
        "application/x-bibtex",
        "application/x-research-info-systems",
        "application/vnd.citationstyles.csl+json",
        "application/json",
    ]
    assert described[0].profile == "http://www.openarchives.org/OAI/2.0/oai_dc/"
    for link in described:
        got = portal.ask(link.target.removeprefix(HOST))
        assert (got.status, got.headers["content-type"].partition(";")[0]) == (200, link.media_type)
        assert parse(got.headers["link"]) == [WebLink("describes", HOST + HAY, "text/html")]


def test_both_linksets_say_the_same_and_more_than_the_header(portal: Portal) -> None:
    header = parse(portal.ask(HAY).headers["link"])
    plain, tree = signs(portal)["linkset"]
    assert (plain.media_type, tree.media_type) == ("application/linkset", "application/linkset+json")
    got = portal.ask(plain.target.removeprefix(HOST))
    assert got.headers["content-type"] == plain.media_type
    links = parse(got.text)
    assert {link._replace(anchor="") for link in links if link.anchor == HOST + HAY} == set(header)
    assert {link.rel for link in links if link.anchor != HOST + HAY} == {"describes", "collection"}
    got = portal.ask(tree.target.removeprefix(HOST))
    assert got.headers["content-type"] == tree.media_type
    assert _links(json.loads(got.text)) == set(links)


def test_lasting_names_are_cited_before_anything_else(tmp_path: Path, catalogue: Catalogue) -> None:
    doi = ("https://hay.example/1", "urn:nbn:fi:hay-1", "https://hdl.handle.net/1/2", "doi:10.5555/Hay<1>#2")
    for number, names in enumerate((doi, doi[:3], doi[:2], doi[:1], ())):
        catalogue.add(f"oai:hay.example:{number}", title="Hay", identifier=names)
    with staged(tmp_path, catalogue) as portal:
        cited = [
            targets(signs(portal, f"/record/hay/oai:hay.example:{each}")["cite-as"]) for each in range(5)
        ]
        assert cited == [
            ["https://doi.org/10.5555/Hay%3C1%3E%232"],
            ["https://hdl.handle.net/1/2"],
            ["https://urn.fi/urn:nbn:fi:hay-1"],
            ["https://hay.example/1"],
            [f"{HOST}/record/hay/oai:hay.example:4"],
        ]


def test_licenses_are_named_where_they_have_an_address(tmp_path: Path, catalogue: Catalogue) -> None:
    rights = ("https://creativecommons.org/licenses/by/4.0/", "All rights reserved", "javascript:alert(1)")
    catalogue.add("oai:hay.example:1", title="Hay", rights=rights)
    with staged(tmp_path, catalogue) as portal:
        assert targets(signs(portal)["license"]) == ["https://creativecommons.org/licenses/by/4.0/"]


def test_authors_with_a_number_are_led_to(tmp_path: Path, catalogue: Catalogue) -> None:
    people = "".join(
        f'<name type="personal"><namePart>{name}</namePart>{number}<role><roleTerm type="text">author'
        "</roleTerm></role></name>"
        for name, number in (
            ("Mower, Ann", '<nameIdentifier type="orcid">0000-0002-1825-0097</nameIdentifier>'),
            ("Rake, Bo", ""),
        )
    )
    payload = (
        f'<mods xmlns="http://www.loc.gov/mods/v3"><titleInfo><title>Hay</title></titleInfo>{people}</mods>'
    )
    catalogue.add("oai:hay.example:1", payload=payload.encode(), prefix="mods")
    with staged(tmp_path, catalogue) as portal:
        found = signs(portal)
        assert targets(found["author"]) == ["https://orcid.org/0000-0002-1825-0097"]
        assert found["describedby"][0].profile == "http://www.loc.gov/mods/v3"
        assert [
            each.rpartition("/getrecord/")[2].partition("/")[0] for each in targets(found["alternate"])
        ] == [
            "oai_dc",
            "mods",
        ]


def test_a_format_that_nobody_knows_is_called_by_its_namespace(tmp_path: Path, catalogue: Catalogue) -> None:
    catalogue.add("oai:hay.example:1", payload=b'<h:hay xmlns:h="urn:x:hay"/>', prefix="hay")
    with staged(tmp_path, catalogue) as portal:
        assert signs(portal)["describedby"][0].profile == "urn:x:hay"


def test_a_header_is_bounded_and_the_linkset_has_the_rest(tmp_path: Path, catalogue: Catalogue) -> None:
    files = tuple(f"https://hay.example/bitstream/1/2/{number}/a-long-name.pdf" for number in range(200))
    catalogue.add("oai:hay.example:1", title="Hay", identifier=files)
    with staged(tmp_path, catalogue) as portal:
        assert 3000 < len(portal.ask(HAY).headers["link"]) <= 4000
        assert len(signs(portal)["linkset"]) == 2
        links = parse(portal.ask(f"{HAY}?as=linkset").text)
        assert [link.target for link in links if link.rel == "item"] == list(files)


@pytest.mark.parametrize(
    "identifier", ["a b\r\nX-Evil: 1", "heinä/<ä>", 'x", <https://evil.example>; rel="item', "//"]
)
def test_odd_identifiers_make_links_that_lead_back_to_them(
    tmp_path: Path, catalogue: Catalogue, identifier: str
) -> None:
    catalogue.add(identifier, title="Hay", identifier="https://hay.example/ä\u202e.pdf")
    with staged(tmp_path, catalogue) as portal:
        path = portal.page("/search").link("Hay")
        got = portal.ask(path)
        assert "x-evil" not in got.headers
        found = parse(got.headers["link"])
        for link in found:
            assert "evil.example" not in urlsplit(link.target).netloc
        (alternate,) = [link.target for link in found if link.rel == "alternate"]
        assert unquote(alternate.partition("/getrecord/oai_dc/")[2]) == identifier
        (sign,) = [link.target for link in found if link.rel == "linkset" and "json" not in link.target]
        assert portal.ask(sign.removeprefix(HOST)).status == 200


def _links(tree: dict[str, list[dict[str, list[dict[str, str | list[str]]]]]]) -> set[WebLink]:
    """What a linkset in JSON says, as the other way of writing it would."""
    return {
        WebLink(
            rel,
            str(each["href"]),
            str(each.get("type", "")),
            "".join(each.get("profile", [])),
            str(context["anchor"]),
        )
        for context in tree["linkset"]
        for rel, found in context.items()
        if rel != "anchor"
        for each in found
    }


def test_the_page_names_its_raw_formats_as_alternates_for_whoever_reads_only_pages(portal: Portal) -> None:
    portal.catalogue.add("oai:hay.example:1", prefix="kk", title="Hay")
    links = portal.page("/record/hay/oai:hay.example:1").root.xpath("//head/link[@rel='alternate']")
    assert [(each.get("type"), each.get("title")) for each in links] == [
        ("text/xml", "oai_dc"),
        ("text/xml", "kk"),
    ]
    assert [portal.ask(each.get("href")).headers["content-type"] for each in links] == [
        "text/xml; charset=utf-8",
        "text/xml; charset=utf-8",
    ]
