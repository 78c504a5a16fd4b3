"""The exchanges of a crawl as WARC files (ISO 28500), for archiving and replay."""

from __future__ import annotations

import os
from datetime import UTC, datetime
from io import BytesIO
from pathlib import Path
from typing import TYPE_CHECKING, Any, BinaryIO

from windrow import __version__
from windrow.config.network_values import HARMLESS_HEADERS
from windrow.errors import StoreError, UsageError, install_hint
from windrow.sources.web.fetch import Answer

if TYPE_CHECKING:
    from collections.abc import Sequence

LARGEST_FILE_BYTES = 1_000_000_000
_DROPPED = frozenset({"transfer-encoding"})  # the body is stored without chunked encoding
# The files are passed on to others. Request headers not known to be harmless may contain a key.
_KEPT = HARMLESS_HEADERS | {"accept-encoding", "connection", "host", "if-modified-since", "if-none-match"}


class WarcWriter:
    """Writes requests and responses to files of a limited size, named by their start time."""

    def __init__(self, folder: Path, *, largest_bytes: int = LARGEST_FILE_BYTES) -> None:
        self._folder = folder
        self._largest = largest_bytes
        self._file: BinaryIO | None = None
        self._writer: Any = None

    def write(self, answer: Answer) -> None:
        from warcio.statusandheaders import StatusAndHeaders  # noqa: PLC0415 - an optional dependency

        try:
            writer = self._open()
            headers = [
                (name.decode("latin-1"), value.decode("latin-1"))
                for name, value in answer.raw_headers
                if name.decode("latin-1").lower() not in _DROPPED
            ]
            status = StatusAndHeaders(f"{answer.status} {answer.reason}", headers, protocol="HTTP/1.1")
            response = writer.create_warc_record(
                answer.url, "response", payload=BytesIO(answer.wire), http_headers=status
            )
            sent = [pair for pair in answer.request_headers if pair[0].lower() in _KEPT]
            line = StatusAndHeaders(
                f"{answer.method} {_target(answer.url)} HTTP/1.1", sent, is_http_request=True
            )
            request = writer.create_warc_record(answer.url, "request", http_headers=line)
            writer.write_request_response_pair(request, response)
            for record in (request, response):
                record.raw_stream.close()  # a temporary file of warcio's
        except OSError as exc:
            raise StoreError(f"the WARC file in {self._folder} cannot be written: {exc.strerror}") from exc

    def close(self) -> None:
        """Close the current file; while being written, its name ends in `.open`."""
        if self._file is None:
            return
        path = Path(self._file.name)
        self._file.close()
        self._file = self._writer = None
        path.rename(path.with_name(path.name.removesuffix(".open")))

    def _open(self) -> Any:
        if self._file is not None and self._file.tell() >= self._largest:
            self.close()
        if self._file is None:
            try:
                from warcio.warcwriter import WARCWriter  # noqa: PLC0415 - an optional dependency
            except ImportError as exc:
                raise UsageError(
                    "WARC files need a package that is not installed: warcio",
                    hint=f"{install_hint('robot')}.",
                ) from exc
            self._folder.mkdir(mode=0o700, parents=True, exist_ok=True)
            name = f"{datetime.now(UTC):%Y%m%dT%H%M%S%f}-{os.getpid()}.warc.gz"
            self._file = (self._folder / f"{name}.open").open("xb")
            self._writer = WARCWriter(self._file, gzip=True)
            info = {"software": f"Windrow/{__version__}", "format": "WARC File Format 1.0"}
            self._writer.write_record(self._writer.create_warcinfo_record(name, info))
        return self._writer


def _target(url: str) -> str:
    return "/" + url.split("/", 3)[3] if url.count("/") >= 3 else "/"


def files_of(folder: Path) -> Sequence[Path]:
    """Return the WARC files of a crawl, oldest first."""
    return sorted(folder.glob("*.warc.gz")) if folder.is_dir() else ()
