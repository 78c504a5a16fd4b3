"""Tools for readers of XML records: text and language of elements, names of people, tables of paths.

A `Trail` records which elements a reader has used; afterwards the text of all others goes into `extra`,
named after their part of the record, so that nothing is lost. `read_paths` reads a nested format by a table
of paths.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Callable, Collection, Iterator, Mapping

from lxml import etree

from windrow.formats.mapping.document_draft import Draft
from windrow.formats.mapping.markup import collapse_spaces
from windrow.model.text.language_codes import language_codes

# Text, language and name of an element. `Draft` is re-exported because every reader needs it as well.

__all__ = ["XML_LANG", "Draft", "element_language", "element_text", "element_words", "local_name"]

XML_LANG = "{http://www.w3.org/XML/1998/namespace}lang"

# Block elements: without a space between them their words would run together.
_APART = frozenset(
    ("br", "dd", "div", "dt", "h1", "h2", "h3", "h4", "li", "p", "sec", "td", "th", "title", "tr")
)


def element_text(element: etree._Element) -> str:
    """Return all text inside an element, on one line."""
    text = element.text or "" if len(element) == 0 else element_words(element)
    return " ".join(text.split())


def element_words(element: etree._Element) -> str:
    """Return all text inside an element, unchanged except that block elements are separated."""
    if len(element) == 0:
        return element.text or ""
    pieces: list[str] = []
    for event, node in etree.iterwalk(element, events=("start", "end", "comment", "pi")):
        if event == "start":
            pieces.append(node.text or "")
            continue
        if local_name(node) in _APART:
            pieces.append("\n\n")
        if node is not element:
            pieces.append(node.tail or "")
    return "".join(pieces)


def element_language(element: etree._Element) -> str | None:
    """Return the language code of an element's own xml:lang or lang attribute, or None if unknown."""
    said = element.get(XML_LANG) or element.get("lang") or element.get("language")
    if not said:
        return None
    codes = language_codes(said)
    return codes[0] if codes else None


def local_name(element: etree._Element) -> str:
    """Return the name without its namespace, or "" for a comment or a processing instruction."""
    tag = element.tag
    return tag.rpartition("}")[2] if isinstance(tag, str) else ""


# Attributes with a value of their own. Any other attribute counts, too, if its value has several words.
_VALUE_NAMES = """
href resource valueuri ref url uri src value label displaylabel title caption content text description note
term alt summary
"""
_VALUES = frozenset(_VALUE_NAMES.split())
# Attributes about the text, in any format.
_FORMAL_NAMES = "id idref lang encoding version style datatype schema"
_FORMAL = frozenset(_FORMAL_NAMES.split())
_WORD = re.compile(r"[^\W_]{2}")
# Namespaces for the parser, not for the record.
_TECHNICAL = ("http://www.w3.org/2001/XMLSchema-instance", "http://www.w3.org/XML/1998/namespace")
_LONGEST_NAME = 64  # characters; names come from outside, and a long one times many values adds up


def own_text(element: etree._Element) -> str:
    """Return the text directly inside the element, not that of its children."""
    parts = [element.text or ""]
    parts += [child.tail or "" for child in element]
    return collapse_spaces(" ".join(parts))


def down_to(element: etree._Element, *names: str) -> Iterator[etree._Element]:
    """Yield all descendants in document order, without those inside elements of the given names."""
    stack = list(reversed(element))
    while stack:
        part = stack.pop()
        if local_name(part):
            yield part
            if local_name(part) not in names:
                stack.extend(reversed(part))


def add_leaves(draft: Draft, element: etree._Element, label: str) -> None:
    """Put every text inside an element into `extra` under one name."""
    # Separately, because words of neighbouring elements would otherwise run together.
    if len(element) == 0 or (element.text or "").strip():
        draft.add_extra(label, element_text(element))
        return
    for part in element.iter():
        if local_name(part):
            draft.add_extra(label, own_text(part))


def add_attributes(
    draft: Draft,
    element: etree._Element,
    label: str,
    *,
    used: Collection[str] = frozenset(),
    is_unknown: bool = False,
) -> None:
    """Put the values of an element's attributes into `extra`, except those that were used.

    With `is_unknown`, for formats without a reader, every attribute that contains a word counts as a value.
    """
    for name, value in element.attrib.items():
        namespace, _, key = str(name).rpartition("}")
        text = str(value).strip()
        if not text or text in used or value in used or namespace[1:] in _TECHNICAL:
            continue
        is_value = is_unknown and key.lower() not in _FORMAL and _WORD.search(text) is not None
        if is_value or key.lower() in _VALUES or " " in text:
            draft.add_extra(f"{label}@{key[:_LONGEST_NAME]}", text)


class Trail:
    """Record of the elements and attributes that a reader has used."""

    def __init__(self) -> None:
        self._used: set[etree._Element] = set()
        self._values: set[str] = set()

    def __contains__(self, element: etree._Element) -> bool:
        return element in self._used

    def use(self, element: etree._Element) -> str:
        """Return all text inside the element, and mark it and its descendants as used."""
        self._used.add(element)
        return element_text(element)

    def skip(self, element: etree._Element) -> None:
        """Mark the element and its descendants as used."""
        self._used.add(element)

    def value(self, element: etree._Element, name: str) -> str:
        """Return an attribute's value, or "", and mark the value as used."""
        found = element.get(name) or ""
        self._values.add(found)
        return found

    def sweep(
        self, root: etree._Element, draft: Draft, prefix: str, *, anchors: frozenset[str] = frozenset()
    ) -> None:
        """Put everything unused into `extra` as `prefix:anchor/element`.

        The anchor is the child of the root that contains the element, or its nearest ancestor in `anchors`.
        """
        stack = [(root, "", 0)]
        while stack:
            element, anchor, depth = stack.pop()
            if element in self._used:
                continue
            name = local_name(element)[:_LONGEST_NAME]
            is_anchor = depth <= 1 or name in anchors
            anchor = name if is_anchor else anchor
            label = f"{prefix}:{anchor}" if is_anchor else f"{prefix}:{anchor}/{name}"
            draft.add_extra(label, own_text(element))
            add_attributes(draft, element, label, used=self._values)
            stack.extend((child, anchor, depth + 1) for child in reversed(element) if local_name(child))


# Names of people in separate elements for family and given name, under the names of any format. Schemas
# that nest people (CERIF, JATS, CMDI, DataCite inside Dublin Core …) name the parts differently. A format's
# reader knows its own names; these functions are for elements that a record should not have.

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
    return _folded(name) in _FAMILY


def is_given(name: str) -> bool:
    return _folded(name) in _GIVEN


def paired(family: str, given: str) -> str:
    """Return the two parts as catalogues write them; either may be empty."""
    return ", ".join(filter(None, (" ".join(family.split()), " ".join(given.split()))))


def is_name_part(element: etree._Element) -> bool:
    """Return whether an element contains nothing but a family or a given name."""
    return len(element) == 0 and (is_family(local_name(element)) or is_given(local_name(element)))


def name_in(element: etree._Element) -> str:
    """Return the name in the children of an element, or "" if they are not name parts."""
    parts = {"family": "", "given": ""}
    for child in element:
        name = local_name(child)
        kind = "family" if is_family(name) else "given" if is_given(name) else ""
        if kind and not parts[kind]:
            parts[kind] = element_text(child)
    return paired(parts["family"], parts["given"]) if parts["family"] else ""


def add_people(draft: Draft, element: etree._Element, *, role: str | None) -> bool:
    """Add the people whose name parts are inside an element. Return False if there are none.

    A `role` of None makes them creators, any other contributors. Other text goes to extra.
    """
    family, given, found, others = "", "", list[str](), list[str]()
    for part in element.iter():
        name = local_name(part)
        if not name or len(part):
            continue
        text = element_text(part)
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


# Reading a nested format by a table of paths. A key is the end of a path in lower case, without namespaces
# ("titlestmt/title"); the longest match counts. A rule takes what it can use through the trail; everything
# else goes into `extra`.

LONGEST_PATH = 5  # names in a key

Rule = Callable[[Draft, etree._Element, Trail], None]


def read_paths(
    root: etree._Element, draft: Draft, rules: Mapping[str, Rule], *, trail: Trail | None = None
) -> None:
    """Apply the rules to everything inside an element, and put the rest into extra."""
    trail = trail or Trail()
    stack: list[tuple[etree._Element, tuple[str, ...]]] = [(root, ())]
    while stack:
        element, around = stack.pop()
        path = (*around[1 - LONGEST_PATH :], local_name(element).lower())
        rule = _rule_for(path, rules)
        if rule is not None and element not in trail:
            rule(draft, element, trail)
        if element not in trail:
            stack.extend((child, path) for child in reversed(element) if local_name(child))
    trail.sweep(root, draft, draft.prefix)


def _rule_for(path: tuple[str, ...], rules: Mapping[str, Rule]) -> Rule | None:
    for start in range(len(path)):
        rule = rules.get("/".join(path[start:]))
        if rule is not None:
            return rule
    return None


def into(add: Callable[[Draft, str], None]) -> Rule:
    """Return the rule that adds all text of an element."""
    return lambda draft, element, trail: add(draft, trail.use(element))


def worded(add: Callable[[Draft, str, str | None], None]) -> Rule:
    """Return the rule that adds each text of an element with its language."""

    def put(draft: Draft, element: etree._Element, trail: Trail) -> None:
        parts = [part for part in element if local_name(part).lower() in TEXT_HOLDERS]
        for part in parts:
            add(draft, trail.use(part), element_language(part) or element_language(element))
        if not parts:
            add(draft, trail.use(element), element_language(element))

    return put


# Elements that contain the text of their parent, once for each language.
TEXT_HOLDERS = frozenset(("string", "langstring", "content", "characterstring"))


def abstract(draft: Draft, text: str, language: str | None) -> None:
    draft.add_description(text, language, is_abstract=True)


def subject(draft: Draft, text: str, language: str | None) -> None:
    draft.add_subject(text, language=language)


TITLE: Rule = worded(Draft.add_title)
ALTERNATIVE: Rule = worded(Draft.add_alternative)
ABSTRACT: Rule = worded(abstract)
DESCRIPTION: Rule = worded(Draft.add_description)
SUBJECT: Rule = worded(subject)
IDENTIFIER: Rule = into(Draft.add_identifier)
LANGUAGE: Rule = into(Draft.add_language)
TYPE: Rule = into(Draft.add_type)
PUBLISHER: Rule = into(Draft.add_publisher)
RIGHTS: Rule = into(Draft.add_rights)
KEYWORD: Rule = into(Draft.add_keyword)


def dated(kind: str, *attributes: str) -> Rule:
    """Return the rule that adds a date: from one of the attributes if present, otherwise the text."""

    def put(draft: Draft, element: etree._Element, trail: Trail) -> None:
        exact = next((trail.value(element, name) for name in attributes if element.get(name)), "")
        text = trail.use(element)
        draft.add_date(exact or text, kind)
        if exact and text and text not in exact:
            draft.add_extra(f"{draft.prefix}:{local_name(element)[:64]}", text)

    return put


def contributed(role: str | None, *, is_creator: bool = False) -> Rule:
    """Return the rule that adds a person or body by the name inside an element."""

    def put(draft: Draft, element: etree._Element, trail: Trail) -> None:
        affiliation = trail.value(element, "affiliation")
        name = name_in(element)
        if name:
            for child in element:
                if is_name_part(child):
                    trail.skip(child)
        else:
            name = trail.use(element)
        add = draft.add_creator if is_creator else draft.add_contributor
        add(name, role=role, affiliations=[affiliation] if affiliation else ())

    return put
