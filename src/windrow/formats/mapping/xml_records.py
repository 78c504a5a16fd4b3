"""What a reader of a nested format has not used: kept by name, so that nothing is thrown away.

The reader tells a `Trail` which elements it has used; when it is done, the trail puts the text
of all the others into `extra`, named after the part of the record they stand in.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Iterator

from lxml import etree

from windrow.formats.elements import Draft, local, text_of
from windrow.formats.markup import fold

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
    """Give the text that stands directly in the element, not in its children."""
    parts = [element.text or ""]
    parts += [child.tail or "" for child in element]
    return fold(" ".join(parts))


def down_to(element: etree._Element, *names: str) -> Iterator[etree._Element]:
    """Yield all elements inside an element in order, but none inside those of these names."""
    stack = list(reversed(element))
    while stack:
        part = stack.pop()
        if local(part):
            yield part
            if local(part) not in names:
                stack.extend(reversed(part))


def add_leaves(draft: Draft, element: etree._Element, label: str) -> None:
    """Put the text of an element and of all inside it into `extra`, each piece by itself, under one name.

    Apart, because words of neighbouring elements would otherwise grow together.
    """
    if len(element) == 0 or (element.text or "").strip():
        draft.add_extra(label, text_of(element))
        return
    for part in element.iter():
        if local(part):
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
        """Give all text inside the element, and count it and all inside it as used."""
        self._used.add(element)
        return text_of(element)

    def skip(self, element: etree._Element) -> None:
        """Count the element and all inside it as used."""
        self._used.add(element)

    def value(self, element: etree._Element, name: str) -> str:
        """Give an attribute's value, and count that value as used; empty where there is none."""
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
            name = local(element)[:_LONGEST_NAME]
            is_anchor = depth <= 1 or name in anchors
            anchor = name if is_anchor else anchor
            label = f"{prefix}:{anchor}" if is_anchor else f"{prefix}:{anchor}/{name}"
            draft.add_extra(label, own_text(element))
            add_attributes(draft, element, label, used=self._values)
            stack.extend((child, anchor, depth + 1) for child in reversed(element) if local(child))
