"""RDF in Turtle, RDF/XML, JSON-LD and N-Triples, by pyoxigraph.

Files are parsed in a process of their own (`rdf_child`), which hands back plain N-Triples. A file that nests
without end, or stands for more memory than there is, ends that process and nothing else.
"""

from __future__ import annotations

import subprocess
import sys
import tempfile
from collections.abc import Iterable, Iterator
from contextlib import suppress
from importlib.util import find_spec
from pathlib import Path
from typing import IO, TYPE_CHECKING

from windrow.errors import UsageError

if TYPE_CHECKING:
    from pyoxigraph import Quad, Triple

FORMATS = {
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
MEMORY_BYTES = 2 << 30  # that parsing a file may take
LEAST_SECONDS = 20  # of processor time that parsing a file may take,
SECONDS_PER_MB = 10  # and for each megabyte more: a hundred times what ordinary ones need, for packed files
_CHILD = "windrow.vocabularies.rdf_child"
_BLOCK_BYTES = 1 << 20
_LONGEST_LINE = 16 << 20  # one statement


def check_installed() -> None:
    """Raise UsageError where pyoxigraph is missing."""
    if find_spec("pyoxigraph") is None:
        raise UsageError(
            "reading and writing RDF needs pyoxigraph, which is not installed",
            hint="Install it with: pip install 'windrow[vocabularies]'. CSV and Zthes need nothing.",
        )


def read_blocks(path: Path, kind: str, base: str) -> Iterator[bytes]:
    """Yield the statements of a file as N-Triples, many lines at a time; UsageError where it is broken."""
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


def parse(block: bytes) -> Iterator[Quad]:
    """Yield the statements of some lines of N-Triples."""
    import pyoxigraph  # noqa: PLC0415 - an extra

    yield from pyoxigraph.parse(block, pyoxigraph.RdfFormat.N_TRIPLES)


def write(statements: Iterable[Triple], file: IO[bytes], kind: str) -> None:
    """Write statements in one of FORMATS, one after another."""
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
    """Return how much memory and processor time parsing a file may take."""
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
