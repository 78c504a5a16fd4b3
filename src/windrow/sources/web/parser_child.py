"""`python -m windrow.sources.web.parser_child SOCKET LIMITS`: parses pages for `parser_pool`.

The process ends when its parent has ended, after its share of pages, or when it has grown too large.
"""

from __future__ import annotations

import gc
import json
import socket
import sys
import time
from contextlib import suppress

import msgspec

from windrow.extract import confinement
from windrow.extract.language_detection import detect_language
from windrow.extract.reading_job import FAT_BYTES, Limits
from windrow.sources.web.listing import parse_feed, parse_sitemap
from windrow.sources.web.page import parse_page
from windrow.sources.web.parser_messages import (
    ANSWER,
    CHEAP_BYTES,
    MOST_ANSWER_BYTES,
    READY,
    REQUEST,
    ParseFailure,
    Question,
    Reply,
)

PAGES_PER_WORKER = 20_000
CHEAP_SECONDS = 0.5  # of processor time, after which the limits are reset

_encode = msgspec.msgpack.Encoder().encode
_decode = msgspec.msgpack.Decoder(Question).decode


def main(arguments: list[str]) -> int:
    """Serve the socket until its other end closes."""
    if len(arguments) != 2:
        sys.stderr.write("This parses web pages for Windrow, which starts it by itself.\n")
        return 2
    line = socket.socket(fileno=int(arguments[0]))
    line.set_inheritable(False)
    limits = Limits(**json.loads(arguments[1]))
    gc.set_threshold(50_000, 20, 20)  # as in the command: parsed pages leave hardly any reference cycles
    confinement.confine()
    with line, suppress(OSError, EOFError):  # the parent has ended
        line.sendall(READY)
        _serve(line, limits)
    return 0


def _serve(line: socket.socket, limits: Limits) -> None:
    most = confinement.address_space() + FAT_BYTES
    wound_at = -CHEAP_SECONDS
    for number in range(1, PAGES_PER_WORKER + 1):
        question_bytes, body_bytes = REQUEST.unpack(_exactly(line, REQUEST.size))
        came = _exactly(line, question_bytes + body_bytes)
        # Resetting the limits costs a fifth of a small page, so they are shared by a few of those.
        is_wound = body_bytes > CHEAP_BYTES or time.process_time() - wound_at > CHEAP_SECONDS
        if is_wound:
            confinement.wind(limits)
            wound_at = time.process_time()
        packed, is_fat = _answer(came, question_bytes, limits)
        is_last = is_fat or number == PAGES_PER_WORKER or (is_wound and confinement.address_space() > most)
        if is_wound:
            confinement.unwind()
        line.sendall(ANSWER.pack(is_last, len(packed)) + packed)
        if is_last:
            return


def _exactly(line: socket.socket, size: int) -> bytearray:
    buffer = bytearray(size)
    view, have = memoryview(buffer), 0
    while have < size:
        came = line.recv_into(view[have:])
        if not came:
            raise EOFError
        have += came
    return buffer


def _answer(came: bytearray, question_bytes: int, limits: Limits) -> tuple[bytes, bool]:
    """Return the answer, and whether memory ran out, after which the process is unreliable."""
    try:
        question = _decode(memoryview(came)[:question_bytes])
        body = bytes(memoryview(came)[question_bytes:])
        packed = _encode(_reply(question, body))
        if len(packed) + ANSWER.size <= MOST_ANSWER_BYTES:
            return packed, False
        failure = ParseFailure("memory", "Parsing was given up: more was found than may be kept.")
    except MemoryError:
        failure = ParseFailure("memory", f"Parsing was given up: {limits.memory_words}.")
    except Exception as exc:  # noqa: BLE001 - a bug in the parser costs one page, and is reported as one
        failure = ParseFailure("crash", f"The parser failed: {type(exc).__name__}: {exc}"[:500])
    return _encode(Reply(failure=failure)), failure.code == "memory"


def _reply(question: Question, body: bytes) -> Reply:
    if question.task == "page":
        page = parse_page(
            body, url=question.url, headers=question.headers, limits=question.limits, wants=question.wants
        )
        return Reply(page=page)
    if question.task == "language":
        return Reply(language=detect_language(body.decode("utf-8", "replace")))
    parse = parse_sitemap if question.task == "sitemap" else parse_feed
    return Reply(listing=parse(body, url=question.url))


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
