"""Nested formats by a table: what stands at the end of which path goes where, and the rest is kept.

A reader of such a format is little more than its table. A key is the end of a path in small letters, without
namespaces ("titlestmt/title"); of several that fit, the longest holds. A rule takes what it can use through
the trail; what no rule took is swept into `extra`.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping

from lxml import etree

from windrow.formats.elements import Draft, language_of, local
from windrow.formats.leftovers import Trail
from windrow.formats.structured_names import is_name_part, name_in

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
        path = (*around[1 - LONGEST_PATH :], local(element).lower())
        rule = _rule_for(path, rules)
        if rule is not None and element not in trail:
            rule(draft, element, trail)
        if element not in trail:
            stack.extend((child, path) for child in reversed(element) if local(child))
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
        parts = [part for part in element if local(part).lower() in TEXT_HOLDERS]
        for part in parts:
            add(draft, trail.use(part), language_of(part) or language_of(element))
        if not parts:
            add(draft, trail.use(element), language_of(element))

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
            draft.add_extra(f"{draft.prefix}:{local(element)[:64]}", text)

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
