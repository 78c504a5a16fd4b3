"""The access log: one line per request, in the combined log format."""

from __future__ import annotations

import os
import re
import time
from pathlib import Path

from windrow.web.http.clients import parse_basic_credentials
from windrow.web.http.http_request import Request

_UNSAFE = re.compile(r'[\x00-\x1f"\\\x7f-\x9f]')
_MAX_FIELD_LENGTH = 2000
_REOPEN_CHECK_SECONDS = 1.0


class AccessLog:
    """Appends lines to a file, which several processes may share, or to an open descriptor."""

    def __init__(self, path: Path | None = None, *, descriptor: int | None = None) -> None:
        self._path = path
        self._descriptor = descriptor
        self._looked = 0.0
        self._second = -1
        self._stamp = ""

    def write(self, request: Request, version: str, status: int, size: int) -> None:
        now = time.time()
        line = self._line(request, version, status, size, int(now))
        try:
            os.write(self._open(now), line.encode("utf-8", "replace"))  # whole lines: one call, appended
        except OSError:
            # a full disk must not stop responses
            self._descriptor = None if self._path else self._descriptor

    def _line(self, request: Request, version: str, status: int, size: int, second: int) -> str:
        if second != self._second:
            self._second = second
            self._stamp = time.strftime("%d/%b/%Y:%H:%M:%S +0000", time.gmtime(second))
        headers = request.headers
        user = parse_basic_credentials(headers.get(b"authorization"))
        query = "?" + _escape_field(request.query) if request.query else ""
        return (
            f"{request.client or '-'} - {_escape_field(user[0].encode()) if user else '-'} [{self._stamp}]"
            f' "{_escape_field(request.method.encode())} {_escape_field(request.path.encode())}{query}'
            f' HTTP/{version}"'
            f' {status} {size or "-"} "{_escape_field(headers.get(b"referer", b"-"))}"'
            f' "{_escape_field(headers.get(b"user-agent", b"-"))}"\n'
        )

    def _open(self, now: float) -> int:
        """Return the descriptor; a file that was moved away by log rotation is created again."""
        if self._path is None:
            assert self._descriptor is not None
            return self._descriptor
        if self._descriptor is None or now - self._looked > _REOPEN_CHECK_SECONDS:
            self._looked = now
            if self._descriptor is None or not _is_same(self._path, self._descriptor):
                self.close()
                self._descriptor = os.open(self._path, os.O_WRONLY | os.O_APPEND | os.O_CREAT, 0o640)
        return self._descriptor

    def close(self) -> None:
        if self._path is not None and self._descriptor is not None:
            os.close(self._descriptor)
            self._descriptor = None


def _is_same(path: Path, descriptor: int) -> bool:
    try:
        return os.path.samestat(os.stat(path), os.fstat(descriptor))
    except OSError:
        return False


def _escape_field(text: bytes) -> str:
    """Escape text so that it cannot end the line or its own quotes."""
    words = text[:_MAX_FIELD_LENGTH].decode("utf-8", "replace")
    return _UNSAFE.sub(lambda found: f"\\x{ord(found[0]):02x}", words)
