"""The people, terms, files and numbers inside a schema.org node, for `schema_org`."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence

from windrow.formats.meta_words import (
    LONGEST_NAME,
    LONGEST_WORDS,
    MOST_PEOPLE,
    MOST_VALUES,
    fit,
    fit_all,
    is_address,
    language_tag,
)
from windrow.formats.person_names import is_organisation
from windrow.model.document import Agent, Document, Event, Link, Name, Subject

Node = dict[str, object]

# What being the author already says; in any other role a creator is wrapped into that.
AUTHORING = frozenset(("author", "creator", "aut", "cre"))
_DAY = re.compile(r"\d{4}-\d\d-\d\d(?!\d)")
_MOST_NAMES_OF_PERSON = 4  # "Anna Maria von Heu"; what has more without a comma is a body


def one_or_all(values: Sequence[object]) -> object:
    """The only value as itself, as most pages have it; more as a list."""
    return values[0] if len(values) == 1 else values


def spoken(texts: Iterable[tuple[str, str]]) -> object:
    """Words, each with its language where that is known."""
    return one_or_all([_in_language(words, language) for words, language in texts])


def _in_language(words: str, language: str) -> object:
    return {"@language": language, "@value": words} if language else words


def named(kind: str, name: str) -> Node:
    """A thing of which no more than the name is known."""
    return {"@type": kind, "name": name}


def organisation(name: str) -> Node:
    """An organisation."""
    return {"@type": "Organization", "name": name}


def creators(agents: Sequence[Agent]) -> object:
    """Those who made it, in their order."""
    return one_or_all(
        [_in_role(agent, "author", AUTHORING) for agent in agents[:MOST_PEOPLE] if fit(agent.name)]
    )


def contributors(agents: Sequence[Agent]) -> object:
    """Those who took part, in their order, each in the role the record says."""
    return one_or_all([_in_role(agent, "contributor") for agent in agents[:MOST_PEOPLE] if fit(agent.name)])


def _in_role(agent: Agent, part: str, understood: frozenset[str] = frozenset()) -> Node:
    node = _agent(agent)
    role = fit(agent.role, LONGEST_NAME) if agent.role else ""
    if not role or role.lower() in understood:
        return node
    return {"@type": "Role", "roleName": role, part: node}


def _agent(agent: Agent) -> Node:
    name = fit(agent.name, LONGEST_NAME)
    node: Node = {"@type": "Person" if _is_person(name, agent.identifier) else "Organization", "name": name}
    _add_known(node, agent.identifier, address="@id", other="identifier")
    affiliations = fit_all(agent.affiliations)
    if affiliations:
        node["affiliation"] = one_or_all([organisation(name) for name in affiliations])
    return node


def _add(node: Node, name: str, text: str | None) -> None:
    """Say this too, if anything is left of it."""
    kept = fit(text, LONGEST_WORDS) if text else ""
    if kept:
        node[name] = kept


def _add_known(node: Node, text: str | None, *, address: str, other: str) -> None:
    """Say what it is known by: an address whole, anything else as far as it fits."""
    if text is not None and is_address(text):
        node[address] = text
    else:
        _add(node, other, text)


def _is_person(name: str, identifier: str | None) -> bool:
    if identifier and "orcid.org/" in identifier:
        return True
    is_like_one = "," in name or 1 < len(name.split(None, _MOST_NAMES_OF_PERSON)) <= _MOST_NAMES_OF_PERSON
    return is_like_one and not is_organisation(name)


def terms(subjects: Sequence[Subject]) -> object:
    """What it is about, each with its vocabulary and its place there."""
    return one_or_all([_term(subject) for subject in subjects[:MOST_VALUES] if fit(subject.value)])


def _term(subject: Subject) -> Node:
    value, scheme, uri, language = subject
    node: Node = {"@type": "DefinedTerm", "name": _in_language(fit(value), language_tag(language))}
    _add(node, "inDefinedTermSet", scheme)
    _add_known(node, uri, address="url", other="termCode")
    return node


def numbers(names: Sequence[Name]) -> object:
    """What it is known by elsewhere."""
    return one_or_all(
        [
            {"@type": "PropertyValue", "propertyID": fit(scheme), "value": fit(value, LONGEST_WORDS)}
            for scheme, value in names[:MOST_VALUES]
            if fit(value)
        ]
    )


def files(links: Sequence[Link], kind: str) -> object:
    """Where the thing itself is."""
    return one_or_all([_file(link, kind) for link in links])


def _file(link: Link, kind: str) -> Node:
    node: Node = {"@type": kind, "contentUrl": link.url}
    _add(node, "encodingFormat", link.media_type)
    _add(node, "name", link.label)
    return node


def institution(document: Document) -> Node | None:
    """On whose behalf it was made."""
    name, department = fit(document.institution or ""), fit(document.department or "")
    if not name and not department:
        return None
    node: Node = {"@type": "Organization"}
    if name:
        node["name"] = name
    if department:
        node["department"] = organisation(department)
    return node


def occasions(events: Sequence[Event]) -> object:
    """When and where a course is held."""
    return one_or_all([_occasion(event) for event in events[:MOST_VALUES]])


def _occasion(event: Event) -> Mapping[str, object]:
    said = {
        "identifier": event.identifier,
        "name": event.period,
        "courseMode": event.kind,
        "courseWorkload": event.intensity,
        "location": event.place,
        "inLanguage": language_tag(event.language),
        "startDate" if _DAY.match(event.time or "") else "description": event.time,
    }
    kept = {name: fit(value or "") for name, value in said.items()}
    return {"@type": "CourseInstance"} | {name: value for name, value in kept.items() if value}
