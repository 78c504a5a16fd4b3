"""EAC-CPF, persons, families and bodies behind archives: an authority, named after whom it describes."""

from __future__ import annotations

from lxml import etree

from windrow.formats.elements import Draft, language_of, local, text_of
from windrow.formats.leftovers import Trail
from windrow.formats.paths import DESCRIPTION, IDENTIFIER, Rule, into, read_paths
from windrow.formats.reader import Reader
from windrow.formats.structured_names import is_family, is_given, paired
from windrow.model.document import Document


class EacCpf:
    """Reads EAC-CPF."""

    name = "eac-cpf"
    prefixes = frozenset(("eac", "eac_cpf", "oai_eac", "eaccpf"))
    roots = frozenset(("{urn:isbn:1-931666-33-4}eac-cpf", "{https://archivists.org/ns/eac/v2}eac", "eac-cpf"))

    def read(self, root: etree._Element) -> Document:
        """Return the document that this record's root element describes."""
        draft = Draft("eac")
        read_paths(root, draft, _RULES)
        return draft.finish()


def _name(draft: Draft, entry: etree._Element, trail: Trail) -> None:
    """Add a name as a title: the first is the one it is known by."""
    parts = [part for part in entry if local(part) == "part" and text_of(part)]
    kinds = {part.get("localType") or "": text_of(part) for part in parts}
    family = next((text for kind, text in kinds.items() if is_family(kind)), "")
    given = next((text for kind, text in kinds.items() if is_given(kind)), "")
    texts = [text_of(part) for part in parts]
    whole = paired(family, given) or (texts[0] if texts and "," in texts[0] else " ".join(texts))
    around = entry.getparent()
    is_parallel = around is not None and local(around) == "nameEntryParallel"
    add = draft.add_alternative if is_parallel else draft.add_title
    add(whole, language_of(entry))
    for part in parts:
        if text_of(part) in whole:
            trail.skip(part)


def _relation(draft: Draft, element: etree._Element, trail: Trail) -> None:
    for part in element:
        if local(part) == "relationEntry":
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
