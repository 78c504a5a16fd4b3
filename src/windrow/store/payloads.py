"""Payloads small: zstd with a dictionary trained on each source's own records."""

from __future__ import annotations

import threading
from collections.abc import Sequence

import zstandard
from sqlalchemy import Connection, insert, select

from windrow.store import schema

LEVEL = 3
SAMPLES = 600  # records of one source and format that a dictionary is trained on
SAMPLE_BYTES = 8 * 1024 * 1024
DICTIONARY_BYTES = 64 * 1024
MAX_PAYLOAD_BYTES = 1 << 30  # what a stored payload may at most unfold to


class Packer:
    """Compresses payloads of one source and format; trains a dictionary once it has seen enough.

    For one thread. The dictionary is stored in the transaction that first uses it.
    """

    def __init__(self, source_id: int, format_id: int) -> None:
        self._source_id = source_id
        self._format_id = format_id
        self._dictionary_id: int | None = None
        self._compressor = zstandard.ZstdCompressor(level=LEVEL)
        self._samples: list[bytes] = []
        self._is_loaded = False

    def pack(self, connection: Connection, payloads: Sequence[bytes]) -> tuple[int | None, list[bytes]]:
        """Give the payloads compressed, and the dictionary that they need."""
        if not self._is_loaded:
            self._load(connection)
        if self._dictionary_id is None:
            self._samples += payloads
            if len(self._samples) >= SAMPLES or sum(map(len, self._samples)) > SAMPLE_BYTES:
                self._train(connection)
        compress = self._compressor.compress
        return self._dictionary_id, [compress(item) for item in payloads]

    def _load(self, connection: Connection) -> None:
        table = schema.dictionary
        query = (
            select(table.c.id, table.c.data)
            .where(table.c.source_id == self._source_id, table.c.format_id == self._format_id)
            .order_by(table.c.id.desc())
            .limit(1)
        )
        row = connection.execute(query).first()
        if row is not None:
            self._use(row.id, row.data)
        self._is_loaded = True

    def _train(self, connection: Connection) -> None:
        samples, self._samples = self._samples, []
        try:  # explicit k and d: searching for them takes a hundred times as long
            trained = zstandard.train_dictionary(DICTIONARY_BYTES, samples, k=1024, d=8)
        except zstandard.ZstdError:  # too few or too small samples: go on without
            return
        data = trained.as_bytes()
        values = {"source_id": self._source_id, "format_id": self._format_id, "data": data}
        result = connection.execute(insert(schema.dictionary).values(values))
        assert result.inserted_primary_key is not None
        self._use(result.inserted_primary_key[0], data)

    def _use(self, dictionary_id: int, data: bytes) -> None:
        shared = zstandard.ZstdCompressionDict(data)
        shared.precompute_compress(level=LEVEL)
        self._dictionary_id = dictionary_id
        self._compressor = zstandard.ZstdCompressor(level=LEVEL, dict_data=shared)


class Unpacker:
    """Gives payloads back. One a thread at a time; the dictionaries are read when first needed."""

    def __init__(self) -> None:
        self._known: dict[int | None, zstandard.ZstdDecompressor] = {None: zstandard.ZstdDecompressor()}
        self._lock = threading.Lock()

    def unpack(self, connection: Connection, dictionary_id: int | None, data: bytes) -> bytes:
        """Give the payload that `Packer` compressed."""
        with self._lock:
            found = self._known.get(dictionary_id) or self._read(connection, dictionary_id)
            return found.decompress(data, max_output_size=MAX_PAYLOAD_BYTES)

    def _read(self, connection: Connection, dictionary_id: int | None) -> zstandard.ZstdDecompressor:
        query = select(schema.dictionary.c.data).where(schema.dictionary.c.id == dictionary_id)
        data = connection.execute(query).scalar_one()
        found = zstandard.ZstdDecompressor(dict_data=zstandard.ZstdCompressionDict(data))
        self._known[dictionary_id] = found
        return found
