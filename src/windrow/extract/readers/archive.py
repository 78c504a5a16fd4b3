"""Archives: which files are in them, and each of them opened, within bounds. Archives inside stay closed.

A member's name is never a path on this machine: it is read from the archive into memory, and no further.
"""

from __future__ import annotations

import io
import lzma
import tarfile
import zipfile
import zlib
from collections.abc import Iterator
from contextlib import contextmanager
from datetime import UTC, datetime
from importlib import import_module
from typing import BinaryIO

from windrow.extract.encodings import decode
from windrow.extract.job import Job
from windrow.extract.limits import MEMBER_BYTES as MOST_MEMBER_BYTES
from windrow.extract.refusing import Unreadable
from windrow.model.extract import Extract, Member

MOST_MEMBERS = 1_000
MOST_BYTES = 256 * 1024 * 1024  # of a packed tar, unpacked on the way to its members
MOST_TIMES = 1_000  # as large as it is packed: more is a bomb
MOST_TIMES_TOGETHER = 50  # all members as large as the archive, if that is more: they may share their bytes
LONGEST_NAME = 1_000
_ENCRYPTED = 0x1
_IS_UTF_8 = 0x800
_PACKED = {"application/gzip": "gzip", "application/x-bzip2": "bz2", "application/x-xz": "lzma"}  # by modules
_BROKEN = (
    zipfile.BadZipFile,
    tarfile.TarError,
    zlib.error,
    lzma.LZMAError,
    EOFError,
    OSError,
    ValueError,
    NotImplementedError,
    OverflowError,
    RuntimeError,
)


def read(file: BinaryIO, job: Job) -> Extract:
    """List one archive."""
    notes: list[str] = []
    with _speaking():
        most = max(MOST_BYTES, MOST_TIMES_TOGETHER * file.seek(0, io.SEEK_END))
        found = tuple(_bounded(_members(file, job, notes), notes, most))
    return Extract(
        job.declared,
        measured=(("members", str(len(found))),),
        text=("\n".join(member.name for member in found),) if found else (),
        members=found,
        notes=tuple(dict.fromkeys(notes)),
    )


def open_member(file: BinaryIO, media_type: str, name: str) -> BinaryIO:
    """Give a member, read whole; Unreadable where it is not there, or too much."""
    file.seek(0)
    with _speaking():
        data = (
            _zip_member(file, name)
            if media_type == "application/zip"
            else _tar_member(file, media_type, name)
        )
    if data is None:
        raise Unreadable("it is not in its archive any more")
    if len(data) > MOST_MEMBER_BYTES:
        raise Unreadable(
            f"it has more than {MOST_MEMBER_BYTES // 1_000_000} MB, which is too much for a member"
        )
    return io.BytesIO(data)


@contextmanager
def _speaking() -> Iterator[None]:
    """Say in our words what the libraries find wrong."""
    try:
        yield
    except _BROKEN as exc:
        raise Unreadable(f"it is broken: it cannot be unpacked ({exc})") from exc


def _members(file: BinaryIO, job: Job, notes: list[str]) -> Iterator[Member]:
    if job.declared == "application/zip":
        return _of_zip(file, notes)
    if job.declared in _PACKED and not _is_tar(file, job.declared):
        return iter(
            [Member(_clean(job.name.rpartition(".")[0]) or "contents", _unpacked_size(file, job.declared))]
        )
    return _of_tar(file, job.declared, notes)


def _bounded(members: Iterator[Member], notes: list[str], most: int) -> Iterator[Member]:
    """The first ones, within `most` bytes in all."""
    met: set[str] = set()
    for member in members:
        if member.name in met:
            continue
        most -= member.size
        if len(met) >= MOST_MEMBERS or most < 0:
            notes.append(f"only its first {len(met):,} files were taken")
            return
        met.add(member.name)
        yield member


def _clean(name: str) -> str:
    """A name as it is shown; nothing where it leads out, is a folder, or is none."""
    parts = name.replace("\\", "/").split("/")
    is_plain = name.isprintable() and len(name) <= LONGEST_NAME and not name.startswith("/")
    return "/".join(part for part in parts if part not in ("", ".")) if is_plain and ".." not in parts else ""


def _of_zip(file: BinaryIO, notes: list[str]) -> Iterator[Member]:
    file.seek(0)
    with zipfile.ZipFile(file) as archive:
        for info in archive.infolist():
            name = _clean(_zip_name(info))
            if info.is_dir():
                continue
            problem = _zip_problem(info, name)
            if problem:
                notes.append(problem)
            else:
                yield Member(name, info.file_size, _zip_second(info))


def _zip_name(info: zipfile.ZipInfo) -> str:
    """Old archives have names in the letters of their maker's machine, which are read as those of DOS."""
    if info.flag_bits & _IS_UTF_8 or info.orig_filename.isascii():
        return info.orig_filename
    try:
        return decode(info.orig_filename.encode("cp437"))[0]
    except UnicodeError:
        return info.orig_filename


def _zip_problem(info: zipfile.ZipInfo, name: str) -> str:
    if not name:
        return "files whose names lead out of it, or are none, were left out"
    if info.flag_bits & _ENCRYPTED:
        return "files that need a password were left out"
    if info.external_attr >> 28 not in (0, 8):  # the kind of file on Unix: 8 is an ordinary one
        return "links and devices in it were left out"
    is_bomb = info.file_size > MOST_TIMES * max(info.compress_size, 1)
    if is_bomb or info.file_size > MOST_MEMBER_BYTES:
        return f"files in it that unpack to too much were left out: {name[:100]}"
    return ""


def _zip_second(info: zipfile.ZipInfo) -> int | None:
    try:
        return int(datetime(*info.date_time, tzinfo=UTC).timestamp())
    except ValueError:
        return None


def _zip_member(file: BinaryIO, name: str) -> bytes | None:
    with zipfile.ZipFile(file) as archive:
        for info in archive.infolist():
            if _clean(_zip_name(info)) == name and not info.is_dir() and not _zip_problem(info, name):
                with archive.open(info) as member:
                    return member.read(MOST_MEMBER_BYTES + 1)
    return None


@contextmanager
def _tar(file: BinaryIO, media_type: str) -> Iterator[tarfile.TarFile]:
    """A tar, unpacked as it is read, and only so far."""
    with (
        _unpacked(file, media_type) as unpacked,
        tarfile.open(fileobj=_Bounded(unpacked), mode="r:") as archive,
    ):
        yield archive


@contextmanager
def _unpacked(file: BinaryIO, media_type: str) -> Iterator[BinaryIO]:
    file.seek(0)
    if media_type not in _PACKED:
        yield file
        return
    with import_module(_PACKED[media_type]).open(file) as unpacked:
        yield unpacked


class _Bounded(io.RawIOBase):
    """A file that ends with an error where it is read further than is allowed."""

    def __init__(self, file: BinaryIO) -> None:
        super().__init__()
        self._file = file

    def read(self, size: int = -1) -> bytes:
        if self._file.tell() > MOST_BYTES:
            raise Unreadable(f"it unpacks to more than {MOST_BYTES // 1_000_000} MB")
        return self._file.read(size)

    def seek(self, place: int, whence: int = 0) -> int:
        if whence == 0 and place > MOST_BYTES:
            raise Unreadable(f"it unpacks to more than {MOST_BYTES // 1_000_000} MB")
        return self._file.seek(place, whence)

    def tell(self) -> int:
        return self._file.tell()


def _of_tar(file: BinaryIO, media_type: str, notes: list[str]) -> Iterator[Member]:
    with _tar(file, media_type) as archive:
        for info in archive:
            name = _clean(info.name)
            if info.isdir():
                continue
            if not info.isreg() or not name:
                notes.append("links, devices and files whose names lead out of it were left out")
            elif info.size > MOST_MEMBER_BYTES:
                notes.append(f"files in it that unpack to too much were left out: {name[:100]}")
            else:
                yield Member(name, info.size, int(info.mtime))


def _is_tar(file: BinaryIO, media_type: str) -> bool:
    """Whether there is a tar in the packing, and not just one file."""
    try:
        with _tar(file, media_type) as archive:
            return archive.next() is not None
    except tarfile.ReadError:
        return False


def _unpacked_size(file: BinaryIO, media_type: str) -> int:
    size = 0
    with _unpacked(file, media_type) as unpacked:
        while size <= MOST_MEMBER_BYTES and (piece := unpacked.read(1 << 20)):
            size += len(piece)
    return size


def _tar_member(file: BinaryIO, media_type: str, name: str) -> bytes | None:
    if media_type in _PACKED and not _is_tar(file, media_type):
        with _unpacked(file, media_type) as unpacked:
            return unpacked.read(MOST_MEMBER_BYTES + 1)
    with _tar(file, media_type) as archive:
        for info in archive:
            if info.isreg() and _clean(info.name) == name:
                member = archive.extractfile(info)
                return member.read(MOST_MEMBER_BYTES + 1) if member is not None else None
    return None
