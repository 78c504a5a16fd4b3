"""The settings of the servers: HTTP, the portal, OAI-PMH, SRU, Z39.50, and crawlers; part of `schema`."""

from __future__ import annotations

from dataclasses import dataclass

from windrow.config import kinds
from windrow.config.collection_values import (
    BINDINGS,
    COLOUR,
    FACETS,
    LABELS,
    PICTURE,
    RULES,
    STRUCTURES,
    TRANSLATED,
    TYPES,
    Translated,
)
from windrow.config.fields import Settings, optional, required, setting
from windrow.config.kinds import Kind, SettingError
from windrow.config.network_values import HOST, MAIL, NETWORKS, REPOSITORY_IDENTIFIER, URL, URLS
from windrow.model.set_assignment import RoleRules

# Crawlers: how they are limited and counted.

_RATE = kinds.count(0, 100_000, "requests")
_BURST = kinds.count(1, 100_000, "requests")
_SHORTEST_WORD = 3  # a shorter one is in the User-Agent of every browser


def _read_word(value: object) -> str:
    text = kinds.ASCII.read(value).strip()
    if len(text) < _SHORTEST_WORD:
        raise SettingError(f"must have {_SHORTEST_WORD} characters at least")
    return text


AGENT_WORD: Kind[str] = Kind("text", _read_word)


@dataclass(frozen=True, slots=True, kw_only=True, repr=False)
class CrawlerSettings(Settings):
    """Rate limits of the pages for each client, and how crawlers are instructed and counted."""

    delay: float = setting(
        kinds.duration("0s", "1d"),
        "0s",
        "How long robots.txt asks crawlers to wait between two requests (Crawl-delay); 0s asks for nothing.",
    )
    requests_per_second: int = setting(
        _RATE,
        10,
        "How often one client may ask for pages in the long run; 0 is without limit. Unless you set this or"
        " one of the next three, what trusted proxies ask for themselves, and so this machine's own programs,"
        " is not counted.",
    )
    burst: int = setting(_BURST, 200, "How many pages one client may ask for at once before that.")
    network_requests_per_second: int = setting(
        _RATE,
        40,
        "How often all clients of one network (an IPv4 /24, an IPv6 /48) may ask for pages in the long run;"
        " 0 is without limit.",
    )
    network_burst: int = setting(
        _BURST, 800, "How many pages the clients of one network may ask for at once before that."
    )
    keep_days: int = setting(
        kinds.count(1, 36_500, "days"),
        400,
        "How long the counts per day are kept of who crawled and of visits from search engines.",
    )


@dataclass(frozen=True, slots=True, kw_only=True, repr=False)
class GoodCrawlerSettings(Settings):
    """One crawler with a rate limit of its own."""

    name: str
    agent: str = required(
        AGENT_WORD, "A word of the User-Agent by which it is known, such as Googlebot. Case does not matter."
    )
    networks: tuple[str, ...] = setting(
        NETWORKS,
        [],
        "Where it comes from. Without any, everybody who sends that word is believed to be it.",
    )
    requests_per_second: int = setting(
        _RATE, 50, "How often it may ask in all in the long run; 0 is without limit."
    )
    burst: int = setting(
        kinds.count(0, 100_000, "requests"),
        1000,
        "How many requests it may make at once before that; 0 is without limit.",
    )


# The portal, for the whole library and for one collection.

DEFAULT_FACETS = (
    *("institution", "department", "year", "type", "language", "access", "licence", "subject", "source"),
    *("folder", "media", "size"),  # shown if there are files
)


@dataclass(frozen=True, slots=True, kw_only=True, repr=False)
class PortalSettings(Settings):
    """How the library is presented to people."""

    language: str = setting(
        kinds.choice("en", "sv", "fi"),
        "en",
        "The language of the pages for browsers that ask for none of English, Swedish and Finnish.",
    )
    intro: tuple[tuple[str, str], ...] = setting(
        TRANSLATED, "", "What the first page says above its figures; paragraphs have an empty line between."
    )
    about: tuple[tuple[str, str], ...] = setting(TRANSLATED, "", "What the page About says first.")
    logo: str | None = optional(
        PICTURE, "A picture beside the name: an SVG, PNG, JPEG or WebP file in the library folder."
    )
    accent: str | None = optional(
        COLOUR,
        "The colour of links and buttons, such as #1a5c3a. It is made lighter or darker where it must be.",
        absent="a dark green",
    )
    types: tuple[tuple[str, Translated], ...] = setting(
        TYPES,
        {},
        "Wordings of types in records, each with the type it stands for: a type that Windrow knows, or one of"
        " your own, as a text or as a table of labels by language (en, sv, fi).",
    )
    facets: tuple[str, ...] = setting(
        FACETS, list(DEFAULT_FACETS), "What results can be narrowed by, in this order."
    )
    export_records: int = setting(
        kinds.count(1, 10_000_000, "records"),
        10_000,
        "The most records in one file of results (CSV, BibTeX …). A file that is cut says so, and where all"
        " of them are: OAI-PMH and `windrow export` have no such limit.",
    )
    year_starts: int = setting(
        kinds.YEAR_START,
        "01-01",
        'The day on which years begin where they are counted, as month and day: "08-01" for academic years,'
        " which are called 2019/20. A record that states only its year is taken for 1 July of it.",
    )
    vocabulary_search: bool = setting(
        kinds.FLAG,
        True,
        "Whether a search also finds synonyms, labels in other languages and narrower concepts where a"
        " collection binds vocabularies. `vocabulary=on` or `off` in an address beats it.",
    )
    browse: tuple[str, ...] = setting(
        STRUCTURES,
        [],
        'How people can browse: fields, or one within another, such as ["title", "folder > year"].',
        absent="by institution, author, subject, keyword, publisher, year, type, language and newness",
    )
    labels: tuple[tuple[str, Translated], ...] = setting(
        LABELS, {}, 'What fields are called instead, such as { department = "Degree programme" }.'
    )


NO_LOG, STDOUT_LOG = "none", "-"


@dataclass(frozen=True, slots=True, kw_only=True, repr=False)
class ServeSettings(Settings):
    """Where `windrow serve` listens, and its public address."""

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
    """One set defined by a query."""

    spec: str
    name: str = setting(kinds.TEXT, "", "What people call the set.", absent="its setSpec")
    query: str = required(
        kinds.TEXT, "Which records are in it: a query, such as type:thesis year:2020..2024."
    )


@dataclass(frozen=True, slots=True, kw_only=True, repr=False)
class CollectionSettings(Settings):
    """A named group of sources, with its own base URL, page and appearance."""

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


# The Z39.50 target.

DEFAULT_PORT = 2100  # the protocol's port 210 is reserved for privileged programs


@dataclass(frozen=True, slots=True, kw_only=True, repr=False)
class Z3950Settings(Settings):
    """Where the Z39.50 target listens, which clients it accepts, and their limits."""

    port: int | None = optional(
        kinds.count(0, 65535, "port"),
        "The port at which `windrow serve` answers Z39.50, too; 0 takes any free one.",
        absent=f"not answered by serve; `windrow z3950` takes {DEFAULT_PORT}",
    )
    host: str = setting(HOST, "127.0.0.1", "The address to listen on; 0.0.0.0 is every one of this machine.")
    allow: tuple[str, ...] = setting(
        NETWORKS, [], "The networks whose clients are answered; others are cut off.", absent="all"
    )
    users_file: str | None = optional(
        kinds.PATH,
        "A file of users and hashed passwords, as the htpasswd program writes it. With it only they come in.",
    )
    profile: str = setting(
        kinds.choice("gils", "studera"),
        "gils",
        "How attributes are read and GRS-1 records written: GILS, or as the course service Studera.NU did.",
    )
    charset: str = setting(
        kinds.choice("utf-8", "iso-8859-1"),
        "utf-8",
        "The character set of clients that do not negotiate one. MARC 21 and XML are always in UTF-8.",
    )
    result_sets: int = setting(
        kinds.count(1, 1000, "result sets"), 20, "How many result sets one session may keep."
    )
    message: int = setting(
        kinds.size("64 kB", "256 MB"), "8 MB", "How large one answer may grow; clients agree on this or less."
    )
    sessions: int = setting(kinds.count(1, 10_000, "sessions"), 500, "How many there may be at a time.")
    sessions_per_client: int = setting(
        kinds.count(1, 10_000, "sessions"),
        100,
        "How many of them one client may have; a client is an IPv4 address or an IPv6 /64 network.",
    )
    idle: float = setting(
        kinds.duration("1s", "1d"), "5m", "How long a session may wait for its client's next request."
    )
    session: float = setting(kinds.duration("1s", "7d"), "8h", "How long a session may last.")
