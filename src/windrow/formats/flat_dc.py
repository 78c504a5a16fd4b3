"""The quick way through plain oai_dc, for records of the shape nearly every server writes.

`registry` tries this way first: oai_dc is what every repository speaks, and by far the most records are
plain. One regular expression cuts the payload at its elements; what each of them adds is gathered without a
tree and without a draft. What is not plain (other tags, comments, CDATA) or not well-formed gets no answer
here and goes through the parser, to the same document or to its error.
"""

from __future__ import annotations

from windrow.formats.draft import is_citation, is_embargo, is_plain_name, says_more
from windrow.formats.flat_document import Lists, document_with
from windrow.formats.flat_tags import Element, Shape, shape_of
from windrow.formats.flat_text import Unsure, decoded, is_one_line, words_of
from windrow.formats.flat_values import LINKS, NAMES, RECURRING, RULES, SOURCES, Portions
from windrow.formats.links import identify
from windrow.model.document import Agent, Document, Moment, Subject, Text

MOST_SHAPES = 50
MOST_KEPT = 2000  # texts of one element that recurs
SHORT = 200  # characters; longer texts do not recur, and are looked through in another way

_new = tuple.__new__  # what a named tuple's own constructor calls, without the call around it


class FlatReader:
    """Reads plain oai_dc with one of these root elements, in Clark notation."""

    def __init__(self, roots: frozenset[str]) -> None:
        self._roots = roots
        self._shapes: dict[tuple[str, bytes], Shape | None] = {}
        self._last: Shape | None = None  # nearly always the next one's too
        self._kept: dict[str, dict[str, Portions]] = {name: {} for name in RECURRING}

    def read(self, payload: bytes, declarations: bytes) -> Document | None:
        """The document of a payload; None when it is one for the parser."""
        try:
            text = decoded(payload)
            shape = self._last
            if shape is None or declarations != shape.declarations or not text.startswith(shape.head):
                shape = self._last = self._shape_of(text[: text.find(">") + 1], declarations)
            return None if shape is None else document_with(self._gather(shape.cut(text), shape))
        except (Unsure, KeyError):  # KeyError: an element that Dublin Core does not have
            return None

    def _shape_of(self, head: str, declarations: bytes) -> Shape | None:
        try:
            return self._shapes[head, declarations]
        except KeyError:
            if len(self._shapes) >= MOST_SHAPES:
                self._shapes.clear()
        shape = self._shapes[head, declarations] = shape_of(head, declarations, self._roots)
        return shape

    def _gather(self, elements: list[Element], shape: Shape) -> Lists:
        """What all elements add.

        No loop is hotter, so elements that are frequent and simple (one line, no list, no reference) are
        dealt with inside it: the rules of `flat_values`, as far as they go there. A call for each would take
        longer than the rules do, which is why this function is as long as it is.
        """
        lists: Lists = [{}, {}, {}, {}, {}, {}, {}, {}, {}, {}, {}, {}, {}, {}, {}, {}]
        titles, creators, contributors, subjects, descriptions, _, dates = lists[:7]
        recurring = self._kept
        for name, attributes, text in elements:
            language = shape.language(name, attributes) if attributes else None
            if (
                name in recurring
                or "&" in text
                or ";" in text
                or not ("  " not in text and text.isprintable() if len(text) < SHORT else is_one_line(text))
            ):
                self._add(lists, name, language, text)
                continue
            value = text.strip()
            if not value:
                continue
            if name == "subject" and "|" not in value:
                if value not in subjects:
                    subjects[value] = _new(Subject, (value, None, None, language))
            elif name == "creator" and is_plain_name(value):
                if value not in creators:
                    creators[value] = _new(Agent, (value, None, None, ()))
            elif name == "identifier":
                _add_identifier(lists, value)
            elif name == "title":
                words = _new(Text, (value, language))
                titles[words] = words
            elif name == "description" and value[:4] != "http":
                # Most records have just one, and it is long to compare: `document_with` tells them apart.
                descriptions[len(descriptions)] = _new(Text, (value, language))
            elif name == "contributor" and is_plain_name(value):
                if value not in contributors:
                    contributors[value] = _new(Agent, (value, None, None, ()))
            elif name == "date" and not is_embargo(value):
                moment = _new(Moment, (value, "date"))
                dates[moment] = moment
            else:
                self._add(lists, name, language, text)
        return lists

    def _add(self, lists: Lists, name: str, language: str | None, text: str) -> None:
        """Add any element by its rule; what its words come to is kept where they recur."""
        kept = self._kept.get(name)
        portions = kept.get(text) if kept is not None else None
        if portions is None:
            portions = RULES[name](words_of(text), language)
            if kept is not None and len(text) < SHORT:
                if len(kept) >= MOST_KEPT:
                    kept.clear()
                kept[text] = portions
        for place, key, value in portions:
            held = lists[place]
            if key not in held or (place == LINKS and says_more(value, held[key])):
                held[key] = value


def _add_identifier(lists: Lists, value: str) -> None:
    name, link = identify(value)
    if link is not None:
        links = lists[LINKS]
        if link.url not in links or says_more(link, links[link.url]):
            links[link.url] = link
    if name is not None:
        if is_citation(name):
            lists[SOURCES][value] = value
        else:
            lists[NAMES][name] = name
