"""Writing to one generation of a Tantivy index; nothing is visible before `commit`."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import replace
from datetime import UTC, datetime
from functools import partial
from itertools import islice
from queue import SimpleQueue
from shutil import disk_usage
from threading import Condition, Thread
from typing import Any, Generic, TypeVar
from uuid import uuid4

import tantivy

from windrow.errors import StoreError, StoreFull
from windrow.index.generations import Generations, GenerationState
from windrow.index.tantivy.damage import REBUILD, catching_panics
from windrow.index.tantivy.facet_counting import MIN_RECORDS, summarise
from windrow.index.tantivy.layout import NUMBER, fact_field, fact_token, fact_value, register, schema, shape
from windrow.index.tantivy.rows import Entry, written_rows

# A queue with a thread of its own, so that rows can be made while Tantivy accepts none. Tantivy queues ten
# thousand documents and accepts none while it writes a segment, which takes seconds. While documents are
# accepted the caller waits for them, because two busy Python threads only slow each other down.

MAX_WAITING = 6
STILL_SECONDS = 0.02  # without progress, after which the caller stops waiting

T = TypeVar("T")


class Sender(Generic[T]):
    """Sends items in order. After a failure nothing more is sent, and every call raises it."""

    def __init__(self, send: Callable[[T], object]) -> None:
        self._send = send
        self._sent = 0
        self._left = 0
        self._queue: SimpleQueue[Sequence[T] | None] = SimpleQueue()
        self._changed = Condition()
        self._failure: BaseException | None = None
        self._is_closed = False
        self._thread: Thread | None = None

    def put(self, batch: Sequence[T]) -> None:
        """Queue a batch; return when it is sent or when there is no progress."""
        if self._thread is None:
            # A daemon thread: the owner closes it, possibly as late as at interpreter exit.
            self._thread = Thread(target=self._work, name="windrow-sender", daemon=True)
            self._thread.start()
        with self._changed:
            self._left += 1
        self._queue.put(batch)
        sent = -1
        while self._left and sent != self._sent:
            sent = self._sent
            self._wait(STILL_SECONDS)
        if self._left > MAX_WAITING:
            self._wait(None)
        self._check()

    def finish(self) -> None:
        """Wait until everything is sent."""
        self._wait(None)
        self._check()

    def close(self) -> None:
        """Discard what is not sent yet."""
        self._is_closed = True
        self._queue.put(None)
        if self._thread is not None:
            self._thread.join()

    def _wait(self, seconds: float | None) -> None:
        with self._changed:
            self._changed.wait_for(lambda: not self._left, seconds)

    def _check(self) -> None:
        if self._failure is not None:
            raise self._failure

    def _work(self) -> None:
        while (batch := self._queue.get()) is not None:
            try:
                self._send_all(batch)
            except BaseException as exc:  # noqa: BLE001 - raised in the caller
                self._failure = exc
            with self._changed:
                self._left -= 1
                self._changed.notify_all()

    def _send_all(self, batch: Sequence[T]) -> None:
        for each in batch:
            if self._is_closed or self._failure is not None:
                return
            self._send(each)
            self._sent += 1


BUILD_BYTES, FOLLOW_BYTES = 256_000_000, 32_000_000  # memory, for a full build and for updates
# More threads would wait for rows, which are made on one core, and leave more segments to search.
THREADS = 1
FULL_BYTES = 1_000_000  # with less free space the disk counts as full: no segment fits
MAX_SEGMENTS = 20  # each of them is searched for every query

# Documents whose rows are made before Tantivy gets them on its own thread: each switch between the two costs
# time, and many documents of one language in a row are faster than a mix.
AT_ONCE = 2000
LETTERS_AT_ONCE = 10_000_000  # of full texts in them: a few whole books at a time


class TantivyWriter:
    """The writer of a generation; the caller holds the write lock.

    `put` with a number greater than any before deletes nothing first, which makes a first build fast. Other
    numbers may be indexed already, from earlier or from a run that was killed.
    """

    def __init__(self, generations: Generations, name: str, *, is_new: bool) -> None:
        self._generations = generations
        self.name = name
        path = str(generations.path(name))
        with self._writing():
            index = tantivy.Index(schema(), path) if is_new else tantivy.Index.open(path)
            self._index = register(index)
            self._writer = self._index.writer(BUILD_BYTES if is_new else FOLLOW_BYTES, THREADS)
            self._highest = 0 if is_new else self._find_highest()
        self._sender = Sender(partial(_write, self._writer))
        known = None if is_new else generations.state(name)
        self.state = known or GenerationState(
            shape(), generations.mark, birth=uuid4().hex, version=generations.version
        )
        if is_new:
            generations.note(name, self.state)

    def put(self, entries: Iterable[Entry]) -> None:
        """Index documents, replacing those with the same numbers."""
        coming = iter(entries)
        while some := list(_some(coming)):
            numbers = [self._known(entry.number) for entry in some]
            with self._writing():
                self._sender.put(list(zip(numbers, written_rows(some), strict=True)))

    def _known(self, number: int) -> int | None:
        """Return the number if a document may be indexed under it."""
        if number <= self._highest:
            return number
        self._highest = number
        return None

    def remove(self, numbers: Iterable[int]) -> None:
        """Remove documents; unknown numbers are ignored."""
        known = [number for number in numbers if number <= self._highest]
        if known:
            with self._writing():
                self._sender.finish()
                for number in known:
                    self._writer.delete_documents_by_term(NUMBER, number)

    def remove_source(self, name: str) -> None:
        with self._writing():
            self._sender.finish()
            self._writer.delete_documents_by_term(fact_field("source"), fact_token(name))

    def commit(self, cursor: int) -> None:
        """Make everything visible at once, and store the change of the store up to which it is current."""
        with self._writing():
            self._sender.finish()
            self._writer.commit()
        self._generations.share(self.name)
        self.note(cursor=cursor, commits=self.state.commits + 1)

    def sum_up(self) -> None:
        """Store the most frequent values if there are many documents, for the last committed state."""
        with self._writing():
            self._index.reload()
            searcher = self._index.searcher()
            if searcher.num_docs >= MIN_RECORDS:
                self._generations.note_summary(self.name, summarise(searcher, commits=self.state.commits))

    def note(self, **changed: Any) -> None:
        """Store changed values of the generation's state."""
        self.state = replace(self.state, when=datetime.now(UTC).isoformat(timespec="seconds"), **changed)
        self._generations.note(self.name, self.state)

    def sources(self) -> set[str]:
        everything = tantivy.Query.all_query()
        with self._writing():
            self._index.reload()
            found = self._index.searcher().terms_with_prefix(fact_field("source"), "", everything)
        return {fact_value(term) for term, count in found if count}

    def is_scattered(self) -> bool:
        """Return whether it has so many segments that they should be merged.

        Merging runs in the background; runs that index a few records end before it is done.
        """
        with self._writing():
            self._index.reload()
            return self._index.searcher().num_segments > MAX_SEGMENTS

    def close(self, *, is_settling: bool = False) -> None:
        """Close the files; with `is_settling`, after all merges are finished."""
        self._sender.close()
        with self._writing():
            if is_settling:
                self._writer.wait_merging_threads()
            del self._sender, self._writer
        self._generations.share(self.name)

    def _find_highest(self) -> int:
        self._index.reload()
        newest = tantivy.Order.Desc
        found = self._index.searcher().search(
            tantivy.Query.all_query(), 1, order_by_field=NUMBER, order=newest
        )
        return int(found.hits[0][0]) if found.hits else 0

    @contextmanager
    def _writing(self) -> Iterator[None]:
        try:
            with catching_panics():
                yield
        except ValueError as exc:
            raise _error(exc, str(self._generations.path(self.name))) from exc


def _write(writer: tantivy.IndexWriter, numbered: tuple[int | None, str]) -> None:
    """Write a row, first deleting the document with the number, if one is given."""
    known, row = numbered
    if known is not None:
        writer.delete_documents_by_term(NUMBER, known)
    writer.add_json(row)


def _some(coming: Iterator[Entry]) -> Iterator[Entry]:
    letters = 0
    for entry in islice(coming, AT_ONCE):
        yield entry
        if entry.document.file is not None:
            letters += sum(map(len, entry.document.file.text))
            if letters >= LETTERS_AT_ONCE:
                return


def _error(exc: ValueError, path: str) -> StoreError:
    words = str(exc)
    # Tantivy reports the error that ended its thread without details.
    if "No space left" in words or _is_full(path):
        return StoreFull(f"no space left for {path}")
    return StoreError(f"the index {path} cannot be written: {words}", hint=REBUILD)


def _is_full(path: str) -> bool:
    try:
        return disk_usage(path).free < FULL_BYTES
    except OSError:
        return False
