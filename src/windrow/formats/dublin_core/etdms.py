"""ETD-MS, for theses and dissertations: Dublin Core plus the degree, its level and its grantor."""

from __future__ import annotations

from lxml import etree

from windrow.formats.dublin_core.dc_terms import add_element, add_elements
from windrow.formats.mapping.xml_records import (
    Draft,
    element_language,
    element_text,
    element_words,
    local_name,
    own_text,
)
from windrow.formats.registry import Reader
from windrow.model.document import Document


class Etdms:
    """Reader of ETD-MS 1.0 and 1.1."""

    name = "etdms"
    prefixes = frozenset(
        ("etdms", "oai_etdms", "etd_ms", "etd-ms", "oai_etd", "etdms10", "etdms11", "etdms1-1")
    )
    roots = frozenset(
        (
            "{http://www.ndltd.org/standards/metadata/etdms/1.0/}thesis",
            "{http://www.ndltd.org/standards/metadata/etdms/1.1/}thesis",
            "{http://www.ndltd.org/standards/metadata/etdms/1-0/}thesis",
            "{http://www.ndltd.org/standards/metadata/etdms/1-1/}thesis",
            "{http://www.ndltd.org/standards/metadata/etdms/1.0}thesis",
            "thesis",
        )
    )

    def read(self, root: etree._Element) -> Document:
        draft = Draft()
        add_elements(draft, root, _add)
        return draft.finish()


def _add(draft: Draft, child: etree._Element) -> None:
    name = local_name(child).lower()
    role = (child.get("role") or "").strip().lower()
    if name == "degree":
        _add_degree(draft, child)
    elif name == "contributor" and role:
        draft.add_contributor(element_text(child), role=role)
    elif name == "description" and role in ("abstract", "summary"):
        draft.add_description(element_words(child), element_language(child), is_abstract=True)
    else:
        add_element(draft, child)


def _add_degree(draft: Draft, degree: etree._Element) -> None:
    draft.add_extra("etdms:degree", own_text(degree))
    for part in degree:
        name, text = local_name(part).lower(), element_text(part)
        if name == "grantor":
            draft.add_institution(text)
        elif name in ("discipline", "department", "program", "programme"):
            draft.add_department(text)
        elif name:
            draft.add_extra(f"etdms:degree.{name[:64]}", text)


READER: Reader = Etdms()
