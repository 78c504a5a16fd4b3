"""GRS-1 records with the tag paths of GILS, and those of Studera.NU."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from tests.fixtures import Place, own_and_shared, studera
from windrow.formats.registry import read as read_payload
from windrow.model.document import Agent, Document, Event, Link, LinkKind, Subject, Text
from windrow.protocols.z3950 import z3950_registry
from windrow.protocols.z3950.asn1 import read
from windrow.protocols.z3950.grs1 import GENERIC_RECORD, Element, encode_record, gils_elements
from windrow.protocols.z3950.z3950_registry import Profile

COURSE = Document(
    titles=(Text("Höstkurs", None),),
    creators=(Agent("Åkerö, Bo"),),
    subjects=(Subject("400.600"),),
    keywords=("geometri",),
    year=2002,
    types=("Grundkurs",),
    publishers=("mh",),
    languages=("sv",),
    links=(Link("https://mh.example/MAAA45", LinkKind.LANDING),),
    events=(
        Event("mh-1", "2002p1", "bunden", "full", "2280", "sv", "dag"),
        Event(period="2002p2", place="flexibel"),
    ),
    exams=("magister",),
    professions=("lantmätare",),
    prerequisites=("standard",),
)


def _paths(elements: Iterable[Element], start: str = "") -> Iterator[tuple[str, str]]:
    """Each text with the path of tags to it."""
    for element in elements:
        path = f"{start}({element.tag_type},{element.tag})"
        if isinstance(element.content, str):
            yield path, element.content
        else:
            yield from _paths(element.content, path)


def _made(profile: Profile, *, is_brief: bool = False) -> list[tuple[str, str]]:
    return list(_paths(gils_elements(COURSE, "mh-MAAA45", source="mh", profile=profile, is_brief=is_brief)))


def test_an_event_is_an_element_with_its_slots() -> None:
    found = _made(Profile.GILS)
    event = "(4,70)(3,event)"
    assert [pair for pair in found if pair[0].startswith(event)] == [
        (f"{event}(3,identifier)", "mh-1"),
        (f"{event}(3,period)", "2002p1"),
        (f"{event}(3,kind)", "bunden"),
        (f"{event}(3,intensity)", "full"),
        (f"{event}(3,place)", "2280"),
        (f"{event}(3,language)", "sv"),
        (f"{event}(3,time)", "dag"),
        (f"{event}(3,period)", "2002p2"),
        (f"{event}(3,place)", "flexibel"),
    ]
    assert ("(4,95)(4,96)(4,20)", "400.600") in found
    assert ("(4,97)(4,22)", "geometri") in found
    assert ("(4,70)(4,99)(4,17)", "https://mh.example/MAAA45") in found
    assert ("(2,1)", "Höstkurs") in found


def test_the_profile_of_studera_has_places_for_what_gils_has_none_for() -> None:
    found = _made(Profile.STUDERA)
    assert ("(4,51)", "magister") in found
    assert ("(3,profession)", "lantmätare") in found
    assert ("(4,53)(4,25)", "standard") in found
    assert ("(4,70)(4,55)(4,28)", "mh-1;2002p1;bunden;full;2280;sv;dag") in found
    assert ("(4,70)(4,55)(4,28)", ";2002p2;;;flexibel;;") in found
    assert ("(4,70)(4,55)(3,period)", "2002p1") in found


def test_a_brief_record_is_what_tells_it_from_others() -> None:
    assert _made(Profile.STUDERA, is_brief=True) == [
        ("(2,1)", "Höstkurs"),
        ("(2,2)", "Åkerö, Bo"),
        ("(2,4)", "2002"),
        ("(4,70)(4,99)(4,17)", "https://mh.example/MAAA45"),
        ("(4,1)", "mh-MAAA45"),
        ("(1,14)", "mh-MAAA45"),
    ]


def test_a_record_is_encoded_with_its_schema_and_its_nesting() -> None:
    elements = gils_elements(COURSE, "mh-MAAA45", source="mh", profile=Profile.STUDERA)
    schema, *others = read(GENERIC_RECORD, encode_record(elements, lambda text: text.encode("latin-1")))
    assert (schema.tag_type, schema.content.value) == (1, z3950_registry.GILS_SCHEMA)
    assert len(others) == len(elements)
    assert others[0].content.value == "Höstkurs".encode("latin-1")
    (availability,) = (each for each in others if each.tag_value.value == 70)
    assert availability.content.name == "subtree"


@own_and_shared
def test_the_one_course_of_the_services_description_has_its_tag_paths(place: Place) -> None:
    document = read_payload(place("studera/wir.xml").read_bytes(), b"", "wir")
    expected = studera(place)
    name, source = expected["local identifier"], expected["publisher"]
    found = list(_paths(gils_elements(document, name, source=source, profile=Profile.STUDERA)))
    assert [text for path, text in found if path.endswith("(4,28)")] == [
        ";".join(event) for event in expected["events"]
    ]
    assert ("(4,53)(4,25)", expected["prerequisites"]) in found
    assert ("(4,95)(4,96)(4,20)", expected["controlled term"]) in found
    assert ("(2,1)", expected["title"]) in found
    assert ("(4,70)(4,33)", expected["type"]) in found
