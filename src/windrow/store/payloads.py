"""Payloads small: many packed into one block; where few come, with a dictionary trained on their source.

Blocks are only ever added. What a changed record held before stays in its old block, where its history
finds it; a source's blocks go when the source goes.
"""

from __future__ import annotations

import threading
from bisect import bisect_left
from collections.abc import Iterable, Sequence
from itertools import accumulate, repeat
from typing import Any, Protocol

import zstandard

from windrow.store.connection import Connection

LEVEL = 1  # in blocks a tenth larger than level 3, in three quarters of its time
HASH_LOG = 15  # for blocks, four times what the level has for so few bytes: quicker, and no larger
SAMPLES = 300  # records of one source and format that a dictionary is trained on
SAMPLE_BYTES = 8 * 1024 * 1024
DICTIONARY_BYTES = 64 * 1024
# Payloads packed together; a larger payload has a block to itself. Twice as many take a twelfth less room,
# and nearly twice as long to unpack for a single record.
BLOCK_BYTES = 32 * 1024
SMALL_BYTES = 32 * 1024  # a block with so much in it has its own words to refer to, and needs no dictionary
MAX_BLOCK_BYTES = 1 << 30  # what a block may at most unfold to

_KEPT_BLOCKS = 128
_CHUNK = 500
_ADD_BLOCK = "INSERT INTO block VALUES (?, ?, ?, ?)"
_BLOCKS = "SELECT id, dictionary_id, data FROM block WHERE id IN ({})"
_DICTIONARY = "SELECT data FROM dictionary WHERE id = ?"
_NEWEST = "SELECT id, data FROM dictionary WHERE source_id = ? AND format_id = ? ORDER BY id DESC LIMIT 1"
_ADD_DICTIONARY = "INSERT INTO dictionary (source_id, format_id, data) VALUES (?, ?, ?)"


class Queries(Protocol):
    """What blocks are read through: the store's connection, or another in its clothes."""

    def exec_driver_sql(self, statement: str, parameters: Any, /) -> Iterable[Any]:
        """Run one statement; give its rows."""


class Packer:
    """Packs payloads of one source and format into blocks; trains a dictionary once it has seen enough.

    For one thread. Blocks and dictionary are stored in the transaction at hand.
    """

    def __init__(self, source_id: int, format_id: int) -> None:
        self._source_id = source_id
        self._format_id = format_id
        self._dictionary_id: int | None = None
        shape = zstandard.ZstdCompressionParameters.from_level(LEVEL, hash_log=HASH_LOG, write_checksum=True)
        self._plain = zstandard.ZstdCompressor(compression_params=shape)
        self._trained = zstandard.ZstdCompressor(level=LEVEL, write_checksum=True)
        self._samples: list[bytes | bytearray | memoryview[int]] = []
        self._is_loaded = False
        self._is_sampling = True

    def pack(self, connection: Connection, payloads: Sequence[bytes]) -> tuple[list[int], list[int]]:
        """Store the payloads; give for each the block it is in, and for each where there it starts."""
        if not self._is_loaded:
            self._load(connection)
        if self._dictionary_id is None and self._is_sampling:
            self._samples += payloads[: SAMPLES - len(self._samples)]
            size = sum(map(len, self._samples))
            if len(self._samples) >= SAMPLES or size > SAMPLE_BYTES:
                self._is_sampling = False
                if size <= SMALL_BYTES * len(self._samples):  # larger ones never lie in a small block
                    self._train(connection)
                self._samples = []
        number = connection.exec_driver_sql("SELECT COALESCE(MAX(id), 0) + 1 FROM block").scalar_one()
        ends = list(accumulate(map(len, payloads)))
        numbers: list[int] = []
        starts: list[int] = []
        blocks: list[tuple[int, int, int | None, bytes]] = []
        first = base = 0
        while first < len(payloads):
            last = min(bisect_left(ends, base + BLOCK_BYTES) + 1, len(payloads))
            gathered = payloads[first:last]
            numbers += repeat(number, len(gathered))
            starts += accumulate(map(len, gathered[:-1]), initial=0)
            blocks.append((number, self._source_id, *self._compress(b"".join(gathered))))
            first, base, number = last, ends[last - 1], number + 1
        connection.exec_driver_sql(_ADD_BLOCK, blocks)
        return numbers, starts

    def _compress(self, data: bytes) -> tuple[int | None, bytes]:
        """Give the dictionary that was used, if one was, and the packed bytes."""
        if len(data) < SMALL_BYTES:
            return self._dictionary_id, self._trained.compress(data)
        return None, self._plain.compress(data)

    def _load(self, connection: Connection) -> None:
        row = connection.exec_driver_sql(_NEWEST, (self._source_id, self._format_id)).first()
        if row is not None:
            self._use(*row)
        self._is_loaded = True

    def _train(self, connection: Connection) -> None:
        samples = self._samples
        try:  # explicit k and d: searching for them takes a hundred times as long
            trained = zstandard.train_dictionary(DICTIONARY_BYTES, samples, k=1024, d=8, f=18, accel=2)
        except zstandard.ZstdError:  # too few or too small samples: go on without
            return
        data = trained.as_bytes()
        added = connection.exec_driver_sql(_ADD_DICTIONARY, (self._source_id, self._format_id, data))
        self._use(added.number, data)

    def _use(self, dictionary_id: int, data: bytes) -> None:
        shared = zstandard.ZstdCompressionDict(data)
        shared.precompute_compress(level=LEVEL)
        self._dictionary_id = dictionary_id
        self._trained = zstandard.ZstdCompressor(level=LEVEL, dict_data=shared, write_checksum=True)


class Unpacker:
    """Gives payloads back. Dictionaries and the blocks read last are kept at hand."""

    def __init__(self) -> None:
        self._decompressors: dict[int | None, zstandard.ZstdDecompressor] = {
            None: zstandard.ZstdDecompressor()
        }
        self._blocks: dict[int, bytes] = {}
        self._lock = threading.Lock()

    def fetch(self, connection: Queries, block_ids: Iterable[int]) -> dict[int, bytes]:
        """Give these blocks unpacked, by number."""
        wanted = set(block_ids)
        with self._lock:
            found = {number: self._blocks[number] for number in wanted if number in self._blocks}
            missing = sorted(wanted - found.keys()) if len(found) < len(wanted) else ()
            for start in range(0, len(missing), _CHUNK):
                some = tuple(missing[start : start + _CHUNK])
                rows = connection.exec_driver_sql(_BLOCKS.format(", ".join("?" * len(some))), some)
                found.update((row[0], self._unpack(connection, row[1], row[2])) for row in rows)
            self._blocks = found if len(found) <= _KEPT_BLOCKS else {}
        return found

    def keep(self, connection: Queries, number: int, dictionary_id: int | None, data: bytes) -> None:
        """Unpack a block that was read already, so that the next `fetch` finds it at hand."""
        with self._lock:
            if number not in self._blocks:
                self._blocks = {number: self._unpack(connection, dictionary_id, data)}

    def unpack(self, number: int, dictionary_id: int | None, data: bytes) -> bytes | None:
        """Unpack a block that was read already; None where the dictionary for it has still to be read."""
        with self._lock:
            block = self._blocks.get(number)
            if block is None and dictionary_id in self._decompressors:
                block = self._decompressors[dictionary_id].decompress(data, max_output_size=MAX_BLOCK_BYTES)
                self._blocks = {number: block}
            return block

    def _unpack(self, connection: Queries, dictionary_id: int | None, data: bytes) -> bytes:
        found = self._decompressors.get(dictionary_id)
        if found is None:
            ((trained,),) = connection.exec_driver_sql(_DICTIONARY, (dictionary_id,))
            shared = zstandard.ZstdCompressionDict(trained)
            found = zstandard.ZstdDecompressor(dict_data=shared)
            self._decompressors[dictionary_id] = found
        return found.decompress(data, max_output_size=MAX_BLOCK_BYTES)
