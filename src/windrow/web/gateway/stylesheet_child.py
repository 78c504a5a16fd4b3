"""What runs stylesheets, in a process of its own: `styling` starts it as a module and speaks over its pipes.

Metadata is from strangers, and a stylesheet may never end: here both meet limits of time and memory, cannot
open a file or a socket, and whatever they do to this process does not end the server.

A job is a line of JSON with the sizes of a payload and of a stylesheet, then both; the answer a line with
`ok`, `no` (not of this payload) or `bad` (the stylesheet itself) and a number of bytes, then the bytes. It
ends with its input.
"""

from __future__ import annotations

import json
import sys
from contextlib import suppress
from typing import IO, Any

from windrow.web.gateway.xslt_transform import InvalidStylesheet, StylesheetCache, sanitise

MAX_HTML_CHARACTERS = 4 * 1024 * 1024
CPU_SECONDS = 2
MEMORY_BYTES = 768 * 1024 * 1024
BLOATED_KILOBYTES = 400 * 1024  # what libxml2 once saw of names it never forgets: a new process begins anew


def main() -> None:
    """Do jobs until there are no more."""
    transforms = StylesheetCache()
    transforms.make(b'<warm xmlns="urn:windrow"/>', "oai_dc", b"", "en", "")
    sanitise("<p>warm</p>")  # what is loaded late would need files
    _confine()
    while line := sys.stdin.buffer.readline():
        _allow_cpu_time()
        word, body = _do_job(transforms, json.loads(line), sys.stdin.buffer)
        sys.stdout.buffer.write(f"{word} {len(body)}\n".encode() + body)
        sys.stdout.buffer.flush()
        if _is_bloated():
            return


def _do_job(transforms: StylesheetCache, job: dict[str, Any], pipe: IO[bytes]) -> tuple[str, bytes]:
    payload, sheet = pipe.read(job["payload"]), pipe.read(job["sheet"])
    try:
        made = transforms.make(payload, job["prefix"], sheet, job["language"], job["identifier"])
        if len(made) > MAX_HTML_CHARACTERS:
            return "no", f"it makes more than {MAX_HTML_CHARACTERS:,} characters".encode()
        return "ok", sanitise(made).encode("utf-8", "replace")
    except InvalidStylesheet as exc:
        return "bad", _describe_error(exc)
    except Exception as exc:  # noqa: BLE001 - the worker loop: one page fails, the next is made
        return "no", _describe_error(exc)


def _describe_error(exc: Exception) -> bytes:
    return (str(exc) or type(exc).__name__).encode("utf-8", "replace")[:1000]


def _confine() -> None:
    """Give up what no stylesheet needs: files, sockets, memory without end, a dump of this process."""
    try:
        import resource  # noqa: PLC0415 - not on Windows
    except ImportError:
        return
    for what, most in (
        (resource.RLIMIT_CORE, 0),
        (resource.RLIMIT_FSIZE, 0),
        (resource.RLIMIT_AS, MEMORY_BYTES),
        (resource.RLIMIT_NOFILE, 3),
    ):
        with suppress(OSError, ValueError):  # some systems do not know all of them
            resource.setrlimit(what, (most, most))


def _is_bloated() -> bool:
    try:
        import resource  # noqa: PLC0415
    except ImportError:
        return False
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss > BLOATED_KILOBYTES


def _allow_cpu_time() -> None:
    """Let this process work so many seconds more; whoever needs longer is ended by the system."""
    try:
        import resource  # noqa: PLC0415
    except ImportError:
        return
    used = resource.getrusage(resource.RUSAGE_SELF)
    until = int(used.ru_utime + used.ru_stime) + 1 + CPU_SECONDS
    _, hard = resource.getrlimit(resource.RLIMIT_CPU)
    with suppress(OSError, ValueError):
        resource.setrlimit(resource.RLIMIT_CPU, (until, hard))


if __name__ == "__main__":
    main()
