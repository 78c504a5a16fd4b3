"""Payloads come back byte for byte, however they were packed."""

from __future__ import annotations

import pytest
import zstandard
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from tests.contracts.store.shelf import BackEnd, Shelf, live
from tests.thorough import tries
from windrow.model.record import Record
from windrow.store.records.payloads import BLOCK_BYTES, SAMPLES, Unpacker
from windrow.store.records.record_reader import RecordReader

PIECES = st.one_of(
    st.binary(max_size=60),
    st.text(max_size=60).map(lambda found: found.encode("utf-8", "surrogatepass")),
    st.builds(lambda piece, times: piece * times, st.binary(min_size=1, max_size=9), st.integers(1, 9000)),
    st.sampled_from([b"", b"\x00" * 40_000, bytes(range(256)) * 200]),
)
PAGES = st.lists(
    st.lists(st.tuples(PIECES, st.none() | PIECES), min_size=1, max_size=6), min_size=1, max_size=4
)


def read_all(shelf: Shelf) -> dict[str, tuple[bytes, bytes | None]]:
    with shelf.store.reading() as connection:
        batches = RecordReader().batches(connection)
        return {
            item.identifier: (item.payloads[0].data, item.payloads[0].about)
            for batch in batches
            for item in batch
        }


@settings(deadline=None, max_examples=tries(40), suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(PAGES)
def test_any_bytes_come_back_as_they_were(
    back_end: BackEnd,
    tmp_path_factory: pytest.TempPathFactory,
    pages: list[list[tuple[bytes, bytes | None]]],
) -> None:
    shelf = Shelf(back_end.create(tmp_path_factory.mktemp("library")))
    written: dict[str, tuple[bytes, bytes | None]] = {}
    for number, page in enumerate(pages):
        records = [live(f"{number}/{place}", data, about=about) for place, (data, about) in enumerate(page)]
        shelf.write(*records)
        written |= {record.identifier: (record.payload or b"", record.about or None) for record in records}
    assert read_all(shelf) == written
    shelf.store.close()


def test_a_payload_larger_than_a_block_has_one_to_itself(shelf: Shelf) -> None:
    large = b"<x>" + bytes(range(48, 120)) * (BLOCK_BYTES // 40) + b"</x>"
    shelf.write(live("a", b"<s/>"), live("b", large), live("c", b"<t/>"))
    assert read_all(shelf) == {"a": (b"<s/>", None), "b": (large, None), "c": (b"<t/>", None)}
    assert shelf.count("block") == 2


def test_small_payloads_share_a_block(shelf: Shelf) -> None:
    shelf.write(*[live(str(number), b"<x/>") for number in range(500)])
    assert shelf.count("block") == 1


def test_an_about_lies_beside_its_payload_and_does_not_run_into_the_next(shelf: Shelf) -> None:
    shelf.write(
        live("a", b"<x/>", about=b"<about>1</about>"), live("b", b"<y/>"), live("c", b"<z/>", about=b"")
    )
    assert read_all(shelf) == {
        "a": (b"<x/>", b"<about>1</about>"),
        "b": (b"<y/>", None),
        "c": (b"<z/>", None),
    }


def varied(number: int) -> bytes:
    words = " ".join(
        f"{word}{(number * prime) % 97}" for word, prime in (("hay", 7), ("barn", 11), ("mow", 13))
    )
    return (
        f"<dc><title>Thesis {number} about {words}</title><date>{1990 + number % 30}</date></dc>".encode() * 3
    )


def thesis(number: int) -> Record:
    return live(f"n{number}", varied(number))


def test_enough_records_train_a_dictionary_and_old_blocks_stay_readable(shelf: Shelf) -> None:
    writer = shelf.writer()
    with shelf.store.writing() as connection:
        writer.write(connection, [thesis(number) for number in range(100)])
    assert shelf.count("dictionary") == 0
    for start in range(100, SAMPLES + 200, 100):
        with shelf.store.writing() as connection:
            writer.write(connection, [thesis(number) for number in range(start, start + 100)])
    assert shelf.count("dictionary") == 1
    shelf.write(*[thesis(number) for number in range(5000, 5100)])
    assert shelf.count("dictionary") == 1
    with shelf.store.reading() as connection:
        used = connection.execute("SELECT DISTINCT dictionary_id FROM block").scalars()
    assert set(used) == {None, 1}
    found = read_all(shelf)
    assert len(found) == SAMPLES + 200 + 100
    assert all(data == varied(int(name[1:])) for name, (data, _) in found.items())


def test_a_source_s_dictionary_serves_only_its_own_format(shelf: Shelf) -> None:
    shelf.write(*[thesis(number) for number in range(SAMPLES)])
    assert shelf.count("dictionary") == 1
    shelf.write(*[thesis(number) for number in range(SAMPLES)], prefix="marcxml")
    Shelf(shelf.store, "straw").write(*[thesis(number) for number in range(SAMPLES)])
    assert shelf.count("dictionary") == 3


def test_samples_that_teach_nothing_leave_payloads_without_a_dictionary(shelf: Shelf) -> None:
    shelf.write(*[live(f"n{number}", b"") for number in range(SAMPLES)])
    assert shelf.count("dictionary") == 0
    assert set(read_all(shelf).values()) == {(b"", None)}


def test_more_blocks_than_one_question_takes_are_fetched(shelf: Shelf) -> None:
    shelf.write(*[live(f"n{number}", b"%03d" % number * 22000) for number in range(600)])
    assert shelf.count("block") > 500
    with shelf.store.reading() as connection:
        blocks = Unpacker().fetch(connection, range(1, shelf.count("block") + 1))
    assert len(blocks) == shelf.count("block")


def test_envelopes_are_kept_once(shelf: Shelf) -> None:
    shelf.write(*[live(str(number), declarations=b' xmlns="urn:%d"' % (number % 3)) for number in range(30)])
    assert shelf.count("envelope") == 3


def test_a_single_bit_that_turns_in_a_block_changes_no_payload_unnoticed(shelf: Shelf) -> None:
    payload = b"<x>" + b"grass and hay " * 40 + b"</x>"
    shelf.write(live("a", payload))
    with shelf.store.reading() as connection:
        data = connection.execute("SELECT data FROM block").scalar_one()
    noticed = 0
    for place in range(len(data)):
        spoilt = data[:place] + bytes([data[place] ^ 0x10]) + data[place + 1 :]
        with shelf.store.writing() as connection:
            connection.execute("UPDATE block SET data = ?", (spoilt,))
        try:  # one bit of a frame's head means nothing
            assert shelf.find("a").payloads[0].data == payload
        except zstandard.ZstdError:
            noticed += 1
    assert noticed >= len(data) - 1
