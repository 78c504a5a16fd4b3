"""The child process that runs stylesheets, started as a module by `stylesheets`, with jobs on its pipes.

Metadata is untrusted and a stylesheet may never end. Here both are limited in time and memory and cannot open
a file or a socket, and a crash of this process does not end the server.

A job is a line of JSON with the sizes of a payload and of a stylesheet, then both. The answer is a line with
`ok`, `no` (fails for this payload) or `bad` (the stylesheet itself is invalid) and a number of bytes, then
the bytes. The process ends with its input.
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
BLOATED_KILOBYTES = 400 * 1024  # libxml2 never frees the names it has seen: a new process starts empty


def main() -> None:
    transforms = StylesheetCache()
    transforms.make(b'<warm xmlns="urn:windrow"/>', "oai_dc", b"", "en", "")
    sanitise("<p>warm</p>")  # modules that are imported late would need files
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
    """Drop what no stylesheet needs: files, sockets, unlimited memory and core dumps."""
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
        with suppress(OSError, ValueError):  # some systems do not have all of them
            resource.setrlimit(what, (most, most))


def _is_bloated() -> bool:
    try:
        import resource  # noqa: PLC0415
    except ImportError:
        return False
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss > BLOATED_KILOBYTES


def _allow_cpu_time() -> None:
    """Raise the CPU limit by a few seconds for this job; the system ends the process if it needs longer."""
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
