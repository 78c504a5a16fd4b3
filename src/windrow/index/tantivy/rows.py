"""Conversion of documents to Tantivy rows: all fields of `layout` that they have values for. A hot path.

The parts that many documents share, and the words, come from `row_pieces`.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import lru_cache
from itertools import chain, islice
from operator import attrgetter
from typing import NamedTuple

from windrow.config.collection_values import EVENT_FACETS
from windrow.index.protocol import (
    MAX_DESCRIPTION_CHARACTERS,
    MAX_SUMMARY_VALUES,
    OF_FILES,
    TALLIED,
    FileSummary,
    HitSummary,
)
from windrow.index.tantivy import row_pieces
from windrow.index.tantivy.layout import (
    CARD,
    CONTRIBUTOR_SIGN,
    DATE,
    DAY,
    EVENTS,
    FACTS,
    IDENTIFIER,
    INITIALED,
    LONGEST,
    NEWEST,
    NUMBER,
    OLDEST,
    PERSON,
    SIZE,
    TITLE_KEY,
    TITLE_START,
    encode,
    fact_field,
    fact_token,
    identifier_token,
    initial_field,
    place_field,
    place_flag,
    place_token,
    title_start,
    title_token,
)
from windrow.index.tantivy.row_pieces import Kind, Piece, Place, Row, RowWords, Texts, kind_piece, place_piece
from windrow.model.controlled_values import ControlledValues
from windrow.model.counted_fields import (
    MOST_VALUES,
    counted_values,
    field_values,
    file_texts,
    filled_fields,
    missing_field_values,
    partner_pairs,
    text_language,
)
from windrow.model.document import Document, HeldFile, LinkKind, Text, document_units
from windrow.model.document_dates import ISSUED, MOST_KNOWN, document_days, issued_on
from windrow.model.document_view import default_language, file_formats, remarks_of
from windrow.model.file_content import has_picture
from windrow.model.rights import rights_statements
from windrow.model.text.collation import collation, collation_languages, title_sort_key
from windrow.model.text.proper_names import name_keys
from windrow.model.topics import counted_names, encode_wordings


class Entry(NamedTuple):
    """A document to be indexed, with the number and origin of its record."""

    number: int
    source: str
    identifier: str
    sets: tuple[str, ...]
    document: Document
    stamp: str = ""  # the provider's datestamp
    change: int = 0  # number of its newest change in the store
    # Set if the operator has extended the built-in type table for its source.
    types: ControlledValues | None = None


# Summaries for result lists.

Facts = Mapping[str, tuple[str, ...]]
_WEB = ("http://", "https://")
_IDLE = "\n\r\t\v\f\x1c\x1d\x1e\x1f"  # what `split` treats as whitespace, besides spaces
_WEB_LETTERS = max(map(len, _WEB))


def card_of(entry: Entry, facts: Facts) -> HitSummary:
    """Return the summary of a document; titles and values are spelled as in facets."""
    document = entry.document
    description = document.descriptions[0] if document.descriptions else Text("")
    titles, institution, department = facts["title"], facts["institution"], facts["department"]
    return HitSummary(
        entry.number,
        entry.source,
        entry.identifier,
        titles[0] if titles else "",
        facts["creator"][:MAX_SUMMARY_VALUES],
        document.year,
        facts["type"][:MAX_SUMMARY_VALUES],
        facts["language"][:MAX_SUMMARY_VALUES],
        institution[0] if institution else "",
        department[0] if department else "",
        document.pages,
        facts["subject"][:MAX_SUMMARY_VALUES],
        facts["keyword"][:MAX_SUMMARY_VALUES],
        _cut(description.value),
        _text_language(document, description),
        _link(document, LinkKind.LANDING),
        _link(document, LinkKind.FULLTEXT),
        entry.stamp,
        entry.change,
        None if document.file is None else _file(document.file),
    )


def _file(file: HeldFile) -> FileSummary:
    return FileSummary(file.media_type, file.size, file.has_words, has_picture(file))


def _cut(text: str) -> str:
    plain = text if _is_plain(text) else " ".join(text.split())
    return plain if len(plain) <= MAX_DESCRIPTION_CHARACTERS else plain[:MAX_DESCRIPTION_CHARACTERS].rstrip()


def _is_plain(text: str) -> bool:
    """Return whether a text has no superfluous whitespace, a cheap test that most texts pass."""
    if "  " in text or text[:1] == " " or text[-1:] == " ":
        return False
    return not any(map(text.__contains__, _IDLE)) if text.isascii() else text.isprintable()


def _text_language(document: Document, text: Text) -> str:
    """Return the text's own language, else the document's if it has only one."""
    if text.language is not None or not text.value:
        return text.language or ""
    return document.languages[0] if len(document.languages) == 1 else ""


def _link(document: Document, kind: LinkKind) -> str:
    """Return the first link of a kind that is safe for a browser: http or https."""
    for link in document.links:
        if link.kind is kind:
            url = link.url.strip()
            if url[:_WEB_LETTERS].lower().startswith(_WEB):
                return url
    return ""


MOST_EVENTS = 1000  # per document
YEAR_SHIFT = 40  # bits for the record's number below its year
NO_YEAR = 0x3FFF
MOST_PAGES = 0x3FFFFF  # limit for the order by pages
_GREATEST = 1 << 62
_FIELDS = {name: fact_field(name) for name in (*FACTS, *INITIALED)}
_EVENT_FIELDS = tuple(map(fact_field, EVENT_FACETS))
_INITIALS = {name: initial_field(name) for name in INITIALED}
_UNSAID, _EMPTY = (Text(""),), RowWords({})
_AFFILIATIONS = attrgetter("affiliations")


def written_rows(entries: Sequence[Entry]) -> list[str]:
    """Return the rows of documents as JSON, the fastest input for Tantivy.

    Their sentences are processed first, language by language, to keep the caches of one stemmer warm.
    """
    words: list[RowWords] = [_EMPTY] * len(entries)
    for place in sorted(range(len(entries)), key=lambda place: _language(entries[place].document)):
        words[-1 - place] = _sentences(entries[place].document)
    # Popped, so that each row can reuse the memory of the last one.
    return [_written(entry, words.pop()) for entry in entries]


def row_of(entry: Entry) -> Row:
    """Return the row of one document as values."""
    place, kind, own = _parts(entry, _sentences(entry.document))
    return {**place.row, **kind.row, **own}


def _written(entry: Entry, words: RowWords) -> str:
    place, kind, own = _parts(entry, words)
    return f"{{{place.text}{kind.text}{encode(own).decode()[1:]}"  # of repeated keys the last one counts


def _language(document: Document) -> str:
    return (document.descriptions or document.titles or _UNSAID)[0].language or ""


def _sentences(document: Document) -> RowWords:
    """Process the texts in a natural language: titles and descriptions."""
    words, usual = RowWords({}), default_language(document)
    if document.titles:
        words.add_titles(document.titles, usual)
    if document.descriptions:
        words.add_descriptions(document.descriptions, usual)
    return words


def _parts(entry: Entry, words: RowWords) -> tuple[Piece, Piece, Row]:
    """Return the shared pieces for the origin and kind of a document, and its own row."""
    document = entry.document
    usual, formats = default_language(document), tuple(file_formats(document))
    publishers, sets = tuple(document.publishers), tuple(entry.sets)  # a plug-in may have made lists
    place = place_piece(
        Place(entry.source, sets, document_units(document), document.collections, publishers, usual)
    )
    types, languages, rights = tuple(document.types), tuple(document.languages), tuple(document.rights)
    kind = kind_piece(
        Kind(types, languages, rights, formats, rights_statements(document), usual, entry.types)
    )
    row = words.row
    held = filled_fields(document)
    row[NUMBER], row[_FIELDS["filled"]] = entry.number, list(held)
    missing = _missing_tokens(held[0] if held else "")
    if missing:
        row[_FIELDS["missing"]] = missing
    words.core += (*place.core, *kind.core)
    words.stems += (*place.stems, *kind.stems)
    creators = _add_people(words, document)
    subjects, keywords = _add_topics(words, document, usual)
    titles = counted_values([title.value for title in document.titles])
    own = {"title": titles, "creator": creators, "subject": subjects, "keyword": keywords}
    row[CARD] = encode(card_of(entry, {**place.facts, **kind.facts, **own}))
    if document.file is not None:
        _add_file(words, document)
    _add_words(words, document, usual)
    _add_numbers(row, document)
    _add_keys(row, entry, titles)
    return place, kind, row


@lru_cache(MOST_KNOWN)
def _missing_tokens(held: str) -> list[str]:
    return list(map(fact_token, missing_field_values(held)))


def _add_people(words: RowWords, document: Document) -> tuple[str, ...]:
    """Add creators and contributors; return creators as they are counted."""
    creators, contributors, row = document.creators, document.contributors, words.row
    if not creators and not contributors:
        return ()
    counted: tuple[str, ...] = ()
    keys: list[str] = []
    if creators:
        names = [agent.name for agent in creators]
        words.add_names("creator", names)
        counted = counted_values(names)
        tokens = row[_FIELDS["creator"]] = list(map(fact_token, counted))
        row[_INITIALS["creator"]] = row_pieces.initials(tokens)
        keys += chain.from_iterable(map(name_keys, names))
    if contributors:
        names = [agent.name for agent in contributors]
        words.add_names("contributor", names)
        keys += [CONTRIBUTOR_SIGN + key for name in names for key in name_keys(name)]
    if keys:
        row[PERSON] = list(dict.fromkeys(keys)) if len(keys) > 1 else keys
    if any(map(_AFFILIATIONS, creators)) or any(map(_AFFILIATIONS, contributors)):
        affiliations = field_values(document, "affiliation") or ()
        row[_FIELDS["affiliation"]] = list(map(fact_token, affiliations))
        if len(affiliations) > 1:
            row[_FIELDS["partners"]] = list(map(fact_token, partner_pairs(affiliations)))
    return counted


def _add_topics(words: RowWords, document: Document, usual: str | None) -> tuple[Texts, Texts]:
    """Add subjects and keywords, which also count as subjects; return both as they are counted."""
    spoken = row_pieces.SUBJECTS
    found = [spoken[subject.language or usual][subject.value] for subject in document.subjects]
    others = len(found)
    if document.keywords:
        found += map(row_pieces.KEYWORDS[usual].__getitem__, document.keywords)
    if not found:
        return (), ()
    own = others if document.keywords else 0  # where keywords begin: without any, subjects count as keywords
    facts, tokens, initials, folded, stems = zip(*found, strict=True)
    counted = _counted_topics(words.row, document)
    words.keep("subject", folded)
    if document.keywords:
        words.keep("keyword", folded[own:])
    words.stems += stems
    if counted:  # of a topic in several languages only one wording
        facts, tokens = _blanked(facts, counted), _blanked(tokens, counted)
    _count(words.row, "subject", tokens, initials)
    _count(words.row, "keyword", tokens[own:], initials[own:])
    return _each_once(facts[:others]), _each_once(facts[others:])


def _counted_topics(row: Row, document: Document) -> list[bool]:
    """Return for each subject and keyword whether it is counted; empty if all are, as is usual."""
    names = counted_names(document)
    if not names:
        return []
    row[_FIELDS["wordings"]] = list(map(fact_token, counted_values(encode_wordings(document))))
    said = [*(subject.value for subject in document.subjects), *document.keywords]
    return [names.get(value, value) == value for value in said]


def _blanked(texts: Texts, is_kept: Sequence[bool]) -> Texts:
    """Replace texts that are not counted with ""."""
    return tuple(text if kept else "" for text, kept in zip(texts, is_kept, strict=True))


def _each_once(facts: Texts) -> Texts:
    return tuple(dict.fromkeys(filter(None, facts)))


def _count(row: Row, name: str, tokens: Sequence[str], initials: Sequence[int]) -> None:
    """Add facet values, which may be repeated or empty."""
    counted = dict(zip(tokens, initials, strict=True))
    counted.pop("", None)
    if len(counted) > MOST_VALUES:
        counted = dict(islice(counted.items(), MOST_VALUES))
    row[_FIELDS[name]], row[_INITIALS[name]] = list(counted), list(set(counted.values()))


def _add_file(words: RowWords, document: Document) -> None:
    for name in OF_FILES:
        found = field_values(document, name)
        if found:
            words.row[_FIELDS[name]] = list(map(fact_token, found))
    if document.file is not None and document.file.size < _GREATEST:
        words.row[SIZE] = document.file.size
    words.add_text(file_texts(document), text_language(document))


def _add_words(words: RowWords, document: Document, usual: str | None) -> None:
    if document.sources:
        words.add("journal", [(value, usual) for value in document.sources])
        words.row[_FIELDS["journal"]] = list(map(fact_token, counted_values(document.sources)))
    if document.relations:
        words.add("relation", [(value, usual) for value in document.relations])
    for name, found in _of_courses(document):
        words.add(name, [(value, usual) for value in found])
    words.add_notes(remarks_of(document))
    if document.year is not None:
        words.core.append(str(document.year))
    words.finish()


def _of_courses(document: Document) -> list[tuple[str, tuple[str, ...]]]:
    """Return the non-empty fields that only courses have."""
    fields = (
        ("prerequisites", document.prerequisites),
        ("exam", document.exams),
        ("profession", document.professions),
    )
    return [(name, values) for name, values in fields if values]


def _add_numbers(row: Row, document: Document) -> None:
    year, pages = document.year, document.pages
    if year is not None and abs(year) < _GREATEST:
        row["year"] = year
        issued = issued_on(document)
        if issued is not None:
            row[ISSUED] = issued
    if pages is not None and abs(pages) < _GREATEST:
        row["pages"] = pages
    if document.events:
        happened = list(map(row_pieces.EVENTS.__getitem__, document.events))
        row[EVENTS] = " ".join([slots for slots, _ in happened[:MOST_EVENTS]])
        columns = zip(*[tokens for _, tokens in happened], strict=True)
        for field, column in zip(_EVENT_FIELDS, columns, strict=True):
            if any(column):
                row[field] = list(dict.fromkeys(filter(None, column)))[:MOST_VALUES]


def _add_keys(row: Row, entry: Entry, titles: Sequence[str]) -> None:
    """Add sort keys, and values that are compared as a whole."""
    number, document = entry.number, entry.document
    year = document.year
    clamped = None if year is None else min(max(year + 1, 1), NO_YEAR - 1)
    row[NEWEST] = ((clamped or 0) << YEAR_SHIFT) | number
    row[OLDEST] = ((clamped or NO_YEAR) << YEAR_SHIFT) | number
    row[LONGEST] = (min(max(document.pages or 0, 0), MOST_PAGES) << YEAR_SHIFT) | number
    folded = list(map(title_sort_key, titles))
    keys = [place_token(key, number) for key in folded] or [untitled(number)]
    row[TITLE_KEY], row[TITLE_START] = keys, title_start(keys[0])
    if titles:
        if not titles[0].isascii():
            _add_places(row, titles[0], folded[0], number)
        row[_FIELDS["initial"]] = row_pieces.title_initial(keys[0])
    names, links = [name.value for name in document.names], [link.url for link in document.links]
    given = filter(None, (entry.identifier, *names, *links))
    row[IDENTIFIER] = list(dict.fromkeys(map(identifier_token, given)))
    if document.dates:
        dates = row[DATE] = list(dict.fromkeys(document_days(document)))
        row[DAY] = list(map(day_of, dates))


def _add_places(row: Row, title: str, folded: str, number: int) -> None:
    """Add the keys of a title in languages that sort it differently from its folded key."""
    for language in collation_languages():
        key = collation(language).title_key(title)
        if key != folded:
            row[place_field(language)], row[place_flag(language)] = place_token(key, number), 1


def untitled(number: int) -> str:
    """Return the key of a document without a title, which sorts after all others."""
    return title_token("\U0010ffff", number)


@lru_cache(MOST_KNOWN)
def day_of(date: str) -> int:
    """Return a date as a number that sorts like it: 2014 before 2014-05 before 2014-05-12."""
    return int(date.replace("-", "").ljust(8, "0"))


def facts_of(entry: Entry) -> dict[str, tuple[str, ...]]:
    """Return the distinct, non-empty values of each facet field, in order; numbers in decimals."""
    document = entry.document
    found = {field: field_values(document, field, entry.types) or () for field in TALLIED}
    found["source"], found["set"] = counted_values((entry.source,)), counted_values(entry.sets)
    return found
