"""How an answer begins: status line and headers, read with a tenth of the work that http.client takes.

http.client reads headers as if they were a letter's. At a hundred records a page that is a twentieth of a
whole harvest, so headers of the plain kind are split here; what is not plain is still read as a letter.
"""

from __future__ import annotations

import re
from email.parser import Parser
from http.client import HTTPException, HTTPMessage, HTTPResponse, LineTooLong, UnknownProtocol
from typing import IO, TYPE_CHECKING

LONGEST_LINE = 65_536
MOST_HEADERS = 100
_PLAIN = re.compile(rb"[!#$%&'*+.^_`|~0-9A-Za-z-]+:[^\r\n\x00]*\r?\n")
_ENDS = (b"\r\n", b"\n", b"")
_OLD = ("HTTP/1.0", "HTTP/0.9")
_WITHOUT_BODY = frozenset({204, 304})
_SWITCHING_PROTOCOLS = 101


class QuickResponse(HTTPResponse):
    """An answer as http.client has it, begun more quickly."""

    if TYPE_CHECKING:  # of http.client, which keeps them to itself
        _method: str | None

        def _read_status(self) -> tuple[str, int, str]: ...
        def _check_close(self) -> bool: ...

    def begin(self) -> None:
        """Read up to the body, and find out how long that is; once, however often it is called."""
        if self.headers is not None:
            return
        version, status, reason = self._read_status()
        # 100, 102, 103 Early Hints and whatever comes to exist: the final response follows (RFC 9110 §15.2).
        # After 101 no HTTP follows, and nobody asked for that. Without end they meet the limit of `bounded`.
        while 100 <= status < 200 and status != _SWITCHING_PROTOCOLS:
            _lines(self.fp)
            version, status, reason = self._read_status()
        if version not in _OLD and not version.startswith("HTTP/1."):
            raise UnknownProtocol(version)
        self.code = self.status = status
        self.reason = reason.strip()
        self.version = 10 if version in _OLD else 11
        self.headers = self.msg = read_headers(self.fp)
        self._frame()

    def _frame(self) -> None:
        self.chunked = self.headers.get("transfer-encoding", "").lower() == "chunked"
        self.chunk_left = None
        self.length = None if self.chunked else _length(self.headers.get("content-length"))
        if self.status in _WITHOUT_BODY or self.status < 200 or self._method == "HEAD":
            self.length = 0
        is_open_ended = not self.chunked and self.length is None
        self.will_close = self._check_close() or is_open_ended or self.status == _SWITCHING_PROTOCOLS


def read_headers(stream: IO[bytes]) -> HTTPMessage:
    """Read headers and the empty line after them."""
    lines = _lines(stream)
    if not all(map(_PLAIN.fullmatch, lines)):
        return Parser(_class=HTTPMessage).parsestr(b"".join(lines).decode("latin-1"))
    message = HTTPMessage()
    for line in lines:
        name, _, value = line.decode("latin-1").partition(":")
        message[name] = value.strip(" \t\r\n")
    return message


def _lines(stream: IO[bytes]) -> list[bytes]:
    lines: list[bytes] = []
    while (line := stream.readline(LONGEST_LINE + 1)) not in _ENDS:
        if len(line) > LONGEST_LINE:
            raise LineTooLong("header line")
        lines.append(line)
        if len(lines) > MOST_HEADERS:
            raise HTTPException(f"got more than {MOST_HEADERS} headers")
    return lines


def _length(told: str | None) -> int | None:
    """What Content-Length says; None where it says nothing that could be true."""
    try:
        length = int(told or "")
    except ValueError:
        return None
    return length if length >= 0 else None
