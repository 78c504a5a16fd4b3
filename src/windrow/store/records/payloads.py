"""Compressed payloads: several in one block, with a dictionary trained per source where that pays.

Blocks are only ever added. The former payload of a changed record stays in its old block, where the history
refers to it; the blocks of a source are deleted with the source.
"""

from __future__ import annotations

import struct
import threading
from bisect import bisect_left, bisect_right
from collections.abc import Iterable, Iterator, Sequence
from functools import cache
from itertools import accumulate, islice, repeat
from typing import Any, Protocol
from zlib import crc32

import zstandard

from windrow.store.connection import Connection

# Frames: several compressed pieces in one block, so that one record can be unpacked without the others. A hot
# path. A table in front of the pieces holds where each ends, packed and unpacked, in a skippable frame of
# zstd, so that any zstd can unpack the whole. The table is trusted without unpacking the data, so it has its
# own checksum.

_SKIPPED = 0x184D2A57  # the magic number of a skippable frame
# Magic number, bytes that follow, and the checksum of all of them except itself.
_HEAD = struct.Struct("<III")
_SUM_BYTES = 4
_ENDS_BYTES = 8  # for one piece

# A piece as byte ranges, in the block and in the unpacked block: start, end, start, end.
Frame = tuple[int, int, int, int]


def join_frames(packed: Sequence[bytes], sizes: Sequence[int]) -> bytes:
    """Build one block from compressed pieces, given their unpacked sizes."""
    count = len(packed)
    ends = accumulate(map(len, packed), initial=_frame_offset(count))
    table = _frame_numbers(count).pack(*accumulate(sizes), *islice(ends, 1, None))
    return b"".join((_HEAD.pack(_SKIPPED, len(table) + _SUM_BYTES, crc32(table)), table, *packed))


def unpacked_size(data: bytes) -> int | None:
    """Return the unpacked size of a block; None for a single piece without a table."""
    found = _frame_table(data)
    return None if found is None else found[len(found) // 2 - 1]


def frame_at(data: bytes, place: int) -> Frame | None:
    """Return the piece with this byte of the unpacked block; None for a single piece without a table."""
    found = _frame_table(data)
    if found is None:
        return None
    count = len(found) >> 1
    number = bisect_right(found, place, 0, count)
    if number == count:
        raise zstandard.ZstdError("a block ends before a place in it")
    if number:
        return found[count + number - 1], found[count + number], found[number - 1], found[number]
    return _frame_offset(count), found[count], 0, found[0]


def _frame_table(data: bytes) -> tuple[int, ...] | None:
    """Return the ends of the pieces: of the unpacked block, then of the packed one."""
    if len(data) < _HEAD.size:
        return None
    mark, size, checksum = _HEAD.unpack_from(data)
    if mark != _SKIPPED:
        return None
    end = _HEAD.size - _SUM_BYTES + size
    if crc32(data[_HEAD.size : end]) != checksum:
        raise zstandard.ZstdError("the table of a block is damaged")
    return _frame_numbers(size >> 3).unpack_from(data, _HEAD.size)


def _frame_offset(count: int) -> int:
    return _HEAD.size + count * _ENDS_BYTES


@cache
def _frame_numbers(count: int) -> struct.Struct:
    return struct.Struct(f"<{count * 2}I")


# With a dictionary, only every third byte is looked up, and unmatched data is left as it is: a fifth larger,
# about the size of a block packed as one, and as fast.
LEVEL = 1
HASH_LOG = 15  # four times the default of this level for such small inputs: faster, and no larger
# With a dictionary, only every third byte is looked up, and incompressible data is left as it is: a fifth
# larger, about the size of a block packed as one, and as fast.
STEP = 3
SAMPLES = 300  # records per source and format to train a dictionary on
SAMPLE_BYTES = 8 * 1024 * 1024
DICTIONARY_BYTES = 64 * 1024
# Of payloads in one block; a larger payload has a block of its own.
BLOCK_BYTES = 32 * 1024
# Of payloads compressed together where there is a dictionary: what is unpacked for one record.
FRAME_BYTES = 4 * 1024
# Where records resemble their neighbours more than the first records of their source, a dictionary helps less
# than the rest of the block does; then the block is compressed as one.
MAX_LARGER = 1.2  # times the size of a block compressed as one
LOOK_EVERY = 64  # full blocks, after which both ways are tried again
MAX_BLOCK_BYTES = 1 << 30  # upper limit of the unpacked size
MAX_DICTIONARIES = 50  # cached, of 100 KB each

_CACHED_BLOCKS = 128
_CHUNK = 500
_ADD_BLOCK = "INSERT INTO block VALUES (?, ?, ?, ?)"
_BLOCKS = "SELECT id, dictionary_id, data FROM block WHERE id IN ({})"
_DICTIONARY = "SELECT data FROM dictionary WHERE id = ?"
_NEWEST = "SELECT id, data FROM dictionary WHERE source_id = ? AND format_id = ? ORDER BY id DESC LIMIT 1"
_ADD_DICTIONARY = "INSERT INTO dictionary (source_id, format_id, data) VALUES (?, ?, ?)"

Block = Sequence[Any]  # its number, the dictionary it was packed with if any, and the packed bytes


class Queries(Protocol):
    """The interface blocks are read through: the store's connection or an equivalent."""

    def execute(self, statement: str, parameters: Any, /) -> Iterable[Any]:
        """Run a statement and return its rows."""


class Packer:
    """Packs payloads of one source and format into blocks; trains a dictionary after enough samples.

    Not thread-safe. Blocks and dictionary are stored in the current transaction.
    """

    def __init__(self, source_id: int, format_id: int) -> None:
        self._source_id = source_id
        self._format_id = format_id
        self._dictionary_id: int | None = None
        self._plain = self._trained = zstandard.ZstdCompressor(compression_params=_shape())
        self._samples: list[bytes | bytearray | memoryview[int]] = []
        self._is_loaded = False
        self._is_sampling = True
        self._is_framing = True
        self._unlooked = 0  # full blocks until both ways are tried again

    def pack(self, connection: Connection, payloads: Sequence[bytes]) -> tuple[list[int], list[int]]:
        """Store the payloads; return the block of each, and where in the block each starts."""
        if not self._is_loaded:
            self._load(connection)
        if self._dictionary_id is None and self._is_sampling:
            self._samples += payloads[: SAMPLES - len(self._samples)]
            size = sum(map(len, self._samples))
            if len(self._samples) >= SAMPLES or size > SAMPLE_BYTES:
                self._is_sampling = False
                if size <= BLOCK_BYTES * len(self._samples):  # larger ones have a block of their own
                    self._train(connection)
                self._samples = []
        next_one = connection.execute("SELECT COALESCE(MAX(id), 0) + 1 FROM block").scalar_one()
        numbers: list[int] = []
        starts: list[int] = []
        blocks: list[tuple[int, int, int | None, bytes]] = []
        for number, gathered in enumerate(_gather(payloads, BLOCK_BYTES), next_one):
            numbers += repeat(number, len(gathered))
            starts += accumulate(map(len, gathered[:-1]), initial=0)
            blocks.append((number, self._source_id, *self._compress(gathered)))
        connection.execute(_ADD_BLOCK, blocks)
        return numbers, starts

    def _compress(self, payloads: Sequence[bytes]) -> tuple[int | None, bytes]:
        """Return the dictionary that was used, or None, and the packed bytes."""
        size = sum(map(len, payloads))
        is_full = size >= BLOCK_BYTES  # large enough to compress well without a dictionary
        if self._dictionary_id is None or (is_full and len(payloads) == 1):
            return None, self._plain.compress(b"".join(payloads))
        if is_full and not self._unlooked:
            self._unlooked = LOOK_EVERY
            framed, plain = self._frame(payloads, size), self._plain.compress(b"".join(payloads))
            self._is_framing = len(framed) <= len(plain) * MAX_LARGER
            return (self._dictionary_id, framed) if self._is_framing else (None, plain)
        self._unlooked -= is_full
        if self._is_framing:
            return self._dictionary_id, self._frame(payloads, size)
        if is_full:
            return None, self._plain.compress(b"".join(payloads))
        return self._dictionary_id, self._trained.compress(b"".join(payloads))

    def _frame(self, payloads: Sequence[bytes], size: int) -> bytes:
        """Pack payloads in groups that come to about the size of a frame."""
        some = -(-FRAME_BYTES * len(payloads) // (size or 1))
        pieces = [b"".join(payloads[start : start + some]) for start in range(0, len(payloads), some)]
        packed = list(map(self._trained.compress, pieces))
        return packed[0] if len(packed) == 1 else join_frames(packed, list(map(len, pieces)))

    def _load(self, connection: Connection) -> None:
        row = connection.execute(_NEWEST, (self._source_id, self._format_id)).first()
        if row is not None:
            self._use(*row)
        self._is_loaded = True

    def _train(self, connection: Connection) -> None:
        samples = self._samples
        try:  # explicit k and d: searching for them takes a hundred times as long
            trained = zstandard.train_dictionary(DICTIONARY_BYTES, samples, k=1024, d=8, f=16, accel=5)
        except zstandard.ZstdError:  # too few or too small samples: continue without a dictionary
            return
        data = trained.as_bytes()
        added = connection.execute(_ADD_DICTIONARY, (self._source_id, self._format_id, data))
        self._use(added.number, data)

    def _use(self, dictionary_id: int, data: bytes) -> None:
        shared = zstandard.ZstdCompressionDict(data)
        shape = _shape(target_length=STEP)
        shared.precompute_compress(compression_params=shape)
        self._dictionary_id = dictionary_id
        self._trained = zstandard.ZstdCompressor(compression_params=shape, dict_data=shared)


def _shape(**more: int) -> zstandard.ZstdCompressionParameters:
    return zstandard.ZstdCompressionParameters.from_level(
        LEVEL, hash_log=HASH_LOG, write_checksum=True, **more
    )


def _gather(payloads: Sequence[bytes], size: int) -> Iterator[Sequence[bytes]]:
    """Yield consecutive payloads in groups that reach this size with their last member."""
    ends = list(accumulate(map(len, payloads)))
    first = base = 0
    while first < len(payloads):
        last = min(bisect_left(ends, base + size) + 1, len(payloads))
        yield payloads[first:last]
        first, base = last, ends[last - 1]


class Unpacker:
    """Unpacks payloads, caching dictionaries and the last blocks. Thread-safe.

    `known` holds decompressors by dictionary that are shared with other unpackers, one at a time.
    """

    def __init__(self, known: dict[int | None, zstandard.ZstdDecompressor] | None = None) -> None:
        self._known = {} if known is None else known
        self._blocks: dict[int, bytes] = {}
        self._frame = -1, -1, b""  # the block, the offset of the piece in it, and its bytes
        self._lock = threading.Lock()

    def fetch(self, connection: Queries, block_ids: Iterable[int]) -> dict[int, bytes]:
        wanted = set(block_ids)
        with self._lock:
            found = {number: self._blocks[number] for number in wanted if number in self._blocks}
            missing = sorted(wanted - found.keys()) if len(found) < len(wanted) else ()
            for start in range(0, len(missing), _CHUNK):
                some = tuple(missing[start : start + _CHUNK])
                rows = connection.execute(_BLOCKS.format(", ".join("?" * len(some))), some)
                found.update((row[0], self._unpack(connection, row[1], row[2])) for row in rows)
            self._blocks = found if len(found) <= _CACHED_BLOCKS else {}
        return found

    def parts(self, connection: Queries, places: Sequence[tuple[int, int, int]]) -> list[bytes]:
        """Return the bytes of records, as `part` does, reading their blocks first."""
        wanted = tuple({block for block, _, _ in places})
        rows = connection.execute(_BLOCKS.format(", ".join("?" * len(wanted))), wanted)
        blocks = {row[0]: row for row in rows}
        return [self.part(connection, blocks[block], start, end) for block, start, end in places]

    def part(self, connection: Queries, block: Block, start: int, end: int) -> bytes:
        """Return the bytes of a record from a block already read, unpacking only the piece it is in.

        Raise ZstdError if the range is outside the block.
        """
        if start == end:
            return b""
        number, dictionary_id, data = block
        with self._lock:
            kept, first, found = self._frame
            if kept != number or start < first or end > first + len(found):
                first, found = self._cut(connection, dictionary_id, data, start)
                if end > first + len(found):
                    raise zstandard.ZstdError("a record ends outside of its block")
                self._frame = number, first, found
            return found[start - first : end - first]

    def _cut(
        self, connection: Queries, dictionary_id: int | None, data: bytes, place: int
    ) -> tuple[int, bytes]:
        """Return the piece of a block that contains this byte, and its offset."""
        frame = frame_at(data, place)
        if frame is None:
            return 0, self._inflate(connection, dictionary_id, data)
        start, end, first, last = frame
        found = self._inflate(connection, dictionary_id, data[start:end])
        if first + len(found) != last:
            raise zstandard.ZstdError("the table of a block does not fit it")
        return first, found

    def _unpack(self, connection: Queries, dictionary_id: int | None, data: bytes) -> bytes:
        size = unpacked_size(data)
        if size is None:
            return self._inflate(connection, dictionary_id, data)
        found = self._inflate(connection, dictionary_id, data, is_framed=True)
        if len(found) != size:
            raise zstandard.ZstdError("a block is not whole")
        return found

    def _inflate(
        self, connection: Queries, dictionary_id: int | None, data: bytes, *, is_framed: bool = False
    ) -> bytes:
        known = self._known.get(dictionary_id)
        if known is not None:
            try:
                return _inflate(known, data, is_framed=is_framed)
            except zstandard.ZstdError:
                if dictionary_id is None:
                    raise
        # Not cached, or the number belonged to another dictionary before, which zstd detects by its own ID.
        return _inflate(self._load(connection, dictionary_id), data, is_framed=is_framed)

    def _load(self, connection: Queries, dictionary_id: int | None) -> zstandard.ZstdDecompressor:
        if dictionary_id is None:
            found = zstandard.ZstdDecompressor()
        else:
            ((trained,),) = connection.execute(_DICTIONARY, (dictionary_id,))
            found = zstandard.ZstdDecompressor(dict_data=zstandard.ZstdCompressionDict(trained))
        if len(self._known) >= MAX_DICTIONARIES:
            self._known.clear()
        self._known[dictionary_id] = found
        return found


def _inflate(decompressor: zstandard.ZstdDecompressor, data: bytes, *, is_framed: bool) -> bytes:
    if is_framed:  # all at once: a call per piece takes a fifth longer
        return decompressor.decompressobj(read_across_frames=True).decompress(data)
    return decompressor.decompress(data, max_output_size=MAX_BLOCK_BYTES, allow_extra_data=False)


# Bulk reading for `windrow rebuild`, its hot path: bare tuples, with only what mapping needs; `record_reader`
# returns whole records.

BATCH_RECORDS = 1000
_MAX_ENVELOPES = 10_000

Piece = tuple[int, str, bytes, bytes]  # record number, metadata prefix, declarations, payload

# A record's payloads are adjacent and a batch may end between them, hence both halves of the key. The unary
# plus keeps SQLite from using an index on sources, which would sort everything for each batch.
_PAYLOADS = """
    SELECT p.record_id, p.format_id, p.envelope_id, p.block_id, p.start, p.start + p.length
    FROM payload p JOIN record r ON r.id = p.record_id
    WHERE +r.source_id = ? AND (p.record_id, p.format_id) > (?, ?)
    ORDER BY p.record_id, p.format_id LIMIT ?
"""
_ENVELOPE = "SELECT declarations FROM envelope WHERE id = ?"
_FORMATS = "SELECT id, prefix FROM format"
_NAMES = "SELECT id, identifier FROM record WHERE id IN ({}) ORDER BY id"
_TOTALS = """
    SELECT COUNT(*), COALESCE(SUM(p.length), 0)
    FROM payload p JOIN record r ON r.id = p.record_id WHERE +r.source_id = ?
"""


class PayloadReader:
    """Reads all payloads of one source in the order of their records; each batch may be a transaction."""

    def __init__(self, source_id: int) -> None:
        self._source_id = source_id
        self._unpacker = Unpacker()
        self._envelopes: dict[int, bytes] = {}
        self._formats: dict[int, str] = {}
        self._last = (0, 0)

    def totals(self, connection: Connection) -> tuple[int, int]:
        """Return the number of payloads and their total size in bytes."""
        count, size = connection.execute(_TOTALS, (self._source_id,)).one()
        return count, size

    def batch(self, connection: Connection) -> list[Piece]:
        """Return the next batch; an empty list at the end."""
        rows = connection.execute(_PAYLOADS, (self._source_id, *self._last, BATCH_RECORDS)).all()
        if not rows:
            return []
        self._last = (rows[-1][0], rows[-1][1])
        formats, envelopes = self._known_formats(connection), self._envelopes
        blocks = self._unpacker.fetch(connection, {row[3] for row in rows})
        for envelope_id in {row[2] for row in rows} - envelopes.keys():
            envelopes[envelope_id] = connection.execute(_ENVELOPE, (envelope_id,)).scalar_one()
        pieces = [
            (number, formats[format_id], envelopes[envelope_id], blocks[block_id][start:end])
            for number, format_id, envelope_id, block_id, start, end in rows
        ]
        if len(envelopes) > _MAX_ENVELOPES:  # some servers declare something else on every record
            envelopes.clear()
        return pieces

    def _known_formats(self, connection: Connection) -> dict[int, str]:
        if not self._formats:
            self._formats = {row[0]: row[1] for row in connection.execute(_FORMATS)}
        return self._formats


def read_identifiers(connection: Connection, numbers: Sequence[int]) -> dict[int, str]:
    found: dict[int, str] = {}
    for start in range(0, len(numbers), _CHUNK):
        some = tuple(numbers[start : start + _CHUNK])
        found.update(connection.execute(_NAMES.format(", ".join("?" * len(some))), some))
    return found
