"""arXiv's own formats: `arXiv`, with structured authors, and `arXivRaw`, with all versions."""

from __future__ import annotations

import re

from lxml import etree

from windrow.formats.mapping.xml_records import (
    Draft,
    Trail,
    element_text,
    element_words,
    local_name,
    own_text,
)
from windrow.formats.registry import Reader
from windrow.model.document import Document

_SCHEMES = {"categories": "arxiv", "msc-class": "msc", "acm-class": "acm"}
_ID = re.compile(r"[\w.-]{1,40}(?:/\d{7})?(?:v\d{1,3})?")
_AND = re.compile(r",\s+(?:and\s+)?|\s+and\s+")


class Arxiv:
    """Reader of arXiv and arXivRaw."""

    name = "arXiv"
    prefixes = frozenset(("arXiv", "arXivRaw", "arxiv", "arXivOld"))
    roots = frozenset(
        (
            "{http://arxiv.org/OAI/arXiv/}arXiv",
            "{http://arxiv.org/OAI/arXivRaw/}arXivRaw",
            "{http://arxiv.org/OAI/arXivOld/}arXivOld",
            "arXiv",
            "arXivRaw",
        )
    )

    def read(self, root: etree._Element) -> Document:
        draft, trail = Draft("arXiv"), Trail()
        for child in root:
            name = local_name(child)
            if name == "authors":
                _add_authors(draft, trail, child)
            elif name == "version":
                _add_version(draft, trail, child)
            elif _add(draft, child, name):
                trail.skip(child)
        if len(root):
            draft.add_type("preprint")  # like everything on arXiv
        trail.sweep(root, draft, "arXiv")
        return draft.finish()


def _add(draft: Draft, child: etree._Element, name: str) -> bool:
    text = element_text(child)
    if name == "id":
        _add_id(draft, text)
    elif name == "title":
        draft.add_title(text)
    elif name == "abstract":
        draft.add_description(element_words(child), is_abstract=True)
    elif name in ("created", "updated"):
        draft.add_date(text, name)
    elif name in _SCHEMES:
        for part in text.split() if name == "categories" else re.split("[,;]", text):
            draft.add_subject(part, scheme=_SCHEMES[name])
    elif name == "comments":
        draft.add_extent(text, name)  # "12 pages, 4 figures"
    elif name == "journal-ref":
        draft.add_source(text)
    elif name == "doi":
        for doi in text.split():
            draft.add_identifier(doi, scheme="doi")
    elif name == "license":
        draft.add_rights(text)
    else:
        return False
    return True


def _add_id(draft: Draft, text: str) -> None:
    # The number identifies record, page and file: arXiv has one address scheme.
    if _ID.fullmatch(text) is None:
        draft.add_identifier(text)
        return
    draft.add_identifier(f"arXiv:{text}", scheme="arxiv")
    draft.add_link(f"https://arxiv.org/abs/{text}")
    draft.add_link(f"https://arxiv.org/pdf/{text}", media_type="application/pdf")


def _add_version(draft: Draft, trail: Trail, version: etree._Element) -> None:
    kind = "created" if version.get("version") in (None, "v1") else "updated"
    for part in version:
        if local_name(part) == "date":
            draft.add_date(trail.use(part), kind)


def _add_authors(draft: Draft, trail: Trail, authors: etree._Element) -> None:
    for author in authors:
        _add_author(draft, trail, author)
    if len(authors) == 0:
        for name in _names_in(own_text(authors)):
            draft.add_creator(name)


def _add_author(draft: Draft, trail: Trail, author: etree._Element) -> None:
    said: dict[str, str] = {}
    affiliations: list[str] = []
    for part in author:
        if local_name(part) == "affiliation":
            affiliations.append(trail.use(part))
        elif local_name(part) in ("keyname", "forenames", "suffix") and local_name(part) not in said:
            said[local_name(part)] = trail.use(part)
    family = " ".join(filter(None, (said.get("keyname"), said.get("suffix"))))
    name = ", ".join(filter(None, (family, said.get("forenames"))))
    draft.add_creator(name, affiliations=affiliations)


def _names_in(text: str) -> list[str]:
    """Return the names in "A. One, B. Two and C. Three (Somewhere)"; affiliations are in brackets."""
    kept: list[str] = []
    depth = 0
    for letter in text:
        depth += letter == "("
        if depth == 0:
            kept.append(letter)
        depth -= letter == ")" and depth > 0
    return [name.strip() for name in _AND.split("".join(kept)) if name.strip()]


READER: Reader = Arxiv()
