"""Staging of an imported vocabulary: statements in any order are grouped by concept in a temporary file.

The last line of a vocabulary file can relate two concepts of its first lines. The statements are kept on
disk, so that memory stays constant whatever the size of the file. The library is not touched.
"""

from __future__ import annotations

import sqlite3
import tempfile
from collections.abc import Iterable, Iterator
from contextlib import closing
from itertools import groupby, islice
from operator import itemgetter
from pathlib import Path
from types import TracebackType
from typing import NamedTuple

from windrow.errors import unwritable
from windrow.model.thesaurus import MAPPING_KINDS, NOTE_KINDS, Concept, ConceptMapping, Label, Note, Scheme

PREFERRED, ALTERNATIVE, HIDDEN, NOTATION = "preferred", "alternative", "hidden", "notation"
BROADER, NARROWER, RELATED = "broader", "narrower", "related"
IN_SCHEME, TOP_OF, HAS_TOP = "in_scheme", "top_of", "has_top"
TYPE, TITLE, LITERAL = "type", "title", "literal"
DEPRECATED, REPLACED_BY = "deprecated", "replaced_by"
CONCEPT, SCHEME, COLLECTION, XL_LABEL = "concept", "scheme", "collection", "label"  # values of TYPE
XL = "xl:"  # prefix of the kind of a label whose text belongs to a resource of its own (SKOS-XL)
NOTE, MAPPING = "note:", "mapping:"  # prefixes of the kind of a note or mapping

_ROWS_AT_ONCE = 5_000
_LONGEST = 1_000  # characters of a label or notation; longer ones are truncated
_MAX_NOTE_LENGTH = 100_000
_MAKES_CONCEPT = (
    *(PREFERRED, ALTERNATIVE, HIDDEN, BROADER, NARROWER, RELATED, TOP_OF),
    *(XL + kind for kind in (PREFERRED, ALTERNATIVE, HIDDEN)),
    *(MAPPING + kind for kind in MAPPING_KINDS),
)


class Statement(NamedTuple):
    """A statement about one resource; `kind` is one of the constants of this module."""

    subject: str
    kind: str
    value: str
    language: str = ""


class Staging:
    """Collects statements, then yields their concepts and schemes. A context manager."""

    def __init__(self) -> None:
        self._folder = tempfile.TemporaryDirectory(prefix="windrow-vocabulary-")
        self._base = sqlite3.connect(
            Path(self._folder.name) / "staging.db", isolation_level=None, check_same_thread=False
        )
        for pragma in ("journal_mode = OFF", "synchronous = OFF", "cache_size = -16384"):
            self._base.execute(f"PRAGMA {pragma}")
        self._base.execute(
            "CREATE TABLE statement (subject TEXT NOT NULL, kind TEXT NOT NULL, value TEXT NOT NULL,"
            " language TEXT NOT NULL)"
        )
        self._is_sorted = False
        self.shortened = 0  # texts that were truncated

    def __enter__(self) -> Staging:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, exc: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._base.close()
        self._folder.cleanup()

    def add(self, statements: Iterable[Statement], *, already: int = 0) -> Iterator[int]:
        """Store these statements; yield their number from time to time, counting from `already`."""
        left, taken = map(self._bounded, statements), already
        try:
            while some := list(islice(left, _ROWS_AT_ONCE)):
                self._base.execute("BEGIN")
                self._base.executemany("INSERT INTO statement VALUES (?, ?, ?, ?)", some)
                self._base.execute("COMMIT")
                taken += len(some)
                yield taken
        except sqlite3.OperationalError as exc:
            raise unwritable(self._folder.name, OSError(28, str(exc))) from exc

    def concepts(self) -> Iterator[Concept]:
        """Yield all concepts, ordered by URI."""
        self._sort()
        rows = self._base.execute(
            "SELECT s.subject, s.kind, s.value, s.language FROM concept c"
            " LEFT JOIN statement s ON s.subject = c.uri ORDER BY c.uri, s.rowid"
        )
        with closing(rows):
            for uri, found in groupby(rows, key=itemgetter(0)):
                yield _concept(uri, found)

    def schemes(self) -> tuple[Scheme, ...]:
        """Return the concept schemes, those with a title first."""
        self._sort()
        rows = self._base.execute(
            "SELECT c.uri, s.kind, s.value, s.language FROM scheme c LEFT JOIN statement s"
            " ON s.subject = c.uri AND s.kind IN (?, ?) ORDER BY c.uri, s.kind, s.rowid",
            (PREFERRED, TITLE),
        )
        found = [
            Scheme(uri, tuple(dict.fromkeys(Label(row[2], row[3]) for row in each if row[1])))
            for uri, each in groupby(rows, key=itemgetter(0))
        ]
        return tuple(sorted(found, key=lambda scheme: not scheme.labels))

    def _bounded(self, statement: Statement) -> Statement:
        most = _MAX_NOTE_LENGTH if statement.kind.startswith(NOTE) else _LONGEST
        value = statement.value
        if len(value) <= most:
            return statement
        self.shortened += 1
        return statement._replace(value=value[:most])

    def _sort(self) -> None:
        if self._is_sorted:
            return
        self._is_sorted = True
        run, making = self._base.execute, ", ".join("?" * len(_MAKES_CONCEPT))
        run("CREATE INDEX by_subject ON statement (subject, kind)")
        self._resolve_labels()
        run("CREATE TABLE scheme (uri TEXT PRIMARY KEY) WITHOUT ROWID")
        run("CREATE TABLE concept (uri TEXT PRIMARY KEY) WITHOUT ROWID")
        run(
            "INSERT OR IGNORE INTO scheme SELECT subject FROM statement"
            " WHERE kind = ? OR (kind = ? AND value = ?)"
            " UNION SELECT value FROM statement WHERE kind IN (?, ?)",
            (HAS_TOP, TYPE, SCHEME, IN_SCHEME, TOP_OF),
        )
        typed = "SELECT subject FROM statement WHERE kind = ? AND value = ?"
        run(f"DELETE FROM scheme WHERE uri IN ({typed})", (TYPE, CONCEPT))
        run(
            f"INSERT OR IGNORE INTO concept SELECT subject FROM statement WHERE kind IN ({making})"
            " EXCEPT SELECT uri FROM scheme"
            " EXCEPT SELECT subject FROM statement WHERE kind = ? AND value IN (?, ?)",
            (*_MAKES_CONCEPT, TYPE, COLLECTION, XL_LABEL),
        )
        run(f"INSERT OR IGNORE INTO concept {typed}", (TYPE, CONCEPT))
        run(  # skos:hasTopConcept, turned into topConceptOf
            "INSERT INTO statement SELECT value, ?, subject, '' FROM statement WHERE kind = ?",
            (TOP_OF, HAS_TOP),
        )

    def _resolve_labels(self) -> None:
        """Turn labels that are resources of their own (SKOS-XL) into plain ones."""
        self._base.execute(
            "INSERT INTO statement SELECT a.subject, substr(a.kind, ?), b.value, b.language"
            " FROM statement a JOIN statement b ON b.subject = a.value AND b.kind = ?"
            " WHERE a.kind IN (?, ?, ?)",
            (len(XL) + 1, LITERAL, *(XL + kind for kind in (PREFERRED, ALTERNATIVE, HIDDEN))),
        )


def _concept(uri: str, rows: Iterable[tuple[str, str, str, str]]) -> Concept:
    said: dict[str, dict[tuple[str, str], None]] = {}
    for _, kind, value, language in rows:
        said.setdefault(kind, {})[value, language] = None

    def texts(kind: str) -> tuple[str, ...]:
        return tuple(dict.fromkeys(value for value, _ in said.get(kind, ())))

    def labels(kind: str) -> tuple[Label, ...]:
        return tuple(Label(*each) for each in said.get(kind, ()))

    return Concept(
        uri,
        texts(NOTATION),
        labels(PREFERRED),
        labels(ALTERNATIVE),
        labels(HIDDEN),
        tuple(Note(kind, *each) for kind in NOTE_KINDS for each in said.get(NOTE + kind, ())),
        texts(BROADER),
        texts(NARROWER),
        texts(RELATED),
        tuple(ConceptMapping(kind, each) for kind in MAPPING_KINDS for each in texts(MAPPING + kind)),
        texts(IN_SCHEME),
        texts(TOP_OF),
        bool(said.get(DEPRECATED)),
        texts(REPLACED_BY),
    )
