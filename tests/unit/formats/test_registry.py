from __future__ import annotations

import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor

import pytest
from lxml import etree

from windrow.errors import BadXml
from windrow.formats.registry import Reader, Registry, read, reader_for, registry
from windrow.model.document import Document

OAI = b' xmlns="http://www.openarchives.org/OAI/2.0/"'
DC = (
    b' xmlns:dc="http://purl.org/dc/elements/1.1/" xmlns:oai_dc="http://www.openarchives.org/OAI/2.0/oai_dc/"'
)


class Cards:
    name = "cards"
    prefixes = frozenset({"oai_cards"})
    roots = frozenset({"{urn:cards}record", "{http://www.openarchives.org/OAI/2.0/oai_dc/}dc"})

    def read(self, root: etree._Element) -> Document:
        return Document(publishers=("cards",))


def name_of(reader: Reader | None) -> str | None:
    return reader.name if reader is not None else None


def test_namespaces_declared_on_the_envelope_are_in_scope() -> None:
    payload = b"<oai_dc:dc><dc:title>Moss</dc:title></oai_dc:dc>"
    assert read(payload, OAI + DC, "oai_dc").title == "Moss"


def test_whitespace_comments_and_instructions_around_the_root_do_not_matter() -> None:
    payload = b" <!-- x --> <?y?> <oai_dc:dc><dc:title>Mo<!-- z -->ss</dc:title></oai_dc:dc> "
    assert read(payload, OAI + DC, "oai_dc").title == "Moss"


@pytest.mark.parametrize(
    ("root", "prefix", "name"),
    [
        ("{http://www.openarchives.org/OAI/2.0/oai_dc/}dc", "anything", "oai_dc"),
        ("{http://kk/1.0}metadata", "xoai", "kk"),
        ("{http://www.lyncode.com/xoai}metadata", "kk", "xoai"),
        ("{http://www.openarchives.org/OAI/2.0/}metadata", "kk", "kk"),
        ("metadata", "xoai", "xoai"),
        ("{http://www.openarchives.org/OAI/2.0/}arXiv", "whatever", "arXiv"),
        ("{http://wrong.example.org/}qualifieddc", "", "qdc"),
        ("{http://www.openarchives.org/OAI/2.0/}record", "marc21", "marcxml"),
        ("{http://datacite.org/schema/kernel-4}resource", "", "datacite"),
    ],
)
def test_a_reader_is_found_by_root_then_by_name_and_prefix(root: str, prefix: str, name: str) -> None:
    assert name_of(reader_for(root, prefix)) == name


@pytest.mark.parametrize("root", ["record", "{urn:x}metadata", "{urn:x}entry", "unheard-of", ""])
def test_a_root_that_says_too_little_has_no_reader(root: str) -> None:
    assert reader_for(root, "unheard-of") is None


def test_a_format_nobody_knows_still_gives_a_document() -> None:
    document = read(b'<card xmlns="urn:cards"><title>Moss</title><drawer>B 12</drawer></card>', OAI, "cards")
    assert document.title == "Moss"
    assert document.extra == {"drawer": ("B 12",)}


def test_a_payload_without_elements_keeps_its_words() -> None:
    assert read(b" no metadata here ", OAI, "oai_dc") == Document(extra={"text": ("no metadata here",)})
    assert read(b"", b"", "oai_dc") == Document()


@pytest.mark.parametrize(
    "payload", [b"<a>", b"<a>&undeclared;</a>", b"<a></b>", b"</w><w>", b"<x:a/>", b"\xff"]
)
def test_a_payload_that_is_not_well_formed_is_bad_xml(payload: bytes) -> None:
    with pytest.raises(BadXml, match="oai_dc") as caught:
        read(payload, OAI, "oai_dc")
    assert caught.value.body == payload


def test_no_entity_is_expanded_and_no_file_is_read() -> None:
    bomb = b'<!DOCTYPE a [<!ENTITY x SYSTEM "file:///etc/hostname">]><a>&x;</a>'
    with pytest.raises(BadXml):
        read(bomb, OAI, "oai_dc")


def test_a_later_reader_takes_over_a_root() -> None:
    mine = Registry([*registry().readers, Cards()])
    assert name_of(mine.reader_for("{http://www.openarchives.org/OAI/2.0/oai_dc/}dc", "oai_dc")) == "cards"
    assert name_of(mine.reader_for("record", "oai_cards")) == "cards"


def test_readers_of_installed_packages_can_be_asked_for() -> None:
    assert set(registry(with_plugins=False).readers) <= set(registry().readers)


def test_threads_read_at_the_same_time() -> None:
    payloads = [b"<oai_dc:dc><dc:title>%d</dc:title></oai_dc:dc>" % number for number in range(200)]
    with ThreadPoolExecutor(8) as pool:
        titles = list(pool.map(lambda payload: read(payload, DC, "oai_dc").title, payloads))
    assert titles == [str(number) for number in range(200)]


def test_importing_the_registry_imports_no_format() -> None:
    code = "import sys, windrow.formats.registry; print([m for m in sys.modules if m.endswith('oai_dc')])"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "[]"
