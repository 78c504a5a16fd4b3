"""Tantivy without Windrow, as somebody would use it who knows it well: the measure for ours.

One field of everything for words in no field, a field each for those that are asked for by name, facts as
fast fields, events in fixed slots of one text, and what a line of results shows stored beside them.
"""

from __future__ import annotations

import json
import shutil
from collections.abc import Iterable
from pathlib import Path
from typing import Any

import tantivy

from bench.search.questions import Question, Row
from windrow.index.tantivy.rows import Entry
from windrow.model.document import Document

FOLDED, SLOTTED = "folded", "slotted"
TEXTS = ("title", "creator", "subject", "description", "anything")
FACTS = ("institution", "department", "type", "language", "topic", "keyword", "person", "publisher")
PLACES = ("source", "set", "identifier")
LONGEST_WORD = 40  # bytes, as in Tantivy's own default
SHOWN = 10
PLACE, PERIOD = 0, 1  # slots of an event


class PlainIndex:
    """An index in a folder, made or opened."""

    def __init__(self, folder: Path, *, is_new: bool = False) -> None:
        if is_new:
            shutil.rmtree(folder, ignore_errors=True)
            folder.mkdir(parents=True)
        self._schema = _schema()
        self._index = tantivy.Index(self._schema, str(folder), reuse=not is_new)
        words = tantivy.TextAnalyzerBuilder(tantivy.Tokenizer.simple())
        filters = (
            tantivy.Filter.remove_long(LONGEST_WORD),
            tantivy.Filter.lowercase(),
            tantivy.Filter.ascii_fold(),
        )
        for each in filters:
            words = words.filter(each)
        self._index.register_tokenizer(FOLDED, words.build())
        slots = tantivy.TextAnalyzerBuilder(tantivy.Tokenizer.whitespace())
        self._index.register_tokenizer(SLOTTED, slots.build())
        self._searcher = self._index.searcher()

    def build(self, entries: Iterable[Entry]) -> None:
        """Take in everything; come back when it can be searched and nothing is merged any more."""
        writer = self._index.writer()
        for entry in entries:
            writer.add_document(self._document(entry))
        writer.commit()
        writer.wait_merging_threads()
        self._reload()

    def update(self, entries: Iterable[Entry]) -> None:
        """Put entries in the place of earlier ones; come back when they are found."""
        writer = self._index.writer()
        for entry in entries:
            writer.delete_documents_by_term("number", entry.number)
            writer.add_document(self._document(entry))
        writer.commit()
        self._reload()

    def ask(self, question: Question) -> int:
        """Answer a question; give how many documents there are to it."""
        query = self._query(question)
        if question.row not in (Row.RANKED, Row.RECORDS):
            return self._found(tantivy.Query.const_score_query(query, 1.0), 1)[0]
        count, addresses = self._found(query, SHOWN)
        if question.row is Row.RECORDS:
            for address in addresses:
                json.loads(self._searcher.doc(address).get_first("card") or b"")
        return count

    def _found(self, query: tantivy.Query, limit: int) -> tuple[int, list[tantivy.DocAddress]]:
        found: Any = self._searcher.search(query, limit)  # its count is not in the stubs
        return found.count, [address for _score, address in found.hits]

    def _query(self, question: Question) -> tantivy.Query:
        field, words = question.field or "anything", question.words
        match question.row:
            case Row.PHRASE:
                return tantivy.Query.phrase_query(self._schema, field, list(words))
            case Row.TRUNCATION:  # a tenth of what a regular expression takes, and the same words
                return tantivy.Query.fuzzy_term_query(self._schema, field, words[0], 0, prefix=True)
            case Row.EVENT:
                slots: list[str | tuple[int, str]] = [(PLACE, f"l{words[0]}"), (PERIOD, f"t{words[1]}")]
                return tantivy.Query.phrase_query(self._schema, "event", slots)
        terms = [tantivy.Query.term_query(self._schema, field, word) for word in words]
        if len(terms) == 1:
            return terms[0]
        return tantivy.Query.boolean_query([(tantivy.Occur.Must, term) for term in terms])

    def _document(self, entry: Entry) -> tantivy.Document:
        document = entry.document
        title, description = document.titles[0].value, document.descriptions[0].value
        people = [agent.name for agent in document.creators]
        topics = [*(subject.value for subject in document.subjects), *document.keywords]
        facts = {
            "institution": document.institution,
            "department": document.department,
            "type": list(document.types),
            "publisher": list(document.publishers),
        }
        values = {
            "number": entry.number,
            "title": title,
            "creator": people,
            "subject": topics,
            "description": description,
            "anything": [
                *(title, *people, *topics, description, *_flat(facts.values()), str(document.year)),
                *dict.fromkeys(event.place for event in document.events if event.place),
            ],
            **facts,
            "language": list(document.languages),
            "topic": topics,
            "keyword": list(document.keywords),
            "person": people,
            "source": entry.source,
            "set": list(entry.sets),
            "identifier": [entry.identifier, *(link.url for link in document.links)],
            "year": document.year,
            "event": _slots(document),
            "card": _card(entry, people, topics),
        }
        if document.pages is not None:
            values["pages"] = document.pages
        return tantivy.Document.from_dict(values, self._schema)

    def _reload(self) -> None:
        self._index.reload()
        self._searcher = self._index.searcher()


def _schema() -> tantivy.Schema:
    builder = tantivy.SchemaBuilder()
    builder.add_integer_field("number", indexed=True, fast=True)
    for name in TEXTS:
        builder.add_text_field(name, tokenizer_name=FOLDED)
    for name in (*FACTS, *PLACES):
        builder.add_text_field(name, tokenizer_name="raw", fast=True, index_option="basic")
    for name in ("year", "pages"):
        builder.add_unsigned_field(name, indexed=True, fast=True)
    builder.add_text_field("event", tokenizer_name=SLOTTED)
    builder.add_bytes_field("card", stored=True)
    return builder.build()


def _slots(document: Document) -> str:
    return " ".join(
        f"l{event.place} t{event.period} i{event.intensity} k{event.kind}" for event in document.events
    )


def _card(entry: Entry, people: list[str], topics: list[str]) -> bytes:
    document = entry.document
    title, description = document.titles[0], document.descriptions[0]
    shown = (
        *(entry.number, entry.source, entry.identifier, title.value, people, document.year),
        *(document.types, document.languages, document.institution, document.department, document.pages),
        *(topics, description.value, description.language, [link.url for link in document.links]),
        entry.stamp,
    )
    return json.dumps(shown, ensure_ascii=False).encode()


def _flat(values: Iterable[str | list[str] | None]) -> list[str]:
    return [text for value in values for text in (value if isinstance(value, list) else [value]) if text]
