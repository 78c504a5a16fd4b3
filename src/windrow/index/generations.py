"""The folder that an index lives in: generations side by side, and a note which of them is the one to search.

    index/current.json          {"generation": "g-000002"}, and since when it is held, if it is
    index/g-000002/…            Tantivy's files
    index/g-000002/state.json   up to which change of the store it goes, and how it was made
    index/g-000002/summary.json what all its documents have most often, if it is large
    index/g-000002/damage.json  what is wrong with it, if somebody found that out
    index/lock                  whoever writes holds it

A new generation is built aside and becomes current in one step; one that is whole may wait for that. The one
before it stays until the next, for readers that have it open and for whoever wants to go back to it: then it
is held, and nobody follows or replaces it. Notes are replaced whole, after what they tell of is safely
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
_META, _MANAGED = "meta.json", ".managed.json"  # Tantivy's
_OWN_ONLY = (_META, _MANAGED)  # it makes them so that nobody else can read them
_ATTEMPTS = 5


@dataclass(frozen=True, slots=True)
class GenerationState:
    """How far a generation is."""

    shape: str  # of its fields: a reader needs the same
    mark: str  # of how documents are made into rows: a writer needs the same
    cursor: int = 0  # up to which change of the store it goes
    commits: int = 0
    is_whole: bool = False  # it has been up to date once
    when: str = ""
    sources: tuple[str, ...] = ()  # that it has records of: one that is removed leaves no change behind
    birth: str = ""  # tells it from one that had the same name, in a folder that was deleted
    version: str = ""  # the mark without the settings; "" in indexes made before it was noted


@dataclass(frozen=True, slots=True)
class PinnedGeneration:
    """A generation that was gone back to, and is to stay as it is."""

    generation: str
    since: str  # ISO 8601, UTC
    instead_of: str  # the generation that was current before


class Generations:
    """The folder. Nothing is kept in memory: other processes change it, too.

    `types` are the library's tables of types, which documents are indexed by.
    """

    def __init__(self, folder: Path, types: TypeTables | None = None) -> None:
        self.folder = folder
        self.types = types or TypeTables()

    @property
    def mark(self) -> str:
        """What the state of an index has that is as this version and these settings make it."""
        from windrow.index.tantivy.layout import mark  # noqa: PLC0415 - Tantivy is not needed to read a state

        return mark(self.types.mark)

    @property
    def version(self) -> str:
        """The part of the mark that depends on this version of Windrow alone."""
        from windrow.index.tantivy.layout import mark  # noqa: PLC0415 - as above

        return mark()

    def has_other_settings(self, state: GenerationState) -> bool:
        """Return whether this version of Windrow made an index, with other settings of the library."""
        return state.mark != self.mark and state.version == self.version

    def current(self) -> str | None:
        """The name of the generation to search; None where there is none."""
        found = _read(self.folder / _CURRENT).get("generation")
        return found if isinstance(found, str) and _NAME.fullmatch(found) else None

    def hold(self) -> PinnedGeneration | None:
        """Since when the generation to search is held; None where it is not."""
        found, name = _read(self.folder / _CURRENT), self.current()
        since = found.get("held_since")
        if name is None or not isinstance(since, str):
            return None
        return PinnedGeneration(name, since, str(found.get("instead_of", "")))

    def names(self) -> list[str]:
        """Every generation there is, whole or not, the oldest first."""
        if not self.folder.is_dir():
            return []
        found = (path.name for path in self.folder.iterdir() if _NAME.fullmatch(path.name))
        return sorted(found, key=_number)

    def path(self, name: str) -> Path:
        """Where a generation lies."""
        return self.folder / name

    def is_writable(self, name: str) -> bool:
        """Return whether files can be put into a generation, as Tantivy does even to read it."""
        return os.access(self.path(name), os.W_OK)

    @contextmanager
    def opening(self, name: str) -> Iterator[Path]:
        """Yield a folder in which Tantivy can open a generation to read it.

        It makes a lock file there, which keeps a writer from taking files away meanwhile. Where it cannot, a
        temporary folder has links to the files that there are now; whoever opened them no longer needs the
        links. If the writer took some away before all were linked, it is tried again with those that are new.
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
        """Let everybody read what Tantivy keeps for its own user, if they may read the rest of the index."""
        mode = stat.S_IMODE(self.path(name).stat().st_mode) & 0o666
        for each in _OWN_ONLY:
            with suppress(OSError):  # it may belong to another who writes, too
                os.chmod(self.path(name) / each, mode)

    def state(self, name: str) -> GenerationState | None:
        """How far a generation is; None for one that is damaged, or was begun and left."""
        found: dict[str, Any] = _read(self.path(name) / _STATE)
        known = {
            key: value for key, value in found.items() if key in GenerationState.__slots__
        }  # newer ones have more
        try:
            return GenerationState(**known | {"sources": tuple(found.get("sources", ()))})
        except TypeError:
            return None

    def current_state(self) -> tuple[str, GenerationState] | None:
        """The generation to search and how far it is; None where there is none, or none that is whole."""
        name = self.current()
        state = self.state(name) if name else None
        return (name, state) if name and state else None

    def damage(self, name: str) -> str:
        """What is wrong with a generation, as far as anybody noticed; nothing if nothing is."""
        if self.state(name) is None:
            return f"{_STATE} cannot be read"
        return str(_read(self.path(name) / _DAMAGE).get("damage", ""))

    def note_damage(self, name: str, words: str) -> None:
        """Let everybody know: whoever reads it keeps off, whoever writes builds it anew."""
        if self.path(name).is_dir():
            _write(self.path(name) / _DAMAGE, {"damage": words})

    def note(self, name: str, state: GenerationState) -> None:
        """Note how far a generation is."""
        _write(self.path(name) / _STATE, asdict(state))

    def summary(self, name: str) -> dict[str, Any]:
        """What was noted of all documents of a generation; nothing if nothing was."""
        return _read(self.path(name) / _SUMMARY)

    def note_summary(self, name: str, content: dict[str, Any]) -> None:
        """Note that; which state it is of is said in it."""
        _write(self.path(name) / _SUMMARY, content)

    def begin(self) -> str:
        """Make room for a new generation; what others began and left is cleared away."""
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
        """Clear away what was built before this one and is waiting still."""
        current = self.current()
        for other in self.names():
            if (current is None or _number(other) > _number(current)) and _number(other) < _number(name):
                self._drop(other)

    def make_current(self, name: str, *, held_since: str = "") -> None:
        """Let this generation be searched from now on; the one before it and newer ones stay, older ones go.

        With `held_since` it is held from then on, else not.
        """
        before = self.current()
        held = {"held_since": held_since, "instead_of": before} if held_since else {}
        _write(self.folder / _CURRENT, {"generation": name, **held})
        for other in self.names():
            if other != before and _number(other) < _number(name):
                self._drop(other)

    def signature(self) -> tuple[object, ...]:
        """Something that changes whenever there is something new to read, and is quickly had."""
        current = _stamp(self.folder / _CURRENT)
        name = self.current() if current else None
        return (current, name, _stamp(self.path(name) / _STATE) if name else None)

    def size(self) -> int:
        """How many bytes the current generation takes."""
        name = self.current()
        files = self.path(name).iterdir() if name and self.path(name).is_dir() else ()
        return sum(stamp[1] for file in files if (stamp := _stamp(file)))

    def _make_folder(self) -> None:
        make_folder(self.folder, self.folder.parent)

    @contextmanager
    def writing(self, owner: str, *, is_waiting: bool = True) -> Iterator[bool]:
        """Hold the one right to write; False where another has it and nobody wants to wait."""
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
        """Who writes at the moment, in words; nothing where nobody does, or nobody knows."""
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
    """Link the files of a generation into another folder; return whether they are of one state of it."""
    meta = (generation / _META).read_bytes()
    files = [each for each in generation.iterdir() if each.name not in _OWN_ONLY and each.suffix != ".lock"]
    (folder / _META).write_bytes(meta)
    (folder / _MANAGED).write_text(json.dumps([each.name for each in files]))
    for each in files:
        with suppress(FileExistsError):
            (folder / each.name).symlink_to(each)
    return (generation / _META).read_bytes() == meta and all(each.exists() for each in files)


def _remove(folder: Path) -> None:
    """Remove a folder of links, in which a thread of Tantivy may make its lock file again meanwhile."""
    for _ in range(_ATTEMPTS):
        shutil.rmtree(folder, ignore_errors=True)
        if not folder.exists():
            return


def _number(name: str) -> int:
    return int(name.partition("-")[2])


def _read(path: Path) -> dict[str, object]:
    """Return what a note says; nothing where there is none, or it is damaged.

    One that merely cannot be read now, for too many open files or lack of permission, is an error: an index
    that seems to be missing would be built again.
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
    """All of it or nothing, also through a power cut."""
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
