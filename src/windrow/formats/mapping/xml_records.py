"""What a reader of a nested format has not used: kept by name, so that nothing is thrown away.

The reader tells a `Trail` which elements it has used; when it is done, the trail puts the text
of all the others into `extra`, named after the part of the record they stand in.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Callable, Collection, Iterator, Mapping

from lxml import etree

from windrow.formats.mapping.document_draft import Draft
from windrow.formats.mapping.markup import collapse_spaces
from windrow.model.text.language_codes import language_codes

# How readers walk a record: the words inside an element, its language, its name.
# `Draft`, which they fill on the way, stands in `draft` and is offered here too: a reader needs both.

__all__ = ["XML_LANG", "Draft", "element_language", "element_text", "element_words", "local_name"]

XML_LANG = "{http://www.w3.org/XML/1998/namespace}lang"

# Children that stand on a line of their own: without a space between them words would grow together.
_APART = frozenset(
    ("br", "dd", "div", "dt", "h1", "h2", "h3", "h4", "li", "p", "sec", "td", "th", "title", "tr")
)


def element_text(element: etree._Element) -> str:
    """All the text inside an element, on one line."""
    text = element.text or "" if len(element) == 0 else element_words(element)
    return " ".join(text.split())


def element_words(element: etree._Element) -> str:
    """All the text inside an element as it stands, block elements kept apart."""
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
    """The ISO 639 code of an element's own xml:lang or lang attribute; None where it says none we know."""
    said = element.get(XML_LANG) or element.get("lang") or element.get("language")
    if not said:
        return None
    codes = language_codes(said)
    return codes[0] if codes else None


def local_name(element: etree._Element) -> str:
    """The name of an element without its namespace; "" for a comment or a processing instruction."""
    tag = element.tag
    return tag.rpartition("}")[2] if isinstance(tag, str) else ""


# Attributes that hold a value of their own rather than say something about the text. So does every other one
# of several words.
_VALUE_NAMES = """
href resource valueuri ref url uri src value label displaylabel title caption content text description note
term alt summary
"""
_VALUES = frozenset(_VALUE_NAMES.split())
# Attributes that are about the text, in any format.
_FORMAL_NAMES = "id idref lang encoding version style datatype schema"
_FORMAL = frozenset(_FORMAL_NAMES.split())
_WORD = re.compile(r"[^\W_]{2}")
# Names of namespaces and schemas, of the parser's business and not of the record's.
_TECHNICAL = ("http://www.w3.org/2001/XMLSchema-instance", "http://www.w3.org/XML/1998/namespace")
_LONGEST_NAME = 64  # names come from outside too: a long one times many values must not add up


def own_text(element: etree._Element) -> str:
    """Return the text that stands directly in the element, not in its children."""
    parts = [element.text or ""]
    parts += [child.tail or "" for child in element]
    return collapse_spaces(" ".join(parts))


def down_to(element: etree._Element, *names: str) -> Iterator[etree._Element]:
    """Yield all elements inside an element in order, but none inside those of these names."""
    stack = list(reversed(element))
    while stack:
        part = stack.pop()
        if local_name(part):
            yield part
            if local_name(part) not in names:
                stack.extend(reversed(part))


def add_leaves(draft: Draft, element: etree._Element, label: str) -> None:
    """Put the text of an element and of all inside it into `extra`, each piece by itself, under one name.

    Apart, because words of neighbouring elements would otherwise grow together.
    """
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
    """Put the values that stand in an element's attributes into `extra`, but for those that were used.

    Of a format that no reader knows, every attribute with a word in it may be a value.
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
    """Where a reader has been."""

    def __init__(self) -> None:
        self._used: set[etree._Element] = set()
        self._values: set[str] = set()

    def __contains__(self, element: etree._Element) -> bool:
        return element in self._used

    def use(self, element: etree._Element) -> str:
        """Return all text inside the element, and count it and all inside it as used."""
        self._used.add(element)
        return element_text(element)

    def skip(self, element: etree._Element) -> None:
        """Count the element and all inside it as used."""
        self._used.add(element)

    def value(self, element: etree._Element, name: str) -> str:
        """Return an attribute's value, and count that value as used; empty where there is none."""
        found = element.get(name) or ""
        self._values.add(found)
        return found

    def sweep(
        self, root: etree._Element, draft: Draft, prefix: str, *, anchors: frozenset[str] = frozenset()
    ) -> None:
        """Put what is unused into `extra` as `prefix:anchor/element`.

        The anchor is the child of the root that the element stands in, or the nearest element
        around it that `anchors` names.
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


# Names of people whose parts stand in elements of their own: family and given name, in any format's
# words.
# Schemas that nest people (CERIF, JATS, CMDI, DataCite inside Dublin Core …) call the parts differently;
# the reader of a format knows its own, this module is for elements that a record should not have but
# does.

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
    return len(element) == 0 and (is_family(local_name(element)) or is_given(local_name(element)))


def name_in(element: etree._Element) -> str:
    """Return the name whose two parts are children of an element; "" where they are not."""
    parts = {"family": "", "given": ""}
    for child in element:
        name = local_name(child)
        kind = "family" if is_family(name) else "given" if is_given(name) else ""
        if kind and not parts[kind]:
            parts[kind] = element_text(child)
    return paired(parts["family"], parts["given"]) if parts["family"] else ""


def add_people(draft: Draft, element: etree._Element, *, role: str | None) -> bool:
    """Add the people whose name parts stand inside an element; False where there are no such parts.

    `role` None makes them creators, anything else contributors. What stands beside the names goes to extra.
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


# Nested formats by a table: what stands at the end of which path goes where, and the rest is kept.
# A reader of such a format is little more than its table. A key is the end of a path in small letters,
# without namespaces ("titlestmt/title"); of several that fit, the longest holds. A rule takes what it can
# use through the trail; what no rule took is swept into `extra`.

LONGEST_PATH = 5  # names at the end of a path that a key may have

Rule = Callable[[Draft, etree._Element, Trail], None]


def read_paths(
    root: etree._Element, draft: Draft, rules: Mapping[str, Rule], *, trail: Trail | None = None
) -> None:
    """Put everything inside an element where the rules say, and what is left into extra."""
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
    """Return the rule that adds each text of an element in its language: one, or one for each language."""

    def put(draft: Draft, element: etree._Element, trail: Trail) -> None:
        parts = [part for part in element if local_name(part).lower() in TEXT_HOLDERS]
        for part in parts:
            add(draft, trail.use(part), element_language(part) or element_language(element))
        if not parts:
            add(draft, trail.use(element), element_language(element))

    return put


# Elements that hold the text of the one around them, once for each language.
TEXT_HOLDERS = frozenset(("string", "langstring", "content", "characterstring"))


def abstract(draft: Draft, text: str, language: str | None) -> None:
    """Add an abstract."""
    draft.add_description(text, language, is_abstract=True)


def subject(draft: Draft, text: str, language: str | None) -> None:
    """Add a topic as it stands."""
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
    """Return the rule that adds a date: that of an attribute, where it has one, else its text."""

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
