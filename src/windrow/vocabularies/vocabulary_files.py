"""Import and export of vocabulary files in all their formats.

RDF (Turtle, RDF/XML, JSON-LD and N-Triples) is parsed by pyoxigraph in a child process (`rdf_child`), which
returns N-Triples: a file with endless nesting, or one that expands beyond the available memory, ends that
process only.
"""

from __future__ import annotations

import re
import subprocess
import sys
import tempfile
from collections.abc import Callable, Iterable, Iterator
from contextlib import suppress
from datetime import UTC, datetime
from functools import partial
from importlib.util import find_spec
from pathlib import Path
from typing import IO, TYPE_CHECKING
from urllib.parse import urlsplit

import zstandard

from windrow.errors import UsageError, explain_write, install_hint
from windrow.model.thesaurus import Label, Scheme, Vocabulary
from windrow.store.connection import Connection
from windrow.store.store import Store
from windrow.store.vocabulary import concepts as rows
from windrow.store.vocabulary.concepts import UpdateReport
from windrow.store.vocabulary.vocabulary_staging import Staging, Statement
from windrow.vocabularies import skos
from windrow.vocabularies.concept_table import read_table, write_table
from windrow.vocabularies.rdf_child import open_plain
from windrow.vocabularies.vocabulary_view import VocabularyView, concept_code
from windrow.vocabularies.zthes import ROOT, read_zthes, write_zthes

if TYPE_CHECKING:
    from pyoxigraph import Quad, Triple


RDF_FORMATS = {
    "ttl": "text/turtle",
    "rdf": "application/rdf+xml",
    "nt": "application/n-triples",
    "jsonld": "application/ld+json",
}
PREFIXES = {
    "skos": "http://www.w3.org/2004/02/skos/core#",
    "dct": "http://purl.org/dc/terms/",
    "owl": "http://www.w3.org/2002/07/owl#",
    "xsd": "http://www.w3.org/2001/XMLSchema#",
}
MEMORY_BYTES = 2 << 30  # for parsing a file
LEAST_SECONDS = 20  # of processor time for parsing a file,
SECONDS_PER_MB = 10  # plus this for each megabyte: a hundred times the usual need, for compressed files
_CHILD = "windrow.vocabularies.rdf_child"
_BLOCK_BYTES = 1 << 20
_LONGEST_LINE = 16 << 20  # one statement


def check_installed() -> None:
    if find_spec("pyoxigraph") is None:
        raise UsageError(
            "reading and writing RDF needs pyoxigraph, which is not installed",
            hint=f"{install_hint('vocabularies')}. CSV and Zthes need nothing.",
        )


def read_blocks(path: Path, kind: str, base: str) -> Iterator[bytes]:
    """Yield a file's statements as N-Triples, many lines at a time; raise UsageError if it is malformed."""
    check_installed()
    with tempfile.TemporaryFile() as complaints:
        child = subprocess.Popen(
            [sys.executable, "-m", _CHILD, str(path.resolve()), kind, base, *map(str, _limits(path))],
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=complaints,
        )
        assert child.stdout is not None
        try:
            yield from _blocks(child.stdout)
            if child.wait() != 0:
                raise UsageError(f"{path.name} cannot be read: {_complaint(complaints, child.returncode)}")
        finally:
            child.stdout.close()
            with suppress(OSError):
                child.kill()
            child.wait()


def parse_ntriples(block: bytes) -> Iterator[Quad]:
    import pyoxigraph  # noqa: PLC0415 - an extra

    yield from pyoxigraph.parse(block, pyoxigraph.RdfFormat.N_TRIPLES)


def write_rdf(statements: Iterable[Triple], file: IO[bytes], kind: str) -> None:
    """Write statements in one of FORMATS, without collecting them in memory."""
    import pyoxigraph  # noqa: PLC0415

    chosen = {
        "ttl": pyoxigraph.RdfFormat.TURTLE,
        "rdf": pyoxigraph.RdfFormat.RDF_XML,
        "nt": pyoxigraph.RdfFormat.N_TRIPLES,
        "jsonld": pyoxigraph.RdfFormat.JSON_LD,
    }[kind]
    try:
        pyoxigraph.serialize(statements, file, chosen, prefixes=PREFIXES)
    except ValueError as exc:
        raise UsageError(
            f"this vocabulary has statements that cannot be written so: {exc}",
            hint="Turtle can: --format ttl",
        ) from exc


def _limits(path: Path) -> tuple[int, int]:
    return MEMORY_BYTES, LEAST_SECONDS + path.stat().st_size * SECONDS_PER_MB // 1_000_000


def _blocks(pipe: IO[bytes]) -> Iterator[bytes]:
    rest = b""
    while more := pipe.read(_BLOCK_BYTES):
        whole, newline, end = more.rpartition(b"\n")
        if newline:
            yield rest + whole + newline
            rest = end
        else:
            rest += more
        if len(rest) > _LONGEST_LINE:
            raise UsageError(
                f"the file has a statement of more than {_LONGEST_LINE >> 20} MB",
                hint="Take it out of the file.",
            )
    if rest:
        yield rest


def _complaint(file: IO[bytes], code: int) -> str:
    file.seek(0)
    said = file.read(2000).decode("utf-8", "replace").strip()
    if code == 1 and said:
        return said
    return "the parser gave up. It nests too deeply, or takes more memory or time than a vocabulary may need"


ZTHES, CSV = "zthes", "csv"
VOCABULARY_FORMATS = (*RDF_FORMATS, ZTHES, CSV)
MEDIA_TYPES = {**RDF_FORMATS, ZTHES: "application/xml", CSV: "text/csv"}
ENDINGS = {**{name: f".{name}" for name in RDF_FORMATS}, ZTHES: ".xml", CSV: ".csv"}
_BY_ENDING = {
    ".ttl": "ttl", ".turtle": "ttl", ".n3": "ttl", ".rdf": "rdf", ".owl": "rdf", ".nt": "nt",
    ".jsonld": "jsonld", ".json": "jsonld", ".csv": CSV, ".tsv": CSV, ".tab": CSV,
}  # fmt: skip
_XML_ROOT = re.compile(rb"<(?![?!])(?:[\w.-]+:)?([\w.-]+)")
_SNIFFED_BYTES = 64 * 1024
SUB_PROPERTY = skos.SUB_PROPERTY.encode()
Watch = Callable[[str, int], None]  # called with an activity and a count


class Cancelled(Exception):
    """Raised to undo a transaction after its effect was examined."""


def import_vocabulary(
    store: Store,
    name: str,
    path: Path,
    *,
    kind: str = "",
    base: str = "",
    encoding: str = "",
    title: str = "",
    is_new: bool = True,
    is_trial: bool = False,
    watch: Watch = lambda _what, _done: None,
    clock: Callable[[], datetime] = lambda: datetime.now(UTC),
) -> UpdateReport:
    """Import a file as a vocabulary; unless `is_new`, replace the one of that name.

    The import is atomic. With `is_trial` nothing is stored, and the report describes what would have been.
    """
    store.check_writable()
    before = _check_name(store, name, is_new=is_new)
    kind = kind or (before.format if before and before.file == path.name else detect_format(path))
    base = base or (before.base if before else "") or f"vocabulary://{name}/"
    check_base(base)
    blocks: list[bytes] = []
    with Staging() as staged:
        read = 0
        for statements in _statements(path, kind, base, encoding, blocks):
            for taken in staged.add(statements, already=read):
                watch("statements read", taken)
                read = taken
        schemes = staged.schemes()
        now = clock().astimezone(UTC).isoformat(timespec="seconds")
        own = before.title if before and before.title != _title(before.schemes) else ()  # set explicitly
        labels = (Label(title),) if title else own or _title(schemes)
        made = Vocabulary(name, labels, schemes, (), 0, kind, path.name, base, now, now, 0)
        try:
            with store.writing() as connection:
                report = rows.put_vocabulary(
                    connection,
                    made,
                    staged.concepts(),
                    blocks,
                    watch=lambda done: watch("concepts stored", done),
                )
                if not report.vocabulary.concepts:
                    raise UsageError(
                        f"{path.name} has no concepts",
                        hint="It may hold skos:Concept resources (RDF), terms (Zthes) or lines (a table).",
                    )
                if is_trial:
                    raise Cancelled
        except Cancelled:
            pass
    return report


def export_vocabulary(view: VocabularyView, store: Store, file: IO[bytes], kind: str) -> None:
    """Write a vocabulary in one of FORMATS. One imported from RDF is written with all its statements."""
    vocabulary = view.vocabulary
    if kind == CSV:
        write_table(view.walk(), vocabulary.languages, partial(concept_code, base=vocabulary.base), file)
    elif kind == ZTHES:
        title = vocabulary.label()
        write_zthes(
            view.walk(), file, neighbours=view.neighbours, languages=vocabulary.languages[:1], title=title
        )
    else:
        check_installed()
        with store.reading() as connection:
            write_rdf(_graph(connection, view, vocabulary), file, kind)


def detect_format(path: Path) -> str:
    """Detect the format of a file from its suffix and first bytes; raise UsageError if it is unsupported."""
    try:
        with open_plain(str(path)) as file:
            start = file.read(_SNIFFED_BYTES)
    except IsADirectoryError:
        raise UsageError(f"{path} is a folder", hint="Name a file.") from None
    except (OSError, EOFError) as exc:
        words = explain_write(exc, path)[0] if isinstance(exc, OSError) else str(exc)
        raise UsageError(f"{path} cannot be read: {words}", hint="Check its name and permissions.") from exc
    if not start.strip():
        raise UsageError(f"{path.name} is empty")
    names = [suffix.lower() for suffix in path.suffixes if suffix.lower() != ".gz"]
    kind = _BY_ENDING.get(names[-1] if names else "")
    if start.lstrip().startswith(b"<") and kind not in ("ttl", "nt", CSV):
        return _xml_kind(path, start)
    if kind is None:
        raise UsageError(
            f"{path.name} has no ending that names a format",
            hint=f"Name it with --format, which is one of {', '.join(VOCABULARY_FORMATS)}.",
        )
    return kind


def check_base(base: str) -> None:
    if not urlsplit(base).scheme or re.search(r"[\s<>\"{}|\\^`]", base):
        raise UsageError(f"{base!r} cannot begin URIs", hint="Such as https://example.org/vocabulary/NAME/")


def _xml_kind(path: Path, start: bytes) -> str:
    root = _XML_ROOT.search(re.sub(rb"(?s)<!--.*?-->|<!DOCTYPE[^\[>]*(?:\[.*?\]\s*)?>", b"", start))
    name = root[1].decode() if root else ""
    if name == "RDF":
        return "rdf"
    if name == ROOT:
        return ZTHES
    raise UsageError(
        f"{path.name} is XML, but neither RDF nor Zthes: it begins with <{name or '?'}>",
        hint="Convert it to SKOS, or to a table with the columns code, parent and label.",
    )


def _statements(
    path: Path, kind: str, base: str, encoding: str, blocks: list[bytes]
) -> Iterator[Iterable[Statement]]:
    """Yield the statements of a file in batches; for RDF, collect all its statements in `blocks`."""
    if kind == CSV:
        yield read_table(path, base, encoding=encoding)
    elif kind == ZTHES:
        yield read_zthes(path, base)
    else:
        pack, own = zstandard.ZstdCompressor(level=3).compress, dict[str, str]()
        for block in read_blocks(path, kind, base):
            blocks.append(pack(block))
            yield skos.read_statements(parse_ntriples(block))
            if SUB_PROPERTY in block:
                own |= skos.sub_properties(parse_ntriples(block))
        for packed in blocks if own else ():
            yield skos.read_links(parse_ntriples(zstandard.ZstdDecompressor().decompress(packed)), own)


def _graph(connection: Connection, view: VocabularyView, vocabulary: Vocabulary) -> Iterator[Triple]:
    number = rows.list_revisions(connection)[vocabulary.name][0]
    if rows.has_graph(connection, number):
        for block in rows.read_graph(connection, number):
            yield from (quad.triple for quad in parse_ntriples(block))
    else:
        yield from skos.triples(view.walk(), vocabulary.schemes)


def _title(schemes: Iterable[Scheme]) -> tuple[Label, ...]:
    found = [scheme.labels for scheme in schemes if scheme.labels]
    return found[0] if len(found) == 1 else ()


def _check_name(store: Store, name: str, *, is_new: bool) -> Vocabulary | None:
    with store.reading() as connection:
        found = rows.find_vocabulary(connection, name)
    if is_new and found is not None:
        raise UsageError(
            f"there is a vocabulary {name} already",
            hint=f"Take a new version in: windrow vocabulary update {name} FILE",
        )
    if not is_new and found is None:
        raise UsageError(f"there is no vocabulary {name}", hint=f"Add it: windrow vocabulary add {name} FILE")
    return found
