"""Requests to a test server with nothing but http.client, so that what is on the wire is what is seen."""

from __future__ import annotations

from collections.abc import Sequence
from http.client import HTTPConnection, HTTPResponse
from urllib.parse import quote_plus, urlencode

from lxml import etree

from tests.servers.http import ScriptedServer

OAI = "{http://www.openarchives.org/OAI/2.0/}"
WAIT_SECONDS = 30


def fetch(
    server: ScriptedServer, path: str, *, method: str = "GET", body: str | None = None
) -> tuple[HTTPResponse, bytes]:
    """The response and its whole body, over a connection of its own."""
    connection = HTTPConnection("127.0.0.1", server.port, timeout=WAIT_SECONDS)
    try:
        headers = {"Content-Type": "application/x-www-form-urlencoded"} if body else {}
        connection.request(method, path, body, headers)
        response = connection.getresponse()
        return response, response.read()
    finally:
        connection.close()


def ask(server: ScriptedServer, **arguments: str) -> tuple[HTTPResponse, bytes]:
    """An OAI request; `from_` stands for from."""
    pairs = {name.rstrip("_"): value for name, value in arguments.items()}
    return fetch(server, f"{server.path}?{urlencode(pairs, quote_via=quote_plus)}")


def list_records(server: ScriptedServer, **arguments: str) -> bytes:
    """The body of the first page of records."""
    return ask(server, verb="ListRecords", metadataPrefix="oai_dc", **arguments)[1]


def parse(body: bytes) -> etree._Element:
    """The tree, from a parser that fetches and expands nothing."""
    return etree.fromstring(body, etree.XMLParser(resolve_entities=False, no_network=True, huge_tree=True))


def texts(body: bytes, name: str) -> list[str]:
    """The texts of all OAI elements of this name."""
    return [element.text or "" for element in parse(body).iter(OAI + name)]


def code(body: bytes) -> str | None:
    """The code of the OAI error in it."""
    found = parse(body).find(OAI + "error")
    return None if found is None else found.get("code")


def harvest(server: ScriptedServer, *, most: int = 20, verb: str = "ListRecords") -> list[bytes]:
    """The pages that a trusting client gets, `most` of them."""
    pages = [ask(server, verb=verb, metadataPrefix="oai_dc")[1]]
    while len(pages) < most and (token := token_of(pages[-1])):
        pages.append(ask(server, verb=verb, resumptionToken=token)[1])
    return pages


def token_of(body: bytes) -> str:
    """The token at the end of a page."""
    return "".join(texts(body, "resumptionToken"))


def numbers(pages: Sequence[bytes]) -> list[int]:
    """The last parts of the identifiers of all pages."""
    return [int(name.rpartition(":")[2]) for page in pages for name in texts(page, "identifier")]
