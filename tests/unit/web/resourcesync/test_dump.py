"""Everything at once: packages that unpack to what is served."""

from __future__ import annotations

import hashlib

from tests.unit.search.catalogue import Catalogue
from tests.unit.web.resourcesync.stage import SITE, Document, staged
from tests.unit.web.resourcesync.test_resource_list import ODD, fill
from windrow.store.published import list_pages
from windrow.web.resourcesync.capability_documents import make_package
from windrow.web.resourcesync.resourcesync_context import ResourceSyncContext, ResourceSyncLinks


def test_a_package_unpacks_to_what_its_manifest_says(catalogue: Catalogue) -> None:
    catalogue.add(ODD, title="Hay & straw")
    catalogue.add(ODD, prefix="kk", title="Hay too")
    catalogue.add("oai:2", prefix="../../etc/passwd", title="Straw")
    with staged(catalogue) as stage:
        listed = stage.read("/resourcesync/hay/resourcelist.xml")
        archive = stage.package("/resourcesync/hay/resourcedump-1.zip")
    assert archive.testzip() is None
    manifest = Document(archive.read("manifest.xml"))
    assert manifest.facts["capability"] == "resourcedump-manifest"
    assert manifest.addresses == listed.addresses
    assert {each.facts["path"] for each in manifest.items} == {
        f"/{name}" for name in archive.namelist() if name != "manifest.xml"
    }
    assert not any(".." in name.split("/") for name in archive.namelist())
    for told, item in zip(listed.items, manifest.items, strict=True):
        data = archive.read(item.facts["path"].removeprefix("/"))
        assert item.facts["length"] == str(len(data)) == told.facts["length"]
        assert item.facts["hash"] == f"sha-256:{hashlib.sha256(data).hexdigest()}" == told.facts["hash"]


def test_the_same_package_has_the_same_bytes(catalogue: Catalogue) -> None:
    fill(catalogue, 20)
    with staged(catalogue) as stage:
        first, second = (stage.ask("/resourcesync/hay/resourcedump-1.zip").body for _ in range(2))
    assert first == second


def test_packages_are_listed_as_far_as_there_is_something_in_them(catalogue: Catalogue) -> None:
    fill(catalogue, 450)
    for number in range(400, 450):
        catalogue.withdraw(f"oai:{number}")
    with staged(catalogue, leaves_a_part=1) as stage:
        found = stage.read("/resourcesync/hay/resourcedump.xml")
        assert found.addresses == [f"{SITE}/resourcesync/hay/resourcedump-{each}.zip" for each in (1, 2)]
        assert {each.facts["type"] for each in found.items} == {"application/zip"}
        sizes = [len(stage.package(address.removeprefix(SITE)).namelist()) for address in found.addresses]
        assert sizes == [201, 201]


def test_where_too_many_packages_are_made_already_it_is_put_off(catalogue: Catalogue) -> None:
    catalogue.add("oai:1", title="Hay")
    with staged(catalogue, take=lambda _pieces, _client: None) as stage:
        got = stage.ask("/resourcesync/hay/resourcedump-1.zip")
        assert (got.status, got.headers["retry-after"]) == (503, "60")
        assert stage.ask("/resourcesync/hay/resourcelist.xml").status == 200


def test_a_package_is_made_in_small_pieces(catalogue: Catalogue) -> None:
    fill(catalogue, 5_000)
    list_pages.update_list_pages(catalogue.store)
    *pieces, manifest, end = make_package(
        ResourceSyncContext(catalogue.store, ResourceSyncLinks(SITE)), "hay", 1
    ).pieces()
    assert len(pieces) == 100
    assert max(map(len, pieces)) < 64 * 1024
    assert manifest
    assert end
