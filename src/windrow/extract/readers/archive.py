"""Archives: list their files, and open each within limits. Archives within archives stay closed.

A member's name is never used as a path: members are only read into memory.
"""

from __future__ import annotations

import io
import lzma
import os
import tarfile
import zipfile
import zlib
from collections import Counter
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager, suppress
from datetime import UTC, datetime
from importlib import import_module
from typing import BinaryIO, NamedTuple

from windrow.extract.reading_job import MEMBER_BYTES as MOST_MEMBER_BYTES
from windrow.extract.reading_job import Job, Unreadable
from windrow.extract.sniffing import media_type_of
from windrow.extract.text_decoding import decode
from windrow.model.file_content import Extract, Member

MOST_COUNTED = 200_000  # entries, once the listing is full
MOST_BYTES = 256 * 1024 * 1024  # of a compressed tar, unpacked to reach its members
MOST_TIMES = 1_000  # ratio of unpacked to packed size; more is a zip bomb
# all members relative to the archive, if that is more: members may overlap in the archive
MOST_TIMES_TOGETHER = 50
LONGEST_NAME = 1_000
# Why files of an archive are left out.
BAD_NAME = "their names lead out of the archive, or are none"
ENCRYPTED = "they need a password"
NO_FILE = "they are links or devices"
TOO_MUCH = f"they unpack to too much (more than {MOST_MEMBER_BYTES // 1_000_000} MB, or {MOST_TIMES:,} times)"
SAME_NAME = "they have the name of another file before them"
_ENCRYPTED = 0x1
_IS_UTF_8 = 0x800
# module names
_PACKED = {"application/gzip": "gzip", "application/x-bzip2": "bz2", "application/x-xz": "lzma"}
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
    with _speaking():
        most = max(MOST_BYTES, MOST_TIMES_TOGETHER * file.seek(0, io.SEEK_END))
        listing = _Listing(most_members=job.most_members, most_bytes=most)
        _list(_entries(file, job), listing)
    found = tuple(listing.members.values())
    measured = [("members", str(len(found)))]
    measured += [("members-beyond-limit", str(listing.beyond))] if listing.beyond else []
    measured += [("members-left-out", str(listing.left_out.total()))] if listing.left_out else []
    return Extract(
        job.declared,
        measured=tuple(measured),
        text=("\n".join(member.name for member in found),) if found else (),
        members=found,
        notes=tuple(listing.notes()),
    )


def _list(entries: Iterator[_Entry], listing: _Listing) -> None:
    """List the entries; once the listing is full, count the rest as far as possible."""
    try:
        for entry in entries:
            listing.add(entry)
            if listing.is_full and listing.seen >= MOST_COUNTED:
                listing.is_counted = False
                return
    except (Unreadable, *_BROKEN):
        if not listing.is_full:
            raise
        listing.is_counted = False


class _Entry(NamedTuple):
    """One entry of an archive: a file, or (with `problem`) why it is left out."""

    member: Member
    problem: str = ""


class _Listing:
    """The files of one archive that are taken, and the number of others by reason."""

    def __init__(self, *, most_members: int, most_bytes: int) -> None:
        self.members: dict[str, Member] = {}
        self.left_out: Counter[str] = Counter()
        self.beyond = 0  # that higher limits would admit
        self.seen = 0
        self.is_counted = True  # to the end of the archive
        self._examples: dict[str, str] = {}
        self._most_members = most_members
        self._bytes_left = most_bytes
        self._limit = ""

    @property
    def is_full(self) -> bool:
        return bool(self._limit)

    def add(self, entry: _Entry) -> None:
        self.seen += 1
        member, problem = entry
        problem = problem or (SAME_NAME if member.name in self.members else "")
        if problem:
            self.left_out[problem] += 1
            self._examples.setdefault(problem, member.name[:100])
            return
        self._bytes_left -= member.size
        if not self._limit and len(self.members) >= self._most_members:
            self._limit = f"{len(self.members):,} files, as documents.archive_members allows"
        elif not self._limit and self._bytes_left < 0:
            self._limit = "what may be unpacked of one archive"
        if self._limit:
            self.beyond += 1
        else:
            self.members[member.name] = member

    def notes(self) -> Iterator[str]:
        """Yield notes for people on what was left out and why."""
        if self.beyond:
            more = "" if self.is_counted else "at least "
            total = len(self.members) + self.beyond
            yield (f"only its first {len(self.members):,} of {more}{total:,} files were taken: {self._limit}")
        for problem, count in self.left_out.items():
            example = self._examples[problem]
            yield f"{count:,} left out: {problem}" + (f", such as {example}" if example else "")


def open_member(file: BinaryIO, name: str) -> BinaryIO:
    """Return a member, read completely; raises Unreadable if it does not exist or is too large.

    The members of one archive are requested one after another, so the last archive stays open: its index is
    read once, and a compressed tar is unpacked once from start to end. Each child has its own.
    """
    identity = _identity(file)
    archive = _last_archive.get(identity) if identity else None
    if archive is None:
        _close_last()
        archive = OpenArchive(file if identity is None else os.fdopen(os.dup(file.fileno()), "rb"))
        if identity is not None:
            _last_archive[identity] = archive
    try:
        with _speaking():
            data = archive.member(name)
    except BaseException:
        _close_last()  # the stream may have stopped anywhere, so the next member reopens it
        raise
    if data is None:
        raise Unreadable("it is not in its archive any more")
    if len(data) > MOST_MEMBER_BYTES:
        raise Unreadable(
            f"it has more than {MOST_MEMBER_BYTES // 1_000_000} MB, which is too much for a member"
        )
    return io.BytesIO(data)


class OpenArchive:
    """An archive whose members are read by name, in any order; storage order is fastest."""

    def __init__(self, file: BinaryIO) -> None:
        self._file = file
        self._stack = ExitStack()
        self._zip: zipfile.ZipFile | None = None
        self._zip_index: dict[str, zipfile.ZipInfo] = {}
        self._tar: tarfile.TarFile | None = None
        self._tar_index: dict[str, tarfile.TarInfo] = {}
        self._media_type = ""

    def member(self, name: str) -> bytes | None:
        """Return a member's bytes, one more than allowed if it is too large; None: no such member."""
        if not self._media_type:
            self._open()
        if self._zip is not None:
            info = self._zip_index.get(name)
            if info is None:
                return None
            with self._zip.open(info) as opened:
                return opened.read(MOST_MEMBER_BYTES + 1)
        if self._tar is None:
            with _unpacked(self._file, self._media_type) as unpacked:
                return unpacked.read(MOST_MEMBER_BYTES + 1)
        return self._tar_member(self._tar, name)

    def close(self) -> None:
        """Close the archive, and the file that it was opened with."""
        with suppress(*_BROKEN):
            self._stack.close()
        self._file.close()

    def _open(self) -> None:
        media_type = media_type_of(self._file, Job(""))
        if media_type == "application/zip":
            self._zip = self._stack.enter_context(zipfile.ZipFile(self._file))
            for info in self._zip.infolist():
                name = _clean(_zip_name(info))
                if not info.is_dir() and not _zip_problem(info, name):
                    self._zip_index.setdefault(name, info)
        elif media_type not in _PACKED or _is_tar(self._file, media_type):
            self._tar = self._stack.enter_context(_tar(self._file, media_type))
        self._media_type = media_type

    def _tar_member(self, archive: tarfile.TarFile, name: str) -> bytes | None:
        while name not in self._tar_index and (info := archive.next()) is not None:
            if info.isreg():
                self._tar_index.setdefault(_clean(info.name), info)
        found = self._tar_index.get(name)
        opened = archive.extractfile(found) if found is not None else None
        return opened.read(MOST_MEMBER_BYTES + 1) if opened is not None else None


_Identity = tuple[int, int, int, int, int]
_last_archive: dict[_Identity, OpenArchive] = {}  # at most one


def _identity(file: BinaryIO) -> _Identity | None:
    """Return what identifies this file in its present state; None for a file in memory."""
    try:
        status = os.fstat(file.fileno())
    except (OSError, AttributeError):  # io.UnsupportedOperation is an OSError
        return None
    return status.st_dev, status.st_ino, status.st_size, status.st_mtime_ns, status.st_ctime_ns


def _close_last() -> None:
    while _last_archive:
        _last_archive.popitem()[1].close()


@contextmanager
def _speaking() -> Iterator[None]:
    """Turn the libraries' errors into Unreadable."""
    try:
        yield
    except _BROKEN as exc:
        raise Unreadable(f"it is broken: it cannot be unpacked ({exc})") from exc


def _entries(file: BinaryIO, job: Job) -> Iterator[_Entry]:
    if job.declared == "application/zip":
        return _of_zip(file)
    if job.declared in _PACKED and not _is_tar(file, job.declared):
        name = _clean(job.name.rpartition(".")[0]) or "contents"
        return iter([_Entry(Member(name, _unpacked_size(file, job.declared)))])
    return _of_tar(file, job.declared)


def _clean(name: str) -> str:
    """Return a clean name; "" if it leaves the archive, is a folder, or is empty."""
    parts = name.replace("\\", "/").split("/")
    is_plain = name.isprintable() and len(name) <= LONGEST_NAME and not name.startswith("/")
    return "/".join(part for part in parts if part not in ("", ".")) if is_plain and ".." not in parts else ""


def _of_zip(file: BinaryIO) -> Iterator[_Entry]:
    file.seek(0)
    with zipfile.ZipFile(file) as archive:
        for info in archive.infolist():
            if not info.is_dir():
                name = _clean(_zip_name(info))
                yield _Entry(Member(name, info.file_size, _zip_second(info)), _zip_problem(info, name))


def _zip_name(info: zipfile.ZipInfo) -> str:
    """Return a member's name.

    Old archives have names in their maker's encoding, which zipfile decodes as DOS.
    """
    if info.flag_bits & _IS_UTF_8 or info.orig_filename.isascii():
        return info.orig_filename
    try:
        return decode(info.orig_filename.encode("cp437"))[0]
    except UnicodeError:
        return info.orig_filename


def _zip_problem(info: zipfile.ZipInfo, name: str) -> str:
    if not name:
        return BAD_NAME
    if info.flag_bits & _ENCRYPTED:
        return ENCRYPTED
    if info.external_attr >> 28 not in (0, 8):  # the Unix file type: 8 is a regular file
        return NO_FILE
    is_bomb = info.file_size > MOST_TIMES * max(info.compress_size, 1)
    return TOO_MUCH if is_bomb or info.file_size > MOST_MEMBER_BYTES else ""


def _zip_second(info: zipfile.ZipInfo) -> int | None:
    try:
        return int(datetime(*info.date_time, tzinfo=UTC).timestamp())
    except ValueError:
        return None


@contextmanager
def _tar(file: BinaryIO, media_type: str) -> Iterator[tarfile.TarFile]:
    """Open a tar, unpacked on the fly, up to a limit."""
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
    """A file that raises an error when read beyond the limit."""

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


def _of_tar(file: BinaryIO, media_type: str) -> Iterator[_Entry]:
    with _tar(file, media_type) as archive:
        for info in archive:
            if not info.isdir():
                name = _clean(info.name)
                yield _Entry(Member(name, info.size, int(info.mtime)), _tar_problem(info, name))


def _tar_problem(info: tarfile.TarInfo, name: str) -> str:
    if not info.isreg():
        return NO_FILE
    if not name:
        return BAD_NAME
    return TOO_MUCH if info.size > MOST_MEMBER_BYTES else ""


def _is_tar(file: BinaryIO, media_type: str) -> bool:
    """Return whether a compressed file contains a tar, not just one file."""
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
