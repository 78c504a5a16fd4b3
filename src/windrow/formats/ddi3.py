"""DDI Lifecycle (3.x): studies in the social sciences, as a whole instance or as fragments.

The study unit is mapped. An instance without one takes its title from its own citation.
"""

from __future__ import annotations

from lxml import etree

from windrow.formats.ddi import DATASET
from windrow.formats.mapping.xml_records import (
    ABSTRACT,
    ALTERNATIVE,
    LANGUAGE,
    RIGHTS,
    SUBJECT,
    TITLE,
    Draft,
    Rule,
    Trail,
    element_language,
    element_text,
    into,
    local_name,
    read_paths,
)
from windrow.formats.registry import Reader
from windrow.model.document import Document

_NAMESPACES = ("ddi:instance:3_0", "ddi:instance:3_1", "ddi:instance:3_2", "ddi:instance:3_3")


class Ddi3:
    """Reader of DDI Lifecycle."""

    name = "ddi3"
    prefixes = frozenset(
        ("oai_ddi3", "ddi31", "ddi32", "ddi33", "oai_ddi31", "oai_ddi32", "oai_ddi33", "ddi_l")
    )
    roots = frozenset(
        f"{{{namespace}}}{name}" for namespace in _NAMESPACES for name in ("DDIInstance", "FragmentInstance")
    )

    def read(self, root: etree._Element) -> Document:
        draft = Draft("ddi")
        if len(root):
            draft.add_type(DATASET)
        has_study = root.find(".//{*}StudyUnit") is not None
        read_paths(root, draft, _RULES if has_study else _RULES | _INSTANCE_RULES)
        return draft.finish()


def _named(part_name: str, add: str) -> Rule:
    """Return the rule that adds an agent by name, once: other languages repeat the same agent."""

    def put(draft: Draft, element: etree._Element, trail: Trail) -> None:
        for part in element.iter():
            if local_name(part).lower() == part_name:
                texts = [each for each in part if local_name(each)] or [part]
                chosen = next((each for each in texts if element_language(each) == "en"), texts[0])
                place = trail.value(part, "affiliation")
                if add == "add_publisher":
                    draft.add_publisher(element_text(chosen))
                else:
                    getattr(draft, add)(element_text(chosen), affiliations=[place] if place else ())
                trail.skip(chosen)

    return put


def _identifier(draft: Draft, element: etree._Element, trail: Trail) -> None:
    for part in element.iter():
        if local_name(part).lower() == "identifiercontent":
            draft.add_identifier(trail.use(part))


def _date(draft: Draft, element: etree._Element, trail: Trail) -> None:
    # Of a span, the start comes first.
    for part in element.iter():
        if local_name(part) and len(part) == 0:
            draft.add_date(trail.use(part), "issued")


_STUDY = "studyunit/citation"
_RULES: dict[str, Rule] = {
    f"{_STUDY}/title": TITLE,
    f"{_STUDY}/subtitle": ALTERNATIVE,
    f"{_STUDY}/alternatetitle": ALTERNATIVE,
    f"{_STUDY}/creator": _named("creatorname", "add_creator"),
    f"{_STUDY}/contributor": _named("contributorname", "add_contributor"),
    f"{_STUDY}/publisher": _named("publishername", "add_publisher"),
    f"{_STUDY}/publicationdate": _date,
    f"{_STUDY}/language": LANGUAGE,
    f"{_STUDY}/copyright": RIGHTS,
    f"{_STUDY}/internationalidentifier": _identifier,
    "studyunit/abstract": ABSTRACT,
    "topicalcoverage/subject": SUBJECT,
    "topicalcoverage/keyword": SUBJECT,
    "studyunit/kindofdata": into(Draft.add_type),
}

_INSTANCE_RULES: dict[str, Rule] = {"ddiinstance/citation/title": TITLE}

READER: Reader = Ddi3()
