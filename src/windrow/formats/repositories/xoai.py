"""XOAI, the tree behind DSpace's OAI server: nested elements, values in fields, files in bundles."""

from __future__ import annotations

from dataclasses import dataclass, field

from lxml import etree

from windrow.formats.mapping.xml_records import element_words, local_name
from windrow.formats.registry import Reader
from windrow.formats.repositories.dspace_fields import BUNDLES, DspaceFields
from windrow.model.document import Document, LinkKind

DEEPEST_NAME = 6  # schema, element, qualifier, language and some spare levels


@dataclass(slots=True)
class _Bitstream:
    """The fields of one file, collected until its element ends."""

    bundle: str = ""
    fields: dict[str, str] = field(default_factory=dict)


class Xoai:
    """Reader of xoai."""

    name = "xoai"
    prefixes = frozenset(("xoai", "oai_xoai", "xoai_default"))
    roots = frozenset(("{http://www.lyncode.com/xoai}metadata",))

    def read(self, root: etree._Element) -> Document:
        walk = _Walk(DspaceFields(self.name))
        for event, node in etree.iterwalk(root, events=("start", "end")):
            if node is not root:
                walk.step(event, node)
        if len(root) == 0 and root.text:
            walk.fields.draft.add_extra("xoai:text", root.text)
        return walk.fields.finish().finish()


class _Walk:
    """The state of one walk through the tree."""

    def __init__(self, fields: DspaceFields) -> None:
        self.fields = fields
        self._path: list[str] = []
        self._bundle = ""
        self._bitstream: _Bitstream | None = None

    def step(self, event: str, node: etree._Element) -> None:
        kind = local_name(node)
        if kind != "element":
            if event == "start" and kind:
                self._take(node, kind)
        elif event == "start":
            self._path.append((node.get("name") or "")[:64])
            if self._path[-1] == "bitstream":
                self._bitstream = _Bitstream(self._bundle)
            if node.text and node.text.strip():
                self._keep("text", node.text)
        elif self._path.pop() == "bitstream" and self._bitstream is not None:
            self._end_bitstream(self._bitstream)

    def _take(self, node: etree._Element, kind: str) -> None:
        # A value of a file, of one of DSpace's fields, or of anything else.
        name = (node.get("name") or kind)[:64]
        value = element_words(node)
        if self._bitstream is not None:
            self._add_to(self._bitstream, name, value)
        elif self._path[:1] == ["bundles"] and name == "name":
            self._bundle = value.strip().upper()
            self.fields.draft.add_extra("xoai:bundle", value)
        elif self._path[:1] == ["others"] and name == "handle":
            self.fields.draft.add_name("hdl", value)
        elif self._path[:1] == ["others"] and name == "identifier":
            self.fields.draft.add_identifier(value)
        elif name == "value" and len(self._path) > 1:
            self._add_value(value)
        else:
            self._keep(name, value)

    def _add_to(self, bitstream: _Bitstream, name: str, value: str) -> None:
        if name in bitstream.fields:
            self.fields.draft.add_extra(f"xoai:bitstream.{name}", value)
        else:
            bitstream.fields[name] = value

    def _add_value(self, value: str) -> None:
        # The last level is the language; those between element and language are the qualifier.
        schema, element, *rest = self._path[:DEEPEST_NAME]
        language = rest.pop() if rest else ""
        self.fields.add(schema, element, ".".join(rest), value, language)

    def _keep(self, name: str, value: str) -> None:
        self.fields.draft.add_extra("xoai:" + ".".join((*self._path[:DEEPEST_NAME], name)), value)

    def _end_bitstream(self, bitstream: _Bitstream) -> None:
        said = bitstream.fields
        url = said.pop("url", "")
        label = said.pop("name", "") or None
        media_type = said.pop("format", "") or None
        if url.strip():
            kind = BUNDLES.get(bitstream.bundle, LinkKind.RELATED if bitstream.bundle else LinkKind.FULLTEXT)
            self.fields.draft.add_link(url, hint=kind, media_type=media_type, label=label)
        else:
            said |= {"name": label or "", "format": media_type or ""}
        for name, value in said.items():
            self.fields.draft.add_extra(f"xoai:bitstream.{name}", value)
        self._bitstream = None


READER: Reader = Xoai()
