"""The folder of an index: generations side by side, and a note which of them is searched.

    index/current.json          {"generation": "g-000002"}, and since when it is pinned, if it is
    index/g-000002/…            Tantivy's files
    index/g-000002/state.json   the change of the store up to which it is current, and how it was made
    index/g-000002/summary.json the most frequent values of all documents, if it is large
    index/g-000002/damage.json  what is wrong with it, if damage was found
    index/lock                  held by the writing process

A new generation is built aside and becomes current in one step; a complete one may wait for that. The
previous one is kept until the next switch, for readers that have it open and for a rollback. A rollback pins
it: then it is neither updated nor replaced. Notes are replaced atomically, after what they describe is safely
written.
"""

from __future__ import annotations

import errno
import json
import os
import re
import shutil
import stat
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

from windrow.config.type_tables import TypeTables
from windrow.errors import StoreError, unwritable
from windrow.permissions import make_folder

_NAME = re.compile(r"g-([0-9]{6,})", re.ASCII)
_CURRENT, _STATE, _SUMMARY, _DAMAGE = "current.json", "state.json", "summary.json", "damage.json"
_LOCK = "lock"
_META, _MANAGED = "meta.json", ".managed.json"  # Tantivy's files
_OWN_ONLY = (_META, _MANAGED)  # which Tantivy creates with access for its own user only
_ATTEMPTS = 5


@dataclass(frozen=True, slots=True)
class GenerationState:
    """The state of a generation."""

    shape: str  # the fields; a reader needs the same
    mark: str  # how documents are turned into rows; a writer needs the same
    cursor: int = 0  # the change of the store up to which it is current
    commits: int = 0
    is_whole: bool = False  # it was up to date at least once
    when: str = ""
    # Sources with records in it: the removal of a source leaves no change to follow.
    sources: tuple[str, ...] = ()
    birth: str = ""  # distinguishes it from one of the same name in a folder that was deleted
    version: str = ""  # the mark without the settings; "" in older indexes


@dataclass(frozen=True, slots=True)
class PinnedGeneration:
    """A generation pinned by a rollback."""

    generation: str
    since: str  # ISO 8601, UTC
    instead_of: str  # the generation that was current before


class Generations:
    """The folder of an index. Nothing is cached, because other processes change it too.

    `types` are the library's type tables, by which documents are indexed.
    """

    def __init__(self, folder: Path, types: TypeTables | None = None) -> None:
        self.folder = folder
        self.types = types or TypeTables()

    @property
    def mark(self) -> str:
        """The mark of indexes made by this version with the current settings."""
        from windrow.index.tantivy.layout import mark  # noqa: PLC0415 - Tantivy is not needed to read a state

        return mark(self.types.mark)

    @property
    def version(self) -> str:
        """The part of the mark that depends on the version of Windrow alone."""
        from windrow.index.tantivy.layout import mark  # noqa: PLC0415 - as above

        return mark()

    def has_other_settings(self, state: GenerationState) -> bool:
        """Return whether this version made a generation, but with other settings."""
        return state.mark != self.mark and state.version == self.version

    def current(self) -> str | None:
        """Return the name of the current generation; None if there is none."""
        found = _read(self.folder / _CURRENT).get("generation")
        return found if isinstance(found, str) and _NAME.fullmatch(found) else None

    def hold(self) -> PinnedGeneration | None:
        """Return the pin of the current generation; None if it is not pinned."""
        found, name = _read(self.folder / _CURRENT), self.current()
        since = found.get("held_since")
        if name is None or not isinstance(since, str):
            return None
        return PinnedGeneration(name, since, str(found.get("instead_of", "")))

    def names(self) -> list[str]:
        """Return all generations, complete or not, oldest first."""
        if not self.folder.is_dir():
            return []
        found = (path.name for path in self.folder.iterdir() if _NAME.fullmatch(path.name))
        return sorted(found, key=_number)

    def path(self, name: str) -> Path:
        return self.folder / name

    def is_writable(self, name: str) -> bool:
        """Return whether files can be created in a generation, as Tantivy does even for reading."""
        return os.access(self.path(name), os.W_OK)

    @contextmanager
    def opening(self, name: str) -> Iterator[Path]:
        """Yield a folder in which Tantivy can open a generation for reading.

        Tantivy creates a lock file there, which keeps a writer from deleting files meanwhile. If the folder
        is not writable, a temporary folder with links to the current files is used; the links are not needed
        once the files are open. If the writer deleted some before all were linked, this is tried again.
        """
        path = self.path(name)
        if self.is_writable(name):
            yield path
            return
        with _describe_error(Path(tempfile.gettempdir())):
            folder = Path(tempfile.mkdtemp(prefix="windrow-index-"))
        try:
            for _ in range(_ATTEMPTS):
                if _link(path, folder):
                    break
            yield folder
        finally:
            _remove(folder)

    def share(self, name: str) -> None:
        """Make Tantivy's private files readable for everyone who may read the rest of the index."""
        mode = stat.S_IMODE(self.path(name).stat().st_mode) & 0o666
        for each in _OWN_ONLY:
            with suppress(OSError):  # it may belong to another writing user
                os.chmod(self.path(name) / each, mode)

    def state(self, name: str) -> GenerationState | None:
        """Return the state of a generation; None if it is damaged or was abandoned."""
        found: dict[str, Any] = _read(self.path(name) / _STATE)
        known = {
            key: value for key, value in found.items() if key in GenerationState.__slots__
        }  # newer versions store more
        try:
            return GenerationState(**known | {"sources": tuple(found.get("sources", ()))})
        except TypeError:
            return None

    def current_state(self) -> tuple[str, GenerationState] | None:
        """Return the current generation and its state; None if there is none, or it is damaged."""
        name = self.current()
        state = self.state(name) if name else None
        return (name, state) if name and state else None

    def damage(self, name: str) -> str:
        """Return a description of the damage found in a generation; "" if there is none."""
        if self.state(name) is None:
            return f"{_STATE} cannot be read"
        return str(_read(self.path(name) / _DAMAGE).get("damage", ""))

    def note_damage(self, name: str, words: str) -> None:
        """Record damage: readers then avoid the generation, and the writer rebuilds it."""
        if self.path(name).is_dir():
            _write(self.path(name) / _DAMAGE, {"damage": words})

    def note(self, name: str, state: GenerationState) -> None:
        _write(self.path(name) / _STATE, asdict(state))

    def summary(self, name: str) -> dict[str, Any]:
        """Return the summary of a generation's documents; empty if there is none."""
        return _read(self.path(name) / _SUMMARY)

    def note_summary(self, name: str, content: dict[str, Any]) -> None:
        """Store the summary, which names the state that it belongs to."""
        _write(self.path(name) / _SUMMARY, content)

    def begin(self) -> str:
        """Create a new generation, and remove abandoned ones."""
        names, current = self.names(), self.current()
        for name in names:
            if (current is None or _number(name) > _number(current)) and not self._is_whole(name):
                self._drop(name)
        name = f"g-{max(map(_number, names), default=0) + 1:06d}"
        with _describe_error(self.folder):
            self._make_folder()
            self.path(name).mkdir()
        return name

    def supersede(self, name: str) -> None:
        """Remove older generations that are still waiting."""
        current = self.current()
        for other in self.names():
            if (current is None or _number(other) > _number(current)) and _number(other) < _number(name):
                self._drop(other)

    def make_current(self, name: str, *, held_since: str = "") -> None:
        """Make a generation the current one; the one before it and newer ones are kept, older ones removed.

        With `held_since` it is pinned from then on, otherwise not.
        """
        before = self.current()
        held = {"held_since": held_since, "instead_of": before} if held_since else {}
        _write(self.folder / _CURRENT, {"generation": name, **held})
        for other in self.names():
            if other != before and _number(other) < _number(name):
                self._drop(other)

    def signature(self) -> tuple[object, ...]:
        """Return a value that changes whenever there is something new to read, and is cheap to compute."""
        current = _stamp(self.folder / _CURRENT)
        name = self.current() if current else None
        return (current, name, _stamp(self.path(name) / _STATE) if name else None)

    def size(self) -> int:
        """Return the size of the current generation in bytes."""
        name = self.current()
        files = self.path(name).iterdir() if name and self.path(name).is_dir() else ()
        return sum(stamp[1] for file in files if (stamp := _stamp(file)))

    def _make_folder(self) -> None:
        make_folder(self.folder, self.folder.parent)

    @contextmanager
    def writing(self, owner: str, *, is_waiting: bool = True) -> Iterator[bool]:
        """Hold the write lock; yield False if another process holds it and `is_waiting` is not set."""
        import fcntl  # noqa: PLC0415 - not on every system

        with _describe_error(self.folder):
            self._make_folder()
            handle = os.open(self.folder / _LOCK, os.O_RDWR | os.O_CREAT, 0o644)
        try:
            try:
                fcntl.flock(handle, fcntl.LOCK_EX | (0 if is_waiting else fcntl.LOCK_NB))
            except BlockingIOError:
                yield False
                return
            os.truncate(handle, 0)
            os.pwrite(handle, f"{owner} (process {os.getpid()})".encode(), 0)
            try:
                yield True
            finally:
                os.truncate(handle, 0)
        finally:
            os.close(handle)

    def writer(self) -> str:
        """Return a description of the writing process; "" if there is none or it is unknown."""
        try:
            return (self.folder / _LOCK).read_text(encoding="utf-8")[:200]
        except (OSError, UnicodeDecodeError):
            return ""

    def _is_whole(self, name: str) -> bool:
        state = self.state(name)
        return state is not None and state.is_whole

    def _drop(self, name: str) -> None:
        shutil.rmtree(self.path(name), ignore_errors=True)


def _link(generation: Path, folder: Path) -> bool:
    """Link the files of a generation into another folder; return whether they belong to one state of it."""
    meta = (generation / _META).read_bytes()
    files = [each for each in generation.iterdir() if each.name not in _OWN_ONLY and each.suffix != ".lock"]
    (folder / _META).write_bytes(meta)
    (folder / _MANAGED).write_text(json.dumps([each.name for each in files]))
    for each in files:
        with suppress(FileExistsError):
            (folder / each.name).symlink_to(each)
    return (generation / _META).read_bytes() == meta and all(each.exists() for each in files)


def _remove(folder: Path) -> None:
    """Remove a folder of links, in which a thread of Tantivy may still create its lock file."""
    for _ in range(_ATTEMPTS):
        shutil.rmtree(folder, ignore_errors=True)
        if not folder.exists():
            return


def _number(name: str) -> int:
    return int(name.partition("-")[2])


def _read(path: Path) -> dict[str, object]:
    """Return the content of a note; empty if there is none or it is damaged.

    Other read errors, such as too many open files or missing permission, are raised: an index that seemed to
    be missing would be built again.
    """
    try:
        found = json.loads(path.read_bytes())
    except (FileNotFoundError, NotADirectoryError, ValueError):
        return {}
    except OSError as exc:
        if exc.errno == errno.EIO:
            return {}
        raise StoreError(
            f"{path} cannot be read: {exc.strerror}", hint="Nothing is lost. Try again later."
        ) from exc
    return found if isinstance(found, dict) else {}


def _write(path: Path, content: object) -> None:
    """Write a note atomically, so that it survives a power failure."""
    temporary = path.with_name(f".{path.name}.{os.getpid()}")
    with _describe_error(path):
        with temporary.open("w", encoding="utf-8") as file:
            json.dump(content, file)
            file.flush()
            os.fsync(file.fileno())
        temporary.replace(path)


def _stamp(path: Path) -> tuple[int, int, int] | None:
    try:
        found = path.stat()
    except OSError:
        return None
    return (found.st_mtime_ns, found.st_size, found.st_ino)


@contextmanager
def _describe_error(path: Path) -> Iterator[None]:
    try:
        yield
    except OSError as exc:
        raise unwritable(path, exc) from exc
