"""Sidecars: files with metadata for the files beside them.

`metadata.xml` and `metadata.csv` describe everything below their folder, `NAME.xml` and `NAME.json` the file
NAME beside them. The nearest one wins for each name. Sidecars are not documents themselves.
"""

from __future__ import annotations

import csv
import json
import re
from codecs import BOM_UTF16_BE, BOM_UTF16_LE
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field
from hashlib import sha256
from io import StringIO

from lxml import etree

from windrow.formats.dublin_core.oai_dc import ELEMENTS
from windrow.formats.mapping.xml_records import element_text, local_name
from windrow.formats.windrow_document import StatedFact
from windrow.sources.files.html_head import dublin_core_element
from windrow.sources.files.name_patterns import match_expression
from windrow.sources.files.visible_files import FoundFile, Tree, open_visible

# Names in sidecars: Dublin Core terms in many spellings, such as `dc.Title`, `dcterms:created`, `Author` and
# `keywords`. Any other name is kept: a collection may have fields of its own.

MAX_NAME_CHARACTERS = 64
MAX_VALUE_CHARACTERS = 100_000
_PREFIX = re.compile(r"(?:dc|dcterms|dls|dcmi)[.:]", re.IGNORECASE)
_SPACES = re.compile(r"[\s_]+")
_USUAL = {
    "author": "creator",
    "authors": "creator",
    "creators": "creator",
    "keyword": "subject",
    "keywords": "subject",
    "subjects": "subject",
    "tags": "subject",
    "abstract": "description",
    "summary": "description",
    "caption": "description",
    "license": "rights",
    "licence": "rights",
    "copyright": "rights",
    "year": "date",
    "created": "date",
    "issued": "date",
    "place": "coverage",
    "modified": "modified",
}


def canonical_name(written: str) -> str:
    """Return the canonical form of a name; "" if it is empty or too long."""
    plain = _SPACES.sub("-", written.strip().strip("\ufeff")).lower()
    if not plain or len(plain) > MAX_NAME_CHARACTERS or not plain.isprintable():
        return ""
    bare = _PREFIX.sub("", plain, count=1)
    if bare in ELEMENTS:
        return bare
    if bare in _USUAL:
        return _USUAL[bare]
    return (dublin_core_element(plain) or plain) if bare != plain else plain


def is_dublin_core(name: str) -> bool:
    return name in ELEMENTS


def truncate_value(value: str) -> str:
    """Return a value with normalised white space, cut to a length that no genuine value exceeds."""
    return " ".join(value[:MAX_VALUE_CHARACTERS].split())


# `metadata.csv`: a line per file, a column per name. The column `filename`, `file` or `path` identifies the
# file, else the first column does. Columns may be repeated, and a cell may have several values separated by a
# bar.

TABLE_NAME = "metadata.csv"
MAX_TABLE_BYTES = 64_000_000
_FILE_COLUMNS = ("filename", "file", "path", "file-name")
_SEPARATORS = (",", ";", "\t")
_STATED = re.compile("sep=([,;|\t])", re.IGNORECASE)  # a first line that spreadsheets use

Statements = list[tuple[str, str]]


class NotASidecar(ValueError):
    """A file named like a sidecar that is an ordinary document."""


def read_table(data: bytes) -> dict[str, Statements]:
    """Return the metadata of each file, by its path from the table's folder.

    Raises NotASidecar if no column is a Dublin Core term and csv.Error if it is not a table.
    """
    rows = _rows(data)
    header = next(rows, [])
    place, names = _columns(header)
    if not any(map(is_dublin_core, names)):
        raise NotASidecar("no column of it has a name of Dublin Core")
    found: dict[str, Statements] = {}
    for row in rows:
        path = _path(row[place]) if place < len(row) else ""
        if path:
            found.setdefault(path, []).extend(_values(names, row))
    return found


def _rows(data: bytes) -> Iterator[list[str]]:
    text = _decoded(data)
    line, _, behind = text.partition("\n")
    stated = _STATED.fullmatch(line.strip("\r"))
    separator = stated[1] if stated else max(_SEPARATORS, key=line.count)
    return csv.reader(StringIO(behind if stated else text, newline=""), delimiter=separator)


def _decoded(data: bytes) -> str:
    """Decode a table as spreadsheets write it: UTF-8, UTF-16 or a Windows code page."""
    if data.startswith((BOM_UTF16_LE, BOM_UTF16_BE)):
        return data.decode("utf-16", "replace")
    try:
        return data.decode("utf-8-sig")
    except UnicodeDecodeError:
        return data.decode("cp1252", "replace")


def _columns(header: Sequence[str]) -> tuple[int, list[str]]:
    """Return the number of the file column, and the names of all others."""
    names = [canonical_name(written) for written in header]
    place = next((number for number, name in enumerate(names) if name in _FILE_COLUMNS), 0)
    return place, ["" if number == place else name for number, name in enumerate(names)]


def _values(names: Sequence[str], row: Sequence[str]) -> Iterator[tuple[str, str]]:
    for name, cell in zip(names, row, strict=False):
        for value in cell.split("|") if name else ():
            if truncate_value(value):
                yield name, truncate_value(value)


def _path(written: str) -> str:
    """Return a normalised path; tables from Windows use backslashes."""
    return written.strip().replace("\\", "/").removeprefix("./").lstrip("/")


# XML from third parties: parsed without entities, schemas or network access.


def parse_xml(data: bytes) -> etree._Element:
    """Return the root element; raises ValueError for ill-formed XML."""
    parser = etree.XMLParser(
        resolve_entities=False, no_network=True, load_dtd=False, remove_comments=True, remove_pis=True
    )
    try:
        return etree.fromstring(data, parser)
    except etree.XMLSyntaxError as exc:
        raise ValueError(f"is not well-formed XML: {exc.msg}") from exc


# `NAME.json` and `NAME.xml`: the description of one file in Dublin Core.

RECORD_SUFFIXES = (".xml", ".json")  # the latter takes precedence
MAX_RECORD_BYTES = 1_000_000
_NAMESPACES = ("http://purl.org/dc/elements/1.1/", "http://purl.org/dc/terms/")
_ROOTS = ("record", "metadata", "dc", "dublin_core", "dublincore", "qualifieddc")
_MAX_DEPTH = 6  # levels of elements around the description


def read_record(data: bytes, path: str) -> Statements:
    """Return the metadata that a sidecar has for its file.

    Raises NotASidecar if it contains no Dublin Core and ValueError if it is broken.
    """
    said = list(_read_json(data) if path.lower().endswith(".json") else _read_xml(parse_xml(data)))
    if not any(is_dublin_core(name) for name, _ in said):
        raise NotASidecar("it says nothing in Dublin Core")
    return said


def _read_json(data: bytes) -> Iterator[tuple[str, str]]:
    try:
        held = json.loads(data.decode("utf-8-sig"))
    except RecursionError:
        raise NotASidecar("it is nested too deep") from None
    except ValueError as exc:
        raise ValueError(f"is not JSON: {exc}") from exc
    if not isinstance(held, dict):
        raise NotASidecar("it is no object")
    for written, values in held.items():
        name = canonical_name(written)
        for value in values if isinstance(values, list) else [values]:
            is_plain = isinstance(value, str | int | float) and not isinstance(value, bool)
            if name and is_plain and (words := truncate_value(str(value))):
                yield name, words


def _read_xml(root: etree._Element) -> Iterator[tuple[str, str]]:
    is_record = local_name(root).lower() in _ROOTS
    for depth, element in _elements(root):
        namespace = etree.QName(element).namespace
        if namespace in _NAMESPACES or (is_record and not namespace and depth == 1):
            name = _element_name(element)
            words = truncate_value(element_text(element))
            if name and words:
                yield name, words


def _elements(root: etree._Element) -> Iterator[tuple[int, etree._Element]]:
    waiting = [(1, child) for child in reversed(root)]
    while waiting:
        depth, element = waiting.pop()
        if local_name(element):
            yield depth, element
            if depth < _MAX_DEPTH:
                waiting += [(depth + 1, child) for child in reversed(element)]


def _element_name(element: etree._Element) -> str:
    """Return the name of an element; DSpace writes `<dcvalue element="title">`."""
    if local_name(element) == "dcvalue":
        return canonical_name(element.get("element", ""))
    if etree.QName(element).namespace == _NAMESPACES[1]:
        return canonical_name(f"dcterms.{local_name(element)}")
    return canonical_name(local_name(element))


# `metadata.xml` as in Greenstone: sets of files by regular expression, with their metadata.
# `mode="accumulate"` adds to earlier values, `override` (the default) replaces them.

DIRECTORY_METADATA_NAME = "metadata.xml"
MAX_DIRECTORY_METADATA_BYTES = 64_000_000
MAX_EXPRESSIONS = 200  # compared with every file below; plain names are looked up and need no limit
MAX_PATH_CHARACTERS = 1000  # characters of a path that are matched
_LITERAL = re.compile(r"(?:[\w\s/,;=@%&~'!#-]|\\[^\w\s])*")
_ESCAPED = re.compile(r"\\(.)")


@dataclass(frozen=True, slots=True)
class MetadataStatement:
    """Metadata of a set of files."""

    name: str
    value: str
    is_added: bool  # to earlier values, rather than replacing them


@dataclass(slots=True)
class DirectoryMetadata:
    """The content of one such file."""

    _literal: dict[str, list[tuple[int, list[MetadataStatement]]]] = field(default_factory=dict)
    _tested: list[tuple[int, Callable[[str], bool], list[MetadataStatement]]] = field(default_factory=list)
    refused: list[str] = field(default_factory=list)  # expressions that are invalid or could take long

    def words(self, path: str) -> list[MetadataStatement]:
        """Return the statements about a file, by its path from the folder, in document order."""
        places = [path, *_parent_folders(path)]
        found = [item for place in places for item in self._literal.get(place, ())]
        if len(path) <= MAX_PATH_CHARACTERS:
            found += [
                (order, words) for order, test, words in self._tested if any(test(place) for place in places)
            ]
        return [word for _, words in sorted(found, key=lambda item: item[0]) for word in words]

    def add(self, order: int, expression: str, words: list[MetadataStatement]) -> None:
        """Add a set of files; `order` is its position among the others."""
        if _LITERAL.fullmatch(expression):
            name = _ESCAPED.sub(r"\1", expression).strip("/")
            self._literal.setdefault(name, []).append((order, words))
            return
        test = match_expression(f"^(?:{expression})$")
        if test is None or len(self._tested) >= MAX_EXPRESSIONS:
            self.refused.append(expression)
        else:
            self._tested.append((order, test, words))


def read_directory_metadata(data: bytes) -> DirectoryMetadata:
    """Parse the file; raises NotASidecar for other XML and ValueError for anything else."""
    root = parse_xml(data)
    if local_name(root) != "DirectoryMetadata":
        raise NotASidecar("it is not Greenstone's")
    made = DirectoryMetadata()
    for order, holder in enumerate(child for child in root if local_name(child) == "FileSet"):
        words = list(_read_statements(holder))
        for name in holder:
            if local_name(name) == "FileName" and (expression := (name.text or "").strip()):
                made.add(order, expression, words)
    return made


def _read_statements(holder: etree._Element) -> Iterator[MetadataStatement]:
    for description in holder:
        for item in description if local_name(description) == "Description" else ():
            name, value = canonical_name(item.get("name", "")), truncate_value(element_text(item))
            if local_name(item) == "Metadata" and name and value:
                yield MetadataStatement(name, value, item.get("mode") == "accumulate")


def _parent_folders(path: str) -> Iterator[str]:
    """Yield the parent folders of a path, nearest first: a set may name one of them."""
    while "/" in path:
        path = path.rpartition("/")[0]
        yield path


OF_FOLDERS = (DIRECTORY_METADATA_NAME, TABLE_NAME)
_BETWEEN = "\n"
_NONE = "no sidecar: "

OnSidecarError = Callable[[str, str], None]  # called with a path and the error
# Returns whether a potential sidecar was found to be one in an earlier scan; None: unknown.
WasSidecar = Callable[[FoundFile], bool | None]
_Content = DirectoryMetadata | dict[str, Statements] | Statements | None  # None: broken


class Sidecars:
    """The sidecars of one scan and the metadata in them. Each is read once, and only if needed."""

    def __init__(
        self,
        tree: Tree,
        files: Sequence[FoundFile],
        *,
        is_whole: bool,
        was_sidecar: WasSidecar,
        on_trouble: OnSidecarError,
    ) -> None:
        """`files` are all visible files or, unless `is_whole`, some of them."""
        self._tree = tree
        self._is_whole = is_whole
        self._was_sidecar = was_sidecar
        self._on_trouble = on_trouble
        self._found: dict[str, FoundFile | None] = {file.path: file for file in files}
        self._stems = {_stem(file.path) for file in files if not file.path.endswith(RECORD_SUFFIXES)}
        self._contents: dict[str, _Content] = {}
        self._judged: dict[str, bool] = {}
        self._cleared: set[str] = set()  # documents with the name of a sidecar
        self._above: dict[str, tuple[FoundFile, ...]] = {}
        self.documents = [file for file in files if not self._is_sidecar(file)]
        self.describing = [path for path, is_sidecar in self._judged.items() if is_sidecar]

    def beside(self, path: str) -> str:
        """Return the signatures of the sidecars that describe a document; "" if there are none.

        A document with the name of a sidecar has its own signature added, so that it is not read again to
        find out.
        """
        signs = list(map(file_signature, self._speakers(path)))
        file = self._found.get(path) if path in self._cleared else None
        return _BETWEEN.join([*signs, _NONE + file_signature(file)] if file is not None else signs)

    def given(self, path: str) -> tuple[StatedFact, ...]:
        """Return the metadata from sidecars, each name from the nearest one that has it."""
        said: dict[str, list[StatedFact]] = {}
        for speaker in self._speakers(path):
            for name, words in self._said(speaker, path).items():
                added = [StatedFact(name, word.value, speaker.path) for word in words]
                said[name] = [*said.get(name, ()), *added] if words[0].is_added else added
        return tuple(fact for facts in said.values() for fact in facts)

    def _speakers(self, path: str) -> Iterator[FoundFile]:
        """Yield the sidecars of a document, farthest first."""
        yield from self._of_folder(path.rpartition("/")[0])
        for ending in RECORD_SUFFIXES:
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
        if not file.path.endswith((*RECORD_SUFFIXES, OF_FOLDERS[1])):
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
            except NotASidecar:
                known = False
        if not known:
            self._cleared.add(file.path)
        return known

    def _has_sibling(self, path: str) -> bool:
        base = path.rpartition(".")[0]
        return self._find(base) is not None or base in self._stems

    def _said(self, speaker: FoundFile, path: str) -> dict[str, list[MetadataStatement]]:
        """Return the statements of one sidecar about one document, by name."""
        if speaker.path not in self._contents:
            try:
                self._contents[speaker.path] = self._read(speaker)
            except NotASidecar:
                self._contents[speaker.path] = None
        content = self._contents[speaker.path]
        folder = speaker.path.rpartition("/")[0]
        inner = path[len(folder) + 1 :] if folder else path
        return _by_name(content, inner)

    def _read(self, file: FoundFile) -> _Content:
        """Read a sidecar; None if it is broken, which is reported."""
        name = file.path.rpartition("/")[2]
        most = MAX_TABLE_BYTES if name in OF_FOLDERS else MAX_RECORD_BYTES
        if file.size > most:
            self._on_trouble(file.path, f"is larger than {most:,} bytes, so it describes nothing")
            return None
        try:
            with open_visible(self._tree, file.path) as opened:
                data = opened.read(most)
            return self._parse(file, name, data)
        except NotASidecar:
            raise
        except (OSError, ValueError, csv.Error) as exc:
            self._on_trouble(file.path, f"describes nothing, for it {_error_text(exc)}")
            return None

    def _parse(self, file: FoundFile, name: str, data: bytes) -> _Content:
        if name == TABLE_NAME:
            return read_table(data)
        if name != DIRECTORY_METADATA_NAME:
            return read_record(data, file.path)
        made = read_directory_metadata(data)
        for expression in made.refused[:1]:
            words = f"has {len(made.refused):,} expressions that are wrong or could take too long"
            self._on_trouble(file.path, f"{words}, such as {expression[:100]}")
        return made


def file_signature(file: FoundFile) -> str:
    """Return a signature that stays the same while the file does."""
    return f"{file.size} {file.mtime_ns} {file.path}"


def split_signatures(beside: str) -> dict[str, bool]:
    """Return the signatures in `beside`, each with whether it belongs to a sidecar."""
    signs = beside.split(_BETWEEN) if beside else []
    return {sign.removeprefix(_NONE): not sign.startswith(_NONE) for sign in signs}


def given_digest(given: Sequence[StatedFact]) -> str:
    """Return a digest of metadata from sidecars; "" if there is none."""
    return sha256(repr(tuple(given)).encode("utf-8", "replace")).hexdigest()[:32] if given else ""


def widen_paths(paths: Sequence[str]) -> list[str]:
    """Return paths to scan, together with everything that sidecars among them may describe."""
    wide = {_folder_of(path) if path.endswith((*RECORD_SUFFIXES, OF_FOLDERS[1])) else path for path in paths}
    kept: list[str] = []
    for path in sorted(wide, key=lambda path: path.split("/") if path else []):
        if not kept or not (kept[-1] == "" or path.startswith(f"{kept[-1]}/")):
            kept.append(path)
    return kept


def _by_name(content: _Content, path: str) -> dict[str, list[MetadataStatement]]:
    """Return the statements of a sidecar about a path below its folder, with overrides applied."""
    if content is None:
        return {}
    if isinstance(content, DirectoryMetadata):
        words = content.words(path)
    else:
        said = content.get(path, []) if isinstance(content, dict) else content
        return _group_statements(said)
    found: dict[str, list[MetadataStatement]] = {}
    for word in words:
        found[word.name] = [*found.get(word.name, ()), word] if word.is_added else [word]
    return found


def _group_statements(said: Statements) -> dict[str, list[MetadataStatement]]:
    found: dict[str, list[MetadataStatement]] = {}
    for name, value in said:
        found.setdefault(name, []).append(MetadataStatement(name, value, False))
    return found


def _stem(path: str) -> str:
    folder, slash, name = path.rpartition("/")
    stem, dot, _ = name.rpartition(".")
    return folder + slash + (stem if dot and stem else name)


def _folder_of(path: str) -> str:
    return path.rpartition("/")[0]


def _error_text(exc: Exception) -> str:
    if isinstance(exc, OSError):
        return f"could not be opened ({exc.strerror or 'it is gone'})"
    return str(exc) if isinstance(exc, ValueError) else f"is no table: {exc}"
