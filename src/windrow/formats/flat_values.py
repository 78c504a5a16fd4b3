"""What one element of plain oai_dc adds to a document: the step between its text and the record's lists.

The rules are those of `Draft`, which does the same for every format. Here they stand as functions of one
text, so that what recurs all the time (a type, a licence, a publisher, a name) is worked out once. Elements
whose text seldom recurs have a rule of their own; the others are asked of a draft with just that one in it.
"""

from __future__ import annotations

from collections.abc import Callable, Hashable

from windrow.formats.draft import Draft, is_citation, moment_of
from windrow.formats.links import address_of, identify, link_of
from windrow.formats.markup import line, plain
from windrow.formats.oai_dc import VALUES
from windrow.formats.terms import DC
from windrow.model.document import Agent, Document, Link, LinkKind, Subject, Text

# Where a portion goes: the places of the lists that `flat_document` gathers.
TITLES, CREATORS, CONTRIBUTORS, SUBJECTS, DESCRIPTIONS, PUBLISHERS, DATES, TYPES = range(8)
LANGUAGES, PAGES, LINKS, NAMES, RIGHTS, SOURCES, RELATIONS, EXTRA = range(8, 16)

Portion = tuple[int, Hashable, object]  # the place, what makes the value the same there, the value
Portions = tuple[Portion, ...]
Rule = Callable[[str, str | None], Portions | None]  # None: only the whole record tells


def _title(text: str, language: str | None) -> Portions:
    value = line(text)
    return ((TITLES, (value, language), Text(value, language)),) if value else ()


def _creator(text: str, language: str | None) -> Portions:
    if ";" in text:
        return _ask_creator(text, language)
    name = line(text)
    return ((CREATORS, name, Agent(name)),) if name else ()


def _contributor(text: str, language: str | None) -> Portions:
    if ";" in text:
        return _ask_contributor(text, language)
    name = line(text)
    return ((CONTRIBUTORS, name, Agent(name)),) if name else ()


def _subject(text: str, language: str | None) -> Portions | None:
    value = line(text)
    if ";" in value or "|" in value:
        return _subjects(value, language)
    if "&" in value and line(value) != value:  # escaped more often than `line` undoes at once
        return None
    return ((SUBJECTS, value, Subject(value, None, None, language)),) if value else ()


def _subjects(text: str, language: str | None) -> Portions | None:
    draft = Draft()
    draft.add_subjects(text, language=language)
    subjects = draft.finish().subjects
    if len(subjects) == 1 and "," in subjects[0].value:  # alone it would pass for a list with commas
        return None
    return tuple((SUBJECTS, subject.value, subject) for subject in subjects)


def _description(text: str, language: str | None) -> Portions:
    value = plain(text)
    if value.startswith("http") and (link := link_of(value)) is not None:
        return ((LINKS, link.url, link),)
    return ((DESCRIPTIONS, (value, language), Text(value, language)),) if value else ()


def _date(text: str, _language: str | None) -> Portions:
    moment = moment_of(text)
    return ((DATES, (moment.text, moment.kind), moment),) if moment.text else ()


def _identifier(text: str, _language: str | None) -> Portions:
    name, link = identify(" ".join(text.split()))
    portions: Portions = ((LINKS, link.url, link),) if link is not None else ()
    if name is None:
        return portions
    if is_citation(name):
        return (*portions, *_source(name.value, None))
    return (*portions, (NAMES, (name.scheme, name.value), name))


def _source(text: str, _language: str | None) -> Portions:
    value = line(text)
    return ((SOURCES, value, value),) if value else ()


def _relation(text: str, _language: str | None) -> Portions:
    value = line(text)
    if not value:
        return ()
    address = address_of(value)
    relation: Portion = (RELATIONS, value, value)
    return (relation,) if address is None else (relation, (LINKS, address, Link(address, LinkKind.RELATED)))


def _asked(name: str) -> Callable[[str, str | None], Portions]:
    """The rule that asks a draft."""
    add = VALUES[f"{DC}{name}"]

    def ask(text: str, _language: str | None) -> Portions:
        draft = Draft()
        add(draft, text)
        return tuple(_portions_of(draft.finish()))

    return ask


def _portions_of(document: Document) -> list[Portion]:
    """What a document holds that has only the fields that an element asked of a draft may fill."""
    portions: list[Portion] = [(CREATORS, agent.name, agent) for agent in document.creators]
    portions += [(CONTRIBUTORS, agent.name, agent) for agent in document.contributors]
    for place, values in (
        (PUBLISHERS, document.publishers),
        (TYPES, document.types),
        (LANGUAGES, document.languages),
        (RIGHTS, document.rights),
    ):
        portions += [(place, value, value) for value in values]
    portions += [(LINKS, link.url, link) for link in document.links]
    portions += [(EXTRA, (name, value), value) for name, values in document.extra.items() for value in values]
    if document.pages is not None:
        portions.append((PAGES, None, document.pages))
    return portions


_ask_creator = _asked("creator")
_ask_contributor = _asked("contributor")

RULES: dict[str, Rule] = {
    "title": _title,
    "creator": _creator,
    "contributor": _contributor,
    "subject": _subject,
    "description": _description,
    "date": _date,
    "identifier": _identifier,
    "source": _source,
    "relation": _relation,
} | {name: _asked(name) for name in ("publisher", "type", "format", "language", "coverage", "rights")}
