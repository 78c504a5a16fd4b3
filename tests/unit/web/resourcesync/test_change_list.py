"""What changed, told to those who keep copies."""

from __future__ import annotations

from contextlib import closing
from pathlib import Path
from tempfile import TemporaryDirectory

from hypothesis import given, settings
from hypothesis import strategies as st

from tests.contracts.store.shelf import gone
from tests.thorough import tries
from tests.unit.search.catalogue import Catalogue
from tests.unit.web.resourcesync.stage import SITE, Document, staged
from tests.unit.web.resourcesync.test_resource_list import fill
from windrow.store import sources
from windrow.store.harvests.checkpoints import move_cursor
from windrow.store.published import list_pages
from windrow.store.records.set_hierarchy import guard_set
from windrow.web.resourcesync.capability_documents import list_changes, list_resources
from windrow.web.resourcesync.resourcesync_context import ResourceSyncContext, ResourceSyncLinks


def test_every_change_is_told_in_order_at_the_address_of_what_changed(catalogue: Catalogue) -> None:
    catalogue.add("oai:1", title="Hay")
    catalogue.add("oai:1", prefix="kk", title="Hay")
    catalogue.add("oai:2", title="Straw")
    catalogue.add("oai:1", prefix="kk", title="More hay")
    catalogue.withdraw("oai:1")
    catalogue.add("oai:1", title="Hay again")
    catalogue.add("oai:3", source="oats", title="Oats")
    with staged(catalogue) as stage:
        found = stage.read("/resourcesync/hay/changelist.xml")
    assert (found.root, found.facts["capability"]) == ("urlset", "changelist")
    assert "until" not in found.facts
    assert found.changes() == [
        ("created", "/hay/oai:1?format=oai_dc"),
        ("created", "/hay/oai:1?format=kk"),
        ("created", "/hay/oai:2?format=oai_dc"),
        ("updated", "/hay/oai:1?format=kk"),
        ("deleted", "/hay/oai:1?format=oai_dc"),
        ("deleted", "/hay/oai:1?format=kk"),
        ("created", "/hay/oai:1?format=oai_dc"),
    ]
    times = [each.facts["datetime"] for each in found.items]
    assert times == sorted(times)
    assert found.facts["from"] == times[0]
    assert [each.modified for each in found.items if each.facts["change"] == "deleted"] == [None, None]


def test_both_lists_agree_on_when_something_last_changed(catalogue: Catalogue) -> None:
    for prefix in ("oai_dc", "kk", "oai_dc"):
        catalogue.add("oai:1", prefix=prefix, title=f"Hay in {prefix}")
    catalogue.add("oai:1", title="Straw")
    catalogue.add("oai:1", title="Straw", sets=("theses",))
    with staged(catalogue) as stage:
        listed = stage.read("/resourcesync/hay/resourcelist.xml").items
        changed = stage.read("/resourcesync/hay/changelist.xml").items
    latest = {each.address: each.modified for each in changed}
    assert {each.address: each.modified for each in listed} == latest


OPERATIONS = st.lists(
    st.tuples(
        st.integers(0, 3),
        st.sampled_from((None, "oai_dc", "kk", "mods")),  # None: withdrawn
        st.sampled_from("ab"),
        st.booleans(),
    ),
    min_size=1,
    max_size=30,
)


@given(OPERATIONS, st.integers(1, 7))
@settings(max_examples=tries(25), deadline=None)
def test_whoever_follows_the_changes_has_what_the_resource_list_has(
    operations: list[tuple[int, str | None, str, bool]], every: int
) -> None:
    with TemporaryDirectory() as folder, closing(Catalogue(Path(folder))) as catalogue:
        desk, copy, until = (
            ResourceSyncContext(catalogue.store, ResourceSyncLinks(SITE)),
            dict[str, str | None](),
            "",
        )
        harvested(catalogue, "oai_dc", "kk", "mods")
        for count, (number, prefix, title, is_in_set) in enumerate(operations, 1):
            if prefix is None:
                catalogue.withdraw(f"oai:{number}")
            else:
                sets = ("theses",) if is_in_set else ()
                catalogue.add(f"oai:{number}", prefix=prefix, title=title, sets=sets)
            if count % every == 0 or count == len(operations):
                list_pages.update_list_pages(catalogue.store)
                until = follow(copy, Document(b"".join(list_changes(desk, "hay", 0).pieces())), until)
                listed = Document(b"".join(list_resources(desk, "hay", 0).pieces())).items
                assert copy == {each.address: each.modified for each in listed}


def follow(copy: dict[str, str | None], found: Document, after: str) -> str:
    """Apply what changed after a time, as a client would; give the time up to which that was."""
    for each in found.items:
        if each.facts["datetime"] <= after:
            continue
        if each.facts["change"] == "deleted":
            copy.pop(each.address, None)
        else:
            copy[each.address] = each.modified
    return max((each.facts["datetime"] for each in found.items), default=after)


def harvested(catalogue: Catalogue, *prefixes: str) -> None:
    """Leave word of the formats that a source was harvested in, as a run does."""
    source_id = catalogue.shelf("hay").source_id
    with catalogue.store.writing() as connection:
        for prefix in prefixes:
            sources.format_id(connection, prefix)
            move_cursor(connection, source_id, prefix, "", next_from=None, size=None, run_id=0)


def test_closed_parts_stay_as_they_are_while_the_last_one_grows(catalogue: Catalogue) -> None:
    fill(catalogue, 25)
    with staged(catalogue, changes_a_part=10) as stage:
        index = stage.read("/resourcesync/hay/changelist.xml")
        assert (index.root, len(index.items)) == ("sitemapindex", 3)
        assert ["until" in each.facts for each in index.items] == [True, True, False]
        paths = [each.removeprefix(SITE) for each in index.addresses]
        before = [stage.ask(path).body for path in paths]
        assert [len(Document(body).items) for body in before] == [10, 10, 5]
        assert "until" in Document(before[0]).facts
        catalogue.add("oai:3", title="Straw")  # which came in the first part
        after = [stage.ask(path).body for path in paths]
        assert [old == new for old, new in zip(before, after, strict=True)] == [True, True, False]
        assert Document(after[2]).changes()[-1] == ("updated", "/hay/oai:3?format=oai_dc")


def test_a_part_that_is_just_full_is_followed_by_an_empty_one(catalogue: Catalogue) -> None:
    fill(catalogue, 10)
    with staged(catalogue, changes_a_part=10) as stage:
        assert len(stage.read("/resourcesync/hay/changelist.xml").items) == 2
        assert stage.read("/resourcesync/hay/changelist-2.xml").items == []
        assert stage.ask("/resourcesync/hay/changelist-3.xml").status == 404


def test_a_record_that_is_no_longer_hidden_is_told_of_when_it_is_freed(catalogue: Catalogue) -> None:
    catalogue.add("oai:1", title="Hay", sets=(guard_set("crew"),))
    catalogue.add("oai:2", title="Straw")
    with staged(catalogue) as stage:
        assert stage.read("/resourcesync/hay/changelist.xml").changes() == [
            ("created", "/hay/oai:2?format=oai_dc")
        ]
        tag = stage.ask("/resourcesync/hay/changelist.xml").headers["etag"]
        catalogue.add("oai:1", title="Hay")
        assert stage.ask("/resourcesync/hay/changelist.xml", If_None_Match=tag).status == 200
        found = stage.read("/resourcesync/hay/changelist.xml")
        assert found.changes()[-1] == ("updated", "/hay/oai:1?format=oai_dc")


def test_a_source_that_was_forgotten_and_came_again_has_only_its_new_changes(catalogue: Catalogue) -> None:
    fill(catalogue, 25)
    with staged(catalogue, changes_a_part=10) as stage:
        assert len(stage.read("/resourcesync/hay/changelist.xml").items) == 3
        shelf = catalogue.shelf("hay")
        with catalogue.store.writing() as connection:
            sources.forget(connection, shelf.source_id)
            assert sources.ensure(connection, "hay", "https://hay.example/oai").id == shelf.source_id
        assert stage.ask("/resourcesync/hay/changelist.xml").status == 404
        fill(catalogue, 12)
        index = stage.read("/resourcesync/hay/changelist.xml")
        assert len(index.items) == 2
        assert len(stage.read("/resourcesync/hay/changelist-1.xml").items) == 10


def test_few_changes_among_many_of_others_are_found_the_same(catalogue: Catalogue) -> None:
    catalogue.add("oai:first", source="oats", title="Oats")
    fill(catalogue, 4000)
    catalogue.shelf("hay").write(*(gone(f"oai:{number}") for number in range(50)), now=9_000)
    catalogue.add("oai:first", source="oats", title="More oats")
    with staged(catalogue) as stage:
        assert [change for change, _ in stage.read("/resourcesync/oats/changelist.xml").changes()] == [
            "created",
            "updated",
        ]
        assert len(stage.read("/resourcesync/hay/changelist.xml").items) == 4050


def test_at_twenty_thousand_records_changes_are_split_and_made_in_small_pieces(catalogue: Catalogue) -> None:
    fill(catalogue, 20_000)
    catalogue.shelf("hay").write(*(gone(f"oai:{number}") for number in range(0, 20_000, 20)), now=30_000)
    list_pages.update_list_pages(catalogue.store)
    desk = ResourceSyncContext(catalogue.store, ResourceSyncLinks(SITE))
    assert len(Document(b"".join(list_changes(desk, "hay", 0).pieces())).items) == 3
    sizes = []
    for number in (1, 2, 3):
        pieces = list(list_changes(desk, "hay", number).pieces())
        assert max(map(len, pieces)) < 128 * 1024
        sizes.append(len(Document(b"".join(pieces)).items))
    assert sizes == [10_000, 10_000, 1_000]
