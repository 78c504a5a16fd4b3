"""Vocabularies and their concepts: imported as a whole in one transaction, and looked up by any name.

An update replaces everything. Concepts are identified by their URIs; their numbers are valid for one revision
only. Also here: the common prefix of a vocabulary's URIs, and the checks for questionable concepts.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from itertools import islice
from typing import NamedTuple

import msgspec
import zstandard

from windrow.model.text.collation import collation
from windrow.model.text.folding import folded_words
from windrow.model.thesaurus import Concept, Label, Scheme, Vocabulary, value_key
from windrow.store.connection import Connection
from windrow.store.published.selection import placeholders
from windrow.store.records.payloads import Queries

URI, NOTATION, PREFERRED, ALTERNATIVE, HIDDEN = range(5)  # kinds of names
BROADER, NARROWER, RELATED = "broader", "narrower", "related"  # kinds of links
SHOWN = (NOTATION, PREFERRED, ALTERNATIVE)  # kinds of names that are shown to readers
MAX_EXAMPLES = 20  # concepts per kind that a report names
_AT_ONCE = 500
_COLUMNS = "name, title, schemes, languages, concepts, format, file, base, added, updated, revision"
_TABLES = (
    *("concept_name", "concept_word", "concept_link", "concept_below", "concept_top", "vocabulary_graph"),
    "concept",
)


class ConceptChanges(NamedTuple):
    """How many concepts an update added, renamed …, and the first ones: URI and label."""

    total: int = 0
    examples: tuple[tuple[str, str], ...] = ()


@dataclass(frozen=True, slots=True)
class UpdateReport:
    """The result of importing a vocabulary. All concepts of a new one count as added."""

    vocabulary: Vocabulary
    added: ConceptChanges
    removed: ConceptChanges
    renamed: ConceptChanges
    deprecated: ConceptChanges
    changed: int  # in any other way


class FoundConcept(NamedTuple):
    """A concept found by one of its names, with the kind and language of that name."""

    uri: str
    kind: int
    language: str
    text: str


def put_vocabulary(
    connection: Connection,
    vocabulary: Vocabulary,
    concepts: Iterable[Concept],
    graph: Iterable[bytes] = (),
    *,
    watch: Callable[[int], None] = lambda _done: None,
) -> UpdateReport:
    """Add a vocabulary, or replace the one of the same name; report the differences.

    `graph` holds its statements as compressed N-Triples. The fields `concepts`, `revision` and `languages` of
    `vocabulary` are computed here.
    """
    run = connection.execute
    old = run("SELECT id, added, revision FROM vocabulary WHERE name = ?", (vocabulary.name,)).first()
    if old is not None:
        run("UPDATE vocabulary SET name = '' WHERE id = ?", (old[0],))
    number = run(
        f"INSERT INTO vocabulary ({_COLUMNS}) VALUES (?, ?, ?, '[]', 0, ?, ?, ?, ?, ?, ?)",
        (
            vocabulary.name,
            _encoded(vocabulary.title),
            _encoded(vocabulary.schemes),
            vocabulary.format,
            vocabulary.file,
            vocabulary.base,
            vocabulary.added if old is None else old[1],
            vocabulary.updated,
            1 if old is None else old[2] + 1,
        ),
    ).number
    _insert(connection, number, concepts, watch)
    _join(connection, number)
    _update_counts(connection, number)
    connection.insert(
        "INSERT INTO vocabulary_graph VALUES (?, ?, ?)",
        ((number, place, data) for place, data in enumerate(graph)),
    )
    report = _compare(connection, number, None if old is None else old[0], vocabulary.name)
    if old is not None:
        _delete(connection, old[0])
    return report


def remove_vocabulary(connection: Connection, name: str) -> bool:
    """Remove a vocabulary; return whether it existed."""
    number = _number(connection, name)
    if number is not None:
        _delete(connection, number)
    return number is not None


def find_vocabulary(queries: Queries, name: str) -> Vocabulary | None:
    """Return a vocabulary by name; None if there is none."""
    rows = list(queries.execute(f"SELECT {_COLUMNS} FROM vocabulary WHERE name = ?", (name,)))
    return _vocabulary(rows[0]) if rows else None


def list_vocabularies(queries: Queries) -> list[Vocabulary]:
    rows = queries.execute(f"SELECT {_COLUMNS} FROM vocabulary ORDER BY name", ())
    return list(map(_vocabulary, rows))


def list_revisions(queries: Queries) -> dict[str, tuple[int, int]]:
    """Return number and revision of each vocabulary by name; they change whenever its concepts change."""
    rows = queries.execute("SELECT name, id, revision FROM vocabulary", ())
    return {name: (number, revision) for name, number, revision in rows}


def find_concept(queries: Queries, number: int, uri: str) -> Concept | None:
    rows = list(
        queries.execute("SELECT body FROM concept WHERE vocabulary_id = ? AND uri = ?", (number, uri))
    )
    return _concept(rows[0][0]) if rows else None


def find_concepts(queries: Queries, number: int, uris: Sequence[str]) -> list[Concept]:
    """Return those of these concepts that exist, in the requested order."""
    found: dict[str, Concept] = {}
    for start in range(0, len(uris), _AT_ONCE):
        some = tuple(uris[start : start + _AT_ONCE])
        text = f"SELECT body FROM concept WHERE vocabulary_id = ? AND uri IN ({placeholders(some)})"
        for (body,) in queries.execute(text, (number, *some)):
            each = _concept(body)
            found[each.uri] = each
    return [found[uri] for uri in dict.fromkeys(uris) if uri in found]


def walk_concepts(queries: Queries, number: int, *, after: str = "", limit: int = _AT_ONCE) -> list[Concept]:
    """Return the concepts after a URI, ordered by URI, for iterating over all of them."""
    text = "SELECT body FROM concept WHERE vocabulary_id = ? AND uri > ? ORDER BY uri LIMIT ?"
    return [_concept(body) for (body,) in queries.execute(text, (number, after, limit))]


def find_named(queries: Queries, number: int, keys: Sequence[str]) -> dict[str, list[FoundConcept]]:
    """Return the concepts with each of these keys (see `value_key`), the best kind of name first."""
    found: dict[str, list[FoundConcept]] = {}
    for start in range(0, len(keys), _AT_ONCE):
        some = tuple(keys[start : start + _AT_ONCE])
        text = (
            "SELECT n.key, c.uri, n.kind, n.language, n.text FROM concept_name n"
            " JOIN concept c ON c.id = n.concept_id"
            f" WHERE n.vocabulary_id = ? AND n.key IN ({placeholders(some)})"
            " ORDER BY n.kind, c.is_deprecated, c.notation, c.uri, n.language"
        )
        for key, *rest in queries.execute(text, (number, *some)):
            found.setdefault(key, []).append(FoundConcept(*rest))
    return found


def find_below(queries: Queries, number: int, uris: Sequence[str]) -> list[str]:
    """Return the URIs of all concepts directly below any of these."""
    return _beside(queries, number, uris, "broader_id", "narrower_id")


def find_above(queries: Queries, number: int, uris: Sequence[str]) -> list[str]:
    """Return the URIs of all concepts directly above any of these."""
    return _beside(queries, number, uris, "narrower_id", "broader_id")


def find_parents(queries: Queries, number: int, uris: Sequence[str]) -> dict[str, list[str]]:
    """Return the URIs directly above each of these concepts that has any."""
    found: dict[str, list[str]] = {}
    for start in range(0, len(uris), _AT_ONCE):
        some = tuple(uris[start : start + _AT_ONCE])
        text = (
            "SELECT c.uri, o.uri FROM concept c JOIN concept_below b ON b.vocabulary_id = c.vocabulary_id"
            " AND b.narrower_id = c.id JOIN concept o ON o.id = b.broader_id"
            f" WHERE c.vocabulary_id = ? AND c.uri IN ({placeholders(some)})"
            " ORDER BY c.uri, o.notation, o.uri"
        )
        for uri, above in queries.execute(text, (number, *some)):
            found.setdefault(uri, []).append(above)
    return found


def find_having_below(queries: Queries, number: int, uris: Sequence[str]) -> set[str]:
    """Return those of these concepts that have narrower ones."""
    found: set[str] = set()
    for start in range(0, len(uris), _AT_ONCE):
        some = tuple(uris[start : start + _AT_ONCE])
        text = (
            "SELECT c.uri FROM concept c"
            f" WHERE c.vocabulary_id = ? AND c.uri IN ({placeholders(some)}) AND EXISTS"
            " (SELECT 1 FROM concept_below b WHERE b.vocabulary_id = c.vocabulary_id AND b.broader_id = c.id)"
        )
        found.update(uri for (uri,) in queries.execute(text, (number, *some)))
    return found


def find_tops(queries: Queries, number: int, *, limit: int) -> list[str]:
    """Return the concepts where browsing starts, ordered by notation and URI."""
    text = (
        "SELECT c.uri FROM concept_top t JOIN concept c ON c.id = t.concept_id WHERE t.vocabulary_id = ?"
        " ORDER BY c.notation, c.uri LIMIT ?"
    )
    return [uri for (uri,) in queries.execute(text, (number, limit))]


def find_with_words(queries: Queries, number: int, words: Sequence[str], *, limit: int) -> list[str]:
    """Return concepts with all of these folded words in their labels; the last one may be a prefix."""
    joins = " ".join(
        f"JOIN concept_word w{place} ON w{place}.vocabulary_id = c.vocabulary_id"
        f" AND w{place}.concept_id = c.id" + (f" AND w{place}.word = ?" if place < len(words) - 1 else "")
        for place in range(len(words))
    )
    last = len(words) - 1
    text = (
        f"SELECT DISTINCT c.uri FROM concept c {joins} WHERE c.vocabulary_id = ?"
        f" AND w{last}.word >= ? AND w{last}.word < ? ORDER BY c.uri LIMIT ?"
    )
    rows = queries.execute(text, (*words[:-1], number, *_span(words[-1]), limit))
    return [uri for (uri,) in rows]


def find_names_beginning(
    queries: Queries, number: int, key: str, *, kinds: Sequence[int] = SHOWN, limit: int
) -> list[FoundConcept]:
    """Return names that begin with a key, in alphabetical order."""
    text = (
        "SELECT c.uri, n.kind, n.language, n.text FROM concept_name n JOIN concept c ON c.id = n.concept_id"
        f" WHERE n.vocabulary_id = ? AND n.key >= ? AND n.key < ? AND n.kind IN ({placeholders(kinds)})"
        " ORDER BY n.key, n.kind, c.uri LIMIT ?"
    )
    return [FoundConcept(*row) for row in queries.execute(text, (number, *_span(key), *kinds, limit))]


def list_names_in(
    queries: Queries,
    number: int,
    language: str,
    *,
    prefix: str = "",
    after: tuple[str, str] = ("", ""),
    limit: int,
) -> list[tuple[str, str, str]]:
    """Return sort key, text and URI of the preferred labels in a language, after a sort key and URI."""
    text = (
        "SELECT n.place, n.text, c.uri FROM concept_name n JOIN concept c ON c.id = n.concept_id"
        " WHERE n.vocabulary_id = ? AND n.kind = ? AND n.language = ? AND n.place >= ? AND n.place < ?"
        " AND (n.place > ? OR (n.place = ? AND c.uri > ?)) ORDER BY n.place, c.uri LIMIT ?"
    )
    low, high = _span(prefix)
    values = (number, PREFERRED, language, low, high, after[0], after[0], after[1], limit)
    return [tuple(row) for row in queries.execute(text, values)]


def read_graph(queries: Queries, number: int) -> Iterator[bytes]:
    """Yield the statements of a vocabulary imported as RDF as N-Triples; nothing for any other."""
    place, unpack = 0, zstandard.ZstdDecompressor().decompress
    text = "SELECT data FROM vocabulary_graph WHERE vocabulary_id = ? AND number = ?"
    while rows := list(queries.execute(text, (number, place))):
        yield unpack(rows[0][0])
        place += 1


def has_graph(queries: Queries, number: int) -> bool:
    """Return whether a vocabulary was imported as RDF."""
    text = "SELECT 1 FROM vocabulary_graph WHERE vocabulary_id = ? LIMIT 1"
    return bool(list(queries.execute(text, (number,))))


def _insert(
    connection: Connection, number: int, concepts: Iterable[Concept], watch: Callable[[int], None]
) -> None:
    run, left, done = connection.execute, iter(concepts), 0
    first = int(run("SELECT COALESCE(MAX(id), 0) FROM concept").scalar_one()) + 1
    while some := list(islice(left, _AT_ONCE)):
        numbered = list(enumerate(some, first + done))
        run(
            "INSERT INTO concept (id, vocabulary_id, uri, notation, names, is_deprecated, is_top, body)"
            " VALUES (?, ?, ?, ?, ?, ?, ?, ?)",
            [(place, number, *_columns(each)) for place, each in numbered],
        )
        run(
            "INSERT INTO concept_name VALUES (?, ?, ?, ?, ?, ?, ?) ON CONFLICT DO NOTHING",
            [(number, key, place, *rest) for place, each in numbered for key, *rest in _names(each)],
        )
        run(
            "INSERT INTO concept_word VALUES (?, ?, ?)",
            [(number, word, place) for place, each in numbered for word in _words(each)],
        )
        run(
            "INSERT INTO concept_link VALUES (?, ?, ?, ?)",
            [(number, place, kind, uri) for place, each in numbered for kind, uri in _links(each)],
        )
        done += len(some)
        watch(done)


def _columns(concept: Concept) -> tuple[object, ...]:
    names = _encoded(sorted(concept.preferred))
    state = concept.is_deprecated, bool(concept.top_of)
    return concept.uri, concept.notation, names, *state, _encoded(concept)


def _links(concept: Concept) -> Iterator[tuple[str, str]]:
    for kind, found in (
        (BROADER, concept.broader),
        (NARROWER, concept.narrower),
        (RELATED, concept.related),
    ):
        yield from ((kind, uri) for uri in found)


def _join(connection: Connection, number: int) -> None:
    """Derive the hierarchy from the stated links, and the concepts where browsing starts."""
    run = connection.execute
    for kind, order in ((BROADER, "o.id, l.concept_id"), (NARROWER, "l.concept_id, o.id")):
        run(
            f"INSERT INTO concept_below SELECT l.vocabulary_id, {order} FROM concept_link l"
            " JOIN concept o ON o.vocabulary_id = l.vocabulary_id AND o.uri = l.uri"
            " WHERE l.vocabulary_id = ? AND l.kind = ? AND o.id <> l.concept_id ON CONFLICT DO NOTHING",
            (number, kind),
        )
    without_broader = (
        "NOT EXISTS (SELECT 1 FROM concept_below b WHERE b.vocabulary_id = c.vocabulary_id"
        " AND b.narrower_id = c.id)"
    )
    run(
        "INSERT INTO concept_top SELECT c.vocabulary_id, c.id FROM concept c WHERE c.vocabulary_id = ?"
        f" AND (c.is_top OR (NOT c.is_deprecated AND {without_broader}))",
        (number,),
    )


def _update_counts(connection: Connection, number: int) -> None:
    run = connection.execute
    languages = run(
        "SELECT language FROM concept_name WHERE vocabulary_id = ? AND kind = ? AND language <> ''"
        " GROUP BY language ORDER BY COUNT(*) DESC, language",
        (number, PREFERRED),
    ).scalars()
    run(
        "UPDATE vocabulary SET languages = ?, concepts ="
        " (SELECT COUNT(*) FROM concept WHERE vocabulary_id = ?) WHERE id = ?",
        (_encoded(languages), number, number),
    )


def _compare(connection: Connection, number: int, old: int | None, name: str) -> UpdateReport:
    both = "FROM concept n JOIN concept o ON o.vocabulary_id = ? AND o.uri = n.uri WHERE n.vocabulary_id = ?"
    only = (
        "FROM concept n WHERE n.vocabulary_id = ? AND NOT EXISTS"
        " (SELECT 1 FROM concept o WHERE o.vocabulary_id = ? AND o.uri = n.uri)"
    )
    other = -1 if old is None else old
    vocabulary = find_vocabulary(connection, name)
    assert vocabulary is not None
    run = connection.execute
    differing = f"SELECT COUNT(*) {both} AND n.body <> o.body"
    renamed = _changes(connection, f"{both} AND n.names <> o.names", (other, number))
    deprecated = _changes(connection, f"{both} AND n.is_deprecated AND NOT o.is_deprecated", (other, number))
    touched = int(
        run(
            f"{differing} AND (n.names <> o.names OR (n.is_deprecated AND NOT o.is_deprecated))",
            (other, number),
        ).scalar_one()
    )
    return UpdateReport(
        vocabulary,
        _changes(connection, only, (number, other)),
        _changes(connection, only, (other, number)),
        renamed,
        deprecated,
        int(run(differing, (other, number)).scalar_one()) - touched,
    )


def _changes(connection: Connection, clause: str, values: tuple[int, int]) -> ConceptChanges:
    run = connection.execute
    total = int(run(f"SELECT COUNT(*) {clause}", values).scalar_one())
    bodies = run(f"SELECT n.body {clause} ORDER BY n.notation, n.uri LIMIT ?", (*values, MAX_EXAMPLES))
    return ConceptChanges(total, tuple((each.uri, each.label()) for each in map(_concept, bodies.scalars())))


def _delete(connection: Connection, number: int) -> None:
    for table in _TABLES:
        connection.execute(f"DELETE FROM {table} WHERE vocabulary_id = ?", (number,))
    connection.execute("DELETE FROM vocabulary WHERE id = ?", (number,))


def _beside(queries: Queries, number: int, uris: Sequence[str], given: str, wanted: str) -> list[str]:
    found: dict[str, None] = {}
    for start in range(0, len(uris), _AT_ONCE):
        some = tuple(uris[start : start + _AT_ONCE])
        text = (
            f"SELECT o.uri FROM concept c JOIN concept_below b ON b.vocabulary_id = c.vocabulary_id"
            f" AND b.{given} = c.id JOIN concept o ON o.id = b.{wanted}"
            f" WHERE c.vocabulary_id = ? AND c.uri IN ({placeholders(some)}) ORDER BY o.notation, o.uri"
        )
        found.update((uri, None) for (uri,) in queries.execute(text, (number, *some)))
    return list(found)


def _names(concept: Concept) -> Iterator[tuple[str, int, str, str, str]]:
    """Yield every name of a concept: its key, kind, language and text, and its sort key among labels."""
    yield value_key(concept.uri), URI, "", concept.uri, ""
    for notation in concept.notations:
        yield value_key(notation), NOTATION, "", notation, ""
    labels = ((PREFERRED, concept.preferred), (ALTERNATIVE, concept.alternative), (HIDDEN, concept.hidden))
    for kind, found in labels:
        for text, language in found:
            if key := value_key(text):
                yield key, kind, language, text, collation(language.partition("-")[0]).key(text)


def _words(concept: Concept) -> set[str]:
    labels = (*concept.preferred, *concept.alternative, *concept.hidden)
    texts = (*(label.text for label in labels), *concept.notations)
    return {word for text in texts for word in folded_words(text)}


def _span(start: str) -> tuple[str, str]:
    return start, f"{start}\U0010ffff"


def _number(connection: Connection, name: str) -> int | None:
    row = connection.execute("SELECT id FROM vocabulary WHERE name = ?", (name,)).first()
    return None if row is None else int(row[0])


def _vocabulary(row: tuple[str, str, str, str, int, str, str, str, str, str, int]) -> Vocabulary:
    return Vocabulary(
        row[0],
        msgspec.json.decode(row[1], type=tuple[Label, ...]),
        msgspec.json.decode(row[2], type=tuple[Scheme, ...]),
        msgspec.json.decode(row[3], type=tuple[str, ...]),
        *row[4:],
    )


def _concept(body: str) -> Concept:
    return msgspec.json.decode(body, type=Concept)


def _encoded(value: object) -> str:
    return msgspec.json.encode(value).decode()


# The common prefix of a vocabulary's URIs.

MAX_SPACES = 50  # different prefixes that are compared
_LAST = "\U0010ffff"
_SPACE = re.compile(r".*[/#:]", re.DOTALL)


def find_uri_space(queries: Queries, number: int, base: str = "") -> str:
    """Return the prefix of most URIs of a vocabulary: its base if that has concepts, else the most common.

    Prefixes end at the last slash, hash or colon. At most MAX_SPACES of them are counted, in the order of
    URIs.
    """
    if base and _next_uri(queries, number, base).startswith(base):
        return base
    best, most, after = "", 0, ""
    for _ in range(MAX_SPACES):
        uri = _next_uri(queries, number, after)
        found = _SPACE.match(uri)
        if not uri:
            break
        if found is None or uri.startswith("_:"):
            after = uri
            continue
        count = _count_uris(queries, number, found[0])
        if count > most:
            best, most = found[0], count
        after = found[0] + _LAST
    return best


def _next_uri(queries: Queries, number: int, after: str) -> str:
    text = "SELECT uri FROM concept WHERE vocabulary_id = ? AND uri > ? ORDER BY uri LIMIT 1"
    return next((uri for (uri,) in queries.execute(text, (number, after))), "")


def _count_uris(queries: Queries, number: int, start: str) -> int:
    text = "SELECT COUNT(*) FROM concept WHERE vocabulary_id = ? AND uri > ? AND uri < ?"
    ((count,),) = queries.execute(text, (number, start, start + _LAST))
    return int(count)


# Questionable concepts, found by queries on the tables.

_CONCEPTS = "FROM concept c WHERE c.vocabulary_id = :v"
_LINKED = "EXISTS (SELECT 1 FROM concept_below b WHERE b.vocabulary_id = c.vocabulary_id AND {} = c.id)"
_IS_RELATED = (
    "FROM concept_link l JOIN concept o ON o.vocabulary_id = l.vocabulary_id AND o.uri = l.uri"
    " WHERE l.vocabulary_id = :v AND l.kind = 'related' AND o.id <> l.concept_id"
)
_RELATED = f"c.id IN (SELECT l.concept_id {_IS_RELATED} UNION SELECT o.id {_IS_RELATED})"
_NAMED = (
    f"c.id IN (SELECT n.concept_id FROM concept_name n WHERE n.vocabulary_id = :v AND n.kind = {PREFERRED})"
)
_ABOVE, _BELOW = _LINKED.format("b.narrower_id"), _LINKED.format("b.broader_id")
_SEVERAL_NAMED = (
    "SELECT n.{what}, n.language FROM concept_name n WHERE n.vocabulary_id = :v AND n.kind = {kind}"
    " GROUP BY n.{what}, n.language HAVING COUNT(DISTINCT n.{counted}) > 1"
)
# Each query returns the URI of a concept and a detail.
_ODDITIES = {
    "missing_label": f"SELECT c.uri, '' {_CONCEPTS} AND NOT {_NAMED}",
    "orphan": (
        f"SELECT c.uri, '' {_CONCEPTS} AND NOT c.is_top AND NOT {_ABOVE} AND NOT {_BELOW} AND NOT {_RELATED}"
    ),
    "several_parents": (
        "SELECT c.uri, COUNT(*) FROM concept c JOIN concept_below b ON b.vocabulary_id = c.vocabulary_id"
        " AND b.narrower_id = c.id WHERE c.vocabulary_id = :v GROUP BY c.id, c.uri HAVING COUNT(*) > 1"
    ),
    "own_neighbour": (
        "SELECT c.uri, l.kind FROM concept_link l JOIN concept c ON c.id = l.concept_id"
        " WHERE l.vocabulary_id = :v AND l.uri = c.uri"
    ),
    "missing_concept": (
        "SELECT c.uri, l.uri FROM concept_link l JOIN concept c ON c.id = l.concept_id"
        " WHERE l.vocabulary_id = :v AND NOT EXISTS"
        " (SELECT 1 FROM concept o WHERE o.vocabulary_id = l.vocabulary_id AND o.uri = l.uri)"
    ),
    "same_notation": (
        "SELECT c.uri, n.text FROM concept_name n JOIN concept c ON c.id = n.concept_id"
        f" WHERE n.vocabulary_id = :v AND n.kind = {NOTATION} AND (n.key, n.language) IN"
        f" ({_SEVERAL_NAMED.format(what='key', kind=NOTATION, counted='concept_id')})"
    ),
    "same_label": (
        "SELECT c.uri, n.text FROM concept_name n JOIN concept c ON c.id = n.concept_id"
        f" WHERE n.vocabulary_id = :v AND n.kind = {PREFERRED} AND (n.key, n.language) IN"
        f" ({_SEVERAL_NAMED.format(what='key', kind=PREFERRED, counted='concept_id')})"
    ),
    "several_labels": (
        "SELECT c.uri, n.text FROM concept_name n JOIN concept c ON c.id = n.concept_id"
        f" WHERE n.vocabulary_id = :v AND n.kind = {PREFERRED} AND (n.concept_id, n.language) IN"
        f" ({_SEVERAL_NAMED.format(what='concept_id', kind=PREFERRED, counted='text')})"
    ),
    "top_below_another": f"SELECT c.uri, '' {_CONCEPTS} AND c.is_top AND {_ABOVE}",
}


class Oddity(NamedTuple):
    """A questionable concept; the detail is a label, a notation, a URI or a number."""

    uri: str
    detail: str = ""


class Oddities(NamedTuple):
    """The number of findings of a kind, and the first of them."""

    total: int
    examples: tuple[Oddity, ...]


def find_oddities(queries: Queries, number: int, kind: str, *, limit: int) -> Oddities:
    """Return the findings of one kind; cycles are found by `vocabularies.vocabulary_audit`."""
    text = _ODDITIES[kind]
    ((total,),) = queries.execute(f"SELECT COUNT(*) FROM ({text}) found", {"v": number})
    rows = queries.execute(f"{text} ORDER BY 1, 2 LIMIT :most", {"v": number, "most": limit})
    return Oddities(int(total), tuple(Oddity(uri, str(detail)) for uri, detail in rows))


def list_edges(queries: Queries, number: int) -> Iterator[tuple[int, int]]:
    """Yield the hierarchy as pairs of concept numbers: broader, narrower."""
    text = "SELECT broader_id, narrower_id FROM concept_below WHERE vocabulary_id = ?"
    yield from queries.execute(text, (number,))


def find_uri(queries: Queries, concept: int) -> str:
    ((uri,),) = queries.execute("SELECT uri FROM concept WHERE id = ?", (concept,))
    found: str = uri
    return found
