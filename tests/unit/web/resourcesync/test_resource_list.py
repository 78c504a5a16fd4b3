"""What there is, told to those who keep copies."""

from __future__ import annotations

import gzip
import hashlib
import socket
from contextlib import ExitStack

from tests.contracts.store.shelf import live
from tests.servers.asgi import WAIT_SECONDS, AsgiServer
from tests.unit.search.catalogue import DECLARATIONS, Catalogue, metadata
from tests.unit.web.resourcesync.stage import SITE, Document, staged
from windrow.search.record_view import RecordView, find_record
from windrow.store.published import list_pages
from windrow.store.records.set_hierarchy import guard_set
from windrow.web.app import WebApplication
from windrow.web.layout.site import SiteAddress
from windrow.web.resourcesync.capability_documents import list_resources
from windrow.web.resourcesync.resourcesync_context import ResourceSyncContext, ResourceSyncLinks
from windrow.web.resourcesync.resourcesync_front_end import MAX_LISTS, resourcesync_front_ends

ODD = "oai:x/a b?c#d%2F&<\"'é/../z"


def test_each_record_is_listed_once_in_each_of_its_formats(catalogue: Catalogue) -> None:
    catalogue.add("oai:1", title="Hay")
    catalogue.add("oai:1", prefix="kk", title="Hay too")
    catalogue.add("oai:2", title="Straw")
    with staged(catalogue) as stage:
        found = stage.read("/resourcesync/hay/resourcelist.xml")
    assert (found.root, found.facts["capability"]) == ("urlset", "resourcelist")
    assert found.addresses == [
        f"{SITE}/record/hay/oai:1?format=oai_dc",
        f"{SITE}/record/hay/oai:1?format=kk",
        f"{SITE}/record/hay/oai:2?format=oai_dc",
    ]
    assert found.items[0].links == {
        "describes": f"{SITE}/record/hay/oai:1",
        "collection": f"{SITE}/gateway/hay/",
    }


def test_length_and_hash_are_those_of_what_is_served(catalogue: Catalogue) -> None:
    catalogue.add(ODD, title="Hay & straw")
    with staged(catalogue) as stage:
        (item,) = stage.read("/resourcesync/hay/resourcelist.xml").items
    served = find_record(catalogue.store, "hay", ODD)
    assert isinstance(served, RecordView)
    data = served.raws[0].data
    assert item.facts == {
        "length": str(len(data)),
        "hash": f"sha-256:{hashlib.sha256(data).hexdigest()}",
        "type": "text/xml",
    }


def test_a_format_that_did_not_change_keeps_its_time(catalogue: Catalogue) -> None:
    catalogue.add("oai:1", title="Hay")
    catalogue.add("oai:1", prefix="kk", title="Hay")
    with staged(catalogue) as stage:
        before = stage.read("/resourcesync/hay/resourcelist.xml").items
        catalogue.add("oai:1", prefix="kk", title="Straw")
        after = stage.read("/resourcesync/hay/resourcelist.xml")
    assert after.items[0] == before[0]
    assert str(after.items[1].modified) > str(before[1].modified)
    assert after.facts["at"] == after.items[1].modified


def test_what_is_deleted_or_guarded_is_not_listed(catalogue: Catalogue) -> None:
    catalogue.add("oai:1", title="Hay")
    catalogue.add("oai:2", title="Gone")
    catalogue.withdraw("oai:2")
    catalogue.add("oai:3", title="Secret", sets=(guard_set("crew"),))
    with staged(catalogue) as stage:
        assert stage.read("/resourcesync/hay/resourcelist.xml").addresses == [
            f"{SITE}/record/hay/oai:1?format=oai_dc"
        ]
        assert b"oai:3" not in stage.ask("/resourcesync/hay/changelist.xml").body
        assert b"oai:3" not in stage.package("/resourcesync/hay/resourcedump-1.zip").read("manifest.xml")


def test_a_long_list_comes_in_parts_that_only_change_with_their_records(catalogue: Catalogue) -> None:
    fill(catalogue, 450)
    with staged(catalogue, leaves_a_part=1) as stage:
        index = stage.read("/resourcesync/hay/resourcelist.xml")
        assert (index.root, len(index.items)) == ("sitemapindex", 3)
        paths = [each.removeprefix(SITE) for each in index.addresses]
        parts = [stage.read(path) for path in paths]
        assert [len(part.items) for part in parts] == [200, 200, 50]
        assert {part.links["index"] for part in parts} == {f"{SITE}/resourcesync/hay/resourcelist.xml"}
        tags = [stage.ask(path).headers["etag"] for path in paths]
        catalogue.add("oai:300", title="Straw")
        renewed = stage.read("/resourcesync/hay/resourcelist.xml")
        assert [stage.ask(path).headers["etag"] == tag for path, tag in zip(paths, tags, strict=True)] == [
            True,
            False,
            True,
        ]
        moved = [old != new for old, new in zip(index.items, renewed.items, strict=True)]
        assert moved == [False, True, False]


def test_a_list_is_compressed_for_those_who_take_it(catalogue: Catalogue) -> None:
    fill(catalogue, 30)
    with staged(catalogue) as stage:
        got = stage.ask("/resourcesync/hay/resourcelist.xml", Accept_Encoding="gzip")
    assert got.headers["content-encoding"] == "gzip"
    assert len(Document(gzip.decompress(got.body)).items) == 30


def test_at_twenty_thousand_records_lists_are_split_and_made_in_small_pieces(catalogue: Catalogue) -> None:
    fill(catalogue, 20_000)
    list_pages.update_list_pages(catalogue.store)
    desk = ResourceSyncContext(catalogue.store, ResourceSyncLinks(SITE))
    index = Document(b"".join(list_resources(desk, "hay", 0).pieces()))
    assert len(index.items) == 4
    found: set[str] = set()
    for number in range(1, 5):
        paper = list_resources(desk, "hay", number)
        assert paper.is_long
        pieces = list(paper.pieces())
        assert max(map(len, pieces)) < 64 * 1024
        found.update(Document(b"".join(pieces)).addresses)
    assert found == {f"{SITE}/record/hay/oai:{number}?format=oai_dc" for number in range(20_000)}


def fill(catalogue: Catalogue, count: int) -> None:
    """Let so many records come, a thousand at a time."""
    for start in range(0, count, 1000):
        records = [
            live(f"oai:{number}", metadata(title=f"Hay {number}"), declarations=DECLARATIONS)
            for number in range(start, min(start + 1000, count))
        ]
        catalogue.shelf("hay").write(*records, now=1_000 + start)


def test_where_too_many_long_lists_are_being_sent_it_is_put_off(catalogue: Catalogue) -> None:
    catalogue.add("oai:1", title="Hay")
    with staged(catalogue, take_list=lambda _pieces, _client: None) as stage:
        for name in ("resourcelist", "changelist"):
            got = stage.ask(f"/resourcesync/hay/{name}.xml")
            assert (got.status, got.headers["retry-after"]) == (503, "60")
        assert stage.ask("/resourcesync/hay/capabilitylist.xml").status == 200
        assert stage.ask("/resourcesync/hay/resourcedump-1.zip").status == 200


def test_lists_that_are_not_read_keep_nobody_waiting_and_only_so_many_stay_open(catalogue: Catalogue) -> None:
    fill(catalogue, 4_000)
    list_pages.update_list_pages(catalogue.store)
    faces = resourcesync_front_ends(catalogue.store, SITE, slow_seconds=3600)  # however slow this machine is
    with (
        AsgiServer(WebApplication(faces, site=SiteAddress(SITE, "The barn")), send_bytes=16_384) as server,
        ExitStack() as stack,
    ):

        def begin(client: int) -> bytes:
            reader = stack.enter_context(socket.socket())
            reader.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 2048)
            reader.settimeout(WAIT_SECONDS)
            reader.connect(("127.0.0.1", server.port))
            lines = f"Host: x\r\nX-Forwarded-For: 203.0.113.{client}\r\n\r\n"
            reader.sendall(f"GET /resourcesync/hay/changelist.xml HTTP/1.1\r\n{lines}".encode())
            return reader.recv(12)[9:]

        assert [begin(1) for _ in range(MAX_LISTS // 2 + 1)] == [b"200"] * (MAX_LISTS // 2) + [b"503"]
        assert begin(2) == b"200"
        assert server.ask("/resourcesync/hay/capabilitylist.xml").status == 200
