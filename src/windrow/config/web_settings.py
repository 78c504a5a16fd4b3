"""The kind of source that is a web site: its options."""

# ruff: noqa: ARG002 - methods that override those of all kinds

from __future__ import annotations

import re
from collections.abc import Collection, Iterable, Mapping
from dataclasses import dataclass, replace
from pathlib import Path
from urllib.parse import urlsplit

from windrow.config import kinds
from windrow.config.fields import optional, setting
from windrow.config.kinds import Kind, SettingError
from windrow.config.network_values import mask_url
from windrow.config.schema import SourceSettings
from windrow.config.source_kinds import KindDescription, Place

WEB = "web"
METADATA, PAGES = "metadata", "pages"
WEB_FORMATS = ("wir",)  # the formats kept of each page
_HOST = re.compile(r"[a-z0-9.\[\]:_-]{1,260}")


_Durations = tuple[tuple[str, float], ...]


def _read_durations(value: object, duration: Kind[float], example: str) -> _Durations:
    if not isinstance(value, Mapping):
        raise SettingError(f'must be a table such as {{ "www.example.edu" = "{example}" }}')
    read: dict[str, float] = {}
    for host, length in value.items():
        if not isinstance(host, str) or not _HOST.fullmatch(host):
            raise SettingError(
                "must name hosts as addresses have them, such as www.example.edu or 127.0.0.1:8080"
            )
        read[host] = duration.read(length)
    return tuple(read.items())


def _parse_durations(text: str) -> object:
    pairs = (part.rpartition("=") for part in re.split(r"[\s,]+", text.strip()) if part)
    return {host: length for host, _, length in pairs}


def _show_durations(value: _Durations) -> str:
    return ", ".join(f"{host}={kinds.render_duration(length)}" for host, length in value)


def _by_host(duration: Kind[float], example: str) -> Kind[_Durations]:
    return Kind(
        "table of hosts and durations",
        lambda value: _read_durations(value, duration, example),
        _parse_durations,
        _show_durations,
    )


_PAUSE, _REVISIT = kinds.duration("0s", "7d"), kinds.duration("0s", "3650d")


@dataclass(frozen=True, slots=True, kw_only=True, repr=False)
class WebSettings(SourceSettings):
    """A web site, harvested by the robot."""

    start: tuple[str, ...] = setting(
        kinds.LINES, [], "The addresses at which the robot begins.", is_sampled=True
    )
    start_file: str | None = optional(kinds.PATH, "A file with more of them, one a line.")
    allow: tuple[str, ...] = setting(
        kinds.LINES,
        [],
        "Regular expressions, one of which an address must match anywhere after its scheme.",
        absent="the hosts of the start pages",
    )
    allow_file: str | None = optional(kinds.PATH, "A file with more of them, one a line.")
    exclude: tuple[str, ...] = setting(
        kinds.LINES, [], "Regular expressions, none of which an address may match. They win over `allow`."
    )
    exclude_file: str | None = optional(kinds.PATH, "A file with more of them, one a line.")
    contact: str = setting(
        kinds.ASCII,
        "",
        "A mail or web address by which the operators of the site can reach you; sent with every request.",
        absent="that of the library",
    )
    interval: float = setting(
        _PAUSE,
        "60s",
        "The time between the end of one request to a host and the next one.",
        is_sampled=True,
    )
    host_intervals: tuple[tuple[str, float], ...] = setting(
        _by_host(_PAUSE, "10s"), {}, "The same for single hosts."
    )
    revisit: float = setting(_REVISIT, "30d", "After how long a page is asked for again.")
    host_revisits: tuple[tuple[str, float], ...] = setting(
        _by_host(_REVISIT, "7d"), {}, "The same for single hosts."
    )
    retry: float = setting(
        kinds.duration("1s", "365d"),
        "1h",
        "The pause before a page that failed is tried again; four times as long after each further failure.",
    )
    private: bool = setting(
        kinds.FLAG, False, "Whether hosts of private networks and of this machine may be asked."
    )
    content: str = setting(
        kinds.choice(METADATA, PAGES),
        METADATA,
        "Which pages become records: those with metadata, or all, with their main text.",
    )
    require: tuple[str, ...] = setting(
        kinds.LINES,
        [],
        "Tags that a page must have to become a record, such as DC.Title.",
        absent="any known metadata",
    )
    media_types: tuple[str, ...] = setting(
        kinds.words(0),
        [],
        "Media types that are read as documents besides HTML, such as application/pdf.",
    )
    rdfa: bool = setting(kinds.FLAG, False, "Whether RDFa is read as well; it is slow.")
    listings: bool = setting(
        kinds.FLAG, True, "Whether addresses are taken from sitemaps (in robots.txt) and from feeds."
    )
    warc: bool = setting(
        kinds.FLAG,
        False,
        "Whether requests and answers are kept as WARC files, in files/warc of the library.",
    )
    connections: int = setting(
        kinds.count(1, 500, "requests"), 16, "How many requests are under way at the same time."
    )
    parallel: int = setting(
        kinds.count(1, 64, "requests"),
        1,
        "How many of them go to one host; more than one only where its interval is 0s.",
    )
    max_page: int = setting(kinds.size("1 kB", "1 GB"), "10 MB", "How large one page may be.")
    page_time: float = setting(
        kinds.duration("1s", "1h"), "60s", "How long one whole page may take, however steadily it drips in."
    )
    max_host_pages: int = setting(
        kinds.count(1, 100_000_000, "addresses"), 50_000, "How many addresses of one host are taken in."
    )
    max_prefix_pages: int = setting(
        kinds.count(1, 100_000_000, "addresses"),
        5_000,
        "How many addresses are taken in that differ only in what follows their folder or the values of their"
        " parameters, such as those of a calendar.",
    )
    max_hosts: int = setting(
        kinds.count(1, 10_000_000, "hosts"),
        5_000,
        "How many hosts addresses are taken in of: some name servers have an address for every name.",
    )
    max_depth: int = setting(
        kinds.count(1, 100_000, "links"), 500, "How many links away from a start page the robot goes."
    )


@dataclass(frozen=True, slots=True, kw_only=True)
class _Web(KindDescription[WebSettings]):
    def default_url(self, name: str, given: Mapping[str, object]) -> str | None:
        """Return the first start page; if the start pages are in a file, an address made from the name."""
        start = given.get("start")
        first = start[0] if isinstance(start, list | tuple) and start else None
        if isinstance(first, str) and first.startswith(("http://", "https://")):
            return first.partition("#")[0]
        return f"urn:windrow:crawl:{name}"

    def settle(self, source: WebSettings) -> WebSettings:
        return replace(source, formats=WEB_FORMATS)

    def problems(
        self, source: WebSettings, given: Collection[str], library: Path
    ) -> Iterable[tuple[str, str]]:
        if not source.start and not source.start_file:
            yield "start", "must name at least one page, or start_file a file of them"
        for address in source.start:
            if not re.match(r"https?://[^\s/]", address, re.IGNORECASE):
                yield "start", "must be addresses that begin with http:// or https://"
            elif urlsplit(address).username is not None:
                yield "start", "must have no user name in an address: use username and password_env"

    def place(self, source: WebSettings) -> Place:
        return WEB, " ".join((*source.start, source.start_file or "", *source.allow, source.allow_file or ""))

    def shown_place(self, source: WebSettings) -> str:
        return mask_url(source.start[0]) if source.start else str(source.start_file)

    def from_argument(self, given: str | None, url: str | None) -> dict[str, object]:
        return {} if given is None else {"start": [given]}


WEB_SITE = _Web(
    name=WEB,
    label="a web site",
    plural="web sites",
    settings=WebSettings,
    behaviour="windrow.wiring.web_source:WEB_SITES",
    argument="",
    uses_http=True,
    mapped=WEB_FORMATS,
    advice="To keep it current by itself: windrow schedule add-template {name} robot",
    harvest_hint="`windrow crawl load` queues single addresses; --full asks for every known page again.",
    flags=(
        *("start", "start_file", "allow", "allow_file", "exclude", "exclude_file", "contact", "interval"),
        *("revisit", "private", "require", "media_types", "warc"),
    ),
)
