"""The `kk` format of Finnish DSpace repositories: fields and files, with all values in attributes."""

from __future__ import annotations

from lxml import etree

from windrow.formats.dublin_core.dc_terms import add_file
from windrow.formats.mapping.xml_records import Draft, down_to, element_text, local_name, own_text
from windrow.formats.registry import Reader
from windrow.formats.repositories.dspace_fields import DspaceFields
from windrow.model.document import Document, LinkKind


class Kk:
    """Reader of kk."""

    name = "kk"
    prefixes = frozenset(("kk", "oai_kk"))
    roots = frozenset(("{http://kk/1.0}metadata", "{http://kk/1.0/}metadata", "{http://kk/1.1}metadata"))

    def read(self, root: etree._Element) -> Document:
        fields = DspaceFields(self.name)
        for child in root:
            is_field = local_name(child) in ("field", "file")
            if len(child) and not is_field and next(child.iter("{*}field", "{*}file"), None) is not None:
                _add_wrapped(fields, child)
            else:
                _add(fields, child)
        if len(root) == 0 and root.text:
            fields.draft.add_extra("kk:text", root.text)
        return fields.finish().finish()


def _add(fields: DspaceFields, child: etree._Element) -> None:
    name = local_name(child)
    if name == "field":
        _add_field(fields, child)
    elif name == "file":
        add_file(fields.draft, child, element_text(child))
    elif name:
        _add_other(fields.draft, child, name)


def _add_wrapped(fields: DspaceFields, wrapper: etree._Element) -> None:
    # Fields and files at a deeper level than they should be.
    fields.draft.add_extra(f"kk:{local_name(wrapper)[:64]}", own_text(wrapper))
    for part in down_to(wrapper, "field", "file"):
        if len(part) == 0 or local_name(part) in ("field", "file"):
            _add(fields, part)
        else:
            fields.draft.add_extra(f"kk:{local_name(part)[:64]}", own_text(part))


def _add_field(fields: DspaceFields, field: etree._Element) -> None:
    text = element_text(field)
    value = field.get("value") or text
    if value != text:
        fields.draft.add_extra("kk:field", text)
    fields.add(
        field.get("schema") or "dc",
        field.get("element") or "",
        field.get("qualifier") or "",
        value,
        field.get("language") or "",
    )


def _add_other(draft: Draft, child: etree._Element, name: str) -> None:
    if name == "link" and child.get("href"):
        draft.add_link(child.get("href", ""), hint=LinkKind.LANDING)
    elif name == "identifier" and child.get("value"):
        _add_identifier(draft, child.get("value", ""), child.get("type"))
    else:
        for attribute in ("name", "value", "href"):
            draft.add_extra(f"kk:{name}", child.get(attribute) or "")
    draft.add_extra(f"kk:{name}", element_text(child))


def _add_identifier(draft: Draft, value: str, kind: str | None) -> None:
    if kind == "handle":
        draft.add_name("hdl", value)  # its page is the link beside it
    else:
        draft.add_identifier(value)


READER: Reader = Kk()
