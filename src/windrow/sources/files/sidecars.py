"""Files that describe the files beside them, found among all files of a look, and what they say.

`metadata.xml` and `metadata.csv` speak of all that is below their folder, `NAME.xml` and `NAME.json` of the
file NAME beside them. The nearer one counts, name by name. They are no documents themselves.
"""

from __future__ import annotations

import csv
from collections.abc import Callable, Iterator, Sequence
from hashlib import sha256

from windrow.formats.extracted import Given
from windrow.sources.files import sidecar_greenstone, sidecar_records, sidecar_tables
from windrow.sources.files.sidecar_greenstone import DirectoryMetadata, Word, read_directory_metadata
from windrow.sources.files.sidecar_records import ENDINGS, read_record
from windrow.sources.files.sidecar_tables import NoSidecar, Said, read_table
from windrow.sources.files.walk import FoundFile, Tree, open_visible

OF_FOLDERS = (sidecar_greenstone.NAME, sidecar_tables.NAME)
_BETWEEN = "\n"
_NONE = "no sidecar: "

OnTrouble = Callable[[str, str], None]  # is told a path and what is wrong with it
# Says of a file that may be a sidecar whether it was found to be one before; None: nobody looked.
WasSidecar = Callable[[FoundFile], bool | None]
_Content = DirectoryMetadata | dict[str, Said] | Said | None  # None: broken


class Sidecars:
    """What the files of one look say of one another. Each sidecar is read once, and only if it must be."""

    def __init__(
        self,
        tree: Tree,
        files: Sequence[FoundFile],
        *,
        is_whole: bool,
        was_sidecar: WasSidecar,
        on_trouble: OnTrouble,
    ) -> None:
        """`files` are all that there are, or (not `is_whole`) some of them."""
        self._tree = tree
        self._is_whole = is_whole
        self._was_sidecar = was_sidecar
        self._on_trouble = on_trouble
        self._found: dict[str, FoundFile | None] = {file.path: file for file in files}
        self._stems = {_stem(file.path) for file in files if not file.path.endswith(ENDINGS)}
        self._contents: dict[str, _Content] = {}
        self._judged: dict[str, bool] = {}
        self._cleared: set[str] = set()  # documents that might have been sidecars
        self._above: dict[str, tuple[FoundFile, ...]] = {}
        self.documents = [file for file in files if not self._is_sidecar(file)]
        self.describing = [path for path, is_sidecar in self._judged.items() if is_sidecar]

    def beside(self, path: str) -> str:
        """Give which files speak of a document, and as they are; nothing where none does.

        A document that has the name of a sidecar and is none says so itself: it is not read again for that.
        """
        signs = list(map(sign_of, self._speakers(path)))
        file = self._found.get(path) if path in self._cleared else None
        return _BETWEEN.join([*signs, _NONE + sign_of(file)] if file is not None else signs)

    def given(self, path: str) -> tuple[Given, ...]:
        """Give what they say of it, name by name from the nearest that has the name."""
        said: dict[str, list[Given]] = {}
        for speaker in self._speakers(path):
            for name, words in self._said(speaker, path).items():
                added = [Given(name, word.value, speaker.path) for word in words]
                said[name] = [*said.get(name, ()), *added] if words[0].is_added else added
        return tuple(fact for facts in said.values() for fact in facts)

    def _speakers(self, path: str) -> Iterator[FoundFile]:
        """The sidecars of a document, the farthest first."""
        yield from self._of_folder(path.rpartition("/")[0])
        for ending in ENDINGS:
            for base in dict.fromkeys((_stem(path), path)):
                found = self._find(base + ending) if base + ending != path else None
                if found is not None and self._is_sidecar(found):
                    yield found

    def _of_folder(self, folder: str) -> tuple[FoundFile, ...]:
        if folder not in self._above:
            outer = self._of_folder(folder.rpartition("/")[0]) if folder else ()
            places = (f"{folder}/{name}" if folder else name for name in OF_FOLDERS)
            here = (self._find(place) for place in places)
            own = tuple(file for file in here if file is not None and self._is_sidecar(file))
            self._above[folder] = outer + own
        return self._above[folder]

    def _find(self, path: str) -> FoundFile | None:
        if path not in self._found and not self._is_whole:
            self._found[path] = self._tree.look_up(path)
        return self._found.get(path)

    def _is_sidecar(self, file: FoundFile) -> bool:
        if not file.path.endswith((*ENDINGS, OF_FOLDERS[1])):
            return False
        if file.path not in self._judged:
            self._judged[file.path] = self._judge(file)
        return self._judged[file.path]

    def _judge(self, file: FoundFile) -> bool:
        is_of_folder = file.path.rpartition("/")[2] in OF_FOLDERS
        if not is_of_folder and not self._has_sibling(file.path):
            return False
        known = self._was_sidecar(file)
        if known is None:
            try:
                self._contents[file.path] = self._read(file)
                known = True
            except NoSidecar:
                known = False
        if not known:
            self._cleared.add(file.path)
        return known

    def _has_sibling(self, path: str) -> bool:
        base = path.rpartition(".")[0]
        return self._find(base) is not None or base in self._stems

    def _said(self, speaker: FoundFile, path: str) -> dict[str, list[Word]]:
        """What one sidecar says of one document, by name."""
        if speaker.path not in self._contents:
            try:
                self._contents[speaker.path] = self._read(speaker)
            except NoSidecar:
                self._contents[speaker.path] = None
        content = self._contents[speaker.path]
        folder = speaker.path.rpartition("/")[0]
        inner = path[len(folder) + 1 :] if folder else path
        return _by_name(content, inner)

    def _read(self, file: FoundFile) -> _Content:
        """Read a sidecar; None where it is broken, which is told."""
        name = file.path.rpartition("/")[2]
        most = sidecar_tables.MOST_BYTES if name in OF_FOLDERS else sidecar_records.MOST_BYTES
        if file.size > most:
            self._on_trouble(file.path, f"is larger than {most:,} bytes, so it describes nothing")
            return None
        try:
            with open_visible(self._tree, file.path) as opened:
                data = opened.read(most)
            return self._parse(file, name, data)
        except NoSidecar:
            raise
        except (OSError, ValueError, csv.Error) as exc:
            self._on_trouble(file.path, f"describes nothing, for it {_words(exc)}")
            return None

    def _parse(self, file: FoundFile, name: str, data: bytes) -> _Content:
        if name == sidecar_tables.NAME:
            return read_table(data)
        if name != sidecar_greenstone.NAME:
            return read_record(data, file.path)
        made = read_directory_metadata(data)
        for expression in made.refused[:1]:
            words = f"has {len(made.refused):,} expressions that are wrong or could take too long"
            self._on_trouble(file.path, f"{words}, such as {expression[:100]}")
        return made


def sign_of(file: FoundFile) -> str:
    """Give by what a sidecar is known again as long as it stays as it is."""
    return f"{file.size} {file.mtime_ns} {file.path}"


def verdicts_in(beside: str) -> dict[str, bool]:
    """Give the signs that `beside` was made of, each with whether it is a sidecar's."""
    signs = beside.split(_BETWEEN) if beside else []
    return {sign.removeprefix(_NONE): not sign.startswith(_NONE) for sign in signs}


def given_digest(given: Sequence[Given]) -> str:
    """Give a text that differs where what is given does; nothing for nothing."""
    return sha256(repr(tuple(given)).encode("utf-8", "replace")).hexdigest()[:32] if given else ""


def widened(paths: Sequence[str]) -> list[str]:
    """Give paths to look at, with all that is around those that may describe others."""
    wide = {_folder_of(path) if path.endswith((*ENDINGS, OF_FOLDERS[1])) else path for path in paths}
    kept: list[str] = []
    for path in sorted(wide, key=lambda path: path.split("/") if path else []):
        if not kept or not (kept[-1] == "" or path.startswith(f"{kept[-1]}/")):
            kept.append(path)
    return kept


def _by_name(content: _Content, path: str) -> dict[str, list[Word]]:
    """Give what a sidecar says of the file at a path below its folder, as it stands after all of it."""
    if content is None:
        return {}
    if isinstance(content, DirectoryMetadata):
        words = content.words(path)
    else:
        said = content.get(path, []) if isinstance(content, dict) else content
        return _grouped(said)
    found: dict[str, list[Word]] = {}
    for word in words:
        found[word.name] = [*found.get(word.name, ()), word] if word.is_added else [word]
    return found


def _grouped(said: Said) -> dict[str, list[Word]]:
    found: dict[str, list[Word]] = {}
    for name, value in said:
        found.setdefault(name, []).append(Word(name, value, False))
    return found


def _stem(path: str) -> str:
    """A path without the last ending of its name."""
    folder, slash, name = path.rpartition("/")
    stem, dot, _ = name.rpartition(".")
    return folder + slash + (stem if dot and stem else name)


def _folder_of(path: str) -> str:
    return path.rpartition("/")[0]


def _words(exc: Exception) -> str:
    if isinstance(exc, OSError):
        return f"could not be opened ({exc.strerror or 'it is gone'})"
    return str(exc) if isinstance(exc, ValueError) else f"is no table: {exc}"
