"""Multilingual topics: subjects of one record that are the same concept in several languages.

A record shows this by the same URI or notation of a vocabulary with one wording for each language, or by one
element such as `fi=haravointi|sv=krattning|en=raking`. Parallel lists in several languages do not show which
words belong together, and are kept separate.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from itertools import chain
from operator import attrgetter
from typing import NamedTuple

from windrow.model.document import Document, Subject
from windrow.model.text.language_codes import labels_by_language

SHOWN_LANGUAGES = ("en", "sv", "fi")  # of the pages
LABELLED_SUBJECTS = (
    ":subject"  # the end of the name under which `extra` keeps an element in several languages
)
LONGEST_WORDINGS = 400  # characters
_PARTING = "|"
_URI = attrgetter("uri")


class Topic(NamedTuple):
    """One concept: the wording under which it is counted, and its wordings by language."""

    name: str
    wordings: Mapping[str, str]


def multilingual_topics(document: Document) -> list[Topic]:
    """Return the topics that a document names in more than one language; most documents have none."""
    found = [*_by_identifier(document.subjects), *_by_element(document)]
    if not found:
        return []
    said = {subject.value for subject in document.subjects}.union(document.keywords)
    kept = ({language: words for language, words in each.items() if words in said} for each in found)
    return [_topic(wordings) for wordings in kept if len(wordings) > 1]


def _topic(wordings: Mapping[str, str]) -> Topic:
    return Topic(wordings.get("en") or next(iter(wordings.values())), wordings)


def _by_identifier(subjects: Sequence[Subject]) -> Iterable[Mapping[str, str]]:
    if not any(map(_URI, subjects)):  # as in most records
        return ()
    found: dict[tuple[str | None, str], dict[str, str]] = {}
    unclear: set[tuple[str | None, str]] = set()
    for value, scheme, uri, language in subjects:
        if uri and language:
            wordings = found.setdefault((scheme, uri), {})
            if wordings.setdefault(language, value) != value:  # two in one language are no single concept
                unclear.add((scheme, uri))
    return [wordings for key, wordings in found.items() if key not in unclear]


def _by_element(document: Document) -> Iterable[Mapping[str, str]]:
    said = [values for name, values in document.extra.items() if name.endswith(LABELLED_SUBJECTS)]
    return map(labels_by_language, chain.from_iterable(said))


def counted_names(document: Document) -> dict[str, str]:
    """Map each wording of a multilingual topic to the wording under which it is counted."""
    found: dict[str, str] = {}
    for topic in multilingual_topics(document):
        if topic.name not in found:  # else it is a wording of another topic already
            for wording in topic.wordings.values():
                found.setdefault(wording, topic.name)
    return found


def counted_subjects(document: Document) -> list[str]:
    return _counted(document, [subject.value for subject in document.subjects])


def counted_keywords(document: Document) -> list[str]:
    return _counted(document, document.keywords) if document.keywords else counted_subjects(document)


def _counted(document: Document, values: Sequence[str]) -> list[str]:
    names = counted_names(document)
    return [value for value in values if names.get(value, value) == value]


def encode_wordings(document: Document) -> tuple[str, ...]:
    """Return the topics with their wordings in the languages of the pages, as texts that can be counted."""
    return tuple(filter(None, map(_written, multilingual_topics(document))))


def _written(topic: Topic) -> str:
    shown = [
        (language, topic.wordings[language]) for language in SHOWN_LANGUAGES if language in topic.wordings
    ]
    text = _PARTING.join([topic.name, *(f"{language}={words}" for language, words in shown)])
    is_plain = text.count(_PARTING) == len(shown) and len(text) <= LONGEST_WORDINGS
    return text if is_plain else ""


def decode_wordings(text: str) -> Topic | None:
    """Return the topic that `encode_wordings` wrote; None for any other text."""
    name, _, rest = text.partition(_PARTING)
    wordings = labels_by_language(rest)
    return Topic(name, wordings) if name and wordings else None
