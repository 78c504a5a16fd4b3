"""Every setting there is, described once: name, kind, default, help.

From these the defaults, the checks, the environment names, the `--help` texts, the reference page
and the sample file are made. `load` fills the classes; everything after it sees only typed values.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from windrow.config import kinds
from windrow.config.addresses import HEADERS, QUERY, SOURCE_URL, URL, endpoint
from windrow.config.crawlers import CrawlerSettings, GoodCrawlerSettings
from windrow.config.documents import DOCUMENTS, FILES_CONTENT, DocumentSettings
from windrow.config.fields import Field, Settings, fields_of, optional, required, setting
from windrow.config.jobs import JobSettings, ScheduleSettings
from windrow.config.notify import NotifySettings
from windrow.config.portal import PortalSettings
from windrow.config.serving import CollectionSettings, OaiSettings, ServeSettings, SetSettings
from windrow.config.set_roles import RULES
from windrow.config.tables import TableSettings
from windrow.model.set_roles import NO_RULES, RoleRules

FILE_NAME = "windrow.toml"
SOURCE_NAME = re.compile(r"[a-z0-9][a-z0-9._-]{0,63}")
# Words that mean something else on the command line, and names that no folder can have on Windows.
RESERVED = frozenset({"all", "default", "new", "none", "aux", "con", "nul", "prn"})
OAI, FILES = "oai", "files"  # the kinds of sources
PASSWORD = "password"  # noqa: S105  (a group of settings, not a secret)


@dataclass(frozen=True, slots=True, kw_only=True, repr=False)
class LibrarySettings(Settings):
    """What the library says about itself."""

    name: str = setting(
        kinds.TEXT, "", "What people call this library.", absent="the folder's name", is_sampled=True
    )
    contact: str = setting(
        kinds.ASCII,
        "",
        "A mail or web address by which the operators of a source can reach you; sent with every request.",
        is_sampled=True,
    )


@dataclass(frozen=True, slots=True, kw_only=True, repr=False)
class HttpSettings(Settings):
    """How requests are made. Durations are seconds, sizes are bytes."""

    timeout: float = setting(
        kinds.duration("100ms", "1d"),
        "60s",
        "How long to wait for a connection, and for each next piece of an answer.",
        is_sampled=True,
    )
    deadline: float = setting(
        kinds.duration("1s", "7d"), "15m", "How long one whole answer may take, however steadily it drips in."
    )
    max_response: int = setting(
        kinds.size("1 kB", "16 GB"), "256 MB", "How large one answer may grow, after decompression."
    )
    attempts: int = setting(
        kinds.count(1, 100, "tries"), 5, "How often one request is tried before it counts as failed."
    )
    backoff: float = setting(
        kinds.duration("0s", "1d"), "2s", "The pause before the second try; it doubles with each further one."
    )
    max_wait: float = setting(
        kinds.duration("0s", "7d"),
        "5m",
        "The longest pause a source may ask for within a run; a longer one puts it off to a later run.",
    )
    delay: float = setting(
        kinds.duration("0s", "1d"), "0s", "The least time between two requests to one host.", is_sampled=True
    )
    headers: tuple[tuple[str, str], ...] = setting(
        HEADERS, {}, "Further headers to send. A source's own replace those of the library."
    )
    # Shown nowhere: many services want a key in its place.
    username: str | None = optional(
        kinds.TEXT, "The user name for sources that ask for one (HTTP Basic).", is_secret=True
    )
    password: str | None = optional(
        kinds.TEXT,
        "The password. Better kept out of the file: give it in the environment, or use one of the next two.",
        is_secret=True,
        group=PASSWORD,
    )
    password_file: str | None = optional(
        kinds.PATH, "A file whose first line is the password.", group=PASSWORD
    )
    password_env: str | None = optional(
        kinds.VARIABLE, "The environment variable that holds the password.", group=PASSWORD
    )
    proxy: str | None = optional(
        URL, "The proxy to go through.", absent="what HTTP_PROXY, HTTPS_PROXY and NO_PROXY say"
    )
    verify_tls: bool = setting(
        kinds.FLAG, True, "Whether a source must prove who it is. Without it anyone in between can lie."
    )
    ca_file: str | None = optional(
        kinds.PATH, "Certificates to trust, as a PEM file.", absent="the system's certificates"
    )


@dataclass(frozen=True, slots=True, kw_only=True, repr=False)
class HarvestSettings(HttpSettings):
    """What holds for every source that does not say otherwise."""

    jobs: int = setting(kinds.count(1, 64, "sources"), 4, "How many sources are harvested at the same time.")


@dataclass(frozen=True, slots=True, kw_only=True, repr=False)
class SourceSettings(HttpSettings):
    """One source, with the library's defaults already filled in."""

    name: str
    url: str = required(
        SOURCE_URL, "Where the source answers: for OAI-PMH its base URL, for a folder its public address."
    )
    secret_query: str | None = optional(
        QUERY,
        "Parameters that every request has besides those of OAI-PMH, such as key=value; sent, never shown.",
        is_secret=True,
    )
    public_query: tuple[str, ...] = setting(
        kinds.words(0),
        [],
        "The names of those parameters in `url` that are no secret. All others are sent and never shown.",
    )
    kind: str = setting(
        kinds.choice(OAI, FILES), OAI, "What it is: an OAI-PMH repository, or a folder of files."
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
    enabled: bool = setting(kinds.FLAG, True, "Whether the source is harvested when none is named.")
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
    def lists(self) -> tuple[tuple[str, str], ...]:
        """The lists to harvest, each a format and a set; the set is empty for everything."""
        return tuple((prefix, spec) for prefix in self.formats for spec in self.sets or ("",))

    @property
    def endpoint(self) -> str:
        """What tells this repository from another. It holds no secret."""
        return endpoint(self.url, self.secret_query or "")


@dataclass(frozen=True, slots=True)
class Config:
    """What windrow.toml, the environment and the flags say together, and who set what.

    `origins` has every dotted key: "default", "windrow.toml", the variable's or the flag's name.
    """

    path: Path
    library: LibrarySettings
    harvest: HarvestSettings
    serve: ServeSettings
    oai: OaiSettings
    portal: PortalSettings
    crawlers: CrawlerSettings
    schedule: ScheduleSettings
    notify: NotifySettings
    documents: DocumentSettings
    sources: Mapping[str, SourceSettings]
    collections: Mapping[str, CollectionSettings]
    jobs: Mapping[str, JobSettings]
    tables: Mapping[str, TableSettings]  # of the owner's own, that statistics are joined with
    oai_sets: Mapping[str, SetSettings]  # sets that a query defines, by setSpec
    good_crawlers: Mapping[str, GoodCrawlerSettings]
    origins: Mapping[str, str]

    def set_rules(self, source: str) -> RoleRules:
        """Return what the sets of a source are: by its own settings, else by those of its collection."""
        settings = self.sources.get(source)
        if settings is not None and settings.set_roles != NO_RULES:
            return settings.set_roles
        groups = (group for group in self.collections.values() if source in group.sources)
        return next((group.sets for group in groups if group.sets != NO_RULES), NO_RULES)

    @property
    def collection_sources(self) -> Mapping[str, Sequence[str]]:
        """The names of the sources of each collection."""
        return {name: found.sources for name, found in self.collections.items()}


SECTIONS: Mapping[str, type[Settings]] = {
    "library": LibrarySettings,
    "harvest": HarvestSettings,
    "serve": ServeSettings,
    "oai": OaiSettings,
    "portal": PortalSettings,
    "crawlers": CrawlerSettings,
    "schedule": ScheduleSettings,
    "notify": NotifySettings,
    "documents": DocumentSettings,
}
SOURCES = "sources"
COLLECTIONS = "collections"
JOBS = "jobs"  # only the file can have them: whoever runs one must find it, from wherever it is begun
TABLES = "tables"  # only the file can have them, too
# Tables with names of their own inside a section. Only the file can have them.
OAI_SETS = ("oai", "sets")
GOOD_CRAWLERS = ("crawlers", "good")
INNER: Mapping[tuple[str, str], type[Settings]] = {OAI_SETS: SetSettings, GOOD_CRAWLERS: GoodCrawlerSettings}
# What there is any number of, each in a table with a name of its own.
NAMED: Mapping[str, type[Settings]] = {
    SOURCES: SourceSettings,
    COLLECTIONS: CollectionSettings,
    JOBS: JobSettings,
    TABLES: TableSettings,
}
INHERITED = frozenset(fields_of(HttpSettings))
# What only a folder has, and what a folder shares with a repository.
OF_DOCUMENTS = frozenset({"sidecars", "archives", "keep_gone"})
OF_FOLDERS = OF_DOCUMENTS | {
    "folder",
    "content",
    "skip",
    "show_hidden",
    "needs_public_read",
    "by_value",
    "poll",
}
OF_BOTH = frozenset({"url", "kind", "enabled"})
FOLDER_FORMATS = ("oai_dc", "http_header")  # what the library keeps of each file
DOCUMENT_FORMATS = ("windrow_document", *FOLDER_FORMATS)  # and of each document


def field(key: str) -> Field:
    """Give the description behind a dotted key such as harvest.timeout; KeyError if there is none.

    What applies to any source is asked for as sources.NAME.formats, whatever the name; so for collections.
    """
    section, _, rest = key.partition(".")
    name = rest.rpartition(".")[2]
    return fields_of(NAMED.get(section) or SECTIONS[section])[name]
