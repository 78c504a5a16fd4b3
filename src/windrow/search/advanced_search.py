"""The advanced search form: converts its fields to an expression of the query language and back.

Conditions that the form has no field for stay in `other` as written, so reading an expression and building it
again yields the same search.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field, replace

from windrow.model.document_dates import is_year_label, starting_year
from windrow.model.query import (
    And,
    Everything,
    Not,
    Or,
    Phrase,
    Query,
    Range,
    Value,
    Word,
    all_of,
    any_of,
)
from windrow.model.text.folding import folded_words
from windrow.protocols.query.query_parser import parse_query

TEXT_FIELDS = ("title", "creator", "subject", "description", "publisher", "institution", "journal")
CHOSEN_FIELDS = ("type", "language")
_TOKEN = re.compile(r'"([^"]*)"|(\S+)')
_YEAR = re.compile(r"[0-9]{1,4}")


@dataclass(frozen=True, slots=True)
class AdvancedSearch:
    """The values of the form. Words in quotation marks form a phrase."""

    all_words: str = ""
    phrase: str = ""
    any_words: str = ""
    no_words: str = ""
    fields: Mapping[str, str] = field(default_factory=dict)  # TEXT_FIELDS and CHOSEN_FIELDS
    first_year: str = ""
    last_year: str = ""
    other: str = ""  # everything else, in the query language


def build_expression(form: AdvancedSearch) -> str:
    """Return the expression for the form; an empty string for an empty form."""
    query = all_of(_conditions(form))
    parts = [] if isinstance(query, Everything) else [str(query)]
    if form.other.strip():
        rest = parse_query(form.other)
        written = form.other.strip()
        parts.append(f"({written})" if parts and isinstance(rest.query, Or) else written)
    return " ".join(parts)


def read_expression(text: str) -> AdvancedSearch:
    """Return the form filled in from an expression."""
    parsed = parse_query(text)
    if parsed.mistakes:  # the user sees a faulty expression unchanged
        return AdvancedSearch(other=text)
    filling = _FormFiller()
    parts = parsed.query.parts if isinstance(parsed.query, And) else (parsed.query,)
    for part in parts:
        filling.take(part)
    return filling.form()


def is_year(text: str) -> bool:
    return not text or _YEAR.fullmatch(text) is not None or is_year_label(text)


def _conditions(form: AdvancedSearch) -> Iterator[Query]:
    yield from _written(form.all_words, None)
    words = words_in(form.phrase)
    if words:
        yield Phrase(words)
    alternatives = list(_written(form.any_words, None))
    if alternatives:
        yield any_of(alternatives)
    yield from (Not(each) for each in _written(form.no_words, None))
    for name in TEXT_FIELDS:
        yield from _written(form.fields.get(name, ""), name)
    for name in CHOSEN_FIELDS:
        if form.fields.get(name):
            yield Value(form.fields[name], name)
    low, high = (text if text and is_year(text) else None for text in (form.first_year, form.last_year))
    if low and high and (starting_year(low) or 0) > (starting_year(high) or 0):
        low, high = high, low
    if low and low == high:
        yield Word(low, "year")
    elif low or high:
        yield Range("year", low, high)


def words_in(text: str) -> tuple[str, ...]:
    """Return the words of a phrase as written, without punctuation."""
    return tuple(word for token in text.replace('"', " ").split() for word in folded_words(token))


def _written(text: str, name: str | None) -> Iterator[Query]:
    """Yield the words of a field, and quoted words as phrases; `*` and `?` are wildcards."""
    for quoted, bare in _TOKEN.findall(text):
        if quoted:
            words = words_in(quoted)
            if words:
                yield Phrase(words, name)
            continue
        word = bare.strip('",;')
        is_pattern = "*" in word or "?" in word.rstrip("?")
        if folded_words(word):
            yield Word(word if is_pattern else word.rstrip("?.!:"), name, is_pattern)


class _FormFiller:
    """Collects the conditions of a query into the fields of a form."""

    def __init__(self) -> None:
        self._form = AdvancedSearch()
        self._texts: dict[str, list[str]] = {}
        self._other: list[str] = []

    def take(self, part: Query) -> None:
        """Put a condition into its field, or into `other`."""
        match part:
            case Everything():
                return
            case Phrase(found, None, 0, 1) if not self._form.phrase and words_in(" ".join(found)) == found:
                self._form = replace(self._form, phrase=" ".join(found))
            case Word() | Phrase() if (text := _text_of(part)) is not None:
                self._add(part.field or "all_words", text)
            case Not(Word() | Phrase() as inner) if inner.field is None and (text := _text_of(inner)):
                self._add("no_words", text)
            case Or(parts) if not self._texts.get("any_words") and (words := _texts_of(parts)):
                self._texts["any_words"] = words
            case Value(text, name) if name in CHOSEN_FIELDS and not self._texts.get(name):
                self._add(name, text)
            case Range("year", low, high, True, True) if low != high and not self._has_years():
                self._form = replace(self._form, first_year=low or "", last_year=high or "")
            case Word(text, "year", False, 0) if not self._has_years():
                self._form = replace(self._form, first_year=text, last_year=text)
            case _:
                self._other.append(f"({part})" if isinstance(part, And | Or) else str(part))

    def form(self) -> AdvancedSearch:
        texts = {name: " ".join(found) for name, found in self._texts.items()}
        return replace(
            self._form,
            all_words=texts.pop("all_words", ""),
            any_words=texts.pop("any_words", ""),
            no_words=texts.pop("no_words", ""),
            fields=texts,
            other=" ".join(self._other),
        )

    def _add(self, name: str, text: str) -> None:
        self._texts.setdefault(name, []).append(text)

    def _has_years(self) -> bool:
        return bool(self._form.first_year or self._form.last_year)


def _texts_of(parts: Iterable[Query]) -> list[str] | None:
    """Return the texts of alternatives that are plain words and phrases in any field, else None."""
    found = [
        _text_of(part) if isinstance(part, Word | Phrase) and part.field is None else None for part in parts
    ]
    return [text for text in found if text] if all(found) else None


def _text_of(part: Word | Phrase) -> str | None:
    """Return a condition as written in a form field; None if it cannot be written there."""
    if part.field not in (None, *TEXT_FIELDS) or part.boost != 1:
        return None
    if isinstance(part, Phrase):
        written = f'"{" ".join(part.words)}"' if not part.slop else ""
    else:
        written = part.text if not part.edits else ""
    built = list(_written(written, part.field))
    return written if built == [part] else None
