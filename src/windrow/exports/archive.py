"""A folder packed into one file, tar within zstd, and the file read again to see that all of it is there."""

from __future__ import annotations

import hashlib
import tarfile
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import IO

import zstandard

from windrow.errors import StoreError

ENDING = ".tar.zst"
LEVEL = 3  # payloads are compressed already: more takes longer and gains little
_CHUNK = 1024 * 1024

Digests = Mapping[str, bytes]


def pack(folder: Path, stream: IO[bytes]) -> Digests:
    """Write a folder, under its own name, to a stream; give the digest of each file."""
    with (
        zstandard.ZstdCompressor(level=LEVEL, write_checksum=True).stream_writer(
            stream, closefd=False
        ) as packed,
        tarfile.open(fileobj=packed, mode="w|", format=tarfile.PAX_FORMAT) as tar,
    ):
        tar.add(folder, arcname=folder.name)
    return {
        f"{folder.name}/{path.relative_to(folder).as_posix()}": _digest(path)
        for path in folder.rglob("*")
        if path.is_file() and not path.is_symlink()
    }


def check(path: Path, digests: Digests) -> None:
    """Read an archive to its end; StoreError unless each file comes out of it as it went in."""
    try:
        found = dict(_read(path))
    except (tarfile.TarError, zstandard.ZstdError, EOFError) as exc:
        raise StoreError(f"{path} cannot be read again: {exc}") from exc
    if found != digests:
        raise StoreError(f"{path} does not hold what was put into it", hint="Is the disk sound?")


def _read(path: Path) -> Iterator[tuple[str, bytes]]:
    with (
        path.open("rb") as stream,
        zstandard.ZstdDecompressor().stream_reader(stream) as plain,
        tarfile.open(fileobj=plain, mode="r|") as tar,
    ):
        for member in tar:
            if member.isreg():
                file = tar.extractfile(member)
                assert file is not None
                yield member.name, _digest_of(file)


def _digest(path: Path) -> bytes:
    with path.open("rb") as file:
        return _digest_of(file)


def _digest_of(file: IO[bytes]) -> bytes:
    digest = hashlib.sha256()
    while some := file.read(_CHUNK):
        digest.update(some)
    return digest.digest()
