"""All settings, each described once: name, kind, default, help.

The defaults, checks, environment names, `--help` texts, the reference page and the sample file are made
from these descriptions. `loader` fills the classes; all other code sees only typed values.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path

from windrow.config import kinds
from windrow.config.fields import Settings, fields_of, optional, required, setting
from windrow.config.job_settings import JobSettings, NotifySettings, ScheduleSettings
from windrow.config.network_values import HEADERS, SOURCE_URL, URL, endpoint
from windrow.config.serve_settings import (
    CollectionSettings,
    CrawlerSettings,
    GoodCrawlerSettings,
    OaiSettings,
    PortalSettings,
    ServeSettings,
    SetSettings,
    SruSettings,
    Z3950Settings,
)
from windrow.model.set_assignment import NO_RULES, RoleRules

# Reading documents, for all sources with `content = "documents"`.

FILES_CONTENT, DOCUMENTS = "files", "documents"  # how the files of a folder are treated
MOST_ARCHIVE_MEMBERS = 100_000


@dataclass(frozen=True, slots=True, kw_only=True, repr=False)
class DocumentSettings(Settings):
    """Limits for reading documents. Each file is read in a process of its own with these limits."""

    workers: int | None = optional(
        kinds.count(1, 64, "processes"),
        "How many files are read at the same time, each in a process of its own.",
        absent="as many as there are processors",
    )
    time_limit: float = setting(
        kinds.duration("1s", "1d"), "30s", "How much time of a processor the reading of one file may take."
    )
    memory_limit: int = setting(
        kinds.size("64 MB", "64 GB"), "1 GB", "How much memory the reading of one file may take."
    )
    largest: int = setting(
        kinds.size("1 kB", "1 TB"),
        "1 GB",
        "Up to which size a file is read; of a larger one only its name, size and time are kept.",
    )
    archive_members: int = setting(
        kinds.count(1, MOST_ARCHIVE_MEMBERS, "files"),
        1_000,
        "How many files of one archive become documents; a run that meets a larger one is partial.",
    )
    text_limit: int = setting(
        kinds.count(1000, 50_000_000, "characters"), 5_000_000, "How much of the text of one file is kept."
    )


# Tables of the owner that statistics are joined with.


@dataclass(frozen=True, slots=True, kw_only=True, repr=False)
class TableSettings(Settings):
    """One table: a number for each institution and year, such as the students admitted."""

    name: str
    file: str = required(
        kinds.PATH, "A CSV file with the columns institution, year and number; others are ignored."
    )
    title: str = required(kinds.TEXT, 'What the numbers count, such as "Students admitted".')
    ratio: str = required(
        kinds.TEXT, 'What records divided by the number are, such as "Theses per student admitted".'
    )
    source: str = required(kinds.TEXT, "Where the numbers are from; shown with them.")
    url: str | None = optional(URL, "The address of that source; shown with it.")
    per: int = setting(
        kinds.count(1, 1_000_000, "of the number"),
        1,
        "Divide by this many of the number: 100 for theses per 100 students.",
    )


FILE_NAME = "windrow.toml"
SOURCE_NAME = re.compile(r"[a-z0-9][a-z0-9._-]{0,63}")
# Words with another meaning on the command line, and names that Windows does not allow for folders.
RESERVED = frozenset({"all", "default", "new", "none", "aux", "con", "nul", "prn"})
OAI = "oai"  # the default kind of a source
PASSWORD = "password"  # noqa: S105  (a group of settings, not a secret)


def _read_kind(value: object) -> str:
    if value == OAI:
        return OAI
    from windrow.config.source_kinds import find_kind  # noqa: PLC0415 - circular: it describes kinds with these classes

    return find_kind(value).name


KIND: kinds.Kind[str] = kinds.Kind("name of a kind", _read_kind)


@dataclass(frozen=True, slots=True, kw_only=True, repr=False)
class LibrarySettings(Settings):
    """The library's description of itself."""

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
    """How requests are made. Durations are in seconds, sizes in bytes."""

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
    # Never shown: many services expect a key in its place.
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
    """The defaults for all sources."""

    jobs: int = setting(kinds.count(1, 64, "sources"), 4, "How many sources are harvested at the same time.")


@dataclass(frozen=True, slots=True, kw_only=True, repr=False)
class SourceSettings(HttpSettings):
    """One source of any kind, with the library's defaults filled in.

    `source_kinds` has a subclass for each kind with its options. Fields without a description here are
    needed for any source; a kind that has them as options describes them.
    """

    name: str
    url: str = required(
        SOURCE_URL, "Where the source answers: for OAI-PMH its base URL, for a folder its public address."
    )
    secret_query: str | None = None
    secret_path: str | None = None
    public_query: tuple[str, ...] = ()
    kind: str = setting(
        KIND,
        OAI,
        "What it is: an OAI-PMH repository, a folder of files, files of MARC records, a web site, or what a"
        " plug-in brings.",
    )
    formats: tuple[str, ...] = ()  # that are kept of each record
    sets: tuple[str, ...] = ()
    from_: str | None = None
    refresh_after: float | None = None
    set_roles: RoleRules = NO_RULES
    institution: str = setting(
        kinds.TEXT,
        "",
        "The institution of the whole source, for records whose metadata and sets name none.",
    )
    enabled: bool = setting(kinds.FLAG, True, "Whether the source is harvested when none is named.")

    @property
    def lists(self) -> tuple[tuple[str, str], ...]:
        """The lists to harvest as (format, set); the set is empty for everything."""
        return tuple((prefix, spec) for prefix in self.formats for spec in self.sets or ("",))

    @property
    def endpoint(self) -> str:
        """The identity of this repository, without secrets."""
        return endpoint(self.url, self.secret_query or "")

    @property
    def has_documents(self) -> bool:
        return False


@dataclass(frozen=True, slots=True)
class Config:
    """The settings from windrow.toml, the environment and the flags, with their origins.

    `origins` has an entry for every dotted key: "default", "windrow.toml", or the name of the variable or
    flag.
    """

    path: Path
    library: LibrarySettings
    harvest: HarvestSettings
    serve: ServeSettings
    oai: OaiSettings
    sru: SruSettings
    portal: PortalSettings
    crawlers: CrawlerSettings
    schedule: ScheduleSettings
    notify: NotifySettings
    documents: DocumentSettings
    z3950: Z3950Settings
    sources: Mapping[str, SourceSettings]
    collections: Mapping[str, CollectionSettings]
    jobs: Mapping[str, JobSettings]
    tables: Mapping[str, TableSettings]  # the owner's tables that statistics are joined with
    oai_sets: Mapping[str, SetSettings]  # sets defined by queries, by setSpec
    good_crawlers: Mapping[str, GoodCrawlerSettings]
    origins: Mapping[str, str]

    def set_rules(self, source: str) -> RoleRules:
        """Return the roles of a source's sets: by its own settings, else by those of its collection."""
        settings = self.sources.get(source)
        return self.rules_with(source, NO_RULES if settings is None else settings.set_roles)

    def rules_with(self, source: str, own: RoleRules) -> RoleRules:
        """Return the roles of a source's sets if `own` were its settings."""
        settings = self.sources.get(source)
        rules = replace(own, fallback="")
        if rules == NO_RULES:
            groups = (group for group in self.collections.values() if source in group.sources)
            rules = next((group.sets for group in groups if group.sets != NO_RULES), NO_RULES)
        return rules if settings is None else replace(rules, fallback=" ".join(settings.institution.split()))

    @property
    def collection_sources(self) -> Mapping[str, Sequence[str]]:
        return {name: found.sources for name, found in self.collections.items()}


SECTIONS: Mapping[str, type[Settings]] = {
    "library": LibrarySettings,
    "harvest": HarvestSettings,
    "serve": ServeSettings,
    "oai": OaiSettings,
    "sru": SruSettings,
    "portal": PortalSettings,
    "crawlers": CrawlerSettings,
    "schedule": ScheduleSettings,
    "notify": NotifySettings,
    "documents": DocumentSettings,
    "z3950": Z3950Settings,
}
SOURCES = "sources"
COLLECTIONS = "collections"
COLLECTION = "collection"  # accepted as an alternative
JOBS = "jobs"  # only in the file: every runner must find them, wherever it is started
TABLES = "tables"  # only in the file, too
# Named tables inside a section. Only the file can have them.
OAI_SETS = ("oai", "sets")
GOOD_CRAWLERS = ("crawlers", "good")
INNER: Mapping[tuple[str, str], type[Settings]] = {OAI_SETS: SetSettings, GOOD_CRAWLERS: GoodCrawlerSettings}
# Tables that there can be any number of, each with a name.
NAMED: Mapping[str, type[Settings]] = {
    SOURCES: SourceSettings,
    COLLECTIONS: CollectionSettings,
    JOBS: JobSettings,
    TABLES: TableSettings,
}
INHERITED = frozenset(fields_of(HttpSettings))
FOLDER_FORMATS = ("oai_dc", "http_header")  # the formats kept of each file
DOCUMENT_FORMATS = ("windrow_document", *FOLDER_FORMATS)  # the formats kept of each document
