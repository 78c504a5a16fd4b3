from __future__ import annotations

import pytest

from windrow.formats.registry import read
from windrow.model.document import Agent, Document, DocumentDate, Event, LinkKind, Subject


def lido(inside: str) -> Document:
    namespaces = b' xmlns="http://www.lido-schema.org" xmlns:skos="http://www.w3.org/2004/02/skos/core#"'
    return read(f"<lido>{inside}</lido>".encode(), namespaces, "lido")


def event(kind: str, inside: str) -> str:
    return f"<eventSet><event><eventType><term>{kind}</term></eventType>{inside}</event></eventSet>"


def actor(name: str, role: str) -> str:
    named = f"<actor><nameActorSet><appellationValue>{name}</appellationValue></nameActorSet></actor>"
    in_role = f"<actorInRole>{named}<roleActor><term>{role}</term></roleActor></actorInRole>"
    return f"<eventActor><displayActorInRole>{name} ({role})</displayActorInRole>{in_role}</eventActor>"


@pytest.mark.parametrize("kind", ["Herstellung", "Production", "creation", "valmistus"])
def test_whoever_took_part_in_the_making_is_a_creator(kind: str) -> None:
    document = lido(event(kind, actor("Joiner, A.", "maker")))
    assert document.creators == (Agent("Joiner, A.", "maker"),)


def test_other_events_make_no_creator_and_no_year() -> None:
    document = lido(
        event(
            "Erwerb",
            actor("Collector, A.", "buyer") + "<eventDate><displayDate>1950</displayDate></eventDate>",
        )
    )
    assert not document.creators
    assert document.year is None
    assert document.extra["lido:eventDate/displayDate"] == ("1950",)


def test_an_actor_only_for_display_is_taken_as_written() -> None:
    document = lido(
        event("Production", "<eventActor><displayActorInRole>A joiner</displayActorInRole></eventActor>")
    )
    assert document.creators == (Agent("A joiner"),)


def test_a_date_without_a_year_is_helped_out_by_its_span() -> None:
    span = "<date><earliestDate>1880</earliestDate><latestDate>1899</latestDate></date>"
    date = f"<eventDate><displayDate>late 19th century</displayDate>{span}</eventDate>"
    document = lido(event("Production", date))
    assert document.dates == (
        DocumentDate("late 19th century", "created"),
        DocumentDate("1880/1899", "created"),
    )
    assert document.year == 1880


def test_every_event_is_kept_in_brief_and_none_twice() -> None:
    named = "<place><namePlaceSet><appellationValue>Exampleby</appellationValue></namePlaceSet></place>"
    place = f"<eventPlace>{named}</eventPlace>"
    span = "<date><earliestDate>1880</earliestDate><latestDate>1899</latestDate></date>"
    date = f"<eventDate>{span}</eventDate><periodName><term>Age of hay</term></periodName>"
    document = lido(event("Erwerb", place) + event("Production", date) + event("Erwerb", place))
    assert document.events == (
        Event(kind="Erwerb", place="Exampleby"),
        Event(kind="Production", period="Age of hay", time="1880/1899"),
    )
    assert document.extra["lido:eventPlace/appellationValue"] == ("Exampleby",)


def test_a_concept_in_several_languages_counts_in_english_and_keeps_the_others() -> None:
    terms = '<term xml:lang="de">Rechen</term><term xml:lang="en">rake</term>'
    document = lido(f"<objectWorkType>{terms}</objectWorkType>")
    assert document.types == ("rake",)
    assert document.extra["lido:objectWorkType/term"] == ("Rechen",)


def test_skos_labels_of_version_1_1_are_words_too() -> None:
    concept = "<skos:Concept><skos:prefLabel>rake</skos:prefLabel></skos:Concept>"
    assert lido(f"<objectWorkType>{concept}</objectWorkType>").types == ("rake",)


def test_a_notation_gives_way_to_words() -> None:
    number = '<conceptID source="Iconclass">47 I 11</conceptID>'
    concept = f'{number}<term>47 I 11</term><term addedSearchTerm="yes">hay</term>'
    document = lido(f"<subjectSet><subject><subjectConcept>{concept}</subjectConcept></subject></subjectSet>")
    assert document.subjects == (Subject("hay", "Iconclass", "47 I 11"),)


def test_words_for_display_are_a_subject_only_where_there_is_no_concept() -> None:
    display = "<displaySubject>Hay making</displaySubject>"
    assert lido(f"<subjectSet>{display}</subjectSet>").subjects == (Subject("Hay making"),)
    concept = "<subject><subjectConcept><term>hay</term></subjectConcept></subject>"
    assert lido(f"<subjectSet>{display}{concept}</subjectSet>").subjects == (Subject("hay"),)


def test_a_preview_is_a_thumbnail_and_the_same_address_as_master_is_not() -> None:
    def shown(kind: str, number: int) -> str:
        link = f"<linkResource>https://example.org/{number}</linkResource>"
        return f'<resourceRepresentation type="{kind}">{link}</resourceRepresentation>'

    resources = shown("image_thumb", 1) + shown("image_preview", 2) + shown("image_master", 2)
    kinds = {link.url: link.kind for link in lido(f"<resourceSet>{resources}</resourceSet>").links}
    assert kinds == {"https://example.org/1": LinkKind.THUMBNAIL, "https://example.org/2": LinkKind.FULLTEXT}


def test_words_inherit_the_language_around_them() -> None:
    title = "<titleSet><appellationValue>Heurechen</appellationValue></titleSet>"
    document = lido(f'<descriptiveMetadata xml:lang="de">{title}</descriptiveMetadata>')
    assert document.titles[0].language == "de"


def test_a_record_without_any_namespace_is_read() -> None:
    title = "<titleSet><appellationValue>Rake</appellationValue></titleSet>"
    assert read(f"<lidoWrap><lido>{title}</lido></lidoWrap>".encode(), b"", "lido").title == "Rake"
