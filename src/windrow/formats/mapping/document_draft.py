"""The document builder: readers add values in the order of the record, and `finish` returns the Document.

Every `add_` method ignores empty and duplicate values. Each list is a dict from the key by which values are
equal to the value, because hostile records repeat an element a thousand times.
"""

from __future__ import annotations

import re
from collections.abc import Iterable

from windrow.formats.mapping.agent_names import (
    institution_and_part,
    is_plainly_stated,
    names_nobody,
    publisher_name,
    with_role,
)
from windrow.formats.mapping.date_values import publication_year
from windrow.formats.mapping.link_kinds import identify_value, make_link, order_links, parse_address
from windrow.formats.mapping.markup import plain_line, plain_text
from windrow.formats.mapping.page_counts import count_pages
from windrow.model.document import (
    Agent,
    Document,
    DocumentDate,
    Event,
    Identifier,
    Link,
    LinkKind,
    Subject,
    Text,
    make_document,
)
from windrow.model.text.language_codes import labels_by_language, language_codes
from windrow.model.topics import LABELLED_SUBJECTS

# Choosing the abstract among several descriptions.


def abstract_first(texts: tuple[Text, ...]) -> tuple[Text, ...]:
    """Return the texts with the first long one in front; the others keep their order.

    Long means at least half as long as the longest, so that of an abstract in two languages the first stays
    in front.
    """
    # Repositories put notes beside abstracts: "This is the final version. It was first published by …"
    if len(texts) < 2:
        return texts
    least = max(len(text.value) for text in texts) / 2
    place = next(place for place, text in enumerate(texts) if len(text.value) >= least)
    return texts if place == 0 else (texts[place], *texts[:place], *texts[place + 1 :])


_LIST_MARK = re.compile(r"[;|]")
_CITATION_WORDS = 6  # an identifier of more words is a citation, as EPrints and arXiv write it
_new = tuple.__new__  # a named tuple's own constructor, without the overhead of its Python call
_LIST_ENDS = " ;,:；，|"  # what catalogues put between a publisher and what follows it
MEETING = "conference"  # the role of a meeting among the contributors
# "Symposium on Moss (3rd : 1998 : Oulu, Finland)", the catalogues' form of a meeting's name: number, year
# and place, in this order or with the year last.
_MEETING_NAME = re.compile(
    r"\((?:[^():]{1,30} : )?\d{4}(?:[-/]\d{2,4})? : [^()]+\)\.?$"
    r"|\([^():]{1,60} : (?:[^():]{1,60} : )?\d{4}(?:[-/]\d{2,4})?\)\.?$"
)
# Or a word for meetings with a year or an ordinal number. "Conference Board of Canada" is a body.
_MEETING_WORD = re.compile(
    r"\b(?:conference|symposium|workshop|congress|colloquium|kongress|konferenz|tagung|konferens|konferenssi"
    r"|symposiet|symposio|seminaari|congr[eèé]s(?:o|so)?|colloque|conf[eé]rence|conferencia|convegno)\b",
    re.IGNORECASE,
)
_MEETING_COUNT = re.compile(
    r"\b(?:1[89]|20)\d\d\b|\b\d{1,3}(?:st|nd|rd|th)\b|^\d{1,3}\.\s|\b\d{1,3}:[aeo]\b", re.IGNORECASE
)
_ENDS_OF_ODD_NAMES = frozenset(")0123456789")
_SEMANTICS = re.compile(r"info:eu-repo/semantics/(\w+)")


class Draft:
    """The values found in one record so far. `prefix` goes before the names of `extra`: "dc:coverage"."""

    __slots__ = (
        "_alternatives",
        "_comma_list",
        "_contributors",
        "_creators",
        "_dates",
        "_department",
        "_descriptions",
        "_events",
        "_exams",
        "_extra",
        "_institution",
        "_institution_part",
        "_keywords",
        "_languages",
        "_links",
        "_names",
        "_pages",
        "_prerequisites",
        "_professions",
        "_publishers",
        "_relations",
        "_rights",
        "_sources",
        "_subjects",
        "_titles",
        "_types",
        "prefix",
    )

    def __init__(self, prefix: str = "dc") -> None:
        self.prefix = prefix
        self._titles: dict[tuple[str, str | None], Text] = {}
        self._alternatives: dict[tuple[str, str | None], Text] = {}
        self._creators: dict[str, Agent] = {}
        self._contributors: dict[tuple[str, str | None], Agent] = {}
        self._subjects: dict[tuple[str, str | None], Subject] = {}
        self._comma_list: str | None = None
        self._keywords: dict[str, None] = {}
        self._descriptions: list[tuple[Text, bool]] = []  # with True for an abstract
        self._publishers: dict[str, None] = {}
        self._dates: dict[tuple[str, str], DocumentDate] = {}
        self._types: dict[str, None] = {}
        self._languages: dict[str, None] = {}
        self._pages: int | None = None
        self._links: dict[str, Link] = {}
        self._names: dict[tuple[str, str], Identifier] = {}
        self._rights: dict[str, None] = {}
        self._sources: dict[str, None] = {}
        self._relations: dict[str, None] = {}
        self._institution: str | None = None
        self._institution_part: str | None = None  # the department named together with it
        self._department: str | None = None
        self._extra: dict[str, dict[str, None]] = {}
        self._events: dict[Event, None] = {}
        self._prerequisites: dict[str, None] = {}
        self._exams: dict[str, None] = {}
        self._professions: dict[str, None] = {}

    def add_title(self, value: str, language: str | None = None) -> None:
        """Add a title; the first one added is the main one."""
        value = plain_line(value)
        key = (value, language)
        if value and key not in self._titles:
            self._titles[key] = _new(Text, key)

    def add_alternative(self, value: str, language: str | None = None) -> None:
        """Add an alternative title or a translation. It follows every main title."""
        value = plain_line(value)
        if value:
            key = (value, language)
            self._alternatives[key] = _new(Text, key)

    def add_creator(
        self,
        name: str,
        *,
        role: str | None = None,
        identifier: str | None = None,
        affiliations: Iterable[str] = (),
    ) -> None:
        """Add a person or body that made the work; a meeting is added as a contributor."""
        name, places = plain_line(name), _each_once(affiliations)
        if not is_plain_name(name):
            if is_meeting(name):
                self.add_contributor(name, role=role or MEETING, identifier=identifier, affiliations=places)
                return
            name, role = self._stated("creator", name, role)
            if not _says_something(name):
                return
        known = self._creators.get(name)
        if known is not None:
            self._creators[name] = _with_affiliations(known, places)
        elif name:
            self._creators[name] = _new(Agent, (name, role, identifier, places))

    def add_creators(self, names: str) -> None:
        """Add creators, separated by semicolons."""
        if ";" in names:
            for name in plain_line(names).split(";"):
                self.add_creator(name)
            return
        name = plain_line(names)
        if not is_plain_name(name):
            self.add_creator(name)
        elif name not in self._creators:
            self._creators[name] = _new(Agent, (name, None, None, ()))

    def add_contributor(
        self,
        name: str,
        *,
        role: str | None = None,
        identifier: str | None = None,
        affiliations: Iterable[str] = (),
    ) -> None:
        """Add a person or body that took part in the work: an advisor, an editor, a funder."""
        name = plain_line(name)
        if not is_plain_name(name):
            name, role = self._stated("contributor", name, role)
            if not _says_something(name):
                return
        key, places = (name, role), _each_once(affiliations)
        known = self._contributors.get(key)
        if known is not None:
            self._contributors[key] = _with_affiliations(known, places)
        else:
            self._contributors[key] = _new(Agent, (name, role, identifier, places))

    def add_contributors(self, names: str, *, role: str | None = None) -> None:
        """Add contributors, separated by semicolons."""
        if ";" in names:
            for name in plain_line(names).split(";"):
                self.add_contributor(name, role=role)
            return
        name = plain_line(names)
        if not is_plain_name(name):
            self.add_contributor(name, role=role)
        elif (name, role) not in self._contributors:
            self._contributors[name, role] = _new(Agent, (name, role, None, ()))

    def add_subject(
        self, value: str, *, scheme: str | None = None, uri: str | None = None, language: str | None = None
    ) -> None:
        """Add one topic without splitting it."""
        value = plain_line(value)
        key = (value, scheme)
        if value and key not in self._subjects:
            self._subjects[key] = _new(Subject, (value, scheme, uri, language))

    def add_subjects(self, text: str, *, scheme: str | None = None, language: str | None = None) -> None:
        """Add topics, separated by semicolons or bars.

        A text with commas is split only if it is the only subject and clearly a list.
        """
        text = plain_line(text)
        if ";" not in text and "|" not in text:
            if "," in text and self._comma_list is None and not self._subjects:
                self._comma_list = text
            if "&" in text or "<" in text:  # escaped more than once
                text = plain_line(text)
            key = (text, scheme)
            if text and key not in self._subjects:
                self._subjects[key] = _new(Subject, (text, scheme, None, language))
            return
        wordings = labels_by_language(text)
        if wordings:  # one topic; extra shows that the wordings belong together
            self.add_extra(f"{self.prefix}{LABELLED_SUBJECTS}", text)
        for code, wording in wordings.items():
            self.add_subject(wording, scheme=scheme, language=code)
        for part in () if wordings else _LIST_MARK.split(text):
            self.add_subject(part, scheme=scheme, language=language)

    def add_keyword(self, value: str) -> None:
        """Add a free keyword, chosen by the author rather than taken from a vocabulary."""
        text = plain_line(value)
        wordings = labels_by_language(text) if "=" in text else {}
        if wordings:
            self.add_extra(f"{self.prefix}{LABELLED_SUBJECTS}", text)
        for part in wordings.values() or _LIST_MARK.split(text):
            word = part.strip()
            if word:
                self._keywords[word] = None

    def add_description(self, value: str, language: str | None = None, *, is_abstract: bool = False) -> None:
        """Add a description; abstracts precede the others.

        A bare address describes nothing and becomes a link: Digital Commons puts its thumbnails here.
        """
        value = plain_text(value)
        if value.startswith("http") and (link := make_link(value)) is not None:
            self._add_link(link)
            return
        if value:
            self._descriptions.append((_new(Text, (value, language)), is_abstract))

    def add_publisher(self, value: str) -> None:
        value = self.in_english(value, "publisher").rstrip(_LIST_ENDS)
        name = publisher_name(value)
        if name != value:
            self.add_extra(f"{self.prefix}:publisher", value)
        if name:
            self._publishers[name] = None

    def add_date(self, value: str, kind: str = "date") -> None:
        """Add a date as written in the record; `kind` is what it dates, in lower case."""
        value = " ".join(value.split())
        if is_embargo(value):
            kind = "embargo"
        key = (value, kind)
        if value and key not in self._dates:
            self._dates[key] = _new(DocumentDate, key)

    def add_type(self, value: str) -> None:
        """Add a type. Of a type in several languages the English wording counts; all stay in extra."""
        value = self.in_english(value, "type")
        semantics = _SEMANTICS.fullmatch(value) if ":" in value else None
        if semantics is not None:
            self.add_extra(f"{self.prefix}:type", value)
            value = semantics[1]
        for part in value.split(";") if ";" in value else (value,):
            kind = part.strip()
            if kind:
                self._types[kind] = None

    def add_language(self, value: str) -> None:
        """Add a language in any spelling; unknown ones stay in extra."""
        codes = language_codes(value)
        if not codes:
            self.add_extra(f"{self.prefix}:language", value)
        for code in codes:
            self._languages[code] = None

    def add_extent(self, value: str, name: str = "extent") -> None:
        """Add a physical description. The first that counts pages sets their number; all stay in extra."""
        if self._pages is None:
            self._pages = count_pages(value)
        self.add_extra(name if ":" in name else f"{self.prefix}:{name}", value)

    def add_pages(self, pages: int | None) -> None:
        """Add a number of pages that the format states as a number."""
        if self._pages is None:
            self._pages = pages

    def add_identifier(self, value: str, *, scheme: str | None = None) -> None:
        """Add an identifier: addresses become links, DOIs and handles names and links, citations sources.

        `scheme` is the scheme stated in the record, for identifiers that cannot be recognised by their
        form.
        """
        name, link = identify_value(" ".join(value.split()), scheme=scheme)
        if link is not None:
            self._add_link(link)
        if name is not None:
            self._add_name(name)

    def add_name(self, scheme: str, value: str) -> None:
        """Add an identifier of a known scheme without a link: a handle only its own repository resolves."""
        value = " ".join(value.split())
        if value:
            self._names.setdefault((scheme, value), Identifier(scheme, value))

    def add_link(
        self,
        url: str,
        *,
        media_type: str | None = None,
        hint: LinkKind | None = None,
        label: str | None = None,
    ) -> bool:
        """Add a link. For a known address the first values stay; what is not an address goes to extra.

        Return whether the link of this address has this label.
        """
        link = make_link(url, media_type=media_type, hint=hint)
        if link is None:
            self.add_extra(f"{self.prefix}:link", url)
            return False
        link = Link(link.url, link.kind, plain_line(label) or None, media_type) if label else link
        self._add_link(link)
        return self._links[link.url].label == link.label

    def add_rights(self, value: str) -> None:
        """Add a statement of rights; the address of a licence becomes a link as well."""
        value = plain_line(value)
        if value and value not in self._rights:
            self._rights[value] = None
            if value[:4].casefold() == "http" and "/coar/access_right/" not in value:
                link = make_link(value, hint=LinkKind.LICENSE)
                if link is not None:
                    self._add_link(link)

    def add_source(self, value: str) -> None:
        """Add the journal, book or series that contains the work, or a citation."""
        value = plain_line(value)
        if value:
            self._sources[value] = None

    def add_relation(self, value: str) -> None:
        """Add a related work; an address or DOI becomes a link as well."""
        value = plain_line(value)
        if not value or value in self._relations:
            return
        self._relations[value] = None
        address = parse_address(value)
        if address is not None:
            self._links.setdefault(address, Link(address, LinkKind.RELATED))

    def add_extra(self, name: str, value: str) -> None:
        """Add a value that no field has a place for, under the format's own name for it."""
        value = " ".join(value.split())
        if value:
            self._extra.setdefault(name, {})[value] = None

    def add_institution(self, value: str) -> None:
        """Add the institution behind the work. Only the first counts; others stay in extra."""
        value = self.in_english(value, "institution")
        if self._institution is None and _says_something(value):
            self._institution, self._institution_part = institution_and_part(value)
            if self._institution != value:
                self.add_extra(f"{self.prefix}:institution", value)
        elif value != self._institution:
            self.add_extra(f"{self.prefix}:institution", value)

    def add_department(self, value: str) -> None:
        """Add the department of the institution. Only the first counts; others stay in extra."""
        value = self.in_english(value, "department")
        if self._department is None and _says_something(value):
            self._department = value
        elif value != self._department:
            self.add_extra(f"{self.prefix}:department", value)

    def add_event(self, event: Event) -> None:
        event = Event(*(None if part is None else plain_line(part) or None for part in event))
        if any(event):
            self._events[event] = None

    def add_prerequisite(self, value: str) -> None:
        """Add an entry requirement of a course."""
        _add_line(self._prerequisites, value)

    def add_exam(self, value: str) -> None:
        """Add a degree that a course counts towards."""
        _add_line(self._exams, value)

    def add_profession(self, value: str) -> None:
        """Add an occupation that a course prepares for."""
        _add_line(self._professions, value)

    def in_english(self, value: str, name: str) -> str:
        """Return the English wording of a multilingual value, or its first; then all go to extra."""
        value = plain_line(value)
        wordings = labels_by_language(value) if "=" in value else {}
        if not wordings:
            return value
        self.add_extra(f"{self.prefix}:{name}", value)
        return wordings.get("en") or next(iter(wordings.values()))

    def finish(self) -> Document:
        """Return the document: year chosen, links sorted, landing page first."""
        return make_document(
            tuple({**self._titles, **self._alternatives}.values())
            if self._alternatives
            else tuple(self._titles.values()),
            tuple(self._creators.values()),
            tuple(self._contributors.values()) if self._contributors else (),
            self._settled_subjects() if self._subjects else (),
            tuple(self._keywords) if self._keywords else (),
            self._settled_descriptions() if self._descriptions else (),
            tuple(self._publishers),
            tuple(self._dates.values()),
            publication_year(self._dates.values()),
            tuple(self._types),
            tuple(self._languages),
            self._pages,
            order_links(self._links.values()) if self._links else (),
            tuple(self._names.values()),
            tuple(self._rights),
            tuple(self._sources),
            tuple(self._relations),
            self._institution,
            self._department or self._institution_part,
            {name: tuple(values) for name, values in self._extra.items()} if self._extra else {},
            tuple(self._events),
            None,
            (),
            (),
            tuple(self._prerequisites),
            tuple(self._exams),
            tuple(self._professions),
        )

    def _stated(self, field: str, name: str, role: str | None) -> tuple[str, str | None]:
        """Return a name without its appended role, and the role; the name is "" if it is a placeholder."""
        if names_nobody(name):
            self.add_extra(f"{self.prefix}:{field}", name)
            return "", role
        bare, stated = with_role(name)
        return bare, role or stated

    def _add_name(self, name: Identifier) -> None:
        if is_citation(name):
            self.add_source(name.value)
        else:
            self._names.setdefault(name, name)  # a name is its own key

    def _add_link(self, link: Link) -> None:
        known = self._links.get(link.url)
        if known is None or is_more_specific(link, known):
            self._links[link.url] = link

    def _settled_descriptions(self) -> tuple[Text, ...]:
        # Duplicates are removed only here: nearly every record has one description, and comparing is slow.
        if len(self._descriptions) == 1:
            return (self._descriptions[0][0],)
        told: dict[Text, bool] = {}
        for text, is_abstract in self._descriptions:
            told.setdefault(text, is_abstract)
        if not any(told.values()):
            return abstract_first(tuple(told))
        return tuple(sorted(told, key=lambda text: not told[text]))

    def _settled_subjects(self) -> tuple[Subject, ...]:
        subjects = tuple(self._subjects.values())
        if len(subjects) != 1 or self._comma_list is None:
            return subjects
        return split_topics(subjects[0], self._comma_list)


def split_topics(whole: Subject, text: str) -> tuple[Subject, ...]:
    """Return the topics of a record's only subject: several if its commas form a list, otherwise one."""
    if not _is_comma_list(text):
        return (whole,)
    parts = dict.fromkeys(part.strip() for part in text.split(","))
    return tuple(Subject(part, whole.scheme, None, whole.language) for part in parts if part)


def is_plain_name(name: str) -> bool:
    # A quick test of both ends. False means that the name needs a closer look.
    return (
        name[:1].isalpha()
        and name[-1] not in _ENDS_OF_ODD_NAMES
        and name[-2:] != ")."
        and " Conf" not in name
        and is_plainly_stated(name)
    )


def is_meeting(name: str) -> bool:
    """Return whether a name is a meeting's: number, year and place in brackets, or typical words."""
    if name.endswith((")", ").")) and _MEETING_NAME.search(name) is not None:
        return True
    return _MEETING_WORD.search(name) is not None and _MEETING_COUNT.search(name) is not None


def is_embargo(date: str) -> bool:
    """Return whether a date is marked as the end of an embargo."""
    return "mbargo" in date or "MBARGO" in date


def _each_once(names: Iterable[str]) -> tuple[str, ...]:
    return tuple(dict.fromkeys(filter(None, map(plain_line, names)))) if names else ()


def _with_affiliations(agent: Agent, places: tuple[str, ...]) -> Agent:
    return agent._replace(affiliations=_each_once((*agent.affiliations, *places))) if places else agent


def is_more_specific(link: Link, known: Link) -> bool:
    # A link of a specific kind replaces one that is merely related.
    return known.kind is LinkKind.RELATED and link.kind is not LinkKind.RELATED


def is_citation(name: Identifier) -> bool:
    """Return whether an identifier of unknown scheme is a citation rather than a name."""
    return name.scheme == "local" and name.value.count(" ") > _CITATION_WORDS


def _add_line(values: dict[str, None], value: str) -> None:
    value = plain_line(value)
    if value:
        values[value] = None


def _says_something(value: str) -> bool:
    # Forms put a dash where nothing was filled in.
    return any(map(str.isalnum, value))


def _is_comma_list(text: str) -> bool:
    """Return whether commas separate topics here, rather than parts of a name, a place or a heading."""
    # Three short parts or more, and no dates ("Shakespeare, William, 1564-1616"), brackets or subdivisions.
    parts = [part.strip() for part in text.split(",")]
    if len(parts) < 3 or "--" in text or "(" in text:
        return False
    return all(len(part) <= 40 and part.count(" ") <= 3 and not part[:1].isdecimal() for part in parts)
