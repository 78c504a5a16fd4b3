"""The settings of `windrow serve` and of the OAI-PMH repository it is; `schema` has them among the others."""

from __future__ import annotations

from dataclasses import dataclass

from windrow.config import kinds
from windrow.config.addresses import URL, URLS
from windrow.config.appearance import (
    COLOUR,
    FACETS,
    LABELS,
    PICTURE,
    TRANSLATED,
    TYPES,
    Translated,
)
from windrow.config.bindings import BINDINGS
from windrow.config.classifiers import STRUCTURES
from windrow.config.fields import Settings, optional, required, setting
from windrow.config.hosts import HOST, MAIL, NETWORKS, REPOSITORY_IDENTIFIER
from windrow.config.set_roles import RULES
from windrow.model.set_roles import RoleRules

NO_LOG, STDOUT_LOG = "none", "-"


@dataclass(frozen=True, slots=True, kw_only=True, repr=False)
class ServeSettings(Settings):
    """Where `windrow serve` listens, and what the world calls it."""

    host: str = setting(HOST, "127.0.0.1", "The address to listen on; 0.0.0.0 is every one of this machine.")
    port: int = setting(kinds.count(0, 65535, "port"), 8000, "The port to listen on; 0 takes any free one.")
    workers: int = setting(kinds.count(1, 256, "processes"), 1, "How many processes answer requests.")
    url: str | None = optional(
        URL,
        "The public address of the server, with the path it has behind a proxy. Answers never trust Host.",
        absent="the address it listens on",
    )
    trusted_proxies: tuple[str, ...] = setting(
        NETWORKS,
        ["127.0.0.1", "::1"],
        "Proxies whose X-Forwarded-For is believed.",
    )
    connections_per_client: int = setting(
        kinds.count(0, 100_000, "connections"),
        200,
        "How many connections one client may have open at a time, in each process; a client is an IPv4"
        " address or an IPv6 /64 network. 0 is without limit. Trusted proxies are not counted.",
    )
    access_log: str | None = optional(
        kinds.TEXT,
        f'Where requests are logged: a file in the library folder, "{STDOUT_LOG}" for stdout, or "{NO_LOG}".',
        absent="stdout, or none on a terminal",
    )


@dataclass(frozen=True, slots=True, kw_only=True, repr=False)
class OaiSettings(Settings):
    """How the library answers as an OAI-PMH repository."""

    name: str = setting(kinds.TEXT, "", "What Identify calls the repository.", absent="the library's name")
    admin_email: str | None = optional(
        MAIL,
        "The mail address that Identify gives for its operators.",
        absent="the library's contact, where that is a mail address",
    )
    repository_identifier: str | None = optional(
        REPOSITORY_IDENTIFIER, "The domain name in identifiers of the form oai:DOMAIN:…, for Identify."
    )
    friends: tuple[str, ...] = setting(URLS, [], "Base URLs of other repositories, for Identify.")
    branding_icon: str | None = optional(URL, "An image that services may show for this repository.")
    branding_link: str | None = optional(URL, "Where that image leads.")
    branding_title: str | None = optional(kinds.TEXT, "What that image is called.")
    records_per_page: int = setting(
        kinds.count(1, 10_000, "records"), 100, "The most records in one answer to ListRecords."
    )
    identifiers_per_page: int = setting(
        kinds.count(1, 100_000, "identifiers"), 2000, "The most headers in one answer to ListIdentifiers."
    )
    sets_per_page: int = setting(
        kinds.count(1, 100_000, "sets"), 1000, "The most sets in one answer to ListSets."
    )
    page_bytes: int = setting(
        kinds.size("10 kB", "256 MB"),
        "4 MB",
        "About how large one answer may grow; a page has one record at least.",
    )
    requests_per_second: int = setting(
        kinds.count(0, 100_000, "requests"),
        20,
        "How often one client may ask in the long run; 0 is without limit. Unless you set this or burst, what"
        " trusted proxies ask for themselves, and so this machine's own programs, is not counted.",
    )
    burst: int = setting(
        kinds.count(1, 100_000, "requests"), 100, "How many requests one client may make at once before that."
    )
    compress: bool = setting(
        kinds.FLAG, True, "Whether answers are compressed for clients that ask; a proxy may do it instead."
    )


@dataclass(frozen=True, slots=True, kw_only=True, repr=False)
class SruSettings(Settings):
    """How the library answers SRU."""

    enabled: bool = setting(kinds.FLAG, True, "Whether the library answers SRU at /sru.")
    records: int = setting(
        kinds.count(1, 1000, "records"),
        10,
        "The records in one answer where a request does not say how many.",
    )
    max_records: int = setting(kinds.count(1, 1000, "records"), 1000, "The most records in one answer.")
    max_terms: int = setting(kinds.count(1, 400, "terms"), 200, "The most terms in one answer to scan.")


@dataclass(frozen=True, slots=True, kw_only=True, repr=False)
class SetSettings(Settings):
    """One set that a query defines."""

    spec: str
    name: str = setting(kinds.TEXT, "", "What people call the set.", absent="its setSpec")
    query: str = required(
        kinds.TEXT, "Which records are in it: a query, such as type:thesis year:2020..2024."
    )


@dataclass(frozen=True, slots=True, kw_only=True, repr=False)
class CollectionSettings(Settings):
    """A named group of sources, with a base URL and a page of its own, and its own looks."""

    name: str
    title: str = setting(kinds.TEXT, "", "What people call the collection.", absent="its name")
    sources: tuple[str, ...] = required(kinds.words(1), "The names of its sources.")
    sets: RoleRules = setting(  # noqa: RUF009 - frozen, as all settings are
        RULES,
        {},
        "What the sets of its sources are, where a source has no `set_roles` of its own: the same table.",
        absent="what is recognised",
    )
    intro: tuple[tuple[str, str], ...] = setting(
        TRANSLATED, "", "What its page says above its figures; paragraphs have an empty line between."
    )
    logo: str | None = optional(PICTURE, "A picture beside its name.", absent="that of the portal")
    accent: str | None = optional(
        COLOUR, "The colour of links and buttons on its pages.", absent="that of the portal"
    )
    facets: tuple[str, ...] = setting(
        FACETS, [], "What results in it can be narrowed by.", absent="as in the portal"
    )
    types: tuple[tuple[str, Translated], ...] = setting(
        TYPES,
        {},
        "Wordings of types in the records of its sources, over those of the portal.",
        absent="as in the portal",
    )
    browse: tuple[str, ...] = setting(
        STRUCTURES,
        [],
        'How people can browse it: fields, or one within another, such as ["title", "folder > year"].',
        absent="as in the portal",
    )
    labels: tuple[tuple[str, Translated], ...] = setting(
        LABELS,
        {},
        "What fields are called in it, over what the portal calls them.",
        absent="as in the portal",
    )
    vocabulary: tuple[tuple[str, str], ...] = setting(
        BINDINGS,
        {},
        'The vocabularies that fields of its records take their values from, such as { subject = "studera" }:'
        " a search for a concept finds everything below it, and every name of it.",
        absent="none",
    )
