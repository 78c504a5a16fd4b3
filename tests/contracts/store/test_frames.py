"""A record is unpacked without its neighbours where a dictionary pays; what comes back is the same."""

from __future__ import annotations

from random import Random
from typing import Any

import pytest
import zstandard
from sqlalchemy import text

from tests.contracts.store.shelf import Shelf, live
from windrow.store.published.public_records import find_public_record
from windrow.store.records.payloads import (
    BLOCK_BYTES,
    FRAME_BYTES,
    LOOK_EVERY,
    SAMPLES,
    Unpacker,
    frame_at,
    unpacked_size,
)

WORDS = [f"{first}{second}" for first in ("hay", "barn", "mow", "rake", "field") for second in range(60)]


def thesis(number: int) -> bytes:
    """A record that has much of its source's and little of its neighbours'."""
    random = Random(number)
    said = " ".join(random.choice(WORDS) for _ in range(60))
    return (
        f'<oai_dc:dc xmlns:oai_dc="urn:oai_dc" xmlns:dc="urn:dc"><dc:title>Thesis {number}</dc:title>'
        f"<dc:description>{said}</dc:description><dc:date>{1990 + number % 30}</dc:date></oai_dc:dc>"
    ).encode()


@pytest.fixture
def framed(shelf: Shelf) -> Shelf:
    """A source with a dictionary and full blocks that came after it."""
    shelf.write(*[live(f"n{number}", thesis(number)) for number in range(SAMPLES)])
    shelf.write(*[live(f"n{number}", thesis(number)) for number in range(SAMPLES, SAMPLES + 300)])
    return shelf


def blocks(shelf: Shelf) -> list[tuple[int, int | None, bytes]]:
    with shelf.store.reading() as connection:
        rows = connection.exec_driver_sql("SELECT id, dictionary_id, data FROM block ORDER BY id")
        return [tuple(row) for row in rows]


def places(shelf: Shelf) -> list[tuple[str, int, int, int]]:
    """Where the payload of each record lies."""
    query = (
        "SELECT r.identifier, p.block_id, p.start, p.start + p.length FROM payload p"
        " JOIN record r ON r.id = p.record_id ORDER BY r.id"
    )
    with shelf.store.reading() as connection:
        return [tuple(row) for row in connection.exec_driver_sql(query)]


def part(shelf: Shelf, block: tuple[Any, ...], start: int, end: int) -> bytes:
    with shelf.store.reading() as connection:
        return Unpacker().part(connection, block, start, end)


def test_full_blocks_are_packed_in_pieces_and_each_record_is_in_one(framed: Shelf) -> None:
    known = {number: (number, by, data) for number, by, data in blocks(framed)}
    pieces = {block: unpacked_size(data) for block, _, data in known.values()}
    assert {known[block][1] for block, size in pieces.items() if size} == {1}
    assert max(size or 0 for size in pieces.values()) >= BLOCK_BYTES
    for name, block, start, end in places(framed):
        assert part(framed, known[block], start, end) == thesis(int(name[1:]))
        frame = frame_at(known[block][2], start)
        if pieces[block]:
            assert frame is not None
            assert frame[2] <= start < end <= frame[3] <= frame[2] + FRAME_BYTES + 2 * (end - start)


def test_whole_blocks_are_their_pieces_one_after_another(framed: Shelf) -> None:
    with framed.store.reading() as connection:
        whole = Unpacker().fetch(connection, [number for number, _, _ in blocks(framed)])
    for name, block, start, end in places(framed):
        assert whole[block][start:end] == thesis(int(name[1:]))


def test_any_zstd_unpacks_a_block(framed: Shelf) -> None:
    with framed.store.reading() as connection:
        ((trained,),) = connection.exec_driver_sql("SELECT data FROM dictionary").all()
        block, by, data = next(each for each in blocks(framed) if unpacked_size(each[2]))
        whole = Unpacker().fetch(connection, [block])[block]
    assert by == 1
    plain = zstandard.ZstdDecompressor(dict_data=zstandard.ZstdCompressionDict(trained))
    assert plain.stream_reader(data, read_across_frames=True).read() == whole


def test_records_like_their_neighbours_and_not_like_the_first_are_packed_as_one(shelf: Shelf) -> None:
    shelf.write(*[live(f"n{number}", thesis(number)) for number in range(SAMPLES)])
    chapter = Random(1).randbytes(1500).hex().encode()
    shelf.write(*[live(f"c{number}", b"<c n='%d'>%b</c>" % (number, chapter)) for number in range(200)])
    full = [(by, unpacked_size(data)) for _, by, data in blocks(shelf)[-5:-1]]
    assert full == [(None, None)] * 4
    known = {number: (number, by, data) for number, by, data in blocks(shelf)}
    for name, block, start, end in places(shelf)[SAMPLES:]:
        assert part(shelf, known[block], start, end) == b"<c n='%d'>%b</c>" % (int(name[1:]), chapter)


def test_a_record_that_fills_a_block_alone_needs_no_dictionary(framed: Shelf) -> None:
    whole = b"<text>" + b" ".join(thesis(number) for number in range(100)) + b"</text>"
    framed.write(live("book", whole))
    number, by, data = blocks(framed)[-1]
    assert (by, unpacked_size(data)) == (None, None)
    assert part(framed, (number, by, data), 0, len(whole)) == whole


def test_both_ways_are_tried_again_after_a_while(shelf: Shelf) -> None:
    shelf.write(*[live(f"n{number}", thesis(number)) for number in range(SAMPLES)])
    chapter = Random(1).randbytes(1500).hex().encode()
    filling = LOOK_EVERY * (BLOCK_BYTES // len(chapter) + 1)
    writer = shelf.writer()
    with shelf.store.writing() as connection:
        writer.write(
            connection, [live(f"c{number}", b"%d%b" % (number, chapter)) for number in range(filling)]
        )
        writer.write(connection, [live(f"m{number}", thesis(number)) for number in range(1000, 1400)])
    assert unpacked_size(blocks(shelf)[-2][2])


def test_a_single_bit_that_turns_changes_no_record_unnoticed(framed: Shelf) -> None:
    number, by, data = next(each for each in blocks(framed) if unpacked_size(each[2]))
    mine = [place for place in places(framed) if place[1] == number]
    name, _, start, end = mine[len(mine) // 2]
    table = [*range(200), *range(200, len(data), 97)]
    for place in table:
        spoilt = data[:place] + bytes([data[place] ^ 0x10]) + data[place + 1 :]
        try:
            assert part(framed, (number, by, spoilt), start, end) == thesis(int(name[1:]))
        except (zstandard.ZstdError, MemoryError):
            continue
    for place in table:
        spoilt = data[:place] + bytes([data[place] ^ 0x10]) + data[place + 1 :]
        with framed.store.writing() as connection:
            connection.execute(
                text("UPDATE block SET data = :data WHERE id = :id"), {"data": spoilt, "id": number}
            )
            try:
                whole = Unpacker().fetch(connection, [number])[number]
            except (zstandard.ZstdError, MemoryError):
                continue
            assert all(whole[start:end] == thesis(int(name[1:])) for name, _, start, end in mine)


def test_a_block_that_was_cut_off_is_noticed(framed: Shelf) -> None:
    number, by, data = next(each for each in blocks(framed) if unpacked_size(each[2]))
    with framed.store.writing() as connection:
        connection.execute(
            text("UPDATE block SET data = :data WHERE id = :id"), {"data": data[:-400], "id": number}
        )
        with pytest.raises(zstandard.ZstdError):
            Unpacker().fetch(connection, [number])
    for frame in (b"", data[:8], data[:40]):
        with pytest.raises(zstandard.ZstdError):
            part(framed, (number, by, frame), 0, 10)


def test_a_place_outside_of_a_block_is_an_error_and_an_empty_record_none(framed: Shelf) -> None:
    block = next(each for each in blocks(framed) if unpacked_size(each[2]))
    size = unpacked_size(block[2]) or 0
    assert part(framed, block, size, size) == b""
    for start, end in ((size, size + 1), (size - 1, size + 1), (0, size)):
        with pytest.raises(zstandard.ZstdError):
            part(framed, block, start, end)


def test_empty_records_lie_between_others(shelf: Shelf) -> None:
    shelf.write(*[live(f"n{number}", thesis(number)) for number in range(SAMPLES)])
    mixed = [b"" if number % 3 else thesis(number) for number in range(200)]
    shelf.write(*[live(f"m{number}", data) for number, data in enumerate(mixed)])
    known = {number: (number, by, data) for number, by, data in blocks(shelf)}
    for name, block, start, end in places(shelf)[SAMPLES:]:
        assert part(shelf, known[block], start, end) == mixed[int(name[1:])]


def test_a_dictionary_that_has_the_number_of_a_forgotten_one_is_read_anew(framed: Shelf) -> None:
    block = next(each for each in blocks(framed) if unpacked_size(each[2]))
    known: dict[int | None, zstandard.ZstdDecompressor] = {}
    with framed.store.reading() as connection:
        before = Unpacker(known).part(connection, block, 0, 40)
    other = zstandard.train_dictionary(4096, [Random(n).randbytes(400).hex().encode() for n in range(300)])
    known[1] = zstandard.ZstdDecompressor(dict_data=zstandard.ZstdCompressionDict(other.as_bytes()))
    with framed.store.reading() as connection:
        assert Unpacker(known).part(connection, block, 0, 40) == before
        assert Unpacker(known).part(connection, block, 0, 40) == before


def test_the_page_of_a_record_reads_it_with_what_was_said_about_it(framed: Shelf) -> None:
    more = [live(f"a{number}", thesis(number), about=b"<about>%d</about>" % number) for number in range(200)]
    framed.write(*more)
    with framed.store.reading() as connection:
        for number in (0, 7, 199):
            found = find_public_record(connection, "hay", f"a{number}", most_past=1)
            assert found is not None
            payload = found.record.payloads[0]
            assert (payload.data, payload.about) == (thesis(number), b"<about>%d</about>" % number)


def test_no_block_is_read_of_a_record_that_is_too_large_for_now(framed: Shelf) -> None:
    asked: list[str] = []
    with framed.store.reading() as connection:
        connection.raw.set_trace_callback(asked.append)
        small, large = len(thesis(5)) - 1, len(thesis(5))
        assert find_public_record(connection, "hay", "n5", most_past=1, most_bytes=small) is None
        assert not [statement for statement in asked if " block " in statement]
        assert find_public_record(connection, "hay", "n5", most_past=1, most_bytes=large) is not None
        assert [statement for statement in asked if " block " in statement]
        connection.raw.set_trace_callback(None)
