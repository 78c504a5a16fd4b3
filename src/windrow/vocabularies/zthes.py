"""Zthes 1.0: a thesaurus as term records in XML, each with its related terms.

A term record has the identifier of the term, its name and a relation per neighbour: BT and NT for broader and
narrower terms, RT for related ones, UF for names that are not preferred, LE for names in other languages.
Non-descriptors (ND) are read as alternative labels of the term they refer to with USE.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator, Sequence
from pathlib import Path
from typing import IO

from lxml import etree

from windrow.errors import UsageError
from windrow.model.thesaurus import Concept, Label, best_label
from windrow.store.vocabulary import vocabulary_staging as staging
from windrow.store.vocabulary.vocabulary_staging import Statement
from windrow.vocabularies.concept_table import resource
from windrow.vocabularies.rdf_child import open_plain

ROOT = "Zthes"
MOST_RELATIONS = 100_000  # of one term
_RELATIONS = {
    "BT": staging.BROADER,
    "BTG": staging.BROADER,
    "BTI": staging.BROADER,
    "BTP": staging.BROADER,
    "NT": staging.NARROWER,
    "NTG": staging.NARROWER,
    "NTI": staging.NARROWER,
    "NTP": staging.NARROWER,
    "RT": staging.RELATED,
}
_NOTES = {
    "scope": staging.NOTE + "scope",
    "definition": staging.NOTE + "definition",
    "history": staging.NOTE + "history",
    "editorial": staging.NOTE + "editorial",
    "example": staging.NOTE + "example",
}
_CONTROL = dict.fromkeys([*range(9), 11, 12, *range(14, 32), 0xFFFE, 0xFFFF])


def read_zthes(path: Path, base: str) -> Iterator[Statement]:
    """Yield the statements of a file's term records; raise UsageError for a malformed file."""
    try:
        with open_plain(str(path)) as file:
            found = etree.iterparse(
                file, events=("end",), tag=("{*}term", "{*}thes"),
                resolve_entities=False, no_network=True, load_dtd=False, huge_tree=False,
            )  # fmt: skip
            for _, element in found:
                if _local(element) == "thes":
                    yield from _thesaurus(element, base)
                elif element.getparent() is None or _local(element.getparent()) == ROOT:
                    yield from _term(element, base)
                else:
                    continue
                element.clear()
                while element.getprevious() is not None:
                    del element.getparent()[0]
    except (etree.XMLSyntaxError, OSError, EOFError) as exc:
        raise UsageError(f"{path.name} cannot be read: {exc}") from exc


def write_zthes(
    concepts: Iterable[Concept],
    file: IO[bytes],
    *,
    neighbours: Callable[[Concept], Neighbours],
    languages: Sequence[str] = (),
    title: str = "",
) -> None:
    """Write concepts as one Zthes document, without collecting them in memory."""
    with etree.xmlfile(file, encoding="utf-8") as out, out.element(ROOT):
        if title:
            thesaurus = etree.Element("thes")
            etree.SubElement(thesaurus, "{http://purl.org/dc/elements/1.1/}title").text = _clean(title)
            out.write(thesaurus, pretty_print=True)
        for concept in concepts:
            out.write(term_record(concept, neighbours(concept), languages), pretty_print=True)


class Neighbours:
    """The parents, children and related concepts of one, and their identifiers."""

    def __init__(
        self,
        broader: Sequence[Concept] = (),
        narrower: Sequence[Concept] = (),
        related: Sequence[Concept] = (),
        *,
        identify: Callable[[Concept], str] = lambda concept: concept.uri,
    ) -> None:
        self.relations = {"BT": broader, "NT": narrower, "RT": related}
        self.identify = identify


def term_record(concept: Concept, around: Neighbours, languages: Sequence[str] = ()) -> etree._Element:
    """Return one concept as a `term` element, named in the first of these languages that it has."""
    term = etree.Element("term")
    name = best_label(concept.preferred, languages)
    _add(term, "termId", around.identify(concept))
    _name(term, concept, name, "TT" if not around.relations["BT"] else "PT")
    for note in concept.notes:
        _add(
            term, "termNote", note.text, label=note.kind, **({"lang": note.language} if note.language else {})
        )
    for kind, found in around.relations.items():
        for other in found:
            relation = _relation(term, kind)
            _add(relation, "termId", around.identify(other))
            _name(relation, other, best_label(other.preferred, languages), "PT")
    for kind, labels in (("UF", concept.alternative), ("LE", [x for x in concept.preferred if x != name])):
        for label in labels:
            relation = _relation(term, kind)
            _add(relation, "termId", f"{around.identify(concept)}#{kind}:{label.language}:{label.text}")
            _add(relation, "termName", label.text)
            _add(relation, "termType", "ND" if kind == "UF" else "PT")
            if label.language:
                _add(relation, "termLanguage", label.language)
    return term


def _name(element: etree._Element, concept: Concept, name: Label | None, kind: str) -> None:
    _add(element, "termName", name.text if name else concept.label())
    _add(element, "termType", kind)
    if name and name.language:
        _add(element, "termLanguage", name.language)


def _relation(term: etree._Element, kind: str) -> etree._Element:
    relation = etree.SubElement(term, "relation")
    _add(relation, "relationType", kind)
    return relation


def _add(parent: etree._Element, name: str, text: str, **attributes: str) -> None:
    etree.SubElement(parent, name, {key: _clean(value) for key, value in attributes.items()}).text = _clean(
        text
    )


def _clean(text: str) -> str:
    return text.translate(_CONTROL).encode("utf-8", "replace").decode()


def _thesaurus(element: etree._Element, base: str) -> Iterator[Statement]:
    for child in element:
        if _local(child) == "title" and child.text:
            yield Statement(base, staging.TYPE, staging.SCHEME)
            yield Statement(base, staging.TITLE, " ".join(child.text.split()))


def _term(element: etree._Element, base: str) -> Iterator[Statement]:
    identifier, name, language = (_text(element, each) for each in ("termId", "termName", "termLanguage"))
    if not identifier and not name:
        return
    subject = resource(identifier or name, base)
    relations = element.findall("{*}relation")[:MOST_RELATIONS]
    uses = [each for each in relations if _text(each, "relationType") in ("USE", "US")]
    if _text(element, "termType") == "ND" and uses:
        for each in uses:
            used = _text(each, "termId") or _text(each, "termName")
            if used and name:
                yield Statement(resource(used, base), staging.ALTERNATIVE, name, language.lower())
        return
    yield Statement(subject, staging.TYPE, staging.CONCEPT)
    if identifier and subject != identifier:
        yield Statement(subject, staging.NOTATION, identifier)
    qualifier = _text(element, "termQualifier")
    if name:
        label = f"{name} ({qualifier})" if qualifier else name
        yield Statement(subject, staging.PREFERRED, label, language.lower())
    for note in element.findall("{*}termNote"):
        kind = _NOTES.get((note.get("label") or note.get("note") or "").lower(), staging.NOTE + "scope")
        if text := " ".join("".join(map(str, note.itertext())).split()):
            yield Statement(subject, kind, text, (note.get("lang") or language).lower())
    for each in relations:
        yield from _related(subject, each, base)


def _related(subject: str, relation: etree._Element, base: str) -> Iterator[Statement]:
    kind, identifier = _text(relation, "relationType"), _text(relation, "termId")
    name, language = _text(relation, "termName"), _text(relation, "termLanguage").lower()
    if kind in _RELATIONS and (identifier or name):
        yield Statement(subject, _RELATIONS[kind], resource(identifier or name, base))
    elif kind == "UF" and name:
        yield Statement(subject, staging.ALTERNATIVE, name, language)
    elif kind == "LE" and name:
        yield Statement(subject, staging.PREFERRED, name, language)


def _local(element: etree._Element) -> str:
    """Return the name of an element without its namespace or prefix; "" for a comment."""
    return re.split("[}:]", element.tag)[-1] if isinstance(element.tag, str) else ""


def _text(element: etree._Element, name: str) -> str:
    found = element.find(f"{{*}}{name}")
    return "" if found is None else " ".join("".join(map(str, found.itertext())).split())
