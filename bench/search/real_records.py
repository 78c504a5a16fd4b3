"""Real records for the measurements of search quality, read from the shared fixtures beside the project.

Every OAI-PMH response and single record of the fixtures is read with the registered readers. A record is
known by the file it is in and its place there, so that judgements can name it without any of its content.
"""

from __future__ import annotations

import gzip
import json
import zlib
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from lxml import etree

from bench.errors import SetupError
from windrow.formats.registry import read
from windrow.index.tantivy.rows import Entry
from windrow.model.document import Agent, Document, Text
from windrow.model.text.folding import folded_words

FIXTURES = Path(__file__).resolve().parents[3] / "shared" / "fixtures"
FOLDERS = ("oai", "oai-bulk", "records")
MOST_OF_ONE_FILE = 400  # one repository must not outweigh all others
JSON_LINES = ".jsonl"  # Finnish grey literature: titles and people in Finnish, Swedish and English
_PARSER = etree.XMLParser(resolve_entities=False, no_network=True, huge_tree=True, load_dtd=False)


def read_entries(fixtures: Path = FIXTURES) -> list[Entry]:
    """Return the records with a title, each distinct title and creator once, numbered from 1."""
    if not fixtures.is_dir():
        raise SetupError(f"the shared fixtures are not at {fixtures}")
    found: list[Entry] = []
    seen: set[tuple[object, ...]] = set()
    for path in _paths(fixtures):
        for name, document in _documents(fixtures, path):
            key = _key(document)
            if key and key not in seen:
                seen.add(key)
                found.append(Entry(len(found) + 1, path.relative_to(fixtures).parts[1], name, (), document))
    return found


def _paths(fixtures: Path) -> Iterator[Path]:
    for folder in FOLDERS:
        yield from sorted(path for path in (fixtures / folder).rglob("*") if path.is_file())


def _documents(fixtures: Path, path: Path) -> Iterator[tuple[str, Document]]:
    """Return the documents of one file, at most so many, spread over it, each with its name."""
    if path.suffix == JSON_LINES:
        for place, line in enumerate(path.read_text("utf-8").splitlines()):
            yield f"{path.relative_to(fixtures)}#{place}", _grey_literature(json.loads(line)["ground_truth"])
        return
    records = _records(path)
    step = max(1, -(-len(records) // MOST_OF_ONE_FILE))
    for place in range(0, len(records), step):
        payload = etree.tostring(records[place], with_tail=False, encoding="utf-8")
        document = read(payload, b"", path.parent.name)
        if document.titles:
            yield f"{path.relative_to(fixtures)}#{place}", document


def _records(path: Path) -> list[etree._Element]:
    content = path.read_bytes()
    try:
        content = gzip.decompress(content) if path.suffix == ".gz" else content
        tree = etree.fromstring(content, _PARSER)
    except (etree.XMLSyntaxError, ValueError, OSError, EOFError, zlib.error):
        return []
    found = [child for each in tree.iter("{*}metadata") for child in each if isinstance(child.tag, str)]
    return found or [tree]


def _grey_literature(values: dict[str, Any]) -> Document:
    """Return such a record as a repository gives it in Dublin Core, where no title has a language."""
    year = str(values.get("year", ""))[:4]
    return Document(
        titles=tuple(Text(title) for title in (values["title"], *values.get("alt_title", ()))),
        creators=tuple(Agent(name) for name in values.get("creator", ())),
        publishers=tuple(values.get("publisher", ())),
        year=int(year) if year.isdecimal() else None,
        types=(values["type_coar"],) if values.get("type_coar") else (),
        languages=(values["language"],),
    )


def _key(document: Document) -> tuple[object, ...]:
    """What two copies of one record have in common; nothing for a title without words."""
    words = tuple(folded_words(document.title or ""))
    return (words, document.creators[:1]) if words else ()
