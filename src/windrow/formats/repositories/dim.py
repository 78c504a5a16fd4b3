"""DIM, DSpace's intermediate metadata: a flat list of its fields."""

from __future__ import annotations

from lxml import etree

from windrow.formats.mapping.xml_records import XML_LANG, down_to, element_words, local_name, own_text
from windrow.formats.registry import Reader
from windrow.formats.repositories.dspace_fields import DspaceFields
from windrow.model.document import Document


class Dim:
    """Reader of DIM."""

    name = "dim"
    prefixes = frozenset(("dim", "oai_dim"))
    roots = frozenset(
        ("{http://www.dspace.org/xmlns/dspace/dim}dim", "{http://www.dspace.org/xmlns/dspace/dim}list", "dim")
    )

    def read(self, root: etree._Element) -> Document:
        fields = DspaceFields(self.name)
        for field in root.iterchildren():
            # A list of items, of which the first is the record, or a wrapper.
            if len(field) and local_name(field) != "field" and field.find(".//{*}field") is not None:
                _add_all(fields, field)
            else:
                _add_field(fields, field)
        if len(root) == 0 and root.text:
            fields.draft.add_extra("dim:text", root.text)
        return fields.finish().finish()


def _add_all(fields: DspaceFields, item: etree._Element) -> None:
    fields.draft.add_extra(f"dim:{local_name(item)[:64]}", own_text(item))
    for part in down_to(item, "field"):
        if local_name(part) == "field":
            _add_field(fields, part)
        else:
            fields.draft.add_extra(f"dim:{local_name(part)[:64]}", own_text(part))


def _add_field(fields: DspaceFields, field: etree._Element) -> None:
    name = local_name(field)
    if not name:
        return
    language = field.get("lang") or field.get("language") or field.get(XML_LANG) or ""
    if name != "field":
        fields.draft.add_extra(f"dim:{name}", element_words(field))
        return
    fields.add(
        field.get("mdschema") or field.get("schema") or "dc",
        field.get("element") or "",
        field.get("qualifier") or "",
        element_words(field),
        language,
    )


READER: Reader = Dim()
