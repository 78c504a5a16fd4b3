"""The record format `wir` of the robot: what a web page said of itself, as one XML element."""

from __future__ import annotations

import json
from collections.abc import Iterator

from lxml import etree

from windrow.formats.draft import Draft
from windrow.formats.elements import local
from windrow.formats.leftovers import Trail
from windrow.formats.wir.events import read_event
from windrow.formats.wir.items import add_items
from windrow.formats.wir.tag_names import tag_name
from windrow.formats.wir.tags import Taken, add_plain_tags, add_tags
from windrow.formats.wir.writer import NAMESPACE, PREFIX
from windrow.model.document import Document, LinkKind
from windrow.model.web_page import PAGE_TEXT, Item, MetaTag


class Wir:
    """Records of web pages."""

    name = PREFIX
    prefixes: frozenset[str] = frozenset()
    roots = frozenset({f"{{{NAMESPACE}}}wir", "wir"})  # without its namespace in records of Combine

    def read(self, root: etree._Element) -> Document:
        """Return the document that a page describes, or that it is."""
        trail, draft = Trail(), Draft(PREFIX)
        parts = _Parts(root, trail)
        taken: Taken = {}
        tags = [
            MetaTag(element.get("name") or "", text, element.get("scheme"), element.get("lang"))
            for element, text in parts.of("meta-tags", "meta")
            if element.get("name") and text
        ]
        items = [item for _, text in parts.of("items", "item") if (item := _item(text)) is not None]
        add_tags(draft, tags, taken)
        add_items(draft, items, taken)
        if not tags:
            _add_repeated(draft, parts)
        _add_page(draft, parts, tags, taken)
        trail.sweep(root, draft, PREFIX)
        return draft.finish()


class _Parts:
    """The parts of a record, by the elements that hold them."""

    def __init__(self, root: etree._Element, trail: Trail) -> None:
        self._root = root
        self._trail = trail

    def of(self, *path: str) -> Iterator[tuple[etree._Element, str]]:
        """The elements at the end of a path from the root on that hold no others, with their words."""
        found: list[etree._Element] = [self._root]
        for name in path:
            found = [child for element in found for child in element if local(child) == name]
        for element in found:
            if len(element) == 0:
                self._trail.skip(element)
                yield element, (element.text or "").strip()

    def first(self, *path: str) -> str:
        return next((text for _, text in self.of(*path) if text), "")

    def skip(self, *path: str) -> None:
        for _ in self.of(*path):
            pass


def _add_repeated(draft: Draft, parts: _Parts) -> None:
    """Take what Combine wrote instead of the tags."""
    for element, text in parts.of("controlled-terms", "cterm"):
        draft.add_subject(text, scheme=element.get("scheme"))
    for _, text in parts.of("availability", "publisher"):
        draft.add_publisher(text)
    for _, text in parts.of("availability", "schedule", "event"):
        event = read_event(text)
        if event is not None:
            draft.add_event(event)
    for _, text in parts.of("availability", "medium"):
        draft.add_type(text)
    for _, text in parts.of("access", "constraint"):
        draft.add_prerequisite(text)
    for _, text in parts.of("orig-rec-id"):
        draft.add_identifier(text)


def _add_page(draft: Draft, parts: _Parts, tags: list[MetaTag], taken: Taken) -> None:
    """Take what is of the page: its address, and its words where no metadata has better ones."""
    title = parts.first("title")
    headings = [text for _, text in parts.of("sample", "heading")]
    if "title" not in taken:
        is_site = len(headings) == 1 and not title
        named = next((tag.content for tag in tags if tag_name(tag.name) == ("og", "title")), "")
        draft.add_title(headings[0] if is_site else title or named)
        if title and named and named != title:
            draft.add_extra("wir:og.title", named)
    elif title and title not in taken["title"]:
        draft.add_extra("wir:title", title)
    add_plain_tags(draft, tags, taken)
    for number, (_, address) in enumerate(parts.of("availability", "available", "linkage")):
        draft.add_link(address, hint=LinkKind.RELATED if number else LinkKind.LANDING)
    language = parts.first("inf", "language")
    if language and not any(tag_name(tag.name).term == "language" for tag in tags):
        draft.add_language(language)
    text = parts.first("main-text") or parts.first("sample", "text")
    draft.add_extra(PAGE_TEXT, text)
    _skip_the_rest(parts)


def _skip_the_rest(parts: _Parts) -> None:
    for path in (
        *(("robot",), ("rec-id",), ("orig-rec-id",), ("rec-checked",), ("server-date",), ("last-modified",)),
        *(("inf", "nh"), ("inf", "nl"), ("inf", "size"), ("inf", "language"), ("server",)),
        *(("relation", "phrase"), ("relation", "uri"), ("relation", "type"), ("sample", "text")),
        *(("availability", "available", "format"), ("availability", "publisher"), ("availability", "medium")),
        *(("availability", "schedule", "event"), ("controlled-terms", "cterm"), ("access", "constraint")),
    ):
        parts.skip(*path)


def _item(text: str) -> Item | None:
    try:
        item = json.loads(text)
    except (ValueError, RecursionError):
        return None
    return item if isinstance(item, dict) else None


READER = Wir()
