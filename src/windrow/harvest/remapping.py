"""Map all stored payloads of a source to Documents again, without any request to the source.

The Document is a pure function of the payload, so only cases of failure are stored.
"""

from __future__ import annotations

import time
from collections import defaultdict
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field, fields
from itertools import compress
from operator import attrgetter

from windrow.formats.registry import read
from windrow.harvest.options import Stopper
from windrow.harvest.run import Attempt, Identity, running, utc_now
from windrow.model.document import Document
from windrow.model.record import Reject
from windrow.model.run import Run
from windrow.store.harvests import quarantine_cases
from windrow.store.records.payloads import PayloadReader, Piece, read_identifiers
from windrow.store.store import Store

FIELDS = tuple(item.name for item in fields(Document))
_values = attrgetter(*FIELDS)


@dataclass(slots=True)
class CoverageCounter:
    """Counts the documents of one format, and how many of them have which fields."""

    documents: int = 0
    failed: int = 0
    _patterns: dict[tuple[str, ...], int] = field(default_factory=lambda: defaultdict(int))

    def add(self, document: Document) -> None:
        """Count a document. Documents with the same fields share one counter: there are few combinations."""
        self._patterns[tuple(compress(FIELDS, _values(document)))] += 1

    def close(self) -> None:
        self.documents = sum(self._patterns.values())

    def filled(self) -> Mapping[str, int]:
        """Return how many documents have each field, in the order of the model."""
        return {
            name: sum(count for pattern, count in self._patterns.items() if name in pattern)
            for name in FIELDS
        }


@dataclass(frozen=True, slots=True)
class RebuildResult:
    """The result of mapping one source: its run, the numbers by format, and the duration."""

    run: Run
    fills: Mapping[str, CoverageCounter]
    resolved: int
    seconds: float

    @property
    def documents(self) -> int:
        return sum(fill.documents for fill in self.fills.values())

    @property
    def failed(self) -> int:
        return sum(fill.failed for fill in self.fills.values())


Progress = Callable[[int, int], None]  # done, total


def rebuild_source(
    store: Store, name: str, url: str, *, stopper: Stopper, progress: Progress
) -> RebuildResult:
    started = time.perf_counter()
    with running(store, Identity(name, url), "rebuild", arguments={}, stopper=stopper) as attempt:
        mapping = _Rebuild(attempt, progress)
        mapping.run()
    return mapping.result(time.perf_counter() - started)


class _Rebuild:
    def __init__(self, attempt: Attempt, progress: Progress) -> None:
        self._attempt = attempt
        self._store = attempt.store
        self._progress = progress
        self._fills: dict[str, CoverageCounter] = {}
        self._resolved = 0
        self._bad: set[str] = set()  # keys of records that cannot be mapped, in any number of formats

    def run(self) -> None:
        """Map all payloads; close cases that no longer fail."""
        self._map_all()
        with self._store.writing() as connection:
            source_id, run_id = self._attempt.source.id, self._attempt.run_id
            self._resolved = quarantine_cases.resolve_mapped(connection, source_id, run_id, now=utc_now())

    def result(self, seconds: float) -> RebuildResult:
        for fill in self._fills.values():
            fill.close()
        return RebuildResult(self._attempt.run, self._fills, self._resolved, seconds)

    def _map_all(self) -> None:
        reader = PayloadReader(self._attempt.source.id)
        with self._store.reading() as connection:
            total, _ = reader.totals(connection)
        counters = self._attempt.counters
        while True:
            with self._store.reading() as connection:
                pieces = reader.batch(connection)
            if not pieces:
                return
            failures = self._map(pieces)
            counters.seen += len(pieces)
            self._keep(failures)
            self._progress(counters.seen, total)
            self._attempt.check()

    def _map(self, pieces: Iterable[Piece]) -> list[tuple[int, str, str, bytes]]:
        """Map one batch; return the failures as (record number, prefix, reason, payload)."""
        failures, fills = [], self._fills
        for number, prefix, declarations, payload in pieces:
            fill = fills.get(prefix)
            if fill is None:
                fill = fills[prefix] = CoverageCounter()
            try:
                fill.add(read(payload, declarations, prefix))
            except Exception as exc:  # noqa: BLE001 - one bad record or plug-in must not end the run
                fill.failed += 1
                failures.append(
                    (number, prefix, f"{quarantine_cases.MAPPING}{exc or type(exc).__name__}", payload)
                )
        return failures

    def _keep(self, failures: list[tuple[int, str, str, bytes]]) -> None:
        """Quarantine failures, and renew the lease about once a second."""
        attempt = self._attempt
        if not failures:
            attempt.beat()
            return
        with self._store.writing() as connection:
            names = read_identifiers(connection, [failure[0] for failure in failures])
            for number, prefix, reason, payload in failures:
                reject = Reject(reason, payload, names.get(number))
                quarantine_cases.put(
                    connection, attempt.source.id, attempt.run_id, prefix, [reject], now=utc_now()
                )
                self._bad.add(quarantine_cases.reject_key(reject))
            attempt.counters.quarantined = len(self._bad)
            attempt.progress(connection)
