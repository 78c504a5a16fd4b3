"""EAC-CPF, authority records of archives: persons, families and corporate bodies."""

from __future__ import annotations

from lxml import etree

from windrow.formats.mapping.xml_records import (
    DESCRIPTION,
    IDENTIFIER,
    Draft,
    Rule,
    Trail,
    element_language,
    element_text,
    into,
    is_family,
    is_given,
    local_name,
    paired,
    read_paths,
)
from windrow.formats.registry import Reader
from windrow.model.document import Document


class EacCpf:
    """Reader of EAC-CPF."""

    name = "eac-cpf"
    prefixes = frozenset(("eac", "eac_cpf", "oai_eac", "eaccpf"))
    roots = frozenset(("{urn:isbn:1-931666-33-4}eac-cpf", "{https://archivists.org/ns/eac/v2}eac", "eac-cpf"))

    def read(self, root: etree._Element) -> Document:
        draft = Draft("eac")
        read_paths(root, draft, _RULES)
        return draft.finish()


def _name(draft: Draft, entry: etree._Element, trail: Trail) -> None:
    # The first name entry is the preferred one.
    parts = [part for part in entry if local_name(part) == "part" and element_text(part)]
    kinds = {part.get("localType") or "": element_text(part) for part in parts}
    family = next((text for kind, text in kinds.items() if is_family(kind)), "")
    given = next((text for kind, text in kinds.items() if is_given(kind)), "")
    texts = [element_text(part) for part in parts]
    whole = paired(family, given) or (texts[0] if texts and "," in texts[0] else " ".join(texts))
    around = entry.getparent()
    is_parallel = around is not None and local_name(around) == "nameEntryParallel"
    add = draft.add_alternative if is_parallel else draft.add_title
    add(whole, element_language(entry))
    for part in parts:
        if element_text(part) in whole:
            trail.skip(part)


def _relation(draft: Draft, element: etree._Element, trail: Trail) -> None:
    for part in element:
        if local_name(part) == "relationEntry":
            draft.add_relation(trail.use(part))


_RULES: dict[str, Rule] = {
    "identity/nameentry": _name,
    "nameentryparallel/nameentry": _name,
    "identity/entityid": IDENTIFIER,
    "identity/entitytype": lambda draft, element, trail: draft.add_type(
        trail.use(element) or trail.value(element, "value")
    ),
    "control/recordid": IDENTIFIER,
    "bioghist/abstract": DESCRIPTION,
    "bioghist/p": DESCRIPTION,
    "occupation/term": into(Draft.add_subject),
    "function/term": into(Draft.add_subject),
    "cpfrelation": _relation,
    "resourcerelation": _relation,
}

READER: Reader = EacCpf()
