"""BibTeX: write one entry for a document.

The output is safe for any text: braces are balanced and TeX commands are escaped.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping

from windrow.formats.citations.reference_fields import (
    GENRES,
    MOST_PEOPLE,
    WorkKind,
    document_address,
    document_container,
    document_publisher,
    issued_parts,
    subjects_and_keywords,
    work_kind,
)
from windrow.formats.mapping.agent_names import parse_person_name
from windrow.model.document import Agent, Document
from windrow.model.text.folding import fold, folded_words

_TYPES: Mapping[WorkKind, str] = {
    WorkKind.DOCTORAL: "phdthesis",
    WorkKind.MASTER: "mastersthesis",
    # Classic BibTeX has no other type; the `type` field states the degree.
    WorkKind.BACHELOR: "mastersthesis",
    WorkKind.THESIS: "mastersthesis",
    WorkKind.CHAPTER: "incollection",
    WorkKind.CONFERENCE_PAPER: "inproceedings",
    WorkKind.PROCEEDINGS: "proceedings",
    WorkKind.REVIEW: "article",
    WorkKind.NEWS: "article",
    WorkKind.ARTICLE: "article",
    WorkKind.REPORT: "techreport",
    WorkKind.BOOK: "book",
}
_IN = {"article": "journal", "incollection": "booktitle", "inproceedings": "booktitle"}
_BY = {"phdthesis": "school", "mastersthesis": "school", "techreport": "institution"}
_MONTHS = ("jan", "feb", "mar", "apr", "may", "jun", "jul", "aug", "sep", "oct", "nov", "dec")
_GENRES = {**GENRES, WorkKind.THESIS: "Thesis"}

# BibTeX counts every brace, escaped or not, so a brace in a text is written as a named command.
_ESCAPES = str.maketrans(
    {
        "\\": r"{\textbackslash}",
        "{": r"{\textbraceleft}",
        "}": r"{\textbraceright}",
        "~": r"{\textasciitilde}",
        "^": r"{\textasciicircum}",
        "&": r"\&",
        "%": r"\%",
        "$": r"\$",
        "#": r"\#",
        "_": r"\_",
    }
)
_CONTROL = re.compile(r"[\x00-\x1f\x7f-\x9f\u2028\u2029\ud800-\udfff]+")
_UNSAFE_IN_ADDRESS = re.compile(r'[\s{}\\"<>^`|\x00-\x20\x7f-\x9f\ud800-\udfff]')
_AND = re.compile(r"\band\b", re.IGNORECASE)
_NOT_IN_KEY = re.compile(r"[^a-z0-9]+")


def write_bibtex(document: Document, identifier: str, *, key: str | None = None) -> str:
    """Return the entry, ending in a line break. `key` defaults to `citation_key`."""
    kind = work_kind(document)
    name = _TYPES.get(kind, "misc")
    lines = "".join(f"  {field} = {value},\n" for field, value in _fields(document, kind, name) if value)
    return f"@{name}{{{key or citation_key(document, identifier)},\n{lines}}}\n"


def citation_key(document: Document, identifier: str) -> str:
    """Return a key such as mower2012hay, or one made from the identifier if the document is too bare."""
    first = document.creators[0].name if document.creators else ""
    person = parse_person_name(first)
    family = _plain(person.family if person else next(iter(folded_words(first)), ""))
    year = "" if document.year is None else str(document.year)
    title = next((word for word in folded_words(document.title or "") if len(word) > 3), "")
    return (family + year + _plain(title))[:60] or _plain(identifier)[-60:] or "record"


def _fields(document: Document, kind: WorkKind, name: str) -> Iterator[tuple[str, str]]:
    parts = issued_parts(document)
    yield "author", _people(document.creators)
    yield "editor", _people(agent for agent in document.contributors if agent.role == "editor")
    yield "title", _braced(f"{{{_text(document.title)}}}" if document.title else "")
    yield "year", _braced(str(parts[0]) if parts else "")
    yield "month", _MONTHS[parts[1] - 1] if len(parts) > 1 else ""
    yield _IN.get(name, "howpublished"), _braced(_text(document_container(document, kind)))
    yield _BY.get(name, "publisher"), _braced(_text(document_publisher(document, kind)))
    yield "type", _braced(_text(_GENRES.get(kind)))
    yield "pagetotal", _braced(str(document.pages or ""))
    for scheme in ("doi", "isbn", "issn"):
        value = next((each.value for each in document.names if each.scheme == scheme), "")
        yield scheme, _braced(_address(value))
    yield "url", _braced(_address(document_address(document) or ""))
    yield "language", _braced(_text(", ".join(document.languages)))
    yield "keywords", _braced(_text(", ".join(subjects_and_keywords(document))))
    yield "abstract", _braced(_text(document.descriptions[0].value if document.descriptions else ""))


def _people(agents: Iterable[Agent]) -> str:
    return _braced(" and ".join(map(_person, list(agents)[:MOST_PEOPLE])))


def _person(agent: Agent) -> str:
    # An organisation, or a name that contains "and", goes into braces, which keep it whole.
    person = parse_person_name(agent.name)
    if person is None or _AND.search(agent.name):
        return f"{{{_text(agent.name)}}}"
    parts = (person.family, person.suffix, person.given) if person.suffix else (person.family, person.given)
    return ", ".join(map(_text, parts))


def _braced(text: str) -> str:
    return f"{{{text}}}" if text.strip() else ""


def _text(words: str | None) -> str:
    return " ".join(_CONTROL.sub(" ", words or "").split()).translate(_ESCAPES)


def _address(text: str) -> str:
    # Addresses and numbers are not typeset, so they are not escaped; what would end the field is
    # percent-encoded.
    return _UNSAFE_IN_ADDRESS.sub(
        lambda found: "".join(f"%{byte:02X}" for byte in found[0].encode("utf-8", "replace")), text.strip()
    )


def _plain(text: str) -> str:
    return _NOT_IN_KEY.sub("", fold(text))
