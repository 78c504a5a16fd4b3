"""Faults of the document: what no XML parser takes, what only a careful one survives."""

from __future__ import annotations

import re
from dataclasses import dataclass

from tests.servers.fault import Fault, OnOne
from tests.servers.faults.records import NewTitle
from tests.servers.items import NAMESPACES, Item

_DECLARATION = '<?xml version="1.0" encoding="UTF-8"?>'
_LATIN_MARK = "LATIN-1-HERE"


@dataclass
class RawControl(NewTitle):
    """A control character as it is."""

    def title(self) -> str:
        return "<dc:title>Page\x0cbreak\x02</dc:title>"


@dataclass
class ControlReference(NewTitle):
    """A control character as a reference, which is no better."""

    def title(self) -> str:
        return "<dc:title>Page&#12;break&#x2;</dc:title>"


@dataclass
class Latin1Bytes(NewTitle):
    """One Latin-1 letter in a document that is UTF-8 otherwise."""

    def title(self) -> str:
        return f"<dc:title>Caf{_LATIN_MARK}</dc:title>"

    def encode(self, body: bytes) -> bytes:
        return body.replace(_LATIN_MARK.encode(), b"\xe9")


@dataclass
class WrongEncoding(Fault):
    """The declaration names one encoding, the bytes are in another."""

    declared: str = "UTF-8"
    actual: str = "windows-1252"

    def markup(self, xml: str) -> str:
        return xml.replace('encoding="UTF-8"', f'encoding="{self.declared}"', 1)

    def encode(self, body: bytes) -> bytes:
        return body.decode().encode(self.actual, "xmlcharrefreplace")


@dataclass
class HtmlEntity(NewTitle):
    """An entity that HTML knows and this document does not."""

    def title(self) -> str:
        return "<dc:title>Bj&ouml;rk &nbsp; &mdash; poems</dc:title>"


@dataclass
class BareAmpersand(NewTitle):
    """An ampersand that nobody escaped."""

    def title(self) -> str:
        return "<dc:title>Research & development</dc:title>"


@dataclass
class UndeclaredPrefix(NewTitle):
    """An element whose prefix is bound to nothing."""

    def title(self) -> str:
        return "<dc:title>Bound</dc:title><dcterms:abstract>Unbound</dcterms:abstract>"


@dataclass
class MismatchedTags(NewTitle):
    """An end tag that does not fit, in one record only."""

    def title(self) -> str:
        return "<dc:title>Open <b>and</dc:title></b>"


@dataclass
class PrefixedOai(Fault):
    """The elements of the protocol carry a prefix."""

    prefix: str = "oai"

    def markup(self, xml: str) -> str:
        prefixed = re.sub(r"<(/?)([A-Za-z\-]+)(?=[\s/>])", rf"<\1{self.prefix}:\2", xml)
        return prefixed.replace(" xmlns=", f" xmlns:{self.prefix}=", 1)


@dataclass
class NamespacesOn(Fault):
    """The payload's namespaces are declared outside it: on OAI-PMH, on each record, or on each metadata."""

    element: str = "OAI-PMH"

    def record(self, xml: str, item: Item, verb: str) -> str:
        return xml.replace(f" {NAMESPACES}", "")

    def markup(self, xml: str) -> str:
        return re.sub(rf"<{self.element}(?=[\s>])", f"<{self.element} {NAMESPACES}", xml)


@dataclass
class LeadingSpace(Fault):
    """White space before the XML declaration."""

    space: str = "\n \r\n"

    def markup(self, xml: str) -> str:
        return self.space + xml


@dataclass
class ByteOrderMark(Fault):
    """U+FEFF before the XML declaration, which XML allows."""

    def markup(self, xml: str) -> str:
        return "\ufeff" + xml


@dataclass
class Trailing(Fault):
    """Something after the root: a program's warning, another root, a second document."""

    junk: str = "<br />\n<b>Warning</b>: mysql_close() expects parameter 1 in /srv/oai.php on line 7<br />"

    def markup(self, xml: str) -> str:
        return xml + self.junk


@dataclass
class BillionLaughs(OnOne):
    """Entities of entities that swell to gigabytes where they are expanded."""

    levels: int = 9

    def markup(self, xml: str) -> str:
        lines = ['<!ENTITY lol0 "lol">']
        lines += [f'<!ENTITY lol{level} "{f"&lol{level - 1};" * 10}">' for level in range(1, self.levels + 1)]
        return xml.replace(_DECLARATION, f"{_DECLARATION}<!DOCTYPE OAI-PMH [{''.join(lines)}]>", 1)

    def record(self, xml: str, item: Item, verb: str) -> str:
        return xml.replace("</dc:title>", f"&lol{self.levels};</dc:title>") if self.is_struck(item) else xml


@dataclass
class ExternalEntity(OnOne):
    """An entity, and a whole DTD, that lie elsewhere: in a file or at an address."""

    address: str = "file:///etc/hostname"

    def markup(self, xml: str) -> str:
        doctype = f'<!DOCTYPE OAI-PMH SYSTEM "{self.address}" [<!ENTITY outside SYSTEM "{self.address}">]>'
        return xml.replace(_DECLARATION, _DECLARATION + doctype, 1)

    def record(self, xml: str, item: Item, verb: str) -> str:
        return xml.replace("</dc:title>", "&outside;</dc:title>") if self.is_struck(item) else xml
