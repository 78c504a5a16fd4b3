"""Words and their other forms."""

from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from windrow.model.document import Agent, Document, Subject, Text
from windrow.model.matching import matches
from windrow.model.query import Phrase, Word
from windrow.model.text import word_forms
from windrow.model.text.folding import folded_words
from windrow.model.text.highlighting import highlights
from windrow.model.text.word_forms import initials_of, is_stray, query_stems, stem_words, stems_in

ALIKE = [
    ("en", "car cars"),
    ("en", "study studies studied studying"),
    ("en", "nurse nurses nursing"),
    ("sv", "skola skolan skolor skolorna skolans"),
    ("sv", "barn barnet barnen barns"),
    ("sv", "patient patienten patienter patienternas patienters"),
    ("sv", "människa människan människor människornas"),
    ("sv", "arbete arbetet arbeten arbetena"),
    ("sv", "hållbar hållbart hållbara hållbarhet"),
    ("sv", "roman romanen romaner"),
    ("fi", "auto auton autoa autot autojen autoissa"),
    ("fi", "metsä metsän metsää metsät metsissä metsään"),
    ("fi", "terveys terveyden terveyttä terveyteen terveydessä"),
    ("fi", "mahdollisuus mahdollisuuden mahdollisuuksia mahdollisuutta"),
    ("fi", "tutkimus tutkimuksen tutkimusta tutkimukset tutkimusten tutkimuksia"),
    ("fi", "oppiminen oppimisen oppimista oppimiseen"),
    ("fi", "toiminta toiminnan toimintaa toiminnassa"),
    ("fi", "hoito hoidon hoitoa hoidossa"),
    ("fi", "lapsi lapsen lapset lapsia"),
    ("fi", "kaupunki kaupungin kaupunkia"),
    ("fi", "nainen naisen naista naiset naisten"),
    ("fi", "työ työn työtä työssä töiden töitä"),
    ("fi", "kieli kielen kieltä kielet kielten kieliä kielissä"),
    ("fi", "vesi veden vettä vesien vesiä"),
    ("fi", "vuosi vuoden vuotta vuosien vuosina"),
    ("fi", "kunta kunnan kuntaa kuntien kuntia"),
    ("fi", "matka matkan matkojen matkoja matkoilla"),
    ("fi", "asiakas asiakkaan asiakasta asiakkaat asiakkaiden"),
    ("fi", "potilas potilaan potilaat potilaita"),
    ("fi", "tavoite tavoitteen tavoitetta tavoitteet tavoitteita"),
    ("fi", "tarve tarpeen tarpeet"),
    ("fi", "puhelin puhelimen puhelinta puhelimet puhelinten"),
    ("fi", "luonto luonnon luontoa luonnossa"),
    ("fi", "vanhempi vanhemman vanhempien vanhempia"),
    ("fi", "oikeus oikeuden oikeutta oikeuksien"),
    ("fi", "strategia strategian strategiaa"),
    ("fi", "kasvi kasvin kasveja kasveissa"),
    ("sv", "analys analysen analyser"),
    ("sv", "lärare läraren lärarna lärares"),
    ("sv", "teori teorin teorier"),
    ("sv", "miljö miljön miljöer"),
    ("en", "child children"),
    ("en", "woman women"),
    ("en", "analysis analyses"),
]
UNLIKE = [("fi", "kasvi kasvu"), ("fi", "muoto muoti"), ("fi", "kunta kunto"), ("fi", "kieli kielto")]
OF_ALL = ["ehay", "fhay", "shay"]


@pytest.mark.parametrize(("language", "words"), ALIKE, ids=[words for _, words in ALIKE])
def test_a_word_is_found_by_its_base_form_and_finds_it(language: str, words: str) -> None:
    base, *forms = words.split()
    apart = [
        form
        for form in forms
        if not matches(Word(base), Document(titles=(Text(form, language),)))
        or not matches(Word(form), Document(titles=(Text(base, language),)))
    ]
    assert apart == []


@pytest.mark.parametrize(("language", "words"), UNLIKE, ids=[words for _, words in UNLIKE])
def test_words_that_only_look_alike_are_told_apart(language: str, words: str) -> None:
    one, other = words.split()
    assert not matches(Word(one), Document(titles=(Text(other, language),)))
    assert not matches(Word(other), Document(titles=(Text(one, language),)))


@pytest.mark.parametrize(
    ("text", "language", "expected"),
    [
        ("hay", "en", ["ehay"]),
        ("hay", "EN-gb", ["ehay"]),
        ("hay", "swe", ["shay"]),
        ("hay", None, OF_ALL),
        ("hay", "", OF_ALL),
        ("hay", "de", []),
        ("heinät", "fi", ["fheina"]),
        ("hay hay HAY", "en", ["ehay"]),
        ("an ox, 7up, 日本語", "en", []),
        ("x" * 61, "en", []),
    ],
)
def test_a_stem_carries_its_language(text: str, language: str | None, expected: list[str]) -> None:
    assert stem_words(text, language) == expected


@pytest.mark.parametrize(
    ("text", "letters"),
    [
        ("The drying of hay", "e"),
        ("Framtiden för ängar och skogar", "s"),
        ("Heinä ja niityt", "f"),
        ("Hay", "efs"),
        ("the och ja", "efs"),
        ("the " + "hay " * 40, "efs"),  # one word among forty tells nothing
    ],
)
def test_the_language_of_a_text_is_guessed_where_nobody_says_it(text: str, letters: str) -> None:
    assert "".join(sorted({stem[0] for stem in stem_words(text)})) == letters


def test_a_finnish_stem_never_meets_an_english_word() -> None:
    assert not matches(Word("cars"), Document(titles=(Text("car", "fr"),)))
    assert matches(Word("autot"), Document(titles=(Text("auto", "fi"),)))
    assert not matches(Word("autot"), Document(titles=(Text("auto", "en"),)))


def test_a_long_word_that_is_its_own_stem_is_found_by_its_other_forms_in_any_language() -> None:
    assert stem_words("meadow", "en") == []
    for language in ("en", "sv", "fr", None):
        document = Document(titles=(Text("meadow", language),))
        assert matches(Word("meadows"), document)
        assert matches(Word("meadows", "title"), document)
        assert not matches(Word("meadows", "subject"), document)
        assert highlights("a meadow", Word("meadows"), field="title", language=language) == [(2, 8)]
    assert not matches(Word("meadows", "creator"), Document(creators=(Agent("Meadow, Ann"),)))


def test_quotation_marks_and_fields_of_names_switch_word_forms_off() -> None:
    document = Document(titles=(Text("Cars", "en"),), creators=(Agent("Rakes, Ann"),), languages=("en",))
    assert matches(Word("car"), document)
    assert matches(Word("car", "title"), document)
    assert not matches(Phrase(("car",)), document)
    assert not matches(Word("car*s", is_pattern=True), Document(titles=(Text("car", "en"),)))
    assert not matches(Word("rake"), document)
    assert not matches(Word("rake", "creator"), document)


def test_a_word_that_comes_to_several_is_taken_as_it_stands() -> None:
    document = Document(titles=(Text("e-mails", "en"),))
    assert matches(Word("e-mails"), document)
    assert not matches(Word("e-mail"), document)


def test_a_value_without_a_language_has_that_of_the_document_if_it_has_just_one() -> None:
    subjects = (Subject("autot"), Subject("cars", language="en"))
    one, two = (
        Document(subjects=subjects, languages=("fi",)),
        Document(subjects=subjects, languages=("de", "en")),
    )
    assert matches(Word("auto", "subject"), one)
    assert matches(Word("car", "subject"), one)
    assert matches(Word("auto", "subject"), two)  # of any of the three
    assert not matches(Word("auto", "subject"), Document(subjects=subjects, languages=("de",)))


def test_as_many_words_are_remembered_as_there_is_room_for(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(word_forms, "MOST_KNOWN", 3)
    words = ["meadow", "meadows", "stack", "stacks", "barn", "barns"] * 2
    assert stems_in(words, "en") == ["emeadow", "estack", "ebarn"]
    assert set(query_stems("stacks")) >= {"estack"}


def test_many_threads_get_what_one_gets() -> None:
    words = [f"{first}{second}{third}ing" for first in "abcde" for second in "aeiou" for third in "lmnrst"]
    expected = [stem_words(word, "en") for word in words]
    word_forms._STEM_CACHES["e"].clear()
    with ThreadPoolExecutor(8) as pool:
        found = list(pool.map(lambda _: [stem_words(word, "en") for word in words], range(16)))
    assert found == [expected] * 16


@settings(deadline=None)
@given(
    word=st.text(st.sampled_from("aeiouybdknprstäöån-7日"), max_size=12),
    language=st.sampled_from(["en", "sv", "fi", None]),
)
def test_a_word_finds_itself_whatever_it_is(word: str, language: str | None) -> None:
    mine = stem_words(word, language)
    assert len(set(mine)) == len(mine)
    if len(folded_words(word)) == 1:
        assert set(mine) <= set(query_stems(word))
    else:
        assert query_stems(word) == ()


def test_an_english_abstract_and_keyword_of_a_finnish_thesis_are_found_in_their_forms() -> None:
    document = Document(
        descriptions=(Text("The purpose of this thesis was to study the farms of the region."),),
        keywords=("companies",),
        languages=("fi",),
    )
    assert matches(Word("farm"), document)
    assert matches(Word("company", "keyword"), document)


_ENDINGS = st.sampled_from(
    (
        "nen",
        "ta",
        "ten",
        "inna",
        "psi",
        "yon",
        "ssa",
        "ksi",
        "ddu",
        "d",
        "an",
        "ets",
        "bart",
        "ing",
        "ies",
        "ly",
    )
)


@settings(deadline=None)
@given(st.text("abdegikostuy", max_size=4), st.lists(_ENDINGS, min_size=1, max_size=3))
def test_a_stem_begins_as_its_word_does(start: str, endings: list[str]) -> None:
    word = start + "".join(endings)
    begun = set("dt" if word[0] in "dt" else word[0])
    assert is_stray(word) or {stem[1] for stem in query_stems(word)} <= begun


def test_a_d_and_a_t_may_begin_forms_of_one_word() -> None:
    assert "ftu" in query_stems("ddu")
    assert initials_of("ddu") == initials_of("tu") == frozenset("dt")
    assert initials_of("hay") == frozenset("h")
