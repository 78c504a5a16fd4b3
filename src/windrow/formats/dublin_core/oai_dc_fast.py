"""What one element of plain oai_dc adds to a record, as portions: values, each with the list it belongs to.

The rules are those of `Draft`, which does the same for every format; here they are functions of one text, so
that what recurs on every record (a type, a licence, a publisher) need be worked out only once. Elements that
seldom recur have a rule of their own; the others are asked of a draft with just that element in it.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

from windrow.formats.draft import Draft, is_citation, is_embargo, is_plain_name
from windrow.formats.flat_text import Unsure
from windrow.formats.links import address_of, identify, link_of
from windrow.formats.markup import line, plain
from windrow.formats.oai_dc import VALUES
from windrow.model.document import Agent, Document, Link, LinkKind, Moment, Subject, Text

# The lists of a record, by their places.
TITLES, CREATORS, CONTRIBUTORS, SUBJECTS, DESCRIPTIONS, PUBLISHERS, DATES, TYPES = range(8)
LANGUAGES, PAGES, LINKS, NAMES, RIGHTS, SOURCES, RELATIONS, EXTRA = range(8, 16)

Portion = tuple[int, Any, Any]  # the list, what makes the value the same there, the value
Portions = tuple[Portion, ...]
Rule = Callable[[str, str | None], Portions]  # of the words and their language


def _title(text: str, language: str | None) -> Portions:
    value = line(text)
    words = Text(value, language)
    return ((TITLES, words, words),) if value else ()


def _creator(text: str, language: str | None) -> Portions:
    name = line(text)
    if ";" in text or not is_plain_name(name):
        return _asked("creator")(text, language)
    return ((CREATORS, name, Agent(name)),)


def _contributor(text: str, language: str | None) -> Portions:
    name = line(text)
    if ";" in text or not is_plain_name(name):
        return _asked("contributor")(text, language)
    return ((CONTRIBUTORS, name, Agent(name)),)


def _subject(text: str, language: str | None) -> Portions:
    value = line(text)
    if ";" in value or "|" in value:
        return _subjects(value, language)
    if value != text and line(value) != value:
        raise Unsure  # escaped so often that a draft, too, would see it twice
    return ((SUBJECTS, value, Subject(value, None, None, language)),) if value else ()


def _subjects(text: str, language: str | None) -> Portions:
    draft = Draft()
    draft.add_subjects(text, language=language)
    made = draft.finish()
    subjects = made.subjects
    if len(subjects) == 1 and "," in subjects[0].value:
        raise Unsure  # alone in its record it would pass for a list with commas, which it is not
    found = ((SUBJECTS, subject.value, subject) for subject in subjects)
    return (*found, *_portions_of(made))


def _description(text: str, language: str | None) -> Portions:
    value = plain(text)
    if value.startswith("http") and (link := link_of(value)) is not None:
        return ((LINKS, link.url, link),)
    words = Text(value, language)
    return ((DESCRIPTIONS, words, words),) if value else ()


def _date(text: str, _language: str | None) -> Portions:
    value = " ".join(text.split())
    moment = Moment(value, "embargo" if is_embargo(value) else "date")
    return ((DATES, moment, moment),) if value else ()


def _identifier(text: str, _language: str | None) -> Portions:
    name, link = identify(" ".join(text.split()))
    if name is None:
        return ((LINKS, link.url, link),) if link is not None else ()
    portions = _source(name.value, None) if is_citation(name) else ((NAMES, name, name),)
    return (*portions, (LINKS, link.url, link)) if link is not None else portions


def _source(text: str, _language: str | None) -> Portions:
    value = line(text)
    return ((SOURCES, value, value),) if value else ()


def _relation(text: str, _language: str | None) -> Portions:
    value = line(text)
    if not value:
        return ()
    address = address_of(value)
    relation = (RELATIONS, value, value)
    return (relation,) if address is None else (relation, (LINKS, address, Link(address, LinkKind.RELATED)))


def _asked(name: str) -> Rule:
    """The rule that asks a draft."""
    add = VALUES[name]

    def ask(text: str, _language: str | None) -> Portions:
        draft = Draft()
        add(draft, text)
        return tuple(_portions_of(draft.finish()))

    return ask


def _portions_of(document: Document) -> list[Portion]:
    """What is in a document, of the fields that an element asked of a draft may fill."""
    portions: list[Portion] = [(CREATORS, agent.name, agent) for agent in document.creators]
    portions += [(CONTRIBUTORS, _same_as(agent), agent) for agent in document.contributors]
    portions += [(PUBLISHERS, value, value) for value in document.publishers]
    portions += [(TYPES, value, value) for value in document.types]
    portions += [(LANGUAGES, value, value) for value in document.languages]
    portions += [(RIGHTS, value, value) for value in document.rights]
    portions += [(LINKS, link.url, link) for link in document.links]
    portions += [(EXTRA, (name, value), value) for name, values in document.extra.items() for value in values]
    if document.pages is not None:
        portions.append((PAGES, None, document.pages))
    return portions


def _same_as(agent: Agent) -> str | tuple[str, str]:
    """Return what makes a contributor the same as another: the name, and the role where there is one."""
    return (agent.name, agent.role) if agent.role else agent.name


RECURRING: Mapping[str, Rule] = {
    name: _asked(name) for name in ("publisher", "type", "format", "language", "coverage", "rights")
}
RULES: Mapping[str, Rule] = {
    "title": _title,
    "creator": _creator,
    "contributor": _contributor,
    "subject": _subject,
    "description": _description,
    "date": _date,
    "identifier": _identifier,
    "source": _source,
    "relation": _relation,
    **RECURRING,
}
