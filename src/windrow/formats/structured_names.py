"""Names of people whose parts stand in elements of their own: family and given name, in any format's words.

Schemas that nest people (CERIF, JATS, CMDI, DataCite inside Dublin Core …) call the parts differently; the
reader of a format knows its own, this module is for elements that a record should not have but does.
"""

from __future__ import annotations

import unicodedata

from lxml import etree

from windrow.formats.elements import Draft, local, text_of

_FAMILY_NAMES = """
familyname familynames family surname lastname last sn nachname familienname sukunimi efternamn etternavn
nom nomdefamille apellido apellidos sobrenome cognome achternaam
"""
_GIVEN_NAMES = """
givenname givennames given forename forenames firstname firstnames first fn vorname vornamen etunimi etunimet
fornamn fornavn prenom prenoms nombre nombres prenome nome voornaam
"""
_FAMILY = frozenset(_FAMILY_NAMES.split())
_GIVEN = frozenset(_GIVEN_NAMES.split())


def is_family(name: str) -> bool:
    """Return whether an element of this name holds a family name."""
    return _folded(name) in _FAMILY


def is_given(name: str) -> bool:
    """Return whether an element of this name holds a given name."""
    return _folded(name) in _GIVEN


def paired(family: str, given: str) -> str:
    """Return the two parts as catalogues write them; either may be empty."""
    return ", ".join(filter(None, (" ".join(family.split()), " ".join(given.split()))))


def is_name_part(element: etree._Element) -> bool:
    """Return whether an element holds nothing but a family or a given name."""
    return len(element) == 0 and (is_family(local(element)) or is_given(local(element)))


def name_in(element: etree._Element) -> str:
    """Return the name whose two parts are children of an element; "" where they are not."""
    parts = {"family": "", "given": ""}
    for child in element:
        name = local(child)
        kind = "family" if is_family(name) else "given" if is_given(name) else ""
        if kind and not parts[kind]:
            parts[kind] = text_of(child)
    return paired(parts["family"], parts["given"]) if parts["family"] else ""


def add_people(draft: Draft, element: etree._Element, *, role: str | None) -> bool:
    """Add the people whose name parts stand inside an element; False where there are no such parts.

    `role` None makes them creators, anything else contributors. What stands beside the names goes to extra.
    """
    family, given, found, others = "", "", list[str](), list[str]()
    for part in element.iter():
        name = local(part)
        if not name or len(part):
            continue
        text = text_of(part)
        if is_family(name):
            if family:
                found.append(paired(family, given))
                given = ""
            family = text
        elif is_given(name):
            if given and family:
                found.append(paired(family, given))
                family = ""
            given = text
        elif text:
            others.append(text)
    if not family and not given:
        family, given = _in_attributes(element)
    if not family and not given:
        return False
    for person in (*found, paired(family, given)):
        if role is None:
            draft.add_creator(person)
        else:
            draft.add_contributor(person, role=role or None)
    for text in others:
        draft.add_extra(f"{draft.prefix}:{'creator' if role is None else 'contributor'}", text)
    return True


def _in_attributes(element: etree._Element) -> tuple[str, str]:
    """Return the family and the given name that an element states in its attributes."""
    family, given = "", ""
    for key, value in element.attrib.items():
        name = str(key).rpartition("}")[2]
        if is_family(name):
            family = family or str(value)
        elif is_given(name):
            given = given or str(value)
    return (family, given) if family else ("", "")


def _folded(name: str) -> str:
    if not name.isascii():
        name = "".join(
            each for each in unicodedata.normalize("NFKD", name) if not unicodedata.combining(each)
        )
    return name.replace("-", "").replace("_", "").lower()
