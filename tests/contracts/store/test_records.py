"""Records written and read back: what counts as new, changed, gone, and what does not count at all."""

from __future__ import annotations

import pytest

from tests.contracts.store.shelf import Shelf, gone, live, numbers
from windrow.store import sources
from windrow.store.records.record_reader import RecordReader, count_records, find_stamps_in_format
from windrow.store.records.set_hierarchy import guard_set


def test_a_new_record_is_added_and_reads_back_whole(shelf: Shelf) -> None:
    counters = shelf.write(live("a", b"<x>1</x>", sets=("s", "t"), about=b"<about/>"), now=1234)
    assert numbers(counters) == {"seen": 1, "added": 1}
    found = shelf.find("a")
    assert (found.source, found.identifier, found.stamp) == ("hay", "a", "2024-05-01")
    assert (found.is_deleted, found.sets) == (False, ("s", "t"))
    assert (found.added_run, found.changed_run) == (shelf.run_id, shelf.run_id)
    assert found.changed_at.timestamp() == 1234
    (payload,) = found.payloads
    assert (payload.prefix, payload.data, payload.about) == ("oai_dc", b"<x>1</x>", b"<about/>")
    assert payload.declarations == b' xmlns:dc="urn:dc"'


def test_the_same_record_again_changes_nothing(shelf: Shelf) -> None:
    shelf.write(live("a"), live("b"))
    before, last = shelf.find("a"), shelf.last_seq()
    assert numbers(shelf.write(live("a"), live("b"))) == {"seen": 2, "unchanged": 2}
    assert shelf.find("a") == before
    assert shelf.last_seq() == last


def test_a_changed_payload_moves_the_record_to_the_end_of_the_sequence(shelf: Shelf) -> None:
    shelf.write(live("a", b"<x>1</x>"), live("b"))
    before = shelf.find("a")
    assert numbers(shelf.write(live("a", b"<x>2</x>", stamp="2024-06-01"))) == {"seen": 1, "changed": 1}
    found = shelf.find("a")
    assert found.payloads[0].data == b"<x>2</x>"
    assert found.id == before.id
    assert found.seq > shelf.find("b").seq
    assert (found.added_run, found.changed_run) == (before.added_run, shelf.run_id)
    assert found.stamp == "2024-06-01"


def test_other_namespaces_around_the_same_bytes_are_a_change(shelf: Shelf) -> None:
    shelf.write(live("a"))
    changed = live("a", declarations=b' xmlns:dc="urn:other"')
    assert numbers(shelf.write(changed)) == {"seen": 1, "changed": 1}
    assert shelf.find("a").payloads[0].declarations == b' xmlns:dc="urn:other"'


def test_a_new_datestamp_alone_is_noted_but_no_change(shelf: Shelf) -> None:
    shelf.write(live("a"))
    before, last = shelf.find("a"), shelf.last_seq()
    assert numbers(shelf.write(live("a", stamp="2024-07-01"))) == {"seen": 1, "unchanged": 1}
    found = shelf.find("a")
    assert (found.stamp, found.seq, found.changed_run) == ("2024-07-01", before.seq, before.changed_run)
    assert shelf.last_seq() == last


def test_other_sets_are_a_change(shelf: Shelf) -> None:
    shelf.write(live("a", sets=("s",)))
    before = shelf.find("a")
    assert numbers(shelf.write(live("a", sets=("s", "t")))) == {"seen": 1, "changed": 1}
    found = shelf.find("a")
    assert found.sets == ("s", "t")
    assert found.seq > before.seq
    assert [change.kind for change in shelf.history("a")] == ["sets"]
    assert found.payloads == before.payloads


def test_the_same_sets_in_another_order_are_no_change(shelf: Shelf) -> None:
    shelf.write(live("a", sets=("s", "t")))
    assert numbers(shelf.write(live("a", sets=("t", "s")))) == {"seen": 1, "unchanged": 1}


def test_a_tombstone_takes_the_payload_and_keeps_the_sets(shelf: Shelf) -> None:
    shelf.write(live("a", sets=("s",)))
    assert numbers(shelf.write(gone("a"))) == {"seen": 1, "deleted": 1}
    found = shelf.find("a")
    assert (found.is_deleted, found.payloads, found.sets) == (True, (), ("s",))
    assert found.stamp == "2024-05-02"


def test_a_tombstone_with_sets_of_its_own_has_those(shelf: Shelf) -> None:
    shelf.write(live("a", sets=("s",)))
    shelf.write(gone("a", sets=("t",)))
    assert shelf.find("a").sets == ("t",)


def test_a_tombstone_for_what_was_never_here_is_kept(shelf: Shelf) -> None:
    assert numbers(shelf.write(gone("a", sets=("s",)))) == {"seen": 1, "deleted": 1}
    assert shelf.find("a").is_deleted
    assert numbers(shelf.write(gone("a", sets=("s",)))) == {"seen": 1, "unchanged": 1}


def test_a_restored_record_has_its_new_payload(shelf: Shelf) -> None:
    shelf.write(live("a", b"<x>1</x>"))
    shelf.write(gone("a"))
    assert numbers(shelf.write(live("a", b"<x>1</x>"))) == {"seen": 1, "changed": 1}
    found = shelf.find("a")
    assert not found.is_deleted
    assert found.payloads[0].data == b"<x>1</x>"
    assert [change.kind for change in shelf.history("a")] == ["deleted", "restored"]


def test_of_duplicates_in_one_page_the_last_counts(shelf: Shelf) -> None:
    counters = shelf.write(live("a", b"<x>1</x>"), live("b"), live("a", b"<x>2</x>"))
    assert numbers(counters) == {"seen": 3, "added": 2, "duplicates": 1}
    assert shelf.find("a").payloads[0].data == b"<x>2</x>"
    again = shelf.write(live("a", b"<x>3</x>"), gone("a"))
    assert numbers(again) == {"seen": 2, "deleted": 1, "duplicates": 1}
    assert shelf.find("a").is_deleted


def test_a_second_format_is_added_beside_the_first(shelf: Shelf) -> None:
    shelf.write(live("a", b"<x>dc</x>"))
    counters = shelf.write(live("a", b"<x>marc</x>"), prefix="marcxml")
    assert numbers(counters) == {"seen": 1, "supplemented": 1}
    found = shelf.find("a")
    assert {item.prefix: item.data for item in found.payloads} == {
        "oai_dc": b"<x>dc</x>",
        "marcxml": b"<x>marc</x>",
    }
    chosen = found.payload("marcxml")
    assert chosen is not None
    assert chosen.data == b"<x>marc</x>"
    assert found.payload("mods") is None
    assert [change.kind for change in shelf.history("a")] == ["format"]


def test_formats_change_each_by_itself_and_go_together(shelf: Shelf) -> None:
    shelf.write(live("a", b"<x>dc</x>"))
    shelf.write(live("a", b"<x>marc</x>"), prefix="marcxml")
    shelf.write(live("a", b"<x>marc 2</x>"), prefix="marcxml")
    assert {item.data for item in shelf.find("a").payloads} == {b"<x>dc</x>", b"<x>marc 2</x>"}
    shelf.write(gone("a"), prefix="marcxml")
    assert shelf.find("a").payloads == ()


def test_a_writer_without_a_format_buries(shelf: Shelf) -> None:
    shelf.write(live("a", b"<x>1</x>"), live("b"))
    assert numbers(shelf.write(gone("a"), prefix=None)) == {"seen": 1, "deleted": 1}
    assert shelf.find("a").is_deleted
    assert shelf.history("a")[0].before is not None


def test_two_sources_may_use_one_identifier(shelf: Shelf) -> None:
    other = Shelf(shelf.store, "straw")
    shelf.write(live("a", b"<x>hay</x>"))
    assert numbers(other.write(live("a", b"<x>straw</x>"))) == {"seen": 1, "added": 1}
    with shelf.store.reading() as connection:
        found = RecordReader().find(connection, "a")
    assert [item.source for item in found] == ["hay", "straw"]
    assert other.find("a").payloads[0].data == b"<x>straw</x>"


def test_more_identifiers_than_one_question_takes_are_known_again(shelf: Shelf) -> None:
    records = [live(f"n{number}", f"<x>{number}</x>".encode()) for number in range(2500)]
    assert numbers(shelf.write(*records)) == {"seen": 2500, "added": 2500}
    assert numbers(shelf.write(*records)) == {"seen": 2500, "unchanged": 2500}


@pytest.mark.parametrize("identifier", ["", "x" * 5000, "a'b\"c%_\\", "日本𐐷", " spaced ", "a\nb"])
def test_any_text_may_be_an_identifier(shelf: Shelf, identifier: str) -> None:
    shelf.write(live(identifier))
    assert shelf.find(identifier).identifier == identifier
    assert numbers(shelf.write(live(identifier))) == {"seen": 1, "unchanged": 1}


def test_the_sequence_only_ever_grows_and_no_two_records_share_a_number(shelf: Shelf) -> None:
    seen: list[int] = []
    for payload in (b"<x>1</x>", b"<x>2</x>", b"<x>3</x>"):
        shelf.write(live("a", payload), live("b", payload), gone("c"))
        seen += [shelf.find(name).seq for name in ("a", "b")]
    assert seen == sorted(set(seen))
    assert shelf.last_seq() == seen[-1]
    assert shelf.find("c").seq not in seen


def test_batches_give_every_record_once_in_order(shelf: Shelf) -> None:
    shelf.write(*[live(f"n{number:04}") for number in range(1203)], gone("gone"))
    Shelf(shelf.store, "straw").write(live("other"))
    with shelf.store.reading() as connection:
        reader = RecordReader()
        batches = list(reader.batches(connection, sources=("hay",)))
        deleted = [item for batch in reader.batches(connection, include_deleted=True) for item in batch]
        later = [item.id for batch in reader.batches(connection, after=1200) for item in batch]
    names = [item.identifier for batch in batches for item in batch]
    assert len(batches) > 2
    assert names == [f"n{number:04}" for number in range(1203)]
    assert {item.identifier for item in deleted} == {*names, "gone", "other"}
    assert later == sorted(later)
    assert min(later) == 1201


def test_batches_in_one_format_hold_only_that(shelf: Shelf) -> None:
    shelf.write(live("a", b"<x>dc</x>"), live("b"))
    shelf.write(live("a", b"<x>marc</x>"), prefix="marcxml")
    with shelf.store.reading() as connection:
        (batch,) = RecordReader().batches(connection, prefix="marcxml")
    payloads = {item.identifier: [found.prefix for found in item.payloads] for item in batch}
    assert payloads.get("a") == ["marcxml"]
    assert payloads.get("b", []) == []


def test_records_from_anywhere_read_back_whole_however_they_were_packed(shelf: Shelf) -> None:
    """More of them than teach a dictionary, in two formats, one too large for a block with others."""
    texts = {
        f"n{place}": f"<x>{place} {'hay and straw ' * (place % 50)}</x>".encode() for place in range(900)
    }
    texts["n700"] = b"<x>" + b"large " * 20_000 + b"</x>"
    shelf.write(*(live(name, text, about=b"<about/>") for name, text in texts.items()))
    shelf.write(*(live(name, b"<y>" + text + b"</y>") for name, text in texts.items()), prefix="marcxml")
    chosen = [shelf.find(name) for name in ("n899", "n700", "n3", "n4", "n450")]
    with shelf.store.reading() as connection:
        found = RecordReader().get(connection, [record.id for record in chosen])
    assert found == {record.id: record for record in chosen}
    for record in found.values():
        first, second = record.payloads
        assert (first.prefix, first.data, first.about) == ("oai_dc", texts[record.identifier], b"<about/>")
        assert (second.prefix, second.data) == ("marcxml", b"<y>" + texts[record.identifier] + b"</y>")


def test_a_dictionary_with_the_number_of_one_that_is_gone_is_not_taken_for_it(shelf: Shelf) -> None:
    """The library forgets a source, and its numbers are given again; connections stay open."""
    for word in ("hay", "straw"):
        source = Shelf(shelf.store, word)
        texts = {f"n{place}": f"<x>{word} {place} {word * 20}</x>".encode() for place in range(900)}
        source.write(*(live(name, text) for name, text in texts.items()))
        assert source.find("n5").payloads[0].data == texts["n5"]
        with shelf.store.writing() as connection:
            assert connection.execute("SELECT COUNT(*) FROM dictionary").scalar() == 1
            sources.forget(connection, source.source_id)


def test_those_that_are_shown_are_live_and_for_everybody(shelf: Shelf) -> None:
    guard = guard_set("secret")
    shelf.write(live("a", sets=("s",)), live("b", sets=("s", guard)), gone("c"), live("d"))
    asked = [shelf.find(name).id for name in "abcd"]
    with shelf.store.reading() as connection:
        found = RecordReader().get(connection, [*asked, 999_999], public_only=True)
    assert {record.identifier: record.sets for record in found.values()} == {"a": ("s",), "d": ()}


def test_records_are_counted_by_source_and_state(shelf: Shelf) -> None:
    shelf.write(live("a"), live("b"), gone("c"))
    Shelf(shelf.store, "straw").write(live("d"))
    with shelf.store.reading() as connection:
        assert count_records(connection) == 3
        assert count_records(connection, include_deleted=True) == 4
        assert count_records(connection, sources=("hay",), include_deleted=True) == 3


def test_the_stamps_of_what_is_present_are_given_by_format(shelf: Shelf) -> None:
    shelf.write(live("a", stamp="2024-01-01"), live("b", stamp="2024-01-02"), gone("c"))
    shelf.write(live("b", b"<y/>", stamp="2024-01-02"), prefix="marcxml")
    with shelf.store.reading() as connection:
        names = ["a", "b", "c", "d"]
        assert find_stamps_in_format(connection, shelf.source_id, names, 1) == {
            "a": "2024-01-01",
            "b": "2024-01-02",
        }
        assert find_stamps_in_format(connection, shelf.source_id, names, 2) == {"b": "2024-01-02"}
