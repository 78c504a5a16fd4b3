"""Kinds of sources in the configuration: their options, checks and capabilities.

Each kind has a description here; the other half, `wiring.source_kinds`, has the operations on its sources.
A package adds a kind by registering a `KindDescription` in the entry-point group `windrow.source_kinds`.
The options of all kinds are keys of one table, `[sources.NAME]`.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping
from dataclasses import dataclass, replace
from functools import cache
from pathlib import Path
from typing import Any, Generic, TypeVar, cast
from urllib.parse import urlsplit

from windrow.config import kinds
from windrow.config.collection_values import RULES
from windrow.config.fields import Field, fields_of, optional, setting, suggest
from windrow.config.kinds import SettingError
from windrow.config.network_values import MASK, PATH_PART, QUERY, comparable, endpoint, mask_url
from windrow.config.schema import (
    DOCUMENT_FORMATS,
    DOCUMENTS,
    FILES_CONTENT,
    FOLDER_FORMATS,
    INHERITED,
    OAI,
    SOURCES,
    SourceSettings,
)
from windrow.config.toml_document import Document
from windrow.errors import ConfigError
from windrow.model.set_assignment import RoleRules
from windrow.plugins import load_plugins

# ruff: noqa: ARG002 - methods that kinds override


ENTRY_POINTS = "windrow.source_kinds"
FILES = "files"
Place = tuple[str, str]  # equal for two sources of one kind if they are the same
S = TypeVar("S", bound=SourceSettings)


@dataclass(frozen=True, slots=True, kw_only=True)
class KindDescription(Generic[S]):
    """A kind of source, for the configuration, the front ends and the command line.

    `settings` holds its options, each declared with `setting`, `optional` or `required` (`config.fields`).
    A kind with rules of its own is a subclass that overrides the methods. `behaviour` names the
    implementation of `wiring.source_kinds.SourceKind` as "module:NAME"; it is imported on first use.
    """

    name: str  # the value of `kind`
    label: str  # a source of this kind, with its article: "a folder"
    plural: str
    settings: type[S]
    behaviour: str
    argument: str = "address"  # the argument after the name in `source add`, in words; "" for none
    uses_http: bool = False  # the options of [harvest] about requests apply
    is_repository: bool = False  # `url` is an OAI-PMH base URL
    is_complete: bool = False  # each harvest sees the whole source, and what it does not see is deleted
    is_watched: bool = False  # `windrow serve` notices changes, with `SourceKind.watchers`
    has_deriver: bool = False  # `/oai/NAME` has more than what is stored, with `SourceKind.deriver`
    keeps_datestamps: bool = False  # `/oai/NAME` has the datestamps of the source
    mapped: tuple[str, ...] = ()  # formats in which missing fields are reported; empty: all that are kept
    harvest_options: frozenset[str] = frozenset()  # fields of HarvestOptions, besides `is_full` and `limit`
    harvest_hint: str = ""  # shown if other options are used
    advice: str = ""  # how to keep a new source current, if a nightly job is not best; {name} is its name
    flags: tuple[str, ...] = ()  # options that are flags of `source add` and `source edit`

    @property
    def fields(self) -> Mapping[str, Field]:
        """The options of a source of this kind, by their names in windrow.toml."""
        described = fields_of(self.settings)
        return described if self.uses_http else {k: v for k, v in described.items() if k not in INHERITED}

    @property
    def own_fields(self) -> Mapping[str, Field]:
        """The options of this kind that not every source has."""
        shared = fields_of(SourceSettings)
        return {key: each for key, each in fields_of(self.settings).items() if key not in shared}

    def default_url(self, name: str, given: Mapping[str, object]) -> str | None:
        """Return the default of `url`; None if it is required."""
        return None

    def settle(self, source: S) -> S:
        """Return the settings with derived values, such as the formats that are kept."""
        return source

    def problems(self, source: S, given: Collection[str], library: Path) -> Iterable[tuple[str, str]]:
        """Yield contradictions between settings, as an option and words that follow its name."""
        return ()

    def place(self, source: S) -> Place:
        """Return the identity of this source among those of its kind."""
        return self.name, source.url

    def shown_place(self, source: S) -> str:
        """Return the place for people, without secrets."""
        return mask_url(source.url)

    def from_argument(self, given: str | None, url: str | None) -> dict[str, object]:
        """Return the options for `windrow source add NAME ARGUMENT` and `--url`."""
        found = given if url is None else url
        return {} if found is None else {"url": found}


@dataclass(frozen=True, slots=True, kw_only=True, repr=False)
class RepositorySettings(SourceSettings):
    """An OAI-PMH repository."""

    secret_query: str | None = optional(
        QUERY,
        "Parameters that every request has besides those of OAI-PMH, such as key=value; sent, never shown.",
        is_secret=True,
    )
    secret_path: str | None = optional(
        PATH_PART,
        "A part of the path in `url` that is a key: sent, and shown as asterisks.",
        is_secret=True,
    )
    public_query: tuple[str, ...] = setting(
        kinds.words(0),
        [],
        "The names of those parameters in `url` that are no secret. All others are sent and never shown.",
    )
    formats: tuple[str, ...] = setting(
        kinds.words(1),
        ["oai_dc"],
        "The metadata formats to fetch, by the source's own prefixes.",
        is_sampled=True,
    )
    sets: tuple[str, ...] = setting(kinds.words(0), [], "The sets to fetch; none named means everything.")
    from_: str | None = optional(
        kinds.STAMP, "Fetch nothing older than this.", key="from", absent="the beginning"
    )
    until: str | None = optional(kinds.STAMP, "Fetch nothing newer than this.", absent="now")
    mode: str = setting(
        kinds.choice("auto", "list", "one-by-one"),
        "auto",
        "Fetch records in lists, or each by its identifier where the lists are broken; auto finds out.",
    )
    window: str = setting(
        kinds.choice("none", "year", "month", "day"),
        "none",
        "Fetch the history in slices of this length, for sources that fail on long lists.",
    )
    granularity: str = setting(
        kinds.choice("auto", "day", "second"),
        "auto",
        "How finely the source tells times apart; auto believes what it says.",
    )
    reconcile: float | None = setting(
        kinds.duration_or_never("1h", "3650d"),
        "7d",
        "How often to compare all identifiers with a source that does not report deletions.",
    )
    overlap: float | None = setting(
        kinds.duration_or("auto", "0s", "365d"),
        "auto",
        "How far before the last harvest the next one starts, for sources that list records late under older "
        "datestamps; auto goes back up to three days, but no further than one page of records.",
    )
    refresh_after: float | None = setting(
        kinds.duration_or_never("1h", "3650d"),
        "never",
        "After how long a record whose page is looked at is asked for again, by itself and in good time.",
    )
    set_roles: RoleRules = setting(  # noqa: RUF009 - frozen, as all settings are
        RULES,
        {},
        "What its sets are: patterns by role (institution, department, collection, type, ignore), roles by"
        " level (levels), whether known layouts are recognised (recognise), and which comes first where the"
        " metadata says otherwise (prefer).",
        absent="what is recognised",
    )


@dataclass(frozen=True, slots=True, kw_only=True)
class _Repository(KindDescription[RepositorySettings]):
    def problems(
        self, source: RepositorySettings, given: Collection[str], library: Path
    ) -> Iterable[tuple[str, str]]:
        if source.secret_path and MASK not in source.url:
            yield "secret_path", "must be a part of the path in url"
        begin, end = source.from_, source.until
        if begin and end and len(begin) != len(end):
            yield "until", "must be as fine as from: both dates, or both times"
        elif begin and end and begin > end:
            yield "until", "must not lie before from"

    def place(self, source: RepositorySettings) -> Place:
        return address_place(source.url, source.secret_query or "")


def address_place(url: str, query: str = "") -> Place:
    """Return the scheme of an address and the rest, normalized so that equivalent addresses are equal."""
    address, _, parameters = endpoint(url, query).partition("#")
    scheme, rest = comparable(address)
    return scheme, f"{rest}#{parameters}"


@dataclass(frozen=True, slots=True, kw_only=True, repr=False)
class FolderSettings(SourceSettings):
    """A folder of files, or of documents."""

    folder: str | None = optional(kinds.PATH, "Of a folder: where it is on this machine.")
    content: str = setting(
        kinds.choice(FILES_CONTENT, DOCUMENTS),
        FILES_CONTENT,
        "Of a folder: whether its files are only listed, or read as documents, with their text.",
    )
    sidecars: bool = setting(
        kinds.FLAG,
        True,
        "Of a folder of documents: whether metadata.csv, metadata.xml and NAME.json or NAME.xml describe"
        " the files beside them.",
    )
    archives: bool = setting(
        kinds.FLAG,
        True,
        "Of a folder of documents: whether the files inside zip and tar archives are documents as well.",
    )
    keep_gone: bool = setting(
        kinds.FLAG,
        False,
        "Of a folder of documents: whether a document stays in the library when its file is gone.",
    )
    skip: tuple[str, ...] = setting(
        kinds.LINES,
        [],
        'Of a folder: names or paths in it that are never shown, such as "*.log", "drafts/" or "a/**/*.tif".',
    )
    show_hidden: bool = setting(
        kinds.FLAG, False, "Of a folder: whether files whose names begin with a dot are shown."
    )
    needs_public_read: bool = setting(
        kinds.FLAG,
        True,
        "Of a folder: whether only files are shown that everybody on this machine may read.",
    )
    by_value: int = setting(
        kinds.size("0 B", "1 GB"),
        "5 MB",
        "Of a folder: up to which size a file itself goes into oai_didl, and not only its address.",
    )
    poll: float | None = optional(
        kinds.duration("100ms", "1d"),
        "Of a folder: how often to look for changes, for network drives that do not tell of them.",
        absent="when the system tells of one",
    )

    @property
    def has_documents(self) -> bool:
        return self.content == DOCUMENTS


OF_DOCUMENTS = frozenset({"sidecars", "archives", "keep_gone"})


@dataclass(frozen=True, slots=True, kw_only=True)
class _Folder(KindDescription[FolderSettings]):
    def default_url(self, name: str, given: Mapping[str, object]) -> str | None:
        """Return an address only for a folder of documents: the library itself shows these."""
        return f"urn:windrow:folder:{name}/" if given.get("content") == DOCUMENTS else None

    def settle(self, source: FolderSettings) -> FolderSettings:
        return replace(source, formats=DOCUMENT_FORMATS if source.has_documents else FOLDER_FORMATS)

    def problems(
        self, source: FolderSettings, given: Collection[str], library: Path
    ) -> Iterable[tuple[str, str]]:
        for key in sorted(() if source.has_documents else OF_DOCUMENTS.intersection(given)):
            yield key, f'is for folders of documents: add content = "{DOCUMENTS}"'
        parts = urlsplit(source.url)
        if not source.folder:
            yield "kind", 'is "files", which needs a folder as well: add folder = "/srv/www"'
        elif Path(source.folder).resolve() == library.resolve():
            yield "folder", "is the library itself, with its settings and its database; name another folder"
        if parts.query or not parts.path.endswith("/"):
            words = "must be the public address of the folder and end with /; the names of files are added"
            yield "url", words
        elif parts.username is not None:
            yield "url", "must be a public address, without a user name"

    def place(self, source: FolderSettings) -> Place:
        return FILES, str(Path(source.folder or "").resolve())

    def shown_place(self, source: FolderSettings) -> str:
        return str(source.folder)

    def from_argument(self, given: str | None, url: str | None) -> dict[str, object]:
        found: dict[str, object] = {"folder": str(Path(given or "").absolute())}
        if url is not None:
            address = url.strip()
            found["url"] = address if address.endswith("/") or "?" in address else f"{address}/"
        return found


REPOSITORY = _Repository(
    name=OAI,
    label="an OAI-PMH repository",
    plural="OAI-PMH repositories",
    settings=RepositorySettings,
    behaviour="windrow.wiring.oai_source:REPOSITORY",
    uses_http=True,
    is_repository=True,
    harvest_options=frozenset(
        {"since", "until", "sets", "formats", "is_one_by_one", "is_verifying", "is_reconciling"}
    ),
)
FOLDER = _Folder(
    name=FILES,
    label="a folder",
    plural="folders",
    settings=FolderSettings,
    behaviour="windrow.wiring.folder_source:FOLDER",
    argument="path",
    is_complete=True,
    is_watched=True,
    has_deriver=True,
    keeps_datestamps=True,
    harvest_options=frozenset({"is_reconciling"}),
    harvest_hint="A folder is always looked at whole; --full describes every file again.",
    advice="While `windrow serve` runs, changes in the folder are noticed by themselves.",
    mapped=DOCUMENT_FORMATS[:1],
)


@cache
def built_in() -> Mapping[str, KindDescription[Any]]:
    from windrow.config.web_settings import WEB_SITE  # noqa: PLC0415

    return {each.name: each for each in (REPOSITORY, FOLDER, WEB_SITE, MARC_FILES)}


def all_kinds() -> Mapping[str, KindDescription[Any]]:
    """Return every kind by its name, those of plug-ins last."""
    return {**built_in(), **plugged_in_kinds()}


@cache
def plugged_in_kinds() -> Mapping[str, KindDescription[Any]]:
    """Return the kinds of other packages; ConfigError for an invalid one."""
    found: dict[str, KindDescription[Any]] = {}
    for each in load_plugins(ENTRY_POINTS, "kind of source"):
        if not isinstance(each, KindDescription):
            raise ConfigError(f"{each!r} under {ENTRY_POINTS} is no KindDescription of a kind of source")
        if each.name in found or each.name in built_in():
            raise ConfigError(f"a plug-in brings the kind of source {each.name}, which there is already")
        found[each.name] = each
    return found


def find_kind(name: object) -> KindDescription[Any]:
    """Return the kind of this name; SettingError if there is none. Plug-ins are loaded only if needed."""
    found = (built_in().get(name) or plugged_in_kinds().get(name)) if isinstance(name, str) else None
    if found is None:
        known = ", ".join(f'"{each}"' for each in all_kinds())
        raise SettingError(f"must be one of {known}")
    return found


def kind_of(source: SourceSettings) -> KindDescription[Any]:
    return find_kind(source.kind)


@cache
def readable_fields(kind: KindDescription[Any]) -> Mapping[str, Field]:
    """Return the options that can be read in the table of a source of this kind.

    The options of other built-in kinds follow, so that they are refused with a reason.
    """
    return {**_fields_of_all(built_in().values()), **kind.fields}


def every_field() -> Mapping[str, Field]:
    """Return the options of all kinds; built-in kinds take precedence for a name."""
    return _fields_of_all(all_kinds().values())


def find_field(key: str) -> Field:
    """Return an option of any kind; KeyError if there is none."""
    own = _fields_of_all(built_in().values())
    return own[key] if key in own else every_field()[key]


def _fields_of_all(found: Iterable[KindDescription[Any]]) -> dict[str, Field]:
    fields: dict[str, Field] = {}
    for kind in found:
        for key, each in kind.fields.items():
            fields.setdefault(key, each)
    return fields


def kinds_with(key: str) -> list[KindDescription[Any]]:
    return [kind for kind in all_kinds().values() if key in kind.fields]


def unknown_option(kind: KindDescription[Any], name: str, key: str) -> str:
    """Return why a source of a kind cannot have an option: it belongs to another kind, or does not exist."""
    others = kinds_with(key)
    if others:
        words = " and ".join(f'{each.plural} (kind = "{each.name}")' for each in others)
        words = others[0].plural if [each.name for each in others] == [OAI] else words
        return f"is for {words}; {name} is none"
    return f"is no setting of {kind.plural}.{suggest(key, kind.fields)}"


def settle_kind(source: SourceSettings, given: Collection[str], document: Document) -> SourceSettings:
    """Return the final settings for a source of this kind; refuse those that do not apply to it.

    `given` has what is set for the source itself: settings of `[harvest]` are for the sources they apply
    to.
    """
    kind = kind_of(source)
    for key, problem in kind.problems(source, given, document.path.parent):
        raise document.problem((SOURCES, source.name, key), f"{SOURCES}.{source.name}.{key} {problem}.")
    return cast("SourceSettings", kind.settle(source))


# Files of MARC records, as library systems export them.

# ruff: noqa: ARG002 - methods that override those of all kinds


MARC = "marc"
MARC_FORMATS = ("marcxml",)  # the formats kept of each record


@dataclass(frozen=True, slots=True, kw_only=True, repr=False)
class MarcSettings(SourceSettings):
    """Files of MARC records."""

    export: str | None = optional(
        kinds.PATH,
        "Of MARC records: a file of them, or a folder of such files (.mrc, .marc, .xml), on this machine.",
    )


@dataclass(frozen=True, slots=True, kw_only=True)
class _Marc(KindDescription[MarcSettings]):
    def default_url(self, name: str, given: Mapping[str, object]) -> str | None:
        """Return an address made from the name: files on this machine have no public address."""
        return f"urn:windrow:marc:{name}"

    def settle(self, source: MarcSettings) -> MarcSettings:
        return replace(source, formats=MARC_FORMATS)

    def problems(
        self, source: MarcSettings, given: Collection[str], library: Path
    ) -> Iterable[tuple[str, str]]:
        if not source.export:
            yield "kind", 'is "marc", which needs files as well: add export = "/srv/catalogue"'

    def place(self, source: MarcSettings) -> Place:
        return MARC, str(Path(source.export or "").resolve())

    def shown_place(self, source: MarcSettings) -> str:
        return str(source.export)

    def from_argument(self, given: str | None, url: str | None) -> dict[str, object]:
        found: dict[str, object] = {} if url is None else {"url": url}
        return found if given is None else {**found, "export": str(Path(given).absolute())}


MARC_FILES = _Marc(
    name=MARC,
    label="an export of MARC records",
    plural="exports of MARC records",
    settings=MarcSettings,
    behaviour="windrow.wiring.marc_source:FILES",
    argument="path",
    is_complete=True,
    mapped=MARC_FORMATS,
)
