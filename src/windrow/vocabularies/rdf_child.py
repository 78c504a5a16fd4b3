"""Child process: parses one RDF file to N-Triples on stdout, with limited memory and time.

`vocabulary_files` runs it as a module with the arguments path, format, base, bytes of memory, seconds. Errors
in the file go to stderr as one line, with exit code 1. Nothing is fetched: pyoxigraph loads neither remote
JSON-LD contexts nor external entities.
"""

from __future__ import annotations

import gzip
import sys
from contextlib import suppress
from typing import IO

GZIP = b"\x1f\x8b"
_BOM = b"\xef\xbb\xbf"


def main() -> None:
    path, kind, base, memory, seconds = sys.argv[1:]
    _limit(int(memory), int(seconds))
    import pyoxigraph  # noqa: PLC0415 - loaded under the limits

    formats = {
        "ttl": pyoxigraph.RdfFormat.TURTLE,
        "rdf": pyoxigraph.RdfFormat.RDF_XML,
        "nt": pyoxigraph.RdfFormat.N_TRIPLES,
        "jsonld": pyoxigraph.RdfFormat.JSON_LD,
    }
    try:
        with open_plain(path) as file:
            quads = pyoxigraph.parse(file, formats[kind], base_iri=base)
            triples = (quad.triple for quad in quads)
            pyoxigraph.serialize(triples, sys.stdout.buffer, pyoxigraph.RdfFormat.N_TRIPLES)
            sys.stdout.buffer.flush()
    except BrokenPipeError:
        sys.exit(2)
    except (SyntaxError, ValueError, OSError, EOFError, MemoryError) as exc:
        sys.stderr.write(_sentence(exc))
        sys.exit(1)


def open_plain(path: str) -> IO[bytes]:
    """Open a file for reading, decompressing gzip and skipping a byte order mark."""
    with open(path, "rb") as file:
        start = file.read(4)
    opened: IO[bytes] = gzip.open(path, "rb") if start.startswith(GZIP) else open(path, "rb")  # type: ignore[assignment]  # noqa: SIM115
    if opened.read(len(_BOM)) != _BOM:
        opened.seek(0)
    return opened


def _sentence(exc: BaseException) -> str:
    words = " ".join(str(exc).split()) or type(exc).__name__
    line = getattr(exc, "lineno", None)
    return f"line {line}: {words}" if line and "line" not in words else words


def _limit(memory_bytes: int, seconds: int) -> None:
    try:
        import resource  # noqa: PLC0415 - not on Windows
    except ImportError:
        return
    for what, most in (
        (resource.RLIMIT_AS, memory_bytes),
        (resource.RLIMIT_CPU, seconds),
        (resource.RLIMIT_CORE, 0),
    ):
        with suppress(ValueError, OSError):
            resource.setrlimit(what, (most, most))


if __name__ == "__main__":
    main()
