"""UKETD_DC, British theses (EThOS): Dublin Core plus institution, department and qualification."""

from __future__ import annotations

from lxml import etree

from windrow.formats.dublin_core.dc_terms import add_element, add_elements
from windrow.formats.mapping.xml_records import Draft, element_text, local_name
from windrow.formats.registry import Reader
from windrow.model.document import Document, LinkKind


class UketdDc:
    """Reader of uketd_dc."""

    name = "uketd_dc"
    prefixes = frozenset(("uketd_dc", "uketd", "uketddc", "ethos"))
    roots = frozenset(
        (
            "{http://naca.central.cranfield.ac.uk/ethos-oai/2.0/}uketddc",
            "{http://naca.central.cranfield.ac.uk/ethos-oai/}uketddc",
            "uketddc",
        )
    )

    def read(self, root: etree._Element) -> Document:
        draft = Draft()
        add_elements(draft, root, _add)
        return draft.finish()


def _add(draft: Draft, child: etree._Element) -> None:
    name, text = local_name(child).lower(), element_text(child)
    if name == "institution":
        draft.add_institution(text)
    elif name == "department":
        draft.add_department(text)
    elif name in ("advisor", "sponsor"):
        draft.add_contributor(text, role=name)
    elif name == "embargodate":
        draft.add_date(text, "embargo")
    elif name == "isreferencedby" and text:
        draft.add_link(
            text, hint=LinkKind.LANDING
        )  # in this format the thesis's landing page; the identifier is the file
    else:
        add_element(draft, child)


READER: Reader = UketdDc()
