"""What is counted, and the values from A to Z."""

from __future__ import annotations

from collections.abc import Callable, Sequence

import pytest

from tests.contracts.index.hay import LIBRARY, entry
from windrow.errors import UsageError
from windrow.index.protocol import FacetRequest, Index, ValueCount
from windrow.index.tantivy.rows import Entry
from windrow.model.document import Agent, Document, Subject, Text
from windrow.model.query import Everything, Value, Word

Make = Callable[[Sequence[Entry]], Index]


def test_each_tally_counts_documents_and_what_its_limit_left_out(make_index: Make) -> None:
    institutions, years, subjects = make_index(LIBRARY).tally(
        Everything(),
        [
            FacetRequest("institution"),
            FacetRequest("year", is_by_value=True),
            FacetRequest("subject", limit=1),
        ],
    )
    assert institutions.values == (ValueCount("Field University", 2), ValueCount("Barn Polytechnic", 1))
    assert years.values == (ValueCount("2010", 1), ValueCount("2014", 2))
    assert subjects.values == (ValueCount("Agriculture", 2),)
    assert subjects.others == 3  # Meadows, grass, heinä


def test_only_what_the_query_finds_is_counted(make_index: Make) -> None:
    (counts,) = make_index(LIBRARY).tally(Word("hay"), [FacetRequest("year", is_by_value=True)])
    assert counts.values == (ValueCount("2010", 1), ValueCount("2014", 1))


def test_a_tally_counts_again_inside_each_value(make_index: Make) -> None:
    asked = FacetRequest("institution", within=FacetRequest("department", within=FacetRequest("year")))
    (counts,) = make_index(LIBRARY).tally(Everything(), [asked])
    assert counts.values == (
        ValueCount("Field University", 2, (ValueCount("School of Grass", 2, (ValueCount("2014", 2),)),)),
        ValueCount("Barn Polytechnic", 1),
    )


def test_values_that_only_differ_in_capitals_stay_apart(make_index: Make) -> None:
    entries = [
        entry(number, Document(keywords=(word,))) for number, word in enumerate(["Hay", "hay", "HAY"], 1)
    ]
    (counts,) = make_index(entries).tally(Everything(), [FacetRequest("keyword")])
    assert {value.value for value in counts.values} == {"Hay", "hay", "HAY"}


def test_what_is_not_stated_is_counted_and_no_value_of_the_field(make_index: Make) -> None:
    rights = [(), ("CC BY 4.0",), ("info:eu-repo/semantics/restrictedAccess",), ("Ask the barn.",)]
    entries = [entry(number, Document(rights=each)) for number, each in enumerate(rights, 1)]
    index = make_index(entries)
    access, licences = index.tally(Everything(), [FacetRequest("access"), FacetRequest("licence")])
    assert dict(each[:2] for each in access.values) == {
        "Access not stated": 2,
        "Open access": 1,
        "Restricted": 1,
    }
    assert dict(each[:2] for each in licences.values) == {
        "No licence stated": 2,
        "CC BY": 1,
        "Other terms": 1,
    }
    assert index.count(Word("*", "access", is_pattern=True)) == 2
    assert index.count(Word("*", "licence", is_pattern=True)) == 2
    assert index.count(Value("Access not stated", "access")) == 2


def test_a_type_and_a_topic_in_several_languages_are_counted_once(make_index: Make) -> None:
    subjects = (Subject("raking", "yso", "p1", "en"), Subject("haravointi", "yso", "p1", "fi"))
    types = ("AMK-opinnäytetyö", "Bachelor's thesis", "YH-examensarbete")
    index = make_index(
        [entry(1, Document(types=types, subjects=subjects)), entry(2, Document(types=types[:1]))]
    )
    counted, topics = index.tally(Everything(), [FacetRequest("type"), FacetRequest("subject")])
    assert counted.values == (ValueCount("Bachelor's thesis", 2),)
    assert topics.values == (ValueCount("raking", 1),)
    for word in ("haravointi", "raking", "examensarbete", "kandidatuppsats"):
        assert index.count(Word(word)) >= 1, word
    assert index.search(Everything()).hits[0].card.types == ("Bachelor's thesis",)


@pytest.mark.parametrize("field", ["flavour", "title", "fact_year", ""])
def test_what_cannot_be_counted_is_refused(make_index: Make, field: str) -> None:
    with pytest.raises(UsageError):
        make_index(LIBRARY).tally(Everything(), [FacetRequest(field)])


def test_values_are_walked_in_the_order_of_their_letters(make_index: Make) -> None:
    index = make_index(LIBRARY)
    assert [value.value for value in index.values("creator")] == ["Mower, Ann", "Niitty, Eero", "Rake, Bo"]
    assert index.values("creator", after="Mower, Ann", limit=1) == [ValueCount("Niitty, Eero", 1)]
    assert index.values("creator", prefix="MÖ") == [ValueCount("Mower, Ann", 1)]
    assert [value.value for value in index.values("year")] == ["2010", "2014"]


def test_first_letters_are_folded_and_the_rest_comes_last(make_index: Make) -> None:
    names = ["Äng, Bo", "anders", "Łukasz", "7up", "Жук"]
    entries = [entry(number, Document(creators=(Agent(name),))) for number, name in enumerate(names, 1)]
    letters = make_index(entries).initials("creator")
    assert letters == [ValueCount("A", 2), ValueCount("L", 1), ValueCount("Ж", 1), ValueCount("#", 1)]


def test_values_and_letters_can_be_those_of_what_a_query_finds(make_index: Make) -> None:
    entries = [
        entry(1, Document(creators=(Agent("Mower, Ann"), Agent("Äng, Bo")), publishers=("Barn Press",))),
        entry(2, Document(creators=(Agent("Mower, Ann"), Agent("Rake, Bo")), year=2014), source="field"),
        entry(
            3, Document(creators=(Agent("Mower, Ann"),), publishers=("Barley",), year=2014), source="field"
        ),
    ]
    index, field = make_index(entries), Value("field", "source")
    assert index.values("creator", query=field) == [ValueCount("Mower, Ann", 2), ValueCount("Rake, Bo", 1)]
    assert index.values("creator", query=field, after="Mower, Ann") == [ValueCount("Rake, Bo", 1)]
    assert index.values("creator", query=field, prefix="a") == []
    assert index.values("year", query=field) == [ValueCount("2014", 2)]
    assert index.initials("creator", query=field) == [ValueCount("M", 2), ValueCount("R", 1)]
    assert index.initials("publisher", query=field) == [ValueCount("B", 1)]
    assert index.initials("year", query=field) == [ValueCount("#", 2)]
    assert index.initials("creator") == [ValueCount("A", 1), ValueCount("M", 3), ValueCount("R", 1)]


def test_a_beginning_is_completed_by_what_a_query_finds_with_its_counts_there(make_index: Make) -> None:
    elsewhere = [
        entry(number, Document(titles=(Text(f"Grass {number}"),), keywords=(f"grass {number % 40}",)))
        for number in range(100)
    ]
    entries = [
        *elsewhere,
        entry(
            201, Document(titles=(Text("Grass of home"),), keywords=("Grass 7", "grass 7")), source="field"
        ),
        entry(202, Document(creators=(Agent("Gräs, Åsa"),), keywords=("grass 7",)), source="field"),
    ]
    found = make_index(entries).complete("GRAS", query=Value("field", "source"))
    assert [(each.value, each.field, each.count) for each in found] == [
        ("grass 7", "subject", 2),
        ("Grass of home", "title", 1),
        ("Gräs, Åsa", "creator", 1),
    ]


def test_a_beginning_is_completed_the_most_used_first(make_index: Make) -> None:
    entries = [
        entry(1, Document(titles=(Text("Grass and sky"),), keywords=("Grasses",))),
        entry(2, Document(titles=(Text("Sky"),), keywords=("Grasses", "grass"))),
        entry(3, Document(creators=(Agent("Gräs, Åsa"),))),
    ]
    found = make_index(entries).complete("GRAS")
    assert [(each.value, each.field, each.count) for each in found] == [
        ("Grasses", "subject", 2),
        ("Grass and sky", "title", 1),
        ("Gräs, Åsa", "creator", 1),
        ("grass", "subject", 1),
    ]
    assert len(make_index(entries).complete("gras", limit=2)) == 2


def test_a_record_with_two_titles_that_begin_so_counts_once(make_index: Make) -> None:
    index = make_index([entry(1, Document(titles=(Text("Grass"), Text("Grass again"))))])
    assert [(each.value, each.count) for each in index.complete("gra")] == [("Grass", 1)]


def test_values_that_differ_in_capitals_only_are_completed_once_as_most_spell_them(make_index: Make) -> None:
    spelled = ["Machine learning", "machine learning", "Machine Learning", "machine learning", "Mächine"]
    entries = [entry(number, Document(keywords=(word,))) for number, word in enumerate(spelled, 1)]
    found = make_index(entries).complete("machine")
    assert [(each.value, each.count) for each in found] == [("machine learning", 2), ("Mächine", 1)]


@pytest.mark.parametrize("beginning", ["grass", "“grass", "“Gr", "Grass a"])
def test_a_title_in_quotation_marks_is_completed_with_and_without_them(
    make_index: Make, beginning: str
) -> None:
    index = make_index([entry(1, Document(titles=(Text("“Grass and sky”"),)))])
    assert [each.value for each in index.complete(beginning)] == ["“Grass and sky”"]


@pytest.mark.parametrize(
    ("word", "expected"),
    [
        ("medow", "meadow"),
        ("meaodw", "meadow"),
        ("agricultrue", "agriculture"),
        ("macihnse", "machines"),
        ("meadow", None),
        ("Hay", None),
        ("xyz", None),  # too short to tell
        ("zzzzzzzz", None),
        ("", None),
        ("m" * 5000, None),
        ("two words", None),
    ],
)
def test_a_slip_is_corrected_to_a_word_that_is_there(
    make_index: Make, word: str, expected: str | None
) -> None:
    assert make_index(LIBRARY).correct(word) == expected


def test_a_word_that_few_have_is_corrected_to_one_that_enough_have(make_index: Make) -> None:
    titles = ("Behavier of oxen", "Behavior of cows", "Behavior of owls", "Behaviors")
    index = make_index(
        [entry(number, Document(titles=(Text(title),))) for number, title in enumerate(titles)]
    )
    assert index.correct("behavier") is None
    assert index.correct("behavier", least=2) == "behavior"
    assert index.correct("behavior", least=2) is None
    assert index.correct("behavier", least=3) is None


def test_records_with_the_same_rare_words_are_similar(make_index: Make) -> None:
    entries = [
        entry(1, Document(titles=(Text("Drying of meadow hay"),), keywords=("windrow",))),
        entry(2, Document(titles=(Text("Windrow machines"),), keywords=("windrow", "hay"))),
        entry(3, Document(titles=(Text("Hay"),))),
        *(entry(number, Document(titles=(Text("Hay of clay"),))) for number in range(4, 9)),
        entry(9, Document(titles=(Text("Taxes"),))),
    ]
    numbers = [hit.card.number for hit in make_index(entries).similar(1, limit=3)]
    assert numbers[0] == 2
    assert 1 not in numbers
    assert 9 not in numbers


def test_one_word_alone_makes_no_records_similar_unless_there_is_no_other(make_index: Make) -> None:
    index = make_index(
        [
            entry(1, Document(titles=(Text("Disaster, again"),), keywords=("disaster", "development"))),
            entry(2, Document(titles=(Text("Again"),))),
            entry(3, Document(titles=(Text("Development"),), keywords=("Disaster relief",))),
        ]
    )
    assert [hit.card.number for hit in index.similar(1)] == [3]
    assert [hit.card.number for hit in index.similar(2)] == [1]
