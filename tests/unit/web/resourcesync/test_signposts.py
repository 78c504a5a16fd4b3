"""The way from the well-known address to everything else."""

from __future__ import annotations

import pytest

from tests.unit.search.catalogue import Catalogue
from tests.unit.web.resourcesync.stage import SITE, staged
from windrow.store.published import list_pages


def test_from_the_well_known_address_every_source_and_what_it_offers_is_found(catalogue: Catalogue) -> None:
    catalogue.add("oai:1", title="Hay")
    catalogue.add("oai:2", source="oats", title="Oats")
    with staged(catalogue) as stage:
        start = stage.read("/.well-known/resourcesync")
        assert start.facts == {"capability": "description"}
        assert start.addresses == [
            f"{SITE}/resourcesync/{name}/capabilitylist.xml" for name in ("hay", "oats")
        ]
        offered = stage.read("/resourcesync/oats/capabilitylist.xml")
        assert offered.links["up"] == f"{SITE}/.well-known/resourcesync"
        assert [each.facts["capability"] for each in offered.items] == [
            "resourcelist",
            "changelist",
            "resourcedump",
        ]
        for address in offered.addresses:
            document = stage.read(address.removeprefix(SITE))
            assert document.links["up"] == f"{SITE}/resourcesync/oats/capabilitylist.xml"


def test_a_library_without_records_describes_no_source(catalogue: Catalogue) -> None:
    with staged(catalogue) as stage:
        assert stage.read("/.well-known/resourcesync").items == []


@pytest.mark.parametrize(
    "path",
    [
        "/resourcesync",
        "/resourcesync/",
        "/resourcesync/oats/resourcelist.xml",
        "/resourcesync/hay/resourcelist-2.xml",
        "/resourcesync/hay/resourcelist-0.xml",
        "/resourcesync/hay/changelist-2.xml",
        "/resourcesync/hay/changelist.zip",
        "/resourcesync/hay/resourcedump.zip",
        "/resourcesync/hay/resourcedump-2.zip",
        "/resourcesync/hay/resourcedump-1.xml",
        "/resourcesync/hay/capabilitylist-1.xml",
        "/resourcesync/hay/resourcelist-99999999999999999999.xml",
        "/.well-known/security.txt",
    ],
)
def test_where_nothing_is_it_is_said_so(catalogue: Catalogue, path: str) -> None:
    catalogue.add("oai:1", title="Hay")
    with staged(catalogue) as stage:
        assert stage.ask(path).status == 404


def test_whoever_has_a_document_is_told_that_it_is_the_same(catalogue: Catalogue) -> None:
    catalogue.add("oai:1", title="Hay")
    stems = (
        "capabilitylist.xml",
        "resourcelist.xml",
        "changelist.xml",
        "resourcedump.xml",
        "resourcedump-1.zip",
    )
    with staged(catalogue) as stage:
        paths = ["/.well-known/resourcesync", *(f"/resourcesync/hay/{stem}" for stem in stems)]
        tags = {path: stage.ask(path).headers["etag"] for path in paths}
        dates = {path: stage.ask(path).headers["last-modified"] for path in paths}
        for path in paths:
            assert stage.ask(path, If_None_Match=tags[path]).status == 304
            assert stage.ask(path, If_Modified_Since=dates[path]).status == 304
        catalogue.add("oai:1", title="Straw")
        changed = [path for path in paths if stage.ask(path, If_None_Match=tags[path]).status == 200]
        assert changed == [f"/resourcesync/hay/{stem}" for stem in stems[1:]]


def test_only_reading_is_allowed_and_a_head_has_no_body(catalogue: Catalogue) -> None:
    catalogue.add("oai:1", title="Hay")
    with staged(catalogue) as stage:
        path = "/resourcesync/hay/resourcelist.xml"
        assert stage.ask(path).status == 200
        assert stage.server.ask(path, "POST").status == 405
        head = stage.server.ask(path, "HEAD")
        assert (head.status, head.body) == (200, b"")


@pytest.mark.parametrize(
    "path",
    [
        "/.well-known/resourcesync",
        "/resourcesync/hay/capabilitylist.xml",
        "/resourcesync/hay/resourcelist.xml",
        "/resourcesync/hay/resourcelist-1.xml",
        "/resourcesync/hay/changelist.xml",
        "/resourcesync/hay/resourcedump.xml",
        "/resourcesync/hay/resourcedump-1.zip",
    ],
)
def test_until_all_records_are_laid_out_no_half_of_them_is_taken_for_the_whole(
    catalogue: Catalogue, path: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    for number in range(3):
        catalogue.add(f"oai:{number}", title="Hay")
    monkeypatch.setattr(list_pages, "BATCH_RECORDS", 2)

    class Enough(Exception):
        pass

    def stop() -> None:
        raise Enough

    with pytest.raises(Enough):
        list_pages.update_list_pages(catalogue.store, heed=stop)
    with staged(catalogue) as stage:
        got = stage.server.ask(path)
        assert (got.status, got.headers["retry-after"]) == (503, "10")
        assert stage.ask(path).status == 200
        assert stage.server.ask("/resourcesync/straw/resourcelist.xml").status == 404
