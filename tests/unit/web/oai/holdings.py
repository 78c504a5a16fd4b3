"""A library that answers as a repository in this process: written to directly, asked as a face asks it."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from pathlib import Path
from typing import Any

from lxml import etree

from tests.contracts.store.shelf import Shelf
from tests.oai_schema import OAI, validate
from windrow.config.loader import load
from windrow.model.record import Record
from windrow.protocols.oai.page_parser import parse_page
from windrow.protocols.oai.provider_request import format_request_date
from windrow.store.store import Store, create_store
from windrow.web.oai.oai_provider import OaiRepository
from windrow.web.oai.offered_formats import FormatDeriver

NOON = 1_717_243_200  # 2024-06-01T12:00:00Z
DAY = 86_400
SITE = "https://library.example"
DC = "http://purl.org/dc/elements/1.1/"
_SOURCES = "".join(f'[sources.{name}]\nurl = "https://{name}.example/oai"\n' for name in ("hay", "oats"))


def dublin_core(title: str = "Barn") -> bytes:
    """A payload that the schema of oai_dc takes."""
    return (
        '<oai_dc:dc xmlns:oai_dc="http://www.openarchives.org/OAI/2.0/oai_dc/"'
        f' xmlns:dc="{DC}"><dc:title>{title}</dc:title></oai_dc:dc>'
    ).encode()


def other(words: bytes = b"") -> bytes:
    """A payload of a format that nobody knows."""
    return b'<barn xmlns="urn:barn">%b</barn>' % words


def live(
    identifier: str,
    payload: bytes | None = None,
    *,
    sets: tuple[str, ...] = (),
    stamp: str = "2020-02-02T02:02:02Z",
    about: bytes | None = None,
    declarations: bytes = b"",
) -> Record:
    found = dublin_core(identifier.rpartition(":")[2]) if payload is None else payload
    return Record(identifier, stamp, sets, False, found, about, declarations)


def gone(identifier: str, *, sets: tuple[str, ...] = (), stamp: str = "2020-03-03T03:03:03Z") -> Record:
    return Record(identifier, stamp, sets, True)


@dataclass(frozen=True)
class Header:
    """A header as the answer has it."""

    identifier: str
    stamp: str
    sets: tuple[str, ...]
    is_deleted: bool


@dataclass(frozen=True)
class Answer:
    """An answer that was found valid."""

    body: bytes

    @cached_property
    def root(self) -> etree._Element:
        return etree.fromstring(self.body, etree.XMLParser(huge_tree=True))

    @property
    def errors(self) -> list[str]:
        return [each.get("code", "") for each in self.root.iter(f"{{{OAI}}}error")]

    @property
    def headers(self) -> list[Header]:
        return [_header(each) for each in self.root.iter(f"{{{OAI}}}header")]

    @property
    def identifiers(self) -> list[str]:
        return [header.identifier for header in self.headers]

    @property
    def records(self) -> list[Record]:
        """What a harvester gets out of it."""
        page = parse_page(self.body)
        assert page.repairs == ()
        assert page.rejects == []
        return page.records

    @property
    def echo(self) -> dict[str, str]:
        return {str(name): str(value) for name, value in self._one("request").attrib.items()}

    @property
    def token(self) -> str | None:
        """The token; "" for an empty one, None where there is none."""
        found = self.root.find(f".//{{{OAI}}}resumptionToken")
        return None if found is None else found.text or ""

    @property
    def place(self) -> tuple[int, int]:
        """The cursor and the complete list size that the token tells."""
        found = self._one("resumptionToken")
        return int(found.get("cursor", "-1")), int(found.get("completeListSize", "-1"))

    def texts(self, name: str) -> list[str]:
        return [each.text or "" for each in self.root.iter(f"{{{OAI}}}{name}")]

    def _one(self, name: str) -> etree._Element:
        found = self.root.find(f".//{{{OAI}}}{name}")
        assert found is not None
        return found


@dataclass
class Holdings:
    """A library and the repositories it is."""

    folder: Path
    settings: str = _SOURCES
    derivers: Mapping[str, FormatDeriver] = field(default_factory=dict)
    now: int = NOON
    site: str = SITE

    def __post_init__(self) -> None:
        self.store: Store = create_store(self.folder)
        self.store.clock = lambda: self.now
        self.shelves: dict[str, Shelf] = {}
        self.restart()

    def restart(self) -> None:
        """Answer as a new process would."""
        (self.folder / "windrow.toml").write_text(self.settings, encoding="utf-8")
        self.config = load(self.folder, environ={})
        self.repository = OaiRepository(
            self.store, self.config, base_url=self.site, derivers=self.derivers, clock=lambda: self.now
        )

    def configure(self, text: str) -> None:
        """Begin windrow.toml with this, from now on."""
        self.settings = f"{text}\n{self.settings}"
        self.restart()

    def write(
        self, *records: Record, source: str = "hay", prefix: str | None = "oai_dc", at: int | None = None
    ) -> None:
        """Let records come, all in one moment."""
        if source not in self.shelves:
            self.shelves[source] = Shelf(self.store, source)
        self.shelves[source].write(*records, prefix=prefix, now=self.now if at is None else at)
        self.store.clock = lambda: self.now

    def ask(
        self,
        verb: str | None = None,
        *,
        at: str = "",
        credentials: Any = None,  # a name and a password
        **arguments: Any,
    ) -> Answer:
        """Ask with these arguments: `from_` stands for from, a number for that second."""
        pairs = [("verb", verb)] if verb is not None else []
        for name, value in arguments.items():
            pairs.append((name.rstrip("_"), format_request_date(value) if isinstance(value, int) else value))
        return self.ask_pairs(pairs, at=at, credentials=credentials)

    def ask_pairs(
        self, pairs: Sequence[tuple[str, str]], *, at: str = "", credentials: tuple[str, str] | None = None
    ) -> Answer:
        """Ask; whatever the answer is, it is valid."""
        body = self.repository.answer(at, pairs, credentials=credentials)
        validate(body)
        return Answer(body)

    def pages(
        self,
        verb: str = "ListRecords",
        *,
        at: str = "",
        credentials: Any = None,  # a name and a password
        **arguments: Any,
    ) -> Iterator[Answer]:
        """Ask, and go on as long as there is a token."""
        if verb != "ListSets":
            arguments.setdefault("metadataPrefix", "oai_dc")
        answer = self.ask(verb, at=at, credentials=credentials, **arguments)
        yield answer
        while answer.token:
            answer = self.ask(verb, at=at, credentials=credentials, resumptionToken=answer.token)
            yield answer

    def listed(self, verb: str = "ListIdentifiers", *, at: str = "", **arguments: Any) -> list[str]:
        """All identifiers of a list; none for noRecordsMatch."""
        found = []
        for page in self.pages(verb, at=at, **arguments):
            assert page.errors in ([], ["noRecordsMatch"])
            found += page.identifiers
        return found

    def close(self) -> None:
        self.store.close()


def _header(element: etree._Element) -> Header:
    sets = tuple(each.text or "" for each in element.iter(f"{{{OAI}}}setSpec"))
    identifier, stamp = (element.findtext(f"{{{OAI}}}{name}") or "" for name in ("identifier", "datestamp"))
    return Header(identifier, stamp, sets, element.get("status") == "deleted")
