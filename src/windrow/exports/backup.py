"""A copy of a whole library while it is in use, made by `windrow backup` and restored by copying it back.

The store is copied by `store.snapshot`, windrow.toml and the other files as plain files. What can be made
again is left out: the index, the pictures of documents, and the output of jobs. A copy is given its name
only when it is complete and checked.
"""

from __future__ import annotations

import hashlib
import os
import re
import shutil
import tarfile
import tempfile
import time
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from functools import partial
from pathlib import Path
from typing import IO

import zstandard

from windrow.config.schema import FILE_NAME
from windrow.config.toml_document import read_document
from windrow.errors import StoreError, UsageError, unwritable
from windrow.store.snapshot import Progress, copy_store
from windrow.store.store import FILE, Store

# Archives: tar in zstd, read again after writing to verify them.

ARCHIVE_SUFFIX = ".tar.zst"
LEVEL = 3  # payloads are already compressed: a higher level takes longer and gains little
_CHUNK = 1024 * 1024

Digests = Mapping[str, bytes]


def pack_folder(folder: Path, stream: IO[bytes]) -> Digests:
    """Write a folder, under its own name, to a stream. Return the digest of each file."""
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


def verify_archive(path: Path, digests: Digests) -> None:
    """Read an archive to its end; StoreError if any file differs from what was packed."""
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


NOT_COPIED = frozenset({"index", "logs", "files/pictures"})
DATE = "%Y%m%dT%H%M%SZ"
_DATED = r"-\d{8}T\d{6}Z"
_OTHER_ARCHIVES = (".tar", ".gz", ".tgz", ".bz2", ".xz", ".zip", ".zst", ".7z")
_PART = ".part"
_OLD_SECONDS = 86400.0  # an unfinished copy of this age was abandoned


@dataclass(frozen=True, slots=True)
class Backup:
    """The copy that was made, and the older copies removed for it."""

    path: Path
    records: int
    files: int
    bytes: int
    removed: tuple[Path, ...] = ()


@dataclass(frozen=True, slots=True)
class Place:
    """Where copies go: `folder` contains the dated copies named `stem`, as folders or archives."""

    folder: Path
    stem: str
    is_archive: bool
    is_dated: bool

    def name(self, now: datetime) -> Path:
        """Return the path for a copy made at this time, a second later if that exists."""
        ending = ARCHIVE_SUFFIX if self.is_archive else ""
        if not self.is_dated:
            return self.folder / (self.stem + ending)
        while (path := self.folder / f"{self.stem}-{now:{DATE}}{ending}").exists():
            now += timedelta(seconds=1)
        return path

    def earlier(self) -> list[Path]:
        """Return the existing dated copies, oldest first; other files with similar names are ignored."""
        ending = re.escape(ARCHIVE_SUFFIX) if self.is_archive else ""
        form = re.compile(re.escape(self.stem) + _DATED + ending)
        found = (
            each for each in self.folder.iterdir() if form.fullmatch(each.name) and not each.is_symlink()
        )
        return sorted(each for each in found if self.is_archive or (each / FILE).is_file())


def find_place(library: Path, target: str, *, keep: int | None) -> Place:
    """Return where copies of a library go; UsageError if the place is unsuitable."""
    path = Path(target).absolute()
    is_archive = path.name.endswith(ARCHIVE_SUFFIX)
    if not is_archive and path.suffix in _OTHER_ARCHIVES:
        raise UsageError(f"{target}: archives are written as FILE{ARCHIVE_SUFFIX} only")
    folder = path.parent if is_archive else path
    if folder.resolve().is_relative_to(library.resolve()):
        raise UsageError(
            f"{target} is inside the library: a copy there would be lost with it",
            hint="Name a folder elsewhere, best on another disk.",
        )
    if is_archive:
        return Place(folder, path.name.removesuffix(ARCHIVE_SUFFIX), True, is_dated=keep is not None)
    return Place(folder, library.resolve().name, False, is_dated=True)


def back_up(
    store: Store,
    library: Path,
    place: Place,
    *,
    keep: int | None = None,
    clock: Callable[[], float] = time.time,
    on_progress: Progress = lambda _done, _total: None,
) -> Backup:
    """Copy a library. With `keep`, only this many dated copies remain, including this one."""
    final = place.name(datetime.fromtimestamp(clock(), UTC))
    with _report_write_errors(final):
        place.folder.mkdir(parents=True, exist_ok=True)
        _remove_unfinished(place, clock())
        with _staging_folder(place) as aside:
            copy = aside / place.stem
            copy.mkdir(mode=0o700)  # files may contain passwords
            made = _fill(store, library, copy, final, on_progress)
            _rename_copy(aside, copy, final, is_archive=place.is_archive)
        removed = _remove_old_copies(place, keep) if keep is not None else ()
    size = final.stat().st_size if place.is_archive else made.bytes
    return Backup(final, made.records, made.files, size, removed)


def _fill(store: Store, library: Path, copy: Path, final: Path, on_progress: Progress) -> Backup:
    copied = copy_store(store, copy, on_progress=on_progress)
    files = _copy_files(library, copy)
    read_document(copy / FILE_NAME)  # report unreadable settings now, not at the restore
    size = sum(each.lstat().st_size for each in copy.rglob("*") if not each.is_dir())
    return Backup(final, copied.records, files + 1, size)


def _copy_files(library: Path, copy: Path) -> int:
    """Copy everything beside the store that cannot be made again. Return the number of files."""
    for source in sorted(library.iterdir()):
        if source.name in NOT_COPIED or source.name.startswith(FILE):
            continue
        if source.is_dir() and not source.is_symlink():
            with suppress(shutil.Error):  # files that disappeared meanwhile or cannot be read
                shutil.copytree(source, copy / source.name, symlinks=True, ignore=partial(_ignored, library))
        elif source.is_file() or source.is_symlink():
            shutil.copy2(source, copy / source.name, follow_symlinks=False)
    if not (copy / FILE_NAME).is_file():
        raise StoreError(f"{library / FILE_NAME} could not be copied")
    return sum(not each.is_dir() for each in copy.rglob("*")) - 1


def _ignored(library: Path, folder: str, names: list[str]) -> list[str]:
    """Return the names to leave out, including special files: opening a pipe would block forever."""
    paths = [Path(folder, name) for name in names]
    return [
        path.name
        for path in paths
        if path.relative_to(library).as_posix() in NOT_COPIED
        or not (path.is_symlink() or path.is_dir() or path.is_file())
    ]


def _rename_copy(aside: Path, copy: Path, final: Path, *, is_archive: bool) -> None:
    if not is_archive:
        copy.replace(final)
        return
    packed = aside / "packed"
    with os.fdopen(os.open(packed, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600), "wb") as stream:
        digests = pack_folder(copy, stream)
        stream.flush()
        os.fsync(stream.fileno())
    verify_archive(packed, digests)
    packed.replace(final)


def _remove_old_copies(place: Place, keep: int) -> tuple[Path, ...]:
    gone = place.earlier()[:-keep]
    for each in gone:
        shutil.rmtree(each) if each.is_dir() else each.unlink()
    return tuple(gone)


@contextmanager
def _staging_folder(place: Place) -> Iterator[Path]:
    """Yield a temporary folder beside the copies; what is left in it is removed."""
    with tempfile.TemporaryDirectory(prefix=f".{place.stem}-", suffix=_PART, dir=place.folder) as folder:
        yield Path(folder)


def _remove_unfinished(place: Place, now: float) -> None:
    """Remove what killed backups left unfinished."""
    for each in place.folder.glob(f".{place.stem}-*{_PART}"):
        with suppress(OSError):
            if now - each.stat().st_mtime > _OLD_SECONDS:
                shutil.rmtree(each)


@contextmanager
def _report_write_errors(final: Path) -> Iterator[None]:
    try:
        yield
    except OSError as exc:
        raise unwritable(final, exc, UsageError) from exc
