"""Faults and extremes of single records whose XML is well-formed."""

from __future__ import annotations

import re
from dataclasses import dataclass

from tests.servers.fault import OnOne
from tests.servers.items import Item

_TITLE = re.compile(r"<dc:title>.*?</dc:title>", re.DOTALL)


@dataclass
class NoHeader(OnOne):
    """A record that begins with its metadata."""

    def record(self, xml: str, item: Item, verb: str) -> str:
        return re.sub(r"<header>.*</header>", "", xml) if self.is_struck(item) else xml


@dataclass
class NoIdentifier(OnOne):
    """A header whose identifier is empty."""

    def record(self, xml: str, item: Item, verb: str) -> str:
        return re.sub(r"<identifier>.*</identifier>", "<identifier/>", xml) if self.is_struck(item) else xml


@dataclass
class NoMetadata(OnOne):
    """A record that is neither deleted nor has metadata."""

    def record(self, xml: str, item: Item, verb: str) -> str:
        return re.sub(r"<metadata>.*</metadata>", "", xml) if self.is_struck(item) else xml


@dataclass
class NewTitle(OnOne):
    """A record with something else in the place of its title; base of those below."""

    def title(self) -> str:
        """The XML to stand where the title stood."""
        raise NotImplementedError

    def record(self, xml: str, item: Item, verb: str) -> str:
        return _TITLE.sub(lambda _: self.title(), xml) if self.is_struck(item) else xml


@dataclass
class HugeValue(NewTitle):
    """One very long value."""

    length: int = 126_709

    def title(self) -> str:
        return f"<dc:title>{'Ä' * self.length}</dc:title>"


@dataclass
class ManyElements(NewTitle):
    """One record with very many elements."""

    count: int = 1_110

    def title(self) -> str:
        return "".join(f"<dc:subject>Subject {number}</dc:subject>" for number in range(self.count))


@dataclass
class DeepNesting(NewTitle):
    """Elements inside elements, deeper than any parser's own limit."""

    depth: int = 1_000

    def title(self) -> str:
        return f"<dc:title>{'<b>' * self.depth}deep{'</b>' * self.depth}</dc:title>"


@dataclass
class InnerRecord(NewTitle):
    """A payload that has elements called record, header and identifier of its own."""

    def title(self) -> str:
        return (
            '<record xmlns="http://test.example/inner/"><header status="deleted">'
            "<identifier>inner</identifier></header><metadata>not ours</metadata></record>"
            "<dc:title>Outer title</dc:title>"
        )


@dataclass
class CommentedRecord(NewTitle):
    """A comment and a processing instruction that hold the beginning and end of a record."""

    def title(self) -> str:
        return "<!-- </metadata></record><record> --><?old </record><record>?><dc:title>Commented</dc:title>"


@dataclass
class CData(NewTitle):
    """A CDATA section that holds what looks like the end of a record."""

    def title(self) -> str:
        return "<dc:title><![CDATA[Cats & <b>dogs</b></record><record>]]></dc:title>"
